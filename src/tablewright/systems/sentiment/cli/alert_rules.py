"""``alert-rules ...``: when to alert people, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.service.commands import Answer, Desk, columns
from tablewright.service.problems import FieldError, Problem, invalid, missing
from tablewright.service.typed import checked, facts
from tablewright.systems.sentiment.cli.field_names import check_cleared, errors_at_options
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import (
    Delivery,
    Direction,
    Metric,
    OpsMetric,
    Switch,
    Window,
    cut,
    example,
)

if TYPE_CHECKING:
    from tablewright.systems.sentiment.config import AlertRule

app = App(name="alert-rules", help="Alert rules: what is watched, and who is alerted.")


@app.command(name="list", help_epilogue=example("alert-rules list"))
async def list_rules(newsroom: Newsroom, /) -> Answer:
    """List all rules, those that come with the system too."""
    from tablewright.systems.sentiment.bodies.alerts import rule_out
    from tablewright.systems.sentiment.service.alerts.alerts import MAX_RULES

    async with newsroom.lifespan():
        # The built-in rules are stored beside those that people have made.
        found = list(await newsroom.alerts.rules(limit=2 * MAX_RULES))
    rows = [(each.rule_id, cut(each.name, 40), _watched(each), _state(each)) for each in found]
    lines = columns(("id", "name", "watches", "state"), rows)
    return Answer(lines, [rule_out(each).model_dump(mode="json") for each in found])


@app.command(help_epilogue=example("alert-rules add 'Bad news' --metric negative_share --tag AI"))
async def add(
    newsroom: Newsroom,
    desk: Desk,
    /,
    name: str,
    *,
    metric: Metric | None = None,
    ops: OpsMetric | None = None,
    tag: str | None = None,
    direction: Direction = "up",
    window: Window = "1h",
    threshold: str = "3",
    cooldown_minutes: int = 60,
    channel: str | None = None,
    delivery: Delivery = "immediate",
    state: Switch = "on",
) -> Answer:
    """Add a rule.

    Parameters
    ----------
    name
        What alerts are called.
    metric
        The figure that is watched; or use --ops.
    ops
        What is watched of the system itself.
    tag
        A topic; without it, all articles together.
    direction
        Whether it fires when the figure rises, falls, or both.
    window
        The length of time that is compared with earlier ones.
    threshold
        It fires at so many standard deviations from what is usual, 1 to 10.
    cooldown_minutes
        For so long it does not fire again.
    channel
        The https address of a webhook, or a mail address; without it, where all alerts go.
    delivery
        At once, or all alerts of an hour or a day together.
    state
        off stops judging it, until it is on again.
    """
    from tablewright.systems.sentiment.bodies.alerts import AlertRuleIn

    values = {
        "name": name,
        **_subject(metric, ops),
        "tag": tag,
        "direction": direction,
        "window": window,
        "threshold": _number(threshold),
        "cooldown_minutes": cooldown_minutes,
        "channel": channel,
        "delivery": delivery,
        "enabled": state == "on",
    }
    async with newsroom.lifespan():
        with errors_at_options(arguments={"name"}):
            body = checked(AlertRuleIn, values)
            made = await newsroom.alerts.create(body.fields(), desk.by)
    return _shown(made, "The rule is added.")


@app.command(help_epilogue=example("alert-rules edit ops-stuck --channel desk@news.example"))
async def edit(
    newsroom: Newsroom,
    desk: Desk,
    /,
    rule: str,
    *,
    name: str | None = None,
    metric: Metric | None = None,
    ops: OpsMetric | None = None,
    tag: str | None = None,
    direction: Direction | None = None,
    window: Window | None = None,
    threshold: str | None = None,
    cooldown_minutes: int | None = None,
    channel: str | None = None,
    delivery: Delivery | None = None,
    state: Switch | None = None,
    clear: list[str] | None = None,
) -> Answer:
    """Change a rule; what is not given stays as it is.

    Parameters
    ----------
    rule
        Its id, as the list shows it.
    name
        What alerts are called.
    metric
        The figure that is watched.
    ops
        What is watched of the system itself.
    tag
        A topic.
    direction
        Whether it fires when the figure rises, falls, or both.
    window
        The length of time that is compared with earlier ones.
    threshold
        It fires at so many standard deviations from what is usual, 1 to 10.
    cooldown_minutes
        For so long it does not fire again.
    channel
        The https address of a webhook, or a mail address.
    delivery
        At once, or all alerts of an hour or a day together.
    state
        off stops judging it, until it is on again.
    clear
        tag or channel: there is none any more.
    """
    from tablewright.service.preconditions import Precondition
    from tablewright.systems.sentiment.bodies.alerts import AlertRuleIn

    check_cleared(clear or (), ("tag", "channel"))
    given: dict[str, object] = {
        "name": name,
        "tag": tag,
        "direction": direction,
        "window": window,
        "threshold": None if threshold is None else _number(threshold),
        "cooldown_minutes": cooldown_minutes,
        "channel": channel,
        "delivery": delivery,
        "enabled": None if state is None else state == "on",
    }
    changes = {field: value for field, value in given.items() if value is not None}
    if metric is not None or ops is not None:
        changes |= _subject(metric, ops)
    async with newsroom.lifespan():
        before = await _rule(newsroom, rule)
        values = {"tag": before.watch_tag} | before.model_dump(include={*given, "metric", "ops"})
        values |= dict.fromkeys(clear or ())
        with errors_at_options():
            body = checked(AlertRuleIn, values | changes)
            seen = Precondition.seen(before.version)
            saved = await newsroom.alerts.save(rule, body.fields(), seen, desk.by)
    return _shown(saved, "The rule is saved.")


@app.command(help_epilogue=example("alert-rules delete 01KA3V8Q0Z6T4R2W9YB7C5D1EF"))
async def delete(newsroom: Newsroom, desk: Desk, /, rule: str) -> Answer:
    """Delete a rule. Its alerts stay in the log; rules that come with the system stay.

    Parameters
    ----------
    rule
        Its id, as the list shows it.
    """
    from tablewright.service.preconditions import Precondition

    async with newsroom.lifespan():
        before = await _rule(newsroom, rule)
        await newsroom.alerts.delete(rule, Precondition.seen(before.version), desk.by)
    return Answer([f"The rule {before.name!r} is deleted."], {"id": rule})


# --- shared --------------------------------------------------------------------------------------


def _subject(metric: Metric | None, ops: OpsMetric | None) -> dict[str, object]:
    """Return what is watched: a figure, or something about the system itself."""
    if (metric is None) == (ops is None):
        raise invalid(FieldError("--metric", "Give either --metric or --ops."))
    return {"metric": metric or "ops", "ops": ops}


def _number(text: str) -> str:
    """Accept a decimal comma."""
    return text.strip().replace(",", ".")


async def _rule(newsroom: Newsroom, rule_id: str) -> AlertRule:
    try:
        return await newsroom.alerts.rule(rule_id)
    except Problem as problem:
        if problem.code == "NOT_FOUND":
            hint = "tablewright sentiment alert-rules list shows which there are."
            raise missing(f"There is no rule with the id {rule_id!r}.", hint) from None
        raise


def _shown(rule: AlertRule, line: str) -> Answer:
    from tablewright.systems.sentiment.bodies.alerts import rule_out

    pairs: list[tuple[str, object]] = [
        ("id", rule.rule_id),
        ("name", rule.name),
        ("watches", _watched(rule)),
        ("sent to", rule.channel or "where all alerts go"),
        ("delivery", rule.delivery),
        ("cooldown", f"{rule.cooldown_minutes} min"),
        ("state", _state(rule)),
    ]
    return Answer([line, *facts(pairs)], rule_out(rule).model_dump(mode="json"))


def _watched(rule: AlertRule) -> str:
    from tablewright.systems.sentiment.rules.ops_rules import WATCHED

    if rule.ops is not None:
        watched = WATCHED[rule.ops]
        bound = "at least" if watched.reached else "more than"
        return f"{bound} {watched.threshold:g} {watched.text}"
    topic = f" of {rule.watch_tag}" if rule.watch_tag else ""
    threshold = f"{rule.threshold.normalize():f}"
    return f"{rule.metric}{topic}, {rule.direction}, {rule.window}, from {threshold} deviations"


def _state(rule: AlertRule) -> str:
    if not rule.enabled:
        return "switched off"
    return "firing" if rule.firing else "calm"
