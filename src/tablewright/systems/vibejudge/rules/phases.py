"""When a hackathon takes submissions, and when an analysis of it is a trial."""

from __future__ import annotations

from datetime import datetime

from tablewright.systems.vibejudge.entities import HackathonDetail


def has_ended(hackathon: HackathonDetail, now: datetime) -> bool:
    """Tell whether the end of a hackathon is past."""
    return hackathon.end_date is not None and hackathon.end_date <= now


def takes_submissions(hackathon: HackathonDetail, now: datetime, *, by_owner: bool = False) -> bool:
    """Tell whether submissions are taken now; its owner may add them after the end.

    A run before the end does not close the hackathon: teams go on as if it did not happen.
    """
    if by_owner and hackathon.status == "configured":
        return True
    before_end = hackathon.end_date is not None and now < hackathon.end_date
    return before_end and hackathon.status in ("configured", "analyzing")
