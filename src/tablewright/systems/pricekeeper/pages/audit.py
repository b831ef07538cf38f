"""Who did what: the audit log, day by day."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.bodies import iso
from tablewright.systems.pricekeeper.pages.paths import BASE, scope_path, with_query
from tablewright.systems.pricekeeper.rules.periods import read_day

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_LISTED = 50


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter()
    reader = Depends(keeper.runtime.auth.require("admin", "auditor"))

    @routes.get("/audit")
    async def entries(
        request: Request,
        day: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        subject: str | None = None,
        cursor: str | None = None,
        who: Principal = reader,
    ) -> Response:
        since, until = _span(keeper.clock.now(), day)
        wanted = {"actor": actor or None, "action": action or None, "subject": subject or None}
        page = await audit.entries(
            keeper.db, since=since, until=until, limit=_LISTED, cursor=cursor, **wanted
        )
        more = with_query(f"{BASE}/audit", day=day, cursor=page.cursor, **wanted)
        return pages.render(
            request,
            "pricekeeper/audit.html",
            entries=[(each, path_of(each), _detail(each)) for each in page],
            more=more if page.cursor else "",
            day=day or "",
            wanted=wanted,
        )

    return routes


def _span(now: float, day: str | None) -> tuple[datetime, datetime]:
    """A day in UTC; without one, everything there is."""
    latest = iso(now) + timedelta(seconds=1)
    if not day:
        return latest - audit.KEPT, latest
    found = read_day(day)
    if found is None:
        raise Problem(400, "BAD_DATE", "A day is written 2026-11-15.")
    start = datetime.strptime(found, "%Y%m%d").replace(tzinfo=UTC)
    earliest = latest - audit.KEPT
    return max(start, earliest), max(min(start + timedelta(days=1), latest), earliest)


def path_of(entry: AuditEntry) -> str:
    """The page about what an entry is about; "" if there is none."""
    kind, _, rest = entry.subject.partition("/")
    if kind != "org":
        return ""
    org_id, _, app_id = rest.partition("/app/")
    return scope_path(org_id, app_id or None)


def _detail(entry: AuditEntry) -> str:
    return json.dumps(entry.detail, indent=2, ensure_ascii=False) if entry.detail else ""
