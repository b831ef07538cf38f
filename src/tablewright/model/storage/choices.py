"""Closed sets of values, and types that only Pydantic knows: all stored as other scalars are."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tablewright.model.errors import ModelError
from tablewright.model.storage.base import Names
from tablewright.model.storage.scalars import Boolean, Bytes, Integer, Misplaced, Scalar, Text


class Choice(Scalar):
    """The values of a ``Literal``, all of one type."""

    def __init__(self, values: Sequence[object], inner: Scalar) -> None:
        self.kind = inner.kind
        self.python = (type(values[0]),)
        self.label = f"one of {', '.join(map(repr, values))}"
        self.wires = {value: inner.wire(value) for value in values}
        self.values = {wire: value for value, wire in self.wires.items()}

    def wire(self, value: Any) -> Any:
        if value not in self.wires:
            raise Misplaced
        return self.wires[value]

    def value(self, wire: Any) -> object:
        if wire not in self.values:
            raise Misplaced
        return self.values[wire]

    def write_wire(self, value: str, names: Names) -> str:
        return f"{names.of(self.wires)}[{value}]"

    def read_wire(self, wire: str, names: Names) -> str:
        return f"{names.of(self.values)}[{wire}]"


class Member(Scalar):
    """The members of an Enum, by their values."""

    def __init__(self, enum: type[Enum], where: str) -> None:
        values = [member.value for member in enum]
        inner = scalar_of_values(values)
        if inner is None or isinstance(inner, Boolean):
            raise ModelError(
                f"{where}: the values of {enum.__name__} must be all texts, all whole numbers or "
                f"all bytes to be stored"
            )
        self.enum = enum
        self.inner = inner
        self.kind = inner.kind
        self.python = (enum,)
        self.label = f"a member of {enum.__name__}"
        self.members = {inner.wire(member.value): member for member in enum}

    def wire(self, value: Any) -> Any:
        # The value of a member is as good as the member: Status("paid").
        return self.inner.wire(self.enum(value).value)

    def value(self, wire: Any) -> object:
        if wire in self.members:
            return self.members[wire]
        return self.enum(self.inner.value(wire))

    def write_wire(self, value: str, names: Names) -> str:
        enum, other = names.of(self.enum), names.of(self.wire)
        text = f"{value}._value_"
        if self.kind != "S":
            text = f"{names.of(self.inner.wire)}({text})"
        return f"{text} if {value}.__class__ is {enum} else {other}({value})"

    def read_wire(self, wire: str, names: Names) -> str:
        return f"{names.of(self.members)}[{wire}]"


class Validated(Scalar):
    """A type that only Pydantic knows, such as a URL, by the text that Pydantic makes of it."""

    kind = "S"

    def __init__(self, annotation: Any, adapter: TypeAdapter[Any]) -> None:
        self.adapter = adapter
        self.label = f"a {annotation.__name__}"
        self.python = (annotation,)

    def wire(self, value: Any) -> str:
        text = self.adapter.dump_python(value, mode="json", warnings="error")
        if not isinstance(text, str):
            raise Misplaced
        return text

    def value(self, wire: Any) -> object:
        try:
            return self.adapter.validate_python(wire)
        except ValidationError:
            raise Misplaced from None


def scalar_of_values(values: Sequence[object]) -> Scalar | None:
    """The storage of ``values`` if they are all of one type that has one."""
    for types, storage in _OF_VALUES:
        if values and all(type(value) in types for value in values):
            return storage()
    return None


_OF_VALUES: tuple[tuple[tuple[type, ...], type[Scalar]], ...] = (
    ((str,), Text),
    ((bool,), Boolean),
    ((int,), Integer),
    ((bytes,), Bytes),
)
