"""The public keys of an issuer, and the signatures of its tokens: rules without I/O.

A key signs with one algorithm only, which follows from the key and not from the token: neither
``none`` nor a shared secret can ever be chosen by whoever sends a token. Keys of other kinds, or
for encryption, or too weak, are left out as if the issuer had not published them.
"""

from __future__ import annotations

import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from tablewright.service.auth.claims import Claims, TokenError

if TYPE_CHECKING:
    import jwt
    from jwt.algorithms import AllowedPublicKeys

ALGORITHMS = frozenset({"RS256", "ES256", "EdDSA"})
_RSA_BITS = 2048
#: No issuer has more; a list without end is not read to its end.
_MOST_KEYS = 100
#: Room for many roles; HTTP servers refuse larger headers anyway.
_MOST_CHARACTERS = 16_384


@dataclass(frozen=True)
class PublicKey:
    """A key that checks signatures."""

    kid: str
    algorithm: str
    key: AllowedPublicKeys


@dataclass(frozen=True)
class Header:
    """The part of a token that says how it is signed; not believed, only compared."""

    algorithm: str
    kid: str | None
    fields: Claims


def read_header(token: str) -> Header:
    """The header of a token that has the shape of one."""
    import jwt

    if len(token) > _MOST_CHARACTERS:
        raise TokenError("The token is too long.")
    try:
        fields = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise TokenError("This is not a token.") from None
    algorithm, kid = fields.get("alg"), fields.get("kid")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise TokenError("The token is signed in a way that is not allowed.")
    if fields.get("crit") is not None:
        raise TokenError("The token asks for extensions that are not known here.")
    return Header(algorithm, kid if isinstance(kid, str) else None, fields)


def key_for(header: Header, keys: Mapping[str, PublicKey]) -> PublicKey | None:
    """The key that a token names; without a name the only one there is."""
    if header.kid is not None:
        return keys.get(header.kid)
    fitting = [key for key in keys.values() if key.algorithm == header.algorithm]
    return fitting[0] if len(fitting) == 1 else None


def verified(token: str, header: Header, key: PublicKey) -> Claims:
    """What the token says, once its signature is proved."""
    import jwt

    if header.algorithm != key.algorithm:
        raise TokenError("The token is signed in another way than its key is for.")
    try:
        payload = _signatures().decode(token, key.key, algorithms=[key.algorithm])
        claims = json.loads(payload)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise TokenError("The token's signature is wrong.") from None
    if not isinstance(claims, dict):
        raise TokenError("The token does not hold claims.")
    return claims


@cache
def _signatures() -> jwt.PyJWS:
    """What checks them; it takes longer to make than to use."""
    import jwt

    return jwt.PyJWS(algorithms=list(ALGORITHMS))


def parse_keys(document: object) -> dict[str, PublicKey]:
    """The usable keys of a JSON Web Key Set, by ``kid``; two of one name are both left out."""
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise ValueError("this is not a JSON Web Key Set")
    found: dict[str, PublicKey] = {}
    twice: set[str] = set()
    for entry in listed[:_MOST_KEYS]:
        key = _parse_key(entry) if isinstance(entry, dict) else None
        if key is not None:
            if key.kid in found:
                twice.add(key.kid)
            found[key.kid] = key
    return {kid: key for kid, key in found.items() if kid not in twice}


def _parse_key(entry: dict[str, Any]) -> PublicKey | None:
    algorithm = _algorithm_of(entry)
    if algorithm is None or entry.get("alg", algorithm) != algorithm:
        return None
    uses = entry.get("key_ops", ["verify"])
    if entry.get("use", "sig") != "sig" or not isinstance(uses, list) or "verify" not in uses:
        return None
    key = _public_half(entry, algorithm)
    kid = entry.get("kid", "")
    return None if key is None else PublicKey(str(kid), algorithm, key)


def _algorithm_of(entry: dict[str, Any]) -> str | None:
    kind, curve = entry.get("kty"), entry.get("crv")
    if kind == "RSA":
        return "RS256"
    return {("EC", "P-256"): "ES256", ("OKP", "Ed25519"): "EdDSA"}.get((str(kind), str(curve)))


def _public_half(entry: dict[str, Any], algorithm: str) -> AllowedPublicKeys | None:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from jwt import PyJWKError
    from jwt.algorithms import get_default_algorithms
    from jwt.exceptions import InvalidKeyError

    public = {name: value for name, value in entry.items() if name not in ("d", "p", "q")}
    try:
        key: AllowedPublicKeys = get_default_algorithms()[algorithm].from_jwk(public)
    except (PyJWKError, InvalidKeyError, binascii.Error, ValueError, TypeError, KeyError):
        return None
    if isinstance(key, RSAPublicKey) and key.key_size < _RSA_BITS:
        return None
    return key
