"""A burst against a limit, in simulated time: how far beyond it do the callers get?

Four processes, ten calls a second in all, $0.0165 each, a limit of $10 for the day. A call takes
two seconds, and is reported when it ends. Both sides get the same calls at the same moments, and
are judged by what was really spent on the label that has the limit.
"""

from __future__ import annotations

import heapq
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from tablewright.clock import ManualClock

PROCESSES = 4
CALLS_PER_SECOND = 10
CALL_SECONDS = 2.0
COST_MICROS = 16_500
QUOTA_MICROS = 10_000_000
#: Twice what it takes to use the limit up.
SECONDS = 120


class Guard(Protocol):
    """One process's view of the limit."""

    async def admits(self) -> bool:
        """Whether a call may use the label now."""
        ...

    async def report(self) -> None:
        """A call that used it has ended, and cost what calls cost."""
        ...


@dataclass(frozen=True)
class Overshoot:
    """What a burst came to."""

    name: str
    spent_micros: int
    quota_micros: int = QUOTA_MICROS

    @property
    def pct(self) -> float:
        """How far beyond the limit, in percent of it; negative if it was not reached."""
        return 100 * (self.spent_micros - self.quota_micros) / self.quota_micros


async def burst(
    name: str,
    guards: list[Guard],
    clock: ManualClock,
    every_second: Callable[[], Awaitable[None]] | None = None,
) -> Overshoot:
    """Run the calls; ``every_second`` is what goes on beside them."""
    started = clock.now()
    ending: list[tuple[float, int]] = []
    admitted = 0
    for number in range(SECONDS * CALLS_PER_SECOND):
        now = started + number / CALLS_PER_SECOND
        while ending and ending[0][0] <= now:
            moment, process = heapq.heappop(ending)
            clock.set(moment)
            await guards[process].report()
        clock.set(now)
        if every_second is not None and number % CALLS_PER_SECOND == 0:
            await every_second()
        process = number % len(guards)
        if await guards[process].admits():
            admitted += 1
            heapq.heappush(ending, (now + CALL_SECONDS, process))
    return Overshoot(name, admitted * COST_MICROS)
