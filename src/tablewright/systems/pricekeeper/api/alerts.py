"""``/alerts``: which shares of which limits were reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query

from tablewright.service.paging import PageBody, Paging
from tablewright.service.problem_answers import refusals
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.api.places import Day
from tablewright.systems.pricekeeper.bodies import AlertOut
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_org_id
from tablewright.systems.pricekeeper.rules.periods import period_text, read_day

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper
    from tablewright.systems.pricekeeper.spend import AlertSent

OrgId = Annotated[
    str | None,
    Query(
        description="Absent: all organisations, a page of them.",
        json_schema_extra={"format": "uuid"},
    ),
]
AppId = Annotated[
    str | None, Query(description="Absent: the organisation's own, and all of its apps'.")
]


def router(keeper: Keeper) -> APIRouter:
    """The route of alerts, for administrators."""
    reader = Depends(keeper.runtime.auth.require("admin", "operator", "auditor"))
    routes = APIRouter(prefix="/api/v1", tags=["alerts"], dependencies=[reader])

    @routes.get(
        "/alerts",
        responses=refusals(404, {400: "`BAD_DATE`, `ORG_NEEDED`, or an id that cannot be one."}),
    )
    async def list_alerts(
        paging: Paging, org_id: OrgId = None, app_id: AppId = None, date: Day = None
    ) -> PageBody[AlertOut]:
        """What was told of a day, its week and its month.

        Without an organisation, ``limit`` counts organisations.
        """
        day = None if date is None else read_day(date)
        if date is not None and day is None:
            raise Problem(400, "BAD_DATE", "date is a day such as 2026-11-15.")
        if org_id is None:
            if app_id is not None:
                raise Problem(400, "ORG_NEEDED", "An app is named with its organisation: org_id.")
            found, cursor = await keeper.alerts.everywhere(day, paging.limit, paging.cursor)
            return PageBody(items=[alert_out(each) for each in found], next_cursor=cursor)
        app_id = None if app_id is None else checked_app_id(app_id)
        alerts = await keeper.alerts.of_org(checked_org_id(org_id), app_id, day)
        return PageBody(items=[alert_out(each) for each in alerts])

    return routes


def alert_out(alert: AlertSent) -> AlertOut:
    org_id, _, app_id = alert.scope.removeprefix("ORG#").partition("#APP#")
    return AlertOut(
        org_id=org_id,
        app_id=app_id or None,
        period=period_text(alert.period),
        label=alert.label,
        pct=alert.pct,
        spend_usd_micros=alert.spend,
        quota_usd_micros=alert.quota,
        sent_at=alert.sent_at_epoch,
    )
