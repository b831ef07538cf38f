"""Organisers: who they are, their keys, and what they may do."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from tablewright.client import Page
from tablewright.model import Op, Put, together
from tablewright.model.errors import AlreadyExists, TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.conflicts import outdated, settled
from tablewright.service.email_addresses import comparison_key
from tablewright.service.kit import audit
from tablewright.service.kit.entities import ApiKey
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import Problem, conflict, not_found, stale
from tablewright.service.remembered import Remembered
from tablewright.systems.vibejudge import reads, writes
from tablewright.systems.vibejudge.bodies.organizers import OrganizerChange, OrganizerIn
from tablewright.systems.vibejudge.entities import (
    EmailLock,
    Organizer,
    OrgUsage,
    Tier,
    UserLock,
)
from tablewright.systems.vibejudge.rules.ids import is_id
from tablewright.systems.vibejudge.rules.tiers import TIERS, Allowance
from tablewright.systems.vibejudge.service.callers import (
    Caller,
    judge_in,
    organizer_in,
    organizer_owner,
)

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: The key of the hashes that people are found by; it cannot be another one later.
PEOPLE: Final = "vibejudge-people"
#: How long a process believes that an organiser is there; erased elsewhere, they are as long.
KNOWN_SECS = 5.0
#: That work, of one organiser.
MOST_KEYS = 20
#: A profile that changes more often than this while it is being changed is let go.
_TRIES = 5


@dataclass(frozen=True)
class Registered:
    """A new organiser, and the key that is shown once."""

    organizer: Organizer
    api_key: str = field(repr=False)


@dataclass(frozen=True)
class Profile:
    """An organiser, and what they have used of this year's limits."""

    organizer: Organizer
    usage: OrgUsage
    allowance: Allowance


