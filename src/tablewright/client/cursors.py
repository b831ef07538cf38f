"""Cursors: where a read goes on, as a text that callers can keep but not make or change.

A cursor holds the start key and is signed. It is bound to the pattern and its arguments by a digest
of the request it belongs to, so it cannot be used to read another partition.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error

import orjson

from tablewright.model.errors import CursorError
from tablewright.model.ops import Selection
from tablewright.model.requests import selection_request
from tablewright.values import Item

_FORMAT = b"\x01"
_MAC = 16
_DIGEST = 12


def write_cursor(key: bytes, pattern: str, selection: Selection, start: Item) -> str:
    """The cursor that goes on after ``start``."""
    payload = _digest(pattern, selection) + orjson.dumps(start)
    return _text(_FORMAT + _mac(key, payload) + payload)


def read_cursor(key: bytes, pattern: str, selection: Selection, cursor: str) -> Item:
    """The start key in a cursor, or :class:`CursorError`."""
    try:
        data = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (Base64Error, ValueError):
        data = b""
    # Base64 has several texts for the same bytes; only the one we wrote is a cursor.
    if _text(data) != cursor:
        raise CursorError("this is not a cursor: give back page.cursor as it was")
    mac, payload = data[1 : 1 + _MAC], data[1 + _MAC :]
    if data[:1] != _FORMAT or not hmac.compare_digest(mac, _mac(key, payload)):
        raise CursorError(
            "the cursor was changed, or comes from a client with another cursor_key or an older "
            "release: start again without one"
        )
    if payload[:_DIGEST] != _digest(pattern, selection):
        raise CursorError(
            f"the cursor does not belong to {pattern} with these arguments: "
            "repeat the call it came from, or start again without one"
        )
    start: Item = orjson.loads(payload[_DIGEST:])
    return start


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _digest(pattern: str, selection: Selection) -> bytes:
    operation, body = selection_request(selection)
    text = orjson.dumps([pattern, operation, body], option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(text, digest_size=_DIGEST).digest()


def _mac(key: bytes, payload: bytes) -> bytes:
    return hmac.new(key, _FORMAT + payload, hashlib.sha256).digest()[:_MAC]
