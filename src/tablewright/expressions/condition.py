"""Conditions: a tree compiled once into closures, run against any number of items.

A comparison with an attribute that is not there, or is of another type, is false; only ``<>``
is then true. An item that does not exist is one without attributes.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import TypeAlias

from tablewright.expressions import nodes
from tablewright.expressions.check import Names, resolve
from tablewright.expressions.nodes import (
    And,
    Attribute,
    Between,
    Call,
    Comparison,
    In,
    Not,
    Or,
    ValueRef,
)
from tablewright.expressions.operands import Fetch, Values, fetch, mentioned
from tablewright.values import AttributeValue, Item, compare, equal

Test: TypeAlias = Callable[[Item, Values], bool]

_NOTHING: Item = {}
_SCALARS = frozenset({"S", "N", "B", "BOOL", "NULL"})
_ORDERS: Mapping[str, Callable[[int, int], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class CompiledCondition:
    """A condition without its values."""

    test: Test
    attributes: frozenset[str]
    nested: frozenset[str]


class Condition:
    """A condition with its values: :meth:`matches` says whether an item meets it."""

    __slots__ = ("_compiled", "_values")

    _compiled: CompiledCondition
    _values: Values

    def __init__(
        self, condition: nodes.Condition | CompiledCondition, values: Values | None = None
    ) -> None:
        if isinstance(condition, CompiledCondition):
            self._compiled = condition
        else:
            self._compiled = compile_condition(condition, {})
        self._values = values or {}

    @property
    def attributes(self) -> frozenset[str]:
        """The top-level attributes that the condition mentions."""
        return self._compiled.attributes

    @property
    def nested(self) -> frozenset[str]:
        """Those of them that it looks into, by ``.name`` or ``[index]``."""
        return self._compiled.nested

    @property
    def test(self) -> Test:
        """What :meth:`matches` calls, with :attr:`values`; for whoever has many items."""
        return self._compiled.test

    @property
    def values(self) -> Values:
        """The request's values."""
        return self._values

    def matches(self, item: Item | None) -> bool:
        """Whether ``item`` meets the condition; None is an item that does not exist."""
        return self._compiled.test(_NOTHING if item is None else item, self._values)


def compile_condition(node: nodes.Condition, names: Names) -> CompiledCondition:
    """Compile ``node`` under the given names."""
    return CompiledCondition(compiled(node, names), *mentioned([node], names))


def compiled(node: nodes.Condition, names: Names) -> Test:
    """The closure that evaluates ``node``."""
    if isinstance(node, Comparison):
        return _of_attribute(node, names) or _comparison(
            node.operator, fetch(node.left, names), fetch(node.right, names)
        )
    if isinstance(node, And):
        return _all([compiled(part, names) for part in node.parts])
    if isinstance(node, Or):
        return _any([compiled(part, names) for part in node.parts])
    if isinstance(node, Not):
        return _negated(node, names)
    if isinstance(node, Between):
        return _between(fetch(node.operand, names), fetch(node.low, names), fetch(node.high, names))
    if isinstance(node, In):
        return _in(fetch(node.operand, names), [fetch(choice, names) for choice in node.choices])
    return _call(node, names)


def _negated(node: Not, names: Names) -> Test:
    # NOT NOT ... is peeled off here: it would only cost depth when run.
    negative = True
    part = node.part
    while isinstance(part, Not):
        negative = not negative
        part = part.part
    test = compiled(part, names)
    return (lambda item, values: not test(item, values)) if negative else test


def _all(tests: list[Test]) -> Test:
    if len(tests) == 2:
        first, second = tests
        return lambda item, values: first(item, values) and second(item, values)

    def every(item: Item, values: Values) -> bool:
        for test in tests:  # noqa: SIM110 - a generator would cost more than the tests
            if not test(item, values):
                return False
        return True

    return every


def _any(tests: list[Test]) -> Test:
    def some(item: Item, values: Values) -> bool:
        for test in tests:  # noqa: SIM110 - as above
            if test(item, values):
                return True
        return False

    return some


