"""Conditions and requests as people read them: names and values instead of placeholders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tablewright.model.expressions.conditions import (
    And,
    Between,
    Call,
    Comparison,
    Condition,
    In,
    Not,
    Or,
)
from tablewright.model.expressions.operands import Operand, Parameter, Size, Value
from tablewright.values import AttributeValue

#: Longer values are cut.
LONGEST = 32


def condition_text(condition: Condition) -> str:
    """A declared condition; parameters stand by their names, with a colon."""
    match condition:
        case Comparison():
            return f"{_operand(condition.left)} {condition.operator} {_operand(condition.right)}"
        case Between():
            low, high = _operand(condition.low), _operand(condition.high)
            return f"{_operand(condition.subject)} BETWEEN {low} AND {high}"
        case In():
            return f"{_operand(condition.place)} IN {_choices(condition)}"
        case Call():
            operands = ", ".join(_operand(each) for each in condition.operands())
            return f"{condition.function}({operands})"
        case And():
            return " AND ".join(_grouped(part) for part in condition.parts)
        case Or():
            return " OR ".join(_grouped(part) for part in condition.parts)
        case Not():
            return f"NOT {_grouped(condition.part)}"
    return str(condition)


def _grouped(part: Condition) -> str:
    text = condition_text(part)
    return f"({text})" if isinstance(part, And | Or) else text


def _choices(condition: In) -> str:
    if isinstance(condition.choices, Parameter):
        return _operand(condition.choices)
    return f"({', '.join(_operand(each) for each in condition.choices)})"


def _operand(operand: Operand) -> str:
    if isinstance(operand, Value):
        return value_text(operand.av)
    if isinstance(operand, Parameter):
        return f":{operand.name}"
    if isinstance(operand, Size):
        return f"size({_path(operand.place.path)})"
    return _path(operand.path)


def _path(steps: tuple[str | int, ...]) -> str:
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


def expression_text(text: str, body: Mapping[str, Any], now: float) -> str:
    """An expression of a request, with the names and values that it stands for."""
    names = body.get("ExpressionAttributeNames", {})
    values = body.get("ExpressionAttributeValues", {})
    moment = str(int(now))

    def filled(match: re.Match[str]) -> str:
        token = match[0]
        if token.startswith("#"):
            return str(names.get(token, token))
        value = values.get(token)
        if value == {"N": moment}:
            return "now"
        return token if value is None else value_text(value)

    return re.sub(r"[#:]\w+", filled, text)


def value_text(value: AttributeValue) -> str:
    """A stored value, cut where it is long."""
    ((kind, content),) = value.items()
    if kind == "S":
        return f'"{cut(content)}"'
    if kind == "NULL":
        return "null"
    if kind == "BOOL":
        return "true" if content else "false"
    if kind == "M":
        return cut(f"{{{', '.join(sorted(content))}}}" if content else "{}")
    if kind == "L":
        return "[]" if not content else f"[{len(content)} values]"
    if kind in ("SS", "NS", "BS"):
        return cut(f"{{{', '.join(sorted(content))}}}")
    return cut(str(content))


def cut(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
