"""Operands as closures: what a path, a placeholder or a call yields for one item.

Everything known from the text is worked out once, when the closure is made; running it takes
the item and the request's values and gives an attribute value, or None where there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from tablewright.expressions.check import Names, resolve
from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.nodes import (
    Attribute,
    Call,
    Literal,
    Node,
    Operand,
    Path,
    ValueRef,
    bottom_up,
)
from tablewright.values import AttributeValue, Item, binary_size

Values: TypeAlias = Mapping[str, AttributeValue]
Fetch: TypeAlias = Callable[[Item, Values], AttributeValue | None]

MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"


def fetch(operand: Operand, names: Names) -> Fetch:
    """How to get ``operand`` from an item and the request's values."""
    if isinstance(operand, Attribute):
        return _fetch_path(resolve(operand, names))
    if isinstance(operand, ValueRef):
        return _fetch_value(operand.text)
    if isinstance(operand, Literal):
        constant = operand.value
        return lambda item, values: constant
    return _fetch_call(operand, names)


def mentioned(roots: Iterable[Node], names: Names) -> tuple[frozenset[str], frozenset[str]]:
    """The top-level attributes in the trees, and those of them that a path goes into."""
    paths = [
        resolve(node, names)
        for root in roots
        for node in bottom_up(root)
        if isinstance(node, Attribute)
    ]
    return (
        frozenset(str(path[0]) for path in paths),
        frozenset(str(path[0]) for path in paths if len(path) > 1),
    )


def _fetch_value(reference: str) -> Fetch:
    return lambda item, values: values[reference]


def _fetch_path(path: Path) -> Fetch:
    top = str(path[0])
    steps = path[1:]
    if not steps:
        return lambda item, values: item.get(top)

    def nested(item: Item, values: Values) -> AttributeValue | None:
        found = item.get(top)
        for step in steps:
            if found is None:
                return None
            found = member(found, step)
        return found

    return nested


def member(value: AttributeValue, step: str | int) -> AttributeValue | None:
    """What ``step`` leads to inside a map or a list; None where it leads nowhere."""
    found: AttributeValue | None = None
    if isinstance(step, str):
        if "M" in value:
            found = value["M"].get(step)
    elif "L" in value and step < len(value["L"]):
        found = value["L"][step]
    return found


def _fetch_call(call: Call, names: Names) -> Fetch:
    first = fetch(call.operands[0], names)
    if call.function == "size":
        return _fetch_size(first)
    second = fetch(call.operands[1], names)
    if call.function == "if_not_exists":
        return _fetch_first(first, second)
    if call.function == "list_append":
        return _fetch_appended(first, second)
    raise ValueError(f"{call.function} gives no value")


def _fetch_size(inner: Fetch) -> Fetch:
    def size(item: Item, values: Values) -> AttributeValue | None:
        value = inner(item, values)
        length = None if value is None else _size(value)
        return None if length is None else {"N": str(length)}

    return size


def _size(value: AttributeValue) -> int | None:
    ((kind, content),) = value.items()
    if kind == "S":
        # Counted as AWS does, in UTF-16 units.
        return len(content) if content.isascii() else len(content.encode("utf-16-le")) // 2
    if kind == "B":
        return binary_size(content)
    return len(content) if kind in ("SS", "NS", "BS", "L", "M") else None


def _fetch_first(inner: Fetch, otherwise: Fetch) -> Fetch:
    def first(item: Item, values: Values) -> AttributeValue | None:
        value = inner(item, values)
        return otherwise(item, values) if value is None else value

    return first


def _fetch_appended(left: Fetch, right: Fetch) -> Fetch:
    def appended(item: Item, values: Values) -> AttributeValue:
        head = _elements(left(item, values))
        return {"L": head + _elements(right(item, values))}

    return appended


def _elements(value: AttributeValue | None) -> list[AttributeValue]:
    if value is None:
        raise ExpressionError(MISSING)
    if "L" not in value:
        raise ExpressionError(WRONG_TYPE)
    elements: list[AttributeValue] = value["L"]
    return elements