def _of_attribute(node: Comparison, names: Names) -> Test | None:
    """A test of a whole attribute against one of the request's values: most are of this kind.

    It says what :func:`_comparison` says, without a call for each side.
    """
    if not isinstance(node.left, Attribute) or not isinstance(node.right, ValueRef):
        return None
    path = resolve(node.left, names)
    if len(path) > 1:
        return None
    name, reference = str(path[0]), node.right.text

    def same(item: Item, values: Values) -> bool:
        a = item.get(name)
        if a is None:
            return False
        b = values[reference]
        # Scalars are equal only if their texts are.
        return a == b or (not b.keys() <= _SCALARS and equal(a, b))

    if node.operator == "=":
        return same
    if node.operator == "<>":
        return lambda item, values: not same(item, values)
    holds = _ORDERS[node.operator]

    def ordered(item: Item, values: Values) -> bool:
        a = item.get(name)
        if a is None:
            return False
        b = values[reference]
        if "S" in a:
            return "S" in b and holds(a["S"], b["S"])
        order = compare(a, b)
        return order is not None and holds(order, 0)

    return ordered


def _comparison(operator: str, left: Fetch, right: Fetch) -> Test:
    if operator == "=":
        return _equality(left, right)
    if operator == "<>":
        test = _equality(left, right)
        return lambda item, values: not test(item, values)
    holds = _ORDERS[operator]

    def ordered(item: Item, values: Values) -> bool:
        a, b = left(item, values), right(item, values)
        if a is None or b is None:
            return False
        if "S" in a:
            return "S" in b and holds(a["S"], b["S"])
        order = compare(a, b)
        return order is not None and holds(order, 0)

    return ordered


def _equality(left: Fetch, right: Fetch) -> Test:
    def same(item: Item, values: Values) -> bool:
        a = left(item, values)
        if a is None:
            return False
        b = right(item, values)
        return b is not None and equal(a, b)

    return same


def _between(operand: Fetch, low: Fetch, high: Fetch) -> Test:
    from_low = _comparison(">=", operand, low)
    to_high = _comparison("<=", operand, high)
    return lambda item, values: from_low(item, values) and to_high(item, values)


def _in(operand: Fetch, choices: list[Fetch]) -> Test:
    return _any([_equality(operand, choice) for choice in choices])


def _call(node: Call, names: Names) -> Test:
    inner = [fetch(operand, names) for operand in node.operands]
    first = inner[0]
    if node.function == "attribute_exists":
        return lambda item, values: first(item, values) is not None
    if node.function == "attribute_not_exists":
        return lambda item, values: first(item, values) is None
    return _relation(_RELATIONS[node.function], first, inner[1])


def _relation(
    holds: Callable[[AttributeValue, AttributeValue], bool], left: Fetch, right: Fetch
) -> Test:
    def related(item: Item, values: Values) -> bool:
        a, b = left(item, values), right(item, values)
        return a is not None and b is not None and holds(a, b)

    return related


def begins_with(value: AttributeValue, prefix: AttributeValue) -> bool:
    """Whether a string or binary starts with another."""
    if "S" in value and "S" in prefix:
        text: str = value["S"]
        return text.startswith(prefix["S"])
    if "B" in value and "B" in prefix:
        return b64decode(value["B"]).startswith(b64decode(prefix["B"]))
    return False


def contains(value: AttributeValue, part: AttributeValue) -> bool:
    """Whether ``part`` is a piece of a string or binary, or an element of a set or list."""
    ((kind, content),) = value.items()
    if kind == "L":
        return any(equal(element, part) for element in content)
    ((part_kind, wanted),) = part.items()
    if kind == "B" == part_kind:
        return b64decode(wanted) in b64decode(content)
    if kind == part_kind == "S" or (len(kind) == 2 and kind[0] == part_kind and kind[1] == "S"):
        return wanted in content
    return False


def has_type(value: AttributeValue, name: AttributeValue) -> bool:
    """Whether a value is of the type that ``name`` names."""
    return name.get("S") in value


_RELATIONS: Mapping[str, Callable[[AttributeValue, AttributeValue], bool]] = {
    "begins_with": begins_with,
    "contains": contains,
    "attribute_type": has_type,
}
