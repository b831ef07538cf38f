"""Making a rule, and changing one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.merging import merged, packed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.sentiment.bodies.alerts import AlertRuleIn
from tablewright.systems.sentiment.config import AlertRule
from tablewright.systems.sentiment.pages.alerts import (
    ALERTS,
    DIRECTIONS,
    METRICS,
    WINDOWS,
    RuleLine,
    rule_path,
)
from tablewright.systems.sentiment.rules.ops_rules import WATCHED, is_built_in

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_OPS = "ops."
_FIRST = {
    "metric": "negative_share",
    "direction": "up",
    "window": "1h",
    "threshold": "3",
    "cooldown_minutes": "60",
    "delivery": "immediate",
    "enabled": "1",
}
_WORDS = {
    "tag": "topic",
    "metric": "what is watched",
    "channel": "where to send it",
    "threshold": "fires at, in standard deviations",
}


def choices() -> dict[str, list[tuple[str, str]]]:
    """What the form offers."""
    of_news = [(name, f"the {text}") for name, text in METRICS.items()]
    of_system = [(f"{_OPS}{name}", f"the system: {each.name}") for name, each in WATCHED.items()]
    return {
        "metrics": of_news + of_system,
        "directions": list(DIRECTIONS.items()),
        "windows": list(WINDOWS.items()),
        "deliveries": [
            ("immediate", "at once"),
            ("hourly", "once an hour, together"),
            ("daily", "once a day, together"),
        ],
    }


def values_of(rule: AlertRule) -> dict[str, str]:
    """A rule as its form shows it."""
    return {
        "name": rule.name,
        "tag": rule.watch_tag or "",
        "metric": rule.metric if rule.ops is None else f"{_OPS}{rule.ops}",
        "direction": rule.direction,
        "window": rule.window,
        "threshold": f"{rule.threshold.normalize():f}",
        "cooldown_minutes": str(rule.cooldown_minutes),
        "channel": rule.channel or "",
        "delivery": rule.delivery,
        "enabled": "1" if rule.enabled else "",
    }


def read_rule(values: Typed) -> AlertRuleIn:
    """The body that a form makes, or a problem at its fields."""
    metric = values.get("metric", "")
    given: dict[str, object] = {
        "name": values.get("name", ""),
        "metric": metric,
        "cooldown_minutes": values.get("cooldown_minutes", ""),
        "channel": values.get("channel") or None,
        "delivery": values.get("delivery") or "immediate",
        "enabled": values.get("enabled") == "1",
    }
    if metric.startswith(_OPS):
        # What is watched there is no series: it has no topic, and no window.
        return built(AlertRuleIn, {**given, "metric": "ops", "ops": metric.removeprefix(_OPS)})
    series: dict[str, object] = {name: values.get(name) for name in ("direction", "window")}
    if "threshold" in values:
        series["threshold"] = values.get("threshold", "").strip().replace(",", ".")
    return built(AlertRuleIn, {**given, **series, "tag": values.get("tag") or None})


def _words(field: str) -> str:
    return _WORDS.get(field, field.replace("_", " "))


def _at_its_field(problem: Problem) -> Problem:
    """What the use cases call otherwise than the form does."""
    errors = [
        FieldError("body.metric" if each.field == "body.ops" else each.field, each.message)
        for each in problem.errors
    ]
    return Problem(problem.status, problem.code, problem.detail, errors=errors)


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/alerts/rules")
    analyst = Depends(newsroom.runtime.auth.require("analyst", "admin"))

    async def shown(
        request: Request, rule: AlertRule | None, *, status: int = 200, **context: object
    ) -> Response:
        first = values_of(rule) if rule else _FIRST
        topics = [(each.watch_tag, each.label) for each in await newsroom.watches.list()]
        crumbs = [("Alerts", ALERTS)]
        if rule:
            crumbs.append((rule.name, rule_path(rule.rule_id)))
        given: dict[str, object] = {
            "rule": rule,
            "line": RuleLine(rule, dict(topics).get(rule.watch_tag or "")) if rule else None,
            "built_in": rule is not None and is_built_in(rule),
            "first": first,
            "seen": packed(first),
            "version": rule.version if rule else "",
            "topics": topics,
            "choices": choices(),
            "crumbs": crumbs,
        }
        return pages.render(
            request, "sentiment/alert_form.html", status=status, **{**given, **context}
        )

    @routes.get("/new")
    async def new(request: Request, tag: str | None = None, who: Principal = analyst) -> Response:
        return await shown(request, None, first={**_FIRST, "tag": tag or ""})

    @routes.post("/new")
    async def create(request: Request, who: Principal = analyst) -> Response:
        values = await typed(request)
        try:
            rule = await newsroom.alerts.create(read_rule(values).fields(), who)
        except Problem as problem:
            told = _at_its_field(problem)
            return await shown(request, None, status=told.status, problem=told, values=values)
        return pages.done(
            request, rule_path(rule.rule_id), f"“{rule.name}” is watched from now on."
        )

    @routes.get("/{rule_id}/edit")
    async def edit(request: Request, rule_id: str, who: Principal = analyst) -> Response:
        return await shown(request, await newsroom.alerts.rule(rule_id))

    @routes.post("/{rule_id}/edit")
    async def save(request: Request, rule_id: str, who: Principal = analyst) -> Response:
        values = await typed(request)
        seen = Precondition(if_match=f'"{values.get("version", "")}"')
        try:
            given = read_rule(values).fields()
            rule = await newsroom.alerts.save(rule_id, given, seen, who)
        except Problem as problem:
            rule = await newsroom.alerts.rule(rule_id)
            if problem.status == 412:
                told = {**values, "enabled": values.get("enabled", "")}
                clash = merged(told, values_of(rule), words=_words)
                return await shown(request, rule, status=412, values=clash.values, clash=clash)
            kept = {name: values.get(name, "") for name in ("version", "seen")}
            again = {"problem": _at_its_field(problem), "values": values, **kept}
            return await shown(request, rule, status=problem.status, **again)
        return pages.done(request, rule_path(rule_id), "The rule is saved.")

    return routes
