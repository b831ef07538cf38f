"""Secrets of clients: made, rotated, and compared.

A secret is never stored. Its keyed hash is; and, until its owner fetches it
(:mod:`~tablewright.systems.pricekeeper.service.fetching`), the secret itself, encrypted under a
token that only the administrator has who asked for it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from tablewright.model import together
from tablewright.model.errors import (
    ConditionFailed,
    NotFound,
    TransactionCancelled,
)
from tablewright.service.auth import Principal
from tablewright.service.keys import KeyRing
from tablewright.service.kit import audit
from tablewright.service.kit.moments import moment
from tablewright.service.limits import Rate
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.service.secrets import check_secret, hash_secret, new_secret
from tablewright.systems.pricekeeper import reads, writes
from tablewright.systems.pricekeeper.config import Credential, SecretRetrieval
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.rules.ids import Client, client_id
from tablewright.systems.pricekeeper.rules.secrets import (
    SKEW_SECS,
    cut_off,
    grace_ends,
    in_grace,
    sealed_for,
)
from tablewright.systems.pricekeeper.service.fetching import Fetching, Redeemed
from tablewright.systems.pricekeeper.service.holders import check_exists
from tablewright.systems.pricekeeper.shapes import holder_of

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_NOBODY = "00000000-0000-0000-0000-000000000000"
#: What secrets are hashed with.
PEPPER = "pricekeeper-secrets"


@dataclass(frozen=True)
class Issued:
    """A new secret: what to store of it, and the token that fetches it."""

    credential: Credential
    retrieval: SecretRetrieval
    #: Shown to the administrator, once; no copy is kept.
    token: str = field(repr=False)


@dataclass(frozen=True)
class Rotated:
    """A rotation that has happened."""

    client_id: str
    cred_version: int
    token: str = field(repr=False)
    retrieval_expires_at: datetime
    grace_until: datetime | None


class Credentials:
    """The secrets of organisations and apps."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._fetching = Fetching(keeper)

    @cached_property
    def _ring(self) -> KeyRing:
        return self._keeper.runtime.keys.ring(PEPPER)

    # --- making --------------------------------------------------------------------------------

    def issue(self, org_id: str, app_id: str | None, now: int) -> Issued:
        """A first secret. The caller stores both rows with what the credential is for."""
        secret, token = new_secret(), new_secret()
        credential = self._hashed(org_id, app_id, secret, now)
        self._fetching.count.labels("issued").inc()
        return Issued(credential, sealed_for(credential, app_id, secret, token, now), token)

    def _hashed(self, org_id: str, app_id: str | None, secret: str, now: int) -> Credential:
        return Credential(
            org_id=org_id,
            holder=holder_of(app_id),
            client_id=client_id(org_id, app_id),
            client_secret_hash=hash_secret(self._ring, secret),
            client_secret_created_at_epoch=moment(now),
        )

    async def rotate(
        self,
        org_id: str,
        app_id: str | None,
        by: Principal,
        *,
        grace_hours: int = 24,
        force: bool = False,
    ) -> Rotated:
        """A new secret; the old one stays good for the grace, and with none its tokens end too.

        One transaction: the credential, on condition that nobody has rotated it since it was read;
        the row that the new secret is fetched from; the audit entry.
        """
        current = await self._existing(org_id, app_id)
        now = self._keeper.now()
        if not force:
            _check_grace(current, now)
        await self._check_rate(current.client_id)
        fresh = self.issue(org_id, app_id, now)
        grace = moment(now) + timedelta(hours=grace_hours) if grace_hours else None
        await self._store(current, fresh, by, now, grace)
        self._keeper.tokens.forget_client(current.client_id)
        return Rotated(
            current.client_id,
            current.cred_version + 1,
            fresh.token,
            fresh.retrieval.expires_at_epoch,
            grace,
        )

    async def _existing(self, org_id: str, app_id: str | None) -> Credential:
        await check_exists(self._keeper, Client(org_id, app_id))
        found = await self.of(org_id, app_id)
        if found is None:
            raise not_found("client")
        return found

    async def _check_rate(self, name: str) -> None:
        per_hour = self._keeper.runtime.options(Options).rotations_per_hour
        rate = Rate(per_minute=per_hour / 60, burst=per_hour)
        await self._keeper.runtime.limits.check("rotations", name, rate)

    async def _store(
        self,
        current: Credential,
        fresh: Issued,
        by: Principal,
        now: int,
        grace: datetime | None,
    ) -> None:
        rotated = writes.rotate(
            current,
            fresh.credential.client_secret_hash,
            fresh.retrieval,
            now=cut_off(current, now),
            grace_until=grace,
        )
        entry = audit.record(
            by,
            "credential.rotate",
            f"client/{current.client_id}",
            at=now,
            detail={
                "cred_version": current.cred_version + 1,
                "grace_until": None if grace is None else _text(grace),
            },
        )
        try:
            await self._keeper.db.run(together(rotated, entry))
        except TransactionCancelled as refused:
            if any(failure.position == 0 for failure in refused.failures):
                raise _rotated_meanwhile() from None
            raise

    async def redeem(self, token: str, by: Principal) -> Redeemed:
        """The secret behind a retrieval token, for the first who asks."""
        return await self._fetching.redeem(token, by)

    # --- looking and ending --------------------------------------------------------------------

    async def clients(self, org_id: str) -> list[Credential]:
        """The clients of an organisation: its own first, then those of its apps."""
        await check_exists(self._keeper, Client(org_id, None))
        apps = [app.app_id async for app in self._keeper.db.iterate(reads.apps(org_id))]
        holders = [holder_of(app_id) for app_id in (None, *apps)]
        found = await self._keeper.db.run(reads.credentials(org_id, holders))
        return [credential for credential in found if credential is not None]

    async def end_tokens(self, org_id: str, app_id: str | None, by: Principal) -> None:
        """End all tokens that a client has; with its secret it gets new ones.

        One transaction: the moment up to which tokens are worth nothing, which never goes back, and
        the audit entry. The moment lies a little ahead, for processes whose clocks do.
        """
        await check_exists(self._keeper, Client(org_id, app_id))
        name, now = client_id(org_id, app_id), self._keeper.now()
        ended = writes.end_tokens(org_id, holder_of(app_id), moment(now + SKEW_SECS))
        entry = audit.record(by, "credential.end-tokens", f"client/{name}", at=now)
        try:
            await self._keeper.db.run(together(ended, entry))
        except TransactionCancelled as refused:
            if any(isinstance(each.error, NotFound) for each in refused.failures):
                raise not_found("client") from None
            if not any(each.position == 0 for each in refused.failures):
                raise
            # Somebody else has ended them a moment ago.
        self._keeper.tokens.forget_client(name)

    # --- comparing -----------------------------------------------------------------------------

    async def of(self, org_id: str, app_id: str | None) -> Credential | None:
        """What a client's secret is compared with, as it was written last."""
        return await self._keeper.db.run(reads.credential(org_id, holder_of(app_id)))

    @cached_property
    def nobody(self) -> Credential:
        """What to compare with where there is no client, so that it takes as long."""
        return self._hashed(_NOBODY, None, new_secret(), 0)

    async def knows(self, credential: Credential, secret: str, now: int) -> bool:
        """Whether it is the client's secret, or the one before it while its grace lasts."""
        current = await check_secret(self._ring, credential.client_secret_hash, secret)
        if current.ok:
            if current.outdated:
                await self._upgrade(credential, secret)
            return True
        previous = credential.previous_secret_hash
        if previous is None or not in_grace(credential, now):
            return False
        return (await check_secret(self._ring, previous, secret)).ok

    async def _upgrade(self, credential: Credential, secret: str) -> None:
        """Hash it anew, unless somebody has rotated it just now."""
        better = hash_secret(self._ring, secret)
        old = credential.client_secret_hash
        change = writes.upgrade_secret_hash(credential.org_id, credential.holder, old, better)
        with suppress(ConditionFailed):
            await self._keeper.db.run(change)


def _check_grace(current: Credential, now: int) -> None:
    until = grace_ends(current, now)
    if until is None:
        return
    detail = (
        f"The secret before the last rotation is still good, until {_text(until)}. A further "
        "rotation would end it: repeat with force if nobody uses it any more."
    )
    raise Problem(409, "ROTATION_IN_GRACE", detail, extra={"grace_expires_at": _text(until)})


def _rotated_meanwhile() -> Problem:
    detail = "Somebody else has rotated this secret just now. Look before you rotate it again."
    return conflict("ROTATED_MEANWHILE", detail)


def _text(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
