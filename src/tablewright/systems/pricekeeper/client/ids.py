"""Request ids whose order is the order of time.

Rows of the ledger that follow one another then lie side by side, which a database writes faster.
"""

from __future__ import annotations

import time

from tablewright.systems.pricekeeper.rules.uuids import uuid7


def new_request_id(now: float | None = None) -> str:
    """A UUID of version 7."""
    return uuid7(time.time() if now is None else now)
