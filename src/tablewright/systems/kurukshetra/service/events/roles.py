"""Who may do what at one event."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from tablewright.client import Page
from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import outdated, refused, settled
from tablewright.service.email_addresses import EmailError, parse_email
from tablewright.service.problems import FieldError, forbidden, invalid
from tablewright.systems.kurukshetra import lists, organising, reads
from tablewright.systems.kurukshetra.people import EVERYWHERE, Role, RoleHolder, RoleName
from tablewright.systems.kurukshetra.plain import Plain, text_of
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.versions import outdated_change

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


#: Roles that organisers give and take.
BY_ORGANIZERS: Final[frozenset[RoleName]] = frozenset({"volunteer"})


@dataclass(frozen=True)
class Holder:
    """Somebody with roles at an event."""

    uid_hash: str
    #: The address or the user id that the roles were given to.
    who: str
    roles: frozenset[RoleName]
    created_at: datetime
    updated_at: datetime


class Roles:
    """Who may do what at one event."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def list(
        self, by: Caller, limit: int | None = None, cursor: str | None = None
    ) -> Page[Holder]:
        """Who has roles at the event. [5b]"""
        by.require("admin", "organizer")
        op = lists.role_holders(by.event_id)
        page = await self._festival.db.run(op, limit=limit, cursor=cursor)
        return Page(tuple(self._shown(each) for each in page), page.cursor)

    async def grant(self, by: Caller, who: str, roles: Iterable[RoleName]) -> Holder | None:
        """What an address or a user may do at the event from now on; None if nothing any more.

        An address counts for whoever signs in with it, once it is verified. Organisers decide who
        is a volunteer; all other roles are an administrator's to give and to take. One transaction:
        the roles and their line in the list, each at the version that was read, and the audit
        entry.
        """
        by.require("admin", "organizer")
        event_id, wanted = by.event_id, frozenset(roles)
        hashed, name = self._named(who)
        role, holder = await asyncio.gather(
            self._festival.db.run(reads.role(hashed, event_id)),
            self._festival.db.run(reads.role_holder(event_id, hashed)),
        )
        _check_may(by, frozenset() if role is None else frozenset(role.roles), wanted)
        if not wanted:
            await self._settle(by, hashed, wanted, organising.revoke_roles(hashed, event_id))
            return None
        said = {"event_id": event_id, "uid_hash": hashed, "roles": set(wanted)}
        written = Role.model_validate({**said, **self._times(role)})
        listed = RoleHolder.model_validate({**said, "who": Plain(name), **self._times(holder)})
        sealed = self._festival.privacy.vault.sealed(listed)
        await self._settle(by, hashed, wanted, organising.grant_roles(written, sealed))
        return self._shown(listed)

    async def add(self, by: Caller, who: str, roles: Iterable[RoleName]) -> Holder | None:
        """Give roles besides those that somebody has already."""
        return await self.grant(by, who, await self._roles_of(by.event_id, who) | set(roles))

    async def remove(self, by: Caller, who: str, roles: Iterable[RoleName] = ()) -> Holder | None:
        """Take roles away, or all of them if none is named."""
        gone, before = frozenset(roles), await self._roles_of(by.event_id, who)
        return await self.grant(by, who, before - gone if gone else ())

    def everywhere(self, by_user: Caller) -> Caller:
        """The caller as somebody who decides about roles at all events."""
        return replace(by_user, event_id=EVERYWHERE)

    # --- inside ----------------------------------------------------------------------------------

    async def _roles_of(self, event_id: str, who: str) -> frozenset[RoleName]:
        role = await self._festival.db.run(reads.role(self._named(who)[0], event_id))
        return frozenset() if role is None else frozenset(role.roles)

    async def _settle(
        self, by: Caller, hashed: str, roles: frozenset[RoleName], op: Op[object]
    ) -> None:
        noted = self._festival.access.noted(by, "roles.grant", holder=hashed, roles=sorted(roles))
        try:
            await settled(self._festival.db, lambda: together(op, noted), code="BUSY")
        except TransactionCancelled as cancelled:
            if outdated(cancelled) or refused(cancelled):
                raise outdated_change() from None
            raise
        finally:
            self._festival.access.forget_event(by.event_id)

    def _named(self, who: str) -> tuple[str, str]:
        """The hash that stands for somebody, and how they are shown."""
        blind = self._festival.privacy.blind
        if "@" not in who:
            return blind.uid(who), who
        try:
            address = parse_email(who)
        except EmailError as error:
            raise invalid(FieldError("body.who", str(error))) from None
        return blind.email(address), address

    def _times(self, before: Role | RoleHolder | None) -> dict[str, object]:
        now = self._festival.now()
        if before is None:
            return {"created_at": now, "updated_at": now}
        return {
            "created_at": before.created_at,
            "updated_at": now,
            "version": before.version,
        }

    def _shown(self, holder: RoleHolder) -> Holder:
        opened = self._festival.privacy.vault.opened(holder)
        return Holder(
            holder.uid_hash,
            text_of(opened.who),
            frozenset(holder.roles),
            holder.created_at,
            holder.updated_at,
        )


def _check_may(by: Caller, before: frozenset[RoleName], after: frozenset[RoleName]) -> None:
    if not by.admin and (before ^ after) - BY_ORGANIZERS:
        raise forbidden("Organisers add and remove volunteers. Ask an administrator for the rest.")
