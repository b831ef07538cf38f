"""Alerts: the rules and how they stand, what has fired, and how a series stands out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.preconditions import Precondition
from tablewright.systems.sentiment.bodies.alerts import AlertRuleIn
from tablewright.systems.sentiment.config import Alert, AlertRule
from tablewright.systems.sentiment.pages.alert_chart import Chart, chart_of
from tablewright.systems.sentiment.pages.paths import BASE, READERS, Rights
from tablewright.systems.sentiment.rules.ops_rules import WATCHED, is_built_in
from tablewright.systems.sentiment.service.alerts.alerts import MAX_RULES
from tablewright.systems.sentiment.service.alerts.telling import alert_id, is_webhook, summary

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

ALERTS = f"{BASE}/alerts"
_LISTED = 25
#: What is compared with the windows before.
METRICS = {
    "volume": "number of articles",
    "negative_share": "share of negative articles",
    "index": "index",
}
DIRECTIONS = {"up": "rises", "down": "falls", "both": "rises or falls"}
WINDOWS = {"15m": "15 minutes", "1h": "an hour", "6h": "6 hours"}


def rule_path(rule_id: str) -> str:
    return f"{ALERTS}/rules/{rule_id}"


@dataclass(frozen=True)
class RuleLine:
    """A rule, in words."""

    rule: AlertRule
    #: The topic as people write it; None is everything.
    topic: str | None

    @property
    def path(self) -> str:
        return rule_path(self.rule.rule_id)

    @property
    def is_ops(self) -> bool:
        return self.rule.ops is not None

    @property
    def built_in(self) -> bool:
        return is_built_in(self.rule)

    @property
    def state(self) -> str:
        if not self.rule.enabled:
            return "paused"
        return "firing" if self.rule.firing else "calm"

    @property
    def text(self) -> str:
        """When it fires."""
        rule = self.rule
        if rule.ops is not None:
            watched = WATCHED[rule.ops]
            bound = "at least" if watched.reached else "more than"
            return f"{bound} {watched.threshold:g} {watched.text}"
        about = f" about {self.topic}" if self.topic else ""
        what, how = METRICS[rule.metric], DIRECTIONS[rule.direction]
        return (
            f"the {what}{about} {how} within {WINDOWS[rule.window]} by "
            f"{rule.threshold.normalize():f} standard deviations or more"
        )

    @property
    def told(self) -> str:
        """Where it goes."""
        rule = self.rule
        if rule.channel is None:
            return "where all messages go"
        where = "webhook" if is_webhook(rule.channel) else "mail"
        return where if rule.delivery == "immediate" else f"{where}, {rule.delivery}"


@dataclass(frozen=True)
class AlertLine:
    """One alert of the log."""

    alert: Alert
    #: The topic as people write it.
    topic: str | None

    @property
    def id(self) -> str:
        return alert_id(self.alert)

    @property
    def summary(self) -> str:
        text = summary(self.alert.model_copy(update={"watch_tag": self.topic}))
        return text[:1].upper() + text[1:]


async def topic_labels(newsroom: Newsroom) -> dict[str, str]:
    """How topics are written, by their tags."""
    return {each.watch_tag: each.label for each in await newsroom.watches.list()}


async def rule_lines(newsroom: Newsroom, labels: dict[str, str]) -> list[RuleLine]:
    """All rules: those that fire first, then by name."""
    rules = list(await newsroom.alerts.rules(limit=MAX_RULES + len(WATCHED)))
    rules.sort(key=lambda rule: (not (rule.firing and rule.enabled), rule.name.casefold()))
    return [RuleLine(rule, _topic(rule, labels)) for rule in rules]


def _topic(rule: AlertRule | Alert, labels: dict[str, str]) -> str | None:
    return None if rule.watch_tag is None else labels.get(rule.watch_tag, rule.watch_tag)


def fields_of(rule: AlertRule) -> dict[str, object]:
    """What people set of a rule, as it is."""
    names = {*AlertRuleIn.model_fields} - {"tag"}
    return {**rule.model_dump(include=names), "watch_tag": rule.watch_tag}


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/alerts")
    reader = Depends(newsroom.runtime.auth.require(*READERS))
    analyst = Depends(newsroom.runtime.auth.require("analyst", "admin"))
    alerts = newsroom.alerts

    @routes.get("")
    async def listed(
        request: Request, cursor: str | None = None, who: Principal = reader
    ) -> Response:
        log = await alerts.log(limit=_LISTED, cursor=cursor)
        labels = await topic_labels(newsroom)
        lines = await rule_lines(newsroom, labels)
        return pages.render(
            request,
            "sentiment/alerts.html",
            rules=[each for each in lines if not each.is_ops],
            ops_rules=[each for each in lines if each.is_ops],
            log=[AlertLine(each, _topic(each, labels)) for each in log],
            more=with_query(ALERTS, cursor=log.cursor) if log.cursor else "",
            may=Rights.of(who),
        )

    @routes.post("/ack")
    async def acknowledge(request: Request, who: Principal = analyst) -> Response:
        shown = (await typed(request)).get("alert", "")
        alert = await alerts.acknowledge(shown, who)
        return pages.done(request, f"{ALERTS}#log", f"You have seen: {alert.name}.")

    async def one(request: Request, rule_id: str, who: Principal, secret: str = "") -> Response:
        rule = await alerts.rule(rule_id)
        labels = await topic_labels(newsroom)
        chart: Chart | None = None
        if rule.metric != "ops":
            chart = chart_of(*await alerts.chart(rule_id))
        return pages.render(
            request,
            "sentiment/alert_rule.html",
            line=RuleLine(rule, _topic(rule, labels)),
            chart=chart,
            signed=rule.channel is not None and is_webhook(rule.channel),
            secret=secret,
            may=Rights.of(who),
            crumbs=[("Alerts", ALERTS)],
        )

    @routes.get("/rules/{rule_id}")
    async def rule_page(request: Request, rule_id: str, who: Principal = reader) -> Response:
        return await one(request, rule_id, who)

    @routes.post("/rules/{rule_id}/secret")
    async def secret_page(request: Request, rule_id: str, who: Principal = analyst) -> Response:
        return await one(request, rule_id, who, await alerts.secret(rule_id))

    async def switched(rule_id: str, who: Principal, *, enabled: bool) -> AlertRule:
        rule = await alerts.rule(rule_id)
        given = {**fields_of(rule), "enabled": enabled}
        return await alerts.save(rule_id, given, Precondition.seen(rule.version), who)

    @routes.post("/rules/{rule_id}/pause")
    async def pause(request: Request, rule_id: str, who: Principal = analyst) -> Response:
        rule = await switched(rule_id, who, enabled=False)
        message = f"“{rule.name}” is paused: it fires no more until it is resumed."
        return pages.done(request, ALERTS, message, tone="info")

    @routes.post("/rules/{rule_id}/resume")
    async def resume(request: Request, rule_id: str, who: Principal = analyst) -> Response:
        rule = await switched(rule_id, who, enabled=True)
        return pages.done(request, ALERTS, f"“{rule.name}” is watched again.")

    @routes.post("/rules/{rule_id}/delete")
    async def delete(request: Request, rule_id: str, who: Principal = analyst) -> Response:
        version = (await typed(request)).get("version", "")
        rule = await alerts.rule(rule_id)
        await alerts.delete(rule_id, Precondition(if_match=f'"{version}"'), who)
        message = f"“{rule.name}” is deleted. What it has told stays in the log."
        return pages.done(request, ALERTS, message, tone="info")

    return routes
