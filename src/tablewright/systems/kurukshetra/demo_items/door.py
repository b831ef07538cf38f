"""What happens at the door, and what people take home."""

from __future__ import annotations

from datetime import timedelta

from tablewright.systems.kurukshetra.demo_items.made_up import MAIN, NOW, blind, sealed, uuid
from tablewright.systems.kurukshetra.demo_items.people import first_name
from tablewright.systems.kurukshetra.people import Certificate, CheckIn, Scan


def scan(nonce: str, number: int, minutes: int = 0) -> Scan:
    at = NOW + timedelta(minutes=minutes)
    return Scan(
        event_id=MAIN,
        nonce=nonce,
        list_id="entry",
        participant_id=uuid(1, number),
        result="ok",
        at=at,
        by=blind("user-90"),
        ttl=at + timedelta(days=7),
        created_at=at,
    )


def checkin(number: int, nonce: str = "nonce-0001", minutes: int = 0) -> CheckIn:
    return CheckIn(
        event_id=MAIN,
        participant_id=uuid(1, number),
        list_id="entry",
        at=NOW + timedelta(minutes=minutes),
        by=blind("user-90"),
        nonce=nonce,
        created_at=NOW,
    )


def certificate(code: str, number: int) -> Certificate:
    return Certificate(
        code=code,
        event_id=MAIN,
        participant_id=uuid(1, number),
        kind="participation",
        name=sealed(first_name(number)),
        created_at=NOW,
        updated_at=NOW,
    )
