"""Telling people that a share of a limit is spent: once for each limit, period and percentage.

An alert is remembered and put into the outbox in one transaction, on condition that it is not
remembered yet. However many processes notice at the same moment, one of them tells. Only what a
sum of counters says counts: an estimate that is a moment too high alarms nobody.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from pydantic import JsonValue

from tablewright.model import together
from tablewright.model.errors import AlreadyExists, TablewrightError, TransactionCancelled
from tablewright.service.gathering import at_most
from tablewright.service.kit.outbox import message
from tablewright.service.problems import not_found
from tablewright.systems.pricekeeper.config import Org
from tablewright.systems.pricekeeper.reads import alerts, apps, orgs, recent_alerts
from tablewright.systems.pricekeeper.recording import list_alert, remember_alert
from tablewright.systems.pricekeeper.rules.account import Limit
from tablewright.systems.pricekeeper.rules.calendar import calendar_of, periods_of
from tablewright.systems.pricekeeper.rules.cost import PICOS, micros
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, scope_of
from tablewright.systems.pricekeeper.spend import AlertSent, RecentAlert

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger("tablewright.pricekeeper")

#: How long it can be looked up what was told.
KEPT_SECS = 400 * 86_400
#: The "percentage" of an alert that is about no limit: usage without a price.
UNPRICED = 0
#: Alerts that this process remembers to have gone out, so as not to try again.
_MOST = 50_000
#: The latest alerts are looked for on so many days, the longest month, and so many of each.
_LATEST_DAYS, _MOST_A_DAY = 32, 200
#: Requests of one listing that are under way at the same time.
_AT_ONCE = 16


class Reached(NamedTuple):
    """What was spent of a limit, by a sum of counters."""

    limit: Limit
    period: str
    picos: int


class Alerts:
    """The alerts of one process."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        #: What was sent on days that are over.
        self._past: dict[str, Sequence[AlertSent]] = {}
        self._sent: OrderedDict[tuple[TotalKey, int], None] = OrderedDict()
        #: The limits whose percentage is shown, and when their windows end.
        self._shown: dict[tuple[str, str, str], int] = {}
        metrics = keeper.runtime.metrics
        self._percent = metrics.gauge(
            "pricekeeper_quota_percent",
            "How much of a limit is spent",
            ("scope", "label", "window"),
        )
        self._count = metrics.counter("pricekeeper_alerts", "Alerts that went out", ("pct",))

    async def reached(self, org: Org, found: Iterable[Reached]) -> None:
        """Tell what has been reached and was not told yet. Nothing fails because this does."""
        self._forget_ended()
        for limit, period, picos in found:
            quota = limit.quota_micros
            if not quota:
                continue
            self._show(limit, picos / (quota * PICOS) * 100, calendar_of(org).ends(period))
            reached = [pct for pct in org.alert_pcts if picos * 100 >= pct * quota * PICOS]
            if reached:
                # Spend that passes several percentages at once is one alert: the highest.
                key = TotalKey(limit.scope, limit.label, period)
                await self._tell(org, key, max(reached), micros(picos), quota)

    def _show(self, limit: Limit, percent: float, ends: int) -> None:
        place = (limit.scope, limit.label, limit.window)
        self._percent.labels(*place).set(percent)
        self._shown[place] = ends

    def _forget_ended(self) -> None:
        """A new day begins with nothing spent, not with yesterday's percentages."""
        now = self._keeper.clock.now()
        for place in [place for place, ends in self._shown.items() if ends <= now]:
            self._percent.remove(*place)
            del self._shown[place]

    async def unpriced(self, org: Org, key: TotalKey) -> None:
        """Tell that usage could not be priced, and cost nothing therefore."""
        await self._tell(org, key, UNPRICED, 0, 0)

    async def _tell(self, org: Org, key: TotalKey, pct: int, spend: int, quota: int) -> None:
        if (key, pct) in self._sent:
            return
        now = self._keeper.now()
        if pct and await self._is_exceeded(key, pct):
            self._remember(key, pct)
            return
        alert = AlertSent(
            scope=key.scope,
            period=key.period,
            label=key.label,
            pct=pct,
            sent_at_epoch=_moment(now),
            spend=spend,
            quota=quota,
            expires_at_epoch=_moment(now + KEPT_SECS),
        )
        kind = "alert.reached" if pct else "usage.unpriced"
        told = message(kind, key.scope, _body(org, alert), at=self._keeper.clock.now())
        listed = RecentAlert(**alert.model_dump(), sent_on=f"{alert.sent_at_epoch:%Y%m%d}")
        try:
            await self._keeper.db.run(together(remember_alert(alert), list_alert(listed), told))
        except TransactionCancelled as cancelled:
            if not any(isinstance(each.error, AlreadyExists) for each in cancelled.failures):
                log.warning("an alert of %s was not sent: %s", key.scope, cancelled)
                return
        except TablewrightError as error:
            log.warning("an alert of %s was not sent: %s", key.scope, error)
            return
        else:
            self._count.labels(str(pct)).inc()
        self._remember(key, pct)

    async def _is_exceeded(self, key: TotalKey, pct: int) -> bool:
        """Tell whether a higher percentage of a limit was sent in the period; spend may fall."""
        try:
            sent = await self._of(key.scope, key.period)
        except TablewrightError:
            return False
        return any(each.label == key.label and each.pct > pct for each in sent)

    def _remember(self, key: TotalKey, pct: int) -> None:
        self._sent[key, pct] = None
        if len(self._sent) > _MOST:
            self._sent.popitem(last=False)

    # --- what was told ---------------------------------------------------------------------------

    async def of_org(
        self, org_id: str, app_id: str | None = None, day: str | None = None
    ) -> list[AlertSent]:
        """What was told of a day, its week and its month, the latest first.

        Of one app, or of the organisation and all its apps; of today, if no day is named.
        """
        org = await self._keeper.directory.org(org_id)
        if org is None:
            raise not_found("organisation")
        day = day or calendar_of(org).day(self._keeper.clock.now())
        scopes = [scope_of(org_id, app_id)]
        if app_id is None:
            found = self._keeper.db.iterate(apps(org_id))
            scopes += [scope_of(org_id, app.app_id) async for app in found]
        told = await at_most(
            _AT_ONCE,
            (self._of(scope, period) for scope in scopes for period in periods_of(day)),
        )
        flat = [alert for alerts in told for alert in alerts]
        return _latest_first(flat)

    async def everywhere(
        self, day: str | None, limit: int, cursor: str | None
    ) -> tuple[list[AlertSent], str | None]:
        """The same of all organisations, ``limit`` of them at a time."""
        page = await self._keeper.db.run(orgs(), limit=limit, cursor=cursor)
        found = [await self.of_org(each.org_id, None, day) for each in page]
        flat = [alert for alerts in found for alert in alerts]
        return _latest_first(flat), page.cursor

    async def latest(self, most: int) -> list[AlertSent]:
        """Return the latest alerts of all organisations whose periods are not over.

        Read by the day on which they were sent, as many days as it takes; days that are over do
        not change, and are read once by each process.
        """
        now = datetime.fromtimestamp(self._keeper.clock.now(), UTC)
        found: dict[tuple[str, str, str], AlertSent] = {}
        for back in range(_LATEST_DAYS):
            for alert in await self._sent_on(f"{now - timedelta(days=back):%Y%m%d}", back):
                place = (alert.scope, alert.period, alert.label)
                if place not in found and await self._is_current(alert):
                    found[place] = alert
            if len(found) >= most:
                break
        return list(found.values())[:most]

    async def _sent_on(self, day: str, back: int) -> Sequence[AlertSent]:
        known = self._past.get(day)
        if known is None:
            rows = await self._keeper.db.run(recent_alerts(day), limit=_MOST_A_DAY)
            known = [AlertSent(**row.model_dump(exclude={"sent_on"})) for row in rows]
            # Clocks of processes differ: yesterday may still change for a while.
            if back > 1:
                self._past[day] = known
                if len(self._past) > 2 * _LATEST_DAYS:
                    del self._past[min(self._past)]
        return known

    async def _is_current(self, alert: AlertSent) -> bool:
        org = await self._keeper.directory.org(alert.scope.removeprefix("ORG#")[:36])
        if org is None or org.status == "DELETED":
            return False
        return alert.period in periods_of(calendar_of(org).day(self._keeper.clock.now()))

    async def _of(self, scope: str, period: str) -> list[AlertSent]:
        return [alert async for alert in self._keeper.db.iterate(alerts(scope, period))]


