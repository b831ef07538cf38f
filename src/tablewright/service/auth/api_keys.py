"""Keys for programs: ``twk_<id>_<secret><checksum>``.

The id finds the key's row in the kit table, which holds a keyed hash of the secret. The checksum
only tells typing errors and made-up keys from real ones without a read; it proves nothing.
"""

from __future__ import annotations

import re
import secrets
import zlib
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from tablewright.client import AsyncDb, Page
from tablewright.clock import Clock
from tablewright.model import Put, Transaction, together
from tablewright.model.errors import ConditionFailed, TablewrightError
from tablewright.service.auth.principal import Principal
from tablewright.service.keys import KeyRing
from tablewright.service.kit import audit
from tablewright.service.kit.entities import ApiKey, AuditEntry, OwnedKey
from tablewright.service.kit.patterns import (
    api_key,
    api_keys,
    api_keys_named,
    create_api_key,
    erase_api_key,
    keys_owned_by,
    note_api_key_use,
    own_api_key,
    revoke_api_key,
)
from tablewright.service.problems import FieldError, invalid, not_found
from tablewright.service.secrets import hash_secret, new_secret, verify_secret

PREFIX = "twk_"
#: How long a key that was found good is believed to be; revoked elsewhere, it works as long.
KNOWN_SECS = 30
#: How exactly it is known when a key was last used.
USE_NOTED_SECS = 3600
_MOST_KNOWN = 10_000

_ID = re.compile(r"[0-9a-z]{16}\Z")
_TEXT = re.compile(r"twk_([0-9a-z]{16})_([A-Za-z0-9_-]{43})([0-9a-f]{8})\Z")


@dataclass(frozen=True)
class KeyText:
    """A key as its owner holds it."""

    key_id: str
    secret: str

    def __str__(self) -> str:
        body = f"{PREFIX}{self.key_id}_{self.secret}"
        return body + _checksum(body)

    def __repr__(self) -> str:
        return f"KeyText({self.key_id!r})"


@dataclass(frozen=True)
class Prepared:
    """A key that is not made yet."""

    key: ApiKey
    #: What its owner is shown, once.
    text: str
    #: What joins a transaction: ``together(register(...), *prepared.ops)``.
    ops: tuple[Put[ApiKey], Put[OwnedKey], Put[AuditEntry]]

    @property
    def op(self) -> Transaction[tuple[object, ...]]:
        """The same as a transaction of its own."""
        return together(*self.ops)

    def __repr__(self) -> str:
        return f"Prepared({self.key.key_id!r})"


def new_key_text() -> KeyText:
    alphabet = "0123456789abcdefghijkmnpqrstuvwx"
    return KeyText("".join(secrets.choice(alphabet) for _ in range(16)), new_secret())


def parse_key(text: str) -> KeyText | None:
    """The parts of a key; None if it cannot be one of ours."""
    match = _TEXT.match(text)
    if match is None or _checksum(text[:-8]) != match[3]:
        return None
    return KeyText(match[1], match[2])


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


