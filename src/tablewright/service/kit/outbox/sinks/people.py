"""Mails to people whom a message does not name by their address.

Its ``person`` is a reference that the system understands, such as ``organizer/01KB…``. The address
is looked up when the mail is sent and kept nowhere: whoever was erased meanwhile gets nothing, and
webhooks, which get the whole message, do not learn it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.sinks.base import SendFailed, Sink
from tablewright.service.kit.outbox.sinks.files import FileSink
from tablewright.service.kit.outbox.sinks.mail import as_mail
from tablewright.service.kit.outbox.sinks.smtp import SmtpSink

#: The address of somebody; None if there is nobody, or nobody any more.
AddressOf = Callable[[str], Awaitable[str | None]]


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
        address = await self._address_of(str(message.body["person"]))
        if address is not None and self._mail is not None:
            await self._mail.send(replace(message, body={**message.body, "to": address}))

    async def close(self) -> None:
        return


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
