"""Analysing what waits, where nobody else does.

Where sentiment runs, its worker is woken by every change, and a command leaves the work to it. In a
folder that nobody runs, articles would wait for the next `tablewright up`: so the command that
brought them analyses them itself. Who comes second to an article finds it analysed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from tablewright.service.commands import Desk, Line, Styled
from tablewright.service.wording import several

if TYPE_CHECKING:
    from tablewright.systems.sentiment.articles import Waiting
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Articles that are analysed at the same time.
_AT_ONCE = 16
#: How often it is looked for what waits: an article whose model failed waits again.
_ROUNDS = 3


@dataclass(frozen=True)
class Analysed:
    """What became of the articles that waited; nothing, if somebody else is there to do it."""

    elsewhere: bool = False
    analysed: int = 0
    failed: int = 0

    def lines(self) -> list[Line]:
        if self.elsewhere:
            return ["They are analysed by the process that runs here."]
        found: list[Line] = []
        if self.analysed:
            found.append(f"{several(self.analysed, 'article')} analysed.")
        if self.failed:
            text = f"{several(self.failed, 'article')} could not be analysed"
            found.append(Styled(f"{text}: tablewright sentiment stuck", "yellow"))
        return found

    def data(self) -> dict[str, object]:
        return {"elsewhere": self.elsewhere, "analysed": self.analysed, "failed": self.failed}


async def is_led(newsroom: Newsroom, worker: str) -> bool:
    """Whether some process does a worker's work."""
    from tablewright.service.workers import Leases

    leases = Leases(newsroom.db, newsroom.runtime.clock)
    return not leases.free(await leases.look(worker))


async def analyse_waiting(newsroom: Newsroom, desk: Desk) -> Analysed:
    """All that is pending, unless somebody analyses here."""
    from tablewright.systems.sentiment.service.queue import ANALYSE

    if await is_led(newsroom, ANALYSE):
        return Analysed(elsewhere=True)
    done: Counter[str] = Counter()
    try:
        for _ in range(_ROUNDS):
            if not await _round(newsroom, desk, done):
                break
    finally:
        newsroom.analyst.judging.close()
    return Analysed(analysed=done["analyzed"], failed=done["failed"])


async def _round(newsroom: Newsroom, desk: Desk, done: Counter[str]) -> int:
    """Each that waits now, once; how many of them wait again."""
    from tablewright.service.gathering import at_most

    async def one(waiting: Waiting) -> str:
        outcome = await newsroom.analyst.analyse(waiting.source_id, waiting.timestamp)
        done[outcome] += 1
        desk.tick(f"analysing: {several(done['analyzed'], 'article')}")
        return outcome

    outcomes = await at_most(_AT_ONCE, map(one, await _pending(newsroom)))
    return sum(each == "retry" for each in outcomes)


async def _pending(newsroom: Newsroom) -> list[Waiting]:
    """Whatever waits, however short: also what cannot be read as an article."""
    from tablewright.systems.sentiment.reads import stuck_articles
    from tablewright.systems.sentiment.shapes import ARTICLE_LIFE

    # What has come in this millisecond, too.
    until = newsroom.now() + timedelta(seconds=1)
    op = stuck_articles("pending", since=until - ARTICLE_LIFE, until=until, queued_before=until)
    return [each async for each in newsroom.db.iterate(op)]
