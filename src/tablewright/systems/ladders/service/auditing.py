"""Who did what.

An entry names people by their ids alone, so that who was erased is nobody there too. It is written
in the transaction of what it tells of.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.client import Page
from tablewright.model import Put
from tablewright.service.kit import audit
from tablewright.service.kit.audit import Actor
from tablewright.service.kit.entities import AuditEntry
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class UserActor:
    """A user as the log knows them; a sign-in's own name may be an address."""

    id: str
    kind: str


class Auditing:
    """The audit log."""

    def __init__(self, company: Company) -> None:
        self._company = company

    def noted(
        self, by: Caller | Actor, action: str, subject: str, **detail: object
    ) -> Put[AuditEntry]:
        """That somebody did something, to join its transaction.

        ``noted(by, "team.close", f"team/{team_id}")``; ids and numbers in the detail. The one text
        is why an admin reopened a plan, who was told to name nobody there.
        """
        actor = UserActor(by.user_id, by.principal.kind) if isinstance(by, Caller) else by
        return audit.record(actor, action, subject, at=self._company.now(), detail=detail)

    async def list(
        self,
        by: Caller,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        actor: str | None = None,
        subject: str | None = None,
        action: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[AuditEntry]:
        """The entries, newest first, for admins."""
        by.require("read_audit")
        now = self._company.now() + timedelta(seconds=1)
        return await audit.entries(
            self._company.db,
            until=min(until or now, now),
            since=since,
            actor=actor,
            subject=subject,
            action=action,
            limit=limit,
            cursor=cursor,
        )
