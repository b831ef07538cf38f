"""Organisations: created with a secret, changed from the version that was seen, never erased.

A deleted one stays, for its spend was real; callers are told that there is none. It comes back
when its settings are put again, with a status, from the version that is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.client import Page
from tablewright.model import together
from tablewright.service.auth import Principal
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import invalid, not_found
from tablewright.service.search import search
from tablewright.systems.pricekeeper import reads, writes
from tablewright.systems.pricekeeper.bodies import OrgIn, OrgPatch, iso
from tablewright.systems.pricekeeper.config import App, Org, OrgIndex
from tablewright.systems.pricekeeper.rules.changes import (
    apps_errors,
    changed_org,
    new_org,
    org_errors,
    patched_org,
    reset_errors,
)
from tablewright.systems.pricekeeper.rules.ids import checked_org_id
from tablewright.systems.pricekeeper.service.apps import Apps
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


class Orgs:
    """The organisations, as administrators see them: read from the store, not from a cache."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self.apps = Apps(keeper)

    async def page(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        deleted: bool = False,
        text: str = "",
    ) -> Page[OrgIndex]:
        """Return organisations by id; with ``text``, those whose name or id has all its words."""
        op = reads.orgs(hidden=None if deleted else "DELETED")
        return await search(
            self._keeper.db,
            op,
            text,
            lambda org: (org.org_name, org.org_id),
            limit=limit,
            cursor=cursor,
        )

    async def get(self, org_id: str, *, deleted: bool = False) -> Org:
        """One organisation; a problem 404 if there is none."""
        org = await self._stored(checked_org_id(org_id))
        if org is None or (org.status == "DELETED" and not deleted):
            raise not_found("organisation")
        return org

    async def put(
        self,
        org_id: str,
        body: OrgIn,
        by: Principal,
        when: Precondition = UNSAID,
        *,
        may_reset: bool = True,
    ) -> Saved[Org]:
        """Create an organisation, or change the version of it that was seen.

        Settings that ``body`` does not name get their defaults. Unless ``may_reset``, a change
        that takes a setting's value away like that is a problem.
        """
        stored = await self._stored(checked_org_id(org_id))
        if stored is None:
            return await self._create(checked_org_id(org_id), body, by, when)
        if not may_reset and stored.status != "DELETED":
            when.check(stored.version)
            if errors := reset_errors(body, stored):
                raise invalid(*errors)
        return await self._change(stored, body, by, when)

    async def patch(
        self, org_id: str, patch: OrgPatch, by: Principal, when: Precondition = UNSAID
    ) -> Saved[Org]:
        """Change the settings that a patch names; the version that was seen, if one is given.

        Without one, the change is repeated on the stored version when another comes in between.
        """

        async def change() -> Saved[Org]:
            stored = await self.get(org_id)
            when.check_if_given(stored.version)
            seen = Precondition.seen(stored.version)
            return await self._change(stored, patched_org(stored, patch), by, seen)

        return await repeat_if_stale(change, is_given=when != UNSAID)

    async def _create(
        self, org_id: str, body: OrgIn, by: Principal, when: Precondition
    ) -> Saved[Org]:
        """One transaction: the organisation, its place in the list, its credential and the secret
        that waits, all of them new, and the audit entry."""
        when.check_absent()
        now = self._keeper.now()
        await check_labels(self._keeper, body, org_errors(body, None, now))
        org = new_org(org_id, body, now)
        _check_limits(org, [])
        issued = self._keeper.credentials.issue(org_id, None, now)
        created = writes.create_org(org, issued.credential, issued.retrieval)
        op = together(created, noted(by, "org.create", org, now, name=org.org_name))
        saved = await run(self._keeper, op, Org, is_taken)
        self._keeper.directory.forget(org_id)
        return Saved(saved, issued)

    async def _change(
        self, stored: Org, body: OrgIn, by: Principal, when: Precondition
    ) -> Saved[Org]:
        """One transaction: the organisation, if it still has the version that was seen, its place
        in the list, and the audit entry."""
        if stored.status == "DELETED" and body.status is None:
            raise is_deleted("organisation")
        when.check(stored.version)
        now = self._keeper.now()
        await check_labels(self._keeper, body, org_errors(body, stored, now))
        org = changed_org(stored, body, now)
        _check_limits(org, await self._apps_of(stored))
        if not (changed := differences(stored, org)):
            return Saved(stored)
        op = together(writes.save_org(org), noted(by, "org.change", org, now, changed=changed))
        saved = await run(self._keeper, op, Org, changed_meanwhile)
        self._keeper.directory.forget(org.org_id)
        return Saved(saved)

    async def delete(self, org_id: str, by: Principal, when: Precondition = UNSAID) -> None:
        """Let nobody in any more. One transaction, as for any change."""
        stored = await self.get(org_id)
        when.check_if_given(stored.version)
        now = self._keeper.now()
        gone = stored.model_copy(update={"status": "DELETED", "updated_at_epoch": iso(now)})
        op = together(writes.save_org(gone), noted(by, "org.delete", gone, now))
        await run(self._keeper, op, Org, changed_meanwhile)
        self._keeper.directory.forget(gone.org_id)

    async def _stored(self, org_id: str) -> Org | None:
        return await self._keeper.db.run(reads.org(org_id))

    async def _apps_of(self, org: Org) -> list[App]:
        found = self._keeper.db.iterate(reads.apps(org.org_id, hidden="DELETED"))
        return [app async for app in found]


def _check_limits(org: Org, apps: list[App]) -> None:
    if errors := apps_errors(org, apps):
        raise invalid(*errors)
