"""Days, weeks and months as people write them: ``2026-11-15``, ``2026-W47``, ``2026-11``."""

from __future__ import annotations

import re
from datetime import date, timedelta

from tablewright.systems.pricekeeper.rules.calendar import date_of, is_day, periods_of

_DAY = re.compile(r"([0-9]{4})-?([0-9]{2})-?([0-9]{2})").fullmatch
_WEEK = re.compile(r"([0-9]{4})-W([0-9]{2})").fullmatch
_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})").fullmatch


def read_day(text: str) -> str | None:
    """``2026-11-15`` as ``20261115``; None if it is no day."""
    found = _DAY(text)
    day = "".join(found.groups()) if found else ""
    return day if is_day(day) else None


def read_period(text: str) -> str | None:
    """A period as keys name it; None if it is none."""
    if (day := read_day(text)) is not None:
        return periods_of(day).day
    if (found := _WEEK(text)) and _is_week(int(found[1]), int(found[2])):
        return f"WEEK#{found[1]}-W{found[2]}"
    if (found := _MONTH(text)) and is_day(f"{found[1]}{found[2]}01"):
        return f"MONTH#{found[1]}{found[2]}"
    return None


def _is_week(year: int, week: int) -> bool:
    try:
        return date.fromisocalendar(year, week, 1).year >= 1970
    except ValueError:
        return False


def period_text(period: str) -> str:
    """A period as people write it."""
    window, _, text = period.partition("#")
    if window == "WEEK":
        return text
    parts = (text[:4], text[4:6], text[6:])
    return "-".join(part for part in parts if part)


def periods_between(first_day: str, last_day: str, window: str, most: int) -> list[str]:
    """The periods of a window from one day to another, in order; ``most`` at the most."""
    day, last = date_of(first_day), date_of(last_day)
    found: list[str] = []
    while day <= last and len(found) < most:
        period = periods_of(day.strftime("%Y%m%d")).of(window)
        if not found or found[-1] != period:
            found.append(period)
        if day == date.max:
            break
        day += timedelta(days=1)
    return found
