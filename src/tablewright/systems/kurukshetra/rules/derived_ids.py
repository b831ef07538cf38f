"""Ids that follow from something else, so that whoever makes them makes the same."""

from __future__ import annotations

import hashlib
from datetime import datetime
from uuid import UUID

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def uuid_of(*parts: str) -> str:
    """An id in the form of a random one."""
    return str(UUID(bytes=_digest(parts)[:16], version=4))


def ulid_of(at: datetime, *parts: str) -> str:
    """An id that begins with its time, like those that are drawn."""
    value = int(at.timestamp() * 1000) << 80 | int.from_bytes(_digest(parts)[:10], "big")
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))


def _digest(parts: tuple[str, ...]) -> bytes:
    # With their lengths: ("ab", "c") is not ("a", "bc").
    text = "".join(f"{len(each)}:{each}" for each in parts)
    return hashlib.sha256(text.encode()).digest()
