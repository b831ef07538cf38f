"""Alerts as pages show them: newest first, each with whose and what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.service.gathering import at_most
from tablewright.systems.pricekeeper.config import Org
from tablewright.systems.pricekeeper.pages.paths import scope_path
from tablewright.systems.pricekeeper.pages.standing import WINDOWS, label_text
from tablewright.systems.pricekeeper.spend import AlertSent

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_AT_ONCE = 4


@dataclass(frozen=True)
class AlertLine:
    """One alert."""

    org: Org
    alert: AlertSent

    @property
    def app_id(self) -> str:
        return self.alert.scope.partition("#APP#")[2]

    @property
    def path(self) -> str:
        return scope_path(self.org.org_id, self.app_id or None)

    @property
    def label(self) -> str:
        return label_text(self.alert.label)

    @property
    def window(self) -> str:
        return WINDOWS[self.alert.period.partition("#")[0]]

    @property
    def tone(self) -> str:
        pct = self.alert.pct
        if pct == 0:
            return "info"
        return "danger" if pct >= 100 else "warning" if pct >= 80 else ""

    @property
    def key(self) -> str:
        """Apart from all others."""
        alert = self.alert
        return f"{alert.scope} {alert.period} {alert.label} {alert.pct}"


async def alert_lines(keeper: Keeper, orgs: Iterable[Org]) -> list[AlertLine]:
    """What was told of the days, weeks and months that go on; of a limit, the latest alone."""
    known = list(orgs)
    found = await at_most(_AT_ONCE, (keeper.alerts.of_org(org.org_id) for org in known))
    lines: dict[tuple[str, str, str], AlertLine] = {}
    for org, alerts in zip(known, found, strict=True):
        for alert in alerts:
            place = (alert.scope, alert.period, alert.label)
            if place not in lines or lines[place].alert.pct < alert.pct:
                lines[place] = AlertLine(org, alert)
    return sorted(lines.values(), key=_recency, reverse=True)


async def latest_alert_lines(keeper: Keeper, most: int) -> list[AlertLine]:
    """Return the latest alerts of all organisations; of a limit, the latest alone."""
    lines: list[AlertLine] = []
    for alert in await keeper.alerts.latest(most):
        org = await keeper.directory.org(alert.scope.removeprefix("ORG#")[:36])
        if org is not None:
            lines.append(AlertLine(org, alert))
    return lines


def _recency(line: AlertLine) -> tuple[float, int]:
    return line.alert.sent_at_epoch.timestamp(), line.alert.pct
