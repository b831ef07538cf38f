"""The outbox, and the mails that leave it where there is no mail server."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from tablewright.service.kit.entities import OUTBOX_SLOTS, OutboxEntry
from tablewright.service.kit.outbox.dispatch import worker as outbox_worker
from tablewright.service.kit.patterns import messages_in
from tablewright.service.settings import Settings
from tablewright.service.workers import run_once
from tablewright.systems.kurukshetra.service.festival import Festival


async def waiting(festival: Festival, kind: str = "") -> list[OutboxEntry]:
    """Messages that have not been sent, in the order in which they were written."""
    found: list[OutboxEntry] = []
    for slot in range(OUTBOX_SLOTS):
        found += [each async for each in festival.db.iterate(messages_in(f"PENDING#{slot:02d}"))]
    wanted = [each for each in found if each.kind.startswith(kind)]
    return sorted(wanted, key=lambda each: (each.at, each.message_id))


async def send(festival: Festival, data: Path) -> None:
    """What the outbox does with what is due."""
    runtime = replace(festival.runtime, settings=Settings(data=data))
    await run_once(outbox_worker(runtime, (), festival.messages.address_of))


def mails(data: Path) -> Iterable[EmailMessage]:
    """What arrived, in no order."""
    for file in sorted((data / "outbox").glob("*.eml")):
        yield message_from_bytes(file.read_bytes(), policy=policy.default)  # type: ignore[misc]


def received(data: Path) -> list[tuple[str, str]]:
    """Who got what."""
    return sorted((str(mail["To"]), str(mail["Subject"]).strip()) for mail in mails(data))
