"""``/audit``: who did what."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query

from tablewright.service.kit import audit
from tablewright.service.kit.audit_bodies import AuditOut, audit_out
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.systems.pricekeeper.bodies import iso
from tablewright.systems.pricekeeper.bodies.fields import MomentText

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

Actor = Annotated[str | None, Query(min_length=1, max_length=200, description="Who did it, by id.")]
Subject = Annotated[
    str | None,
    Query(min_length=1, max_length=200, description="What it was done to: `label/premium`, …"),
]
Action = Annotated[
    str | None, Query(min_length=1, max_length=200, description="What was done: `label.put`, …")
]
Since = Annotated[MomentText | None, Query(description="The first moment. Absent: all kept.")]
Until = Annotated[MomentText | None, Query(description="The moment before which. Absent: now.")]


def router(keeper: Keeper) -> APIRouter:
    """The route of the audit log, for administrators and auditors."""
    reader = Depends(keeper.runtime.auth.require("admin", "auditor"))
    routes = APIRouter(prefix="/api/v1", tags=["audit"], dependencies=[reader])

    @routes.get("/audit")
    async def list_audit_entries(
        paging: Paging,
        actor: Actor = None,
        subject: Subject = None,
        action: Action = None,
        since: Since = None,
        until: Until = None,
    ) -> PageBody[AuditOut]:
        """What administrators and clients have done, newest first."""
        first, last = _span(keeper.clock.now(), since, until)
        page = await audit.entries(
            keeper.db,
            since=first,
            until=last,
            limit=paging.limit,
            cursor=paging.cursor,
            actor=actor,
            subject=subject,
            action=action,
        )
        return page_body(page, [audit_out(entry) for entry in page])

    return routes


def _span(now: float, since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
    """Nothing is kept longer and nothing lies ahead: nobody makes us look for it."""
    latest = iso(now) + timedelta(seconds=1)
    earliest = latest - audit.KEPT
    last = latest if until is None else min(until, latest)
    return max(since or earliest, earliest), max(last, earliest)
