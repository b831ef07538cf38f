"""What is known about an entity, found once when its class was created: ``definition(Order)``.

An :class:`EntityDef` encodes and decodes items, finds keys, and says whose an item is. Everything
that works on entities reads it; :mod:`tablewright.model.entity` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from tablewright.model.codec import Codec
from tablewright.model.errors import DataError, ModelError, RequestError, UnknownEntity
from tablewright.model.facts import EntityFacts
from tablewright.model.fields import FieldDef
from tablewright.model.keys import BoundKey
from tablewright.model.owners import owners_of
from tablewright.model.table import Table
from tablewright.model.unique import UniqueDef
from tablewright.values import AttributeValue, Item

if TYPE_CHECKING:
    from tablewright.model.entity import Entity

E = TypeVar("E", bound="Entity")
#: What happens to attributes of an item that the entity does not declare.
Unknown: TypeAlias = Literal["keep", "refuse", "ignore"]

PRIMARY = "primary"


@dataclass(frozen=True, eq=False, repr=False)
class EntityDef(Generic[E]):
    """Everything known about one entity, found once when its class was created."""

    cls: type[E]
    #: The value of the table's discriminator.
    name: str
    table: Table
    fields: Mapping[str, FieldDef]
    #: By name; the one called "primary" is the table's own.
    keys: Mapping[str, BoundKey]
    codec: Codec[E]
    uniques: tuple[UniqueDef, ...]
    version: FieldDef | None
    #: The field whose attribute is the table's ``ttl``.
    ttl: FieldDef | None
    unknown: Unknown
    strict_reads: bool
    #: Attributes of keys that are not fields themselves, with the discriminator.
    composed: frozenset[str]
    known: frozenset[str]
    tag: AttributeValue | None
    #: What the class states for the review.
    facts: EntityFacts = field(default_factory=EntityFacts)

    def __repr__(self) -> str:
        return f"<entity {self.name} of {self.table.name}>"

    @property
    def primary(self) -> BoundKey:
        return self.keys[PRIMARY]

    def encode(self, entity: E) -> Item:
        """The whole item: fields, keys, discriminator, and what was kept of unknown attributes."""
        item = self.codec.encode(entity)
        values = entity.__dict__
        item.update(self.primary.encode(values))
        for other in self.keys.values():
            if other.index is not None and other.present(values):
                item.update(other.encode(values))
        if self.tag is not None:
            item[self.table.discriminator] = self.tag  # type: ignore[index]
        if entity._origin is not None and self.unknown == "keep":
            origin = self.origin(entity) or {}
            for name in origin.keys() - self.known:
                item[name] = origin[name]
        return item

    def origin(self, entity: E) -> Item | None:
        """The item that ``entity`` was read from, unless it was copied to another key since."""
        origin = entity._origin
        if origin is None:
            return None
        key = self.primary.encode(entity.__dict__)
        return origin if all(origin.get(name) == value for name, value in key.items()) else None

    def decode(self, item: Item) -> E:
        """The entity in ``item``, as it was read from the table or from a whole index."""
        if self.tag is not None and item.get(self.table.discriminator) != self.tag:  # type: ignore[arg-type]
            raise UnknownEntity(
                f"an item of table {self.table.name} was read as {self.name}, but its "
                f"{self.table.discriminator} is {item.get(self.table.discriminator or '')}"
            )
        entity = self.codec.strict_decode(item) if self.strict_reads else self.codec.decode(item)
        if item.keys() <= self.known:
            if self.uniques:
                object.__setattr__(entity, "_origin", item)
        elif self.unknown == "refuse":
            names = ", ".join(sorted(item.keys() - self.known))
            raise DataError(f"an item of {self.name} has attributes that are not declared: {names}")
        else:
            object.__setattr__(entity, "_origin", item)
        return entity

    def trusted(self, values: dict[str, Any]) -> E:
        """An entity of values that are known to be right, every field among them.

        Nothing is validated or converted: for those who make very many, of values that they have
        checked by themselves. The entity keeps ``values``.
        """
        if values.keys() != self.fields.keys():
            odd = ", ".join(sorted(values.keys() ^ self.fields.keys()))
            raise RequestError(f"{self.name}: fields are missing, or are none of it: {odd}")
        entity = self.cls.__new__(self.cls)
        fill = object.__setattr__
        fill(entity, "__dict__", values)
        fill(entity, "__pydantic_fields_set__", set(values))
        fill(entity, "__pydantic_extra__", None)
        fill(entity, "__pydantic_private__", None)
        return entity

    def owns(self, item: Item) -> bool:
        """Whether ``item`` is of this entity, by discriminator or else by its key."""
        if self.tag is not None:
            return item.get(self.table.discriminator) == self.tag  # type: ignore[arg-type]
        return owners_of(self.table).owner(item) is self

    def expired(self, item: Item, now: float) -> bool:
        """Whether the item has ended but is not yet deleted by the service."""
        if self.ttl is None:
            return False
        end = item.get(self.ttl.attribute)
        return end is not None and "N" in end and float(end["N"]) <= now

    @property
    def projection(self) -> None:
        """An entity is read whole."""
        return None

    def key_of(self, entity: E) -> Item:
        return self.primary.encode(entity.__dict__)

    def identity(
        self, arguments: Sequence[object], named: Mapping[str, object]
    ) -> dict[str, object]:
        """The components of the primary key, given in the order of the template or by name."""
        fields = self.primary.fields
        if len(arguments) > len(fields):
            raise RequestError(
                f"{self.name} has the key ({', '.join(fields)}); {len(arguments)} values were given"
            )
        values = dict(zip(fields, arguments, strict=False))
        for name, value in named.items():
            if name not in fields or name in values:
                raise RequestError(
                    f"{self.name} has the key ({', '.join(fields)}); {name} is "
                    f"{'given twice' if name in values else 'not part of it'}"
                )
            values[name] = value
        missing = [name for name in fields if name not in values]
        if missing:
            raise RequestError(f"the key of {self.name} lacks {', '.join(missing)}")
        return values

    def affected_keys(self, changed: frozenset[str]) -> tuple[BoundKey, ...]:
        """The index keys that an update of these fields has to write again."""
        return tuple(
            key
            for key in self.keys.values()
            if key.index is not None
            and not changed.isdisjoint((*key.fields, *key.when))
            and not all(part.plain for part in key.parts)
        )


def entity_of(table: Table, item: Item) -> EntityDef[Any] | None:
    """The entity that owns an item of the table, or None."""
    if table.discriminator is not None:
        tag = item.get(table.discriminator)
        return None if tag is None else table.entities.get(tag.get("S", ""))
    return owners_of(table).owner(item)


def definition(entity: type[E] | E) -> EntityDef[E]:
    """What is known about an entity class, or about the class of an entity."""
    found: EntityDef[E] | None = getattr(entity, "__tablewright__", None)
    # A projection has a definition too, of another kind.
    if not isinstance(found, EntityDef):
        name = getattr(entity, "__name__", repr(entity))
        raise ModelError(f"{name} is not an entity of a table: declare it with table= and keys=")
    return found
