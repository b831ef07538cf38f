"""The local issuer: people to try things with, on one's own machine.

It stands in for an OpenID Connect provider where there is none: one signs in by choosing a demo
user or by typing an e-mail address, and programs get tokens from ``/auth/token``. Nobody proves
anything to it, so it exists only when the process listens on loopback, its database is on this
machine too, and it has no other issuer; and it
answers only to the names of this machine, so that no page of the web can reach it by a name that
leads here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from secrets import token_urlsafe

from tablewright.clock import Clock
from tablewright.service.auth.claims import (
    Claims,
    TokenError,
    check_audience,
    check_issuer,
    check_times,
    check_type,
)
from tablewright.service.auth.keyset import PublicKey, read_header, verified
from tablewright.service.auth.principal import Principal
from tablewright.service.keys import SigningKeys
from tablewright.service.settings import Settings, is_loopback

AUDIENCE = "tablewright"
TOKEN_SECS = 3600
#: An address that a person may sign in with on their own machine.
_ADDRESS = re.compile(r"[^\s@\"<>()\x00-\x1f\x7f]+@[^\s@\"<>()\x00-\x1f\x7f]+")
_MAX_ADDRESS = 254


class NotLocal(Exception):
    """The local issuer was asked for where it must not be."""


@dataclass(frozen=True)
class DemoPerson:
    """Somebody without any role, for systems that are everybody's."""

    id: str
    name: str
    #: Counts as verified.
    email: str
    #: For people: what they are.
    about: str = "without any role"


@dataclass(frozen=True)
class DemoUser:
    """Somebody to sign in as."""

    id: str
    name: str
    #: For people: what they may do.
    about: str
    grants: frozenset[str]
    #: Counts as verified; "" is none.
    email: str = ""
    #: The system that offers this person; "" for the user of a role.
    system: str = ""

    def principal(self) -> Principal:
        """Who they are to a system."""
        return Principal(
            id=self.id, name=self.name, kind="user", grants=self.grants, claims=self.claims()
        )

    def claims(self) -> dict[str, object]:
        """What a token says of the address."""
        return {"email": self.email, "email_verified": True} if self.email else {}


class LocalIssuer:
    """Vouches for demo users."""

    def __init__(self, settings: Settings, signing: SigningKeys, clock: Clock) -> None:
        if not is_local(settings):
            raise NotLocal("The local issuer is for loopback and the embedded engine only.")
        self._signing = signing
        self._clock = clock
        self._roles: dict[str, Sequence[str]] = {}
        self._people: dict[str, Sequence[DemoPerson]] = {}

    def add_system(
        self, name: str, roles: Sequence[str], people: Sequence[DemoPerson] = ()
    ) -> None:
        """Have demo users for the roles of a system, and its people without one."""
        self._roles[name] = tuple(roles)
        self._people[name] = tuple(people)

    def users(self) -> tuple[DemoUser, ...]:
        """One for each role that there is in any system, then people without roles."""
        return (*demo_users(self._roles), *_without_roles(self._people))

    def user(self, user_id: str) -> DemoUser | None:
        """Find a demo user by id or address, or accept any other e-mail address.

        A system decides for itself whether it knows the address: people who were invited to it can
        sign in on this machine without a real issuer.
        """
        address = user_id.strip().lower()
        for user in self.users():
            if user_id == user.id or (address and address == user.email):
                return user
        if len(address) > _MAX_ADDRESS or not _ADDRESS.fullmatch(address):
            return None
        return DemoUser(f"local:{address}", _name_of(address), "", frozenset(), address)

    def token(self, user: DemoUser, issuer: str) -> str:
        """An access token, as a real issuer would give it."""
        import jwt

        now = int(self._clock.now())
        claims = {
            "iss": issuer,
            "aud": AUDIENCE,
            "sub": user.id,
            "name": user.name,
            "roles": sorted(user.grants),
            **user.claims(),
            "iat": now,
            "exp": now + TOKEN_SECS,
            "jti": token_urlsafe(16),
        }
        key = self._signing.current
        headers = {"kid": key.kid, "typ": "at+jwt"}
        return jwt.encode(claims, key.private, algorithm="EdDSA", headers=headers)

    async def access_claims(self, token: str, issuers: Iterable[str]) -> Claims:
        """What one of its own tokens says; raises TokenError."""
        header = read_header(token)
        check_type(header.fields, "access")
        key = self._signing.public(header.kid) if header.kid else None
        if key is None or header.kid is None:
            raise TokenError("The token is signed with a key that its issuer does not publish.")
        claims = verified(token, header, PublicKey(header.kid, "EdDSA", key))
        check_issuer(claims, frozenset(issuers))
        check_audience(claims, AUDIENCE)
        check_times(claims, self._clock.now())
        return claims

    def jwks(self) -> dict[str, list[dict[str, str]]]:
        return self._signing.jwks()


def is_local(settings: Settings) -> bool:
    """Whether the local issuer may exist: this machine only, and nobody else vouches."""
    return settings.local and is_loopback(settings.host) and settings.issuer is None


def demo_users(systems: Mapping[str, Sequence[str]]) -> tuple[DemoUser, ...]:
    """One user for each role, who has it wherever it exists."""
    where: dict[str, list[str]] = {}
    for system, roles in systems.items():
        for role in roles:
            where.setdefault(role, []).append(system)
    return tuple(_demo_user(role, names) for role, names in where.items())


def _demo_user(role: str, systems: Sequence[str]) -> DemoUser:
    title = role.replace("_", " ").replace("-", " ")
    about = f"{title} in {', '.join(systems)}"
    grants = frozenset(f"{system}:{role}" for system in systems)
    address = f"demo-{role}@example.org"
    return DemoUser(f"demo-{role}", f"Demo {title}", about, grants, address)


def _without_roles(people: Mapping[str, Sequence[DemoPerson]]) -> Iterator[DemoUser]:
    for system, persons in people.items():
        for each in persons:
            about = f"{each.about} in {system}"
            yield DemoUser(each.id, each.name, about, frozenset(), each.email, system)


def _name_of(address: str) -> str:
    """Derive a name from an address: ``asha.verma@example.org`` is Asha Verma."""
    words = re.split(r"[._+-]+", address.partition("@")[0])
    return " ".join(word.capitalize() for word in words if word) or address
