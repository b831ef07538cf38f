"""Messages by mail."""

from __future__ import annotations

import asyncio
import logging
import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.sinks.base import SendFailed
from tablewright.service.kit.outbox.sinks.mail import as_mail

logger = logging.getLogger("tablewright.outbox")

_TIMEOUT_SECS = 20.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class MailServer:
    """Where mails are handed in: ``smtp[s]://user:password@host:port``."""

    host: str
    port: int
    user: str = ""
    password: str = ""
    #: Encrypted from the first byte, rather than by STARTTLS.
    tls: bool = False

    @classmethod
    def parse(cls, url: str) -> MailServer:
        parts = urlsplit(url)
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
            raise ValueError("a mail server is given as smtp://host:port or smtps://host:port")
        tls = parts.scheme == "smtps"
        port = parts.port or (465 if tls else 587)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(parts.hostname, port, user, password, tls)


class SmtpSink:
    """Mails to whom a message names, or else to the operators."""

    name = "smtp"

    def __init__(self, server: MailServer, *, sender: str, to: tuple[str, ...] = ()) -> None:
        self._server = server
        self._sender = sender
        self._to = to

    def takes(self, message: Message) -> bool:
        return bool(message.to or self._to)

    async def send(self, message: Message) -> None:
        mail = as_mail(message, self._sender, message.to or self._to)
        try:
            await asyncio.to_thread(self._deliver, mail)
        except smtplib.SMTPException as error:
            raise _failure(error) from error
        except OSError as error:
            raise SendFailed(f"the mail server cannot be reached: {error}") from error

    async def close(self) -> None:
        return

    def _deliver(self, mail: EmailMessage) -> None:
        with self._connected() as smtp:
            refused = smtp.send_message(mail)
        if refused:
            # Who got it must not get it again; addresses are not for the log.
            logger.warning("%s: %d recipients were refused", mail["Message-ID"], len(refused))

    def _connected(self) -> smtplib.SMTP:
        server = self._server
        if server.tls:
            context = ssl.create_default_context()
            smtp: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=_TIMEOUT_SECS, context=context
            )
        else:
            smtp = smtplib.SMTP(server.host, server.port, timeout=_TIMEOUT_SECS)
        try:
            self._introduce(smtp)
        except BaseException:
            smtp.close()
            raise
        return smtp

    def _introduce(self, smtp: smtplib.SMTP) -> None:
        server = self._server
        smtp.ehlo()
        encrypted = server.tls
        if not encrypted and smtp.has_extn("starttls"):
            smtp.starttls(context=ssl.create_default_context())
            smtp.ehlo()
            encrypted = True
        if server.user:
            if not encrypted and server.host not in _LOOPBACK:
                raise SendFailed("the mail server offers no encryption: no password is sent to it")
            smtp.login(server.user, server.password)


def _failure(error: smtplib.SMTPException) -> SendFailed:
    """What the server said, and whether it would say so again."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
        reason = f"all recipients were refused: {sorted(set(codes))}"
        return SendFailed(reason, permanent=all(code >= 500 for code in codes))
    if isinstance(error, smtplib.SMTPDataError):
        return SendFailed(f"the mail was refused: {error.smtp_code}", permanent=_final(error))
    # A wrong password or sender is a mistake in the settings, which somebody may put right.
    if isinstance(error, smtplib.SMTPResponseException):
        return SendFailed(f"the mail server said {error.smtp_code}")
    return SendFailed(f"the mail server failed: {type(error).__name__}")


def _final(error: smtplib.SMTPResponseException) -> bool:
    return bool(error.smtp_code >= 500)
