"""What one pattern has to be allowed: the requests it sends, by table, index and partition key.

A transaction has no permission of its own: its members have. A batch has one. A write of an entity
with unique fields writes locks too, and may read first; see :mod:`tablewright.model.writes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tablewright.deploy.templates.iam.bodies import Body, body_of, entity_of
from tablewright.deploy.templates.iam.prefixes import leading_keys
from tablewright.model.definition import EntityDef
from tablewright.model.errors import ModelError
from tablewright.model.keys import BoundKey
from tablewright.model.ops import Op
from tablewright.model.pattern import Member, Pattern
from tablewright.model.projection import counting_reader
from tablewright.model.table import Index, Table
from tablewright.model.unique import UniqueDef


@dataclass(frozen=True)
class Need:
    """One action on a table, or on one of its indexes."""

    action: str
    table: Table
    index: str | None = None
    #: The partition keys it is about; None is any.
    keys: tuple[str, ...] | None = None
    #: The attributes it asks for; None is whole items.
    attributes: tuple[str, ...] | None = None
    #: It asks for numbers of items only.
    counts: bool = False


def needs_of(pattern: Pattern[..., Any], call: Op[Any] | None = None) -> tuple[Need, ...]:
    """Everything that running ``pattern`` may send; ``call`` is a sample of it."""
    if pattern.members:
        body = body_of(pattern, call)
        found = [need for each in pattern.members for need in _member(pattern, each, body)]
    else:
        found = list(_read(pattern))
    return tuple(dict.fromkeys(found))


# --- reads ---------------------------------------------------------------------------------------


def _read(pattern: Pattern[..., Any]) -> Iterator[Need]:
    (table,) = pattern.tables
    if pattern.kind == "scan":
        yield Need("Scan", table)
    elif pattern.kind == "get":
        keys = _keys(pattern.entities, "primary")
        yield Need("GetItem", table, keys=keys, attributes=_attributes(pattern, table, None))
    elif pattern.kind == "total":
        yield Need("BatchGetItem", table, keys=_keys(pattern.entities, "primary"))
    else:
        yield _query(pattern, table)
        if pattern.hydrate:
            yield Need("BatchGetItem", table, keys=_keys(pattern.entities, "primary"))


def _query(pattern: Pattern[..., Any], table: Table) -> Need:
    key = _key(pattern)
    index = key.index
    return Need(
        "Query",
        table,
        None if index is None else index.name,
        _keys(pattern.entities, key.name),
        _attributes(pattern, table, index),
        counts=pattern.kind == "count" and counting_reader(pattern.entities[0], key) is None,
    )


def _key(pattern: Pattern[..., Any]) -> BoundKey:
    if pattern.key is None:
        raise ModelError(f"pattern {pattern.name}: a {pattern.kind} without a key")
    return pattern.key


def _keys(entities: Iterable[EntityDef[Any]], key: str) -> tuple[str, ...] | None:
    texts: list[str] = []
    for entity in entities:
        found = leading_keys(entity.keys[key], entity)
        if found is None:
            return None
        texts += found
    return tuple(sorted(set(texts)))


def _attributes(
    pattern: Pattern[..., Any], table: Table, index: Index | None
) -> tuple[str, ...] | None:
    """What a projection asks for, with all key attributes and those that the filter looks at."""
    if pattern.projection is None or pattern.hydrate:
        return None
    names = dict.fromkeys(pattern.projection)
    sides = () if index is None else (*index.partition, *index.sort)
    names.update(dict.fromkeys(each.name for each in (*table.primary(), *sides)))
    if pattern.filter is not None:
        names.update((str(place.path[0]), None) for place in pattern.filter.places())
    return tuple(sorted(names))


# --- bodies --------------------------------------------------------------------------------------


def _member(pattern: Pattern[..., Any], member: Member, body: Body) -> Iterator[Need]:
    for entity in _entities(pattern, member, body):
        if pattern.kind == "batch":
            action = "BatchGetItem" if member.kind == "get" else "BatchWriteItem"
            yield _on(entity, action)
        else:
            yield from _write(entity, member.kind, body, alone=pattern.kind != "transaction")


def _entities(pattern: Pattern[..., Any], member: Member, body: Body) -> tuple[EntityDef[Any], ...]:
    if member.entity is not None:
        return (member.entity,)
    found = dict.fromkeys(entity_of(op) for op in body.ops or ())
    known = tuple(each for each in found if each is not None)
    if not known:
        raise ModelError(
            f"pattern {pattern.name}: its annotation says {member.kind} of no entity, so nobody "
            "can tell what to permit; name the entity, as in Put[Order]"
        )
    return known


def _write(entity: EntityDef[Any], kind: str, body: Body, alone: bool) -> Iterator[Need]:
    if kind == "get":
        yield _on(entity, "GetItem")
    elif kind == "check":
        yield _on(entity, "ConditionCheckItem")
    elif kind == "put":
        yield from _put(entity, body, alone)
    elif kind == "update":
        yield from _update(entity, body, alone)
    else:
        yield _on(entity, "DeleteItem")
        if entity.uniques:
            yield _on(entity, "GetItem")
            yield from _locks(entity, entity.uniques, "DeleteItem")


def _put(entity: EntityDef[Any], body: Body, alone: bool) -> Iterator[Need]:
    yield _on(entity, "PutItem")
    if not entity.uniques:
        return
    yield from _locks(entity, entity.uniques, "PutItem")
    creates = body.only_creates(entity)
    if not creates:
        yield from _locks(entity, entity.uniques, "DeleteItem")
    if alone or not creates:
        yield _on(entity, "GetItem")


def _update(entity: EntityDef[Any], body: Body, alone: bool) -> Iterator[Need]:
    yield _on(entity, "UpdateItem")
    touched = body.touched(entity)
    yield from _locks(entity, touched, "PutItem", "DeleteItem")
    sweeps = body.sweeps(entity)
    if touched or (alone and (entity.uniques or sweeps or body.reads_back(entity))):
        yield _on(entity, "GetItem")
    if alone and sweeps and entity.ttl is not None:
        # What has ended but is still there is removed before it is created anew.
        yield _on(entity, "DeleteItem")


def _on(entity: EntityDef[Any], action: str) -> Need:
    return Need(action, entity.table, keys=leading_keys(entity.primary, entity))


def _locks(entity: EntityDef[Any], uniques: Iterable[UniqueDef], *actions: str) -> Iterator[Need]:
    for each in uniques:
        for action in actions:
            yield Need(action, entity.table, keys=leading_keys(each.key, entity))
