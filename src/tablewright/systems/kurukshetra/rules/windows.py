"""When registration is open, and until when seats are held.

Times are stored to the second, and both ends of a window count, as in the condition of the
checkout: an end at 23:59:59 is open through the whole of that second.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from tablewright.systems.kurukshetra.events import Config, Window

Phase: TypeAlias = Literal["closed", "not_yet", "open", "over"]


def phase(window: Window, at: datetime) -> Phase:
    """Where registration stands; ``closed`` is somebody's decision."""
    moment = at.replace(microsecond=0)
    if moment > window.registration_end:
        return "over"
    if not window.registration_open:
        return "closed"
    return "not_yet" if moment < window.registration_start else "open"


def is_open(window: Window, at: datetime) -> bool:
    return phase(window, at) == "open"


def roster_open(config: Config, at: datetime) -> bool:
    """Whether people may still join and leave teams."""
    return at < config.roster_lock_at


def cut(config: Config, at: datetime) -> datetime:
    """Holds that ended by then are over: a payment after that is late, one before is in time.

    Capture wants the end to be later than this, expiry the end to be this or earlier: of one hold
    never both.
    """
    return at.replace(microsecond=0) - timedelta(minutes=config.grace_minutes)


def hold_until(config: Config, at: datetime, offered_until: datetime | None = None) -> datetime:
    """Until when a checkout holds its seat; one that was offered is not held shorter for it."""
    end = at.replace(microsecond=0) + timedelta(minutes=config.hold_minutes)
    return end if offered_until is None else max(end, offered_until)


def offer_until(config: Config, at: datetime) -> datetime:
    """Until when a seat is offered to who waited for it."""
    return at.replace(microsecond=0) + timedelta(hours=config.offer_hours)
