"""The use cases of tokens.

A login begins a family: an access token, and a refresh token that is good once and gives the next
pair. What is revoked has a row that lives as long as the token would: of an access token its id,
of a refresh token its whole family.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from tablewright.service.auth import Principal
from tablewright.service.problems import Problem, forbidden
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.rules.ids import Client
from tablewright.systems.pricekeeper.service.holders import check_active
from tablewright.systems.pricekeeper.service.tokens.callers import (
    Caller,
    invalid_grant,
    invalid_token,
    unauthenticated,
)
from tablewright.systems.pricekeeper.service.tokens.claims import Claims, Kind, Mint
from tablewright.systems.pricekeeper.service.tokens.known import KnownTokens
from tablewright.systems.pricekeeper.service.tokens.login import invalid_client, proven
from tablewright.systems.pricekeeper.service.tokens.revocations import Revocations

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: Whose keys sign.
SIGNING = "pricekeeper-tokens"
_DAY = 86_400


@dataclass(frozen=True)
class Granted:
    """What a client gets to call with."""

    access_token: str = field(repr=False)
    refresh_token: str | None = field(repr=False)
    expires_in: int
    scope: str


class Tokens:
    """Who may call, for one process."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._known = KnownTokens()
        self._checking: dict[str, asyncio.Task[Caller]] = {}
        self._revocations = Revocations(keeper)
        metrics = keeper.runtime.metrics
        looked_up = metrics.counter(
            "pricekeeper_revocation_lookups",
            "Checks of a token: answered from memory (hit), or read (miss).",
            ("result",),
        )
        self._hit, self._miss = looked_up.labels("hit"), looked_up.labels("miss")
        self._grants = metrics.counter(
            "pricekeeper_grants", "Tokens that were asked for.", ("grant", "outcome")
        )

    @cached_property
    def _mint(self) -> Mint:
        keys = self._keeper.runtime.keys.signing(SIGNING)
        return Mint(keys, self._options.token_issuer, self._options.token_audience)

    @cached_property
    def _options(self) -> Options:
        return self._keeper.runtime.options(Options)

    # --- issuing and revoking ------------------------------------------------------------------

    async def login(self, client_id: str, secret: str, address: str) -> Granted:
        """Tokens for a client that knows its secret; a new family."""
        # From before the secret was looked at: a rotation meanwhile ends what is issued here.
        asked = self._keeper.now()
        try:
            credential = await proven(self._keeper, client_id, secret, address)
            client = Client(credential.org_id, app_of(credential.holder))
            await check_active(self._keeper, client, invalid_client())
        except Problem:
            self._grants.labels("client_credentials", "refused").inc()
            raise
        self._grants.labels("client_credentials", "granted").inc()
        since = max(asked, _epoch(credential.tokens_valid_after_epoch))
        return self._grant(client, secrets.token_hex(16), credential.cred_version, since)

    async def refresh(self, token: str) -> Granted:
        """The next tokens of a family, for a refresh token that was not used before."""
        if not self._options.refresh_tokens:
            raise Problem(400, "UNSUPPORTED_GRANT_TYPE", "There are no refresh tokens here.")
        asked = self._keeper.now()
        claims = self._mint.read(token, "refresh", asked)
        if claims is None or not await self._used_up(claims):
            self._grants.labels("refresh_token", "refused").inc()
            raise invalid_grant()
        self._grants.labels("refresh_token", "granted").inc()
        client = Client(claims.org_id, claims.app_id)
        return self._grant(client, claims.fam, claims.cv, max(asked, claims.iat))

    async def _used_up(self, claims: Claims) -> bool:
        client = Client(claims.org_id, claims.app_id)
        await check_active(self._keeper, client, invalid_grant())
        used = await self._revocations.use_up(claims, self._family_ends())
        if not used:
            # Perhaps the family has just ended: here that counts at once.
            self._known.drop(lambda caller: caller.family == claims.fam)
        return used

    async def revoke(self, token: str) -> None:
        """End an access token, or with a refresh token its family.

        What is no token of ours, or has ended anyway, needs nothing, and nobody is told.
        """
        now = self._keeper.clock.now()
        if (claims := self._mint.read(token, "refresh", now)) is not None:
            family = claims.fam
            await self._revocations.end_family(claims, self._family_ends())
            self._known.drop(lambda caller: caller.family == family)
        elif (claims := self._mint.read(token, "access", now)) is not None:
            token_id = claims.jti
            await self._revocations.end(claims)
            self._known.drop(lambda caller: caller.token_id == token_id)

    def forget_client(self, client_id: str) -> None:
        """Look again at a client's tokens: its secret has changed."""
        self._known.drop(lambda caller: caller.client_id == client_id)

    def _family_ends(self) -> int:
        """When a family's youngest token ends, if it was made just now."""
        return self._keeper.now() + self._options.refresh_token_days * _DAY

    def _grant(self, client: Client, family: str, version: int, since: int) -> Granted:
        options = self._options

        def claims(kind: Kind, ends: int) -> Claims:
            return Claims(
                typ=kind,
                org_id=client.org_id,
                app_id=client.app_id,
                jti=secrets.token_hex(16),
                fam=family,
                cv=version,
                iat=since,
                exp=ends,
            )

        access = claims("access", since + options.access_token_secs)
        refresh = claims("refresh", self._family_ends()) if options.refresh_tokens else None
        return Granted(
            self._mint.sign(access),
            None if refresh is None else self._mint.sign(refresh),
            options.access_token_secs,
            access.scope,
        )

    def public_keys(self) -> dict[str, list[dict[str, str]]]:
        """What others check our tokens with, as a JSON Web Key Set."""
        return self._mint.keys.jwks()

    # --- checking ------------------------------------------------------------------------------

    async def caller(self, request: HTTPConnection) -> Caller:
        """Return the client whose token a request has.

        Without a valid token that is a problem 401; with the proof of a person or a program with
        roles, such as an API key, 403: who calls is known, and is not a client.
        """
        token = bearer(request)
        if token is not None:
            known = self._remembered(token)
            if known is not None:
                return known
            if self._mint.made(token):
                return await self._looked_at(token)
        if await self._has_roles(request):
            raise forbidden(
                "This needs a client's access token, from /pricekeeper/auth/token. API keys and "
                "users cannot do it."
            )
        raise unauthenticated() if token is None else invalid_token()

    async def _has_roles(self, request: HTTPConnection) -> bool:
        """Tell whether a request has the valid proof of a user or of a program with an API key."""
        try:
            return await self._keeper.runtime.auth.principal(request) is not None
        except Problem as problem:
            if problem.status != 401:
                raise
            return False

    async def is_client(self, token: str) -> bool:
        """Tell whether a token is the valid access token of a client."""
        if not self._mint.made(token):
            return False
        try:
            await self.check(token)
        except Problem as problem:
            if problem.status != 401:
                raise
            return False
        return True

    async def reader(
        self,
        request: HTTPConnection,
        org_id: str,
        app_id: str | None,
        *,
        roles: Sequence[str],
    ) -> Caller | Principal:
        """Who calls for an app, or for an organisation: its client, or somebody with a role."""
        token = bearer(request)
        caller = None if token is None else self._remembered(token)
        if caller is None and token is not None and self._mint.made(token):
            caller = await self._looked_at(token)
        if caller is None:
            return await self._keeper.runtime.auth.permitted(request, *roles)
        caller.check(org_id, app_id)
        return caller

    async def check(self, token: str) -> Caller:
        """Who an access token is of; the last ones are remembered, and cost no read."""
        return self._remembered(token) or await self._looked_at(token)

    def _remembered(self, token: str) -> Caller | None:
        known = self._known.get(token, self._keeper.clock.now())
        if known is not None:
            self._hit.inc()
        return known

    async def _looked_at(self, token: str) -> Caller:
        self._miss.inc()
        task = self._checking.get(token)
        if task is None:
            # One look for all who come with it now; it goes on if the first of them leaves.
            task = self._checking[token] = asyncio.create_task(self._looked_up(token))
            task.add_done_callback(self._looked(token))
        return await asyncio.shield(task)

    def _looked(self, token: str) -> Callable[[asyncio.Task[Caller]], None]:
        def done(task: asyncio.Task[Caller]) -> None:
            self._checking.pop(token, None)
            if not task.cancelled():
                task.exception()  # whoever still waits has it; nobody else needs to know

        return done

    async def _looked_up(self, token: str) -> Caller:
        while True:
            generation, now = self._known.generation, self._keeper.clock.now()
            claims = self._mint.read(token, "access", now)
            if claims is None or not await self._revocations.good(claims):
                raise invalid_token()
            # Revoked while it was looked up: look again.
            if generation == self._known.generation:
                break
        caller = Caller(
            claims.client_id, claims.org_id, claims.app_id, claims.jti, claims.fam, claims.exp
        )
        self._known.add(token, caller, now)
        return caller


def bearer(request: HTTPConnection) -> str | None:
    """The token of a request; None if it has none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def _epoch(moment: datetime | None) -> int:
    return 0 if moment is None else int(moment.timestamp())


def app_of(holder: str) -> str | None:
    """The app whose credential it is; None of an organisation's own."""
    return holder.partition("#APP#")[2] or None
