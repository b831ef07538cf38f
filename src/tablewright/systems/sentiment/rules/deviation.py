"""When a window stands out from what is usual, and what a rule makes of that.

z says how many standard deviations a window lies from the mean of those it is compared with.

- A number of articles is compared with the same time of the week in 3 to 8 earlier weeks; if there
  are fewer, with the same time of 3 to 7 earlier days; else with the 24 windows before. So a busy
  morning is compared with other mornings, and not with the night before it.
- Shares and the index hardly follow the time of day: they are compared with the 24 windows before.

A floor under the deviation keeps series that hardly move from firing at every step. Quiet topics,
with fewer than ten articles in a usual window, are judged by what chance would give (a Poisson
distribution), and their shares by all articles of the 24 windows together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import exp, inf, sqrt
from statistics import NormalDist
from typing import Literal, TypeAlias

from tablewright.systems.sentiment.config import Metric, Window
from tablewright.systems.sentiment.rules.figures import Figures, total
from tablewright.systems.sentiment.rules.spans import DAY, HOUR, MINUTE, floor

Direction: TypeAlias = Literal["up", "down", "both"]

LENGTHS: dict[Window, timedelta] = {"15m": 15 * MINUTE, "1h": HOUR, "6h": 6 * HOUR}
#: Windows that one is compared with, and how many of them make a share of few articles certain.
PRIOR, LEAST_FILLED = 24, 12
#: Earlier weeks and days that a number is compared with: at least, and at most.
LEAST_WEEKS, MOST_WEEKS = 3, 8
LEAST_DAYS, MOST_DAYS = 3, 7
WEEK = 7 * DAY
#: From here a rule fires unless it says otherwise; below half of it a window is calm, and so many
#: calm windows end an alert.
FIRES, CALM, CALM_WINDOWS = 3.0, 1.5, 2
#: A share of fewer articles says little, and so does a number below the second one.
LEAST_OF_SHARE, LEAST_OF_VOLUME = 10, 5
#: Below this mean, a number of articles is judged by its probability.
QUIET = 10.0
_SHARE_FLOOR, _INDEX_FLOOR = 0.05, 0.1
#: What binary fractions get wrong lies beyond: a z of 3 is 3, and not a little less.
_EXACT_PLACES = 9

#: What a window is compared with.
Kind: TypeAlias = Literal["weeks", "days", "windows"]


@dataclass(frozen=True, slots=True)
class Season:
    """The same time in earlier weeks or days."""

    kind: Kind
    #: How far back each of them is.
    shifts: tuple[timedelta, ...]


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far a window is from those that it is compared with."""

    value: float
    mean: float
    z: float
    kind: Kind = "windows"


def calm_below(threshold: float) -> float:
    """Return the z below which a window is calm, for a rule that fires at a threshold."""
    return threshold / 2


