"""The sinks that the settings ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.clock import Clock
from tablewright.service.kit.outbox.sinks.base import Sink
from tablewright.service.kit.outbox.sinks.files import ConsoleSink, FileSink
from tablewright.service.kit.outbox.sinks.smtp import MailServer, SmtpSink
from tablewright.service.kit.outbox.sinks.webhook import WebhookSink
from tablewright.service.loading import SettingsError

if TYPE_CHECKING:
    from tablewright.service.settings import Settings


def sinks_of(settings: Settings, clock: Clock) -> list[Sink]:
    """All that are configured; a file in the data folder, or else the log, if none is."""
    sinks: list[Sink] = []
    if settings.smtp_url is not None:
        server = _mail_server(settings.smtp_url.get_secret_value())
        sinks.append(SmtpSink(server, sender=settings.smtp_from, to=settings.smtp_to))
    if settings.webhook_url is not None and settings.webhook_secret is not None:
        secret = settings.webhook_secret.get_secret_value()
        sinks.append(WebhookSink(settings.webhook_url, secret, clock))
    file = settings.outbox_file
    if file is None and not sinks:
        file = _own_file(settings)
    if file is not None:
        sinks.append(FileSink(file, sender=settings.smtp_from))
    return sinks or [ConsoleSink()]


def mail_folder(settings: Settings) -> Path | None:
    """The folder where copies of mails lie if no mail server is set, or none was before."""
    file = settings.outbox_file or _own_file(settings)
    return None if file is None else file.parent


def _own_file(settings: Settings) -> Path | None:
    return None if settings.data is None else Path(settings.data) / "outbox" / "messages.jsonl"


def _mail_server(url: str) -> MailServer:
    try:
        return MailServer.parse(url)
    except ValueError as error:
        # Not the address itself: it may hold a password.
        raise SettingsError(f"TABLEWRIGHT_SMTP_URL, or smtp_url in [service]: {error}") from None
