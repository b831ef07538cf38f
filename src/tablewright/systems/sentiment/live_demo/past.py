"""Alerts of days that are over: what the rules would have found, at the time when they would."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from tablewright.model.errors import TransactionCancelled
from tablewright.systems.sentiment import writes
from tablewright.systems.sentiment.config import Alert, AlertRule
from tablewright.systems.sentiment.live_demo.cast import ANALYST
from tablewright.systems.sentiment.rules.deviation import (
    CALM_WINDOWS,
    LENGTHS,
    Deviation,
    pressure,
)
from tablewright.systems.sentiment.rules.moments import moment_text
from tablewright.systems.sentiment.service.alerts.evaluating import KEPT

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Alerts of one rule; the one that is a window old would go on.
_MOST = 2


async def raise_alerts(newsroom: Newsroom, rule: AlertRule) -> None:
    """Those of the windows that stand out, each raised, cleared, and the first one seen."""
    _, points = await newsroom.alerts.chart(rule.rule_id)
    length = LENGTHS[rule.window]
    ends = newsroom.now() - length * (CALM_WINDOWS + 1)
    free = points[0].start
    raised = 0
    for point in points:
        found = point.deviation
        if found is None or raised >= _MOST:
            continue
        if pressure(found.z, rule.direction) < float(rule.threshold):
            continue
        if free <= point.start < ends:
            await _raise(newsroom, rule, point.start, found)
            free = point.start + length * (CALM_WINDOWS + 1)
            raised += 1
            if raised == 1:
                shown = f"{moment_text(point.start)}:{rule.rule_id}"
                await newsroom.alerts.acknowledge(shown, ANALYST)


async def _raise(newsroom: Newsroom, rule: AlertRule, start: datetime, found: Deviation) -> None:
    """Raised when its window was over, and cleared after windows that were calm. Nobody is told."""
    length = LENGTHS[rule.window]
    fired = start + length
    alert = Alert(
        window_start=start,
        rule_id=rule.rule_id,
        name=rule.name,
        watch_tag=rule.watch_tag,
        metric=rule.metric,
        window=rule.window,
        value=_places(found.value),
        mean=_places(found.mean),
        z=_places(found.z),
        fired_at=fired,
        ttl_timestamp=start + KEPT,
    )
    calm = start + length * CALM_WINDOWS
    with suppress(TransactionCancelled):
        await newsroom.db.run(writes.raise_alert(alert, fired, quiet_since=start))
        await newsroom.db.run(writes.clear_alert(rule.rule_id, start, calm, calm + length))


def _places(value: float) -> Decimal:
    return Decimal(str(round(value, 4)))
