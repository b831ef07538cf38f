"""Who did what at an event, newest first."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from pydantic import JsonValue
from starlette.responses import Response

from tablewright.service.kit.entities import AuditEntry
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.pages import writing
from tablewright.systems.kurukshetra.pages.asking import day_of
from tablewright.systems.kurukshetra.pages.backstage import (
    AUDITORS,
    READS_PAYMENTS,
    Backstage,
    tab_path,
)
from tablewright.systems.kurukshetra.pages.paths import payment_path, person_path, run_team_path
from tablewright.systems.kurukshetra.rules.local_time import end_of, start_of
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

TAB: Final = "Audit"
_LISTED: Final = 50


#: Members of an entry that are the ids of things with a page of their own.
_THINGS: Final = {"team_id": "team", "payment_id": "payment", "participant_id": "participant"}
_LONG_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}")


@dataclass(frozen=True)
class Said:
    """Something that an entry says beside what was done."""

    name: str
    text: str
    #: The page about it, if the reader may see one.
    path: str = ""


@dataclass(frozen=True)
class AuditLine:
    """An entry, as people read it."""

    entry: AuditEntry
    #: What it was done to; "" is the event itself.
    subject: str
    path: str
    said: list[Said]


def line_of(by: Caller, entry: AuditEntry, currency: str) -> AuditLine:
    """Its subject is ``event/…/team/…`` for a team; of an event alone there is nothing to say."""
    parts = entry.subject.split("/")
    kind, thing = (parts[2], parts[3]) if len(parts) > 3 else ("", "")
    subject = f"{kind} {short(thing)}".strip()
    return AuditLine(entry, subject, path_of(by, kind, thing), said_of(by, entry.detail, currency))


def said_of(by: Caller, detail: Mapping[str, JsonValue], currency: str) -> list[Said]:
    return [
        Said(
            name.removesuffix("_id").replace("_", " "),
            amount(value, currency) if name == "amount" else short(plain(value)),
            path_of(by, _THINGS.get(name, ""), plain(value)),
        )
        for name, value in detail.items()
        if value not in (None, "", [])
    ]


def amount(value: JsonValue, currency: str) -> str:
    """Money is kept in its smallest unit, and read in its own."""
    return writing.money(value, currency) if isinstance(value, int) else plain(value)


def path_of(by: Caller, kind: str, thing: str) -> str:
    if kind == "team":
        return run_team_path(by.event_id, thing)
    if kind == "participant":
        return person_path(by.event_id, thing)
    if kind == "payment" and by.has(*READS_PAYMENTS):
        return payment_path(by.event_id, thing)
    return ""


def short(text: str) -> str:
    """Ids by their first figures."""
    return text[:8] if _LONG_ID.fullmatch(text) else text


def plain(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(short(str(each)) for each in value)
    return json.dumps(value, ensure_ascii=False)


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/audit")
    reader = Depends(role_of(festival, *AUDITORS))
    backstage = Backstage(festival, pages)

    async def span(event_id: str, day: str) -> tuple[datetime | None, datetime | None]:
        """A day at the event's place; without one, everything there is."""
        found = day_of(day)
        if found is None:
            return None, None
        zone = (await festival.events.config(event_id)).zone
        return start_of(found, zone), end_of(found, zone)

    @routes.get("")
    async def entries(
        request: Request,
        day: str = "",
        action: str = "",
        cursor: str | None = None,
        by: Caller = reader,
    ) -> Response:
        since, until = await span(by.event_id, day)
        page = await festival.auditing.list(
            by, since=since, until=until, action=action or None, limit=_LISTED, cursor=cursor
        )
        currency = (await festival.events.config(by.event_id)).currency
        here = tab_path(by.event_id, TAB)
        more = with_query(here, day=day, action=action, cursor=page.cursor)
        return await backstage.shown(
            request,
            "kurukshetra/audit.html",
            by,
            TAB,
            lines=[line_of(by, each, currency) for each in page],
            more=more if page.cursor else "",
            day=day,
            action=action,
            path=here,
        )

    return routes
