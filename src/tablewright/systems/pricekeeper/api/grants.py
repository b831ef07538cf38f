"""How clients ask for tokens: as JSON, as a form (OAuth 2.0, RFC 6749), or with HTTP Basic.

What is wrong is told in OAuth's words: ``INVALID_REQUEST``, ``UNSUPPORTED_GRANT_TYPE`` and so on.
Parameters that nobody here knows are ignored, as OAuth wants it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import parse_qsl, unquote_plus

import orjson
from fastapi import Request
from pydantic import BaseModel, ValidationError

from tablewright.service.problems import FieldError, Problem
from tablewright.systems.pricekeeper.bodies import TokenIn

B = TypeVar("B", bound=BaseModel)

_FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 50


async def fields_of(request: Request) -> dict[str, object]:
    """The parameters of a request, whichever way they were sent."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if kind == _FORM:
        return _form(body)
    if kind == "application/json" or not kind:
        return _json(body)
    raise Problem(415, "UNSUPPORTED_MEDIA_TYPE", f"Send application/json or {_FORM}.")


def read(kind: type[B], fields: Mapping[str, object]) -> B:
    """The parameters as a body, or a problem 400."""
    known = {name: value for name, value in fields.items() if name in kind.model_fields}
    try:
        return kind.model_validate(known)
    except ValidationError as error:
        errors = [
            FieldError(f"body.{'.'.join(map(str, each['loc']))}", each["msg"])
            for each in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise _invalid_request("Not all parameters are valid; see errors.", *errors) from None


def credentials_of(request: Request, fields: Mapping[str, object]) -> tuple[str, str]:
    """Who asks, and with which secret: from the header or from the body, not from both."""
    _check_grant(fields, "client_credentials")
    body = read(TokenIn, fields)
    basic = _basic(request.headers.get("authorization", ""))
    if basic is not None:
        if body.client_secret is not None or body.client_id not in (None, basic[0]):
            raise _invalid_request("Credentials came in the header and in the body.")
        return basic
    if body.client_id is None or body.client_secret is None:
        missing = "client_id" if body.client_id is None else "client_secret"
        raise _invalid_request("A parameter is missing.", FieldError(f"body.{missing}", "required"))
    return body.client_id, body.client_secret


def check_scope(fields: Mapping[str, object], granted: str) -> None:
    """A problem if another scope was asked for than the one that the client has."""
    if fields.get("scope") not in (None, "", granted):
        raise Problem(400, "INVALID_SCOPE", f"This client's scope is {granted!r}, and no other.")


def _check_grant(fields: Mapping[str, object], expected: str) -> None:
    given = fields.get("grant_type")
    if isinstance(given, str) and given != expected:
        raise Problem(400, "UNSUPPORTED_GRANT_TYPE", f"The grant_type is {expected} here.")


def _basic(header: str) -> tuple[str, str] | None:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        text = base64.b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise _invalid_request("The Authorization header is not HTTP Basic.") from None
    client_id, colon, secret = text.partition(":")
    if not colon:
        raise _invalid_request("The Authorization header is not HTTP Basic.")
    return unquote_plus(client_id), unquote_plus(secret)


def _form(body: bytes) -> dict[str, object]:
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            max_num_fields=_MOST_FIELDS,
            errors="strict",
        )
    except ValueError:
        raise _invalid_request("The form cannot be read.") from None
    fields: dict[str, object] = dict(pairs)
    if len(fields) != len(pairs):
        raise _invalid_request("A parameter came twice.")
    return fields


def _json(body: bytes) -> dict[str, object]:
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise _invalid_request("The body is not JSON.") from None
    if not isinstance(fields, dict):
        raise _invalid_request("The body is not a JSON object.")
    return fields


def _invalid_request(detail: str, *errors: FieldError) -> Problem:
    return Problem(400, "INVALID_REQUEST", detail, errors=errors)
