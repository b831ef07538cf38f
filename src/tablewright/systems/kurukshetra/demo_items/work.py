"""What is done in the background."""

from __future__ import annotations

from datetime import date, timedelta

from tablewright.systems.kurukshetra.demo_items.made_up import MAIN, NOW, TODAY, blind
from tablewright.systems.kurukshetra.jobs import Job, JobState, JobTurn
from tablewright.systems.kurukshetra.mails import MailDay


def mail_day(day: date = TODAY) -> MailDay:
    return MailDay(day=day, sent=412, created_at=NOW, ttl=NOW + timedelta(days=30))


def job(number: int, state: JobState = "queued") -> Job:
    return Job(
        event_id=MAIN,
        job_id=f"01KJ{number:022d}",
        kind="certificates",
        state=state,
        detail={"kind": "participation", "list_id": "entry"},
        fence=0 if state == "queued" else 3,
        by=blind("user-90"),
        created_at=NOW,
        updated_at=NOW,
        ttl=NOW + timedelta(days=90),
    )


def turn(of: Job, minutes: int = 0) -> JobTurn:
    return JobTurn(
        kind=of.kind,
        due_at=NOW + timedelta(minutes=minutes),
        job_id=of.job_id,
        event_id=of.event_id,
        created_at=NOW,
    )
