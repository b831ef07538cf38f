"""Key conditions: a condition so simple that an index can answer it.

Only comparisons, BETWEEN and begins_with, each on one key attribute and constants, joined by
AND. The result is a list of :class:`KeyTerm`; which attributes are keys is for the caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias, TypeGuard

from tablewright.expressions import nodes
from tablewright.expressions.check import Names, resolve
from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.nodes import (
    And,
    Attribute,
    Between,
    Call,
    Comparison,
    In,
    Literal,
    Operand,
    Or,
    ValueRef,
)
from tablewright.expressions.operands import Values
from tablewright.values import AttributeValue

KeyOperator: TypeAlias = OneOf["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with", "other"]
"""``other`` is one that no index can answer; only the older parameters can ask for it."""

_MIRRORED: dict[str, KeyOperator] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_STRAIGHT: dict[str, KeyOperator] = {operator: operator for operator in _MIRRORED.values()}
_INVALID = "Invalid condition in KeyConditionExpression: "
_NESTED = "KeyConditionExpressions cannot contain nested operations"


class KeyTerm(NamedTuple):
    """One key attribute, how it is compared, and with which one or two values."""

    name: str
    operator: KeyOperator
    values: tuple[AttributeValue, ...]


@dataclass(frozen=True)
class TermTemplate:
    """A :class:`KeyTerm` whose values are not yet known."""

    name: str
    operator: KeyOperator
    operands: tuple[ValueRef | Literal, ...]

    def bind(self, values: Values) -> KeyTerm:
        """The term with the values of one request."""
        return KeyTerm(
            self.name,
            self.operator,
            tuple([_constant(operand, values) for operand in self.operands]),
        )


def key_terms(root: nodes.Condition, names: Names) -> list[TermTemplate]:
    """The terms of a key condition; AWS's message where it asks for more than a key can."""
    terms: dict[str, TermTemplate] = {}
    for node in _conjuncts(root):
        term = _term(node, names)
        if term.name in terms:
            raise ExpressionError(
                "Invalid KeyConditionExpression: "
                "KeyConditionExpressions must only contain one condition per key"
            )
        terms[term.name] = term
    return list(terms.values())


def _conjuncts(root: nodes.Condition) -> Iterator[Comparison | Between | Call]:
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, And):
            pending.extend(reversed(node.parts))
        elif _answerable(node):
            yield node
        else:
            raise ExpressionError(
                f"Invalid operator used in KeyConditionExpression: {_operator(node)}"
            )


def _answerable(node: nodes.Condition) -> TypeGuard[Comparison | Between | Call]:
    if isinstance(node, Comparison):
        return node.operator != "<>"
    return isinstance(node, Between) or (isinstance(node, Call) and node.function == "begins_with")


def _operator(node: nodes.Condition) -> str:
    if isinstance(node, Call):
        return node.function
    if isinstance(node, Comparison):
        return node.operator
    return "OR" if isinstance(node, Or) else "IN" if isinstance(node, In) else "NOT"


def _term(node: Comparison | Between | Call, names: Names) -> TermTemplate:
    if isinstance(node, Comparison):
        return _comparison(node, names)
    if isinstance(node, Between):
        operator: KeyOperator = "BETWEEN"
        operands: tuple[Operand, ...] = (node.operand, node.low, node.high)
    else:
        operator = "begins_with"
        operands = node.operands
    if not isinstance(operands[0], Attribute):
        if isinstance(operands[0], Call):
            raise ExpressionError(_NESTED)
        raise ExpressionError(
            f"{_INVALID}{operator} operator must have the key attribute as its first operand"
        )
    name, _ = _key(operands, names)
    return TermTemplate(name, operator, _constants(operands))


def _comparison(node: Comparison, names: Names) -> TermTemplate:
    operands = (node.left, node.right)
    name, position = _key(operands, names)
    operator = (_MIRRORED if position else _STRAIGHT)[node.operator]
    return TermTemplate(name, operator, _constants(operands))


def _key(operands: tuple[Operand, ...], names: Names) -> tuple[str, int]:
    """The one attribute among the operands, and where it stands."""
    found: tuple[str, int] | None = None
    for position, operand in enumerate(operands):
        if isinstance(operand, Call):
            raise ExpressionError(_NESTED)
        if isinstance(operand, Attribute):
            if found is not None:
                raise ExpressionError(_INVALID + "Multiple attribute names used in one condition")
            path = resolve(operand, names)
            if len(path) > 1:
                raise ExpressionError(
                    "KeyConditionExpressions cannot have conditions on nested attributes"
                )
            found = str(path[0]), position
    if found is None:
        raise ExpressionError(_INVALID + "No key attribute specified")
    return found


def _constants(operands: tuple[Operand, ...]) -> tuple[ValueRef | Literal, ...]:
    return tuple([o for o in operands if isinstance(o, ValueRef | Literal)])


def _constant(operand: ValueRef | Literal, values: Values) -> AttributeValue:
    return values[operand.text] if isinstance(operand, ValueRef) else operand.value
