"""The size of what an UpdateItem does, which AWS limits besides the size of the item.

The charge follows from the statement: three bytes, and so many for each clause. A value from the
request is charged at its size wherever it is used. What is read from the item is free, but the path
to it is not. None of this is documented by AWS; it was measured against the service.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tablewright.expressions.check import Names, resolve
from tablewright.expressions.nodes import (
    Action,
    Add,
    Arithmetic,
    Attribute,
    Call,
    Literal,
    Path,
    Set,
    Value,
    ValueRef,
)
from tablewright.expressions.operands import Fetch, Values, fetch
from tablewright.values import AttributeValue, Item, text_size, value_size

_UPDATE = 3
_ASSIGNMENT = 19
_REMOVAL = 1
_PATH = 1
_PATH_ELEMENT = 14
_TARGET_ELEMENT = 4
_ARITHMETIC = {"+": 34, "-": 37}
_CALLS = {"if_not_exists": 39, "list_append": 37}


@dataclass(frozen=True)
class Statement:
    """What an update is charged for."""

    #: all that does not depend on values
    fixed: int
    #: the values that are charged at their size
    values: tuple[Fetch, ...]
    #: targets of ADD and the values to add; of a set, only the members that are new are charged
    added: tuple[tuple[Fetch, Fetch], ...]
    #: how often one value is used at most
    most_uses: int


def measure_statement(actions: Sequence[Action], names: Names) -> Statement:
    """Find out what ``actions`` are charged for."""
    fixed = _UPDATE
    values: list[Fetch] = []
    added: list[tuple[Fetch, Fetch]] = []
    uses: Counter[str] = Counter()
    for action in actions:
        fixed += _target_size(resolve(action.target, names))
        if isinstance(action, Set):
            fixed += _ASSIGNMENT + _measure(action.value, names, values, uses)
        elif isinstance(action, Add):
            fixed += _ASSIGNMENT
            added.append((fetch(action.target, names), fetch(action.value, names)))
            if isinstance(action.value, ValueRef):
                uses[action.value.text] += 1
        else:
            fixed += _REMOVAL
    return Statement(fixed, tuple(values), tuple(added), max(uses.values(), default=0))


def charge(statement: Statement, item: Item, values: Values) -> int:
    """The bytes that the statement is charged for, with these values and on this item."""
    size = statement.fixed
    for use in statement.values:
        size += value_size(use(item, values) or {})
    for target, use in statement.added:
        size += _added_size(target(item, values), use(item, values) or {})
    return size


def _measure(value: Value, names: Names, values: list[Fetch], uses: Counter[str]) -> int:
    """The fixed part of an operand; what is charged at its size goes into ``values``."""
    if isinstance(value, Arithmetic):
        sides = (value.left, value.right)
        return _ARITHMETIC[value.operator] + sum(_measure(v, names, values, uses) for v in sides)
    if isinstance(value, Call):
        operands: Iterable[Value] = value.operands
        fixed = _CALLS.get(value.function, 0)
        return fixed + sum(_measure(v, names, values, uses) for v in operands)
    if isinstance(value, Attribute):
        steps = resolve(value, names)
        return _PATH + sum(_PATH_ELEMENT + text_size(str(step)) for step in steps)
    if isinstance(value, ValueRef | Literal):
        values.append(fetch(value, names))
    if isinstance(value, ValueRef):
        uses[value.text] += 1
    return 0


def _target_size(path: Path) -> int:
    first, *others = path
    return text_size(str(first)) + sum(_TARGET_ELEMENT + text_size(str(step)) for step in others)


def _added_size(present: AttributeValue | None, value: AttributeValue) -> int:
    for kind, members in value.items():
        if kind in ("SS", "NS", "BS") and present is not None and kind in present:
            known = set(present[kind])
            return value_size({kind: [member for member in members if member not in known]})
    return value_size(value)
