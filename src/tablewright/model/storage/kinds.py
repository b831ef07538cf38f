"""From a type to its storage: the one place that knows which types can be stored, and how.

========================================  ======================================================
Python                                    stored as
========================================  ======================================================
``str``, ``UUID``, URLs, ``date``, ...    S
``int``, ``Decimal``, ``float``           N, exact; nan and infinities are refused
``timedelta``                             N, seconds
``datetime``                              S, ISO 8601 in UTC; or N by the forms of ``types``
``bool``; ``bytes``                       BOOL; B
``Enum``, ``Literal``                     S, N, B or BOOL by their values
``set``, ``frozenset``                    SS, NS, BS; an empty one as no attribute
``list``, ``tuple``, ``Sequence``         L
``dict``, models, dataclasses             M
``Any``, ``JsonValue``, unions            what the value is
========================================  ======================================================
"""

from __future__ import annotations

import collections.abc
import dataclasses
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, ForwardRef, Literal, TypeVar, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, JsonValue, RootModel, SecretBytes, SecretStr, TypeAdapter

from tablewright.model.errors import ModelError
from tablewright.model.storage.annotations import core_of, described, is_union
from tablewright.model.storage.base import Storage
from tablewright.model.storage.choices import Choice, Member, Validated, scalar_of_values
from tablewright.model.storage.containers import DictOf, ListOf, Maybe, SetOf, TupleOf
from tablewright.model.storage.models import Nested
from tablewright.model.storage.open import Anything
from tablewright.model.storage.records import DataclassRecord, ModelRecord
from tablewright.model.storage.scalars import (
    Boolean,
    Bytes,
    Exact,
    Float,
    Integer,
    Scalar,
    Text,
    Uuid,
)
from tablewright.model.storage.times import Day, Duration, EpochMoment, IsoMoment, TimeOfDay
from tablewright.model.storage.unions import union_of
from tablewright.model.types import Stored

__all__ = ["Storage", "storage_of"]

_PLAIN: dict[object, Callable[[], Storage]] = {
    str: Text,
    int: Integer,
    Decimal: Exact,
    float: Float,
    bool: Boolean,
    bytes: Bytes,
    UUID: Uuid,
    date: Day,
    time: TimeOfDay,
    timedelta: Duration,
    Any: Anything,
    object: Anything,
    JsonValue: lambda: Anything(json=True),
}
_SETS = (set, frozenset, collections.abc.Set, collections.abc.MutableSet)
_LISTS = (list, collections.abc.Sequence, collections.abc.MutableSequence)
_DICTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)

#: Where a class keeps its record. It has one, because a model may contain itself, and because it is
#: compiled once, wherever it stands; and it keeps it itself, so that both end together.
_RECORD = "__tablewright_record__"


def storage_of(annotation: object, metadata: Sequence[object] = (), where: str = "") -> Storage:
    """The storage of a type, or ModelError if it cannot be stored and read back unchanged."""
    core = core_of(annotation, metadata)
    storage = _storage(core.annotation, core.metadata, where)
    if core.optional:
        storage = Maybe(storage)
    return storage.at(where)


def _storage(annotation: Any, metadata: Sequence[object], where: str) -> Storage:
    origin = get_origin(annotation) or annotation
    arguments = get_args(annotation)
    if annotation in _PLAIN:
        return _PLAIN[annotation]()
    if annotation is datetime:
        return _moment(metadata)
    if is_union(annotation):
        return union_of(arguments, where, lambda each: storage_of(each, (), where))
    if origin is Literal:
        return _literal(arguments, where)
    if origin in _SETS:
        return _set(origin, arguments, where)
    if origin is tuple and arguments[1:] != (...,):
        return _tuple(annotation, arguments, where)
    if origin in _LISTS or origin is tuple:
        element = storage_of(arguments[0] if arguments else Any, (), f"{where}[]")
        return ListOf(element, tuple if origin is tuple else list)
    if origin in _DICTS:
        return _dict(arguments or (str, Any), where)
    if isinstance(annotation, type):
        return _of_class(annotation, where)
    raise _refusal(annotation, where)


def _moment(metadata: Sequence[object]) -> Storage:
    # The last word counts, as with Pydantic's own constraints.
    forms = [mark.form for mark in metadata if isinstance(mark, Stored)]
    form = forms[-1] if forms else "iso_micros"
    if form == "epoch_seconds" or form == "epoch_millis":
        return EpochMoment(form)
    return IsoMoment(form)


