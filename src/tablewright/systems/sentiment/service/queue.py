"""What waits or has failed, and another chance for it.

An article that has been pending for five minutes is stuck. The index does not know which articles
have ended, so only the last 30 days of it are looked at. Queueing again is a change of the article,
on condition that it is there and failed or stuck: what has ended does not come back.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from tablewright.client.feed import TableCheckpoints
from tablewright.model import Op, together
from tablewright.model.errors import (
    ConditionFailed,
    CursorError,
    DataError,
    NotFound,
    OutcomeUnknown,
    TransactionCancelled,
)
from tablewright.model.ops import PageOp
from tablewright.service.gathering import at_most
from tablewright.service.kit import audit, kit
from tablewright.service.problems import conflict
from tablewright.service.workers import Leases
from tablewright.systems.sentiment.articles import Article, Waiting
from tablewright.systems.sentiment.changes import requeue, sweep, sweep_out
from tablewright.systems.sentiment.reads import (
    article_page,
    articles_with_status,
    failed_articles,
    number_failed,
    number_stuck,
    stuck_articles,
)
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE

if TYPE_CHECKING:
    from tablewright.client import Page
    from tablewright.service.kit.audit import Actor
    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")

STUCK_AFTER = timedelta(minutes=5)
#: The lease of who analyses, and the name under which changes are read; see workers.analyse.
ANALYSE = "analyse"
#: Articles that are queued at the same time.
_AT_ONCE = 16

Result: TypeAlias = Literal["requeued", "gone", "not_requeueable"]
_Change: TypeAlias = Callable[[Waiting], Awaitable[str]]


@dataclass(frozen=True)
class Requeued:
    """What became of one article that was to be queued again."""

    source_id: str
    result: Result


@dataclass(frozen=True)
class Unfinished:
    """An article that waits or has failed; what cannot be read has no more than its key."""

    source_id: str
    timestamp: datetime
    queued_at: datetime
    article: Article | None = None


@dataclass(frozen=True)
class Swept:
    """What a sweep has found and done."""

    stuck: int
    requeued: int = 0
    failed: int = 0


class _Times(NamedTuple):
    """What a moment means for the queue."""

    now: datetime

    @property
    def since(self) -> datetime:
        return self.now - ARTICLE_LIFE

    @property
    def until(self) -> datetime:
        return self.now - STUCK_AFTER


class Queue:
    """What waits or has failed."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self._checkpoints = TableCheckpoints(kit, component="requeue")
        metrics = newsroom.runtime.metrics
        self._stuck = metrics.gauge(
            "sentiment_stuck_items", "Articles that have been pending for more than five minutes"
        )
        self._failed = metrics.gauge(
            "sentiment_failed_items", "Articles that failed three times and wait for a person"
        )

    # --- how many, and which ---------------------------------------------------------------------

    async def stuck_count(self) -> int:
        """How many are stuck, exactly, however many there are."""
        since, until = self._times()
        op = number_stuck("pending", since=since, until=until, queued_before=until)
        found = await self._newsroom.db.run(op)
        self._stuck.set(found)
        return found

    async def failed_count(self) -> int:
        since, until = self._times()
        found = await self._newsroom.db.run(number_failed("failed", since=since, until=until))
        self._failed.set(found)
        return found

    async def stuck(
        self, limit: int = 50, cursor: str | None = None
    ) -> tuple[list[Unfinished], str | None]:
        """Those that are stuck, the oldest first."""
        times, rest = self._resumed(cursor)
        page = await self._newsroom.db.run(_stuck_at(times), limit=limit, cursor=rest)
        return [_unfinished(each) for each in page], _cursor(times, page)

    async def failed(
        self, limit: int = 50, cursor: str | None = None
    ) -> tuple[list[Unfinished], str | None]:
        """Those that have failed, the latest first."""
        times, rest = self._resumed(cursor)
        op = articles_with_status("failed", since=times.since, until=times.until)
        try:
            page = await self._newsroom.db.run(op, limit=limit, cursor=rest)
        except DataError:
            return await self._unreadable(times, limit), None
        found = [Unfinished(a.source_id, a.timestamp, a.queued_at, a) for a in page]
        return found, _cursor(times, page)

    async def _unreadable(self, times: _Times, limit: int) -> list[Unfinished]:
        """One of them cannot be read: then at least which ones they are."""
        op = failed_articles("failed", since=times.since, until=times.until)
        return [_unfinished(each) for each in await self._newsroom.db.run(op, limit=limit)]

    def _times(self) -> tuple[datetime, datetime]:
        times = _Times(self._newsroom.now())
        return times.since, times.until

    def _resumed(self, cursor: str | None) -> tuple[_Times, str | None]:
        """The moment that a list is of, which its later pages keep to."""
        if cursor is None:
            return _Times(self._newsroom.now()), None
        millis, _, rest = cursor.partition(".")
        if not (millis.isascii() and millis.isdigit() and len(millis) < 15 and rest):
            raise CursorError("this is no cursor of this list")
        return _Times(datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=int(millis))), rest

    # --- queueing again, by people ---------------------------------------------------------------

    async def requeue(self, ids: Sequence[str], principal: Actor) -> list[Requeued]:
        """Another chance for these; each in one transaction with its entry in the audit log.

        What became of each, in their order; a problem if it is a single one that cannot be.
        """
        wanted = list(dict.fromkeys(ids))

        async def one(source_id: str) -> Requeued:
            return Requeued(source_id, await self._requeue(source_id, principal))

        found = await at_most(_AT_ONCE, map(one, wanted))
        if len(found) == 1 and found[0].result != "requeued":
            detail = "Only an article that has failed, or is stuck, can be queued again."
            if found[0].result == "gone":
                detail = "There is no such article any more."
            raise conflict("NOT_REQUEUEABLE", detail)
        return found

    async def _requeue(self, source_id: str, principal: Actor) -> Result:
        db = self._newsroom.db
        try:
            article = (await db.run(article_page(source_id))).article
        except DataError:
            return "not_requeueable"
        if article is None:
            return "gone"
        times = _Times(self._newsroom.now())
        queued = requeue(source_id, article.timestamp, now=times.now, stuck_before=times.until)
        subject = f"article/{shown_id(source_id)}"
        entry = audit.record(principal, "article.requeue", subject, at=times.now)
        try:
            await db.run(together(queued, entry))
        except TransactionCancelled as cancelled:
            for each in cancelled.failures:
                if not isinstance(each.error, ConditionFailed):
                    raise
            first = cancelled.failures[0].error
            return "gone" if isinstance(first, NotFound) else "not_requeueable"
        return "requeued"

    async def requeue_all(self, principal: Actor) -> int:
        """Another chance for all that have failed or are stuck; how many.

        The audit log says that it was begun: after a crash, say so again.
        """
        times = _Times(self._newsroom.now())
        await self._newsroom.db.run(
            audit.record(principal, "queue.requeue_all", "queue", at=times.now)
        )

        async def one(each: Waiting) -> str:
            op = requeue(each.source_id, each.timestamp, now=times.now, stuck_before=times.until)
            return "requeued" if await self._changed(op) is None else "left"

        failed = failed_articles("failed", since=times.since, until=times.until)
        iterate = self._newsroom.db.iterate
        done = await _each(iterate(failed), one) + await _each(iterate(_stuck_at(times)), one)
        return done["requeued"]

    # --- the sweep -------------------------------------------------------------------------------

    async def sweep(self) -> Swept:
        """Count what is stuck; queue what is lost, if somebody is there to analyse it.

        What the reader of changes has not come to is late and not lost: it is left alone.
        """
        stuck = await self.stuck_count()
        await self.failed_count()
        if not stuck or not await self._somebody_analyses():
            return Swept(stuck)
        times = _Times(self._newsroom.now())
        before = min(times.until, await self._read_until())
        done = await _each(
            self._newsroom.db.iterate(_stuck_at(times, before)),
            lambda each: self._swept(each, times.now, before),
        )
        return Swept(stuck, done["requeued"], done["failed"])

    async def _swept(self, each: Waiting, now: datetime, before: datetime) -> str:
        key = (each.source_id, each.timestamp)
        refused = await self._changed(sweep(*key, now=now, stuck_before=before))
        if refused is None:
            return "requeued"
        if isinstance(refused, NotFound):
            return "left"
        refused = await self._changed(sweep_out(*key, now=now, stuck_before=before))
        return "failed" if refused is None else "left"

    async def _somebody_analyses(self) -> bool:
        leases = Leases(self._newsroom.db, self._newsroom.runtime.clock)
        return not leases.free(await leases.look(ANALYSE))

    async def _read_until(self) -> datetime:
        """Every change up to this moment has come to who analyses."""
        db = self._newsroom.db
        seen = await db.drive(self._checkpoints.seen(db.context, ANALYSE))
        return datetime.fromtimestamp(0 if seen is None else seen, UTC)

    async def _changed(self, op: Op[Article]) -> Exception | None:
        """Change an article; what spoke against it, if anything did."""
        try:
            await self._newsroom.db.run(op)
        except (ConditionFailed, OutcomeUnknown) as refused:
            return refused
        except DataError:
            pass  # changed; what came back cannot be read
        return None


async def _each(found: AsyncIterator[Waiting], change: _Change) -> Counter[str]:
    """Change all of them, some at a time; how often what came of it."""
    done: Counter[str] = Counter()
    some: list[Waiting] = []

    async def change_some() -> None:
        done.update(await asyncio.gather(*(change(each) for each in some)))
        some.clear()

    async for each in found:
        some.append(each)
        if len(some) >= _AT_ONCE:
            await change_some()
    await change_some()
    return done


def _stuck_at(times: _Times, before: datetime | None = None) -> PageOp[Waiting]:
    return stuck_articles(
        "pending", since=times.since, until=times.until, queued_before=before or times.until
    )


def _unfinished(each: Waiting) -> Unfinished:
    return Unfinished(each.source_id, each.timestamp, each.queued_at)


def _cursor(times: _Times, page: Page[object]) -> str | None:
    if page.cursor is None:
        return None
    return f"{int(times.now.timestamp() * 1000)}.{page.cursor}"
