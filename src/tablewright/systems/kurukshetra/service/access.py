"""Who somebody is at an event, and what they may do there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from tablewright.model import Put
from tablewright.service.auth import Principal
from tablewright.service.email_addresses import comparison_key
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import not_found
from tablewright.service.remembered import Remembered
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.people import EVERYWHERE, RoleName
from tablewright.systems.kurukshetra.service.callers import Caller, address_in
from tablewright.systems.kurukshetra.service.noting import recorded

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: How old what a process knows of somebody may be.
_KNOWN_SECS: Final = 2.0
#: The same of roles at all events, which few have and rarely change.
_EVERYWHERE_SECS: Final = 5.0
_ROLES: Final[frozenset[RoleName]] = frozenset(get_args(RoleName))


@dataclass(frozen=True)
class _Key:
    """Somebody at an event."""

    event_id: str
    uid_hash: str
    #: Of the verified address, which roles may have been given to.
    email_hash: str | None


@dataclass(frozen=True)
class _Known:
    """What the table says of them."""

    participant_id: str | None
    team_id: str | None
    roles: frozenset[RoleName]

    def __bool__(self) -> bool:
        # Who registers or joins in one process is seen by the others at once.
        return self.team_id is not None or bool(self.roles)


class Access:
    """Who somebody is at an event, and what they may do there."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        clock = festival.runtime.clock
        self._everywhere: Remembered[str, frozenset[RoleName]] = Remembered(
            self._read_everywhere, clock, secs=_EVERYWHERE_SECS, nothing_secs=_EVERYWHERE_SECS
        )
        self._admins = {comparison_key(each) for each in festival.options.admins}
        self._known: Remembered[_Key, _Known] = Remembered(
            self._read, clock, secs=_KNOWN_SECS, nothing_secs=0.0
        )

    def hashes_of(self, by: Caller) -> list[str]:
        """What stands for a user in keys: roles may have been given to the address."""
        if by.email is None or not by.verified:
            return [by.uid_hash]
        return [by.uid_hash, self._festival.privacy.blind.email(by.email)]

    async def caller(self, principal: Principal, event_id: str) -> Caller:
        """Somebody at an event, as of two seconds ago at most; a problem 404 if there is none.

        What this process changed is known at once. A rule that depends on the team asks ``now``.
        """
        config = await self._festival.events.config(event_id)
        key = self._key(principal, event_id)
        known, everywhere = await asyncio.gather(
            self._known.get(key), self._roles_everywhere(principal)
        )
        caller = self._made(principal, event_id, known, everywhere)
        if config.visibility == "draft" and not caller.roles:
            raise not_found("event")
        return caller

    async def now(self, principal: Principal, event_id: str) -> Caller:
        """The same, as it is."""
        self._known.forget(self._key(principal, event_id))
        return await self.caller(principal, event_id)

    async def user(self, principal: Principal) -> Caller:
        """Somebody who has signed in, at no event in particular."""
        everywhere = await self._roles_everywhere(principal)
        return self._made(principal, "", _Known(None, None, frozenset()), everywhere)

    def forget(self, *callers: Caller) -> None:
        """Their team, their roles or whether they take part has changed."""
        gone = {(each.event_id, each.uid_hash) for each in callers}
        self._known.forget_all(lambda key: (key.event_id, key.uid_hash) in gone)

    def forget_event(self, event_id: str) -> None:
        """Roles were given or taken away, or a team has ended: by whom it was is not said."""
        self._known.forget_all(lambda key: key.event_id == event_id)
        if event_id == EVERYWHERE:
            self._everywhere.forget_all()

    def noted(self, by: Caller, action: str, **detail: object) -> Put[AuditEntry]:
        """That somebody did something at their event, to join its transaction."""
        at, subject = self._festival.now(), f"event/{by.event_id}"
        return recorded(by.principal, action, subject, at=at, detail=detail)

    # --- inside ----------------------------------------------------------------------------------

    def _key(self, principal: Principal, event_id: str) -> _Key:
        email, verified = address_in(principal)
        blind = self._festival.privacy.blind
        email_hash = blind.email(email) if email is not None and verified else None
        return _Key(event_id, blind.uid(principal.id), email_hash)

    async def _roles_everywhere(self, principal: Principal) -> frozenset[RoleName]:
        """Roles at all events: given to the user or the address, or by the setting ``admins``."""
        email, verified = address_in(principal)
        hashes = [self._festival.privacy.blind.uid(principal.id)]
        if email is not None and verified:
            hashes.append(self._festival.privacy.blind.email(email))
        found = await asyncio.gather(*(self._everywhere.get(each) for each in hashes))
        listed = email is not None and verified and comparison_key(email) in self._admins
        admin: frozenset[RoleName] = frozenset({"admin"}) if listed else frozenset()
        return admin.union(*found)

    async def _read_everywhere(self, uid_hash: str) -> frozenset[RoleName]:
        role = await self._festival.db.run(reads.role(uid_hash, EVERYWHERE))
        return frozenset() if role is None else frozenset(role.roles)

    def _made(
        self,
        principal: Principal,
        event_id: str,
        known: _Known,
        everywhere: frozenset[RoleName],
    ) -> Caller:
        email, verified = address_in(principal)
        uid_hash = self._festival.privacy.blind.uid(principal.id)
        self._festival.measuring.seen(uid_hash)
        return Caller(
            principal,
            event_id,
            uid_hash,
            email,
            verified,
            known.participant_id,
            known.team_id,
            known.roles
            | everywhere
            | frozenset(each for each in _ROLES if each in principal.roles),
        )

    async def _read(self, key: _Key) -> _Known:
        """Three reads by key, and one more for who takes part. [1c]"""
        db = self._festival.db
        hashes = [each for each in (key.uid_hash, key.email_hash) if each is not None]
        link, given = await asyncio.gather(
            db.run(reads.participant_of_user(key.uid_hash, key.event_id)),
            asyncio.gather(*(db.run(reads.role(each, key.event_id)) for each in hashes)),
        )
        roles = frozenset(role for each in given if each is not None for role in each.roles)
        if link is None:
            return _Known(None, None, roles)
        person = await db.run(reads.participant(key.event_id, link.target))
        return _Known(link.target, None if person is None else person.team_id, roles)
