"""When people are reminded, and by what a reminder is known."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.ladders.fields import ActionStatus, GrowthAction, ReminderKind
from tablewright.systems.ladders.rules import reminders
from tablewright.systems.ladders.rules.reminders import Reminder

END = datetime(2026, 11, 30, 17, tzinfo=UTC)
MILLI = timedelta(milliseconds=1)


def day(number: float) -> datetime:
    return END + timedelta(days=number)


@pytest.mark.parametrize(
    ("now", "kind", "at"),
    [
        (day(-7), "review_due", -7),
        (day(-1) - MILLI, "review_due", -7),
        (day(-1), "review_due", -1),
        (END - MILLI, "review_due", -1),
        (day(1), "review_late", 1),
        (day(7), "review_late", 7),
        (day(14) - MILLI, "review_late", 7),
    ],
)
def test_what_is_due_when(now: datetime, kind: ReminderKind, at: int) -> None:
    assert reminders.of_plan(END, now) == Reminder(kind, day(at), END)


# Nobody is told after the end that it is near.
@pytest.mark.parametrize("now", [END, day(1) - MILLI])
def test_nothing_is_due_just_after_the_end(now: datetime) -> None:
    assert reminders.of_plan(END, now) is None


@pytest.mark.parametrize("now", [day(-7) - MILLI, day(-100), day(14), day(100)])
def test_nothing_is_due_long_before_or_after(now: datetime) -> None:
    assert reminders.of_plan(END, now) is None


def test_a_worker_that_looks_every_hour_finds_four() -> None:
    hours = (day(-20) + timedelta(hours=number) for number in range(24 * 60))
    found = [reminders.of_plan(END, now) for now in hours]
    keys = {reminders.key(each, "plan", "user") for each in found if each is not None}
    assert keys == {
        "plan/user/review_due/2026-11-23",
        "plan/user/review_due/2026-11-29",
        "plan/user/review_late/2026-12-01",
        "plan/user/review_late/2026-12-07",
    }


@given(st.integers(0, 10**10), st.timedeltas(timedelta(-30), timedelta(30)))
def test_a_reminder_is_never_ahead_of_its_time(seconds: int, away: timedelta) -> None:
    end = datetime.fromtimestamp(seconds, UTC)
    found = reminders.of_plan(end, end + away)
    if found is not None:
        assert found.at <= end + away
        assert (found.at - end).days in reminders.DAYS


def test_a_deadline_that_is_moved_is_another_reminder() -> None:
    first = reminders.of_plan(END, day(-7))
    later = reminders.of_plan(day(10), day(3))
    assert first is not None
    assert later is not None
    assert reminders.key(first, "p", "u") != reminders.key(later, "p", "u")


def test_days_are_those_of_utc() -> None:
    east = timezone(timedelta(hours=14))
    at = datetime(2026, 11, 24, 3, tzinfo=east)
    assert Reminder("review_due", at, END).day == date(2026, 11, 23)


def action(due: datetime, status: ActionStatus = "open") -> GrowthAction:
    return GrowthAction(title="Run the review", due_at=due, status=status)


def test_open_actions_are_told_a_week_before() -> None:
    actions = {
        "soon": action(day(0)),
        "same day": action(day(0) + timedelta(hours=2)),
        "next day": action(day(1)),
        "later": action(day(30)),
        "over": action(day(-8)),
        "done": action(day(-1), "done"),
        "dropped": action(day(-1), "dropped"),
    }
    assert reminders.of_actions(actions, day(-7) - MILLI) == []
    assert reminders.of_actions(actions, day(-6.5)) == [Reminder("action_due", day(-7), day(0))]
    assert reminders.of_actions(actions, day(-6)) == [
        Reminder("action_due", day(-7), day(0)),
        Reminder("action_due", day(-6), day(1)),
    ]
    # The first is over; the second of that day is known by the same key, so it is not told again.
    first, *_ = reminders.of_actions(actions, day(-6.5))
    second, *_ = reminders.of_actions(actions, day(0))
    assert second.deadline == day(0) + timedelta(hours=2)
    assert reminders.key(first, "p", "u") == reminders.key(second, "p", "u")


def test_who_asks_by_hand_reminds_once_a_day() -> None:
    morning, evening = END.replace(hour=8), END.replace(hour=20)
    keys = {reminders.key(reminders.asked(END, now), "p", "u") for now in (morning, evening)}
    assert keys == {"p/u/asked/2026-11-30"}