class ApiKeys:
    """The keys of one system."""

    def __init__(
        self, system: str, db: AsyncDb, ring: KeyRing, clock: Clock, roles: Iterable[str]
    ) -> None:
        self._system = system
        self._db = db
        self._ring = ring
        self._clock = clock
        self._roles = frozenset(roles)
        #: How many this process has revoked.
        self._revocations = 0
        #: By a hash of the text: who it is, and until when to believe it.
        self._known: OrderedDict[bytes, tuple[Principal, float]] = OrderedDict()

    # --- use cases -------------------------------------------------------------------

    async def create(
        self,
        actor: Principal,
        *,
        name: str,
        roles: Iterable[str],
        ends_at: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """A new key, and its text, which is not kept. One transaction: the key, the audit entry."""
        granted = self._checked_roles(roles)
        now = self._clock.now()
        if ends_at is not None and ends_at.timestamp() <= now:
            raise invalid(FieldError("body.ends_at", "must be in the future"))
        text = new_key_text()
        key = self._row(text, name, granted, actor.id, ends_at)
        await self._db.run(together(create_api_key(key), self._created(actor, key)))
        return key, str(text)

    def prepared(
        self, actor: Principal, *, name: str, roles: Iterable[str], owner: str
    ) -> Prepared:
        """A key that acts for ``owner``, to be made in the transaction that makes its owner.

        Its own part: the key, that it is the owner's, the audit entry; each on condition that it
        is new.
        """
        text = new_key_text()
        row = self._row(text, name, self._checked_roles(roles), actor.id)
        key = row.model_copy(update={"owner": owner})
        owned = OwnedKey(owner=owner, key_id=key.key_id, created_at=key.created_at)
        made = (create_api_key(key), own_api_key(owned), self._created(actor, key))
        return Prepared(key, str(text), made)

    async def owned(
        self, owner: str, limit: int | None = None, cursor: str | None = None
    ) -> Page[ApiKey]:
        """The keys that act for somebody, revoked ones too; those that have ended are gone."""
        page = await self._db.run(keys_owned_by(owner), limit=limit, cursor=cursor)
        found = await self._db.run(api_keys_named([each.key_id for each in page])) if page else []
        return Page(tuple(each for each in found if each is not None), page.cursor)

    async def erase(self, owner: str) -> None:
        """All keys of somebody who is gone, and what says that they were theirs.

        One transaction for each; done again, it changes nothing.
        """
        async for each in self._db.iterate(keys_owned_by(owner)):
            try:
                await self._db.run(erase_api_key(owner, each.key_id))
            finally:  # it may be gone though nobody says so
                self._forget(each.key_id)

    async def list(self, *, limit: int | None = None, cursor: str | None = None) -> Page[ApiKey]:
        """All keys, revoked ones too."""
        return await self._db.run(api_keys(), limit=limit, cursor=cursor)

    async def revoke(self, actor: Principal, key_id: str, *, owner: str | None = None) -> ApiKey:
        """End a key. A second time changes nothing. One transaction: the key, the audit entry.

        ``owner`` is for those who may end their own keys only: another's is not there.
        """
        stored = await self._db.run(api_key(key_id)) if _ID.match(key_id) else None
        if stored is None or (owner is not None and stored.owner != owner):
            raise not_found("API key")
        if stored.revoked_at is None:
            stored = await self._revoked(actor, stored)
        self._forget(key_id)
        return stored

    def known(self, text: str) -> Principal | None:
        """Whose key it is, if that was found out just now."""
        found, until = self._known.get(_digest(text), (None, 0.0))
        # A clock that went back must not make a revoked key live longer.
        return found if until - KNOWN_SECS <= self._clock.now() < until else None

    async def principal(self, text: str) -> Principal | None:
        """Whose key it is; None if it is nobody's, revoked, or has ended."""
        known = self.known(text)
        if known is not None:
            return known
        key = parse_key(text)
        revocations = self._revocations
        row = await self._db.run(api_key(key.key_id)) if key is not None else None
        if key is None or row is None or not self._is_good(row, key):
            return None
        await self._note_use(row)
        principal, until = self._principal_of(row)
        if revocations == self._revocations:  # else it may be this one: look again next time
            self._learn(_digest(text), principal, until)
        return principal

    async def ensure(self, text: str, *, name: str, roles: Iterable[str]) -> bool:
        """Have a row for a key that was made elsewhere; False if there is one, even a revoked one.

        One write, on condition that there is none.
        """
        key = parse_key(text)
        if key is None:
            raise ValueError("this is not an API key")
        try:
            await self._db.run(create_api_key(self._row(key, name, frozenset(roles), "system")))
        except ConditionFailed:
            return False
        return True

    # --- inside ----------------------------------------------------------------------

    def _row(
        self,
        text: KeyText,
        name: str,
        roles: frozenset[str],
        by: str,
        ends_at: datetime | None = None,
    ) -> ApiKey:
        return ApiKey(
            key_id=text.key_id,
            name=name,
            secret_hash=hash_secret(self._ring, text.secret),
            roles=set(roles),
            created_at=self._now(),
            created_by=by,
            expires_at=ends_at,
        )

    def _created(self, actor: Principal, key: ApiKey) -> Put[AuditEntry]:
        detail: dict[str, object] = {"name": key.name, "roles": sorted(key.roles)}
        if key.owner is not None:
            detail = {"roles": sorted(key.roles), "owner": key.owner}
        subject = f"api-key/{key.key_id}"
        return audit.record(actor, "api-key.create", subject, at=self._clock.now(), detail=detail)

    def _checked_roles(self, roles: Iterable[str]) -> frozenset[str]:
        wanted = frozenset(roles)
        unknown = sorted(wanted - self._roles)
        if unknown or not wanted:
            known = ", ".join(sorted(self._roles))
            raise invalid(FieldError("body.roles", f"must be one or more of: {known}"))
        return wanted

    async def _revoked(self, actor: Principal, stored: ApiKey) -> ApiKey:
        now = self._now()
        entry = audit.record(actor, "api-key.revoke", f"api-key/{stored.key_id}", at=now)
        try:
            await self._db.run(together(revoke_api_key(stored.key_id, at=now, by=actor.id), entry))
        except TablewrightError:
            # Somebody else was quicker, perhaps we ourselves before an answer was lost.
            again = await self._db.run(api_key(stored.key_id))
            if again is None or again.revoked_at is None:
                raise
            return again
        return stored.model_copy(update={"revoked_at": now, "revoked_by": actor.id})

    def _is_good(self, row: ApiKey, key: KeyText) -> bool:
        right = verify_secret(self._ring, row.secret_hash, key.secret).ok
        return right and row.revoked_at is None

    async def _note_use(self, row: ApiKey) -> None:
        used = row.last_used_at.timestamp() if row.last_used_at else 0.0
        if self._clock.now() - used < USE_NOTED_SECS:
            return
        with suppress(TablewrightError):  # nice to know, and not worth refusing anybody
            await self._db.run(note_api_key_use(row.key_id, self._now()))

    def _principal_of(self, row: ApiKey) -> tuple[Principal, float]:
        """Whose key it is, and until when to believe it."""
        principal = Principal(
            id=f"key:{row.key_id}",
            name=row.name,
            kind="key",
            roles=frozenset(row.roles),
            grants=frozenset(f"{self._system}:{role}" for role in row.roles),
            owner=row.owner or "",
        )
        until = self._clock.now() + KNOWN_SECS
        if row.expires_at is not None:
            until = min(until, row.expires_at.timestamp())
        return principal, until

    def _learn(self, digest: bytes, principal: Principal, until: float) -> None:
        self._known[digest] = (principal, until)
        self._known.move_to_end(digest)
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)

    def _forget(self, key_id: str) -> None:
        self._revocations += 1
        gone = [each for each, (who, _) in self._known.items() if who.id == f"key:{key_id}"]
        for digest in gone:
            del self._known[digest]

    def _now(self) -> datetime:
        return datetime.fromtimestamp(int(self._clock.now()), UTC)


def _digest(text: str) -> bytes:
    return sha256(text.encode(errors="surrogatepass")).digest()
