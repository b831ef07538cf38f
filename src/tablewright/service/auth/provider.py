"""An OpenID Connect provider, as far as tokens need it: its discovery document and its keys.

Keys are fetched when first needed, again when they are an hour old, and at once, but not more often
than every few seconds, when a token names a key that is not known: that is how an issuer's rotation
is noticed. While the issuer cannot be reached, the keys that are known stay good for a day: tokens
that people hold go on working.
"""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.clock import Clock
from tablewright.service.auth.claims import (
    Claims,
    TokenError,
    TokenKind,
    check_audience,
    check_issuer,
    check_times,
    check_type,
    check_use,
)
from tablewright.service.auth.fetching import Fetcher, FetchError
from tablewright.service.auth.kept import Kept
from tablewright.service.auth.keyset import PublicKey, key_for, parse_keys, read_header, verified
from tablewright.service.settings import Issuer


@dataclass(frozen=True)
class Discovered:
    """What the discovery document says."""

    issuer: str
    jwks_url: str
    authorize_url: str | None
    token_url: str | None
    #: How the token endpoint wants to know us.
    auth_methods: tuple[str, ...]


class Provider:
    """One issuer."""

    def __init__(self, issuer: Issuer, clock: Clock, fetcher: Fetcher | None = None) -> None:
        self.issuer = issuer
        #: Issuers differ in whether they end with a slash, and so do those who configure them.
        self._url = issuer.url.rstrip("/")
        self.fetcher = fetcher or Fetcher()
        self._clock = clock
        self._discovered = Kept[Discovered](clock, self._discover)
        self._keys = Kept[dict[str, PublicKey]](clock, self._fetch_keys)

    async def bearer_claims(self, token: str, kind: TokenKind = "access") -> Claims:
        """What a token says that opens a system; raises TokenError, or a problem 503."""
        claims = await self._claims(token, kind)
        check_use(claims, kind)
        check_audience(claims, self.issuer.audience)
        return claims

    async def id_claims(self, token: str) -> Claims:
        """What an ID token says; whom it was made for is left to the caller."""
        return await self._claims(token, "id")

    async def discovered(self) -> Discovered:
        """Where its endpoints are."""
        return await self._discovered.get()

    async def close(self) -> None:
        await self.fetcher.close()

    # --- inside ----------------------------------------------------------------------

    async def _claims(self, token: str, kind: TokenKind) -> Claims:
        header = read_header(token)
        check_type(header.fields, kind)
        key = key_for(header, await self._keys.get())
        if key is None:
            key = key_for(header, await self._keys.again())
        if key is None:
            raise TokenError("The token is signed with a key that its issuer does not publish.")
        claims = verified(token, header, key)
        check_issuer(claims, await self._names())
        check_times(claims, self._clock.now())
        return claims

    async def _names(self) -> frozenset[str]:
        """How it may call itself: as it says, or as configured, with or without a last slash."""
        if self.issuer.jwks_url is not None:
            return frozenset({self._url, self._url + "/"})
        return frozenset({(await self.discovered()).issuer})

    async def _discover(self) -> Discovered:
        url = f"{self._url}/.well-known/openid-configuration"
        found = await self.fetcher.get(url)
        name = found.get("issuer")
        if not isinstance(name, str) or name.rstrip("/") != self._url:
            raise FetchError(f"{url}: speaks for another issuer, {name!r}")
        methods = found.get("token_endpoint_auth_methods_supported")
        jwks_url = self.issuer.jwks_url or _text(found, "jwks_uri")
        if jwks_url is None:
            raise FetchError(f"{url}: names no jwks_uri")
        return Discovered(
            name,
            jwks_url,
            _text(found, "authorization_endpoint"),
            _text(found, "token_endpoint"),
            tuple(map(str, methods)) if isinstance(methods, list) else ("client_secret_basic",),
        )

    async def _fetch_keys(self) -> dict[str, PublicKey]:
        url = self.issuer.jwks_url or (await self.discovered()).jwks_url
        try:
            return parse_keys(await self.fetcher.get(url))
        except ValueError as error:
            raise FetchError(f"{url}: {error}") from error


def _text(document: dict[str, object], name: str) -> str | None:
    found = document.get(name)
    return found if isinstance(found, str) and found else None
