"""Rules as people edit them, the log of what has fired, and how a series stands out."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tablewright.client import Page
from tablewright.model import together
from tablewright.model.errors import ConditionFailed, NotFound, TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.service.kit.outbox.sinks.addressed import secret_for
from tablewright.service.outbound import Outbound
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, conflict, invalid, not_found, stale
from tablewright.systems.sentiment import config_reads, reads, writes
from tablewright.systems.sentiment.config import Alert, AlertRule
from tablewright.systems.sentiment.rules.deviation import (
    LENGTHS,
    Deviation,
    last_closed,
    starts,
)
from tablewright.systems.sentiment.rules.figures import Figures
from tablewright.systems.sentiment.rules.ops_rules import is_built_in
from tablewright.systems.sentiment.service.alerts.channels import check_channel
from tablewright.systems.sentiment.service.alerts.digests import Digests
from tablewright.systems.sentiment.service.alerts.evaluating import Evaluation
from tablewright.systems.sentiment.service.alerts.operating import Operating
from tablewright.systems.sentiment.service.alerts.telling import is_webhook
from tablewright.systems.sentiment.service.alerts.windows import Windows

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_RULE_ID = re.compile(r"[A-Za-z0-9_-]{1,40}\Z")
#: Each is judged every minute.
MAX_RULES = 100
#: Windows of a chart.
CHARTED = 48


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One window, and how far it stands out; None if that cannot be told."""

    start: datetime
    figures: Figures
    deviation: Deviation | None


