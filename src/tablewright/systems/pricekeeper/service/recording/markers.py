"""Marks on counts that are written to, so that their totals are made again.

Before the first flush to a count, and again while it goes on, a process says how long it may be
writing. The mark also keeps how many shards the count has on its day: the first one decides, and
everybody learns it. A total is right in the end because the last sum of a mark begins after the
last flush that rests on it has ended: the mark lasts ``MARK_SECS``, a flush begins while it is at
most ``FRESH_SECS`` old, and takes ``FLUSH_SECS`` at the longest.

That is told in times of day, so a clock that goes back must not make a mark that seems to have
ended before the last sum: a mark lasts from the latest moment that is known, by this process's
clock so far or by the total itself.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.model.errors import ConditionFailed
from tablewright.systems.pricekeeper.reads import total_of_period
from tablewright.systems.pricekeeper.recording import mark_dirty, mark_dirty_anew
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.rows import UsageId, dirty_ends
from tablewright.systems.pricekeeper.shapes import scope_of
from tablewright.systems.pricekeeper.spend import Dirty, Total

MARK_SECS = 180
FRESH_SECS = 45.0
FLUSH_SECS = 10.0
#: A mark that is older is of no use any more and is forgotten.
_KEPT_SECS = 60.0


class _Mark(NamedTuple):
    #: Time that passes, not the time of day: nobody can put it back.
    made: float
    shards: int
    #: The time of day up to which it is fresh; a machine that was asleep finds it past.
    until: float
    #: When it ends.
    ends: int


class Markers:
    """The marks that this process has made lately."""

    def __init__(self, db: AsyncDb, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._marks: dict[UsageId, _Mark] = {}
        self._latest = 0.0

    async def shards(self, accounts: dict[UsageId, Account]) -> dict[UsageId, int]:
        """How many shards counts have; each is marked when this returns."""
        old = time.monotonic() - FRESH_SECS
        stale = [key for key in accounts if not self._is_fresh(key, old)]
        if stale:
            self._forget_old()
            await asyncio.gather(*(self.mark(accounts[key], key) for key in stale))
        return {key: self._marks[key].shards for key in accounts}

    def _is_fresh(self, key: UsageId, old: float) -> bool:
        mark = self._marks.get(key)
        return mark is not None and mark.made > old and self._clock.now() < mark.until

    async def mark(self, account: Account, key: UsageId) -> None:
        """Have the total of a count made again."""
        began, now = time.monotonic(), self._clock.now()
        self._latest = max(self._latest, now)
        known = self._marks.get(key)
        shards, since = known.shards if known else 0, self._latest
        if not shards:
            total = await self._total(account, key)
            shards = _shards(total, account)
            since = max(since, total.as_of_ms.timestamp() if total else 0.0)
        ends = math.ceil(since) + MARK_SECS
        stored = await self._marked(_row(account, key, shards, int(now), ends))
        # Put at the end, so that the oldest come first.
        self._marks.pop(key, None)
        self._marks[key] = _Mark(began, stored.shard_count, now + FRESH_SECS, ends)

    async def marked(self, account: Account, key: UsageId) -> Dirty:
        """A mark that is there, to be written once more with what it is for."""
        await self.shards({key: account})
        mark = self._marks[key]
        return _row(account, key, mark.shards, int(self._clock.now()), mark.ends)

    async def _marked(self, dirty: Dirty) -> Dirty:
        try:
            return await self._db.run(mark_dirty(dirty))
        except ConditionFailed:
            # A mark of long ago has ended and is not deleted yet. If another process is quicker,
            # there is one to go on with.
            with suppress(ConditionFailed):
                return await self._db.run(mark_dirty_anew(dirty))
        return await self._db.run(mark_dirty(dirty))

    async def shard_count(self, account: Account, key: UsageId) -> int:
        """The shards of a count that may have no mark: as its total says, or as new ones get."""
        return _shards(await self._total(account, key), account)

    async def _total(self, account: Account, key: UsageId) -> Total | None:
        period = account.calendar.periods(key.day).day
        scope = scope_of(key.org_id, key.app_id)
        return await self._db.run(total_of_period(scope, key.label, period))

    def _forget_old(self) -> None:
        old = time.monotonic() - _KEPT_SECS
        for key in _older(self._marks.items(), old):
            del self._marks[key]


def _older(marks: Iterable[tuple[UsageId, _Mark]], moment: float) -> list[UsageId]:
    found: list[UsageId] = []
    for key, mark in marks:
        if mark.made > moment:
            break
        found.append(key)
    return found


def _shards(total: Total | None, account: Account) -> int:
    kept = total.shard_count if total is not None else None
    return kept or account.org.agg_shard_count


def _row(account: Account, key: UsageId, shards: int, now: int, ends: int) -> Dirty:
    return Dirty(
        org_id=key.org_id,
        day=key.day,
        app_id=key.app_id,
        label=key.label,
        dirty_until_epoch=_moment(ends),
        shard_count=shards,
        expires_at_epoch=_moment(dirty_ends(account, key.day, now)),
    )


def _moment(epoch: int) -> datetime:
    return datetime.fromtimestamp(epoch, UTC)
