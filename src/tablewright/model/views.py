"""Collections: several entities of one partition, read by one query into one dataclass.

The dataclass's annotations are the buckets: ``org: Org`` must be there, ``plan: Plan | None`` may
be, ``users: tuple[User, ...]`` (or ``list[User]``) takes all there are, in the order of the key.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from tablewright.model.definition import EntityDef, definition
from tablewright.model.entity import Entity
from tablewright.model.errors import Incomplete, ModelError, UnknownEntity
from tablewright.model.unique import is_lock
from tablewright.values import Item

T = TypeVar("T")

#: What happens to items of the partition that no bucket takes.
Others: TypeAlias = Literal["refuse", "skip"]


@dataclass(frozen=True)
class Bucket:
    """One field of the dataclass."""

    name: str
    entity: EntityDef[Any]
    many: Literal["tuple", "list"] | None
    optional: bool


@dataclass(frozen=True)
class View(Generic[T]):
    """A dataclass as a collection."""

    cls: type[T]
    buckets: tuple[Bucket, ...]
    others: Others

    def fold(self, items: Iterable[Item], now: float) -> T:
        """The dataclass from the items of one partition."""
        taken: dict[str, list[object]] = {bucket.name: [] for bucket in self.buckets}
        for item in items:
            for bucket in self.buckets:
                if bucket.entity.owns(item):
                    if not bucket.entity.expired(item, now):
                        taken[bucket.name].append(bucket.entity.decode(item))
                    break
            else:
                if not is_lock(self.buckets[0].entity.table, item):
                    self._stranger(item)
        return self.cls(**{each.name: self._value(each, taken[each.name]) for each in self.buckets})

    def _value(self, bucket: Bucket, found: list[object]) -> object:
        if bucket.many == "tuple":
            return tuple(found)
        if bucket.many == "list":
            return found
        if len(found) > 1:
            raise UnknownEntity(
                f"{self.cls.__name__}.{bucket.name} takes one {bucket.entity.name}, but the "
                f"partition holds {len(found)}; annotate it as tuple[{bucket.entity.name}, ...]"
            )
        if not found and not bucket.optional:
            raise Incomplete(
                f"{self.cls.__name__}.{bucket.name}: the partition holds no {bucket.entity.name}"
            )
        return found[0] if found else None

    def _stranger(self, item: Item) -> None:
        if self.others == "refuse":
            table = self.buckets[0].entity.table
            key = {name: item.get(name) for name in (each.name for each in table.primary())}
            raise UnknownEntity(
                f"{self.cls.__name__} has no bucket for the item {key}; add one, "
                'or declare the pattern with others="skip"'
            )


def view_of(cls: type[T], others: Others) -> View[T]:
    """A dataclass whose fields are entities, as a collection."""
    if not dataclasses.is_dataclass(cls):
        raise ModelError(f"{cls.__name__}: a collection is a dataclass whose fields are entities")
    hints = typing.get_type_hints(cls)
    buckets = tuple(
        _bucket(cls.__name__, each.name, hints[each.name]) for each in dataclasses.fields(cls)
    )
    tables = {bucket.entity.table for bucket in buckets}
    if len(tables) != 1:
        raise ModelError(f"{cls.__name__}: the entities of a collection live in one table")
    return View(cls, buckets, others)


def _bucket(view: str, name: str, hint: Any) -> Bucket:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return Bucket(name, _entity(view, name, arguments[0]), "tuple", True)
    if origin is list:
        return Bucket(name, _entity(view, name, arguments[0]), "list", True)
    if origin in (typing.Union, types.UnionType):
        rest = [each for each in arguments if each is not type(None)]
        if len(rest) == 1 and len(arguments) == 2:
            return Bucket(name, _entity(view, name, rest[0]), None, True)
    return Bucket(name, _entity(view, name, hint), None, False)


def _entity(view: str, name: str, hint: object) -> EntityDef[Any]:
    if isinstance(hint, type) and issubclass(hint, Entity):
        return definition(hint)
    raise ModelError(
        f"{view}.{name}: annotate it with an entity, Entity | None, tuple[Entity, ...] "
        f"or list[Entity], not {hint}"
    )