class Alerts:
    """Rules, when they fire, and who has seen it."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self.evaluation = Evaluation(newsroom)
        self.operating = Operating(newsroom, self.evaluation)
        self.digests = Digests(newsroom)
        self._outbound = Outbound(allow_local=newsroom.runtime.settings.allow_local_webhooks)
        self._charted = Windows(newsroom, reads.series)
        self._watching: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """The rules about the system itself, and a look at this process each minute."""
        await self.operating.install()
        self._watching = asyncio.create_task(self.operating.watch(), name="own counters")

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
            self._watching = None

    async def evaluate(self) -> None:
        """Judge every rule, and tell the digests that are due."""
        rules = await self.evaluation.rules()
        await self.operating.judge(rules)
        await self.evaluation.judge(rules)
        await self.digests.tell(rules)

    # --- rules -------------------------------------------------------------------------

    async def rules(
        self, *, limit: int | None = None, cursor: str | None = None
    ) -> Page[AlertRule]:
        """All rules."""
        return await self._newsroom.db.run(config_reads.alert_rules(), limit=limit, cursor=cursor)

    async def rule(self, rule_id: str) -> AlertRule:
        """One rule; a problem 404 if there is none."""
        if not _is_rule_id(rule_id):
            raise not_found("rule")
        found = await self._newsroom.db.run(config_reads.alert_rule(rule_id))
        if found is None:
            raise not_found("rule")
        return found

    async def create(self, given: dict[str, Any], by: Principal) -> AlertRule:
        """A new rule. One transaction with its audit entry; its condition: the id is new."""
        await self._check(given)
        known = [rule async for rule in self._newsroom.db.iterate(config_reads.alert_rules())]
        if len(known) >= MAX_RULES:
            raise conflict("RULES_FULL", f"There are {MAX_RULES} rules, which is the most.")
        rule = AlertRule(
            rule_id=self._newsroom.runtime.ids(), created_at=self._newsroom.now(), **given
        )
        noted = self._noted(by, "alert_rule.create", rule, {"metric": rule.metric})
        await self._newsroom.db.run(together(writes.create_alert_rule(rule), noted))
        return rule

    async def save(
        self, rule_id: str, given: dict[str, Any], said: Precondition, by: Principal
    ) -> AlertRule:
        """A rule as somebody wants it. One transaction with its audit entry; its condition: the
        version is the one that was seen. Whether it is firing stays."""
        before = await self.rule(rule_id)
        said.check(before.version)
        if is_built_in(before) and given.get("ops") != before.ops:
            detail = "This rule comes with the system: what it watches stays."
            raise conflict("BUILT_IN", detail)
        if given.get("channel") != before.channel:
            await self._check(given)
        else:
            await self._check({**given, "channel": None})
        rule = AlertRule.model_validate({**before.model_dump(), **given})
        changed = [name for name in given if getattr(before, name) != getattr(rule, name)]
        if not changed:
            return before
        noted = self._noted(by, "alert_rule.save", rule, {"changed": changed})
        await self._guarded(together(writes.save_alert_rule(rule), noted))
        return rule.model_copy(update={"version": rule.version + 1})

    async def delete(self, rule_id: str, said: Precondition, by: Principal) -> None:
        """No longer watch for something; its alerts stay in the log. One transaction with its audit
        entry; its condition: nobody has edited it since."""
        rule = await self.rule(rule_id)
        said.check_if_given(rule.version)
        if is_built_in(rule):
            detail = "This rule comes with the system. Disable it instead."
            raise conflict("BUILT_IN", detail)
        noted = self._noted(by, "alert_rule.delete", rule, {"name": rule.name})
        await self._guarded(together(writes.delete_alert_rule(rule), noted))

    async def secret(self, rule_id: str) -> str:
        """What the messages to a rule's webhook are signed with; a receiver checks them by it."""
        rule = await self.rule(rule_id)
        if rule.channel is None or not is_webhook(rule.channel):
            raise conflict("NO_WEBHOOK", "This rule has no webhook, so nothing is signed.")
        return secret_for(self._newsroom.runtime.keys, rule.channel)

    async def _check(self, given: dict[str, Any]) -> None:
        await check_channel(given.get("channel"), self._outbound)
        tag = given.get("watch_tag")
        if tag is not None and await self._newsroom.db.run(config_reads.watch(tag)) is None:
            raise invalid(FieldError("body.tag", "there is no such topic"))

    async def _guarded(self, op: Any) -> None:
        try:
            await self._newsroom.db.run(op)
        except TransactionCancelled as refused:
            if any(isinstance(each.error, ConditionFailed) for each in refused.failures):
                raise stale() from refused
            raise

    def _noted(self, by: Principal, action: str, rule: AlertRule, detail: dict[str, Any]) -> Any:
        subject = f"alert-rule/{rule.rule_id}"
        return audit.record(by, action, subject, at=self._newsroom.now(), detail=detail)

    # --- what has fired ----------------------------------------------------------------

    async def log(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[Alert]:
        """What has fired, the latest windows first."""
        op = config_reads.alerts(since=since, until=until)
        return await self._newsroom.db.run(op, limit=limit, cursor=cursor)

    async def acknowledge(self, shown: str, by: Principal) -> Alert:
        """Somebody has seen an alert; the first one counts. One transaction with its audit entry;
        its condition: the alert is there."""
        start, rule_id = _parts(shown)
        found = await self._newsroom.db.run(config_reads.alert(start, rule_id))
        if found is None:
            raise not_found("alert")
        if found.acked_at is not None:
            return found
        now = self._newsroom.now()
        noted = audit.record(by, "alert.ack", f"alert/{shown}", at=now)
        seen = writes.acknowledge_alert(start, rule_id, by=by.id, now=now)
        try:
            await self._newsroom.db.run(together(seen, noted))
        except TransactionCancelled as refused:
            if any(isinstance(each.error, NotFound) for each in refused.failures):
                raise not_found("alert") from refused
            raise
        return await self._newsroom.db.require(config_reads.alert(start, rule_id))

    # --- how a series stands out -------------------------------------------------------

    async def chart(self, rule_id: str) -> tuple[AlertRule, list[ChartPoint]]:
        """The last 48 closed windows of what a rule watches, and z of each."""
        rule = await self.rule(rule_id)
        if rule.metric == "ops":
            raise conflict("NO_CHART", "What this rule watches is no series over time.")
        last = last_closed(self._newsroom.now(), rule.window)
        wanted = starts(last, rule.window, CHARTED)
        found = await self._charted.deviations(rule, wanted)
        points = [
            ChartPoint(start, figures, deviation)
            for start, (figures, deviation) in zip(wanted, found, strict=True)
        ]
        return rule, points


def window_end(alert: Alert) -> datetime:
    """When the window of an alert was over."""
    return alert.window_start + LENGTHS[alert.window] if alert.window else alert.window_start


def _is_rule_id(text: str) -> bool:
    return _RULE_ID.match(text) is not None


def _parts(shown: str) -> tuple[datetime, str]:
    """Of ``2026-11-20T11:00:00.000Z:{rule_id}``; a problem 404 if it cannot be one."""
    moment, _, rule_id = shown.rpartition(":")
    try:
        start = datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except ValueError:
        raise not_found("alert") from None
    if not _is_rule_id(rule_id):
        raise not_found("alert")
    return start, rule_id
