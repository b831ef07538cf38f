"""Entities and how they belong together, as a Mermaid diagram.

A model declares no relations. They are read from the keys: an entity whose keys name another one,
such as ``ORDER#{order_id}``, belongs to it, unless a third one stands between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from tablewright.model.definition import EntityDef
from tablewright.model.keys import KeyPart
from tablewright.model.model import Model

#: A field in a key, after the literal text before it.
Slot: TypeAlias = tuple[str, str]

#: Attributes of one entity; the keys come first.
MOST = 8


def mermaid(model: Model) -> str:
    """An ER diagram."""
    lines = ["erDiagram"]
    for entity in model.entities.values():
        lines += _entity(entity)
    for parent, child, fields in relations(model):
        told = ", ".join(fields)
        lines.append(f'    {parent.cls.__name__} ||--o{{ {child.cls.__name__} : "{told}"')
    return "\n".join(lines)


def _entity(entity: EntityDef[Any]) -> Iterator[str]:
    keys = entity.primary.fields
    unique = {name for each in entity.uniques for name in each.fields}
    indexed = {name for key in entity.keys.values() if key.index for name in key.fields}
    ordered = sorted(
        entity.fields, key=lambda name: (name not in keys, name not in unique | indexed)
    )
    yield f"    {entity.cls.__name__} {{"
    for name in ordered[:MOST]:
        field = entity.fields[name]
        marks = [mark for mark, names in (("PK", keys), ("UK", unique)) if name in names]
        kind = re.sub(r"\W", "", field.storage.kind or "any")
        yield f"        {kind} {_word(field.attribute)} {', '.join(marks)}".rstrip()
    yield "    }"


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)


def relations(
    model: Model,
) -> Iterator[tuple[EntityDef[Any], EntityDef[Any], tuple[str, ...]]]:
    """Who belongs to whom, and by which fields."""
    owners = _owners(list(model.entities.values()))
    known = {entity.cls: entity for entity in model.entities.values()}
    for child, parents in owners.items():
        for parent, fields in parents.items():
            # Whose owner's owner it is, is told by the owner.
            if not any(parent in owners[other] for other in parents):
                yield known[parent], known[child], fields


def _owners(entities: list[EntityDef[Any]]) -> dict[type, dict[type, tuple[str, ...]]]:
    """For each entity those that its keys name, with the fields that name them."""
    heads: dict[frozenset[Slot], EntityDef[Any]] = {}
    for entity in entities:
        for identity in _identities(entity):
            heads.setdefault(identity, entity)
    owners: dict[type, dict[type, tuple[str, ...]]] = {}
    for child in entities:
        held = {slot for key in child.keys.values() for slot in _slots(key.parts)}
        named = {
            head.cls: tuple(sorted(field for _, field in identity))
            for identity, head in heads.items()
            if head is not child and identity <= held and not _is_rival(child, head)
        }
        by_id = {each.cls: found for each in entities if (found := _by_id(child, each))}
        owners[child.cls] = named | by_id
    return owners


def _is_rival(child: EntityDef[Any], head: EntityDef[Any]) -> bool:
    """Whether the two take the same place, so that neither belongs to the other."""
    shapes = [[part.template.text for part in each.primary.parts] for each in (child, head)]
    return shapes[0] == shapes[1]


def _identities(entity: EntityDef[Any]) -> Iterator[frozenset[Slot]]:
    """The parts of keys that name one entity."""
    partition, sort = (
        list(_slots(parts)) for parts in (entity.primary.partition, entity.primary.sort)
    )
    if len(sort) == 1 and sort[0][0] and _is_own(entity, sort[0][1]):
        # ORDER#{order_id} of an Order: its own id is enough, wherever it stands.
        yield frozenset(sort)
    elif partition:
        yield frozenset((*partition, *sort))
    for key in entity.keys.values():
        if key.index is not None and not list(_slots(key.sort)) and list(_slots(key.partition)):
            yield frozenset(_slots(key.partition))


def _is_own(entity: EntityDef[Any], field: str) -> bool:
    """Whether a field is the id of the entity by its name: ``sub_id`` of a Submission."""
    stem = re.sub(r"_?id$", "", field, flags=re.IGNORECASE).lower()
    return bool(stem) and stem in entity.cls.__name__.lower()


def _slots(parts: Iterable[KeyPart]) -> Iterator[Slot]:
    """Each field with the literal text before it."""
    for part in parts:
        before = ""
        for piece in part.template.pieces:
            if isinstance(piece, str):
                before = piece
            else:
                yield before, piece.field
                before = ""


def _by_id(child: EntityDef[Any], parent: EntityDef[Any]) -> tuple[str, ...]:
    """A field ``userId`` or ``user_id`` names a User whose key is nothing but its ``id``."""
    if child is parent or parent.primary.fields != ("id",):
        return ()
    name = parent.cls.__name__
    wanted = {f"{name}id".lower(), f"{name}_id".lower()}
    return tuple(each for each in child.fields if each.lower() in wanted)[:1]
