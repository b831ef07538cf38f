"""The latest requests to the database that took long, for people who look after the process."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime

from tablewright.client import RequestEvent
from tablewright.clock import Clock, SystemClock

#: From so many seconds on a request is slow.
SLOW_SECS = 1.0
#: So many are kept.
_KEPT = 100


@dataclass(frozen=True)
class SlowCall:
    """One request that took long, its retries included."""

    at: datetime
    pattern: str
    operation: str
    seconds: float
    attempts: int
    error: str | None


class SlowCalls:
    """Those of one system in one process, the latest ones."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._kept: deque[SlowCall] = deque(maxlen=_KEPT)

    def note(self, event: RequestEvent) -> None:
        """A request that took long."""
        at = datetime.fromtimestamp(self._clock.now(), UTC)
        seconds = round(event.seconds, 3)
        self._kept.append(
            SlowCall(at, event.pattern, event.operation, seconds, event.attempts, event.error)
        )

    def latest(self) -> list[SlowCall]:
        """The latest first."""
        return list(reversed(self._kept))
