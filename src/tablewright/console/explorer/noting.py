"""That somebody reads live items, for the audit log: what they ask for, never a value of it.

The entry is written before anything is read: what cannot be noted is not shown.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from tablewright.console.tools import Tools
from tablewright.service.auth import Principal
from tablewright.service.kit import audit

#: What an entry says that somebody did.
ACTION = "explorer.read"

#: Told ``table/...`` or ``pattern/...``, and how it is read.
Note: TypeAlias = Callable[[str, str], Awaitable[None]]


async def unnoted(subject: str, way: str) -> None:
    """For tables that are nobody's."""


def note_of(tools: Tools, who: Principal) -> Note:
    """Writes down that ``who`` reads, where what is read there goes into the audit log."""
    runtime = tools.runtime

    async def note(subject: str, way: str) -> None:
        now = runtime.clock.now()
        await runtime.db.run(audit.record(who, ACTION, subject, at=now, detail={"by": way}))

    return note if tools.audited else unnoted
