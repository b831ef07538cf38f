"""Users, as administrators have them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

from tablewright.client import Page
from tablewright.model import Op, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import outdated, refused_at
from tablewright.service.email_addresses import EmailError, comparison_key, parse_email
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import (
    FieldError,
    Problem,
    conflict,
    forbidden,
    invalid,
    not_found,
)
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders import people as writes
from tablewright.systems.ladders.entities import EmailLock, User
from tablewright.systems.ladders.fields import RoleName
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.revisions import check_seen, revision_conflict
from tablewright.systems.ladders.service.settling import renewed, settled

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Makes a write of what there is now; None is for nothing to do.
Made: TypeAlias = Callable[[], Awaitable[Op[object] | None]]


@dataclass(frozen=True)
class UserChange:
    """What is to be different; None stays."""

    name: str | None = None
    roles: frozenset[RoleName] | None = None


class Users:
    """What administrators do with people."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def list(
        self, by: Caller, *, limit: int | None = None, cursor: str | None = None
    ) -> Page[User]:
        """Everybody, in no order. [U2]"""
        by.require("list_users")
        return await self._company.db.run(reads.all_users(), limit=limit, cursor=cursor)

    async def read(self, by: Caller, user_id: str) -> User:
        """One user. [U1]"""
        by.require("read_user", what="user")
        return await self._found(user_id)

    async def create(
        self, by: Caller, email: str, name: str, roles: Iterable[RoleName] = ()
    ) -> User:
        """Somebody who may sign in from now on. [U3]

        One transaction: the user and the lock of the address, both new; a check that whoever
        invites still is an active admin; the audit entry; the invitation by mail.
        """
        by.require("create_user")
        now = self._company.now()
        user = User(
            user_id=str(uuid4()),
            email=_address(email),
            name=name,
            roles=set(roles),
            created_by=by.user_id,
            created_at=now,
            updated_at=now,
        )
        invited = writes.invite_user(user, actor_of(by))
        noted = self._noted(by, invited, "user.invite", user, roles=sorted(user.roles))
        op = together(noted, self._company.messages.invited(user))
        try:
            await settled(self._company.db, op)
        except TransactionCancelled as cancelled:
            if refused_at(cancelled, EmailLock):
                raise conflict("EMAIL_TAKEN", "Somebody has this address already.") from None
            raise self._why(cancelled) from None
        return await self._found(user.user_id)

    async def change(
        self, by: Caller, user_id: str, change: UserChange, said: Precondition
    ) -> User:
        """Another name, or other roles, of the user that the caller has seen.

        One transaction: the user at the revision that was read; for roles, a check that the caller
        still is an active admin; the audit entry.
        """
        by.require("edit_user", what="user")
        user = await self._found(user_id)
        check_seen(said, user.revision)
        op = self._changing(by, user, change)
        if op is None:
            return user
        try:
            await settled(self._company.db, op)
        except (TransactionCancelled, ConditionFailed) as error:
            raise (revision_conflict() if outdated(error) else self._why(error)) from None
        return await self._found(user_id)

    async def grant(self, by: Caller, email: str, role: RoleName, name: str = "") -> User:
        """One more role for an address; who has it is invited if nobody has."""
        by.require("create_user")
        address = _address(email)
        lock = await self._company.db.run(reads.email_lock(address))
        if lock is None:
            return await self.create(by, address, name or address.partition("@")[0], {role})
        user = await self._found(lock.owner_id)
        wanted = UserChange(roles=frozenset((*user.roles, role)))
        return await self.change(by, user.user_id, wanted, Precondition.seen(user.revision))

    async def deactivate(self, by: Caller, user_id: str) -> User:
        """Somebody leaves all teams and cannot come in; who manages one is replaced first.

        One transaction: the user at the revision that was read, managing nothing; the teams that
        they are in; a check that the caller still is an active admin; the audit entry. Made anew
        if the user has changed. Who is inactive already stays as they are.
        """
        by.require("end_user", what="user")

        async def made() -> Op[object] | None:
            user = await self._ending(by, user_id)
            if not user.is_active:
                return None
            op = writes.deactivate_user(user, self._company.now(), actor_of(by))
            return self._noted(by, op, "user.deactivate", user)

        await self._renewed(made)
        return await self._found(user_id)

    async def reactivate(self, by: Caller, user_id: str) -> User:
        """Somebody may come in again; their teams are not given back.

        One transaction: the user, at the revision that was read, inactive and not erased; the audit
        entry. Who is active already stays as they are.
        """
        by.require("end_user", what="user")

        async def made() -> Op[object] | None:
            user = await self._found(user_id)
            if user.is_active:
                return None
            if user.email is None:
                raise erased()
            op = writes.reactivate_user(user, self._company.now())
            return self._noted(by, op, "user.reactivate", user)

        await self._renewed(made)
        return await self._found(user_id)

    # --- inside ----------------------------------------------------------------------------------

    async def _found(self, user_id: str) -> User:
        user = await self._company.db.run(reads.user(user_id)) if ids.is_uuid(user_id) else None
        if user is None:
            raise not_found("user")
        return user

    async def _ending(self, by: Caller, user_id: str) -> User:
        """Somebody who may be deactivated or erased by the caller."""
        user = await self._found(user_id)
        if user.user_id == by.user_id:
            raise self_action()
        if user.managed_team_ids:
            raise user_is_manager()
        return user

    def _changing(self, by: Caller, user: User, change: UserChange) -> Op[object] | None:
        """The write, or None if nothing is different."""
        if user.email is None:
            raise erased()
        name = user.name if change.name is None else change.name
        roles = user.roles if change.roles is None else set(change.roles)
        now = self._company.now()
        if roles != user.roles:
            _check_roles(by, user, roles)
            op: Op[object] = writes.change_roles(user, roles, actor_of(by), now, name)
            return self._noted(by, op, "user.roles", user, roles=sorted(roles))
        if name != user.name:
            return self._noted(by, writes.rename_user(user, name, now), "user.rename", user)
        return None

    async def _renewed(self, made: Made) -> None:
        try:
            await renewed(self._company.db, made)
        except (TransactionCancelled, ConditionFailed) as error:
            raise self._why(error) from None

    def _noted(
        self, by: Caller, op: Op[object], action: str, user: User, **detail: object
    ) -> Op[object]:
        noted = self._company.auditing.noted(by, action, f"user/{user.user_id}", **detail)
        return together(op, noted)

    def _why(self, error: Exception) -> Exception:
        """What the caller is told if it was their own right that had ended."""
        refused = isinstance(error, TransactionCancelled) and refused_at(error, User)
        return forbidden("You are not an administrator any more.") if refused else error


def actor_of(by: Caller) -> str | None:
    """Whose right is checked in the transaction; a key's or an issuer's word needs no check."""
    return None if by.granted else by.user_id


def _check_roles(by: Caller, user: User, roles: set[RoleName]) -> None:
    if user.user_id == by.user_id:
        raise self_action()
    if user.managed_team_ids and "manager" not in roles:
        raise user_is_manager()


def _address(text: str) -> str:
    try:
        return comparison_key(parse_email(text))
    except EmailError as error:
        raise invalid(FieldError("body.email", str(error))) from None


def self_action() -> Problem:
    return conflict("SELF_ACTION", "Somebody else has to do this to you.")


def user_is_manager() -> Problem:
    detail = "This user manages a team. Give it another manager first."
    return conflict("USER_IS_MANAGER", detail)


def erased() -> Problem:
    return conflict("USER_ERASED", "This user was erased. Invite them anew.")
