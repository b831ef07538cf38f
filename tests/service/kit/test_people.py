"""Mails to people whom a message names by a reference."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from tablewright.clock import SystemClock
from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.sinks.base import SendFailed
from tablewright.service.kit.outbox.sinks.chosen import sinks_of
from tablewright.service.kit.outbox.sinks.people import (
    PeopleSink,
    Recipient,
    erase_mails,
    people_sink,
)
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


def test_names_and_reply_to_are_filled_in_when_the_mail_is_sent(tmp_path: Path) -> None:
    async def recipient_of(person: str) -> Recipient:
        names = {"team": "{name} & Co", "name": "Asha"}
        return Recipient("ada@people.test", names, reply_to="help@people.test")

    given = Settings.model_validate({"data": tmp_path})
    sink = people_sink(recipient_of, sinks_of(given, SystemClock()), given.smtp_from)
    body = {"title": "For {team}", "text": "Hello {name}, {unknown} {}", "person": "user/1"}
    message = Message("01", "shelf", "note.added", "note/1", AT, body)
    asyncio.run(sink.send(message))
    (file,) = (tmp_path / "outbox").iterdir()
    mail = message_from_bytes(file.read_bytes(), policy=policy.default)
    assert (mail["Subject"], mail["Reply-To"]) == ("For {name} & Co", "help@people.test")
    assert mail.get_content().strip() == "Hello Asha, {unknown} {}"
    assert message.body == body, "what is stored and told to webhooks names nobody"


def test_copies_of_mails_to_an_address_are_erased(tmp_path: Path) -> None:
    for number, address in enumerate(("ada@people.test", "Ada@People.test", "ravi@people.test")):
        (tmp_path / f"{number}.eml").write_text(f"From: a@b.test\nTo: {address}\n\nada@people.test")
    assert erase_mails(tmp_path, "ada@people.test") == 2
    assert [each.name for each in tmp_path.iterdir()] == ["2.eml"]
    assert erase_mails(tmp_path / "none", "ada@people.test") == 0
