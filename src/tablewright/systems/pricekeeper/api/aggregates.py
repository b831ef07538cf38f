"""``…/aggregates``: what was spent, by label."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from tablewright.service.limits import Rate
from tablewright.service.problem_answers import LIMITED, Responses, refusals
from tablewright.service.problems import Problem, not_found
from tablewright.systems.pricekeeper.api.places import AppId, By, First, Last, OrgId, Period
from tablewright.systems.pricekeeper.api.reference import ORG_READERS, READERS
from tablewright.systems.pricekeeper.bodies import AggregatesOut, HistoryOut
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_org_id
from tablewright.systems.pricekeeper.rules.periods import read_day, read_period
from tablewright.systems.pricekeeper.service.aggregates import Sheet
from tablewright.systems.pricekeeper.service.tokens import Caller

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

ROLES = ("admin", "operator", "auditor")
_ANSWERS: Responses = {
    200: {"headers": LIMITED},
    **refusals(404, {400: "`BAD_DATE`, `RANGE_TOO_LONG`, or an id that cannot be one."}),
}


def router(keeper: Keeper) -> APIRouter:
    """The routes of aggregates: an organisation's own, an app's own, and for administrators."""
    routes = APIRouter(prefix="/api/v1/orgs/{org_id}", tags=["aggregates"])
    rate = Rate(per_minute=keeper.runtime.options(Options).aggregates_per_minute)
    found = keeper.aggregates

    @routes.get("/aggregates", responses=_ANSWERS, openapi_extra=ORG_READERS)
    async def get_org_history(
        org_id: OrgId,
        request: Request,
        response: Response,
        first: First,
        last: Last,
        window: By = "DAY",
    ) -> HistoryOut:
        """An organisation's spend from one day to another, by days, weeks or months."""
        sheet = await sheet_of(org_id, None, request, response)
        return await found.between(sheet, *_days(first, last), window)

    @routes.get("/aggregates/today", responses=_ANSWERS, openapi_extra=ORG_READERS)
    async def get_org_today(org_id: OrgId, request: Request, response: Response) -> AggregatesOut:
        """An organisation's spend on its own day of today."""
        sheet = await sheet_of(org_id, None, request, response)
        return await found.of_period(sheet, f"DAY#{found.today(sheet.org)}")

    @routes.get("/aggregates/{period}", responses=_ANSWERS, openapi_extra=ORG_READERS)
    async def get_org_period(
        org_id: OrgId, period: Period, request: Request, response: Response
    ) -> AggregatesOut:
        """An organisation's spend in 2026-11-15, 2026-W47 or 2026-11."""
        sheet = await sheet_of(org_id, None, request, response)
        return await found.of_period(sheet, _period(period))

    @routes.get("/apps/{app_id}/aggregates", responses=_ANSWERS, openapi_extra=READERS)
    async def get_app_history(
        org_id: OrgId,
        app_id: AppId,
        request: Request,
        response: Response,
        first: First,
        last: Last,
        window: By = "DAY",
    ) -> HistoryOut:
        """An app's spend from one day to another, by days, weeks or months."""
        sheet = await sheet_of(org_id, app_id, request, response)
        return await found.between(sheet, *_days(first, last), window)

    @routes.get("/apps/{app_id}/aggregates/today", responses=_ANSWERS, openapi_extra=READERS)
    async def get_app_today(
        org_id: OrgId, app_id: AppId, request: Request, response: Response
    ) -> AggregatesOut:
        """An app's spend on the organisation's day of today."""
        sheet = await sheet_of(org_id, app_id, request, response)
        return await found.of_period(sheet, f"DAY#{found.today(sheet.org)}")

    @routes.get("/apps/{app_id}/aggregates/{period}", responses=_ANSWERS, openapi_extra=READERS)
    async def get_app_period(
        org_id: OrgId, app_id: AppId, period: Period, request: Request, response: Response
    ) -> AggregatesOut:
        """An app's spend in 2026-11-15, 2026-W47 or 2026-11."""
        sheet = await sheet_of(org_id, app_id, request, response)
        return await found.of_period(sheet, _period(period))

    async def sheet_of(
        org_id: str, app_id: str | None, request: Request, response: Response
    ) -> Sheet:
        org_id = checked_org_id(org_id)
        app_id = None if app_id is None else checked_app_id(app_id)
        reader = await keeper.tokens.reader(request, org_id, app_id, roles=ROLES)
        name = reader.client_id if isinstance(reader, Caller) else reader.id
        response.headers.update(await keeper.runtime.limits.check("aggregates", name, rate))
        return await existing(keeper, org_id, app_id)

    return routes


async def existing(keeper: Keeper, org_id: str, app_id: str | None) -> Sheet:
    """An organisation or an app that was not deleted; a disabled one can be looked at."""
    org = await keeper.directory.org(org_id)
    if org is None or org.status == "DELETED":
        raise not_found("organisation")
    app = None if app_id is None else await keeper.directory.app(org_id, app_id)
    if app_id is not None and (app is None or app.status == "DELETED"):
        raise not_found("app")
    return Sheet(org, app)


def _days(first: str, last: str) -> tuple[str, str]:
    days = read_day(first), read_day(last)
    if days[0] is None or days[1] is None:
        raise Problem(400, "BAD_DATE", "from and to are days such as 2026-11-15.")
    if days[0] > days[1]:
        raise Problem(400, "BAD_DATE", "from lies after to.")
    return days[0], days[1]


def _period(text: str) -> str:
    found = read_period(text)
    if found is None:
        detail = "A period is a day such as 2026-11-15, a week (2026-W47) or a month (2026-11)."
        raise Problem(400, "BAD_DATE", detail)
    return found
