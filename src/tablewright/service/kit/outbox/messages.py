"""Making a message, and what becomes of it: it waits, is sent, or is dead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

import orjson
from pydantic import JsonValue

from tablewright.model import Delete, Op, PageOp, Put, new_ulid
from tablewright.service.kit.entities import OutboxEntry, pending_in
from tablewright.service.kit.moments import Moment, moment, text_of
from tablewright.service.kit.patterns import (
    add_message,
    discard_message,
    latest_messages_in,
    move_message,
)

#: Bytes of a body; what is larger belongs behind a link.
MOST_BYTES = 64 * 1024
#: How long messages that were sent, or given up, can be looked at.
SENT_KEPT, DEAD_KEPT = timedelta(days=30), timedelta(days=400)


def message(
    kind: str,
    subject: str,
    body: Mapping[str, JsonValue],
    *,
    at: Moment,
    message_id: str | None = None,
) -> Put[OutboxEntry]:
    """A message about ``subject``, to join the transaction that it tells of.

    Messages of one subject leave in the order of ``at``, then of their ids. A body with ``title``
    and ``text`` (and perhaps ``to`` and ``html``) can go by mail; the rest is data.
    """
    size = len(orjson.dumps(body))
    if size > MOST_BYTES:
        raise ValueError(f"the body of {kind} has {size} bytes; {MOST_BYTES} are allowed")
    entry = OutboxEntry(
        message_id=message_id or new_ulid(),
        at=moment(at),
        kind=kind,
        subject=subject,
        body=dict(body),
    )
    return add_message(entry)


# --- what has become of them ---------------------------------------------------------------------


def dead_letters() -> PageOp[OutboxEntry]:
    """The messages that were given up, newest first."""
    return latest_messages_in("DEAD")


def sent_on(day: date) -> PageOp[OutboxEntry]:
    """The messages that were sent on a day, in UTC, newest first."""
    return latest_messages_in(f"SENT#{day:%Y%m%d}")


def changed(entry: OutboxEntry, **fields: object) -> OutboxEntry:
    """The message with other fields, checked as a new one is."""
    return OutboxEntry.model_validate({**entry.model_dump(), **fields})


def sent(entry: OutboxEntry, now: datetime, delivered: set[str]) -> Op[tuple[None, OutboxEntry]]:
    """The message has gone out."""
    moved = changed(
        entry,
        place=f"SENT#{now:%Y%m%d}",
        delivered=delivered,
        attempts=entry.attempts + 1,
        retry_at=None,
        error=None,
        ended_at=now,
        expires_at=now + SENT_KEPT,
    )
    return move_message(entry, moved)


def long_sent(message: Put[OutboxEntry]) -> Put[OutboxEntry]:
    """A message that went out when it was made: for a past that is told, not lived through."""
    at = message.entity.at
    arrived = changed(
        message.entity,
        place=f"SENT#{at:%Y%m%d}",
        attempts=1,
        ended_at=at,
        expires_at=at + SENT_KEPT,
    )
    return replace(message, entity=arrived)


def given_up(
    entry: OutboxEntry, now: datetime, delivered: set[str], error: str
) -> Op[tuple[None, OutboxEntry]]:
    """The message will not be tried again by itself."""
    moved = changed(
        entry,
        place="DEAD",
        delivered=delivered,
        attempts=entry.attempts + 1,
        retry_at=None,
        error=error,
        ended_at=now,
        expires_at=now + DEAD_KEPT,
    )
    return move_message(entry, moved)


def again(entry: OutboxEntry) -> Op[tuple[None, OutboxEntry]]:
    """A dead message, to be sent after all; where it has arrived it is not sent again."""
    moved = changed(
        entry,
        place=pending_in(entry.subject),
        attempts=0,
        retry_at=None,
        ended_at=None,
        expires_at=None,
    )
    return move_message(entry, moved)


def discard(entry: OutboxEntry) -> Delete[OutboxEntry]:
    """A dead message, for ever."""
    return discard_message(entry)


# --- what goes out -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Message:
    """What receivers get. The id stays the same however often it is sent."""

    id: str
    system: str
    kind: str
    subject: str
    at: datetime
    body: Mapping[str, JsonValue]

    @classmethod
    def of(cls, system: str, entry: OutboxEntry) -> Message:
        return cls(entry.message_id, system, entry.kind, entry.subject, entry.at, entry.body)

    def as_json(self) -> bytes:
        return orjson.dumps(
            {
                "id": self.id,
                "system": self.system,
                "kind": self.kind,
                "subject": self.subject,
                "at": text_of(self.at),
                "body": self.body,
            }
        )

    @property
    def title(self) -> str:
        """One line for people."""
        given = self.body.get("title")
        text = given if isinstance(given, str) else f"{self.kind}: {self.subject}"
        return " ".join(text.split())[:200]

    @property
    def text(self) -> str:
        """For people; what is not written for them is shown as it is."""
        given = self.body.get("text")
        if isinstance(given, str):
            return given
        return orjson.dumps(self.body, option=orjson.OPT_INDENT_2).decode()

    @property
    def to(self) -> tuple[str, ...]:
        """The addresses that the message itself names."""
        given = self.body.get("to")
        if isinstance(given, str):
            return (given,)
        return tuple(str(each) for each in given) if isinstance(given, list) else ()
