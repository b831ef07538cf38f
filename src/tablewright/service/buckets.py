"""Token buckets in memory.

A bucket holds ``burst`` tokens and gets ``per_minute`` of them back. It is kept as one number, the
moment at which it will be full again: to take tokens is to move that moment on, and a bucket whose
moment has passed is full, so that it need not be kept at all. Whatever the number of callers, only
those of the last minutes take memory.

Time never goes back in here. When the machine's clock does, the buckets carry on from where they
were: nobody waits longer for it, and nobody gets a token more.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from dataclasses import dataclass, field

from tablewright.clock import Clock

#: A longer subject is kept as a hash: callers choose some of them.
_SUBJECT_CHARACTERS = 128
#: Rounding must not refuse the last token of a bucket.
_TINY = 1e-9


@dataclass(frozen=True)
class Rate:
    """So many a minute, and so many at once."""

    per_minute: float
    #: As many as in a minute, if not said.
    burst: int = 0
    #: Seconds until one token is back.
    interval: float = field(init=False, repr=False, compare=False)
    #: Seconds until an empty bucket is full.
    window: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not (0 < self.per_minute < math.inf) or self.burst < 0:
            raise ValueError("a rate has a positive number a minute, and a burst of at least 1")
        burst = self.burst or math.ceil(self.per_minute)
        object.__setattr__(self, "burst", burst)
        object.__setattr__(self, "interval", 60.0 / self.per_minute)
        object.__setattr__(self, "window", burst * self.interval)

    @classmethod
    def per_hour(cls, number: int) -> Rate:
        """So many an hour, and all of them at once if need be."""
        return cls(number / 60, number)


@dataclass(frozen=True, slots=True)
class Level:
    """How full a bucket is, after a request to it."""

    #: Seconds until there are enough tokens; 0 if there were, and they are taken.
    wait: float
    #: Seconds until it is full.
    fills_in: float

    def remaining(self, rate: Rate) -> int:
        """Whole tokens that are left."""
        return max(0, int((rate.window - self.fills_in) / rate.interval + _TINY))


class Forward:
    """A clock's time since the start, that stands still while the clock goes back."""

    def __init__(self, clock: Clock) -> None:
        self._read = clock.now
        self._last = clock.now()
        self._offset = -self._last

    def now(self) -> float:
        seen = self._read()
        if seen < self._last:
            self._offset += self._last - seen
        self._last = seen
        return seen + self._offset


class Buckets:
    """The buckets of one name, by subject."""

    def __init__(self, time: Forward, most: int) -> None:
        self._now = time.now
        self._most = most
        #: When each will be full; in the order in which they are looked at to be dropped.
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def take(self, subject: str, rate: Rate, amount: float = 1) -> Level:
        """Take tokens if there are enough.

        More than ``burst`` at once are let through by a full bucket, which then owes the rest.
        """
        now = self._now()
        known = self._full_at.get(subject, now)
        fills_in = known - now if known > now else 0.0
        cost = amount * rate.interval
        wait = fills_in + (cost if cost < rate.window else rate.window) - rate.window
        if wait > _TINY:
            return Level(wait, fills_in)
        self._keep(subject, now, fills_in + cost)
        return Level(0.0, fills_in + cost)

    def peek(self, subject: str, rate: Rate) -> Level:
        """Whether there is a token, which stays where it is."""
        now = self._now()
        fills_in = max(0.0, self._full_at.get(subject, now) - now)
        return Level(max(0.0, fills_in + rate.interval - rate.window), fills_in)

    def charge(self, subject: str, rate: Rate, amount: float = 1) -> None:
        """Take tokens whether they are there or not, down to an empty bucket."""
        now = self._now()
        fills_in = max(0.0, self._full_at.get(subject, now) - now)
        self._keep(subject, now, min(fills_in + amount * rate.interval, rate.window))

    def __len__(self) -> int:
        return len(self._full_at)

    def _keep(self, subject: str, now: float, fills_in: float) -> None:
        if subject not in self._full_at:
            self._make_room(now)
        self._full_at[subject] = now + fills_in

    def _make_room(self, now: float) -> None:
        """Each newcomer looks at two others: full ones go, so that they never pile up."""
        full_at = self._full_at
        for _ in range(min(2, len(full_at))):
            subject, moment = full_at.popitem(last=False)
            if moment > now:
                full_at[subject] = moment
        if len(full_at) >= self._most:
            full_at.popitem(last=False)


def short(subject: str) -> str:
    """A subject of bounded length."""
    if len(subject) <= _SUBJECT_CHARACTERS:
        return subject
    return hashlib.blake2b(subject.encode(errors="surrogatepass"), digest_size=24).hexdigest()
