"""Small texts that we give away and believe when they come back: sessions, CSRF and stream tokens.

``v1.<kid>.<payload>.<mac>``: JSON and an HMAC-SHA-256 over it, both in base64url. The purpose is
part of what is signed and not of the text, so that a text of one kind is never taken for another.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from collections.abc import Mapping
from hashlib import sha256

from tablewright.service.keys import KeyRing

#: A cookie holds 4096 bytes, its name and attributes included.
MOST_CHARACTERS = 3800
_EXPIRES = "exp"


def seal(ring: KeyRing, purpose: str, payload: Mapping[str, object], *, expires: int) -> str:
    """The payload as a text that is good until ``expires``, in seconds since the epoch."""
    key = ring.current
    body = _encode(json.dumps({**payload, _EXPIRES: expires}, separators=(",", ":")).encode())
    return f"v1.{key.kid}.{body}.{_mac(key.secret, purpose, key.kid, body)}"


def unseal(ring: KeyRing, purpose: str, text: str, *, now: float) -> dict[str, object] | None:
    """The payload and ``exp``; None if it is not ours, for something else, or has ended."""
    parts = text.split(".") if len(text) <= MOST_CHARACTERS and text.isascii() else []
    if len(parts) != 4 or parts[0] != "v1":
        return None
    _, kid, body, mac = parts
    key = ring.get(kid)
    if key is None or not hmac.compare_digest(_mac(key, purpose, kid, body), mac):
        return None
    payload = _payload(body)
    expires = payload.get(_EXPIRES, 0)
    return payload if isinstance(expires, int) and now < expires else None


def _mac(key: bytes, purpose: str, kid: str, body: str) -> str:
    return _encode(hmac.new(key, f"{purpose}\n{kid}\n{body}".encode(), sha256).digest())


def _payload(body: str) -> dict[str, object]:
    # Its signature was right, so it is what we wrote.
    payload: dict[str, object] = json.loads(_decode(body))
    return payload


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b"{}"
