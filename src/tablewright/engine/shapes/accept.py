"""The fast way through: recognise a request with nothing wrong in it.

Nearly every request is in order, so each operation gets one compiled function that answers
"surely fine" or "look closer". It may be too careful (nulls, exotic types and long non-ASCII
text are looked at closer), but what it accepts, :mod:`decoding` and :mod:`constraints` accept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from tablewright.engine.shapes.decoding import LARGEST, is_base64
from tablewright.engine.shapes.model import TABLE_ARN, Shape
from tablewright.values import MAX_NESTING

Accepts = Callable[[Any], bool]

_NUMBER_TYPES = (int, float)
_SCALAR_TYPES: dict[str, type] = {"S": str, "N": str, "BOOL": bool, "NULL": bool}


@cache
def compiled(shape: Shape) -> Accepts:
    """A function that accepts only values in which nothing is wrong."""
    match shape.kind:
        case "structure":
            return _structure(shape)
        case "value":
            return attribute_value
        case "list":
            return _list(shape)
        case "map":
            return _map(shape)
        case "string":
            return _string(shape)
        case "boolean":
            return lambda value: type(value) is bool
        case "integer" | "long":
            return _integer(shape)
        case "timestamp":
            latest = LARGEST["timestamp"]
            return lambda value: type(value) in _NUMBER_TYPES and 0 <= value <= latest
    return lambda value: type(value) in _NUMBER_TYPES


def _structure(shape: Shape) -> Accepts:
    member_of = {name: compiled(member) for name, member in shape.members.items()}.get
    required = shape.required

    def accepts(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name, given in value.items():
            member = member_of(name)
            if member is None or not member(given):
                return False
        # A required member that is present has been accepted, so it is not null.
        return required <= value.keys()

    return accepts


def _list(shape: Shape) -> Accepts:
    assert shape.member is not None
    member = compiled(shape.member)
    least, most = _bounds(shape)

    def accepts(value: Any) -> bool:
        if type(value) is not list or not least <= len(value) <= most:
            return False
        return all(map(member, value))

    return accepts


def _map(shape: Shape) -> Accepts:
    assert shape.key is not None
    assert shape.member is not None
    if shape.member.kind == "value" and not shape.constrained and not shape.key.pattern:
        return _attributes(shape.key)
    key, member = compiled(shape.key), compiled(shape.member)
    least, most = _bounds(shape)

    def accepts(value: Any) -> bool:
        if type(value) is not dict or not least <= len(value) <= most:
            return False
        return all(map(key, value)) and all(map(member, value.values()))

    return accepts


def _bounds(shape: Shape) -> tuple[int, int]:
    return shape.min or 0, 2**31 if shape.max is None else shape.max


def _integer(shape: Shape) -> Accepts:
    bound = LARGEST[shape.kind]
    least = -bound if shape.min is None else shape.min
    most = bound if shape.max is None else shape.max
    return lambda value: type(value) is int and least <= value <= most


def _string(shape: Shape) -> Accepts:
    if shape.enum:
        values = frozenset(shape.enum)
        return lambda value: type(value) is str and value in values
    if not shape.constrained:
        return lambda value: type(value) is str
    least, most = _bounds(shape)
    matches = shape.matches
    if matches is None:
        return lambda value: type(value) is str and value.isascii() and least <= len(value) <= most

    def accepts(value: Any) -> bool:
        if type(value) is not str:
            return False
        if least <= len(value) <= most and matches(value):
            return value.isascii()
        return shape.arn and TABLE_ARN.match(value) is not None

    return accepts


# --- attribute values --------------------------------------------------------------------


def _attributes(key: Shape) -> Accepts:
    # Half the limit, because AWS counts some characters twice.
    longest = 2**31 if key.max is None else key.max // 2

    def accepts(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name, member in value.items():
            if len(name) > longest or type(member) is not dict:
                return False
            for kind, given in member.items():
                if type(given) is not _SCALAR_TYPES.get(kind) and not _other(kind, given, 0):
                    return False
        return True

    return accepts


def attribute_value(value: Any, depth: int = 0) -> bool:
    """Accept one attribute value, to any depth that can be stored."""
    if type(value) is not dict or depth >= MAX_NESTING:
        return False
    for kind, given in value.items():
        if type(given) is not _SCALAR_TYPES.get(kind) and not _other(kind, given, depth):
            return False
    return True


def _other(kind: str, given: Any, depth: int) -> bool:
    """What is left when it isn't a plain string or boolean: collections, binary, or wrong."""
    depth += 1
    if kind == "M":
        if type(given) is not dict:
            return False
        return all(attribute_value(member, depth) for member in given.values())
    if type(given) is str:
        return kind == "B" and len(given) % 4 == 0 and is_base64(given)
    if type(given) is not list:
        return False
    if kind == "L":
        return all(attribute_value(member, depth) for member in given)
    if kind == "SS" or kind == "NS":
        return all(type(member) is str for member in given)
    if kind == "BS":
        return all(type(m) is str and len(m) % 4 == 0 and is_base64(m) for m in given)
    return False
