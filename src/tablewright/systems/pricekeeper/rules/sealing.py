"""How a secret waits for its owner: encrypted under a token of which only a hash is kept.

The row alone opens nothing, and neither does the token without the row. Each token seals one secret
once, so the key derived from it never meets a second nonce.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_PURPOSE = b"tablewright pricekeeper secret retrieval 1"
_NONCE = 12


class Sealed(NamedTuple):
    """A secret that only the token's owner can read."""

    nonce: bytes
    ciphertext: bytes


def hash_of(token: str) -> str:
    """What is stored of a token: enough to find it again, too little to use it."""
    return sha256(_bytes(token)).hexdigest()


def seal(token: str, client_id: str, secret: str) -> Sealed:
    """Encrypt a secret, for one client."""
    nonce = os.urandom(_NONCE)
    return Sealed(nonce, _cipher(token).encrypt(nonce, secret.encode(), client_id.encode()))


def unseal(token: str, client_id: str, sealed: Sealed) -> str | None:
    """The secret; None if the token, the client or the ciphertext is not the right one."""
    try:
        secret = _cipher(token).decrypt(sealed.nonce, sealed.ciphertext, client_id.encode())
    except InvalidTag:
        return None
    return secret.decode()


def _cipher(token: str) -> AESGCM:
    return AESGCM(HKDF(SHA256(), length=32, salt=None, info=_PURPOSE).derive(_bytes(token)))


def _bytes(token: str) -> bytes:
    # What cannot come from us must not become an error either.
    return token.encode(errors="surrogatepass")
