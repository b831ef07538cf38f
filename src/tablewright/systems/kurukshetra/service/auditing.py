"""Who did what at an event.

Every entry is about a subject ``event/<event>/…``, or a participant or a job of the event, so that
it is known whose it is. The log is one for all events and is looked through for one of them: a page
may be short, and another follows it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.client import Page
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.systems.kurukshetra.rules.retention import BOOKS
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Entries that are read at once, and how often for one page.
_PAGE, _MOST_PAGES = 100, 20
#: Subjects that say their event; keys and messages are of all events together.
_KINDS = ("event", "participant", "job")


class Auditing:
    """The log of an event."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def list(
        self,
        by: Caller,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        action: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[AuditEntry]:
        """The entries of the event, newest first. For auditors, organisers and administrators."""
        by.require("auditor", "organizer")
        # Months in which there can be nothing, or nothing any more, are not looked through.
        now = self._festival.now() + timedelta(seconds=1)
        made = (await self._festival.events.config(by.event_id)).created_at
        before, since = min(until or now, now), max(since or made, made, now - BOOKS)
        found: list[AuditEntry] = []
        for _ in range(_MOST_PAGES):
            # No more are read than are wanted: a cursor stands behind the last one that was read.
            page = await audit.entries(
                self._festival.db,
                until=before,
                since=since,
                action=action,
                limit=min(_PAGE, max(limit - len(found), 1)),
                cursor=cursor,
            )
            found += [each for each in page if event_of(each.subject) == by.event_id]
            cursor = page.cursor
            if cursor is None or len(found) >= limit:
                break
        return Page(tuple(found), cursor)


def event_of(subject: str) -> str | None:
    """The event that an entry is about: ``event/kurukshetra-2026/team/7f3c…``."""
    kind, _, rest = subject.partition("/")
    return rest.partition("/")[0] if kind in _KINDS else None
