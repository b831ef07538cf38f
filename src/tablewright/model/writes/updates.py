"""Updates: the changes asked for, and what has to change with them.

An update that touches a field of an index key writes that key again. It can only do so if it knows
every field of the key: from its own changes, from the primary key, from the entity in hand, or from
what the caller vouches for with ``given``. What it knows without writing it becomes a guard.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.model.errors import MissingFields, RequestError
from tablewright.model.expressions.changes import (
    Action as Change,
)
from tablewright.model.expressions.changes import (
    Assign,
    AssignIfMissing,
    Increase,
    Remove,
    render_changes,
)
from tablewright.model.expressions.conditions import render
from tablewright.model.expressions.operands import Value
from tablewright.model.expressions.places import Place
from tablewright.model.keys import BoundKey
from tablewright.model.ops import Update
from tablewright.model.writes.action import Action, Body, Stored
from tablewright.model.writes.creation import composed_names, created
from tablewright.model.writes.locks import decoded, locks_of, old_item, touched_uniques
from tablewright.model.writes.terms import Terms
from tablewright.values import AttributeValue


def update_actions(op: Update[Any], now: float, stored: Stored) -> tuple[Action, ...]:
    known = op.definition
    terms = Terms(known, now)
    changes = list(op.actions)
    _check_changes(op)
    if op.create and op.version is None:
        # What has ended is not continued: it would come back with its old values.
        terms.not_ended()
    else:
        terms.present()
    if op.version is not None:
        terms.at_version(op.version)
    guards: dict[str, object] = {}
    changes += _key_changes(op, guards)
    for name, value in op.known.items():
        guards.setdefault(name, value)
    if op.create:
        changes += created(op, changes, assigned(op))
    if known.version is not None:
        place = Place((known.version.attribute,), known.version.name, known.name)
        changes.append(Increase(place, Value({"N": "1"})))
    locks: list[Action] = []
    touched = touched_uniques(op)
    if touched:
        old = old_item(known, op.entity, stored)
        values = {**op.identity, **_lock_values(op, decoded(known, old, touched))}
        locks, guarded = locks_of(known, values, old, op.identity, touched, now)
        if op.create and old is None:
            # It was read and was not there: that must still be so, or its locks would be lost.
            terms.absent()
        elif op.version is None:
            terms.guard(old, guarded)
    # Even with a version: the entity in hand may have been changed in Python since it was read.
    terms.guard_values(guards)
    if op.condition is not None:
        terms.add(render(op.condition, terms.holders))
    body: Body = {"TableName": known.table.name, "Key": op.key}
    text = render_changes(changes, terms.holders)
    if text:
        body["UpdateExpression"] = text
    terms.into(body)
    unconditional = op.condition is None and op.version is None and not guards and not touched
    # What was there before an update is not what was there before its repetition.
    repeatable = unconditional and not op.before and all(map(_is_idempotent, changes))
    return (Action("Update", body, repeatable=repeatable), *locks)


def _is_idempotent(change: Change) -> bool:
    """Whether twice is the same as once; a copy of what another change writes is not."""
    if any(not isinstance(step, str) for step in change.place.path):
        # Of a list, the next element would go, and what is set beyond its end is appended.
        return False
    if isinstance(change, Assign):
        return isinstance(change.value, Value)
    return isinstance(change, Remove | AssignIfMissing)


def _check_changes(op: Update[Any]) -> None:
    known = op.definition
    if not op.actions and not op.create:
        raise RequestError(f"the update of {known.name} changes nothing: say what with do(...)")
    for change in op.actions:
        if change.field in known.primary.fields:
            raise RequestError(
                f"{known.name}.{change.field} is part of the primary key, which cannot change: "
                "put a new entity and delete the old one in a transaction"
            )
        if known.version is not None and change.field == known.version.name:
            raise RequestError(f"{known.name}.{change.field} counts the writes by itself")
        if change.place.entity not in ("", known.name):
            raise RequestError(f"{change.place} is not a field of {known.name}")


def assigned(op: Update[Any]) -> dict[str, object]:
    """The fields whose new value is known: wholly assigned or removed."""
    found: dict[str, object] = {}
    for change in op.actions:
        if change.whole and isinstance(change, Remove):
            found[change.field] = None
        elif change.whole and isinstance(change, Assign) and isinstance(change.value, Value):
            found[change.field] = change.given
    return found


def _lock_values(op: Update[Any], old: Mapping[str, object]) -> dict[str, object]:
    """What locks are made from, as it will be after the update."""
    values = {**old}
    for change in op.actions:
        if change.field not in old:
            continue
        if change.whole and isinstance(change, Remove):
            values[change.field] = None
        elif change.whole and isinstance(change, Assign) and isinstance(change.value, Value):
            values[change.field] = change.given
        elif change.whole and isinstance(change, AssignIfMissing):
            if old[change.field] is None:
                values[change.field] = change.given
        else:
            raise RequestError(
                f"{op.definition.name}.{change.field} is unique, or ends what is: its new value "
                "has to be known before it is written; use set(...)"
            )
    return values


def _key_changes(op: Update[Any], guards: dict[str, object]) -> list[Change]:
    """The index keys that this update has to write again; ``guards`` takes what they rest on."""
    known = op.definition
    changed = frozenset(change.field for change in op.actions)
    written: dict[str, AttributeValue] = {}
    emptied: set[str] = set()
    affected = known.affected_keys(changed)
    for key in affected:
        values = _key_values(op, key, changed, guards)
        names = composed_names(known, key)
        if key.present(values):
            encoded = key.encode(values)
            written.update({name: encoded[name] for name in names})
        else:
            emptied.update(names)
    emptied -= written.keys()
    for key in known.keys.values():
        # What one key gives up, another one may still need.
        shared = emptied.intersection(composed_names(known, key))
        if shared and key not in affected:
            values = _key_values(op, key, changed, guards)
            if key.present(values):
                encoded = key.encode(values)
                written.update({name: encoded[name] for name in shared})
    changes: list[Change] = [
        Assign(Place((name,)), Value(value)) for name, value in written.items()
    ]
    changes += [Remove(Place((name,))) for name in sorted(emptied - written.keys())]
    return changes


def _key_values(
    op: Update[Any], key: BoundKey, changed: frozenset[str], guards: dict[str, object]
) -> dict[str, object]:
    """All values an index key is made from, as they will be after the update."""
    known = op.definition
    given = assigned(op)
    values: dict[str, object] = {}
    missing: list[str] = []
    for name in dict.fromkeys((*key.fields, *key.when)):
        if name in given:
            values[name] = given[name]
        elif name in changed:
            raise RequestError(
                f"{known.name}.{name} is part of key {key.name!r}: its new value has to be known "
                "before it is written; use set(...)"
            )
        elif name in op.identity:
            values[name] = op.identity[name]
        elif name in op.known:
            values[name] = guards[name] = op.known[name]
        elif op.entity is not None:
            values[name] = guards[name] = op.entity.__dict__[name]
        else:
            missing.append(name)
    if missing:
        raise MissingFields(
            f"this update of {known.name} changes key {key.name!r} (index {key.key.on}), which is "
            f"also made from {', '.join(missing)}: update the entity itself, "
            f"or add .given({', '.join(f'{name}=...' for name in missing)})",
            missing,
        )
    return values
