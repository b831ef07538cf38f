"""When people are reminded, and of what."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias

from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.fields import TeamStatus
from tablewright.systems.kurukshetra.rules import windows

About: TypeAlias = Literal["closing", "start"]

#: So many hours before; the last ones first.
HOURS: Final = (2, 24, 48)
#: Who is reminded: leaders of teams that can still pay; everybody who will be there.
STATUSES: Final[dict[About, tuple[TeamStatus, ...]]] = {
    "closing": ("unpaid", "pending", "offered"),
    "start": ("paid",),
}


class Reminder(NamedTuple):
    """One of the reminders of an event."""

    about: About
    hours: int
    #: What it reminds of. When that is moved, it is another reminder.
    deadline: datetime

    @property
    def at(self) -> datetime:
        """When it is due."""
        return self.deadline - timedelta(hours=self.hours)


def due(config: Config, now: datetime) -> list[Reminder]:
    """What is to be sent by now, if it was not. One that comes too late is left out for the next.

    Who has not paid is reminded of the end of registration, as long as it is open; who has, of the
    start.
    """
    deadlines: dict[About, datetime] = {"start": config.event_start}
    if windows.is_open(config, now):
        deadlines["closing"] = config.registration_end
    found = (_latest(about, deadline, now) for about, deadline in deadlines.items())
    return [each for each in found if each is not None]


def _latest(about: About, deadline: datetime, now: datetime) -> Reminder | None:
    if now >= deadline:
        return None
    made = (Reminder(about, hours, deadline) for hours in HOURS)
    return next((each for each in made if each.at <= now), None)
