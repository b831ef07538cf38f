"""Time and id sources, passed in and never global.

Everything that asks "what time is it" holds a :class:`Clock`; tests hand in a
:class:`ManualClock` and move it. A :class:`FileClock` reads its offset from a file, so that
several processes of one test move together.
"""

from __future__ import annotations

import os
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
