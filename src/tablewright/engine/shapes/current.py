"""How AWS words violations of a request's shape since June 2026, where that has changed.

AWS replaces its framework for validation operation by operation and region by region. What is here
is what us-east-1 answered in October 2026. Everything else is worded as before, by ``precedence``
and ``constraints``, and so are requests with values that are far too deep: the new framework hands
these on to the older one.
"""

from __future__ import annotations

from typing import Any

import orjson

from tablewright.engine.shapes import constraints, nesting, precedence
from tablewright.engine.shapes.model import Shape

ONE_ERROR = "1 validation error detected: "
_TOO_SHORT = (
    "Value at '{}' failed to satisfy constraint: Member must have length greater than or equal to 1"
)
_ENUM = "Failed to satisfy constraint: Member must satisfy enum value set: "
#: The lists are AWS's own, misspelling included.
_ENUMS = {
    "ReturnValues": f"{_ENUM}[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]",
    "ConditionalOperator": f"{_ENUM}[ALL, OR]",
}
_WRITES = frozenset({"DeleteItem", "PutItem", "UpdateItem"})
_MAP_KEYS = " failed to satisfy constraint: Map keys must satisfy constraint: "


def complaint(operation: str, shape: Shape, request: dict[str, Any]) -> str | None:
    """The message that AWS answers with now; None where the older wording holds."""
    if operation in _WRITES:
        if nesting.is_far_too_deep(operation, request):
            return None
        return _of_write(operation, shape, request)
    if operation == "Query":
        return _of_query(shape, request)
    if operation == "BatchGetItem":
        return _of_batch_get(shape, request)
    return _of_batch_write(shape, request) if operation == "BatchWriteItem" else None


def _of_write(operation: str, shape: Shape, request: dict[str, Any]) -> str | None:
    name = request.get("TableName")
    if any(request.get(member) is None for member in shape.required):
        # Such a request does not reach the new framework. The older one reports all errors.
        return _without_key(shape, request) if name == "" else None
    if name == "":
        return ONE_ERROR + _TOO_SHORT.format("TableName")
    message = precedence.complaint(operation, shape, request)
    if message is not None:
        return message
    if operation == "UpdateItem" and _is_no_choice(shape, request, "ReturnValues"):
        return ONE_ERROR + _ENUMS["ReturnValues"]
    violations: list[str] = []
    for member in shape.members:
        if member in _ENUMS and _is_no_choice(shape, request, member):
            violations.append(_ENUMS[member])
        elif request.get(member) is not None:
            violations += constraints.member_violations(shape, member, request[member])
    return constraints.told(violations)


def _without_key(shape: Shape, request: dict[str, Any]) -> str | None:
    """All errors of a write with an empty table name and no key or item, in the older words."""
    violations: list[str] = []
    for member in shape.members:
        value = request.get(member)
        if member == "TableName":
            violations.append(precedence.EMPTY_NAME)
        elif value is not None or member in shape.required:
            violations += constraints.member_violations(shape, member, value)
    return constraints.told(violations)


def _of_query(shape: Shape, request: dict[str, Any]) -> str | None:
    message = precedence.complaint("Query", shape, request)
    if message is None and _is_no_choice(shape, request, "ConditionalOperator"):
        return _ENUMS["ConditionalOperator"]
    return message


def _of_batch_get(shape: Shape, request: dict[str, Any]) -> str | None:
    items = request.get("RequestItems")
    if items == {}:
        return ONE_ERROR + _TOO_SHORT.format("RequestItems")
    if items is None:
        return None
    violations = constraints.member_violations(shape, "RequestItems", items)
    if not any(_MAP_KEYS in text for text in violations):
        return None
    # The map is shown as JSON, and comes first.
    shown = orjson.dumps(items).decode()
    violations = [
        f"Value '{shown}' at 'requestItems'{_MAP_KEYS}{text.partition(_MAP_KEYS)[2]}"
        if _MAP_KEYS in text
        else text
        for text in violations
    ]
    return constraints.told(violations + _others(shape, request))


def _of_batch_write(shape: Shape, request: dict[str, Any]) -> str | None:
    others = _others(shape, request)
    if not request.get("RequestItems") or not others:
        return None
    violations = constraints.member_violations(shape, "RequestItems", request["RequestItems"])
    # A table name that is malformed gives way to everything else.
    return constraints.told(others + [text for text in violations if _MAP_KEYS not in text])


def _others(shape: Shape, request: dict[str, Any]) -> list[str]:
    return [
        text
        for name in shape.members
        if name != "RequestItems" and request.get(name) is not None
        for text in constraints.member_violations(shape, name, request[name])
    ]


def _is_no_choice(shape: Shape, request: dict[str, Any], name: str) -> bool:
    value = request.get(name)
    return value is not None and value not in shape.members[name].enum
