"""Types that leave the form to the value: ``Any``, ``JsonValue``, and unions of different forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from tablewright.model.storage.base import Storage, Unfit, found, shown
from tablewright.model.storage.containers import DictOf, ListOf, Maybe, SetOf
from tablewright.model.storage.scalars import (
    Boolean,
    Bytes,
    Exact,
    Float,
    Integer,
    Scalar,
    Text,
)
from tablewright.values import MAX_DIGITS, AttributeValue

_INTEGER = Integer()
#: Numbers of the other type than the field's own are still stored, if not read back as such.
_SCALARS: dict[type, Scalar] = {
    str: Text(),
    bool: Boolean(),
    float: Float(),
    Decimal: Exact(),
    bytes: Bytes(),
}


class Numbers(Scalar):
    """``int | Decimal`` or ``int | float``: a number is an int if it is whole.

    Beside floats that takes some care. The shortest text of a large float is not its exact value,
    so a whole float is written with all its digits, to be equal to the int that is read. From
    ``10**38`` on these are too many: there, a number is a float.
    """

    kind = "N"
    label = "a number"

    def __init__(self, fraction: Scalar) -> None:
        self.fraction = fraction
        self.python = fraction.python
        self.limit = 10**MAX_DIGITS if isinstance(fraction, Float) else None

    def wire(self, value: Any) -> str:
        whole = type(value) is int or (type(value) is float and value.is_integer())
        if not whole or not self._is_int(abs(value)):
            if type(value) is int:
                raise ValueError("beside floats, a whole number has at most 38 digits")
            text: str = self.fraction.wire(value)
            return text
        return _INTEGER.wire(int(value))

    def value(self, wire: Any) -> object:
        exact = Decimal(wire)
        # Not abs(), which rounds a Decimal to the digits of the context.
        if exact == exact.to_integral_value() and self._is_int(exact.copy_abs()):
            return int(exact)
        return self.fraction.value(wire)

    def _is_int(self, magnitude: int | Decimal) -> bool:
        return self.limit is None or magnitude < self.limit


class Anything(Storage):
    """Whatever DynamoDB itself can hold.

    Numbers that are not whole are decimals, which lose nothing; for JSON, which knows no decimals,
    they are floats.
    """

    kind = "ANY"
    empties = True

    def __init__(self, json: bool = False) -> None:
        self._number = Numbers(Float() if json else Exact())
        inside = Maybe(self)
        self._list = ListOf(inside, list)
        self._dict = DictOf(Text(), inside)

    def pack(self, value: object) -> AttributeValue | None:
        if type(value) in self._number.python:
            return self._number.pack(value)
        scalar = _SCALARS.get(type(value))
        if scalar is not None:
            return scalar.pack(value)
        if isinstance(value, list | tuple):
            return self._list.pack(value)
        if isinstance(value, dict):
            return self._dict.pack(value)
        if isinstance(value, set | frozenset):
            return _set(value)
        raise Unfit(
            f"{shown(value)} has no form of its own in DynamoDB; declare the field with its type"
        )

    def unpack(self, av: AttributeValue) -> object:
        for kind in av:
            if kind == "N":
                return self._number.unpack(av)
            if kind in _READ:
                return _READ[kind].unpack(av)
            if kind == "L":
                return self._list.unpack(av)
            if kind == "M":
                return self._dict.unpack(av)
            if kind == "NULL":
                return None
        raise Unfit(f"a value is expected, but the item holds {found(av)}")

    def member(self, name: str) -> tuple[str, Storage]:
        return name, self.at(f"{self.where}.{name}")

    def element(self, position: int = 0) -> Storage:
        return self.at(f"{self.where}[{position}]")


_READ: dict[str, Storage] = {
    "S": Text(),
    "B": Bytes(),
    "BOOL": Boolean(),
    "SS": SetOf(Text(), set),
    "NS": SetOf(Exact(), set),
    "BS": SetOf(Bytes(), set),
}


def _set(value: set[object] | frozenset[object]) -> AttributeValue | None:
    for members, storage in ((str, _READ["SS"]), (bytes, _READ["BS"])):
        if all(isinstance(each, members) for each in value):
            return storage.pack(value)
    return _READ["NS"].pack(value)


class Either(Storage):
    """A union whose members are told apart by the kind of what is stored."""

    kind = "ANY"

    def __init__(self, members: Sequence[Storage]) -> None:
        self.members: Mapping[str, Storage] = {each.kind: each for each in members}
        self.python = tuple(kind for each in members for kind in each.python)

    def pack(self, value: object) -> AttributeValue | None:
        return self._member_of(value).pack(value)

    def _member_of(self, value: object) -> Storage:
        members = self.members.values()
        for each in members:
            if type(value) in each.python:
                return each
        for each in members:
            if isinstance(value, each.python):
                return each
        names = ", ".join(dict.fromkeys(kind.__name__ for kind in self.python))
        raise Unfit(f"one of {names} is expected, not {shown(value)}")

    def unpack(self, av: AttributeValue) -> object:
        for kind in av:
            if kind in self.members:
                return self.members[kind].unpack(av)
        kinds = " or ".join(self.members)
        raise Unfit(f"a value of kind {kinds} is expected, but the item holds {found(av)}")

    def member(self, name: str) -> tuple[str, Storage]:
        inner = self.members.get("M")
        return super().member(name) if inner is None else inner.at(self.where).member(name)

    def element(self, position: int = 0) -> Storage:
        inner = self.members.get("L")
        return (
            super().element(position) if inner is None else inner.at(self.where).element(position)
        )
