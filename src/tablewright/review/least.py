"""Write units that a call takes at the least, and arithmetic that documents show."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import replace

from tablewright.review.design import Design, Pattern
from tablewright.review.loads import read_units, size_of, write_units

_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def least_write_units(design: Design, pattern: Pattern) -> float | None:
    """Write units of one call; what has no known size counts as the smallest there is."""
    return write_units(design, _sized(design, pattern))


def least_read_units(design: Design, pattern: Pattern) -> float | None:
    """Read units of one call; what has no known size counts as the smallest there is."""
    return read_units(design, _sized(design, pattern))


def _sized(design: Design, pattern: Pattern) -> Pattern:
    members = tuple(_sized(design, member) for member in pattern.members)
    return replace(pattern, item_size=size_of(design, pattern) or 1, members=members)


def computed(formula: str) -> float | None:
    """The value of a formula of numbers; None if it is anything else."""
    try:
        return _value(ast.parse(formula, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError):
        return None


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    raise ValueError(ast.dump(node))
