"""UUIDs of version 7: their order is the order of time, and they tell when they were made."""

from __future__ import annotations

import os
from uuid import UUID

_VERSION, _VARIANT = 0x7 << 76, 0x2 << 62
_NOISE = (1 << 80) - 1 ^ 0xF << 76 ^ 0x3 << 62


def uuid7(now: float) -> str:
    """48 bits of milliseconds, then 74 random ones."""
    noise = int.from_bytes(os.urandom(10), "big") & _NOISE
    millis = int(now * 1000) & 0xFFFF_FFFF_FFFF
    return str(UUID(int=millis << 80 | _VERSION | _VARIANT | noise))


def made_at(uuid: str) -> float | None:
    """When a UUID was made, in seconds since 1970; None unless it is of version 7."""
    return int(uuid[:8] + uuid[9:13], 16) / 1000 if uuid[14] == "7" else None
