"""Equations that items have to meet: ``total == input + output``, ``day(at) == day(day)``.

A relation is a Python comparison over the attributes and key components of an item, with
``+ - * /`` and a few functions. Nothing else of Python is in it.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from tablewright.values import EXACT

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})").match
#: Above this, seconds would be in the year 5138.
_MILLIS = 100_000_000_000


class Unknown(Exception):
    """A relation that cannot be judged: a value is absent, or it says something else."""


def seconds(value: object) -> Decimal:
    """Seconds since 1970 of an epoch (milliseconds too), of an ISO text or of a day."""
    if isinstance(value, Decimal):
        return value / 1000 if value > _MILLIS else value
    text = str(value)
    if text.isdigit() and len(text) != 8:
        return seconds(Decimal(text))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Unknown(f"{value!r} is no time") from None
    zoned = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return Decimal(str(zoned.timestamp()))


def day(value: object) -> str:
    """The day in UTC, as 2026-01-31."""
    text = str(value)
    found = _DAY(text)
    if isinstance(value, str) and found is not None and len(text) in (8, 10):
        return "-".join(found.groups())
    return datetime.fromtimestamp(float(seconds(value)), UTC).date().isoformat()


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "seconds": seconds,
    "day": day,
    "size": lambda value: Decimal(len(value)),
}


def holds(relation: str, values: Mapping[str, object]) -> tuple[bool, str]:
    """Whether ``values`` meet the relation, and what both sides are; :class:`Unknown`."""
    try:
        tree = ast.parse(relation, mode="eval").body
    except SyntaxError:
        raise Unknown(relation) from None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        raise Unknown(relation)
    left, right = _value(tree.left, values), _value(tree.comparators[0], values)
    try:
        met = _COMPARISONS[type(tree.ops[0])](left, right)
    except (TypeError, KeyError):
        raise Unknown(relation) from None
    return met, f"{_shown(left)} and {_shown(right)}"


def _value(node: ast.expr, values: Mapping[str, object]) -> Any:
    if isinstance(node, ast.Constant):
        return Decimal(str(node.value)) if isinstance(node.value, int | float) else node.value
    if isinstance(node, ast.Name):
        return _named(node.id, values)
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = _value(node.left, values), _value(node.right, values)
        try:
            return _ARITHMETIC[type(node.op)](left, right)
        except (TypeError, ArithmeticError):
            raise Unknown(ast.unparse(node)) from None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        function = _FUNCTIONS.get(node.func.id)
        if function is not None:
            return function(*(_value(each, values) for each in node.args))
    raise Unknown(ast.unparse(node))


def _named(name: str, values: Mapping[str, object]) -> object:
    if name in values:
        return values[name]
    if name == "days":
        return Decimal(86400)
    raise Unknown(name)


def _shown(value: object) -> str:
    return f"{value.normalize(EXACT):f}" if isinstance(value, Decimal) else repr(value)