class Organizers:
    """Organisers: who they are, their keys, and what they may do."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        clock = courtroom.runtime.clock
        self._known = Remembered(self._load, clock, secs=KNOWN_SECS)
        self._users = Remembered(self._load_user, clock, secs=KNOWN_SECS)

    # --- who calls -------------------------------------------------------------------------------

    async def caller(self, principal: Principal) -> Caller:
        """What somebody is here. A key whose organiser is gone is nobody's: a problem 401."""
        org_id = organizer_in(principal.owner)
        if org_id is not None:
            if await self._known.get(org_id) is None:
                raise self._courtroom.runtime.auth.unauthenticated("This organiser is gone.")
        elif principal.kind == "user" and not principal.owner:
            org_id = await self._users.get(self._user_hash(principal))
        return Caller(principal, org_id, judge_in(principal.owner))

    async def read(self, org_id: str) -> Organizer:
        """One organiser, for what their tier allows; a problem 404 if there is none."""
        found = await self._known.get(org_id) if is_id(org_id) else None
        if found is None:
            raise not_found("organiser")
        return found

    async def stored(self, org_id: str) -> Organizer | None:
        """One organiser as they are now; None if they are gone."""
        return await self._courtroom.db.run(reads.organizer_to_change(org_id))

    async def found(self, text: str) -> Organizer:
        """One organiser by id or by e-mail address; a problem 404 if there is none. [AP2]"""
        if is_id(text.upper()):
            return await self.read(text.upper())
        lock = await self._courtroom.db.run(reads.email_lock(self._email_hash(text)))
        if lock is None:
            raise not_found("organiser")
        return await self.read(lock.org_id)

    async def allowance(self, org_id: str) -> Allowance:
        """What their tier allows."""
        return TIERS[(await self.read(org_id)).tier]

    async def _load(self, org_id: str) -> Organizer | None:
        db = self._courtroom.db
        # Who has registered just now may not be everywhere yet.
        return await db.run(reads.organizer(org_id)) or await db.run(
            reads.organizer_to_change(org_id)
        )

    async def _load_user(self, user_hash: str) -> str | None:
        found = await self._courtroom.db.run(reads.user_lock(user_hash))
        return None if found is None else found.org_id

    # --- registering -----------------------------------------------------------------------------

    async def register(self, body: OrganizerIn, by: Principal | None = None) -> Registered:
        """A new organiser with a first key. [T1]

        One transaction: the organiser, the lock of the address, that of who has signed in, the key
        and the audit entries; each on condition that it is new.
        """
        now = self._courtroom.now()
        user_hash = self._user_hash(by) if by is not None and _is_person(by) else None
        organizer = Organizer(
            **body.model_dump(), user_hash=user_hash, created_at=now, updated_at=now
        )
        owner = organizer_owner(organizer.org_id)
        actor = by or Principal(id=owner, name=organizer.name, kind="user")
        key = self._courtroom.runtime.auth.api_keys.prepared(
            actor, name="First key", roles=["organizer"], owner=owner
        )
        noted = audit.record(actor, "organizer.register", f"organizer/{organizer.org_id}", at=now)
        try:
            await self._settle(together(self._registering(organizer), *key.ops, noted))
        except TransactionCancelled as cancelled:
            raise _taken(cancelled) or cancelled from None
        if user_hash is not None:
            self._users.forget(user_hash)
        return Registered(organizer, key.text)

    def _registering(self, organizer: Organizer) -> Op[object]:
        org_id, at = organizer.org_id, organizer.created_at
        lock = EmailLock(email_hash=self._email_hash(organizer.email), org_id=org_id, created_at=at)
        user = organizer.user_hash and UserLock(
            user_hash=organizer.user_hash, org_id=org_id, created_at=at
        )
        return writes.register(organizer, lock, user or None)

    # --- one's own profile -----------------------------------------------------------------------

    async def me(self, caller: Caller) -> Profile:
        """The caller's own profile."""
        organizer = await self._latest(caller.registered())
        now = self._courtroom.now()
        used = await self._courtroom.db.run(reads.org_usage(organizer.org_id, now.year))
        nothing = OrgUsage(org_id=organizer.org_id, year=now.year, created_at=now, updated_at=now)
        return Profile(organizer, used or nothing, TIERS[organizer.tier])

    async def change(
        self, caller: Caller, body: OrganizerChange, said: Precondition = UNSAID
    ) -> Organizer:
        """Another name, organisation or address; what the body leaves out stays.

        One transaction: the organiser on condition that nothing else has changed it, with another
        address also both locks (the new one new, the old one the caller's), and the audit entry.
        """
        given = {
            name: getattr(body, name)
            for name in body.model_fields_set
            if name == "organization" or getattr(body, name) is not None
        }
        return await self._changed(caller, caller.registered(), given, "organizer.change", said)

    async def set_tier(self, caller: Caller, org_id: str, tier: Tier) -> Organizer:
        """Another tier; for administrators. Written as :meth:`change` is."""
        if not is_id(org_id):
            raise not_found("organiser")
        return await self._changed(caller, org_id, {"tier": tier}, "organizer.tier", UNSAID)

    async def _changed(
        self,
        caller: Caller,
        org_id: str,
        given: dict[str, object],
        action: str,
        said: Precondition,
    ) -> Organizer:
        detail = {"changed": sorted(given)}
        for _ in range(_TRIES):
            before = await self._latest(org_id)
            said.check_if_given(before.version)
            now = self._courtroom.now()
            after = before.model_copy(update={**given, "updated_at": now})
            noted = audit.record(
                caller.principal, action, f"organizer/{org_id}", at=now, detail=detail
            )
            try:
                await self._settle(together(self._changing(before, after), noted))
            except TransactionCancelled as cancelled:
                if outdated(cancelled):
                    continue  # a hackathon was counted meanwhile, perhaps
                raise _taken(cancelled) or cancelled from None
            self._known.forget(org_id)
            return await self._latest(org_id)
        raise stale()

    def _changing(self, before: Organizer, after: Organizer) -> Op[object]:
        old, new = self._email_hash(before.email), self._email_hash(after.email)
        if old == new:
            return writes.change_profile(after)
        at = after.updated_at
        return writes.change_email(
            after,
            EmailLock(email_hash=old, org_id=before.org_id, created_at=at),
            EmailLock(email_hash=new, org_id=before.org_id, created_at=at),
        )

    async def erase(self, caller: Caller) -> None:
        """The caller goes, with all their hackathons and keys; costs stay, and name nobody."""
        organizer = await self._latest(caller.registered())
        email_hash = self._email_hash(organizer.email)
        await self._courtroom.erasing.begin_organizer(caller, organizer, email_hash)
        self._known.forget(organizer.org_id)
        if organizer.user_hash is not None:
            self._users.forget(organizer.user_hash)

    async def _latest(self, org_id: str) -> Organizer:
        found = await self._courtroom.db.run(reads.organizer_to_change(org_id))
        if found is None:
            raise not_found("organiser")
        return found

    # --- one's own keys --------------------------------------------------------------------------

    async def keys(
        self, caller: Caller, limit: int | None = None, cursor: str | None = None
    ) -> Page[ApiKey]:
        """The keys that act for the caller's organiser, revoked ones too."""
        owner = organizer_owner(caller.registered())
        return await self._courtroom.runtime.auth.api_keys.owned(owner, limit, cursor)

    async def new_key(self, caller: Caller, name: str) -> tuple[ApiKey, str]:
        """Another key, and its text, which is not kept.

        One transaction: the key, that it is theirs, the audit entry; on condition that the
        organiser has not been erased.
        """
        org_id = caller.registered()
        keys = self._courtroom.runtime.auth.api_keys
        working = [
            each for each in await keys.owned(organizer_owner(org_id)) if not each.revoked_at
        ]
        if len(working) >= MOST_KEYS:
            raise conflict("KEYS_FULL", f"You have {MOST_KEYS} keys, which is the most.")
        made = keys.prepared(
            caller.principal, name=name, roles=["organizer"], owner=organizer_owner(org_id)
        )
        await self._settle(together(writes.check_organizer(org_id), *made.ops))
        return made.key, made.text

    async def revoke_key(self, caller: Caller, key_id: str) -> ApiKey:
        """End one of the caller's keys; another's is not there."""
        owner = organizer_owner(caller.registered())
        keys = self._courtroom.runtime.auth.api_keys
        return await keys.revoke(caller.principal, key_id, owner=owner)

    async def _settle(self, op: Op[object]) -> None:
        await settled(self._courtroom.db, lambda: op)

    # --- hashes ----------------------------------------------------------------------------------

    def _email_hash(self, email: str) -> str:
        return self._hash(f"email\n{comparison_key(email)}")

    def _user_hash(self, person: Principal) -> str:
        return self._hash(f"user\n{person.id}")

    def _hash(self, text: str) -> str:
        key = self._courtroom.runtime.keys.secret(PEOPLE)
        return hmac.new(key, text.encode(), sha256).hexdigest()


def _is_person(principal: Principal) -> bool:
    """Keys and programs register others, not themselves."""
    return principal.kind == "user" and not principal.owner


def _taken(cancelled: TransactionCancelled) -> Problem | None:
    """Which lock somebody else has."""
    there = {
        type(each.op.entity)
        for each in cancelled.failures
        if isinstance(each.error, AlreadyExists) and isinstance(each.op, Put)
    }
    if UserLock in there:
        return conflict("ALREADY_REGISTERED", "You have registered as an organiser already.")
    if EmailLock in there:
        return conflict("EMAIL_TAKEN", "An organiser has this e-mail address already.")
    return None
