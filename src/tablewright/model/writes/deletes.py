"""Deletes, and checks of what a transaction does not write."""

from __future__ import annotations

from typing import Any

from tablewright.model.ops import Check, Delete
from tablewright.model.writes.action import Action, Body, Stored
from tablewright.model.writes.locks import locks_of, old_item
from tablewright.model.writes.terms import Terms


def delete_actions(op: Delete[Any], now: float, stored: Stored) -> tuple[Action, ...]:
    known = op.definition
    terms = Terms(known, now)
    if op.must_exist or op.version is not None:
        terms.present()
    if op.version is not None:
        terms.at_version(op.version)
    locks: list[Action] = []
    if known.uniques:
        old = old_item(known, op.entity, stored)
        locks, guarded = locks_of(known, None, old, op.identity, known.uniques, now)
        if op.version is None:
            if old is None:
                # Read and not there: that must still be so, or its locks would stay.
                terms.absent()
            else:
                terms.guard(old, guarded)
    if op.condition is not None:
        terms.meets(op.condition)
    body: Body = {"TableName": known.table.name, "Key": op.key}
    terms.into(body)
    return (Action("Delete", body, repeatable=terms.empty), *locks)


def check_action(op: Check[Any], now: float) -> Action:
    terms = Terms(op.definition, now)
    if op.exists:
        terms.present()
    else:
        terms.absent()
    if op.condition is not None:
        terms.meets(op.condition)
    body: Body = {"TableName": op.definition.table.name, "Key": op.key}
    terms.into(body)
    return Action("ConditionCheck", body, repeatable=True)
