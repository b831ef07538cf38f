"""``attr(Order.lines).size()``: a size to compare."""

from __future__ import annotations

from tablewright.model.expressions.conditions import Comparison, Condition, Operator, between
from tablewright.model.expressions.operands import Param, Parameter, Size, Value, number_value


class SizeOf:
    """The size of an attribute: ``attr(Order.lines).size() > 3``."""

    __slots__ = ("_size",)

    def __init__(self, size: Size) -> None:
        self._size = size

    def __eq__(self, other: int | Param) -> Condition:  # type: ignore[override]
        return self._compared("=", other)

    def __ne__(self, other: int | Param) -> Condition:  # type: ignore[override]
        return self._compared("<>", other)

    def __lt__(self, other: int | Param) -> Condition:
        return self._compared("<", other)

    def __le__(self, other: int | Param) -> Condition:
        return self._compared("<=", other)

    def __gt__(self, other: int | Param) -> Condition:
        return self._compared(">", other)

    def __ge__(self, other: int | Param) -> Condition:
        return self._compared(">=", other)

    def between(self, low: int | Param, high: int | Param) -> Condition:
        """From ``low`` to ``high``, both included."""
        return between(self._size, self._operand(low), self._operand(high))

    def _compared(self, operator: Operator, other: int | Param) -> Condition:
        return Comparison(self._size, operator, self._operand(other))

    def _operand(self, given: object) -> Value | Parameter:
        where = f"size({self._size.place})"
        if isinstance(given, Param):
            return Parameter(given.name, lambda value: number_value(value, where))
        return Value(number_value(given, where))
