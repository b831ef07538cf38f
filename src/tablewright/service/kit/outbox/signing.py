"""The signature of a webhook: who sent it, and when.

``Tablewright-Signature: t=1795165200,v1=<hex>`` where ``v1`` is the HMAC-SHA-256 of ``<t>.<body>``
under the shared secret. A receiver checks it with :func:`is_signed` on the bytes it got, before it
reads them. While a secret is being changed it may check against both.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

HEADER = "Tablewright-Signature"
#: How old a signature may be: who recorded a request cannot send it again later.
WINDOW_SECS = 300


def signature(secret: str, body: bytes, at: float) -> str:
    """The value of the header."""
    return f"t={int(at)},v1={_mac(secret, int(at), body)}"


def is_signed(
    secrets: str | Iterable[str],
    header: str,
    body: bytes,
    now: float,
    *,
    window: float = WINDOW_SECS,
) -> bool:
    """Whether the body was signed with one of the secrets, not long ago."""
    parts = [part.partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name.strip() == "t"]
    given = [value.strip() for name, _, value in parts if name.strip() == "v1"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdigit() or len(times[0]) > 15:
        return False
    at = int(times[0])
    if abs(now - at) > window:
        return False
    known = [_mac(each, at, body) for each in ([secrets] if isinstance(secrets, str) else secrets)]
    return any(_same(mine, theirs) for mine in known for theirs in given)


def _same(mine: str, theirs: str) -> bool:
    return hmac.compare_digest(mine.encode(), theirs.encode(errors="replace"))


def _mac(secret: str, at: int, body: bytes) -> str:
    return hmac.new(secret.encode(), b"%d.%b" % (at, body), hashlib.sha256).hexdigest()
