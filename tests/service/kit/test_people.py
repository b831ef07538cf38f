"""Mails to people whom a message names by a reference."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tablewright.clock import SystemClock
from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.sinks.base import SendFailed
from tablewright.service.kit.outbox.sinks.chosen import sinks_of
from tablewright.service.kit.outbox.sinks.people import PeopleSink, people_sink
from tablewright.service.settings import Settings

AT = datetime(2026, 11, 15, tzinfo=UTC)
ADDRESSES = {"user/1": "ada@people.test", "user/2": "not an address"}


async def address_of(person: str) -> str | None:
    return ADDRESSES.get(person)


def note(person: str | None) -> Message:
    body = {"title": "A note", "text": "Hello"}
    return Message(
        "01", "shelf", "note.added", "note/1", AT, body | ({"person": person} if person else {})
    )


def sink_of(**settings: object) -> PeopleSink:
    given = Settings.model_validate(settings)
    return people_sink(address_of, sinks_of(given, SystemClock()), given.smtp_from)


def test_a_mail_lies_beside_the_file_and_the_message_keeps_no_address(tmp_path: Path) -> None:
    sink, message = sink_of(data=tmp_path), note("user/1")
    assert sink.takes(message)
    assert not sink.takes(note(None))
    asyncio.run(sink.send(message))
    asyncio.run(sink.send(message))  # again: the same file
    (mail,) = (tmp_path / "outbox").iterdir()
    assert b"To: ada@people.test" in mail.read_bytes()
    assert b"people.test" not in message.as_json()


def test_who_is_not_there_gets_nothing_and_what_is_no_address_is_refused(tmp_path: Path) -> None:
    sink = sink_of(data=tmp_path)
    asyncio.run(sink.send(note("user/3")))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SendFailed, match="an address is none"):
        asyncio.run(sink.send(note("user/2")))


def test_without_a_way_to_send_mail_nothing_is_taken() -> None:
    webhook = {"webhook_url": "https://hooks.test/", "webhook_secret": "0123456789abcdef"}
    assert not sink_of(**webhook).takes(note("user/1"))
    assert sink_of(**webhook, smtp_url="smtp://127.0.0.1:1").takes(note("user/1"))
