"""Operands of conditions and changes: values in their wire form, sizes, and parameters to come."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import TypeAlias

from tablewright.model.errors import RequestError
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.expressions.places import Place
from tablewright.values import AttributeValue, InvalidValue, check_number, equal, format_number

Encode: TypeAlias = Callable[[object], AttributeValue | None]


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of the pattern that a filter is declared for."""

    name: str


def param(name: str) -> Param:
    """Stands for an argument in a declared filter: ``attr(Order.total) >= param("least")``.

    A comparison whose argument is None is left out.
    """
    return Param(name)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A value in its wire form; sets are equal in any order."""

    av: AttributeValue

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and equal(self.av, other.av)

    def __hash__(self) -> int:
        ((kind, content),) = self.av.items()
        return hash((kind, content if isinstance(content, str) else len(self.av)))


@dataclass(frozen=True, slots=True)
class Size:
    """The length of a text, binary, set, list or map."""

    place: Place


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value still to come, and how to encode it then."""

    name: str
    encode: Encode = field(compare=False, repr=False)

    def bound(self, arguments: Mapping[str, object]) -> Value | None:
        """The argument as a value; None if it is left out."""
        given = argument(self.name, arguments)
        av = None if given is None else self.encode(given)
        return None if av is None else Value(av)


Subject: TypeAlias = Place | Size
Operand: TypeAlias = Place | Size | Value | Parameter


def argument(name: str, arguments: Mapping[str, object]) -> object:
    if name not in arguments:
        raise RequestError(f'param("{name}") stands in a filter, but there is no such argument')
    return arguments[name]


def bind_operand(operand: Operand, arguments: Mapping[str, object]) -> Operand | None:
    return operand.bound(arguments) if isinstance(operand, Parameter) else operand


def operand_text(operand: Operand, holders: Placeholders) -> str:
    if isinstance(operand, Place):
        return holders.path(operand.path)
    if isinstance(operand, Value):
        return holders.value(operand.av)
    if isinstance(operand, Size):
        return f"size({holders.path(operand.place.path)})"
    return holders.parameter(operand.name, operand.encode)


# --- values that are not of a field's own type ---------------------------------------------------


def piece_value(part: object) -> AttributeValue:
    """A piece of a text or binary, which need not be a whole value of the field's type."""
    if isinstance(part, Enum):
        part = part.value
    if isinstance(part, str):
        return {"S": part}
    if isinstance(part, bytes):
        return {"B": b64encode(part).decode("ascii")}
    raise RequestError(f"a piece of a text or binary is itself one, not {part!r}")


def number_value(amount: object, where: str) -> AttributeValue:
    if isinstance(amount, bool) or not isinstance(amount, int | float | Decimal):
        raise RequestError(f"{where}: a number is needed, not {amount!r}")
    # The shortest text of a float is the number its author meant.
    number = Decimal(repr(amount)) if isinstance(amount, float) else Decimal(amount)
    if not number.is_finite():
        raise RequestError(f"{where}: DynamoDB has no {amount!r}")
    try:
        return {"N": format_number(check_number(number))}
    except InvalidValue as error:
        raise RequestError(f"{where}: {error}") from None
