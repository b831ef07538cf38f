"""A small mail server, which can refuse: SMTP as far as ``smtplib`` speaks it."""

from __future__ import annotations

import asyncio
import base64
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class MailBox:
    """What the server got, and how it behaves."""

    port: int = 0
    #: Sender, recipients and mail, in the order of arrival.
    got: list[tuple[str, tuple[str, ...], EmailMessage]] = field(default_factory=list)
    #: Users and passwords that were given.
    logins: list[tuple[str, str]] = field(default_factory=list)
    #: For each of them, whether the line was encrypted.
    encrypted: list[bool] = field(default_factory=list)
    #: What is answered to a recipient, to the mail itself, to a login.
    refused: dict[str, str] = field(default_factory=dict)
    answer: str = "250 ok"
    login_answer: str = "235 ok"
    #: Close the connection instead of answering to the mail.
    hang_up: bool = False
    tls: ssl.SSLContext | None = None


class _Session:
    def __init__(
        self, box: MailBox, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._box, self._reader, self._writer = box, reader, writer
        self._sender = ""
        self._to: list[str] = []

    def _say(self, *lines: str) -> None:
        self._writer.write("".join(f"{line}\r\n" for line in lines).encode())

    async def run(self) -> None:
        self._say("220 tests")
        while line := (await self._reader.readline()).decode().strip():
            verb, _, rest = line.partition(" ")
            if not await self._command(verb.upper(), rest):
                break
        self._writer.close()

    async def _command(self, verb: str, rest: str) -> bool:
        box = self._box
        if verb == "EHLO":
            more = ["250-STARTTLS"] if box.tls is not None else []
            self._say("250-tests", *more, "250 AUTH PLAIN")
        elif verb == "STARTTLS":
            self._say("220 go on")
            await self._writer.start_tls(box.tls)  # type: ignore[arg-type]
        elif verb == "AUTH":
            _, user, password = base64.b64decode(rest.split()[1]).decode().split("\0")
            box.logins.append((user, password))
            box.encrypted.append(self._writer.get_extra_info("ssl_object") is not None)
            self._say(box.login_answer)
        elif verb == "MAIL":
            self._sender = rest[rest.index("<") + 1 : rest.index(">")]
            self._say("250 ok")
        elif verb == "RCPT":
            self._recipient(rest[rest.index("<") + 1 : rest.index(">")])
        elif verb == "DATA":
            return await self._data()
        elif verb == "QUIT":
            self._say("221 bye")
            return False
        else:
            self._to.clear()
            self._say("250 ok")
        return True

    def _recipient(self, address: str) -> None:
        refusal = self._box.refused.get(address)
        if refusal is None:
            self._to.append(address)
        self._say(refusal or "250 ok")

    async def _data(self) -> bool:
        self._say("354 go on")
        text = (await self._reader.readuntil(b"\r\n.\r\n"))[:-5].replace(b"\r\n..", b"\r\n.")
        if self._box.hang_up:
            return False
        if self._box.answer.startswith("250"):
            mail = message_from_bytes(text, policy=policy.default)
            assert isinstance(mail, EmailMessage)
            self._box.got.append((self._sender, tuple(self._to), mail))
        self._to.clear()
        self._say(self._box.answer)
        return True


@contextmanager
def mail_server(**behaviour: object) -> Iterator[MailBox]:
    """A mail server on a port of its own, in a thread of its own."""
    box = MailBox(**behaviour)  # type: ignore[arg-type]
    loop = asyncio.new_event_loop()
    started = threading.Event()

    async def serve() -> None:
        async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await _Session(box, reader, writer).run()
            except (ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
                writer.close()

        server = await asyncio.start_server(meet, "127.0.0.1", 0)
        box.port = server.sockets[0].getsockname()[1]
        started.set()
        await server.serve_forever()

    def run() -> None:
        task = loop.create_task(serve())
        ends.append(lambda: loop.call_soon_threadsafe(task.cancel))
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    ends: list[object] = []
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield box
    finally:
        ends[0]()  # type: ignore[operator]
        thread.join(10)
