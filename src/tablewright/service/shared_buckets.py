"""Token buckets in the kit table, for all processes of a system together.

A bucket is one number, the moment at which it will be full again, as in
:mod:`tablewright.service.buckets`. DynamoDB can add to it but cannot take "now, if that is later",
so a check is one of two conditional writes: *use* a bucket whose moment lies ahead, or *start* one
whose moment has passed. Each process remembers the moment it saw last. The stored one only grows,
so a remembered moment ahead of now is sure to call for *use*; a wrong guess costs a second write,
and the refused write brings the stored bucket along. Over the limit it is often none at all.

A clock that is ahead of the others leaves moments in the far future. Whoever finds that a bucket
was written later than now sets it back by as much, so that nobody waits for a clock's mistake.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import NamedTuple, TypeVar

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.model import Put, Update
from tablewright.model.errors import ConditionFailed, TablewrightError
from tablewright.service.buckets import Level, Rate
from tablewright.service.kit.entities import SharedBucket
from tablewright.service.kit.patterns import (
    set_bucket_back,
    shared_bucket,
    start_bucket,
    use_bucket,
)

log = logging.getLogger(__name__)

T = TypeVar("T")

#: A store that takes longer than this to answer is not waited for.
PATIENCE_SECS = 1.0
#: After a failure the store is left alone for this long.
PAUSE_SECS = 5.0
#: Guess, learn better, learn that a clock was wrong: more is a race that others are winning.
_MOST_WRITES = 4
#: How far clocks may differ without being called wrong.
_SKEW_US = 10_000_000
_MOST_REMEMBERED = 50_000
_MILLION = 1_000_000


@dataclass(frozen=True)
class _Check:
    """One check. All moments and lengths are microseconds."""

    bucket: str
    subject: str
    now: int
    window: int
    #: What it takes, and how much of the bucket has to be there for it.
    cost: int
    need: int

    @property
    def most(self) -> int:
        """The latest moment for the bucket to be full, if this is to be let through."""
        return self.now + self.window - self.need

    def bucket_full_at(self, full_at: int) -> SharedBucket:
        return SharedBucket(
            bucket=self.bucket,
            subject=self.subject,
            full_at_us=full_at,
            written_at_us=self.now,
            expires_at=_expiry(full_at),
        )

    def level(self, full_at: int, *, taken: bool) -> Level:
        wait = 0 if taken else max(1, full_at - self.most)
        return Level(wait / _MILLION, max(0, full_at - self.now) / _MILLION)


class _Seen(NamedTuple):
    """What is known of a stored bucket."""

    full_at: int = 0
    written_at: int = 0


class SharedBuckets:
    """The buckets of one system's kit table."""

    def __init__(self, db: AsyncDb, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._seen: OrderedDict[tuple[str, str], _Seen] = OrderedDict()
        self._paused_until = float("-inf")

    async def take(self, bucket: str, subject: str, rate: Rate, amount: float) -> Level | None:
        """Take tokens if there are enough; None if the store cannot be asked."""
        check = self._check(bucket, subject, rate, amount)
        return await self._asked(lambda: self._take(check))

    async def peek(self, bucket: str, subject: str, rate: Rate) -> Level | None:
        """How full a bucket is; None if the store cannot be asked."""
        check = self._check(bucket, subject, rate, 1)
        return await self._asked(lambda: self._peek(check))

    async def charge(self, bucket: str, subject: str, rate: Rate) -> None:
        """Take a token if there is one."""
        await self.take(bucket, subject, rate, 1)

    # --- inside ----------------------------------------------------------------------

    def _check(self, bucket: str, subject: str, rate: Rate, amount: float) -> _Check:
        # Addresses of people are among the subjects: the table holds no more than a hash.
        hashed = hashlib.blake2b(subject.encode(errors="surrogatepass"), digest_size=16)
        interval = rate.interval * _MILLION
        return _Check(
            bucket,
            hashed.hexdigest(),
            int(self._clock.now() * _MILLION),
            window=ceil(rate.burst * interval),
            cost=ceil(amount * interval),
            need=ceil(min(amount, rate.burst) * interval),
        )

    async def _take(self, check: _Check) -> Level:
        seen = self._seen.get((check.bucket, check.subject), _Seen())
        for _ in range(_MOST_WRITES):
            ahead = _ahead(check, seen)
            if not ahead and seen.full_at > check.most:
                break
            try:
                stored = await self._db.run(self._write(check, seen, ahead))
            except ConditionFailed as refused:
                seen = self._learn(check, refused.item)
            else:
                seen = self._learn(check, stored)
                if not ahead:
                    return check.level(seen.full_at, taken=True)
        return check.level(max(seen.full_at, check.most + 1), taken=False)

    @staticmethod
    def _write(check: _Check, seen: _Seen, ahead: int) -> Update[SharedBucket] | Put[SharedBucket]:
        """The write that fits what is known of the bucket."""
        if ahead:
            return set_bucket_back(check.bucket_full_at(seen.full_at - ahead), seen.full_at)
        if seen.full_at > check.now:
            expires = _expiry(check.most + check.cost)
            return use_bucket(
                check.bucket,
                check.subject,
                check.cost,
                now_us=check.now,
                most_us=check.most,
                expires_at=expires,
            )
        return start_bucket(check.bucket_full_at(check.now + check.cost), check.now)

    async def _peek(self, check: _Check) -> Level:
        stored = await self._db.run(shared_bucket(check.bucket, check.subject))
        seen = self._learn(check, stored)
        full_at = seen.full_at - _ahead(check, seen)
        return check.level(full_at, taken=full_at <= check.most)

    def _learn(self, check: _Check, stored: object) -> _Seen:
        seen = _Seen()
        if isinstance(stored, SharedBucket):
            seen = _Seen(stored.full_at_us, stored.written_at_us)
        self._seen[check.bucket, check.subject] = seen
        self._seen.move_to_end((check.bucket, check.subject))
        if len(self._seen) > _MOST_REMEMBERED:
            self._seen.popitem(last=False)
        return seen

    async def _asked(self, question: Callable[[], Awaitable[T]]) -> T | None:
        """The answer of the store, if it comes in time."""
        if 0 < self._paused_until - self._clock.now() <= PAUSE_SECS:
            return None
        try:
            async with asyncio.timeout(PATIENCE_SECS):
                return await question()
        except (TablewrightError, TimeoutError) as error:
            log.warning("rate limits are counted by this process alone: %r", error)
            self._paused_until = self._clock.now() + PAUSE_SECS
            return None


def _ahead(check: _Check, seen: _Seen) -> int:
    """By how much the clock of who wrote it was ahead of ours; 0 if by no more than usual."""
    ahead = seen.written_at - check.now
    return ahead if ahead > _SKEW_US else 0


def _expiry(full_at: int) -> datetime:
    """A full bucket need not be kept."""
    return datetime.fromtimestamp(full_at // _MILLION + 60, UTC)
