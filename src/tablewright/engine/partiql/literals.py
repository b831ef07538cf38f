"""Literals and parameters to attribute values.

Numbers stay exact; bags become sets. AWS says where inside a value something is wrong
(``root.a[0]``), and takes parameters only where a whole value may stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.partiql.syntax import (
    Call,
    Constant,
    Expression,
    Infix,
    Ion,
    Missing,
    Name,
    Parameter,
    Path,
    Sequence,
    Star,
    Struct,
    Unary,
)
from tablewright.values import (
    MAX_NESTING,
    AttributeValue,
    InvalidValue,
    canonical_number,
    normalize,
    number,
)

MISMATCHED = "Number of parameters in request and statement don't match."
_BAG = "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
_INVALID = "One or more parameter values were invalid: "
_MAX_INT = 2**31 - 1
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)\Z").search

#: What AWS calls the expressions that are no literals.
_KINDS = {
    Name: "VariableReference",
    Path: "Path",
    Parameter: "Parameter",
    Missing: "LiteralMissing",
    Infix: "NAry",
    Unary: "NAry",
    Call: "NAry",
}


def is_literal(node: Expression | Star) -> bool:
    """Whether ``node`` is a value by itself."""
    return isinstance(node, Constant | Sequence | Struct | Ion)


def literal(node: Expression | Star, place: str = "root", depth: int = 0) -> AttributeValue:
    """The attribute value that a literal stands for."""
    if depth >= MAX_NESTING:
        raise validation(f"Nesting Levels have exceeded supported limits under {place}")
    if isinstance(node, Constant):
        return _scalar(node, place)
    if isinstance(node, Sequence):
        if node.is_bag:
            return _set(node, place)
        return {
            "L": [
                literal(member, f"{place}[{index}]", depth + 1)
                for index, member in enumerate(node.members)
            ]
        }
    if isinstance(node, Struct):
        return {"M": members(node, place, depth)}
    if isinstance(node, Ion):
        raise validation(f"Ion Literals are not supported under key {place} at {node.at}")
    kind = _KINDS.get(type(node), type(node).__name__)
    raise validation(f"Unsupported data type: {kind} under key {place} at {node.at}")


def members(node: Struct, place: str, depth: int) -> dict[str, AttributeValue]:
    """The members of a map literal."""
    return {
        name: literal(value, f"{place}.{name}", depth + 1) for name, value in pairs(node, place)
    }


def pairs(node: Struct, place: str = "root") -> Iterator[tuple[str, Expression]]:
    """The members of a struct, whose names must be strings and different from each other."""
    seen = set()
    for key, value in node.members:
        if not (isinstance(key, Constant) and key.kind == "S"):
            raise validation(
                f"Tuple keys must be of type String. Actual type: {_key_kind(key)} "
                f"under {place} at {key.at}"
            )
        if key.text in seen:
            raise validation(f"Duplicate keys in tuple. Key: {key.text} under {place} at {key.at}")
        seen.add(key.text)
        yield key.text, value


def _key_kind(key: Expression) -> str:
    if isinstance(key, Constant):
        return {"N": "INT" if key.text.isdigit() else "DECIMAL"}.get(key.kind, key.kind)
    return _KINDS.get(type(key), type(key).__name__)


def _scalar(node: Constant, place: str) -> AttributeValue:
    if node.kind == "N":
        return {"N": _number(node.text, place)}
    if node.kind == "BOOL":
        return {"BOOL": node.text == "true"}
    return {"S": node.text} if node.kind == "S" else {"NULL": True}


def _number(text: str, place: str) -> str:
    try:
        return canonical_number(text)
    except InvalidValue as error:
        raise validation(f"{error} under {place}") from None


def _set(node: Sequence, place: str) -> AttributeValue:
    if not node.members:
        raise validation("Empty bags are not supported")
    kinds = set()
    texts = []
    for member in node.members:
        if not (isinstance(member, Constant) and member.kind in ("S", "N")):
            raise validation(f"{_BAG} at {member.at}")
        kinds.add(member.kind)
        texts.append(member.text)
    if len(kinds) > 1:
        raise validation(_BAG)
    if kinds == {"S"}:
        return normalize({"SS": texts})[0]
    numbers = [_number(text, place) for text in texts]
    if len(set(numbers)) < len(numbers):
        raise validation(
            f"{_INVALID}Input collection [{', '.join(texts)}] contains duplicates! under {place}"
        )
    return {"NS": numbers}


# --- parameters --------------------------------------------------------------------------


def parameters(request: dict[str, Any]) -> list[AttributeValue]:
    """The request's parameters, checked and normalised."""
    return [_parameter(value) for value in request.get("Parameters") or ()]


def _parameter(value: AttributeValue) -> AttributeValue:
    try:
        return normalize(value)[0]
    except InvalidValue as error:
        raise _explained(value, error) from None


def _explained(value: AttributeValue, error: InvalidValue) -> AwsError:
    """The error for a parameter that :func:`normalize` refused.

    PartiQL reads numbers into a 32-bit exponent: what does not fit is no number to it, and at
    the very edge the magnitude wraps around.
    """
    text = next((text for text in _numbers(value) if not _is_number(text)), None)
    exponent = None if text is None else _EXPONENT(text)
    if text is None or exponent is None or "magnitude" not in str(error):
        return validation(str(error))
    power = int(exponent[1]) if len(exponent[1]) < 20 else _MAX_INT + 1
    if not -_MAX_INT <= power <= _MAX_INT:
        return validation(f"The parameter cannot be converted to a numeric value: {text}")
    if power == _MAX_INT:
        return validation(
            "Number underflow. "
            "Attempting to store a number with magnitude smaller than supported range"
        )
    return validation(str(error))


def _numbers(value: AttributeValue) -> Iterator[str]:
    """The numbers in a value, in document order; without recursion, because it may be deep."""
    pending: list[Any] = [value]
    while pending:
        node = pending.pop()
        for kind, content in node.items():
            if kind == "N":
                yield content
            elif kind == "NS":
                yield from content
            elif kind == "L":
                pending.extend(reversed(content))
            elif kind == "M":
                pending.extend(reversed(content.values()))


def _is_number(text: str) -> bool:
    try:
        number(text)
    except InvalidValue:
        return False
    return True
