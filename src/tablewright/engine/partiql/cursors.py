"""NextToken: where a SELECT left off, for the same statement and parameters only.

A token holds a digest of the request it belongs to, the query that was under way (a statement
may take several), and the key of the last item it looked at. It holds all there is to know, so
that it outlives the process.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from tablewright.engine.errors import AwsError, validation
from tablewright.values import InvalidValue, Item, normalize_item

_DIGEST = 16


class Cursor(NamedTuple):
    """The number of a query, and the last key it has looked at; None before its first."""

    query: int
    key: Item | None


def invalid_token() -> AwsError:
    return validation("Invalid NextToken")


def encode(request: dict[str, Any], cursor: Cursor) -> str:
    """The token that continues ``request`` after ``cursor``."""
    body = _digest(request) + orjson.dumps([cursor.query, cursor.key])
    return urlsafe_b64encode(body).decode("ascii")


def decode(request: dict[str, Any], queries: int) -> Cursor | None:
    """Where ``request`` goes on; None if it has no token."""
    token = request.get("NextToken")
    if token is None:
        return None
    try:
        body = urlsafe_b64decode(token)
        query, key = orjson.loads(body[_DIGEST:])
        key_item = None if key is None else normalize_item(key)[0]
    except (Base64Error, ValueError, TypeError, AttributeError, InvalidValue):
        raise invalid_token() from None
    if body[:_DIGEST] != _digest(request):
        raise validation("NextToken does not match request")
    if not isinstance(query, int) or not 0 <= query < max(1, queries):
        raise invalid_token()
    return Cursor(query, key_item)


def _digest(request: dict[str, Any]) -> bytes:
    bound = [request["Statement"], request.get("Parameters") or []]
    return sha256(orjson.dumps(bound, option=orjson.OPT_SORT_KEYS)).digest()[:_DIGEST]
