"""Mails to people whom a message does not name by their address.

Its ``person`` is a reference that the system understands, such as ``organizer/01KB…``. The address
is looked up when the mail is sent and kept nowhere: whoever was erased meanwhile gets nothing, and
webhooks, which get the whole message, do not learn it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from email.parser import BytesHeaderParser
from email.utils import getaddresses
from pathlib import Path
from typing import TypeAlias

from pydantic import JsonValue

from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.sinks.base import SendFailed, Sink
from tablewright.service.kit.outbox.sinks.files import FileSink
from tablewright.service.kit.outbox.sinks.mail import as_mail
from tablewright.service.kit.outbox.sinks.smtp import SmtpSink


@dataclass(frozen=True)
class Recipient:
    """Somebody who gets a mail, and what only their own mail may say."""

    address: str
    #: Texts for placeholders such as ``{team}`` in a message's title and text. They are filled in
    #: when the mail is sent, and are neither stored nor told to webhooks.
    names: Mapping[str, str] = field(default_factory=dict)
    #: Where an answer to the mail goes; None is to its sender.
    reply_to: str | None = None


#: Where somebody gets mail; None if there is nobody, or nobody any more.
AddressOf: TypeAlias = Callable[[str], Awaitable["Recipient | str | None"]]
_PLACEHOLDER = re.compile(r"\{([a-z_]{1,30})\}")


class PeopleSink:
    """Mails a message to its ``person``, the way that all mails go."""

    name = "person"

    def __init__(self, address_of: AddressOf, mail: Sink | None) -> None:
        self._address_of = address_of
        #: None: there is no way to send one.
        self._mail = mail

    def takes(self, message: Message) -> bool:
        return self._mail is not None and isinstance(message.body.get("person"), str)

    async def send(self, message: Message) -> None:
        found = await self._address_of(str(message.body["person"]))
        if found is not None and self._mail is not None:
            recipient = Recipient(found) if isinstance(found, str) else found
            await self._mail.send(replace(message, body=personal_body(message.body, recipient)))

    async def close(self) -> None:
        return


def personal_body(body: Mapping[str, JsonValue], recipient: Recipient) -> dict[str, JsonValue]:
    """The body of a message as its recipient gets it: with names in place of placeholders.

    A placeholder without a name stays as it is; names are never read for placeholders themselves.
    """

    def named(text: JsonValue) -> JsonValue:
        if not isinstance(text, str):
            return text
        return _PLACEHOLDER.sub(lambda found: recipient.names.get(found[1], found[0]), text)

    filled = {name: named(body[name]) for name in ("title", "text") if name in body}
    reply = {} if recipient.reply_to is None else {"reply_to": recipient.reply_to}
    return {**body, **filled, **reply, "to": recipient.address}


def erase_mails(folder: Path, address: str) -> int:
    """Delete the copies of mails to an address from a folder of mails; how many there were."""
    erased = 0
    for file in folder.glob("*.eml") if folder.is_dir() else ():
        try:
            with file.open("rb") as opened:
                to = BytesHeaderParser().parse(opened).get("To", "")
            if address.casefold() in (each.casefold() for _, each in getaddresses([to])):
                file.unlink()
                erased += 1
        except FileNotFoundError:
            continue
    return erased


class MailFolder:
    """Mails as ``<id>.eml`` in a folder, where there is no mail server."""

    name = "folder"

    def __init__(self, folder: Path, *, sender: str) -> None:
        self._folder = folder
        self._sender = sender

    def takes(self, message: Message) -> bool:
        return bool(message.to)

    async def send(self, message: Message) -> None:
        mail = as_mail(message, self._sender, message.to).as_bytes()
        try:
            await asyncio.to_thread(self._write, f"{message.id}.eml", mail)
        except OSError as error:
            raise SendFailed(f"{self._folder} cannot be written: {error.strerror}") from error

    async def close(self) -> None:
        return

    def _write(self, name: str, mail: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self._folder / name).write_bytes(mail)


def people_sink(address_of: AddressOf, sinks: list[Sink], sender: str) -> PeopleSink:
    """Mails go the way of the other sinks: to the mail server, or beside the file."""
    for sink in sinks:
        if isinstance(sink, SmtpSink):
            return PeopleSink(address_of, sink)
    for sink in sinks:
        if isinstance(sink, FileSink):
            return PeopleSink(address_of, MailFolder(sink.folder, sender=sender))
    return PeopleSink(address_of, None)