def _latest_first(alerts: Iterable[AlertSent]) -> list[AlertSent]:
    return sorted(alerts, key=lambda alert: (alert.sent_at_epoch, alert.pct), reverse=True)


# --- for people ----------------------------------------------------------------------------------


def _body(org: Org, alert: AlertSent) -> dict[str, JsonValue]:
    org_id, _, app_id = alert.scope.removeprefix("ORG#").partition("#APP#")
    return {
        "title": _title(org, alert, app_id),
        "text": _text(org, alert, app_id),
        "org_id": org_id,
        "app_id": app_id or None,
        "period": alert.period,
        "label": alert.label,
        "pct": alert.pct,
        "spend_usd_micros": alert.spend,
        "quota_usd_micros": alert.quota,
    }


def _title(org: Org, alert: AlertSent, app_id: str) -> str:
    whose = f"{org.org_name}, {app_id}" if app_id else org.org_name
    if alert.pct == UNPRICED:
        return f"{whose}: usage of {alert.label} has no price"
    return f"{whose}: {alert.pct} % of a limit is spent"


def _text(org: Org, alert: AlertSent, app_id: str) -> str:
    window, _, when = alert.period.partition("#")
    what = "all labels" if alert.label == ALL else alert.label
    whose = f"The app {app_id} of {org.org_name}" if app_id else org.org_name
    if alert.pct == UNPRICED:
        return (
            f"{whose} has used {what} on {when}, for which there is no price. It was counted "
            "with a cost of 0. Set a price, then reprice."
        )
    return (
        f"{whose} has spent ${alert.spend / 10**6:,.2f} of ${alert.quota / 10**6:,.2f} for "
        f"{what} in the {window.lower()} {when}."
    )


def _moment(epoch: int) -> datetime:
    return datetime.fromtimestamp(epoch, UTC)
