"""Who there is: organisations, apps and labels, kept by the process for half a minute."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from typing import TYPE_CHECKING, TypeVar

from tablewright.service.problems import Problem, not_found
from tablewright.service.remembered import Remembered
from tablewright.systems.pricekeeper import reads
from tablewright.systems.pricekeeper.config import App, Label, Org, Status
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.ids import (
    checked_app_id,
    checked_org_id,
    is_name,
    is_org_id,
)

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_Found = TypeVar("_Found", Org, App)
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

#: With the second that totals are kept for, a change is seen everywhere within half a minute.
KEPT_SECS = 25.0
#: How long settings may be used that could not be read again.
STALE_SECS = 600.0


class Directory:
    """Settings as callers' requests need them."""

    def __init__(self, keeper: Keeper) -> None:
        self._db = keeper.db
        self._clock = keeper.clock
        self._orgs = self._kept(self._read_org)
        self._apps = self._kept(self._read_app)
        self._labels = self._kept(self._read_label)
        self._all_labels = self._kept(self._read_labels)
        self._accounts: dict[tuple[str, str], Account] = {}

    def _kept(self, load: Callable[[K], Awaitable[V]]) -> Remembered[K, V]:
        return Remembered(load, self._clock, secs=KEPT_SECS, stale_secs=STALE_SECS)

    async def org(self, org_id: str) -> Org | None:
        """An organisation, whatever its status; what is no id is nobody's."""
        return await self._orgs.get(org_id) if is_org_id(org_id) else None

    async def app(self, org_id: str, app_id: str) -> App | None:
        """An app, whatever its status."""
        named = is_org_id(org_id) and is_name(app_id)
        return await self._apps.get((org_id, app_id)) if named else None

    async def account(self, org_id: str, app_id: str, *, even_disabled: bool = False) -> Account:
        """An app of an organisation, both of them active; else a problem."""
        org = _there("organisation", await self.org(checked_org_id(org_id)))
        app = _there("app", await self.app(org.org_id, checked_app_id(app_id)))
        if not even_disabled:
            _enabled("organisation", "ORG_DISABLED", org.status)
            _enabled("app", "APP_DISABLED", app.status)
        return self._account(org, app)

    async def label(self, name: str) -> Label | None:
        """A label; what has not even the shape of one is none."""
        return await self._labels.get(name) if is_name(name) else None

    async def labels(self) -> tuple[Label, ...]:
        """All labels, by name."""
        return await self._all_labels.get(None)

    # --- after changes ---------------------------------------------------------------------------

    def forget(self, org_id: str) -> None:
        """An organisation, or one of its apps, has been changed by this process."""
        self._orgs.forget(org_id)
        self._apps.forget_all(lambda key: key[0] == org_id)

    def forget_label(self, name: str) -> None:
        """A label has been changed by this process."""
        self._labels.forget(name)
        self._all_labels.forget(None)

    # --- reading ---------------------------------------------------------------------------------

    async def _read_org(self, org_id: str) -> Org | None:
        return await self._db.run(reads.org(org_id))

    async def _read_app(self, key: tuple[str, str]) -> App | None:
        return await self._db.run(reads.app(*key))

    async def _read_label(self, name: str) -> Label | None:
        return await self._db.run(reads.label(name))

    async def _read_labels(self, _: None) -> tuple[Label, ...]:
        return tuple([label async for label in self._db.iterate(reads.labels())])

    def _account(self, org: Org, app: App) -> Account:
        """The same account for the same settings: it remembers what it has worked out."""
        key = (app.org_id, app.app_id)
        found = self._accounts.get(key)
        if found is None or found.org is not org or found.app is not app:
            if len(self._accounts) >= 10_000:
                self._accounts.clear()
            found = self._accounts[key] = Account(org, app)
        return found


def _there(what: str, found: _Found | None) -> _Found:
    if found is None or found.status == "DELETED":
        raise not_found(what)
    return found


def _enabled(what: str, code: str, status: Status) -> None:
    if status == "DISABLED":
        raise Problem(403, code, f"The {what} is disabled.")
