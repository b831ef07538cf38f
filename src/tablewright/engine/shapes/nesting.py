"""Attribute values that are too deep to be stored, in requests about one item.

These AWS refuses with the constraints of the shape, whichever value of the request it is. In
batches and transactions, and if a value is far too deep, only what is to be stored is refused, in
other words and by those who normalise it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablewright.engine.shapes.constraints import told
from tablewright.values import MAX_NESTING, TOO_DEEP, AttributeValue

_OPERATIONS = frozenset({"DeleteItem", "PutItem", "UpdateItem"})
#: The members of these that map names to values.
_MEMBERS = ("Item", "Key", "ExpressionAttributeValues")
#: Members that map names to something that has a value.
_NESTING_MEMBERS = ("Expected", "AttributeUpdates")
#: Values of so many levels AWS no longer looks at here.
_FAR_TOO_DEEP = 2 * MAX_NESTING


def complaint(operation: str, request: dict[str, Any]) -> str | None:
    """The message AWS answers with to a value that is too deep, else None."""
    if operation not in _OPERATIONS:
        return None
    values = [value for name in _MEMBERS for value in (request.get(name) or {}).values()]
    return told([TOO_DEEP]) if MAX_NESTING < _levels(values) < _FAR_TOO_DEEP else None


def is_far_too_deep(operation: str, request: dict[str, Any]) -> bool:
    """Whether a value is so deep that AWS hands the request on to its older validation."""
    if operation not in _OPERATIONS:
        return False
    values = [value for name in _MEMBERS for value in (request.get(name) or {}).values()]
    for name in _NESTING_MEMBERS:
        for given in (request.get(name) or {}).values():
            if given is not None:
                values += [given.get("Value") or {}, *(given.get("AttributeValueList") or ())]
    return _levels(values) >= _FAR_TOO_DEEP


def _levels(values: list[AttributeValue]) -> int:
    """How many levels of values there are, the given ones included."""
    count = 0
    while values and count < _FAR_TOO_DEEP:
        count += 1
        values = [member for value in values for member in _members(value)]
    return count


def _members(value: AttributeValue) -> Iterator[AttributeValue]:
    yield from (value.get("M") or {}).values()
    yield from value.get("L") or ()
