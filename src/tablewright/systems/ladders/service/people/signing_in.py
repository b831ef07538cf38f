"""Who a caller is.

A sign-in leads to a user by a link. Somebody without one has to have a verified address: that of a
user who was invited, or one of a domain that may come in uninvited. Two who come at the same time
write the same link and the same lock, of which one is written; the other one finds it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from tablewright.model import Op, together
from tablewright.service.auth import Principal
from tablewright.service.auth.claims import is_verified
from tablewright.service.conflicts import refused
from tablewright.service.email_addresses import EmailError, comparison_key, is_within, parse_email
from tablewright.service.problems import forbidden, not_found
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders import people as writes
from tablewright.systems.ladders.entities import MAX_SUBJECTS, User
from tablewright.systems.ladders.service.auditing import UserActor
from tablewright.systems.ladders.service.callers import (
    Caller,
    Standing,
    inactive,
    is_close,
    not_invited,
    unverified,
)
from tablewright.systems.ladders.service.settling import renewed

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_ADMIN: Final = "admin"
_UNNAMED: Final = "New user"
_LONGEST_NAME = 100


class SigningIn:
    """Who a caller is, and what they are to a team."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def caller(self, principal: Principal) -> Caller:
        """The user behind a sign-in, as the table has them now; it may be their first one.

        A problem 403 for who is not invited, has no verified address or was deactivated. Somebody
        whom a key or the issuer makes an admin need not be a user.
        """
        granted = principal.has(_ADMIN)
        user = await self._user(principal, granted=granted)
        if user is None and not granted:
            raise not_invited()  # erased in this moment
        if user is None:
            return Caller(principal, self._operator(principal), granted=True, operator=True)
        if not user.is_active:
            raise inactive()
        if granted:
            user = user.model_copy(update={"roles": {*user.roles, _ADMIN}})
        return Caller(principal, user, granted=granted)

    async def is_known(self, address: str) -> bool:
        """Whether somebody with this address could sign in now."""
        try:
            parsed = comparison_key(parse_email(address))
        except EmailError:
            return False
        if is_within(parsed, self._company.options.email_domains):
            return True
        lock = await self._company.db.run(reads.email_lock(parsed))
        user = None if lock is None else await self._company.db.run(reads.user(lock.owner_id))
        return user is not None and user.is_active

    async def seen(
        self, by: Caller, team_id: str, subject_id: str | None = None, *, what: str = "team"
    ) -> Standing:
        """What the caller is to the data of a team, read now; about ``subject_id``, if it is.

        A problem 404 for who is nothing to it: like one that is not there.
        """
        team = await self._company.db.run(reads.team(team_id)) if ids.is_uuid(team_id) else None
        who = by.who(team, subject_id)
        if team is None or not is_close(who):
            raise not_found(what)
        return Standing(team, who)

    # --- inside ----------------------------------------------------------------------------------

    async def _user(self, principal: Principal, *, granted: bool) -> User | None:
        """The user; None for an operator."""
        if principal.kind != "user":
            if granted:
                return None
            raise forbidden("Programs need a key with the role of an admin.")
        known = await self._linked(principal)
        if known is not None:
            return known

        async def made() -> Op[object] | None:
            if await self._linked(principal) is not None:
                return None
            return await self._first_sign_in(principal, granted=granted)

        # Refused: somebody was quicker, the same one in another tab or an administrator.
        await renewed(self._company.db, made, when=refused)
        return await self._linked(principal)

    async def _linked(self, principal: Principal) -> User | None:
        link = await self._company.db.run(reads.subject_link(self._hash(principal)))
        return None if link is None else await self._company.db.run(reads.user(link.owner_id))

    async def _first_sign_in(self, principal: Principal, *, granted: bool) -> Op[object] | None:
        """One transaction: the link, and the user who was invited, if active; or a new user with
        the lock of the address and the link, all of them new. The audit entry goes with it.
        """
        address = address_in(principal)
        lock = None if address is None else await self._company.db.run(reads.email_lock(address))
        if lock is not None:
            return await self._linking(principal, lock.owner_id)
        if address is not None and is_within(address, self._company.options.email_domains):
            return await self._provisioning(principal, address)
        if granted:
            return None
        raise unverified() if address is None else not_invited()

    async def _linking(self, principal: Principal, user_id: str) -> Op[object]:
        user = await self._company.db.run(reads.user(user_id))
        if user is not None and not user.is_active:
            raise inactive()
        if user is not None and len(user.subject_hashes) >= MAX_SUBJECTS:
            raise forbidden("This account has too many sign-ins. Ask an administrator.")
        op = writes.link_user(user_id, self._hash(principal), self._company.now())
        return self._signed(op, user_id, "user.link")

    async def _provisioning(self, principal: Principal, address: str) -> Op[object]:
        now = self._company.now()
        user_id = ids.user_id(self._issuer, principal.id)
        if await self._company.db.run(reads.user(user_id)) is not None:
            # Who was erased is somebody else when they come back.
            user_id = str(uuid4())
        user = User(
            user_id=user_id,
            email=address,
            name=_name_in(principal),
            created_by=user_id,
            created_at=now,
            updated_at=now,
        )
        op = writes.provision_user(user, self._hash(principal))
        return self._signed(op, user_id, "user.provision")

    def _signed(self, op: Op[object], user_id: str, action: str) -> Op[object]:
        actor = UserActor(user_id, "user")
        return together(op, self._company.auditing.noted(actor, action, f"user/{user_id}"))

    def _hash(self, principal: Principal) -> str:
        return ids.subject_hash(self._issuer, principal.id)

    @property
    def _issuer(self) -> str:
        """Who vouches for people; a session does not say so itself."""
        issuer = self._company.runtime.settings.issuer
        return "local" if issuer is None else issuer.url

    def _operator(self, principal: Principal) -> User:
        now, user_id = self._company.now(), ids.operator_id(principal.id)
        return User(
            user_id=user_id,
            name=_name_in(principal),
            roles={_ADMIN},
            created_by=user_id,
            created_at=now,
            updated_at=now,
        )


def address_in(principal: Principal) -> str | None:
    """Return the verified address that a sign-in names, as the key it is stored under."""
    said = principal.claims.get("email")
    if not isinstance(said, str) or not is_verified(principal.claims):
        return None
    try:
        return comparison_key(parse_email(said))
    except EmailError:
        return None


def _name_in(principal: Principal) -> str:
    """What the issuer calls somebody, on one line; an address is not a name."""
    name = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", principal.name).split())
    return name[:_LONGEST_NAME].strip() if name and "@" not in name else _UNNAMED
