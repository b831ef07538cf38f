"""What an item lacks to be in an index: computed by its entity, written under a condition.

The item is decoded and encoded again by its own entity, so that templates, formats and ``when``
are those of every other write. Only the attributes of the index's key are written, and fields that
the item lacked and whose default is now part of the key. The condition holds everything that the
result rests on: whoever changed one of them meanwhile is not overwritten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from tablewright.deploy.drift import Drift, drifts_of
from tablewright.model.definition import EntityDef, entity_of
from tablewright.model.table import Table
from tablewright.values import Item, equal

Body: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Repair:
    """The change of one item."""

    entity: str
    key: Item
    set: Item
    remove: tuple[str, ...]
    #: The attributes that the change rests on, as they were read; None is absent.
    seen: dict[str, Any]

    def request(self) -> Body:
        """The body of UpdateItem, without the table's name."""
        expression = _Expression()
        sets = [f"{expression.name(n)} = {expression.value(v)}" for n, v in self.set.items()]
        removes = [expression.name(name) for name in self.remove]
        update = (f"SET {', '.join(sets)}" if sets else "") + (
            f" REMOVE {', '.join(removes)}" if removes else ""
        )
        first = next(iter(self.key))
        terms = [f"attribute_exists({expression.name(first)})"]
        for name, value in self.seen.items():
            place = expression.name(name)
            missing = f"attribute_not_exists({place})"
            terms.append(missing if value is None else f"{place} = {expression.value(value)}")
        body: Body = {
            "Key": self.key,
            "UpdateExpression": update.strip(),
            "ConditionExpression": " AND ".join(terms),
            "ExpressionAttributeNames": expression.names,
        }
        if expression.values:
            body["ExpressionAttributeValues"] = expression.values
        return body


class _Expression:
    """Placeholders for names and values."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: Item = {}

    def name(self, attribute: str) -> str:
        for placeholder, known in self.names.items():
            if known == attribute:
                return placeholder
        placeholder = f"#{len(self.names)}"
        self.names[placeholder] = attribute
        return placeholder

    def value(self, value: Any) -> str:
        placeholder = f":{len(self.values)}"
        self.values[placeholder] = value
        return placeholder


class Repairs:
    """Finds what the items of one table lack for some of its indexes."""

    def __init__(self, table: Table, indexes: Collection[str]) -> None:
        self.table = table
        self.indexes = frozenset(indexes)
        self._primary = tuple(each.name for each in table.primary())
        self._parts = {
            name: _Needs(known, frozenset(indexes), frozenset(self._primary))
            for name, known in table.entities.items()
        }

    def owner(self, item: Item) -> EntityDef[Any] | None:
        """The entity of an item; None for locks, and for what the model does not know."""
        return entity_of(self.table, item)

    def of(self, item: Item) -> Repair | None:
        """What this item lacks; None if nothing. Raises if its entity cannot be read."""
        known = self.owner(item)
        return None if known is None else self.needed(known, item, known.encode(known.decode(item)))

    def needed(self, known: EntityDef[Any], item: Item, whole: Item) -> Repair | None:
        """What ``item`` lacks compared with ``whole``, the same item encoded again."""
        needs = self._parts[known.name]
        if not needs.keys:
            return None
        written = {name: whole[name] for name in needs.keys if _differs(whole, item, name)}
        removed = tuple(
            name
            for name in sorted(needs.keys & known.composed)
            if name in item and name not in whole
        )
        if not written and not removed:
            return None
        absent = needs.fields - item.keys() if written else ()
        filled = {name: whole[name] for name in absent if name in whole}
        watched = {*needs.keys, *needs.fields, *needs.fixed}
        return Repair(
            known.name,
            {name: item[name] for name in self._primary},
            {**filled, **written},
            removed,
            {name: item.get(name) for name in sorted(watched)},
        )

    def drifts(self, known: EntityDef[Any], item: Item, whole: Item) -> Iterator[Drift]:
        """What differs in the keys that this backfill does not write."""
        return (each for each in drifts_of(known, item, whole) if each.index not in self.indexes)


class _Needs:
    """The attributes that the chosen indexes need of one entity."""

    def __init__(
        self, known: EntityDef[Any], indexes: frozenset[str], primary: frozenset[str]
    ) -> None:
        chosen = [
            key
            for key in known.keys.values()
            if key.index is not None and key.index.name in indexes
        ]
        fields = {name for key in chosen for name in (*key.fields, *key.when)}
        #: Of the index keys themselves.
        self.keys = {part.attribute.name for key in chosen for part in key.parts} - primary
        #: Of the fields that they are made of.
        self.fields = {known.fields[name].attribute for name in fields} - primary
        discriminator = known.table.discriminator
        self.fixed = {discriminator} if discriminator is not None else set()


def _differs(whole: Item, item: Item, name: str) -> bool:
    if name not in whole:
        return False
    return name not in item or not equal(whole[name], item[name])
