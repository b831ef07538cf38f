"""Who did what: the audit log, day by day."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from pydantic import JsonValue
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.bodies import iso
from tablewright.systems.pricekeeper.pages.paths import BASE, model_path, scope_path
from tablewright.systems.pricekeeper.rules.ids import read_client_id
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
            lines=[await line_of(keeper, each) for each in page],
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


@dataclass(frozen=True)
class AuditLine:
    """An entry, as people read it."""

    entry: AuditEntry
    #: What it was done to, by name where there is one.
    subject: str
    #: The page about that; "" if there is none.
    path: str

    @property
    def detail(self) -> list[str]:
        return detail_texts(self.entry.detail)


async def line_of(keeper: Keeper, entry: AuditEntry) -> AuditLine:
    """An entry with the names of what it is about."""
    kind, _, rest = entry.subject.partition("/")
    if kind == "org":
        org_id, _, app_id = rest.partition("/app/")
        path = scope_path(org_id, app_id or None)
        return AuditLine(entry, await _name(keeper, org_id, app_id), path)
    if kind == "client" and (client := read_client_id(rest)) is not None:
        name = await _name(keeper, client.org_id, client.app_id or "")
        path = with_query(f"{BASE}/access", org=client.org_id)
        return AuditLine(entry, f"client of {name}", path)
    if kind == "price":
        return AuditLine(entry, rest, model_path(rest))
    return AuditLine(entry, entry.subject.replace("/", " "), "")


async def _name(keeper: Keeper, org_id: str, app_id: str) -> str:
    org = await keeper.directory.org(org_id)
    name = org.org_name if org else org_id
    return f"{name}, {app_id}" if app_id else name


def detail_texts(detail: Mapping[str, JsonValue]) -> list[str]:
    """What an entry says beside that: a line each, changes as from and to."""
    changed = detail.get("changed")
    rest = {name: value for name, value in detail.items() if name != "changed"}
    found = [
        f"{_words(name)}: {_plain(value)}" for name, value in rest.items() if value is not None
    ]
    if isinstance(changed, dict):
        found += [
            f"{_words(name)}: {_plain(pair[0])} → {_plain(pair[1])}"
            for name, pair in changed.items()
            if isinstance(pair, list) and len(pair) == 2
        ]
    return found


def _words(name: str) -> str:
    return name.replace("_", " ")


def _plain(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
