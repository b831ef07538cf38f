"""What a scan says, as far as ticket, event, list and version tell; payment and nonce come after.

Doors that work offline send their scans later, each with the time it was made: the earliest of a
person and a list is the one that counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from tablewright.systems.kurukshetra.tickets.token import Ticket

Refused: TypeAlias = Literal["invalid", "wrong_event", "wrong_list", "revoked"]


@dataclass(frozen=True, slots=True)
class Scanned:
    """A scan that a door has made."""

    nonce: str
    text: str
    list_id: str
    at: datetime


def refused(
    ticket: Ticket | None, event_id: str, list_id: str, lists: Collection[str]
) -> Refused | None:
    """Why a door does not take a ticket, without asking anybody."""
    if ticket is None:
        return "invalid"
    if ticket.event_id != event_id:
        return "wrong_event"
    return None if list_id in lists else "wrong_list"


def is_current(ticket: Ticket, version: int | None) -> bool:
    """Whether a ticket is the participant's last one; who was erased has none."""
    return ticket.version == version


def in_order(scans: Iterable[Scanned]) -> list[Scanned]:
    """A batch in the order in which it counts, the same whatever order it arrives in."""
    return sorted(scans, key=lambda scan: (scan.at, scan.nonce))
