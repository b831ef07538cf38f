"""Names, moments and texts that are made up, and the same every time."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, date, datetime
from typing import TypeVar

from tablewright.systems.kurukshetra.base import Changing

C = TypeVar("C", bound=Changing)

MAIN, SMALL = "kurukshetra-2026", "kurukshetra-mini"
NOW = datetime(2026, 11, 15, 6, 30, tzinfo=UTC)
TODAY = date(2026, 11, 15)
OPENED = datetime(2026, 11, 1, 4, 30, tzinfo=UTC)
FEE = 99900


def uuid(kind: int, number: int) -> str:
    """An id that is the same every time: 1 a person, 2 a team, 3 a payment, 4 a refund."""
    return f"{kind:08x}-0000-4000-8000-{number:012x}"


def blind(text: str) -> str:
    """What stands for a blind index here."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def sealed(text: str) -> str:
    """What stands for an encrypted text here: as long as one, and not secret at all."""
    salt = hashlib.blake2b(text.encode(), digest_size=12 + 16).digest()
    return "v1.k1." + base64.urlsafe_b64encode(salt + text.encode()).decode().rstrip("=")


def stored(entity: C) -> C:
    """An item as it is after it was stored once."""
    return entity.model_copy(update={"version": 1})
