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
    if file is None and not sinks and settings.data is not None:
        file = Path(settings.data) / "outbox" / "messages.jsonl"
    if file is not None:
        sinks.append(FileSink(file, sender=settings.smtp_from))
    return sinks or [ConsoleSink()]


def _mail_server(url: str) -> MailServer:
    try:
        return MailServer.parse(url)
    except ValueError as error:
        # Not the address itself: it may hold a password.
        raise SettingsError(f"TABLEWRIGHT_SMTP_URL, or smtp_url in [service]: {error}") from None
