"""SET and REMOVE to the actions of an update expression.

``set_add`` and ``set_delete`` are the ADD and DELETE actions of an update expression in other
words, which is why their first argument has to be the attribute that is assigned to.
"""

from __future__ import annotations

from tablewright.engine.errors import validation
from tablewright.engine.partiql.conditions import Conditions, attribute
from tablewright.engine.partiql.literals import is_literal, literal
from tablewright.engine.partiql.syntax import (
    Assignment,
    Between,
    Call,
    Expression,
    Infix,
    Is,
    Missing,
    Name,
    Parameter,
    Path,
    Unary,
)
from tablewright.expressions import ExpressionError, Update, nodes
from tablewright.expressions.check import check_update, resolve
from tablewright.expressions.paths import PathTree
from tablewright.expressions.shape import CONDITION_FUNCTIONS, UPDATE_FUNCTIONS
from tablewright.values import AttributeValue

_SETS = frozenset({"SS", "NS", "BS"})


def update_of(assignments: tuple[Assignment, ...], values: list[AttributeValue]) -> Update:
    """The update that the assignments make, checked as far as the statement alone tells."""
    updates = Updates(values)
    actions = [updates.action(assignment) for assignment in assignments]
    tree = PathTree()
    for action in actions:
        tree.add(resolve(action.target, {}))
    # The number of operators has been counted while parsing.
    check_update(actions, 0, {}, {})
    return Update(actions)


class Updates:
    """Translates the assignments of one statement."""

    def __init__(self, values: list[AttributeValue]) -> None:
        self._values = values
        self._operands = Conditions(values)

    def action(self, assignment: Assignment) -> nodes.Action:
        """One SET or REMOVE."""
        target = attribute(assignment.target)
        value = assignment.value
        if value is None:
            return nodes.Remove(target)
        if isinstance(value, Call) and value.function.lower() in ("set_add", "set_delete"):
            return self._set_change(target, value)
        return nodes.Set(target, self._value(value))

    def _set_change(self, target: nodes.Attribute, call: Call) -> nodes.Action:
        function = call.function.upper()
        if len(call.arguments) != 2:
            raise validation(f"{function} must have exactly two arguments at {call.at}")
        first, second = call.arguments
        if not isinstance(first, Name | Path) or attribute(first) != target:
            raise validation(
                f"The first argument to {function} must equal the assignment value at {call.at}"
            )
        change: AttributeValue | None = None
        if isinstance(second, Parameter):
            change = self._values[second.number]
        elif is_literal(second):
            change = literal(second)
        if change is None or not change.keys() <= _SETS:
            raise validation(
                f"The second argument to {function} must be a value with type SET at {first.at}"
            )
        action = nodes.Add if function == "SET_ADD" else nodes.Delete
        return action(target, nodes.Literal(change))

    def _value(self, node: Expression) -> nodes.Value:
        if isinstance(node, Infix) and node.operator in ("+", "-"):
            left, right = node.operands
            return nodes.Arithmetic(node.operator, self._value(left), self._value(right))
        return self._operand(node)

    def _operand(self, node: Expression) -> nodes.Operand:
        if isinstance(node, Call):
            return self._call(node)
        if isinstance(node, Is):
            raise validation("IS operator is not supported in update expressions")
        if isinstance(node, Unary) and node.operator != "not":
            raise ExpressionError(
                "Incorrect number of operands for operator or function; "
                f"operator or function: {node.operator}, number of operands: 1"
            )
        if isinstance(node, Infix | Unary | Between):
            operator = "between" if isinstance(node, Between) else node.operator
            raise validation(f"Unsupported operator in Update Expression. Operator: {operator}")
        if isinstance(node, Missing):
            raise validation("MISSING must be compared using IS operator")
        return self._operands.operand(node)

    def _call(self, node: Call) -> nodes.Call:
        function = node.function.lower()
        if function in CONDITION_FUNCTIONS:
            raise validation(
                f"The function is not allowed in an update expression; function: {function}"
            )
        if function not in UPDATE_FUNCTIONS:
            raise validation(f"Unrecognized function: {node.function} at {node.at}")
        return nodes.Call(function, tuple(self._operand(each) for each in node.arguments))
