"""``…/export.csv``: the ledger, or the totals of days, for spreadsheets."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from tablewright.service.problem_answers import Responses, refusals
from tablewright.service.problems import Problem, not_found
from tablewright.service.streaming import begun
from tablewright.systems.pricekeeper.api.places import AppId, MaybeFirst, MaybeLast, OrgId
from tablewright.systems.pricekeeper.api.reference import ORG_READERS
from tablewright.systems.pricekeeper.bodies import day_text
from tablewright.systems.pricekeeper.rules.calendar import Calendar, calendar_of
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_org_id
from tablewright.systems.pricekeeper.service.ledger.scanning import Days, days_before

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_READERS = ("admin", "operator", "auditor")
#: Days of totals, at the most.
_MOST_DAYS = 400

Kind = Annotated[Literal["totals", "ledger"], Query(description="What to export.")]
_CSV: Responses = {
    200: {
        "content": {"text/csv": {"schema": {"type": "string"}}},
        "description": "CSV; a cell that a spreadsheet would take for a formula has a ' before it.",
        "headers": {"Content-Disposition": {"required": True, "schema": {"type": "string"}}},
    },
    **refusals(404, {400: "`BAD_DATE`, `BAD_RANGE`, or an id that cannot be one."}),
}


def router(keeper: Keeper) -> APIRouter:
    """The routes of exports, for organisations and for administrators."""
    routes = APIRouter(prefix="/api/v1/orgs/{org_id}", tags=["export"])

    @routes.get(
        "/export.csv",
        response_class=StreamingResponse,
        responses=_CSV,
        openapi_extra=ORG_READERS,
    )
    async def export_org(
        org_id: OrgId,
        request: Request,
        kind: Kind = "totals",
        first: MaybeFirst = None,
        last: MaybeLast = None,
    ) -> StreamingResponse:
        """The ledger of all apps of an organisation, or its totals by day and label."""
        return await exported(request, org_id, None, kind, first, last)

    @routes.get(
        "/apps/{app_id}/export.csv",
        response_class=StreamingResponse,
        responses=_CSV,
        openapi_extra=ORG_READERS,
    )
    async def export_app(
        org_id: OrgId,
        app_id: AppId,
        request: Request,
        kind: Kind = "totals",
        first: MaybeFirst = None,
        last: MaybeLast = None,
    ) -> StreamingResponse:
        """The ledger of one app, or its totals by day and label."""
        return await exported(request, org_id, checked_app_id(app_id), kind, first, last)

    async def exported(
        request: Request,
        org_id: str,
        app_id: str | None,
        kind: Literal["totals", "ledger"],
        first: str | None,
        last: str | None,
    ) -> StreamingResponse:
        org_id = checked_org_id(org_id)
        # Not for an app's own token, not even its own ledger.
        await keeper.tokens.reader(request, org_id, None, roles=_READERS)
        calendar = await calendar_for(org_id, app_id)
        days = Days(_day(first, "from"), _day(last, "to"))
        if kind == "ledger":
            pieces = keeper.ledger.export_ledger(org_id, app_id, days)
        else:
            span = _span(calendar, days, keeper.now())
            pieces = keeper.ledger.export_totals(org_id, app_id, *span)
        name = f"pricekeeper-{kind}-{app_id or org_id}.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(await begun(pieces), media_type="text/csv", headers=headers)

    async def calendar_for(org_id: str, app_id: str | None) -> Calendar:
        org = await keeper.directory.org(org_id)
        if org is None or org.status == "DELETED":
            raise not_found("organisation")
        if app_id is not None and await keeper.directory.app(org_id, app_id) is None:
            raise not_found("app")
        return calendar_of(org)

    return routes


def _day(text: str | None, name: str) -> str | None:
    """``2026-11-15`` as ``20261115``."""
    if text is None:
        return None
    try:
        found = date.fromisoformat(text).strftime("%Y%m%d")
    except ValueError:
        found = ""
    if text != day_text(found):
        raise Problem(400, "BAD_DATE", f"{name} is a day such as 2026-11-15.")
    return found


def _span(calendar: Calendar, days: Days, now: int) -> tuple[str, str]:
    """The days of totals that are meant."""
    first, last = days.closed(calendar.day(now))
    if not days_before(last, _MOST_DAYS - 1) <= first <= last:
        raise Problem(400, "BAD_RANGE", f"from is up to {_MOST_DAYS} days before to.")
    return first, last
