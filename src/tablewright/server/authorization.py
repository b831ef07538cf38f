"""Who a request says it comes from: the Authorization header or the presigned query string.

:func:`claim_of` reads the claim and refuses what is malformed, with AWS's texts and in AWS's
order. Whether the claim is true is a question for :mod:`tablewright.server.signature`, asked
only where keys are configured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from tablewright.engine.errors import AwsError

_SEPARATORS = re.compile(r"[, ]+")
_HEADER_PARAMETERS = ("Credential", "Signature", "SignedHeaders")
_QUERY_PARAMETERS = (
    "X-Amz-Algorithm",
    "X-Amz-Credential",
    "X-Amz-Signature",
    "X-Amz-SignedHeaders",
    "X-Amz-Date",
)


@dataclass(frozen=True)
class Claim:
    """What the client signed with, as it says."""

    algorithm: str
    credential: str
    signed_headers: str
    signature: str
    #: The time of signing, as sent.
    date: str
    token: str | None = None
    #: Seconds of validity of a presigned request; None for the header form.
    expires: str | None = None

    @property
    def access_key(self) -> str:
        return self.credential.partition("/")[0]

    @property
    def region(self) -> str:
        """The region of the credential's scope; empty if there is none."""
        parts = self.credential.split("/")
        return parts[2] if len(parts) > 2 else ""


def looks_signed(headers: Mapping[bytes, bytes]) -> bool:
    """A cheap test that holds for what every SDK sends; all else takes the careful way."""
    value = headers.get(b"authorization")
    return (
        value is not None
        and value.startswith(b"AWS4-HMAC-SHA256 Credential=")
        and b"SignedHeaders=" in value
        and b"Signature=" in value
        and b"x-amz-date" in headers
    )


def claim_of(headers: Mapping[bytes, bytes], query: str) -> Claim:
    """The request's claim; raises the AWS error for a missing or malformed one."""
    value = headers.get(b"authorization")
    parameters = dict(parse_qsl(query, keep_blank_values=True))
    in_query = "X-Amz-Algorithm" in parameters
    if value is not None and in_query:
        raise AwsError(
            "InvalidSignatureException",
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP"
            " header.",
        )
    if in_query:
        return _from_query(parameters)
    text = "" if value is None else value.decode("latin-1")
    if not text.strip().startswith("AWS4-"):
        raise AwsError(
            "MissingAuthenticationTokenException", "Request is missing Authentication Token"
        )
    return _from_header(text, headers)


def _from_header(text: str, headers: Mapping[bytes, bytes]) -> Claim:
    algorithm, *pairs = _SEPARATORS.split(text.strip())
    given: dict[str, str] = {}
    for pair in filter(None, pairs):
        name, equals, value = pair.partition("=")
        if not equals:
            raise _incomplete(
                f"'{name}' not a valid key=value pair (missing equal-sign) in Authorization"
                f" header: '{text}'."
            )
        given[name] = value
    date = headers.get(b"x-amz-date") or headers.get(b"date") or b""
    problems = [
        f"Authorization header requires '{name}' parameter. "
        for name in _HEADER_PARAMETERS
        if not given.get(name)
    ]
    if not date:
        problems.append(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        )
    if problems:
        raise _incomplete("".join(problems) + "Authorization=" + text)
    token = headers.get(b"x-amz-security-token")
    return Claim(
        algorithm=algorithm,
        credential=given["Credential"],
        signed_headers=given["SignedHeaders"],
        signature=given["Signature"],
        date=date.decode("latin-1").strip(),
        token=None if token is None else token.decode("latin-1").strip(),
    )


def _from_query(given: dict[str, str]) -> Claim:
    problems = [
        f"AWS query-string parameters must include '{name}'. "
        for name in _QUERY_PARAMETERS
        if not given.get(name)
    ]
    if problems:
        raise _incomplete("".join(problems) + "Re-examine the query-string parameters.")
    return Claim(
        algorithm=given["X-Amz-Algorithm"],
        credential=given["X-Amz-Credential"],
        signed_headers=given["X-Amz-SignedHeaders"],
        signature=given["X-Amz-Signature"],
        date=given["X-Amz-Date"],
        token=given.get("X-Amz-Security-Token"),
        expires=given.get("X-Amz-Expires"),
    )


def _incomplete(message: str) -> AwsError:
    return AwsError("IncompleteSignatureException", message)
