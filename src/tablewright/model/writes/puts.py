"""Puts: a new entity, a new version of one, or whatever is in hand."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tablewright.model.definition import EntityDef, definition
from tablewright.model.ops import Put
from tablewright.model.writes.action import Action, Body, Stored, Unread
from tablewright.model.writes.locks import locks_of, old_item
from tablewright.model.writes.terms import Terms


def is_new(op: Put[Any], known: EntityDef[Any]) -> bool:
    if op.mode != "any" or known.version is None:
        return op.mode == "new"
    return bool(op.entity.__dict__[known.version.name] == 0)


@lru_cache(maxsize=256)
def _absent(known: EntityDef[Any], now: int) -> Body:
    """The condition of a new entity, which is the same for all that are put in one second."""
    terms = Terms(known, now)
    body: Body = {}
    terms.absent()
    terms.into(body)
    return body


def put_actions(op: Put[Any], now: float, stored: Stored) -> tuple[Action, ...]:
    known = definition(op.entity)
    entity = op.entity
    if op.condition is None and known.version is None and not known.uniques:
        # It overwrites whatever is there, or nothing: most puts.
        plain: Body = {"TableName": known.table.name, "Item": known.encode(entity)}
        if op.mode == "any":
            return (Action("Put", plain, repeatable=True),)
        if op.mode == "new":
            plain.update(_absent(known, int(now)))
            return (Action("Put", plain),)
    terms = Terms(known, now)
    version = None if known.version is None else entity.__dict__[known.version.name]
    new = is_new(op, known)
    old = None if new else old_item(known, entity, stored)
    if new:
        terms.absent()
    elif op.mode == "replace" or version is not None:
        terms.present()
    if version is not None and not new:
        terms.at_version(version)
    locks: list[Action] = []
    if known.uniques:
        values = entity.__dict__
        locks, guarded = locks_of(known, values, old, values, known.uniques, now)
        if old is None and not new and not isinstance(stored, Unread):
            # It was read and was not there: that must still be so, or its locks would be lost.
            terms.absent()
        elif version is None:
            # A version covers all that was read.
            terms.guard(old, guarded)
    if op.condition is not None:
        terms.meets(op.condition)
    if version is not None and known.version is not None:
        entity = entity.model_copy(update={known.version.name: version + 1})
    body: Body = {"TableName": known.table.name, "Item": known.encode(entity)}
    terms.into(body)
    return (Action("Put", body, repeatable=terms.empty), *locks)
