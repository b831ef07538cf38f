"""Many articles at once: sent, waited for, and counted again."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.service.commands import Desk
from tablewright.service.problems import Problem
from tablewright.service.wording import several
from tablewright.service.workers import runner
from tablewright.systems.sentiment import reads
from tablewright.systems.sentiment.bodies.watch import TopicIn
from tablewright.systems.sentiment.cli.analysing import is_led
from tablewright.systems.sentiment.cli.benching import ANALYSED_SECS, paced
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.rules.spans import HOUR, floor
from tablewright.systems.sentiment.service.queue import ANALYSE

if TYPE_CHECKING:
    from tablewright.systems.sentiment.articles import TagRow
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Records of a page, as small as those that come by HTTP may be.
_PAGE = 10
_LOOK_SECS = 0.5
#: How long it is waited for what is late.
_PATIENCE_SECS = 3 * ANALYSED_SECS
#: How often an hour is counted that others write to.
_RECOUNTS = 5
_ENDINGS = (
    "wins praise for a superb result",
    "publishes its plan for the coming year",
    "suffers a terrible loss after the failure",
)


@dataclass(frozen=True)
class Found:
    """What became of a burst."""

    sent: int
    sending_secs: float
    lost: int
    doubled: int
    waiting: int
    #: From the first that was sent to the last that was analysed; None if some still wait.
    analysed_secs: float | None
    #: Counts that are wrong, or could not be checked.
    drift: int

    @property
    def analysed_in_time(self) -> bool:
        return self.analysed_secs is not None and self.analysed_secs <= ANALYSED_SECS

    def data(self) -> dict[str, object]:
        secs = self.analysed_secs
        return {
            "sent": self.sent,
            "sending_seconds": round(self.sending_secs, 3),
            "lost": self.lost,
            "doubled": self.doubled,
            "waiting": self.waiting,
            "analysed_seconds": None if secs is None else round(secs, 3),
            "drift": self.drift,
        }


@asynccontextmanager
async def topic_for(newsroom: Newsroom, desk: Desk) -> AsyncIterator[str]:
    """A topic that nothing else belongs to; its tag, which is also its word."""
    tag = f"bench{newsroom.runtime.ids()[-12:].lower()}"
    try:
        await newsroom.watches.create(TopicIn(tag=tag, any=[tag], priority=1000), desk.by)
    except Problem as problem:
        if problem.code == "WATCH_FULL":
            problem.extra["hint"] = "Delete one, or measure in another place."
        raise
    try:
        yield tag
    finally:
        await newsroom.watches.delete(tag, desk.by)


def records_of(tag: str, count: int, now: datetime) -> list[Record]:
    """Articles about the topic, of all tones."""
    return [
        Record(
            title=f"{tag} number {place} {_ENDINGS[place % len(_ENDINGS)]}",
            text="What follows is the same for all of them, as agencies write it.",
            url=f"https://bench.example/{tag}/{place}",
            source="Bench",
            published_at=now,
        )
        for place in range(count)
    ]


class Burst:
    """One burst."""

    def __init__(self, newsroom: Newsroom, desk: Desk, articles: int, seconds: float) -> None:
        self._newsroom = newsroom
        self._desk = desk
        self._articles = articles
        self._seconds = seconds
        self._outcomes: Counter[str] = Counter()

    async def run(self) -> Found:
        async with topic_for(self._newsroom, self._desk) as tag, self._analysing():
            first = self._newsroom.now()
            began = time.perf_counter()
            await self._send(records_of(tag, self._articles, first))
            sending = time.perf_counter() - began
            rows, analysed = await self._settled(tag, began)
            drift = await self._drift(first)
        articles = {row.source_id for row in rows}
        # An article that was stored twice has two rows, or two senders who were told so.
        twice = max(len(rows), self._outcomes["ingested"]) - len(articles)
        return Found(
            sent=self._articles,
            sending_secs=sending,
            lost=self._articles - len(articles),
            doubled=twice,
            waiting=sum(row.tag_sentiment is None for row in rows),
            analysed_secs=analysed,
            drift=drift,
        )

    @asynccontextmanager
    async def _analysing(self) -> AsyncIterator[None]:
        """Somebody analyses: who runs here, or this command."""
        if await is_led(self._newsroom, ANALYSE):
            yield
            return
        from tablewright.systems.sentiment.workers.analyse import worker

        async with runner(self._newsroom.runtime, [worker(self._newsroom)]):
            yield

    async def _send(self, records: Sequence[Record]) -> None:
        pages = [list(records[at : at + _PAGE]) for at in range(0, len(records), _PAGE)]

        async def send(place: int, due: float) -> None:
            page = pages[place]
            # Every tenth comes from two sides.
            sides = [page, page[:1]] if len(page) == _PAGE else [page]
            take = self._newsroom.intake.take
            for told in await asyncio.gather(*(take(each, source_type="file") for each in sides)):
                self._outcomes.update(outcome.result for outcome in told)
            self._desk.tick(f"sending: {several(self._outcomes['ingested'], 'article')}")

        await paced(len(pages), len(pages) / self._seconds, send)

    async def _settled(self, tag: str, began: float) -> tuple[list[TagRow], float | None]:
        """The articles once all of them are analysed, and when that was."""
        while True:
            op = reads.articles_by_tag(tag)
            rows = [row async for row in self._newsroom.db.iterate(op)]
            waiting = sum(row.tag_sentiment is None for row in rows)
            passed = time.perf_counter() - began
            if not waiting and len(rows) >= self._articles:
                return rows, passed
            if passed > _PATIENCE_SECS + self._seconds:
                return rows, None
            self._desk.tick(f"analysing: {several(waiting, 'article')} to go")
            await asyncio.sleep(_LOOK_SECS)

    async def _drift(self, first: datetime) -> int:
        """How many counts of these hours are not what the articles say."""
        self._desk.tick("counting again")
        since = floor(first, HOUR)
        for _ in range(_RECOUNTS):
            until = self._newsroom.now() + timedelta(hours=1)
            found = await self._newsroom.books.recount(since, until, closed_only=False)
            if not found.unsettled and not found.drift:
                return 0
            await asyncio.sleep(_LOOK_SECS)
        return len(found.drift) + len(found.unsettled)
