"""What was revoked, and whether a token is good beside it.

If the store cannot be asked, nobody knows, and the answer is 503: a token that may be revoked is
not good.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.model.errors import AlreadyExists, OutcomeUnknown, Unavailable, Unfinished
from tablewright.service.kit.moments import moment
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper import reads, writes
from tablewright.systems.pricekeeper.config import Credential, RevokedToken
from tablewright.systems.pricekeeper.rules.secrets import in_grace
from tablewright.systems.pricekeeper.service.tokens.claims import Claims, outlives, renewable

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: A revocation outlives its token by this much, for clocks that differ.
_MARGIN_SECS = 300

Kind: TypeAlias = Literal["access", "family", "reuse"]


class Revocations:
    """The rows of tokens that are worth nothing any more."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._count = keeper.runtime.metrics.counter(
            "pricekeeper_revocations",
            "What was revoked: an access token, a family on request, or one whose refresh token "
            "was used twice.",
            ("kind",),
        )

    async def good(self, claims: Claims) -> bool:
        """Whether an access token is good: neither it nor its family nor its client has ended."""
        with _store():
            revoked, credential = await asyncio.gather(
                self._keeper.db.run(reads.revocations(claims.jti, claims.fam)),
                self._keeper.credentials.of(claims.org_id, claims.app_id),
            )
        return not any(revoked) and credential is not None and outlives(claims, credential)

    async def use_up(self, claims: Claims, family_ends: int) -> bool:
        """Use a refresh token, once; False if it is not good, or was used before.

        It is used by a put on condition that there is no such row. Who is refused has a copy, or
        is the owner after somebody with a copy: nobody can tell, so the family ends.
        """
        with _store():
            ended, credential = await asyncio.gather(
                self._keeper.db.run(reads.revoked_token(_family(claims))),
                self._keeper.credentials.of(claims.org_id, claims.app_id),
            )
            if ended is not None or credential is None or not self._renewable(claims, credential):
                return False
            try:
                await self._keeper.db.run(writes.use_refresh_token(self._row(claims, claims.jti)))
            except AlreadyExists:
                await self.end_family(claims, family_ends, kind="reuse")
                return False
        return True

    def _renewable(self, claims: Claims, credential: Credential) -> bool:
        grace = in_grace(credential, self._keeper.now())
        return outlives(claims, credential) and renewable(claims, credential, grace=grace)

    async def end(self, claims: Claims) -> None:
        """An access token is worth nothing from now on."""
        await self._write(self._row(claims, claims.jti), "access")

    async def end_family(self, claims: Claims, ends: int, kind: Kind = "family") -> None:
        """All tokens of a login are; the youngest of them would end at ``ends``."""
        await self._write(self._row(claims, _family(claims), ends), kind)

    async def _write(self, row: RevokedToken, kind: Kind) -> None:
        with _store():
            await self._keeper.db.run(writes.revoke_token(row))
        self._count.labels(kind).inc()

    def _row(self, claims: Claims, key: str, ends: int = 0) -> RevokedToken:
        return RevokedToken(
            token=key,
            token_type=claims.typ,
            client_id=claims.client_id,
            revoked_at_epoch=moment(self._keeper.now()),
            original_expiry_epoch=moment(max(claims.exp, ends) + _MARGIN_SECS),
        )


def _family(claims: Claims) -> str:
    return f"FAM#{claims.fam}"


@contextmanager
def _store() -> Iterator[None]:
    """A store that cannot be asked, as a problem; also where half of an answer came."""
    try:
        yield
    except (Unavailable, Unfinished, OutcomeUnknown) as error:
        detail = "Whether the token is still good cannot be looked up just now. Try again."
        headers = {"Retry-After": "1"}
        raise Problem(503, "STORE_UNAVAILABLE", detail, headers=headers) from error
