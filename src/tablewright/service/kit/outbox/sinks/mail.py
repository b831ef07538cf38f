"""A message as a mail."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import format_datetime

from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.sinks.base import SendFailed

#: One address and nothing else: neither another one, nor a name, nor a line break.
_ADDRESS = re.compile(r"[^\s,;:<>@\"()]{1,64}@[^\s,;:<>@\"()]{1,255}\Z")


def as_mail(message: Message, sender: str, to: Sequence[str]) -> EmailMessage:
    """The mail; :class:`SendFailed` if an address is none."""
    if any(_ADDRESS.match(each) is None for each in to):
        raise SendFailed("not a mail: an address is none", permanent=True)
    mail = EmailMessage()
    try:
        mail["From"] = sender
        mail["To"] = ", ".join(to)
        mail["Subject"] = message.title
        reply_to = message.body.get("reply_to")
        if isinstance(reply_to, str) and _ADDRESS.match(reply_to):
            mail["Reply-To"] = reply_to
        mail["Date"] = format_datetime(message.at)
        # The same for every attempt, so that mail servers know a repetition.
        mail["Message-ID"] = f"<{message.id}@{message.system}.tablewright>"
        mail["Auto-Submitted"] = "auto-generated"
        mail["X-Tablewright-Kind"] = message.kind
    except ValueError as error:
        raise SendFailed(f"not a mail: {error}", permanent=True) from error
    mail.set_content(message.text)
    html = message.body.get("html")
    if isinstance(html, str):
        mail.add_alternative(html, subtype="html")
    return mail
