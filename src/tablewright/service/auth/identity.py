"""Who people are, for a whole process: who vouches for them, and their browsers' sessions.

One :class:`Identity` is shared by the systems and the console of a process; each of them asks
through an :class:`~tablewright.service.auth.auth.Auth` of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.service.auth.claims import Claims, TokenError, TokenKind, principal_of
from tablewright.service.auth.cookies import cookie_name
from tablewright.service.auth.ended import EndedSessions
from tablewright.service.auth.fetching import Fetcher, FetchError, secure
from tablewright.service.auth.local import DemoPerson, DemoUser, LocalIssuer, is_local
from tablewright.service.auth.principal import Principal
from tablewright.service.auth.provider import Provider
from tablewright.service.auth.sessions import Session, Sessions
from tablewright.service.auth.sign_in import SignIn
from tablewright.service.keys import Keys
from tablewright.service.settings import Issuer, Settings, SettingsError, is_loopback


class Identity:
    """The people of one process."""

    def __init__(
        self, settings: Settings, keys: Keys, clock: Clock, *, fetcher: Fetcher | None = None
    ) -> None:
        require_local_or_issuer(settings)
        self.settings = settings
        self.clock = clock
        self.keys = keys
        self.ended = EndedSessions(clock)
        self.sessions = Sessions(
            keys.ring("sessions"),
            vouched_by=settings.issuer.url if settings.issuer else "local",
            lasts_secs=max(60, int(settings.session_hours * 3600)),
        )
        self.provider: Provider | None = None
        self.sign_in: SignIn | None = None
        self.local: LocalIssuer | None = None
        if settings.issuer is not None:
            self.provider = Provider(settings.issuer, clock, fetcher)
            self.sign_in = SignIn(self.provider, settings, keys.ring("sign-in"), clock, self.ended)
        if is_local(settings):
            self.local = LocalIssuer(settings, keys.signing("local-issuer"), clock)

    def add_system(
        self,
        name: str,
        roles: Sequence[str],
        db: AsyncDb | None,
        people: Sequence[DemoPerson] = (),
    ) -> None:
        """Know a system of the process."""
        if self.local is not None:
            self.local.add_system(name, roles, people)
        if db is not None:
            self.ended.attach(db)

    def demo_users(self) -> tuple[DemoUser, ...]:
        """Whom one may sign in as without proof; nobody, unless the process is local."""
        return self.local.users() if self.local is not None else ()

    async def bearer(self, token: str, kind: TokenKind = "access") -> Principal:
        """Who holds a token; raises TokenError, or a problem 503.

        The local issuer has tokens of one kind, which open every system.
        """
        if self.provider is not None:
            claims: Claims = await self.provider.bearer_claims(token, kind)
            return principal_of(claims, self.provider.issuer.roles_claim)
        if self.local is None:
            raise TokenError("This process has no issuer of tokens: use an API key.")
        return principal_of(await self.local.access_claims(token, [self.local_url]), "roles")

    async def session(self, cookie: str | None) -> Session | None:
        """The session of a cookie, if it goes on."""
        found = self.sessions.read(cookie, now=self.clock.now()) if cookie else None
        return None if found is None or await self.ended.has(found) else found

    def seen_session(self, cookie: str | None) -> Session | None:
        """The same without asking the store: good to show, not to let anybody in."""
        found = self.sessions.read(cookie, now=self.clock.now()) if cookie else None
        return None if found is None or self.ended.known(found) else found

    @property
    def local_url(self) -> str:
        """How the local issuer calls itself."""
        return f"{self.settings.url}/auth"

    @property
    def cookie(self) -> str:
        """The name of the session's cookie."""
        return cookie_name(self.settings, "tablewright")

    async def close(self) -> None:
        """Close the connections to the issuer."""
        if self.provider is not None:
            await self.provider.close()


def require_local_or_issuer(settings: Settings) -> None:
    """Refuse to start where other machines reach a process in which nobody proves who they are.

    Without an issuer a process that only this machine reaches serves its APIs: callers prove
    themselves with API keys and clients' tokens, and nobody can sign in with a browser.
    """
    if settings.issuer is None and not is_loopback(settings.host):
        raise SettingsError(
            "Outside of this machine somebody has to vouch for people: set the issuer "
            "(TABLEWRIGHT_ISSUER_URL and TABLEWRIGHT_ISSUER_AUDIENCE), or run it locally."
        )
    if settings.issuer is not None:
        _check_issuer(settings, settings.issuer)


def _check_issuer(settings: Settings, issuer: Issuer) -> None:
    """What cannot work is better said at the start."""
    try:
        for url in (issuer.url, issuer.jwks_url or issuer.url):
            secure(url)
    except FetchError as error:
        names = "TABLEWRIGHT_ISSUER_URL, TABLEWRIGHT_ISSUER_JWKS_URL"
        raise SettingsError(f"{error} ({names}).") from None
    if issuer.client_id is not None and not settings.local and not settings.base_url:
        raise SettingsError(
            "To sign in with a browser, the issuer has to know where to send people back to: set "
            "base_url (TABLEWRIGHT_BASE_URL) to the address that they use."
        )