def _literal(values: Sequence[object], where: str) -> Storage:
    if isinstance(values[0], Enum) and all(type(each) is type(values[0]) for each in values):
        return Choice(values, Member(type(values[0]), where))
    inner = scalar_of_values(values)
    if inner is not None:
        return Choice(values, inner)
    groups: dict[type, list[object]] = {}
    for each in values:
        groups.setdefault(type(each), []).append(each)
    if len(groups) == 1:
        raise _refusal(Literal[tuple(values)], where)
    arms = [Literal[tuple(group)] for group in groups.values()]
    return union_of(arms, where, lambda each: storage_of(each, (), where))


def _set(origin: type, arguments: Sequence[object], where: str) -> Storage:
    element = storage_of(arguments[0], (), where) if arguments else None
    if not isinstance(element, Scalar) or element.kind not in ("S", "N", "B"):
        given = f"set of {described(arguments[0])}" if arguments else "set of anything"
        raise ModelError(
            f"{where}: a {given} cannot be stored: the members of a set are all texts, all numbers "
            f"or all bytes; use a list, or name one such type"
        )
    return SetOf(element, frozenset if origin is frozenset else set)


def _tuple(annotation: object, arguments: Sequence[object], where: str) -> Storage:
    if annotation is tuple:
        return ListOf(storage_of(Any, (), f"{where}[]"), tuple)
    return TupleOf(
        [storage_of(each, (), f"{where}[{place}]") for place, each in enumerate(arguments)]
    )


def _dict(arguments: Sequence[object], where: str) -> Storage:
    key = storage_of(arguments[0], (), where)
    if not isinstance(key, Scalar) or key.kind != "S":
        raise ModelError(
            f"{where}: a dict with keys of {described(arguments[0])} cannot be stored: the keys of "
            f"a map are texts; use str, or an Enum of texts"
        )
    return DictOf(key, storage_of(arguments[1], (), f"{where}[]"))


def _of_class(cls: type[Any], where: str) -> Storage:
    if issubclass(cls, RootModel):
        raise ModelError(
            f"{where}: {cls.__name__} is a root model; use the type that it wraps, or a model"
        )
    if issubclass(cls, BaseModel) or dataclasses.is_dataclass(cls):
        return Nested(_record(cls, where))
    if issubclass(cls, Enum):
        return Member(cls, where)
    if issubclass(cls, SecretStr | SecretBytes):
        raise ModelError(f"{where}: {cls.__name__} shows itself as stars; store a str or bytes")
    return _validated(cls, where)


def _record(cls: type[Any], where: str) -> ModelRecord | DataclassRecord:
    # Imported late: fields have storages, and the storages of models have fields.
    from tablewright.model.fields import dataclass_defs, field_defs

    # Not that of a parent.
    known: ModelRecord | DataclassRecord | None = cls.__dict__.get(_RECORD)
    if known is not None:
        return known
    is_model = issubclass(cls, BaseModel)
    record = ModelRecord(cls, {}) if is_model else DataclassRecord(cls, {})
    type.__setattr__(cls, _RECORD, record)
    try:
        if is_model and not cls.__pydantic_complete__:
            cls.model_rebuild(raise_errors=False)
        record.fields = field_defs(cls) if is_model else dataclass_defs(cls)
    except ModelError as error:
        type.__delattr__(cls, _RECORD)
        raise ModelError(f"{where}: {error}") from None
    return record


def _validated(cls: type[Any], where: str) -> Storage:
    """The storage of a type that Pydantic turns into text and back, such as a URL or a path."""
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(cls)
        if adapter.json_schema(mode="serialization").get("type") == "string":
            return Validated(cls, adapter)
    except Exception:
        # Whatever Pydantic finds wrong with it, the answer is the same.
        pass
    raise _refusal(cls, where)


def _refusal(annotation: object, where: str) -> ModelError:
    if isinstance(annotation, ForwardRef | str):
        name = annotation if isinstance(annotation, str) else annotation.__forward_arg__
        return ModelError(f"{where}: {name} is not known yet; define it before this class")
    if isinstance(annotation, TypeVar):
        return ModelError(f"{where}: {annotation} is still open; use the model with its type given")
    return ModelError(
        f"{where}: {described(annotation)} cannot be stored; use str, numbers, bool, bytes, dates "
        f"and times, Enum, Literal, set, list, tuple, dict, a Pydantic model or a dataclass"
    )
