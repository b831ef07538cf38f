"""AWS Signature Version 4, verified.

The server rebuilds the canonical request from what arrived, signs it with the configured secret
and compares. The checks run in AWS's order (date, algorithm, scope, key, signature, session
token), so that a client with two faults hears of the same one first.

The day's signing key costs four HMACs and depends only on secret, day and region: it is cached.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from urllib.parse import parse_qsl, quote

from tablewright.engine.errors import AwsError
from tablewright.server.authorization import Claim

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "dynamodb"
TERMINATOR = "aws4_request"
SKEW = timedelta(minutes=15)
#: The longest a presigned request may be valid: a week.
LONGEST = 7 * 24 * 3600
_EXPIRY_DIGITS = 10

_BASIC = "%Y%m%dT%H%M%SZ"
_BASIC_FORM = re.compile(r"\d{8}T\d{6}Z")
_REGION_FORM = re.compile(r"[A-Za-z0-9-]{1,64}")
_SPACES = re.compile(r"\s+")
_BAD_TOKEN = "The security token included in the request is invalid."
_MISMATCH = (
    "The request signature we calculated does not match the signature you provided. Check your"
    " AWS Secret Access Key and signing method. Consult the service documentation for details."
)


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key that may sign; a session token makes it a temporary one."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, text: str) -> Credentials:
        """From ``KEY:SECRET`` or ``KEY:SECRET:TOKEN``."""
        access_key, _, rest = text.strip().partition(":")
        secret_key, _, token = rest.partition(":")
        if not access_key or not secret_key:
            raise ValueError("credentials must have the form KEY:SECRET or KEY:SECRET:TOKEN")
        return cls(access_key, secret_key, token or None)


class Verifier:
    """Checks claims against the configured keys."""

    def __init__(
        self, credentials: Iterable[Credentials], now: Callable[[], float] = time.time
    ) -> None:
        self._keys = {each.access_key: each for each in credentials}
        self._now = now

    def verify(
        self,
        claim: Claim,
        method: str,
        path: str,
        query: str,
        headers: Mapping[bytes, bytes],
        body: bytes,
    ) -> None:
        """Return if the request is genuine; raise the AWS error that says why not."""
        moment = _moment(claim.date)
        _check_time(claim, moment, datetime.fromtimestamp(self._now(), UTC))
        names = sorted({name.lower() for name in claim.signed_headers.split(";") if name})
        if "host" not in names:
            raise _invalid("'Host' must be a 'SignedHeader' in the AWS Authorization.")
        if claim.algorithm != ALGORITHM:
            raise AwsError(
                "IncompleteSignatureException",
                f"Unsupported AWS 'algorithm': '{claim.algorithm}' (only {ALGORITHM} for now). ",
            )
        access_key, day, region = _scope(claim, moment)
        known = self._keys.get(access_key)
        if known is None:
            raise AwsError("UnrecognizedClientException", _BAD_TOKEN)
        canonical = canonical_request(method, path, query, headers, names, body)
        to_sign = string_to_sign(canonical, moment, f"{day}/{region}/{SERVICE}/{TERMINATOR}")
        expected = sign(signing_key(known.secret_key, day, region), to_sign)
        if not _same(expected, claim.signature):
            raise _invalid(
                f"{_MISMATCH}\n\nThe Canonical String for this request should have been\n"
                f"'{canonical}'\n\nThe String-to-Sign should have been\n'{to_sign}'\n"
            )
        if not _same(known.token or "", claim.token or ""):
            raise AwsError("UnrecognizedClientException", _BAD_TOKEN)


def canonical_request(
    method: str,
    path: str,
    query: str,
    headers: Mapping[bytes, bytes],
    names: list[str],
    body: bytes,
) -> str:
    """The request in the one form both sides sign."""
    values = [_header_value(headers.get(name.encode("latin-1", "replace"), b"")) for name in names]
    return "\n".join(
        [
            method,
            quote(_normal_path(path), safe="/~"),
            _canonical_query(query),
            *(f"{name}:{value}" for name, value in zip(names, values, strict=True)),
            "",
            ";".join(names),
            hashlib.sha256(body).hexdigest(),
        ]
    )


def string_to_sign(canonical: str, moment: datetime, scope: str) -> str:
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    return "\n".join([ALGORITHM, moment.strftime(_BASIC), scope, digest])


@lru_cache(maxsize=256)
def signing_key(secret: str, day: str, region: str) -> bytes:
    """The key that signs on one day in one region."""
    key = b"AWS4" + secret.encode()
    for part in (day, region, SERVICE, TERMINATOR):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


def sign(key: bytes, to_sign: str) -> str:
    return hmac.digest(key, to_sign.encode(), "sha256").hex()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _header_value(raw: bytes) -> str:
    """Trimmed, and every run of white space made one space. Clients sign text as UTF-8."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return _SPACES.sub(" ", text.strip())


