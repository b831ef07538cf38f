"""Who is notified, counted from the messages that are queued."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import JsonValue

from tablewright.model import Put
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox import message
from tablewright.service.notifications import recipients_of, summarize_recipients


def queued(**body: JsonValue) -> Put[OutboxEntry]:
    return message("review.started", "team/1", body, at=datetime(2026, 1, 1, tzinfo=UTC))


def test_recipients_are_counted_once_however_they_are_addressed() -> None:
    messages = [queued(person="p1"), queued(person="p1"), queued(to=["a@b.c", "d@e.f"]), queued()]
    assert recipients_of(messages) == {"p1", "a@b.c", "d@e.f"}


def test_summary_agrees_in_number_and_claims_nobody_without_messages() -> None:
    one, two = queued(person="p1"), queued(person="p2")
    assert summarize_recipients([one, two], "member") == "2 members are notified by email."
    assert summarize_recipients([one], "member") == "1 member is notified by email."
    assert summarize_recipients([one, two]) == "2 people are notified by email."
    assert summarize_recipients([]) == "Nobody is notified."
