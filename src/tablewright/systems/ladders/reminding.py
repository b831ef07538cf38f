"""Reminders: who has had which.

The outbox sends a message at least once, and forgets it after a while. That nobody is reminded
twice of the same is kept here: who is told, and that they are, is written in one transaction.
"""

from __future__ import annotations

from datetime import date

from tablewright.model import Field, Key, Put, Rate, Uuid, get, put, write
from tablewright.systems.ladders.entities import MAX_MEMBERS, Record, plan_table
from tablewright.systems.ladders.fields import ReminderKind, camel


class Reminded(
    Record,
    table=plan_table,
    naming=camel,
    keys={"primary": Key("REMINDED#{about_plan_id}#{kind}#{day}")},
):
    """Those who were reminded of a plan in one way, for one day."""

    about_plan_id: Uuid
    kind: ReminderKind
    day: date
    #: Members, and whoever managed the team: there may have been several.
    user_ids: set[Uuid] = Field(default_factory=set, max_length=2 * MAX_MEMBERS)


@get(Reminded, consistent=True, component="reminders", rate=Rate(0.01))
def reminded(about_plan_id: Uuid, kind: ReminderKind, day: date) -> None:
    """Who was reminded already."""


@write(component="reminders", rate=Rate(0.01, peak=1), item_size=1_000)
def note_reminded(reminded: Reminded) -> Put[Reminded]:
    """More of them, at the revision that was read; the messages join it. None, if it is new."""
    return put(reminded)
