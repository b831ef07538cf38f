"""How often a source is read, so that its quota lasts for the day."""

from __future__ import annotations

from datetime import datetime, timedelta

DAY_SECS = 86_400
#: The rest is for runs that somebody asks for, and for calls that are made again.
SHARE = 0.9


def interval_secs(setting: int, calls: int, daily_limit: int | None) -> float:
    """Seconds from one run to the next, each of so many calls."""
    if daily_limit is None:
        return float(setting)
    return max(float(setting), DAY_SECS * calls / (SHARE * daily_limit))


def is_due(last_run_at: datetime | None, interval: float, now: datetime) -> bool:
    """Whether it is time; a run of the future says that the clock was wrong, then or now."""
    if last_run_at is None or last_run_at > now:
        return True
    return now - last_run_at >= timedelta(seconds=interval)
