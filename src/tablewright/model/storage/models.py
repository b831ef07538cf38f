"""Nested models and dataclasses, and unions of models that a Literal field tells apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablewright.model.errors import RequestError
from tablewright.model.storage.base import Names, Storage, Unfit, found, shown
from tablewright.model.storage.records import ModelRecord, Record
from tablewright.model.storage.scalars import Scalar
from tablewright.values import AttributeValue


class Nested(Storage):
    """An object of named fields as a map."""

    kind = "M"

    def __init__(self, record: Record) -> None:
        self.record = record
        self.python = (record.cls,)

    def pack(self, value: object) -> AttributeValue | None:
        return {"M": self.record.pack(value)}

    def unpack(self, av: AttributeValue) -> object:
        if "M" not in av:
            name = self.record.cls.__name__
            raise Unfit(f"a map (M) for {name} is expected, but the item holds {found(av)}")
        return self.record.unpack(av["M"])

    def member(self, name: str) -> tuple[str, Storage]:
        field = self.record.fields.get(name)
        if field is None:
            raise RequestError(
                f"{self.where}: {self.record.cls.__name__} has no field {name!r}; "
                f"it has {', '.join(self.record.fields)}"
            )
        return field.attribute, field.storage.at(f"{self.where}.{name}")

    def write(self, value: str, names: Names) -> str:
        if not isinstance(self.record, ModelRecord):
            return super().write(value, names)
        return f'{{"M": {names.of(self.record.encoder())}({value})}}'

    def read(self, av: str, names: Names) -> str:
        if not isinstance(self.record, ModelRecord):
            return super().read(av, names)
        return f'{names.of(self.record.decoder())}({av}["M"])'


class Tagged(Storage):
    """One of several models. The value of one attribute says which."""

    kind = "M"

    def __init__(self, attribute: str, tag: Scalar, members: Mapping[object, Nested]) -> None:
        self.attribute = attribute
        self.tag = tag
        #: By the tag as it is stored.
        self.members = members
        self.python = tuple(dict.fromkeys(each.record.cls for each in members.values()))
        self._by_class = {each.record.cls: each for each in members.values()}

    def pack(self, value: object) -> AttributeValue | None:
        member = self._by_class.get(type(value))
        if member is None:
            fitting = [each for cls, each in self._by_class.items() if isinstance(value, cls)]
            if not fitting:
                raise Unfit(f"one of {self._names()} is expected, not {shown(value)}")
            member = fitting[0]
        return member.pack(value)

    def unpack(self, av: AttributeValue) -> object:
        if "M" not in av:
            raise Unfit(f"a map (M) is expected, but the item holds {found(av)}")
        tag = av["M"].get(self.attribute, {})
        member = self.members.get(tag.get(self.tag.kind))
        if member is None:
            raise Unfit(
                f"one of {self._names()} is expected, but the item holds a map whose "
                f"{self.attribute!r} is {found(tag) if tag else 'absent'}"
            )
        return member.unpack(av)

    def _names(self) -> str:
        return ", ".join(cls.__name__ for cls in self.python)

    def member(self, name: str) -> tuple[str, Storage]:
        members: Sequence[Nested] = list(self._by_class.values())
        for each in members:
            if name in each.record.fields:
                return each.at(self.where).member(name)
        return members[0].at(self.where).member(name)
