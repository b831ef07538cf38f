"""``/alert-rules``, ``/alerts``: when to tell somebody, and what was told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from tablewright.service.auth import Principal
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import refusals
from tablewright.systems.sentiment.bodies.alerts import (
    AlertChartOut,
    AlertOut,
    AlertRuleIn,
    AlertRuleOut,
    SecretOut,
    WindowOut,
    rule_out,
)
from tablewright.systems.sentiment.bodies.ingest import MomentText
from tablewright.systems.sentiment.rules.deviation import calm_below
from tablewright.systems.sentiment.service.alerts.alerts import ChartPoint, window_end
from tablewright.systems.sentiment.service.alerts.telling import alert_id, number, summary

if TYPE_CHECKING:
    from tablewright.systems.sentiment.config import Alert
    from tablewright.systems.sentiment.service.newsroom import Newsroom

RuleName = Annotated[str, Path(description="The rule's id.", examples=["ops-stuck"])]
AlertName = Annotated[
    str,
    Path(
        description="The alert's id: the start of its window, and its rule.",
        examples=["2026-11-20T11:00:00.000Z:ops-stuck"],
    ),
]
_FROM = Query(alias="from", description="Windows that begin then or later; with a zone.")
_TO = Query(alias="to", description="Windows that begin before it; with a zone.")
_UNSAFE = {422: "`UNSAFE_URL`: the webhook is not https, or not public; `INVALID`."}


def router(newsroom: Newsroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["alerts"])
    viewer = Depends(newsroom.runtime.auth.require("viewer", "analyst", "operator", "admin"))
    analyst = Depends(newsroom.runtime.auth.require("analyst", "admin"))
    alerts = newsroom.alerts

    @routes.get("/alert-rules")
    async def list_rules(paging: Paging, _: Principal = viewer) -> PageBody[AlertRuleOut]:
        """All rules."""
        page = await alerts.rules(limit=paging.limit, cursor=paging.cursor)
        return page_body(page, [rule_out(each) for each in page])

    @routes.post(
        "/alert-rules",
        status_code=201,
        responses={
            201: {"headers": ETAG},
            **refusals(_UNSAFE, {409: "`RULES_FULL`: there are a hundred."}),
        },
    )
    async def create_rule(
        body: AlertRuleIn, response: Response, by: Principal = analyst
    ) -> AlertRuleOut:
        """A new rule."""
        made = await alerts.create(body.fields(), by)
        response.headers["ETag"] = etag(made.version)
        return rule_out(made)

    @routes.get("/alert-rules/{rule_id}", responses={200: {"headers": ETAG}, **refusals(404)})
    async def get_rule(
        rule_id: RuleName, response: Response, _: Principal = viewer
    ) -> AlertRuleOut:
        """One rule; its ETag is what a change is made with."""
        found = await alerts.rule(rule_id)
        response.headers["ETag"] = etag(found.version)
        return rule_out(found)

    @routes.put(
        "/alert-rules/{rule_id}",
        responses={
            200: {"headers": ETAG},
            **refusals(404, 412, 428, _UNSAFE, {409: "`BUILT_IN`: what it watches stays."}),
        },
    )
    async def put_rule(
        rule_id: RuleName,
        body: AlertRuleIn,
        said: Said,
        response: Response,
        by: Principal = analyst,
    ) -> AlertRuleOut:
        """Change a rule (If-Match). Whether it is firing stays."""
        saved = await alerts.save(rule_id, body.fields(), said, by)
        response.headers["ETag"] = etag(saved.version)
        return rule_out(saved)

    @routes.delete(
        "/alert-rules/{rule_id}",
        status_code=204,
        responses=refusals(404, 412, {409: "`BUILT_IN`: disable it instead."}),
    )
    async def delete_rule(rule_id: RuleName, said: Said, by: Principal = analyst) -> None:
        """No longer watch for something. Its alerts stay in the log."""
        await alerts.delete(rule_id, said, by)

    @routes.get(
        "/alert-rules/{rule_id}/chart",
        responses=refusals(404, {409: "`NO_CHART`: it watches no series."}),
    )
    async def chart_rule(rule_id: RuleName, _: Principal = viewer) -> AlertChartOut:
        """How far the last 48 windows of what a rule watches stand out."""
        rule, points = await alerts.chart(rule_id)
        shown = [_window_out(each) for each in points]
        fires_at = float(rule.threshold)
        return AlertChartOut(
            rule=rule_out(rule),
            fires_at=fires_at,
            calm_below=calm_below(fires_at),
            points=shown,
        )

    @routes.get(
        "/alert-rules/{rule_id}/secret",
        responses=refusals(404, {409: "`NO_WEBHOOK`: nothing is signed."}),
    )
    async def rule_secret(rule_id: RuleName, _: Principal = analyst) -> SecretOut:
        """What the messages to a rule's webhook are signed with, for its receiver."""
        return SecretOut(secret=await alerts.secret(rule_id))

    @routes.get("/alerts")
    async def list_alerts(
        paging: Paging,
        since: Annotated[MomentText | None, _FROM] = None,
        until: Annotated[MomentText | None, _TO] = None,
        _: Principal = viewer,
    ) -> PageBody[AlertOut]:
        """What has fired, the latest windows first."""
        page = await alerts.log(
            since=_utc(since), until=_utc(until), limit=paging.limit, cursor=paging.cursor
        )
        return page_body(page, [alert_out(each) for each in page])

    @routes.post("/alerts/{alert_id}/ack", responses=refusals(404))
    async def acknowledge(alert_id: AlertName, by: Principal = analyst) -> AlertOut:
        """Say that you have seen an alert; the first one counts."""
        return alert_out(await alerts.acknowledge(alert_id, by))

    return routes


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


def alert_out(alert: Alert) -> AlertOut:
    return AlertOut(
        id=alert_id(alert),
        rule_id=alert.rule_id,
        rule_name=alert.name,
        summary=summary(alert),
        tag=alert.watch_tag,
        metric=alert.metric,
        ops=alert.ops,
        window=alert.window,
        window_start=alert.window_start,
        window_end=window_end(alert),
        value=float(alert.value),
        mean=number(alert.mean),
        z=number(alert.z),
        threshold=number(alert.threshold),
        fired_at=alert.fired_at,
        state=alert.state,
        cleared_at=alert.cleared_at,
        acknowledged_by=alert.acked_by,
        acknowledged_at=alert.acked_at,
    )


def _window_out(point: ChartPoint) -> WindowOut:
    found = point.deviation
    return WindowOut(
        start=point.start,
        articles=point.figures.articles,
        value=None if found is None else round(found.value, 4),
        mean=None if found is None else round(found.mean, 4),
        z=None if found is None else round(found.z, 4),
        compared_with=None if found is None else found.kind,
    )
