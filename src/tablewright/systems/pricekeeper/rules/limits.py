"""The limits of an organisation and of its apps, one by one, whether a label is in use or not."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.systems.pricekeeper.config import Org
from tablewright.systems.pricekeeper.rules.account import FIELDS, WINDOWS, Account, Limit
from tablewright.systems.pricekeeper.shapes import scope_of


def org_limits(org: Org) -> Iterator[Limit]:
    """What the organisation may spend as a whole."""
    if org.quota_scope == "APP":
        return
    for window in WINDOWS:
        quotas: dict[str, int | None] = getattr(org, FIELDS[window])
        for label, quota in quotas.items():
            yield Limit(scope_of(org.org_id), window, label, quota)


def app_limits(account: Account) -> Iterator[Limit]:
    """What one app may spend by itself."""
    if account.org.quota_scope == "ORG":
        return
    for window in WINDOWS:
        for label, quota in account.quotas(account.app_scope, window).items():
            yield Limit(account.app_scope, window, label, quota)
