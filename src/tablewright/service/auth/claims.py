"""What a token says, and whether to believe it: rules without I/O.

The signature was checked before; these are the checks of RFC 7519, RFC 9068 and OpenID Connect on
what was signed. Times are compared with a clock that is passed in, and ``LEEWAY_SECS`` of patience
for clocks that differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from tablewright.service.auth.principal import Kind, Principal, grants_of, is_reserved_id
from tablewright.service.names import clean_text

Claims: TypeAlias = Mapping[str, object]

#: What a token is for: to be let in, or to say who somebody is.
TokenKind: TypeAlias = Literal["access", "id"]

LEEWAY_SECS = 60
#: How a kind is called in sentences.
CALLED: Final[Mapping[TokenKind, str]] = {"access": "an access token", "id": "an ID token"}
#: What stands in a token's header as its type: its own, or that of any token of an older issuer.
_TYPES: Final[Mapping[TokenKind, frozenset[str]]] = {
    "access": frozenset({"", "jwt", "at+jwt", "application/at+jwt"}),
    "id": frozenset({"", "jwt"}),
}
#: Some issuers say inside what a token is for: these are of another kind.
_NEVER = frozenset({"refresh", "offline", "logout"})
_OTHER_USES: Final[Mapping[TokenKind, frozenset[str]]] = {
    "access": _NEVER | {"id"},
    "id": _NEVER | {"access", "bearer", "at+jwt"},
}


class TokenError(Exception):
    """A token that is not believed; the text is for whoever sent it."""


def check_type(header: Claims, kind: TokenKind) -> None:
    """Refuse tokens that were made for something else."""
    said = header.get("typ", "")
    if not isinstance(said, str) or said.lower() not in _TYPES[kind]:
        raise TokenError(f"The token is of another type than {CALLED[kind]}.")


def check_times(claims: Claims, now: float) -> None:
    """``exp`` is needed; ``nbf`` and ``iat`` are held to if they are there."""
    expires = _moment(claims, "exp")
    if expires is None:
        raise TokenError("The token never expires: `exp` is missing.")
    if now >= expires + LEEWAY_SECS:
        raise TokenError("The token has expired.")
    for name in ("nbf", "iat"):
        moment = _moment(claims, name)
        if moment is not None and now < moment - LEEWAY_SECS:
            raise TokenError(f"The token is not valid yet: `{name}` is in the future.")


def check_issuer(claims: Claims, issuers: frozenset[str]) -> None:
    issuer = claims.get("iss")
    if not isinstance(issuer, str) or issuer not in issuers:
        raise TokenError("The token comes from another issuer.")


def check_audience(claims: Claims, audience: str) -> None:
    given = claims.get("aud")
    if audience not in (given if isinstance(given, list) else [given]):
        raise TokenError("The token is for another audience.")


def check_use(claims: Claims, kind: TokenKind) -> None:
    """Some issuers mark their tokens inside: one of another kind is no proof towards us."""
    for name in ("token_use", "typ"):
        if str(claims.get(name, "")).lower() in _OTHER_USES[kind]:
            raise TokenError(f"The token is not {CALLED[kind]}.")


def check_id_token(claims: Claims, *, client_id: str, nonce: str) -> None:
    """That it answers our question: our client, our nonce."""
    check_audience(claims, client_id)
    if claims.get("nonce") != nonce:
        raise TokenError("The sign-in was started by somebody else: `nonce` differs.")
    party = claims.get("azp")
    audience = claims.get("aud")
    several = isinstance(audience, list) and len(audience) > 1
    if (party is not None or several) and party != client_id:
        raise TokenError("The token was issued to another client: `azp` differs.")


def principal_of(claims: Claims, roles_claim: str) -> Principal:
    """Who the token speaks of."""
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= 255:
        raise TokenError("The token names nobody: `sub` is missing or too long.")
    if not subject.isprintable() or subject != subject.strip():
        raise TokenError("The token cannot be used: `sub` has invisible characters.")
    if is_reserved_id(subject):
        raise TokenError("The token cannot be used: `sub` looks like an id of Tablewright's own.")
    return Principal(
        id=subject,
        name=_name(claims, subject),
        kind=_kind(claims, subject),
        grants=grants_of(at_path(claims, roles_claim)),
        claims=claims,
    )


def at_path(claims: Claims, path: str) -> object:
    """A claim by its name, or inside others: ``realm_access.roles``."""
    if path in claims:  # names may have dots of their own: https://example.org/roles
        return claims[path]
    found: object = claims
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def is_verified(claims: Claims) -> bool:
    """Whether the issuer has seen that the address is theirs; some write it as a text."""
    return claims.get("email_verified") in (True, "true")


def _name(claims: Claims, subject: str) -> str:
    for claim in ("name", "preferred_username"):
        name = claims.get(claim)
        if isinstance(name, str) and (cleaned := clean_text(name[:1000])):
            return cleaned
    return subject


def _kind(claims: Claims, subject: str) -> Kind:
    """A client that got a token for itself is its own subject."""
    return "client" if subject in (claims.get("client_id"), claims.get("azp")) else "user"


def _moment(claims: Claims, name: str) -> float | None:
    found = claims.get(name)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < 2**53:
        raise TokenError(f"`{name}` is not a number of seconds.")
    return float(found)
