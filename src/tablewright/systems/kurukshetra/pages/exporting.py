"""Exports: masked for everybody who may have them, in full for a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem
from tablewright.service.streaming import begun
from tablewright.systems.kurukshetra.api.admin import EXPORTS, export_response
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.pages.backstage import LISTS, STAFF, Backstage, Roles
from tablewright.systems.kurukshetra.pages.paths import admin_path
from tablewright.systems.kurukshetra.people import RoleName
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.exports import ROLES, ExportKind
from tablewright.systems.kurukshetra.service.spreadsheets import FileFormat

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: What there is, and for whom.
KINDS: Final[tuple[tuple[ExportKind, str, tuple[RoleName, ...]], ...]] = (
    ("registrations", "Registrations: people, answers and teams", ROLES["registrations"]),
    ("teams", "Teams: state, leader, size, repository", ROLES["teams"]),
    ("payments", "Payments: amounts, states, ids of the gateway", ROLES["payments"]),
    ("refunds", "Refunds: amounts, states, reasons", ROLES["refunds"]),
)
FORMATS: Final[tuple[tuple[FileFormat, str], ...]] = (
    ("xlsx", "Excel workbook (XLSX)"),
    ("csv", "CSV, for other programs"),
)


def kinds_for(by: Roles) -> list[tuple[ExportKind, str]]:
    return [(kind, title) for kind, title, roles in KINDS if by.has(*roles)]


def kind_of(values: Typed, by: Roles) -> ExportKind:
    allowed = [kind for kind, _ in kinds_for(by)]
    return next((each for each in allowed if each == values.get("kind")), allowed[0])


def at_its_field(problem: Problem) -> Problem:
    """What is wrong with an export in full stands where it was asked for."""
    if problem.code == "MASKED_ONLY":
        errors = [FieldError("body.full", problem.detail)]
    else:
        errors = [FieldError(f"body.{each.field}", each.message) for each in problem.errors]
    return Problem(problem.status, problem.code, problem.detail, errors=errors)


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/export")
    staff = Depends(role_of(festival, *STAFF))
    backstage = Backstage(festival, pages)

    async def page(request: Request, by: Caller, kind: str, **context: object) -> Response:
        return await backstage.shown(
            request,
            "kurukshetra/export.html",
            by,
            "Registrations" if by.has(*LISTS) else "Payments",
            heading="Export",
            kinds=kinds_for(by),
            kind=kind,
            formats=FORMATS,
            whole=by.has("organizer"),
            production=festival.options.production,
            path=admin_path(by.event_id, "/export"),
            **context,
        )

    @routes.get("")
    async def form(request: Request, kind: str = "", by: Caller = staff) -> Response:
        return await page(request, by, kind_of({"kind": kind}, by))

    @routes.post("")
    async def export(request: Request, by: Caller = staff) -> Response:
        values = await typed(request)
        kind = kind_of(values, by)
        file_format: FileFormat = "xlsx" if values.get("format") == "xlsx" else "csv"
        full, reason = values.get("full") == "1", values.get("reason") or None
        try:
            await festival.runtime.limits.check("exports", by.uid_hash, EXPORTS)
            pieces = await festival.exports.file(by, kind, file_format, full=full, reason=reason)
        except Problem as problem:
            if problem.code not in ("MASKED_ONLY", "INVALID", "RATE_LIMITED"):
                raise
            return await page(request, by, kind, problem=at_its_field(problem), values=values)
        return export_response(by, kind, file_format, await begun(pieces))

    return routes
