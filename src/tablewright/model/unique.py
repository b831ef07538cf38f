"""Uniqueness by lock items: an item whose key holds the value, and whose owner is the entity.

A secondary index cannot promise that a value occurs once: two writers read it, find nothing, and
both write. A lock can, because its key is the value: creating it fails if it is there. Entity and
locks are written in one transaction, on create, change and delete; an optional value that is
absent has no lock. The transactions are made in :mod:`tablewright.model.writes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.model.errors import ModelError
from tablewright.model.keys import BoundKey, Key, bind
from tablewright.values import AttributeValue, Item

if TYPE_CHECKING:
    from tablewright.model.fields import FieldDef
    from tablewright.model.table import Table

OWNER = "owner"


@dataclass(frozen=True)
class Unique:
    """A constraint: no two entities have the same value.

    ``email: Annotated[str, Unique("customer-email")]``, or for several fields together, in the
    class's arguments: ``unique=[Unique("team", key=Key("EVENT#{event_id}", "TEAM#{folded}"))]``.
    ``key`` is the lock's own key in the same table, if its looks matter; every field in it counts.
    """

    name: str
    key: Key | None = None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class UniqueDef:
    """A constraint bound to its entity."""

    name: str
    key: BoundKey
    tag: AttributeValue | None
    discriminator: str | None

    @property
    def fields(self) -> tuple[str, ...]:
        return self.key.fields

    def lock_key(self, values: Mapping[str, object]) -> Item | None:
        """The key of the lock for these values; None if one of them is absent."""
        if any(values.get(name) is None for name in self.fields):
            return None
        return self.key.encode(values)

    def owns(self, item: Item) -> bool:
        """Whether ``item`` is a lock of this constraint."""
        if self.discriminator is not None:
            return item.get(self.discriminator) == self.tag
        return OWNER in item and self.key.matches(item)

    def lock(self, key: Item, owner: AttributeValue, ttl: Item) -> Item:
        """The whole lock item; it ends with its owner."""
        item = {**key, OWNER: owner, **ttl}
        if self.discriminator is not None and self.tag is not None:
            item[self.discriminator] = self.tag
        return item


def is_lock(table: Table, item: Item) -> bool:
    """Whether ``item`` is no entity but a lock of one."""
    return any(each.owns(item) for known in table.entities.values() for each in known.uniques)


def unique_defs(
    entity: str, table: Table, fields: Mapping[str, FieldDef], declared: Sequence[Unique]
) -> tuple[UniqueDef, ...]:
    """All constraints of an entity: of single fields, and those over several."""
    found: dict[str, UniqueDef] = {}
    for each in fields.values():
        for mark in each.metadata:
            if isinstance(mark, Unique):
                found[_free(entity, found, mark.name)] = _bound(
                    entity, table, fields, mark, (each.name,)
                )
    for constraint in declared:
        found[_free(entity, found, constraint.name)] = _bound(
            entity, table, fields, constraint, constraint.fields
        )
    return tuple(found.values())


def _free(entity: str, found: Mapping[str, object], name: str) -> str:
    if name in found:
        raise ModelError(f"{entity}: two constraints are called {name!r}")
    return name


def _bound(
    entity: str,
    table: Table,
    fields: Mapping[str, FieldDef],
    constraint: Unique,
    own: tuple[str, ...],
) -> UniqueDef:
    where = f"{entity}, constraint {constraint.name}"
    key = constraint.key
    if key is None:
        if not own:
            raise ModelError(f"{where}: give fields= or key=")
        parts = table.delimiter.join(("UNIQUE", constraint.name, *(f"{{{name}}}" for name in own)))
        key = Key(parts, None if table.sk is None else "LOCK")
    bound = bind(constraint.name, key, table, fields, where)
    missing = set(own) - set(bound.fields)
    if missing:
        raise ModelError(f"{where}: its key does not hold {', '.join(sorted(missing))}")
    tag: AttributeValue | None = None
    if table.discriminator is not None:
        tag = {"S": f"Unique:{constraint.name}"}
    return UniqueDef(constraint.name, bound, tag, table.discriminator)
