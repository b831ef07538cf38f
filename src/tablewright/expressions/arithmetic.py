"""Numbers and sets that an update computes: exact, and refused where DynamoDB refuses them."""

from __future__ import annotations

from decimal import Decimal

from tablewright.expressions.errors import ExpressionError
from tablewright.values import (
    EXACT,
    MAX_DIGITS,
    MAX_MAGNITUDE,
    MIN_MAGNITUDE,
    AttributeValue,
    format_number,
    significant_digits,
    sorted_members,
)

_RANGE = "Attempting to store a number with magnitude {} than supported range"
_OVERFLOW = "Number overflow. " + _RANGE.format("larger")
_UNDERFLOW = "Number underflow. " + _RANGE.format("smaller")


def total(left: str, right: str, sign: int = 1) -> str:
    """``left + right``, or ``left - right`` for a sign of -1; numbers as canonical text."""
    if len(left) < 20 and len(right) < 20 and "." not in left and "." not in right:
        return str(int(left) + sign * int(right))
    other = Decimal(right)
    result = EXACT.add(Decimal(left), other if sign > 0 else -other)
    if result:
        magnitude = result.adjusted()
        # A sum of too many digits is an overflow to AWS as well.
        if magnitude > MAX_MAGNITUDE or significant_digits(result) > MAX_DIGITS:
            raise ExpressionError(_OVERFLOW)
        if magnitude < MIN_MAGNITUDE:
            raise ExpressionError(_UNDERFLOW)
    return format_number(result)


def united(kind: str, old: AttributeValue, new: AttributeValue) -> AttributeValue:
    """The elements of two sets of one type."""
    return {kind: sorted_members(kind, {*old[kind], *new[kind]})}


def without(kind: str, old: AttributeValue, gone: AttributeValue) -> AttributeValue | None:
    """The elements of ``old`` that are not in ``gone``; None where none is left."""
    absent = set(gone[kind])
    rest = [element for element in old[kind] if element not in absent]
    return {kind: rest} if rest else None
