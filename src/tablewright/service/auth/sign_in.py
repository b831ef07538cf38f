"""Signing in by an OpenID Connect issuer: the authorization code flow with PKCE.

``begin`` sends the browser to the issuer and leaves a signed cookie with what only this browser
knows: the state that has to come back, the nonce that has to be in the ID token, and the secret
that the code is worth nothing without. ``finish`` takes the code that the browser brings back to
``/auth/callback``. Each sign-in has a cookie of its own, so that two of them in two tabs both work.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from secrets import token_urlsafe
from urllib.parse import quote_plus, urlencode

from tablewright.clock import Clock
from tablewright.service.auth.claims import TokenError, check_id_token, principal_of
from tablewright.service.auth.cookies import cookie_name
from tablewright.service.auth.ended import EndedSessions
from tablewright.service.auth.fetching import FetchError, secure
from tablewright.service.auth.kept import unavailable
from tablewright.service.auth.origins import safe_path
from tablewright.service.auth.principal import Principal
from tablewright.service.auth.provider import Discovered, Provider
from tablewright.service.auth.signed import seal, unseal
from tablewright.service.keys import KeyRing
from tablewright.service.problems import Problem
from tablewright.service.settings import Settings

LASTS_SECS = 600
_PURPOSE = "sign-in"
#: The cookie's name has this much of the state in it.
_NAMED = 12


@dataclass(frozen=True)
class Begun:
    """Where to send the browser, and the cookie that it takes along."""

    url: str
    cookie: str
    value: str


@dataclass(frozen=True)
class Finished:
    """Who signed in, where they wanted to go, and the cookie that has served."""

    principal: Principal
    target: str
    cookie: str


class SignIn:
    """Sign-ins by one issuer."""

    def __init__(
        self,
        provider: Provider,
        settings: Settings,
        ring: KeyRing,
        clock: Clock,
        ended: EndedSessions,
    ) -> None:
        self._provider = provider
        self._ended = ended
        self._settings = settings
        self._ring = ring
        self._clock = clock

    async def begin(self, target: str | None) -> Begun:
        """Start a sign-in that ends at ``target``, a path of ours."""
        found = await self._provider.discovered()
        state, nonce, verifier = (token_urlsafe(32) for _ in range(3))
        payload = {"state": state, "nonce": nonce, "ver": verifier, "to": safe_path(target)[:500]}
        expires = int(self._clock.now()) + LASTS_SECS
        value = seal(self._ring, _PURPOSE, payload, expires=expires)
        query = {
            "response_type": "code",
            "client_id": self._client_id(),
            "redirect_uri": self._callback,
            "scope": self._provider.issuer.scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge_of(verifier),
            "code_challenge_method": "S256",
        }
        return Begun(_with_query(_endpoint(found.authorize_url), query), self._cookie(state), value)

    async def finish(self, query: Mapping[str, str], cookies: Mapping[str, str]) -> Finished:
        """Take what the issuer sent back with the browser; a problem if it does not fit."""
        state = query.get("state", "")
        cookie = self._cookie(state)
        kept = self._kept(cookies.get(cookie, ""), state)
        found = await self._provider.discovered()
        # RFC 9207: with several issuers, one could pass on the answer of another.
        if query.get("iss", found.issuer) != found.issuer:
            raise _failed("The answer came from another issuer.")
        if "error" in query:
            raise _failed(f"The issuer says: {query['error'][:100]}.")
        if not query.get("code"):
            raise _failed("The issuer sent no code.")
        expires = datetime.fromtimestamp(self._clock.now() + LASTS_SECS, UTC)
        if not await self._ended.use_once(state, expires):
            raise _failed("This sign-in was finished before.")
        token = await self._redeemed(found, query["code"], kept["ver"])
        return Finished(await self._principal(token, kept["nonce"]), safe_path(kept["to"]), cookie)

    # --- inside ----------------------------------------------------------------------

    def _kept(self, cookie: str, state: str) -> dict[str, str]:
        found = unseal(self._ring, _PURPOSE, cookie, now=self._clock.now())
        kept = {name: str(value) for name, value in (found or {}).items()}
        if not state or not hmac.compare_digest(kept.get("state", "").encode(), state.encode()):
            raise _failed("The sign-in took too long, or was started in another browser.")
        return kept

    async def _redeemed(self, found: Discovered, code: str, verifier: str) -> str:
        """The ID token that the code stands for."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._callback,
            "code_verifier": verifier,
            "client_id": self._client_id(),
        }
        basic = self._credentials(found, form)
        try:
            answer = await self._provider.fetcher.post(_endpoint(found.token_url), form, basic)
        except FetchError as error:
            if error.status is not None and 400 <= error.status < 500:
                raise _failed("The issuer did not accept the code.") from error
            raise unavailable() from error
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise _failed("The issuer sent no ID token.")
        return token

    def _credentials(self, found: Discovered, form: dict[str, str]) -> tuple[str, str] | None:
        """Name us as the issuer wants it: in the form, or as a user and a password."""
        secret = self._provider.issuer.client_secret
        if secret is None:
            return None
        if "client_secret_basic" not in found.auth_methods:
            form["client_secret"] = secret.get_secret_value()
            return None
        del form["client_id"]
        return quote_plus(self._client_id()), quote_plus(secret.get_secret_value())

    async def _principal(self, token: str, nonce: str) -> Principal:
        try:
            claims = await self._provider.id_claims(token)
            check_id_token(claims, client_id=self._client_id(), nonce=nonce)
            return principal_of(claims, self._provider.issuer.roles_claim)
        except TokenError as error:
            raise _failed(str(error)) from error

    def _client_id(self) -> str:
        client_id = self._provider.issuer.client_id
        if client_id is None:
            detail = "Nobody can sign in with a browser here: the issuer's client_id is not set."
            raise Problem(404, "NO_SIGN_IN", detail)
        return client_id

    @property
    def _callback(self) -> str:
        return f"{self._settings.url}/auth/callback"

    def _cookie(self, state: str) -> str:
        return cookie_name(self._settings, f"tablewright-sign-in-{_plain(state)}")


def challenge_of(verifier: str) -> str:
    """What the issuer is told of the secret before it is needed (RFC 7636)."""
    return base64.urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _plain(state: str) -> str:
    """The part of a state that a cookie's name can hold, whatever was sent."""
    return "".join(each for each in state[:_NAMED] if each.isascii() and each.isalnum())


def _with_query(url: str, query: Mapping[str, str]) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"


def _endpoint(url: str | None) -> str:
    if url is None:
        raise Problem(502, "ISSUER_INCOMPLETE", "The issuer does not say where to sign in.")
    try:
        return secure(url)
    except FetchError as error:
        raise Problem(502, "ISSUER_INCOMPLETE", str(error)) from error


def _failed(reason: str) -> Problem:
    return Problem(401, "SIGN_IN_FAILED", f"{reason} Sign in again.")
