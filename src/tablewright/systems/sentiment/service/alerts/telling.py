"""What goes out when a rule fires."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from pydantic import JsonValue

from tablewright.model import Put
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox import message
from tablewright.systems.sentiment.config import Alert, AlertRule
from tablewright.systems.sentiment.rules.deviation import LENGTHS
from tablewright.systems.sentiment.rules.moments import moment_text
from tablewright.systems.sentiment.rules.ops_rules import WATCHED

_NAMES = {"volume": "volume", "negative_share": "share of negative articles", "index": "index"}
#: Alerts that a digest tells one by one.
_MOST_TOLD = 50


def fired_message(rule: AlertRule, alert: Alert, now: datetime) -> Put[OutboxEntry]:
    """That a rule has fired; messages of one rule leave in their order."""
    body: dict[str, JsonValue] = {
        **addressed(rule.channel),
        "title": f"{rule.name}: {summary(alert)}"[:200],
        "text": text_of(alert),
        **data_of(alert),
    }
    return message("alert.fired", f"alert-rule/{rule.rule_id}", body, at=now)


def digest_message(
    channel: str | None, alerts: Sequence[Alert], since: datetime, until: datetime, now: datetime
) -> Put[OutboxEntry]:
    """What has fired in some time."""
    told = [f"{each.name}: {text_of(each)}" for each in alerts[:_MOST_TOLD]]
    if len(alerts) > _MOST_TOLD:
        told.append(f"And {len(alerts) - _MOST_TOLD} more.")
    body: dict[str, JsonValue] = {
        **addressed(channel),
        "title": f"{len(alerts)} alert{'s' if len(alerts) > 1 else ''} since {since:%d %b %H:%M}",
        "text": "\n\n".join(told),
        "since": moment_text(since),
        "until": moment_text(until),
        "alerts": [data_of(each) for each in alerts[:_MOST_TOLD]],
    }
    return message("alert.digest", f"alert-digest/{channel or 'log'}"[:1000], body, at=now)


def addressed(channel: str | None) -> dict[str, JsonValue]:
    """To whom, as the sinks of the outbox understand it."""
    if channel is None:
        return {}
    return {"webhook": channel} if is_webhook(channel) else {"to": channel}


def is_webhook(channel: str) -> bool:
    return "://" in channel


def data_of(alert: Alert) -> dict[str, JsonValue]:
    """An alert, for programs."""
    return {
        "alert_id": alert_id(alert),
        "rule_id": alert.rule_id,
        "rule_name": alert.name,
        "tag": alert.watch_tag,
        "metric": alert.metric,
        "ops": alert.ops,
        "window": alert.window,
        "window_start": moment_text(alert.window_start),
        "value": float(alert.value),
        "mean": number(alert.mean),
        "z": number(alert.z),
        "threshold": number(alert.threshold),
    }


def alert_id(alert: Alert) -> str:
    """How an alert is named in an address."""
    return f"{moment_text(alert.window_start)}:{alert.rule_id}"


def number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


# --- for people ----------------------------------------------------------------------------------


def summary(alert: Alert) -> str:
    if alert.ops is not None:
        return f"{_shown(alert.value)} {WATCHED[alert.ops].text}"
    about = f" of {alert.watch_tag}" if alert.watch_tag else ""
    return f"{_NAMES[alert.metric]}{about} is {_of(alert, alert.value)}"


def text_of(alert: Alert) -> str:
    if alert.ops is not None or alert.window is None or alert.mean is None:
        limit = "" if alert.threshold is None else f" The limit is {_shown(alert.threshold)}."
        return f"At {alert.window_start:%Y-%m-%d %H:%M} UTC: {summary(alert)}.{limit}"
    end = alert.window_start + LENGTHS[alert.window]
    return (
        f"From {alert.window_start:%Y-%m-%d %H:%M} to {end:%H:%M} UTC the {summary(alert)}; "
        f"usually it is {_of(alert, alert.mean)} (z = {alert.z})."
    )


def _of(alert: Alert, value: Decimal) -> str:
    return f"{value * 100:.0f} %" if alert.metric == "negative_share" else _shown(value)


def _shown(value: Decimal) -> str:
    return f"{float(value):.4g}"
