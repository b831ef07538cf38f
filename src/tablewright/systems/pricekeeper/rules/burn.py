"""How quickly money goes: an average in which what happened two minutes ago counts half.

A burn is micro-USD an hour. It is kept in every total and moved on whenever the total is made
again, however long ago that was.
"""

from __future__ import annotations

from math import exp, expm1, log

from tablewright.systems.pricekeeper.rules.cost import PICOS

#: Seconds after which spend counts half.
HALF_LIFE = 120.0
#: A total that is made for the first time was spent within so many seconds, for all we know.
FIRST_SECS = 60.0

_DECAY = log(2) / HALF_LIFE
_HOUR = 3600
#: Two totals of one moment are a millisecond apart.
_LEAST_SECS = 0.001


def moved_on(burn: float, picos: int, secs: float) -> float:
    """The burn after ``picos`` more were spent in ``secs`` seconds; a correction is no income."""
    secs = max(secs, _LEAST_SECS)
    share = -expm1(-_DECAY * secs)
    rate = max(picos, 0) / PICOS / secs * _HOUR
    return burn * (1 - share) + rate * share


def first_burn(picos: int) -> float:
    """The burn of a total that there was none of before."""
    return moved_on(0.0, picos, FIRST_SECS)


def after_idle(burn: float, idle_secs: float) -> float:
    """Return the burn after so many seconds in which nothing was spent."""
    return burn * exp(-_DECAY * idle_secs) if idle_secs > 0 else burn


def secs_left(picos: int, burn: float) -> float | None:
    """How long ``picos`` last at a burn; None for ever."""
    if burn <= 0:
        return None
    return max(picos, 0) / PICOS / burn * _HOUR