def season_of(start: datetime, began: datetime) -> Season | None:
    """Choose the earlier weeks or days to compare a window with.

    ``began`` is when the series began. None if it is too short for that.
    """
    for kind, unit, least, most in (
        ("weeks", WEEK, LEAST_WEEKS, MOST_WEEKS),
        ("days", DAY, LEAST_DAYS, MOST_DAYS),
    ):
        count = min((start - began) // unit, most)
        if count >= least:
            shifts = tuple(unit * back for back in range(1, count + 1))
            return Season("weeks" if kind == "weeks" else "days", shifts)
    return None


def last_closed(now: datetime, window: Window) -> datetime:
    """When the last window began that is over."""
    return floor(now, LENGTHS[window]) - LENGTHS[window]


def starts(last: datetime, window: Window, count: int) -> list[datetime]:
    """When the ``count`` windows up to the one of ``last`` began, the oldest first."""
    return [last - LENGTHS[window] * back for back in range(count - 1, -1, -1)]


def deviation(
    metric: Metric,
    prior: Sequence[Figures],
    judged: Figures,
    *,
    season: Sequence[float] = (),
    kind: Kind = "windows",
    coarse: bool = False,
) -> Deviation | None:
    """Return how far ``judged`` is from what is usual; None if that cannot be told.

    ``prior`` are the 24 windows before it, ``season`` the numbers of articles at the same time of
    earlier weeks or days, if there are enough; ``coarse`` if those are parts of whole hours.
    """
    if len(prior) < PRIOR:
        return None
    if metric == "volume":
        return _volume_deviation(prior, judged, season, kind, coarse=coarse)
    if metric == "negative_share" and judged.analysed < LEAST_OF_SHARE:
        return None
    if sum(each.analysed > 0 for each in prior) < LEAST_FILLED:
        return _pooled_deviation(metric, prior, judged)
    value = _value(metric, judged)
    before = [each for each in (_value(metric, figures) for figures in prior) if each is not None]
    if value is None or not before:
        return None
    mean, spread = _mean_and_spread(before)
    z = (value - mean) / max(spread, _floor(metric))
    return Deviation(value, mean, round(z, _EXACT_PLACES))


def _volume_deviation(
    prior: Sequence[Figures],
    judged: Figures,
    season: Sequence[float],
    kind: Kind,
    *,
    coarse: bool,
) -> Deviation | None:
    recent = [float(each.articles) for each in prior]
    compared = list(season) or recent
    value = float(judged.articles)
    mean, spread = _mean_and_spread(compared)
    spread = max(spread, sqrt(mean), 1.0)
    if season and coarse:
        # Sources that are read once an hour make bursts, which hourly numbers do not show.
        spread = max(spread, mean * _burstiness(recent))
    z = (value - mean) / spread
    if value > mean:
        if value < LEAST_OF_VOLUME:
            return Deviation(value, mean, min(round(z, _EXACT_PLACES), 0.0), kind)
        if mean < QUIET:
            z = min(z, _surprise(value, max(mean, 1 / len(compared))))
    return Deviation(value, mean, round(z, _EXACT_PLACES), kind)


def _pooled_deviation(
    metric: Metric, prior: Sequence[Figures], judged: Figures
) -> Deviation | None:
    """Compare a share or an index of a quiet topic with all articles of the 24 windows together.

    Three articles, one of each tone, are added: so a topic without any is taken for balanced.
    """
    value, articles = _value(metric, judged), judged.analysed
    if value is None or articles < LEAST_OF_SHARE:
        return None
    known = total(prior)
    number = known.analysed + 3
    if metric == "negative_share":
        mean = (known.negative + 1) / number
        variance = mean * (1 - mean)
    else:
        mean = (known.positive - known.negative) / number
        variance = (known.positive + known.negative + 2) / number - mean**2
    spread = sqrt(variance * (1 / articles + 1 / number))
    z = (value - mean) / max(spread, _floor(metric))
    return Deviation(value, mean, round(z, _EXACT_PLACES))


def _mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, sqrt(sum((each - mean) ** 2 for each in values) / len(values))


def _burstiness(values: Sequence[float]) -> float:
    """Return how much numbers vary beyond chance, as a part of their mean."""
    mean, spread = _mean_and_spread(values)
    return sqrt(max(spread**2 - mean, 0.0)) / mean if mean else 0.0


def _surprise(value: float, mean: float) -> float:
    """Return the z whose one-sided probability is that of so many articles or more, by chance."""
    term = below = exp(-mean)
    for number in range(1, round(value)):
        term *= mean / number
        below += term
    above = 1 - below
    # Further out, the fraction is less exact than the deviation that it would limit.
    return -NormalDist().inv_cdf(above) if above > 1e-12 else inf


def _value(metric: Metric, figures: Figures) -> float | None:
    """A share or an index; a window without articles has none."""
    if metric == "index":
        return figures.index
    return figures.negative / figures.analysed if figures.analysed else None


def _floor(metric: Metric) -> float:
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
