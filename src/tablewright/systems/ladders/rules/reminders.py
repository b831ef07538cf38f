"""Who is reminded of what, and when: once for each day that is named here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from tablewright.systems.ladders.fields import GrowthAction, ReminderKind

#: So many days after the end of a plan; before it, if negative.
DAYS: Final = (-7, -1, 1, 7)
#: The last reminder may come so much too late, an earlier one while it is true and the next is
#: not due.
LATEST: Final = timedelta(days=7)
#: So long before a growth action is due.
BEFORE_ACTION: Final = timedelta(days=7)


class Reminder(NamedTuple):
    """Something to be reminded of."""

    kind: ReminderKind
    #: When it is due.
    at: datetime
    #: What it reminds of. When that is moved, it is another reminder.
    deadline: datetime

    @property
    def day(self) -> date:
        return self.at.astimezone(UTC).date()


def of_plan(end: datetime, now: datetime) -> Reminder | None:
    """What those are to be told whose assessments are open, if they were not.

    One that is missed is made good until the next one is due; that the end is near, until the end.
    """
    moments = [end + timedelta(days=each) for each in DAYS]
    over = [*moments[1:], moments[-1] + LATEST]
    for at, until in zip(moments, over, strict=True):
        if at <= now < (min(until, end) if at < end else until):
            return Reminder("review_due" if at < end else "review_late", at, end)
    return None


def of_actions(actions: Mapping[str, GrowthAction], now: datetime) -> list[Reminder]:
    """One for each day on which open actions are due, as long as they are not overdue."""
    due = {each.due_at for each in actions.values() if each.status == "open"}
    made = [Reminder("action_due", each - BEFORE_ACTION, each) for each in sorted(due)]
    return _one_a_day(each for each in made if each.at <= now < each.deadline)


def asked(end: datetime, now: datetime) -> Reminder:
    """What a manager sends by hand: once a day, too."""
    return Reminder("asked", now, end)


def key(reminder: Reminder, plan_id: str, user_id: str) -> str:
    """What it is known by: there is no second one with the same."""
    return f"{plan_id}/{user_id}/{reminder.kind}/{reminder.day.isoformat()}"


def _one_a_day(reminders: Iterable[Reminder]) -> list[Reminder]:
    first: dict[date, Reminder] = {}
    for each in reminders:
        first.setdefault(each.day, each)
    return list(first.values())
