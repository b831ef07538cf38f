"""A few attributes of a stored item, without decoding the rest.

A filter looks at one or two attributes of every item that a page passes over, and decoding whole
items would be most of what such a page costs. A stored item is JSON without blanks, as ``dumps``
writes it, so an attribute can be found by its text: ``"name":{``.

Why what is found is that attribute, and nothing that only looks like it. Inside of JSON's strings
every quotation mark has a backslash before it, and is refused for that. A plain name begins with a
letter or a digit, so the first quotation mark cannot be the end of another string, behind which is
punctuation. So it is a key whose value is an object; such keys are attributes of the item, or
stand inside of a map, and therefore behind the first ``"M":{``. In whatever is not that simple the
whole item is decoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

import orjson

from tablewright.values import Item

#: Names and the texts that they are found by.
Marks: TypeAlias = list[tuple[str, bytes]]

#: An item with fewer bytes than this for each attribute that is looked for is decoded as quickly.
WORTH_BYTES = 500

_loads: Callable[[bytes], Any] = orjson.loads
_plain = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*").fullmatch
_MAP = b'"M":{'
_OPENING, _COMMA, _BACKSLASH = b"{,\\"
_SCALARS = (b'S"', b'N"', b'B"')
_CONSTANTS = (b"BO", b"NU")


def marks_of(names: frozenset[str]) -> Marks | None:
    """What to find these attributes by; None if that is not possible."""
    if not all(map(_plain, names)):
        return None
    return [(name, b'"%b":{' % name.encode()) for name in names]


def excerpt(blob: bytes, marks: Marks) -> Item:
    """These attributes of a stored item, or more of it."""
    if len(blob) < WORTH_BYTES * len(marks):
        return whole(blob)
    item: Item = {}
    first_map = -2
    for name, mark in marks:
        at = blob.find(mark)
        if at < 0:
            continue
        before = blob[at - 1]
        if before != _OPENING and before != _COMMA:
            return whole(blob)
        if first_map == -2:
            first_map = blob.find(_MAP)
        if 0 <= first_map <= at:
            return whole(blob)
        start = at + len(mark) - 1
        end = _end(blob, start)
        if end < 0:
            return whole(blob)
        item[name] = _loads(blob[start:end])
    return item


def whole(blob: bytes) -> Item:
    """All of a stored item."""
    item: Item = _loads(blob)
    return item


def _end(blob: bytes, start: int) -> int:
    """Where the attribute value that begins at ``start`` ends; -1 if it takes more to find out."""
    kind = blob[start + 2 : start + 4]
    if kind in _SCALARS:
        # The text begins behind {"S":", and ends at the first quotation mark that is not inside.
        quote = blob.find(b'"}', start + 6)
        return -1 if blob[quote - 1] == _BACKSLASH else quote + 2
    if kind in _CONSTANTS:
        return blob.find(b"}", start) + 1
    return -1
