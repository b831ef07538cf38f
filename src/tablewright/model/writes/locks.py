"""The lock items of unique constraints: which to put, which to delete, and on what that rests.

A lock ends when its owner does, so an entity with a time to live takes its locks along whenever
that changes. The locks of an item that has ended have ended too: anybody may have taken them, and
nobody deletes them but the service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tablewright.model.definition import EntityDef
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.ops import Delete, Update
from tablewright.model.unique import OWNER, UniqueDef
from tablewright.model.writes.action import Action, Body, Stored, Unread
from tablewright.model.writes.terms import Terms
from tablewright.values import AttributeValue, Item


def touched_uniques(op: Update[Any] | Delete[Any]) -> tuple[UniqueDef, ...]:
    known = op.definition
    if isinstance(op, Delete):
        return known.uniques
    changed = {change.field for change in op.actions}
    if known.ttl is not None and known.ttl.name in changed:
        return known.uniques
    return tuple(each for each in known.uniques if not changed.isdisjoint(each.fields))


def old_item(known: EntityDef[Any], entity: Any, stored: Stored) -> Item | None:
    """The item as it was last read: what the locks of the old values are found by."""
    if not isinstance(stored, Unread):
        return stored
    return None if entity is None else known.origin(entity)


def lock_fields(known: EntityDef[Any], uniques: Sequence[UniqueDef]) -> tuple[str, ...]:
    """The fields that locks are made from."""
    names = dict.fromkeys(name for each in uniques for name in each.fields)
    if uniques and known.ttl is not None:
        names[known.ttl.name] = None
    return tuple(names)


def decoded(
    known: EntityDef[Any], item: Item | None, uniques: Sequence[UniqueDef]
) -> dict[str, object]:
    """What some constraints' locks are made from, as an item has it."""
    values: dict[str, object] = {}
    for name in lock_fields(known, uniques):
        field = known.fields[name]
        av = None if item is None else item.get(field.attribute)
        values[name] = None if av is None or "NULL" in av else field.storage.decode(av)
    return values


def locks_of(
    known: EntityDef[Any],
    new: Mapping[str, object] | None,
    old: Item | None,
    identity: Mapping[str, object],
    uniques: Sequence[UniqueDef],
    now: float,
) -> tuple[list[Action], list[str]]:
    """The lock items to put and to delete, and the fields whose old values that rests on."""
    own = {name: identity[name] for name in known.primary.fields}
    owner = owner_of(known, own)
    ended = old is not None and known.expired(old, now)
    old_values = decoded(known, old, uniques)
    ttl: Item = {}
    moved = ended
    if known.ttl is not None and new is not None:
        end = known.ttl.storage.encode(new.get(known.ttl.name))
        ttl = {} if end is None else {known.ttl.attribute: end}
        moved = ended or (old or {}).get(known.ttl.attribute) != end
    locks: list[Action] = []
    for each in uniques:
        before = None if old is None else each.lock_key({**old_values, **own})
        after = None if new is None else each.lock_key(new)
        if after is not None and (moved or before != after):
            locks.append(_lock(known, each, each.lock(after, owner, ttl), owner, now))
        if before is not None and before != after and not ended:
            locks.append(_unlock(known, each, before, owner))
    return locks, list(old_values)


def handed_over(actions: Sequence[Action], owners: Sequence[int]) -> tuple[list[Action], list[int]]:
    """The actions of a transaction, in which one member may give a value to another.

    The one deletes the lock that the other puts; DynamoDB allows each item once, so that the put
    stays, on the condition of the delete.
    """
    given: dict[str, int] = {}
    taken: dict[str, int] = {}
    for position, action in enumerate(actions):
        if action.constraint is not None:
            place = f"{action.body['TableName']} {_lock_place(action)}"
            (given if action.kind == "Delete" else taken)[place] = position
    dropped: set[int] = set()
    merged = list(actions)
    for place in given.keys() & taken.keys():
        release, put = actions[given[place]].body, actions[taken[place]].body
        condition = {name: value for name, value in release.items() if name != "Key"}
        merged[taken[place]] = replace(
            actions[taken[place]], body={**condition, "Item": put["Item"]}
        )
        dropped.add(given[place])
    kept = [position for position in range(len(merged)) if position not in dropped]
    return [merged[position] for position in kept], [owners[position] for position in kept]


def _lock_place(action: Action) -> str:
    assert action.constraint is not None
    key: Item = action.body.get("Key") or action.body["Item"]
    names = [part.attribute.name for part in action.constraint.key.parts]
    return str([(name, key[name]) for name in names])


def _lock(
    known: EntityDef[Any], constraint: UniqueDef, item: Item, owner: AttributeValue, now: float
) -> Action:
    terms = Terms(known, now)
    terms.free(OWNER, owner)
    body: Body = {"TableName": known.table.name, "Item": item}
    terms.into(body)
    return Action("Put", body, constraint)


def _unlock(
    known: EntityDef[Any], constraint: UniqueDef, key: Item, owner: AttributeValue
) -> Action:
    holders = Placeholders()
    # A lock that is gone, such as that of data older than the constraint, is no obstacle.
    text = (
        f"attribute_not_exists({holders.name(known.table.pk.name)}) "
        f"OR {holders.name(OWNER)} = {holders.value(owner)}"
    )
    body: Body = {
        "TableName": known.table.name,
        "Key": key,
        "ConditionExpression": text,
        "ExpressionAttributeNames": holders.names,
        "ExpressionAttributeValues": holders.values,
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    return Action("Delete", body, constraint)


def owner_of(known: EntityDef[Any], identity: Mapping[str, object]) -> AttributeValue:
    """Who holds a lock: the entity's type, and the fields of its primary key."""
    members: Item = {}
    if known.tag is not None and known.table.discriminator is not None:
        members[known.table.discriminator] = known.tag
    for name in known.primary.fields:
        field = known.fields[name]
        encoded = field.storage.encode(identity[name])
        if encoded is not None:
            members[field.attribute] = encoded
    return {"M": members}
