"""Who is notified of something: counted from the messages that are really queued.

A page that says "2 members were notified by email" takes the sentence from here, with the messages
that joined the transaction, and so cannot claim more than was done.
"""

from __future__ import annotations

from collections.abc import Iterable

from tablewright.model import Put
from tablewright.service.kit.entities import OutboxEntry

__all__ = ["recipients_of", "summarize_recipients"]


def recipients_of(messages: Iterable[OutboxEntry | Put[OutboxEntry]]) -> frozenset[str]:
    """Return everybody the messages are addressed to, by address or by person, each once."""
    found: set[str] = set()
    for message in messages:
        body = (message if isinstance(message, OutboxEntry) else message.entity).body
        for field in ("to", "person"):
            value = body.get(field)
            values = value if isinstance(value, list) else [value]
            found.update(each for each in values if isinstance(each, str) and each)
    return frozenset(found)


def summarize_recipients(
    messages: Iterable[OutboxEntry | Put[OutboxEntry]], singular: str = "person", plural: str = ""
) -> str:
    """Say how many people the messages are addressed to: ``2 members are notified by email.``"""
    count = len(recipients_of(messages))
    if not count:
        return "Nobody is notified."
    noun = (
        singular if count == 1 else plural or ("people" if singular == "person" else f"{singular}s")
    )
    return f"{count} {noun} {'is' if count == 1 else 'are'} notified by email."
