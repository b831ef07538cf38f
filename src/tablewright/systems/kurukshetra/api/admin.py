"""Registrations, payments, statistics, the audit log and exports, for who runs an event."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from tablewright.service.bodies import Day, Seconds
from tablewright.service.kit.audit_bodies import AuditOut, audit_out
from tablewright.service.limits import Rate
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import Responses, refusals
from tablewright.service.streaming import begun
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.bodies.admin import (
    PaymentLineOut,
    RegisteredOut,
    StatisticsOut,
    payment_line_out,
    registered_out,
    statistics_out,
)
from tablewright.systems.kurukshetra.fields import PaymentStatus, TeamStatus
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.exports import ExportKind
from tablewright.systems.kurukshetra.service.lists import Wanted
from tablewright.systems.kurukshetra.service.spreadsheets import MEDIA_TYPES, FileFormat

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Each may read twenty thousand people.
EXPORTS = Rate(20)
_LIST: Responses = refusals(403, 404, {400: "`BAD_CURSOR`."})
_SAVED: Final[dict[str, Any]] = {
    "Content-Disposition": {"required": True, "schema": {"type": "string"}}
}
_REFUSED: Responses = refusals(
    404, 429, {403: "Not for this role; `MASKED_ONLY` outside production."}
)
_FILE: Responses = {
    200: {
        "description": "CSV; a cell that a spreadsheet would take for a formula has a ' before it. "
        "Amounts are in the major unit, times by the event's clock.",
        "content": {"text/csv": {"schema": {"type": "string"}}},
        "headers": _SAVED,
    },
    **_REFUSED,
}
_WORKBOOK: Responses = {
    200: {
        "description": "An Excel workbook with one sheet. No cell is a formula.",
        "content": {MEDIA_TYPES["xlsx"]: {"schema": {"type": "string", "format": "binary"}}},
        "headers": _SAVED,
    },
    **_REFUSED,
}

Since: TypeAlias = Annotated[Day | None, Query(description="The first day.")]
Until: TypeAlias = Annotated[Day | None, Query(description="The last day.")]
Status: TypeAlias = Annotated[TeamStatus | None, Query(description="Of the team.")]
Track: TypeAlias = Annotated[
    str | None, Query(pattern="^[a-z0-9-]{1,60}$", description="Of the team.")
]
College: TypeAlias = Annotated[
    str | None, Query(min_length=1, max_length=120, description="As people have written it.")
]
Kind: TypeAlias = Annotated[ExportKind, Query(description="What of.")]
Full: TypeAlias = Annotated[
    bool, Query(description="People as they are; only in production, with a reason.")
]
Reason: TypeAlias = Annotated[
    str | None, Query(max_length=300, description="What for; kept in the audit log.")
]
Asked: TypeAlias = Annotated[
    str | None,
    Query(
        min_length=2,
        max_length=254,
        description="Words of a name or a team, an e-mail address, a telephone number, or an id. "
        "Who sees masks finds teams by their whole name, and nobody by theirs.",
    ),
]


def router(festival: Festival) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/events/{e}/admin", tags=["Administration"])
    _lists(routes, festival)
    _figures(routes, festival)
    _exports(routes, festival)
    return routes


def _lists(routes: APIRouter, festival: Festival) -> None:
    people = Depends(role_of(festival, "organizer", "auditor"))
    money = Depends(role_of(festival, "finance", "organizer", "auditor"))

    @routes.get("/registrations", responses=_LIST)
    async def list_registrations(
        paging: Paging,
        status: Status = None,
        track: Track = None,
        college: College = None,
        q: Asked = None,
        by: Caller = people,
    ) -> PageBody[RegisteredOut]:
        """Who registered; masked for auditors. Filters may make a page shorter than its limit."""
        wanted = Wanted(status, track, college, q)
        masked = festival.lists.masked_for(by)
        page = await festival.lists.registrations(
            by, wanted, limit=paging.limit, cursor=paging.cursor
        )
        return page_body(page, [registered_out(each, masked=masked) for each in page])

    @routes.get("/payments", responses=_LIST)
    async def list_payments(
        paging: Paging,
        status: Annotated[PaymentStatus | None, Query(description="One state only.")] = None,
        since: Since = None,
        until: Until = None,
        by: Caller = money,
    ) -> PageBody[PaymentLineOut]:
        """Payments, by state and day. They name nobody."""
        page = await festival.lists.payments(
            by, status=status, since=since, until=until, limit=paging.limit, cursor=paging.cursor
        )
        return page_body(page, [payment_line_out(each) for each in page])

    @routes.get("/audit", responses=_LIST)
    async def list_audit(
        paging: Paging,
        since: Annotated[Seconds | None, Query(description="Not before.")] = None,
        until: Annotated[Seconds | None, Query(description="Before.")] = None,
        action: Annotated[
            str | None, Query(max_length=100, description="Such as `participant.erase`.")
        ] = None,
        by: Caller = people,
    ) -> PageBody[AuditOut]:
        """Who did what at the event, newest first. A page may be short, and another follows it."""
        page = await festival.auditing.list(
            by, since=since, until=until, action=action, limit=paging.limit, cursor=paging.cursor
        )
        return page_body(page, [audit_out(each) for each in page])


def _figures(routes: APIRouter, festival: Festival) -> None:
    anybody = Depends(role_of(festival, "organizer", "finance", "auditor"))

    @routes.get("/statistics", responses=refusals(403, 404))
    async def get_statistics(
        since: Since = None, until: Until = None, by: Caller = anybody
    ) -> StatisticsOut:
        """Day by day, at the event's place; without days, the last thirty."""
        return statistics_out(await festival.statistics.of(by.event_id, since, until))


def _exports(routes: APIRouter, festival: Festival) -> None:
    anybody = Depends(role_of(festival, "organizer", "finance", "auditor"))

    async def stream(
        by: Caller, kind: ExportKind, file_format: FileFormat, full: bool, reason: str | None
    ) -> StreamingResponse:
        await festival.runtime.limits.check("exports", by.uid_hash, EXPORTS)
        pieces = await festival.exports.file(by, kind, file_format, full=full, reason=reason)
        return export_response(by, kind, file_format, await begun(pieces))

    @routes.get("/export/csv", response_class=StreamingResponse, responses=_FILE)
    async def export_csv(
        kind: Kind = "registrations",
        full: Full = False,
        reason: Reason = None,
        by: Caller = anybody,
    ) -> StreamingResponse:
        """Everything of a kind as CSV (UTF-8 with a byte order mark), sorted. People are masked."""
        return await stream(by, kind, "csv", full, reason)

    @routes.get("/export/xlsx", response_class=StreamingResponse, responses=_WORKBOOK)
    async def export_xlsx(
        kind: Kind = "registrations",
        full: Full = False,
        reason: Reason = None,
        by: Caller = anybody,
    ) -> StreamingResponse:
        """The same as an Excel workbook, with real numbers and times."""
        return await stream(by, kind, "xlsx", full, reason)


def export_response(
    by: Caller, kind: ExportKind, file_format: FileFormat, pieces: AsyncIterator[bytes]
) -> StreamingResponse:
    """Send a file to be saved under the name of its event and kind."""
    name = f"{by.event_id}-{kind}.{file_format}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(pieces, media_type=MEDIA_TYPES[file_format], headers=headers)
