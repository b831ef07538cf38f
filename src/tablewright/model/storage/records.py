"""Objects of named fields as maps of attributes, field by field: the careful way.

One rule holds at every depth for an attribute that is absent (NULL, which others may have written,
is the same): the field is None if it may be, an empty set if it is a set, else its default. So
whatever was encoded reads back equal. A field that has none of these is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from tablewright.model.storage.base import Unfit, shown
from tablewright.model.storage.containers import SetOf
from tablewright.model.storage.defaults import default_of
from tablewright.model.storage.source import Functions, compile_functions
from tablewright.values import Item

if TYPE_CHECKING:
    from tablewright.model.fields import FieldDef


_NULL = {"NULL": True}


class Record:
    """A class and its fields. The fields may come later, as a model may contain itself."""

    def __init__(self, cls: type[Any], fields: Mapping[str, FieldDef]) -> None:
        self.cls = cls
        self.fields = fields

    def pack(self, value: object) -> Item:
        """The attributes of ``value``, or Unfit with the path of the first wrong field."""
        if not isinstance(value, self.cls):
            raise Unfit(f"a {self.cls.__name__} is expected, not {shown(value)}")
        item: Item = {}
        for field in self.fields.values():
            try:
                inner = getattr(value, field.name, None)
                if inner is None:
                    if not field.optional:
                        raise Unfit("it may not be None")
                    continue
                packed = field.storage.pack(inner)
            except Unfit as unfit:
                raise unfit.under(f".{field.name}") from None
            if packed is not None:
                item[field.attribute] = packed
        return item

    def given(self, item: Item) -> dict[str, object]:
        """The values of all fields that ``item`` answers; those left to a default are not there."""
        values: dict[str, object] = {}
        for field in self.fields.values():
            av = item.get(field.attribute)
            try:
                if av is not None and "NULL" not in av:
                    values[field.name] = field.storage.unpack(av)
                elif field.optional:
                    values[field.name] = None
                elif isinstance(field.storage, SetOf):
                    values[field.name] = field.storage.build()
                elif not field.has_default:
                    raise Unfit(_missing(field, av is not None))
            except Unfit as unfit:
                raise unfit.under(f".{field.name}") from None
        return values

    def unpack(self, item: Item) -> object:
        """The object, or Unfit with the path of the first wrong field."""
        raise NotImplementedError


def _missing(field: FieldDef, null: bool) -> str:
    what = f"NULL in attribute {field.attribute!r}" if null else f"no attribute {field.attribute!r}"
    return f"the item has {what}, and the field has no default"


class DataclassRecord(Record):
    """A dataclass, made by its own constructor."""

    def unpack(self, item: Item) -> object:
        return self.cls(**self.given(item))


class ModelRecord(Record):
    """A Pydantic model, made without validation: what it wrote was valid."""

    _functions: Functions | None = None
    _compiling = False

    def unpack(self, item: Item) -> object:
        given = self.given(item)
        values: dict[str, object] = {}
        for name in self.fields:
            if name in given:
                values[name] = given[name]
            else:
                values[name] = self._default(name, values)
        present = {
            field.name
            for field in self.fields.values()
            if "NULL" not in item.get(field.attribute, _NULL)
        }
        return assembled(self.cls, values, present)

    def _default(self, name: str, before: dict[str, object]) -> object:
        info = self.cls.__pydantic_fields__[name]
        if info.default_factory is None:
            return deepcopy(default_of(self.cls, name))
        return info.get_default(call_default_factory=True, validated_data=before)

    @property
    def functions(self) -> Functions:
        """The compiled way; made when first needed, as the fields are complete only then."""
        if self._functions is None:
            self._compiling = True
            try:
                self._functions = compile_functions(self.cls, self.fields)
            finally:
                self._compiling = False
        return self._functions

    def encoder(self) -> Callable[[Any], Item]:
        """The compiled encoder, for the source of others; a way to it if this is being made."""
        return self._encode if self._compiling else self.functions.encode

    def decoder(self) -> Callable[[Item], Any]:
        return self._decode if self._compiling else self.functions.decode

    def _encode(self, value: object) -> Item:
        return self.functions.encode(value)

    def _decode(self, item: Item) -> object:
        return self.functions.decode(item)


def assembled(cls: type[BaseModel], values: dict[str, object], present: set[str]) -> BaseModel:
    """An instance of ``cls`` as Pydantic would leave it, without validation."""
    model = cls.__new__(cls)
    set_ = object.__setattr__
    set_(model, "__dict__", values)
    set_(model, "__pydantic_fields_set__", present)
    set_(model, "__pydantic_extra__", {} if cls.model_config.get("extra") == "allow" else None)
    set_(model, "__pydantic_private__", None)
    if cls.__pydantic_post_init__:
        model.model_post_init(None)
    return model
