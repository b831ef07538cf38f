"""What AWS checks in an expression's text alone: functions, reserved words, list indexes.

One walk from the top, left to right; the first mistake found is the one reported.
"""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.nodes import (
    Action,
    And,
    Attribute,
    Call,
    Condition,
    Node,
    Not,
    Or,
    Set,
    children,
)
from tablewright.expressions.reserved import is_reserved

MAX_INDEX = 2**31 - 1

#: Functions and how many operands they take.
CONDITION_FUNCTIONS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
UPDATE_FUNCTIONS = {"if_not_exists": 2, "list_append": 2}
FUNCTIONS = CONDITION_FUNCTIONS | UPDATE_FUNCTIONS


def check_condition_shape(root: Condition) -> None:
    """Functions, reserved words and indexes of a condition."""
    pending: list[tuple[Node, bool]] = [(root, True)]
    while pending:
        node, is_condition = pending.pop()
        if isinstance(node, Call):
            _check_condition_call(node.function, is_condition)
        elif isinstance(node, Attribute):
            check_path_shape(node)
        below = isinstance(node, And | Or | Not)
        pending.extend((child, below) for child in reversed(children(node)))


def _check_condition_call(function: str, is_condition: bool) -> None:
    _check_known(function, CONDITION_FUNCTIONS, "a condition")
    if is_condition == (function == "size"):
        raise _misused(function)


def check_action_shape(action: Action) -> None:
    """Functions, reserved words and indexes of one action of an update."""
    check_path_shape(action.target)
    if not isinstance(action, Set):
        return
    pending: list[tuple[Node, bool]] = [(action.value, True)]
    while pending:
        node, outermost = pending.pop()
        if isinstance(node, Call):
            _check_known(node.function, UPDATE_FUNCTIONS, "an update")
            if node.function == "list_append" and not outermost:
                raise _misused(node.function)
        elif isinstance(node, Attribute):
            check_path_shape(node)
        pending.extend((child, False) for child in reversed(children(node)))


def check_path_shape(path: Attribute) -> None:
    """Reserved words and list indexes of one path."""
    for step in path.steps:
        if isinstance(step, str):
            if is_reserved(step):
                raise ExpressionError(
                    f"Attribute name is a reserved keyword; reserved keyword: {step}"
                )
        elif isinstance(step, int) and step > MAX_INDEX:
            raise ExpressionError(f"List index is not within the allowable range; index: [{step}]")


def _check_known(function: str, allowed: Mapping[str, int], place: str) -> None:
    if function not in FUNCTIONS:
        raise ExpressionError(f"Invalid function name; function: {function}")
    if function not in allowed:
        raise ExpressionError(
            f"The function is not allowed in {place} expression; function: {function}"
        )


def _misused(function: str) -> ExpressionError:
    return ExpressionError(
        f"The function is not allowed to be used this way in an expression; function: {function}"
    )
