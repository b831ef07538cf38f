"""When a source that fails is left alone, and when it is asked again.

Three calls that fail in a row open the breaker for five minutes. Then one call is a trial: if it
goes well the breaker closes, if not it is open for as long again. A source that asks to be left
alone is, whatever the count.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

FAILURES = 3
OPEN = timedelta(seconds=300)
#: No source is left alone for longer because it says so.
LONGEST = timedelta(days=1)


@dataclass(frozen=True)
class Breaker:
    """What is known of a source's calls."""

    failures: int = 0
    open_until: datetime | None = None

    def allows(self, now: datetime) -> bool:
        """Whether a call may be made."""
        return self.open_until is None or now >= self.open_until

    def state(self, now: datetime) -> str:
        """``closed``, ``open``, or ``trial`` when the next call decides."""
        if not self.allows(now):
            return "open"
        return "trial" if self.failures >= FAILURES else "closed"

    def failed(self, now: datetime) -> Breaker:
        """A call has failed, with all its tries."""
        failures = self.failures + 1
        return Breaker(failures, now + OPEN if failures >= FAILURES else None)

    def told_to_wait(self, now: datetime, seconds: float | None) -> Breaker:
        """The source asks for some time; if it does not say how much, that of a breaker."""
        wait = OPEN if seconds is None else timedelta(seconds=min(seconds, LONGEST.total_seconds()))
        return Breaker(self.failures, now + wait)