def _normal_path(path: str) -> str:
    """`path` without empty and dot segments (RFC 3986, 5.2.4), with its closing slash kept."""
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            if kept:
                kept.pop()
        elif segment not in ("", "."):
            kept.append(segment)
    closing = "/" if kept and path.endswith("/") else ""
    return "/" + "/".join(kept) + closing


def _canonical_query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    encoded = [
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in pairs
        if name != "X-Amz-Signature"
    ]
    return "&".join(f"{name}={value}" for name, value in sorted(encoded))


def _moment(text: str) -> datetime:
    """The time of signing: ISO 8601 basic, or the form of the HTTP Date header."""
    try:
        if _BASIC_FORM.fullmatch(text):
            return datetime.strptime(text, _BASIC).replace(tzinfo=UTC)
        return parsedate_to_datetime(text).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        raise AwsError(
            "IncompleteSignatureException",
            f"Date must be in ISO-8601 'basic format'. Got '{text}'."
            " See http://en.wikipedia.org/wiki/ISO_8601",
        ) from None


def _check_time(claim: Claim, moment: datetime, now: datetime) -> None:
    signed, current = moment.strftime(_BASIC), now.strftime(_BASIC)
    valid, words = SKEW, "15 min."
    if claim.expires is not None:
        seconds = _expiry(claim.expires)
        valid, words = timedelta(seconds=seconds), f"{seconds} sec."
    if moment < now - valid:
        earliest = (now - valid).strftime(_BASIC)
        raise _invalid(
            f"Signature expired: {signed} is now earlier than {earliest} ({current} - {words})"
        )
    if moment > now + SKEW:
        latest = (now + SKEW).strftime(_BASIC)
        raise _invalid(
            f"Signature not yet current: {signed} is still later than {latest}"
            f" ({current} + 15 min.)"
        )


def _expiry(text: str) -> int:
    # The length is checked first: Python refuses to convert thousands of digits.
    digits = text.isascii() and text.isdigit() and len(text) <= _EXPIRY_DIGITS
    if not digits or not 1 <= int(text) <= LONGEST:
        raise AwsError(
            "IncompleteSignatureException",
            f"X-Amz-Expires must be a number of seconds between 1 and {LONGEST}, got '{text}'.",
        )
    return int(text)


def _scope(claim: Claim, moment: datetime) -> tuple[str, str, str]:
    """Access key, day and region of a well-scoped credential."""
    parts = claim.credential.rstrip("/").split("/")
    if len(parts) != 5:
        raise AwsError(
            "IncompleteSignatureException",
            "Credential must have exactly 5 slash-delimited elements, e.g."
            f" keyid/date/region/service/term, got '{claim.credential}'",
        )
    access_key, day, region, service, terminator = parts
    today = moment.strftime("%Y%m%d")
    problems = []
    if not _REGION_FORM.fullmatch(region):
        problems.append(f"Credential should be scoped to a valid region, not '{region}'. ")
    if service != SERVICE:
        problems.append(f"Credential should be scoped to correct service: '{SERVICE}'. ")
    if terminator != TERMINATOR:
        problems.append(
            f"Credential should be scoped with a valid terminator: '{TERMINATOR}',"
            f" not '{terminator}'. "
        )
    if day != today:
        problems.append(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from"
            f" HTTP: '{day}' != '{today}', from '{moment.strftime(_BASIC)}'."
        )
    if problems:
        raise _invalid("".join(problems))
    return access_key, day, region


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidSignatureException", message)
