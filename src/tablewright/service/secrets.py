"""Secrets that we hand out, and what we keep of them.

A secret of ours has 256 random bits, so nobody finds it by trying, and a slow hash would only cost
time: what is kept is ``h1$kid$hex``, an HMAC-SHA-256 under a key that is not in the database.
Hashes of bcrypt that others have made are accepted, and reported as outdated, so that whoever
stores them can replace them while the secret is at hand.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256

from tablewright.service.keys import KeyRing

_BCRYPT = ("$2a$", "$2b$", "$2y$")
#: What bcrypt looks at; older versions of it ignored the rest in silence.
_BCRYPT_BYTES = 72


@dataclass(frozen=True)
class Verdict:
    """Whether a secret is the one that was hashed, and whether to hash it again."""

    ok: bool
    #: Only of a right secret: the hash is of an older kind, or under an older key.
    outdated: bool = False


WRONG = Verdict(ok=False)


def new_secret() -> str:
    """256 random bits, as text for URLs."""
    return secrets.token_urlsafe(32)


def hash_secret(ring: KeyRing, secret: str) -> str:
    """What to keep of a secret."""
    key = ring.current
    return f"h1${key.kid}${_mac(key.secret, secret)}"


def verify_secret(ring: KeyRing, stored: str, secret: str) -> Verdict:
    """Whether ``stored`` was made from ``secret``. Of bcrypt it takes a good part of a second."""
    if stored.startswith(_BCRYPT):
        return _verify_bcrypt(stored, secret)
    version, _, rest = stored.partition("$")
    kid, _, expected = rest.partition("$")
    key = ring.get(kid) if version == "h1" else None
    # An unknown key is worked through like a known one: nobody learns from the time it takes.
    found = _mac(key or bytes(32), secret)
    if (
        not hmac.compare_digest(found.encode(), expected.encode(errors="surrogatepass"))
        or key is None
    ):
        return WRONG
    return Verdict(ok=True, outdated=kid != ring.current.kid)


async def check_secret(ring: KeyRing, stored: str, secret: str) -> Verdict:
    """The same for coroutines: bcrypt works in a thread, so that others go on."""
    if stored.startswith(_BCRYPT):
        return await asyncio.to_thread(_verify_bcrypt, stored, secret)
    return verify_secret(ring, stored, secret)


def _mac(key: bytes, secret: str) -> str:
    # A lone surrogate cannot come from us, and must not become an error either.
    return hmac.new(key, secret.encode(errors="surrogatepass"), sha256).hexdigest()


def _verify_bcrypt(stored: str, secret: str) -> Verdict:
    import bcrypt

    given = secret.encode(errors="surrogatepass")
    if len(given) > _BCRYPT_BYTES:
        return WRONG
    try:
        ok = bcrypt.checkpw(given, stored.encode())
    except ValueError:  # not a hash after all
        return WRONG
    return Verdict(ok=ok, outdated=ok)
