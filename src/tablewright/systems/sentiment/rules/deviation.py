"""When a window stands out from those before it, and what a rule makes of that.

A window is compared with the 24 before it: z says how many standard deviations it lies from their
mean. A floor under the deviation keeps series that hardly move from crying at every step; too few
windows with anything in them say nothing at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import sqrt
from typing import Literal, TypeAlias

from tablewright.systems.sentiment.config import Metric, Window
from tablewright.systems.sentiment.rules.figures import Figures
from tablewright.systems.sentiment.rules.spans import HOUR, MINUTE, floor

Direction: TypeAlias = Literal["up", "down", "both"]

LENGTHS: dict[Window, timedelta] = {"15m": 15 * MINUTE, "1h": HOUR, "6h": 6 * HOUR}
#: Windows that one is compared with, and how many of them must not be empty.
PRIOR, LEAST_FILLED = 24, 12
#: From here a rule fires; below this a window is calm, and so many calm windows end an alert.
FIRES, CALM, CALM_WINDOWS = 3.0, 1.5, 2
#: A share of fewer articles says little.
LEAST_OF_SHARE = 10
_SHARE_FLOOR, _INDEX_FLOOR = 0.05, 0.1
#: What binary fractions get wrong lies beyond: a z of 3 is 3, and not a little less.
_EXACT_PLACES = 9


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far a window is from those before it."""

    value: float
    mean: float
    z: float


def last_closed(now: datetime, window: Window) -> datetime:
    """When the last window began that is over."""
    return floor(now, LENGTHS[window]) - LENGTHS[window]


def starts(last: datetime, window: Window, count: int) -> list[datetime]:
    """When the ``count`` windows up to the one of ``last`` began, the oldest first."""
    return [last - LENGTHS[window] * back for back in range(count - 1, -1, -1)]


def deviation(metric: Metric, prior: Sequence[Figures], judged: Figures) -> Deviation | None:
    """How far ``judged`` is from the windows before it; None if that cannot be told."""
    if len(prior) < PRIOR or sum(each.analysed > 0 for each in prior) < LEAST_FILLED:
        return None
    if metric == "negative_share" and judged.analysed < LEAST_OF_SHARE:
        return None
    value = _value(metric, judged)
    before = [each for each in (_value(metric, figures) for figures in prior) if each is not None]
    if value is None or not before:
        return None
    mean = sum(before) / len(before)
    spread = sqrt(sum((each - mean) ** 2 for each in before) / len(before))
    z = (value - mean) / max(spread, _floor(metric, mean))
    return Deviation(value, mean, round(z, _EXACT_PLACES))


def _value(metric: Metric, figures: Figures) -> float | None:
    """What is compared; a window without articles has a volume, and nothing else."""
    if metric == "volume":
        return float(figures.articles)
    if metric == "index":
        return figures.index
    return figures.negative / figures.analysed if figures.analysed else None


def _floor(metric: Metric, mean: float) -> float:
    if metric == "volume":
        return max(1.0, sqrt(mean))
    return _SHARE_FLOOR if metric == "negative_share" else _INDEX_FLOOR


def pressure(z: float, direction: Direction) -> float:
    """How far in the direction that a rule looks in."""
    if direction == "both":
        return abs(z)
    return z if direction == "up" else -z


# --- what a rule makes of it ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """What a rule knows about itself."""

    firing: bool = False
    calm_windows: int = 0
    judged_window: datetime | None = None
    last_fired_at: datetime | None = None


#: To raise an alert, to note a window (calm or not), to end the alert, or nothing.
Step: TypeAlias = Literal["raise", "trouble", "calm", "clear", "nothing"]


def step(
    standing: Standing,
    window_start: datetime,
    *,
    fires: bool,
    calm: bool,
    now: datetime,
    cooldown: timedelta,
) -> Step:
    """What to do after a window was judged. A window that was noted is not noted again."""
    if not standing.firing:
        rested = standing.last_fired_at is None or standing.last_fired_at <= now - cooldown
        return "raise" if fires and rested else "nothing"
    if standing.judged_window is not None and standing.judged_window >= window_start:
        return "nothing"
    if not calm:
        return "trouble"
    return "clear" if standing.calm_windows + 1 >= CALM_WINDOWS else "calm"
