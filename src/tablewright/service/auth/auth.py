"""Who is asking one system, and whether they may.

In this order: ``Authorization: Bearer`` with a token of the issuer or an API key, ``X-API-Key``,
the session of a browser. What is given and wrong is refused; it is never passed over for the next.
A browser's session also has to show, with everything but plain reads, that a page of ours sent the
request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from tablewright.client import AsyncDb
from tablewright.service.auth.api_keys import PREFIX, ApiKeys, new_key_text
from tablewright.service.auth.claims import CALLED, TokenError, TokenKind
from tablewright.service.auth.cookies import set_cookie
from tablewright.service.auth.identity import Identity
from tablewright.service.auth.local import DemoPerson, DemoUser
from tablewright.service.auth.origins import SAFE_METHODS, is_ours
from tablewright.service.auth.principal import Principal
from tablewright.service.auth.sessions import CSRF_FIELD, CSRF_HEADER, Session
from tablewright.service.auth.streams import StreamTokens
from tablewright.service.buckets import Rate
from tablewright.service.kit import audit
from tablewright.service.limits import RateLimits, network_of
from tablewright.service.problems import FieldError, Problem, forbidden, invalid

if TYPE_CHECKING:
    from fastapi import APIRouter
    from starlette.requests import HTTPConnection
    from starlette.responses import Response

STREAM_PARAMETER: Final = "stream_token"
#: Of one address, before its keys are not looked at any more.
KEY_FAILURES: Final = Rate(30)
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class Auth:
    """The door of one system. The console has one too, without a database of its own."""

    def __init__(
        self,
        system: str,
        identity: Identity,
        *,
        db: AsyncDb | None = None,
        limits: RateLimits | None = None,
        roles: Sequence[str] = (),
        people: Sequence[DemoPerson] = (),
        tokens: TokenKind = "access",
    ) -> None:
        """``db`` knows the system's kit table; without it there are no API keys.

        ``people`` are demo users without a role, where there are demo users. ``tokens`` is the kind
        of the issuer's tokens that open the system.
        """
        self.system = system
        self._db = db
        self.identity = identity
        self.roles = tuple(roles)
        self.tokens = tokens
        self.limits = limits or RateLimits(identity.clock)
        ring = identity.keys.ring("api-keys")
        self._api_keys = ApiKeys(system, db, ring, identity.clock, roles) if db else None
        self._streams = StreamTokens(system, identity.keys.ring("streams"), identity.clock)
        #: Recognises access tokens that the system itself gives to its clients, if it does.
        self.is_client_token: Callable[[str], Awaitable[bool]] | None = None
        identity.add_system(system, self.roles, db, people)

    @property
    def api_keys(self) -> ApiKeys:
        """The system's keys for programs."""
        if self._api_keys is None:
            raise TypeError(f"{self.system} has no database, and so no API keys")
        return self._api_keys

    # --- who -------------------------------------------------------------------------

    async def principal(self, request: HTTPConnection) -> Principal | None:
        """Who is asking; None if nobody says so. What is said wrongly raises a problem."""
        memory: dict[str, Principal | None] = request.scope.setdefault("tablewright.principals", {})
        if self.system not in memory:
            found = await self._found(request)
            memory[self.system] = found and found.within(self.system)
        return memory[self.system]

    async def session(self, request: HTTPConnection) -> Session | None:
        """The session of a browser that goes on."""
        return await self.identity.session(request.cookies.get(self.identity.cookie))

    async def signed_in(
        self,
        request: HTTPConnection,
        response: Response,
        principal: Principal,
        *,
        secs: int | None = None,
    ) -> Response:
        """The answer with the cookie of a new session; the browser's last one ends.

        It lasts as long as all do; ``secs`` is for those who cannot sign in once more.
        """
        identity = self.identity
        before = identity.seen_session(request.cookies.get(identity.cookie))
        if before is not None:
            await identity.ended.end(before)
        _, cookie = identity.sessions.start(principal, now=identity.clock.now(), secs=secs)
        lasts = identity.sessions.lasts_secs if secs is None else secs
        set_cookie(response, identity.settings, identity.cookie, cookie, lasts)
        return response

    # --- whether ---------------------------------------------------------------------

    def require(self, *roles: str) -> Callable[..., Awaitable[Principal]]:
        """A dependency that gives the principal: ``Depends(auth.require("admin"))``.

        Somebody with one of these roles; without any named, somebody with any role of the system.
        """
        from tablewright.service.auth.dependencies import dependency

        return dependency(self, roles)

    def require_anybody(self) -> Callable[..., Awaitable[Principal]]:
        """The same for whoever has proved who they are, with or without a role."""
        from tablewright.service.auth.dependencies import anybody_dependency

        return anybody_dependency(self)

    async def known(self, request: HTTPConnection) -> Principal:
        """Whoever has proved who they are, with or without a role; else the problem 401."""
        principal = await self.principal(request)
        if principal is None:
            raise self.unauthenticated()
        return principal

    def require_stream(self, *roles: str) -> Callable[..., Awaitable[Principal]]:
        """The same for streams of events, which may come with a stream token instead."""
        from tablewright.service.auth.dependencies import stream_dependency

        return stream_dependency(self, roles)

    async def permitted(self, request: HTTPConnection, *roles: str) -> Principal:
        """The principal, if they may; else the problem 401 or 403."""
        principal = await self.principal(request)
        return self.allow(principal, *roles)

    def allow(self, principal: Principal | None, *roles: str) -> Principal:
        """The rule alone, for a principal at hand."""
        if principal is None:
            raise self.unauthenticated()
        if not principal.has(*roles):
            raise forbidden()
        return principal

    def unauthenticated(self, reason: str = "") -> Problem:
        """The problem 401: nothing was shown, or it was no good."""
        challenge = f'Bearer realm="{self.system}"'
        if reason:
            challenge += f', error="invalid_token", error_description="{_quoted(reason)}"'
        detail = reason or f"Sign in, or send {CALLED[self.tokens]} or an API key."
        headers = {"WWW-Authenticate": challenge}
        return Problem(401, "UNAUTHENTICATED", detail, headers=headers)

    async def end_sessions(self, by: Principal, user: str) -> None:
        """End all sessions of a user, known by id or e-mail address, and record who did.

        The audit entry is written first: a session cannot end without a record of it.
        """
        if self._db is None:
            raise TypeError(f"{self.system} has no database, and so no record of sessions")
        subject = user.strip()
        if not subject or not subject.isprintable():
            message = "User: enter a user id or an e-mail address, for example asha@example.org."
            raise invalid(FieldError("body.user", message))
        now = datetime.fromtimestamp(self.identity.clock.now(), UTC)
        hidden = "user by e-mail address" if "@" in subject else f"user/{subject}"
        await self._db.run(audit.record(by, "sessions.end", hidden, at=now))
        await self.identity.ended.end_all(subject)

    # --- streams ---------------------------------------------------------------------

    def stream_token(self, principal: Principal) -> str:
        """A token for the address of a stream; good for a minute, in this system only."""
        return self._streams.make(principal)

    async def stream_principal(self, request: HTTPConnection) -> Principal | None:
        """Who opens a stream: by a stream token in its address, or as anybody else."""
        token = request.query_params.get(STREAM_PARAMETER)
        if token is None:
            return await self.principal(request)
        found = self._streams.read(token)
        if found is None:
            raise self.unauthenticated("The stream token has expired.")
        return found

    # --- routes and start ------------------------------------------------------------

    def routers(self) -> Sequence[APIRouter]:
        """What the process mounts at ``/auth``, once: signing in and out, the local issuer."""
        from tablewright.service.auth.routes import routers

        return routers(self)

    def api(self) -> APIRouter:
        """What each system has below ``/api/v1``: its API keys, and tokens for streams."""
        from tablewright.service.auth.key_routes import key_routes

        return key_routes(self)

    def demo_users(self) -> tuple[DemoUser, ...]:
        """Whom one may sign in as without proof; nobody, unless the process is local."""
        return self.identity.demo_users()

    async def first_key(self) -> str | None:
        """On a local start: the key of ``DATA/keys/admin.key``, made if need be.

        None where the process is not local. One key is the admin's of every system in the folder.
        """
        if self.identity.local is None or self._api_keys is None:
            return None
        text, _ = self.identity.keys.text("admin.key", lambda: str(new_key_text()))
        # A system without that role has nobody above the others: then it is all of them.
        roles = ["admin"] if "admin" in self.roles else self.roles
        await self._api_keys.ensure(text, name="First admin key", roles=roles)
        return text

    # --- inside ----------------------------------------------------------------------

    async def _found(self, request: HTTPConnection) -> Principal | None:
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            text = text.strip()
            if text.startswith(PREFIX):
                return await self._by_key(request, text)
            return await self._by_token(text)
        key = request.headers.get("x-api-key")
        if key is not None:
            return await self._by_key(request, key.strip())
        return await self._by_session(request)

    async def _by_token(self, text: str) -> Principal:
        try:
            return await self.identity.bearer(text, self.tokens)
        except TokenError as error:
            if self.is_client_token is not None and await self.is_client_token(text):
                raise forbidden(
                    "This is a client's access token. Only users and API keys can do this."
                ) from None
            raise self.unauthenticated(str(error)) from None

    async def _by_key(self, request: HTTPConnection, text: str) -> Principal:
        if self._api_keys is None:
            raise self.unauthenticated("There are no API keys here.")
        known = self._api_keys.known(text)
        if known is not None:
            return known
        async with self.limits.attempt("api-key", address_of(request), KEY_FAILURES) as attempt:
            found = await self._api_keys.principal(text)
            if found is None:
                attempt.failed()
                raise self.unauthenticated("There is no such API key, or it has ended.")
            return found

    async def _by_session(self, request: HTTPConnection) -> Principal | None:
        session = await self.session(request)
        if session is None:
            return None
        if request.scope.get("method", "GET") not in SAFE_METHODS:
            await self.check_page(request, session)
        return session.principal

    async def check_page(self, request: HTTPConnection, session: Session) -> None:
        """That a page of ours sent the request, and not another one in the same browser."""
        sent = request.headers.get(CSRF_HEADER) or await _form_field(request)
        ours = is_ours(request.headers, self.identity.settings)
        now = self.identity.clock.now()
        if not ours or not self.identity.sessions.is_csrf(session, sent, now=now):
            detail = "This page is out of date, or not ours. Load it again and repeat what you did."
            raise Problem(403, "CSRF", detail)


async def _form_field(request: HTTPConnection) -> str:
    """The token in a form. Starlette keeps the form it has read, so that the route finds it."""
    from starlette.requests import Request

    if not isinstance(request, Request):
        return ""
    if not request.headers.get("content-type", "").lower().startswith(_FORMS):
        return ""
    field = (await request.form()).get(CSRF_FIELD)
    return field if isinstance(field, str) else ""


def address_of(request: HTTPConnection) -> str:
    """Return where a request comes from, for rate limits: an IPv4 address or an IPv6 network."""
    return network_of(request.client.host) if request.client else "-"


def _quoted(text: str) -> str:
    return "".join(character for character in text if character.isprintable() and character != '"')
