"""Apps of organisations: created with a secret, changed from the version that was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.client import Page
from tablewright.model import together
from tablewright.service.auth import Principal
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import Problem, conflict, invalid, not_found
from tablewright.systems.pricekeeper import reads, writes
from tablewright.systems.pricekeeper.bodies import AppIn, AppPatch, iso
from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.rules.account import Account, limit_errors
from tablewright.systems.pricekeeper.rules.changes import (
    app_errors,
    changed_app,
    new_app,
    patched_app,
    reset_errors,
)
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_org_id
from tablewright.systems.pricekeeper.service.settings import (
    Saved,
    changed_meanwhile,
    check_labels,
    differences,
    is_deleted,
    is_taken,
    noted,
    repeat_if_stale,
    run,
)

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


class Apps:
    """The apps, as administrators see them: read from the store, not from a cache."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def page(
        self,
        org_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        deleted: bool = False,
    ) -> Page[App]:
        """The apps of an organisation, by id."""
        org = await self._keeper.orgs.get(org_id, deleted=deleted)
        op = reads.apps(org.org_id, hidden=None if deleted else "DELETED")
        return await self._keeper.db.run(op, limit=limit, cursor=cursor)

    async def get(self, org_id: str, app_id: str, *, deleted: bool = False) -> App:
        """One app; a problem 404 if there is none."""
        org = await self._keeper.orgs.get(org_id, deleted=deleted)
        app = await self._stored(org, app_id)
        if app is None or (app.status == "DELETED" and not deleted):
            raise not_found("app")
        return app

    async def put(
        self,
        org_id: str,
        app_id: str,
        body: AppIn,
        by: Principal,
        when: Precondition = UNSAID,
        *,
        may_reset: bool = True,
    ) -> Saved[App]:
        """Create an app, or change the version of it that was seen.

        Settings that ``body`` does not name get their defaults. Unless ``may_reset``, a change
        that takes a setting's value away like that is a problem.
        """
        checked_org_id(org_id), checked_app_id(app_id)
        org = await self._keeper.orgs.get(org_id)
        stored = await self._stored(org, app_id)
        if stored is None:
            return await self._create(org, app_id, body, by, when)
        if not may_reset and stored.status != "DELETED":
            when.check(stored.version)
            if errors := reset_errors(body, stored):
                raise invalid(*errors)
        return await self._change(org, stored, body, by, when)

    async def patch(
        self,
        org_id: str,
        app_id: str,
        patch: AppPatch,
        by: Principal,
        when: Precondition = UNSAID,
    ) -> Saved[App]:
        """Change the settings that a patch names; see :meth:`Orgs.patch`."""

        async def change() -> Saved[App]:
            org = await self._keeper.orgs.get(org_id)
            stored = await self.get(org_id, app_id)
            when.check_if_given(stored.version)
            seen = Precondition.seen(stored.version)
            return await self._change(org, stored, patched_app(stored, patch), by, seen)

        return await repeat_if_stale(change, is_given=when != UNSAID)

    async def _create(
        self, org: Org, app_id: str, body: AppIn, by: Principal, when: Precondition
    ) -> Saved[App]:
        """One transaction: the organisation is active; the app, its credential and the secret that
        waits are new; the audit entry."""
        when.check_absent()
        if org.status != "ACTIVE":
            raise _is_disabled()
        now = self._keeper.now()
        await check_labels(self._keeper, body, app_errors(body))
        app = new_app(org.org_id, app_id, body, now)
        _check_limits(org, app)
        issued = self._keeper.credentials.issue(org.org_id, app_id, now)
        created = writes.create_app(app, issued.credential, issued.retrieval)
        op = together(created, noted(by, "app.create", app, now, name=app.app_name))
        saved = await run(self._keeper, op, App, _refusal)
        self._keeper.directory.forget(org.org_id)
        return Saved(saved, issued)

    async def _change(
        self, org: Org, stored: App, body: AppIn, by: Principal, when: Precondition
    ) -> Saved[App]:
        """One transaction: the app, if it still has the version that was seen; the audit entry."""
        if stored.status == "DELETED" and body.status is None:
            raise is_deleted("app")
        when.check(stored.version)
        now = self._keeper.now()
        await check_labels(self._keeper, body, app_errors(body))
        app = changed_app(stored, body, now)
        _check_limits(org, app)
        if not (changed := differences(stored, app)):
            return Saved(stored)
        op = together(writes.save_app(app), noted(by, "app.change", app, now, changed=changed))
        saved = await run(self._keeper, op, App, changed_meanwhile)
        self._keeper.directory.forget(org.org_id)
        return Saved(saved)

    async def delete(
        self, org_id: str, app_id: str, by: Principal, when: Precondition = UNSAID
    ) -> None:
        """Let the app in no more. One transaction, as for any change."""
        stored = await self.get(org_id, app_id)
        when.check_if_given(stored.version)
        now = self._keeper.now()
        gone = stored.model_copy(update={"status": "DELETED", "updated_at_epoch": iso(now)})
        op = together(writes.save_app(gone), noted(by, "app.delete", gone, now))
        await run(self._keeper, op, App, changed_meanwhile)
        self._keeper.directory.forget(gone.org_id)

    async def _stored(self, org: Org, app_id: str) -> App | None:
        return await self._keeper.db.run(reads.app(org.org_id, checked_app_id(app_id)))


def _refusal(place: int) -> Problem:
    """The first member of the transaction is the organisation, which has to be active."""
    return is_taken(place) if place else _is_disabled()


def _is_disabled() -> Problem:
    return conflict("ORG_DISABLED", "The organisation is disabled, and gets no new apps.")


def _check_limits(org: Org, app: App) -> None:
    if errors := limit_errors(Account(org, app)):
        raise invalid(*errors)
