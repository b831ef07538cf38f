"""Signature Version 4, for DynamoDB's kind of request only: POST, JSON, no path, no query.

Most of what is signed is the same for all requests of one second, so it is made once a second: a
:class:`_Stamp`. The rest is two SHA-256 digests and one HMAC. The head of the HTTP request is built
along with the signature, because it consists of the same parts.

The key that signs takes four HMACs and depends on secret, day and region alone: it is cached.
"""

from __future__ import annotations

import hmac
import time
from functools import lru_cache
from hashlib import sha256

from tablewright import __version__
from tablewright.client.transports.credentials import Credentials

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "dynamodb"
TERMINATOR = "aws4_request"
CONTENT_TYPE = "application/x-amz-json-1.0"


class Signer:
    """Signs requests to one host in one region."""

    def __init__(self, host: str, region: str, url: str = "/", extra: str = "") -> None:
        """``host`` is the Host header. A proxy may want a whole ``url``, and ``extra`` headers."""
        self._host = host
        self._region = region
        self._url = url
        self._extra = extra
        self._stamp: _Stamp | None = None

    def head(self, credentials: Credentials, target: bytes, body: bytes, now: float) -> bytes:
        """The head of the request, signed; ``body`` follows it as it is."""
        stamp = self._stamp
        if stamp is None or stamp.second != int(now) or stamp.credentials is not credentials:
            # Two threads may both make one: either will do.
            stamp = _Stamp(credentials, int(now), self._region, self._host, self._url, self._extra)
            self._stamp = stamp
        canonical = b"%b%b%b%b" % (
            stamp.canonical_start,
            target,
            stamp.canonical_end,
            sha256(body).hexdigest().encode(),
        )
        digest = sha256(canonical).hexdigest().encode()
        signature = hmac.digest(stamp.key, stamp.to_sign + digest, "sha256").hex().encode()
        return b"%b%b%b%b\r\nContent-Length: %d\r\n\r\n" % (
            stamp.head_start,
            target,
            stamp.head_end,
            signature,
            len(body),
        )


class _Stamp:
    """What requests of one second have in common."""

    __slots__ = (
        "canonical_end",
        "canonical_start",
        "credentials",
        "head_end",
        "head_start",
        "key",
        "second",
        "to_sign",
    )

    def __init__(
        self, credentials: Credentials, second: int, region: str, host: str, url: str, extra: str
    ) -> None:
        self.credentials = credentials
        self.second = second
        date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
        day = date[:8]
        scope = f"{day}/{region}/{SERVICE}/{TERMINATOR}"
        token = credentials.token
        signed = "content-type;host;x-amz-date;x-amz-target"
        token_canonical = token_line = ""
        if token is not None:
            signed = "content-type;host;x-amz-date;x-amz-security-token;x-amz-target"
            token_canonical = f"x-amz-security-token:{token}\n"
            token_line = f"X-Amz-Security-Token: {token}\r\n"
        self.key = signing_key(credentials.secret_key, day, region)
        self.canonical_start = (
            f"POST\n/\n\ncontent-type:{CONTENT_TYPE}\nhost:{host}\nx-amz-date:{date}\n"
            f"{token_canonical}x-amz-target:"
        ).encode()
        self.canonical_end = f"\n\n{signed}\n".encode()
        self.to_sign = f"{ALGORITHM}\n{date}\n{scope}\n".encode()
        self.head_start = (
            f"POST {url} HTTP/1.1\r\nHost: {host}\r\n{extra}"
            f"User-Agent: tablewright/{__version__}\r\nContent-Type: {CONTENT_TYPE}\r\n"
            f"X-Amz-Date: {date}\r\n{token_line}X-Amz-Target: "
        ).encode()
        self.head_end = (
            f"\r\nAuthorization: {ALGORITHM} Credential={credentials.access_key}/{scope}, "
            f"SignedHeaders={signed}, Signature="
        ).encode()


@lru_cache(maxsize=64)
def signing_key(secret: str, day: str, region: str) -> bytes:
    """The key that signs on one day in one region."""
    key = b"AWS4" + secret.encode()
    for part in (day, region, SERVICE, TERMINATOR):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
