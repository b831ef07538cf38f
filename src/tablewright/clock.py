"""Time and id sources, passed in and never global.

Everything that asks "what time is it" holds a :class:`Clock`; tests hand in a
:class:`ManualClock` and move it. A :class:`FileClock` reads its offset from a file, so that
several processes of one test move together.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Protocol


class Clock(Protocol):
    """A source of wall-clock time."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        return time.time()


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self, start: float | None = None) -> None:
        self._now = time.time() if start is None else float(start)

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        """Move the clock; a negative number moves it back, as clocks sometimes do."""
        self._now += seconds

    def set(self, moment: float) -> None:
        self._now = float(moment)


class FileClock:
    """The machine's time plus an offset kept in a file shared by several processes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def now(self) -> float:
        return time.time() + self._offset()

    def advance(self, seconds: float) -> None:
        """Move the clock for every process that reads the same file."""
        target = self._path.with_name(self._path.name + f".{os.getpid()}")
        target.write_text(repr(self._offset() + seconds))
        target.replace(self._path)

    def _offset(self) -> float:
        try:
            return float(self._path.read_text())
        except (FileNotFoundError, ValueError):
            return 0.0


class UlidSource:
    """Ids of 26 characters that sort by the time they were made, also within a millisecond.

    A ULID is 48 bits of milliseconds and 80 random bits. Within one millisecond (and while the
    clock stands still or goes back) the next id is the last one plus a small random step, so the
    ids of one source only ever grow, and cannot be guessed from each other.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._last = 0

    def __call__(self) -> str:
        """A new id."""
        now = int(self._clock.now() * 1000)
        with self._lock:
            if now > self._last >> 80:
                value = (now << 80) | int.from_bytes(os.urandom(10), "big")
            else:
                value = self._last + 1 + int.from_bytes(os.urandom(4), "big")
            self._last = value
        return _base32(value)


_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#: Two digits at a time are half the work.
_PAIRS = tuple(a + b for a in _CROCKFORD for b in _CROCKFORD)


def _base32(value: int) -> str:
    return "".join([_PAIRS[(value >> shift) & 1023] for shift in range(120, -10, -10)])
