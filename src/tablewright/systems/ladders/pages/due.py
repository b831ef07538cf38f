"""How long there is, in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

Tone: TypeAlias = Literal["", "warning", "danger"]

#: From here on it is worth a colour.
_SOON = 7


@dataclass(frozen=True)
class Due:
    """A day by which something is to be done."""

    at: datetime
    #: Whole days in the company's zone; less than none is late.
    days: int

    @property
    def late(self) -> bool:
        return self.days < 0

    @property
    def tone(self) -> Tone:
        if self.late:
            return "danger"
        return "warning" if self.days <= _SOON else ""

    @property
    def words(self) -> str:
        """``in 3 days``, ``today``, ``2 days late``."""
        if self.days in _NEAR:
            return _NEAR[self.days]
        return f"in {self.days} days" if self.days > 0 else f"{-self.days} days late"


_NEAR = {-1: "1 day late", 0: "today", 1: "tomorrow"}


def due(at: datetime, now: datetime, zone: str) -> Due:
    """As many days as a calendar on the wall says."""
    there = ZoneInfo(zone)
    days = (at.astimezone(there).date() - now.astimezone(there).date()).days
    # The last hours of the day may be over already.
    return Due(at, -1 if days == 0 and now > at else days)
