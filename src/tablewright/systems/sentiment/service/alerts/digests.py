"""Alerts that are told together, every hour or every day.

A digest is one message for each channel. That it was written is noted on the rules it is about, in
the same transaction: after a crash it is written if it was not, and never twice.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from tablewright.model import together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.config import Alert, AlertRule, Delivery
from tablewright.systems.sentiment.rules.spans import DAY, HOUR, MINUTE, floor
from tablewright.systems.sentiment.service.alerts.telling import digest_message

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")

PERIODS: dict[Delivery, timedelta] = {"hourly": HOUR, "daily": DAY}
#: An alert that fires with the end of a period is written by then.
_SETTLED = 2 * MINUTE
#: The window of an alert began so long before it fired, at most.
_WINDOW = timedelta(hours=13)
#: Digests that were missed are made up for, so far back.
_MISSED = 7 * DAY
#: Rules of one transaction.
_TOGETHER = 90

Group: TypeAlias = tuple[str | None, Delivery]


class Digests:
    """Tells alerts together."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        #: Up to where this process has looked.
        self._looked: dict[Group, datetime] = {}

    async def tell(self, rules: Sequence[AlertRule]) -> None:
        """Write the digests that are due."""
        groups: dict[Group, list[AlertRule]] = {}
        for rule in rules:
            if rule.delivery in PERIODS:
                groups.setdefault((rule.channel, rule.delivery), []).append(rule)
        for group, members in groups.items():
            until = floor(self._newsroom.now() - _SETTLED, PERIODS[group[1]])
            if self._looked.get(group) == until:
                continue
            parts = [members[at : at + _TOGETHER] for at in range(0, len(members), _TOGETHER)]
            if all([await self._tell(group, some, until) for some in parts]):
                self._looked[group] = until

    async def _tell(self, group: Group, rules: Sequence[AlertRule], until: datetime) -> bool:
        """Whether all has been told; if not, it is tried again with the rules as they are then."""
        begins = {rule.rule_id: self._begin(rule, group[1], until) for rule in rules}
        since = min(begins.values())
        if since >= until:
            return True
        op = config_reads.alerts_to_digest(since=since - _WINDOW, until=until)
        found = [
            alert
            async for alert in self._newsroom.db.iterate(op)
            if alert.rule_id in begins and begins[alert.rule_id] <= _fired(alert) < until
        ]
        return not found or await self._written(group[0], rules, found, since, until)

    def _begin(self, rule: AlertRule, delivery: Delivery, until: datetime) -> datetime:
        """What fired from here on has not been told."""
        if rule.digested_until is None:
            return until - PERIODS[delivery]
        return max(rule.digested_until, until - _MISSED)

    async def _written(
        self,
        channel: str | None,
        rules: Sequence[AlertRule],
        alerts: list[Alert],
        since: datetime,
        until: datetime,
    ) -> bool:
        """One transaction: the message, and for each rule of it up to where it is told."""
        now = self._newsroom.now()
        about = {alert.rule_id for alert in alerts}
        notes = [writes.note_digest(each.rule_id, until) for each in rules if each.rule_id in about]
        told = digest_message(channel, sorted(alerts, key=_fired), since, until, now)
        try:
            await self._newsroom.db.run(together(notes[0], *notes[1:], told))
        except TransactionCancelled as refused:
            if not any(isinstance(each.error, ConditionFailed) for each in refused.failures):
                raise
            log.info("a digest up to %s: a rule was changed or told meanwhile", until)
            return False
        return True


def _fired(alert: Alert) -> datetime:
    return alert.fired_at or alert.window_start
