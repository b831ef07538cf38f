"""Who did what, newest first."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from pydantic import JsonValue
from starlette.responses import Response

from tablewright.service.email_addresses import EmailError, comparison_key, parse_email
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.api.callers import caller_of
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.audit_words import ACTIONS, closed_to, things_of
from tablewright.systems.ladders.pages.framing import shown
from tablewright.systems.ladders.pages.names import Names, names_of
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_LISTED: Final = 50
_WORD: Final = re.compile(r"[a-z][a-z-]*(\.[a-z-]+)*")
#: Members of an entry that name people.
_PEOPLE: Final = frozenset(("member", "members", "user", "old", "new", "by"))
_PAGES: Final[Mapping[str, Callable[[str], str]]] = {
    "user": paths.user_path,
    "team": paths.team_path,
    "plan": paths.plan_path,
    "assessment": paths.assessment_path,
    "report": paths.report_path,
    "config": paths.version_path,
}


@dataclass(frozen=True)
class Said:
    """Something that an entry says beside what was done."""

    name: str
    text: str
    path: str = ""


@dataclass(frozen=True)
class AuditLine:
    """An entry, as people read it."""

    entry: AuditEntry
    actor: str
    actor_path: str
    subject: str
    path: str
    said: list[Said]

    @property
    def action(self) -> str:
        return ACTIONS.get(self.entry.action, self.entry.action)


def line_of(entry: AuditEntry, names: Names, closed: frozenset[str] = frozenset()) -> AuditLine:
    """Its subject is ``team/…``; people and things are called by name as long as they have one.

    ``closed`` are those that the reader may not open: they have no link.
    """
    kind, thing = _subject(entry)
    known = entry.actor in names.known
    return AuditLine(
        entry,
        names.doer(entry.actor) if ids.is_uuid(entry.actor) else entry.actor,
        paths.user_path(entry.actor) if known else "",
        _called(entry, names),
        _PAGES[kind](thing) if kind in _PAGES and _opens(thing, closed) else "",
        [_said(name, value, names) for name, value in _told(entry.detail) if name != "action_id"],
    )


def _opens(thing: str, closed: frozenset[str]) -> bool:
    return ids.is_uuid(thing) and thing not in closed


def _subject(entry: AuditEntry) -> tuple[str, str]:
    kind, _, rest = entry.subject.partition("/")
    return kind, rest.partition("/")[0]


def _called(entry: AuditEntry, names: Names) -> str:
    kind, thing = _subject(entry)
    if kind == "config" and isinstance(version := entry.detail.get("version"), str):
        return f"Ladder {version}"
    return names.known.get(thing) or f"{kind.capitalize()} {_short(thing)}"


def people_in(entry: AuditEntry) -> Iterator[str]:
    """The ids of whom an entry may speak."""
    found: list[JsonValue] = [entry.actor, entry.subject.partition("/")[2]]
    for name, value in _told(entry.detail):
        if name in _PEOPLE:
            found += value if isinstance(value, list) else [value]
    yield from (each for each in found if isinstance(each, str) and ids.is_uuid(each))


def things_in(entry: AuditEntry) -> Iterator[tuple[str, str]]:
    """Of what else it may speak: ``("plan", id)``."""
    found: list[tuple[str, JsonValue]] = [_subject(entry), *_told(entry.detail)]
    for name, value in found:
        kind = name.removesuffix("_id")
        if kind in _PAGES and kind != "user" and isinstance(value, str) and ids.is_uuid(value):
            yield kind, value


def _told(detail: Mapping[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    yield from (
        (name, value) for name, value in detail.items() if value not in (None, False, "", [])
    )


def _said(name: str, value: JsonValue, names: Names) -> Said:
    title = name.removesuffix("_id").replace("_", " ")
    if isinstance(value, list):
        return Said(title, ", ".join(_plain(each, names) for each in value) or "none")
    return Said(title, _plain(value, names), _page_of(title, value, names))


def _page_of(title: str, value: JsonValue, names: Names) -> str:
    """The page about what an entry speaks of, if it has one."""
    if not isinstance(value, str) or not ids.is_uuid(value):
        return ""
    if title in _PAGES:
        return _PAGES[title](value)
    return paths.user_path(value) if value in names.known else ""


def _plain(value: JsonValue, names: Names) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return names.of(value) if value in names.known else _short(value)


def _short(text: str) -> str:
    """Ids by their first figures."""
    return text[:8] if ids.is_uuid(text) else text


def _span(day: str) -> tuple[datetime | None, datetime | None]:
    """A day in UTC; without one, everything there is."""
    try:
        start = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)
        return start, start + timedelta(days=1)
    except (ValueError, OverflowError):
        return None, None


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/admin/audit")
    caller = Depends(caller_of(company))

    async def somebody(said: str) -> str | None:
        """Whose address or id it is; whoever is nobody has done nothing."""
        try:
            lock = await company.db.run(reads.email_lock(comparison_key(parse_email(said))))
        except EmailError:
            return said.strip() or None
        return said if lock is None else lock.owner_id

    @routes.get("")
    async def entries(
        request: Request,
        day: str = "",
        action: str = "",
        actor: str = "",
        cursor: str | None = None,
        by: Caller = caller,
    ) -> Response:
        since, until = _span(day)
        page = await company.auditing.list(
            by,
            since=since,
            until=until,
            actor=await somebody(actor),
            action=action if _WORD.fullmatch(action) else None,
            limit=_LISTED,
            cursor=cursor,
        )
        people = await names_of(company, (each for entry in page for each in people_in(entry)))
        spoken_of = {each for entry in page for each in things_in(entry)}
        things = await things_of(company, spoken_of)
        closed = await closed_to(company, by, spoken_of)
        names = Names({**things, **people.known})
        more = with_query(paths.AUDIT, day=day, action=action, actor=actor, cursor=page.cursor)
        return shown(
            pages,
            request,
            "ladders/audit.html",
            by,
            lines=[line_of(each, names, closed) for each in page],
            more=more if page.cursor else "",
            chosen={"day": day, "action": action, "actor": actor},
            actions=[("", "Anything"), *ACTIONS.items()],
            filtered=bool(day or action or actor),
            path=paths.AUDIT,
        )

    return routes
