"""Projections: some fields of an entity, as a type of their own.

An index that holds only keys, or some attributes, cannot give whole entities. What it can give is
declared: ``class OrderLine(Projection, of=Order)`` with the fields wanted, each of the same type as
in the entity. Fields that are components of a key need not be in the index at all: they are read
back from the key's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from tablewright.model.codec import Codec, compile_codec
from tablewright.model.definition import EntityDef, definition
from tablewright.model.entity import Entity
from tablewright.model.errors import DataError, ModelError, UnknownEntity
from tablewright.model.fields import FieldDef, field_defs
from tablewright.model.keys import BoundKey
from tablewright.model.table import Index, Table
from tablewright.model.unique import OWNER
from tablewright.values import Item

V = TypeVar("V", bound="Projection")


@dataclass(frozen=True, eq=False, repr=False)
class ProjectionDef(Generic[V]):
    """Everything known about one projection."""

    cls: type[V]
    name: str
    entity: EntityDef[Any]
    fields: Mapping[str, FieldDef]
    codec: Codec[V]

    def __repr__(self) -> str:
        return f"<projection {self.name} of {self.entity.name}>"

    @property
    def table(self) -> Table:
        return self.entity.table

    @property
    def projection(self) -> tuple[str, ...]:
        """The fields, what tells entities apart, and what tells the living from the expired."""
        wanted = dict.fromkeys(each.attribute for each in self.fields.values())
        wanted.update(dict.fromkeys(_telling(self.entity)))
        return tuple(wanted)

    def owns(self, item: Item) -> bool:
        return _owns(self.entity, item)

    def expired(self, item: Item, now: float) -> bool:
        return self.entity.expired(item, now)

    def decode(self, item: Item) -> V:
        if not self.owns(item):
            raise UnknownEntity(
                f"an item of table {self.table.name} was read as {self.name}, but it is no "
                f"{self.entity.name}"
            )
        missing = [each for each in self.fields.values() if each.attribute not in item]
        return self.codec.decode(self._completed(item, missing) if missing else item)

    def _completed(self, item: Item, missing: list[FieldDef]) -> Item:
        """The item with the fields that only stand in its keys."""
        completed = dict(item)
        for key in self.entity.keys.values():
            wanted = [each for each in missing if each.name in key.fields]
            if wanted and all(part.attribute.name in item for part in key.parts):
                values = key.decode(item)
                for each in wanted:
                    encoded = each.storage.encode(values[each.name])
                    if encoded is not None:
                        completed[each.attribute] = encoded
        return completed

    def check_index(self, index: Index | None, key: BoundKey, where: str) -> None:
        """That the index can give every field, or a :class:`ModelError`."""
        lacking = missing_from(index, self.entity, key, self.fields)
        if lacking:
            raise ModelError(
                f"{where}: index {index.name if index else ''} does not hold "
                f"{', '.join(lacking)} of {self.name}; add them to include=, or use hydrate=True"
            )


@dataclass(frozen=True, eq=False)
class KeyReader:
    """An entity of which no more is read than its key: from an index of keys, or to count it."""

    entity: EntityDef[Any]
    projection: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return self.entity.name

    @property
    def table(self) -> Table:
        return self.entity.table

    def owns(self, item: Item) -> bool:
        return _owns(self.entity, item)

    def expired(self, item: Item, now: float) -> bool:
        return self.entity.expired(item, now)

    def decode(self, item: Item) -> Any:
        raise DataError(f"an index of keys cannot give a whole {self.name}")


def _telling(entity: EntityDef[Any]) -> tuple[str, ...]:
    """The attributes that tell whose an item is, and whether it has ended."""
    table = entity.table
    names = [each.name for each in table.primary()]
    if table.discriminator is not None:
        names.append(table.discriminator)
    elif any(known.uniques for known in table.entities.values()):
        names.append(OWNER)
    if entity.ttl is not None:
        names.append(entity.ttl.attribute)
    return tuple(names)


def _owns(entity: EntityDef[Any], item: Item) -> bool:
    if entity.tag is None or entity.table.discriminator in item:
        return entity.owns(item)
    # An index of keys alone has no discriminator; the key says who it is.
    return entity.primary.matches(item)


def counting_reader(known: EntityDef[Any], key: BoundKey) -> KeyReader | None:
    """What counts the entities under a key, where a filter cannot; None where it can.

    A filter may not name a key: neither one that is the time to live, nor the one that alone tells
    entities apart. It depends on which entities the table has, so ask when all are declared.
    """
    sides = () if key.index is None else (*key.index.partition, *key.index.sort)
    names = {each.name for each in (*known.table.primary(), *sides)}
    ends = known.ttl is not None and known.ttl.attribute in names
    if ends or (known.tag is None and _shared(known, key)):
        return KeyReader(known, _telling(known))
    return None


def _shared(known: EntityDef[Any], key: BoundKey) -> bool:
    """Whether something else may stand under the same key: an entity, or a lock of one."""
    if key.index is None:
        return len(known.table.entities) > 1 or bool(known.uniques)
    others = (each for each in known.table.entities.values() if each is not known)
    return any(other.index is key.index for each in others for other in each.keys.values())


def missing_from(
    index: Index | None, entity: EntityDef[Any], key: BoundKey, fields: Mapping[str, FieldDef]
) -> list[str]:
    """The fields that an index does not hold, neither as attributes nor inside its keys."""
    if index is None or index.projection == "ALL":
        return []
    held = set(index.include or ())
    held.update(each.name for each in entity.table.primary())
    held.update(each.name for each in (*index.partition, *index.sort))
    in_keys = {*entity.primary.fields, *key.fields}
    return [
        each.name
        for each in fields.values()
        if each.attribute not in held and each.name not in in_keys
    ]


def projection(view: type[V]) -> ProjectionDef[V]:
    """What is known about a projection class."""
    found: ProjectionDef[V] | None = getattr(view, "__tablewright__", None)
    if found is None:
        raise ModelError(f"{view.__name__} is not a projection of an entity: declare it with of=")
    return found


class Projection(BaseModel):
    """The base of all projections: ``class OrderLine(Projection, of=Order)``."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    if TYPE_CHECKING:
        __tablewright__: ClassVar[ProjectionDef[Any]]

    def __init_subclass__(cls, *, of: type[Entity] | None = None, **config: Any) -> None:
        super().__init_subclass__(**config)

    @classmethod
    def __pydantic_init_subclass__(cls, *, of: type[Entity] | None = None, **config: Any) -> None:
        super().__pydantic_init_subclass__(**config)
        if of is None:
            return
        entity = definition(of)
        fields: dict[str, FieldDef] = {}
        for name, each in field_defs(cls, None).items():
            own = entity.fields.get(name)
            if own is None:
                raise ModelError(f"{cls.__name__}.{name}: {entity.name} has no such field")
            if own.storage.kind != each.storage.kind:
                raise ModelError(
                    f"{cls.__name__}.{name} is stored as {each.storage.kind}, "
                    f"but as {own.storage.kind} in {entity.name}; use the same type"
                )
            fields[name] = FieldDef(
                name=name,
                attribute=own.attribute,
                annotation=each.annotation,
                metadata=own.metadata,
                optional=each.optional,
                has_default=each.has_default,
                storage=own.storage,
            )
        cls.__tablewright__ = ProjectionDef(
            cls, cls.__name__, entity, fields, compile_codec(cls, fields)
        )
