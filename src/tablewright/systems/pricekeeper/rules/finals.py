"""When nothing can come in any more."""

from __future__ import annotations

from tablewright.systems.pricekeeper.config import Org
from tablewright.systems.pricekeeper.rules.calendar import calendar_of

_HOUR = 3600


def closes_at(org: Org, period: str) -> int:
    """From when on nothing can be recorded for a day, a week or a month any more."""
    return calendar_of(org).ends(period) + org.late_window_hours * _HOUR + _HOUR
