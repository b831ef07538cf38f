"""What administrators see of the outbox, and do about messages that were given up.

A message is known to them by a handle, which says when it was made and its id; what it says is
for its receivers and is not shown.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from tablewright.client import AsyncDb, Page
from tablewright.clock import Clock
from tablewright.model import Op, together
from tablewright.model.errors import NotFound, TransactionCancelled
from tablewright.service.kit import audit
from tablewright.service.kit.audit import Actor
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.moments import text_of
from tablewright.service.kit.outbox.messages import again, dead_letters, discard, sent_on
from tablewright.service.kit.patterns import message_at
from tablewright.service.problems import not_found

_HANDLE = re.compile(r"([0-9]{1,13})-([0-7][0-9A-HJKMNP-TV-Z]{25})\Z", re.ASCII)


def handle_of(entry: OutboxEntry) -> str:
    """What a message is called by those who look after it."""
    return f"{round(entry.at.timestamp() * 1000)}-{entry.message_id}"


class Letters:
    """The messages of one system, for its administrators."""

    def __init__(self, db: AsyncDb, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def dead(self, *, limit: int, cursor: str | None = None) -> Page[OutboxEntry]:
        """Messages that were given up, newest first."""
        return await self._db.run(dead_letters(), limit=limit, cursor=cursor)

    async def sent(self, day: date, *, limit: int, cursor: str | None = None) -> Page[OutboxEntry]:
        """Messages that were sent on a day, in UTC, newest first."""
        return await self._db.run(sent_on(day), limit=limit, cursor=cursor)

    async def retry(self, actor: Actor, handle: str) -> None:
        """Send a dead message after all. One transaction: the message moves; the audit entry."""
        entry = await self._dead(handle)
        await self._done(again(entry), actor, "outbox.retry", entry)

    async def discard(self, actor: Actor, handle: str) -> None:
        """Delete a dead message. One transaction: the message goes; the audit entry."""
        entry = await self._dead(handle)
        await self._done(discard(entry), actor, "outbox.discard", entry)

    async def _dead(self, handle: str) -> OutboxEntry:
        found = _HANDLE.match(handle)
        if found is None:
            raise not_found("dead message")
        at = text_of(datetime.fromtimestamp(int(found[1]) / 1000, UTC))
        entry = await self._db.run(message_at("DEAD", f"{at}#{found[2]}"))
        if entry is None:
            raise not_found("dead message")
        return entry

    async def _done(self, op: Op[object], actor: Actor, action: str, entry: OutboxEntry) -> None:
        noted = audit.record(
            actor,
            action,
            f"message/{entry.message_id}",
            at=self._clock.now(),
            detail={"kind": entry.kind},
        )
        try:
            await self._db.run(together(op, noted))
        except TransactionCancelled as cancelled:
            # Both acts want the message to be there: somebody else was quicker.
            if not any(isinstance(each.error, NotFound) for each in cancelled.failures):
                raise
            raise not_found("dead message") from cancelled
