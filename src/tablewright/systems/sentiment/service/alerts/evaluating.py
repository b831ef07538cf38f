"""Judging the rules, and what comes of it.

Each change of a rule's state is one conditional write, and an alert is raised together with its
message: whoever else judges at the same moment, or again after a crash, is refused.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tablewright.model import InTransaction, Op, together
from tablewright.model.errors import (
    ConditionFailed,
    NotFound,
    TablewrightError,
    TransactionCancelled,
)
from tablewright.systems.sentiment import config_reads, reads, writes
from tablewright.systems.sentiment.config import Alert, AlertRule
from tablewright.systems.sentiment.rules.deviation import (
    Standing,
    Step,
    calm_below,
    last_closed,
    pressure,
    step,
)
from tablewright.systems.sentiment.service.alerts.telling import fired_message
from tablewright.systems.sentiment.service.alerts.windows import Windows

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")

KEPT = timedelta(days=90)


class Evaluation:
    """Judges the rules about articles."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self._windows = Windows(newsroom, reads.series_to_judge)
        self._count = newsroom.runtime.metrics.counter(
            "sentiment_alerts", "Alerts that were raised, by what they are about.", ("metric",)
        )

    async def rules(self) -> list[AlertRule]:
        """All of them, as they are."""
        found = self._newsroom.db.iterate(config_reads.alert_rules_to_check())
        return [rule async for rule in found]

    async def judge(self, rules: list[AlertRule]) -> None:
        """Judge the last closed window of each rule; one that fails does not keep the others."""
        failure: TablewrightError | None = None
        for rule in rules:
            if not rule.enabled or rule.metric == "ops":
                continue
            try:
                await self._judged(rule)
            except TablewrightError as error:
                log.warning("rule %s could not be judged: %s", rule.rule_id, error)
                failure = error
        if failure is not None:
            raise failure

    async def _judged(self, rule: AlertRule) -> None:
        now = self._newsroom.now()
        start = last_closed(now, rule.window)
        ((_, found),) = await self._windows.deviations(rule, [start])
        # What cannot be told is no trouble: else an alert would outlive the articles it is about.
        pushed = 0.0 if found is None else pressure(found.z, rule.direction)
        taken = step(
            standing_of(rule),
            start,
            fires=pushed >= float(rule.threshold),
            calm=pushed < calm_below(float(rule.threshold)),
            now=now,
            cooldown=cooldown_of(rule),
        )
        alert = None
        if found is not None and taken == "raise":
            alert = Alert(
                **_named(rule, start, now),
                window=rule.window,
                value=_places(found.value),
                mean=_places(found.mean),
                z=_places(found.z),
                threshold=rule.threshold,
            )
        await self.take(rule, taken, start, alert)

    # --- what comes of it --------------------------------------------------------------

    async def take(
        self, rule: AlertRule, taken: Step, start: datetime, alert: Alert | None
    ) -> None:
        """Write down the next state of a rule; nothing, if somebody else has done so."""
        if taken == "nothing":
            return
        try:
            if taken == "clear":
                await self._clear(rule, start)
            else:
                await self._newsroom.db.run(self._op(rule, taken, start, alert))
        except (ConditionFailed, TransactionCancelled) as refused:
            if not _was_done(refused):
                raise
            return
        if taken == "raise":
            self._count.labels(rule.metric).inc()
            log.warning("rule %s fires: %s", rule.rule_id, rule.name)

    async def _clear(self, rule: AlertRule, start: datetime) -> None:
        """The rule and its alert; the rule alone, if it fired for longer than alerts are kept."""
        db, fired = self._newsroom.db, rule.fired_window or start
        try:
            await db.run(writes.clear_alert(rule.rule_id, fired, start, self._newsroom.now()))
        except TransactionCancelled as refused:
            if not _only_the_alert_is_gone(refused):
                raise
            await db.run(writes.rest_rule(rule.rule_id, fired, start))

    def _op(self, rule: AlertRule, taken: Step, start: datetime, alert: Alert | None) -> Op[object]:
        now = self._newsroom.now()
        if taken == "raise":
            assert alert is not None
            raised = writes.raise_alert(alert, now, quiet_since=now - cooldown_of(rule))
            told: list[InTransaction[object]] = []
            if rule.delivery == "immediate":
                told.append(fired_message(rule, alert, now))
            return together(raised, *told)
        calm = rule.calm_windows + 1 if taken == "calm" else 0
        return writes.note_window(rule.rule_id, start, calm)


def ops_alert(rule: AlertRule, start: datetime, now: datetime, value: float, limit: float) -> Alert:
    return Alert(
        **_named(rule, start, now), ops=rule.ops, value=_places(value), threshold=_places(limit)
    )


def _named(rule: AlertRule, start: datetime, now: datetime) -> dict[str, Any]:
    return {
        "window_start": start,
        "rule_id": rule.rule_id,
        "name": rule.name,
        "watch_tag": rule.watch_tag,
        "metric": rule.metric,
        "fired_at": now,
        "ttl_timestamp": start + KEPT,
    }


def standing_of(rule: AlertRule) -> Standing:
    return Standing(rule.firing, rule.calm_windows, rule.judged_window, rule.last_fired_at)


def cooldown_of(rule: AlertRule) -> timedelta:
    return timedelta(minutes=rule.cooldown_minutes)


def _places(value: float) -> Decimal:
    """As many places as such figures are worth."""
    return Decimal(str(round(value, 4)))


def _only_the_alert_is_gone(refused: TransactionCancelled) -> bool:
    """Of the rule and its alert, that is: nobody else has ended it meanwhile."""
    return all(each.position == 1 and isinstance(each.error, NotFound) for each in refused.failures)


def _was_done(refused: ConditionFailed | TransactionCancelled) -> bool:
    """Whether a condition stood in the way, which means that somebody else was quicker."""
    if isinstance(refused, ConditionFailed):
        return True
    return any(isinstance(each.error, ConditionFailed) for each in refused.failures)
