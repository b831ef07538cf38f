"""Codecs: the instances of one model as items and back, by functions compiled for the class.

What is compiled is for values as they should be. If it fails, the same is done again field by
field, which either succeeds after all or names the field and what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from pydantic import AliasChoices, BaseModel, ValidationError

from tablewright.model.errors import DataError, RequestError
from tablewright.model.fields import FieldDef
from tablewright.model.storage.base import Unfit
from tablewright.model.storage.records import ModelRecord
from tablewright.model.storage.source import Functions, compile_functions
from tablewright.values import Item

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Codec(Generic[M]):
    """How the instances of one model become items, and items instances."""

    #: The declared fields only: neither keys that are composed nor a discriminator.
    encode: Callable[[M], Item]
    #: Without Pydantic's validation; attributes that it does not know are ignored.
    decode: Callable[[Item], M]
    #: With it, for items that others have written.
    strict_decode: Callable[[Item], M]
    #: The attribute names that it knows.
    attributes: frozenset[str]
    #: The generated code, for whoever wonders.
    source: str


def compile_codec(model: type[M], fields: Mapping[str, FieldDef]) -> Codec[M]:
    """The codec of ``model``, whose ``fields`` are those of :func:`.field_defs`."""
    record = ModelRecord(model, fields)
    functions = compile_functions(model, fields)
    return Codec(
        encode=_encoder(record, functions),
        decode=_decoder(model, record, functions),
        strict_decode=_strict_decoder(model, record),
        attributes=frozenset(field.attribute for field in fields.values()),
        source=functions.source,
    )


def _encoder(record: ModelRecord, functions: Functions) -> Callable[[M], Item]:
    quick = functions.encode
    name = record.cls.__name__

    def encode(value: M) -> Item:
        try:
            return quick(value)
        except Exception:
            pass
        try:
            return record.pack(value)
        except Unfit as unfit:
            raise RequestError(f"{name}{unfit}") from None

    return encode


def _decoder(model: type[M], record: ModelRecord, functions: Functions) -> Callable[[Item], M]:
    quick = functions.decode

    def decode(item: Item) -> M:
        try:
            return cast(M, quick(item))
        except Exception:
            pass
        try:
            return cast(M, record.unpack(item))
        except Unfit as unfit:
            raise DataError(f"{model.__name__}{unfit}") from None

    return decode


def _strict_decoder(model: type[M], record: ModelRecord) -> Callable[[Item], M]:
    keys = {name: _key(model, name) for name in record.fields}

    def strict_decode(item: Item) -> M:
        try:
            given = record.given(item)
        except Unfit as unfit:
            raise DataError(f"{model.__name__}{unfit}") from None
        try:
            return model.model_validate({keys[name]: value for name, value in given.items()})
        except ValidationError as error:
            message = f"{model.__name__}: the stored item is not valid: {_faults(error)}"
            raise DataError(message) from None

    return strict_decode


def _faults(error: ValidationError) -> str:
    """What is wrong, and where; without what is stored, which may be personal."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    places = (".".join(map(str, each["loc"])) or "item" for each in found)
    return "; ".join(f"{place}: {each['msg']}" for place, each in zip(places, found, strict=True))


def _key(model: type[BaseModel], name: str) -> str:
    """The name under which Pydantic takes a field: its alias where it has one."""
    alias = model.__pydantic_fields__[name].validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    texts = [each for each in choices if isinstance(each, str)]
    return texts[0] if texts else name
