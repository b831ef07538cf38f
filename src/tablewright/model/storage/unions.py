"""Unions, as far as what is stored says which member it is.

Members of different kinds tell themselves apart: ``str | int``. Two of one kind do not, except
whole numbers beside others, and models with a Literal field of different values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, get_origin

from pydantic import BaseModel

from tablewright.model.errors import ModelError
from tablewright.model.storage.annotations import core_of, described
from tablewright.model.storage.base import Storage
from tablewright.model.storage.choices import Choice
from tablewright.model.storage.containers import SetOf
from tablewright.model.storage.models import Nested, Tagged
from tablewright.model.storage.open import Either, Numbers
from tablewright.model.storage.records import ModelRecord
from tablewright.model.storage.scalars import Exact, Float, Integer
from tablewright.model.types import Attribute

Make = Callable[[object], Storage]


def union_of(annotations: Sequence[object], where: str, make: Make) -> Storage:
    """The storage of a union of ``annotations``, each of which ``make`` gives a storage."""
    by_kind: dict[str, list[tuple[object, Storage]]] = {}
    for annotation in annotations:
        storage = make(annotation)
        if isinstance(storage, SetOf) or storage.kind == "ANY":
            raise ModelError(
                f"{where}: {described(annotation)} cannot be one of several types; use it alone"
            )
        by_kind.setdefault(storage.kind, []).append((annotation, storage))
    members = [_one(kind, group, where, make) for kind, group in by_kind.items()]
    return members[0] if len(members) == 1 else Either(members)


def _one(kind: str, group: list[tuple[object, Storage]], where: str, make: Make) -> Storage:
    if len(group) == 1:
        return group[0][1]
    storages = [storage for _, storage in group]
    numbers = [each for each in storages if not isinstance(each, Integer)]
    if kind == "N" and len(numbers) == 1 and isinstance(numbers[0], Exact | Float):
        return Numbers(numbers[0])
    models = [
        each
        for each in storages
        if isinstance(each, Nested) and isinstance(each.record, ModelRecord)
    ]
    if len(models) == len(storages):
        for tagged in _tagged(models, make):
            return tagged
    names = " and ".join(described(annotation) for annotation, _ in group)
    hint = "give each a field such as kind: Literal['a'] = 'a'" if models else "use one of them"
    raise ModelError(
        f"{where}: {names} are both stored as {kind}, so that one read back could be taken for "
        f"the other; {hint}"
    )


def _tagged(models: Sequence[Nested], make: Make) -> Iterator[Tagged]:
    """The union of ``models`` by each field that tells them all apart."""
    for name in models[0].record.cls.__pydantic_fields__:
        tags = [_tag(each.record.cls, name, make) for each in models]
        found = [tag for tag in tags if tag is not None]
        if len(found) < len(models):
            continue
        members = {
            wire: model
            for model, (_, choice) in zip(models, found, strict=True)
            for wire in choice.values
        }
        places = {(attribute, choice.kind) for attribute, choice in found}
        if len(places) == 1 and len(members) == sum(len(choice.values) for _, choice in found):
            yield Tagged(*found[0], members)


def _tag(cls: type[BaseModel], name: str, make: Make) -> tuple[str, Choice] | None:
    # Asked of Pydantic, not of the record: that of a model that contains itself is not ready yet.
    info = cls.__pydantic_fields__.get(name)
    if info is None:
        return None
    core = core_of(info.annotation, info.metadata)
    if core.optional or get_origin(core.annotation) is not Literal:
        return None
    storage = make(core.annotation)
    names = [mark.name for mark in core.metadata if isinstance(mark, Attribute)]
    return ([*names, name][0], storage) if isinstance(storage, Choice) else None
