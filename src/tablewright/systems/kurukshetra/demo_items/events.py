"""Events, their seats and questions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tablewright.systems.kurukshetra.demo_items.made_up import MAIN, OPENED
from tablewright.systems.kurukshetra.events import Config, Event, Question, Seats


def config(event_id: str, teams: int) -> Config:
    return Config(
        event_id=event_id,
        event_name="CodeKurukshetra" if event_id == MAIN else "CodeKurukshetra Mini",
        registration_open=True,
        registration_start=OPENED,
        registration_end=OPENED + timedelta(days=30),
        event_start=datetime(2026, 12, 11, 4, 30, tzinfo=UTC),
        event_end=datetime(2026, 12, 13, 12, 30, tzinfo=UTC),
        max_teams=teams,
        roster_lock_at=datetime(2026, 12, 10, 4, 30, tzinfo=UTC),
        checkin_lists=["entry", "lunch-1"],
        created_at=OPENED,
        updated_at=OPENED,
    )


def seats(event_id: str, capacity: int, free: int, waiting: int = 0, position: int = 0) -> Seats:
    return Seats(
        event_id=event_id,
        capacity=capacity,
        free=free,
        waiting=waiting,
        next_position=position,
        registration_open=True,
        registration_start=OPENED,
        registration_end=OPENED + timedelta(days=30),
        created_at=OPENED,
        updated_at=OPENED,
    )


def event(event_id: str, name: str) -> Event:
    return Event(
        event_id=event_id,
        event_name=name,
        event_start=datetime(2026, 12, 11, 4, 30, tzinfo=UTC),
        event_end=datetime(2026, 12, 13, 12, 30, tzinfo=UTC),
        created_at=OPENED,
        updated_at=OPENED,
    )


def question(number: int, question_id: str, label: str) -> Question:
    return Question(
        event_id=MAIN,
        number=number,
        question_id=question_id,
        label=label,
        pii=True,
        created_at=OPENED,
        updated_at=OPENED,
    )
