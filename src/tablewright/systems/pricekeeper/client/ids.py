"""Request ids whose order is the order of time: UUIDs of version 7.

Rows of the ledger that follow one another then lie side by side, which a database writes faster.
"""

from __future__ import annotations

import os
import time
from uuid import UUID


def new_request_id(now: float | None = None) -> str:
    """48 bits of milliseconds, then 74 random ones."""
    millis = int((time.time() if now is None else now) * 1000)
    noise = int.from_bytes(os.urandom(10), "big")
    value = (millis & 0xFFFF_FFFF_FFFF) << 80 | noise
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(UUID(int=value))
