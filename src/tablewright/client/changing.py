"""Flows of single writes: puts, updates and deletes.

One action goes alone, several (an entity and its locks) as a transaction; see
:mod:`tablewright.model.writes` for what they are conditioned on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from tablewright.client.attempts import Body, Call, Repeat, as_service_error, send
from tablewright.client.context import Context
from tablewright.client.reading import stored_item
from tablewright.client.refusals import condition_error, refusal_of, refused_error
from tablewright.client.steps import Flow
from tablewright.client.transactions import send_transaction
from tablewright.client.transports.wire import Failure
from tablewright.model import writes
from tablewright.model.entity import Entity
from tablewright.model.errors import (
    ConditionFailed,
    RequestError,
    TablewrightError,
)
from tablewright.model.ops import Delete, Op, Put, Update
from tablewright.model.writes import ALONE, Action
from tablewright.values import Item

E = TypeVar("E", bound=Entity)

#: How often a write is made again because the item that its locks rest on has changed.
_TRIES = 4


def put(context: Context, op: Put[E]) -> Flow[E]:
    yield from _write(context, op)
    written: E = writes.stored_entity(op)
    return written


def update(context: Context, op: Update[E]) -> Flow[E]:
    returned = "ALL_OLD" if op.before else "ALL_NEW"
    _check_before(op)
    try:
        attributes, _ = yield from _write(context, op, returned, once=op.once)
    except ConditionFailed as failed:
        if not (op.create and op.anew) or not (yield from _swept(context, op)):
            raise failed from None
        attributes, _ = yield from _write(context, op, returned, once=op.once)
    if attributes is None:
        # A transaction returns nothing; what it left is read.
        attributes = yield from stored_item(context, op)
    if attributes is None:
        raise condition_error(op, None)
    return op.definition.decode(attributes)


def _check_before(op: Update[Any]) -> None:
    if op.before and (op.create or op.once or writes.has_locks(op)):
        raise RequestError(
            f"returning_old() of {op.definition.name} needs an update that goes alone: not an "
            "upsert, not exactly_once(), and not of a unique field"
        )


def delete(context: Context, op: Delete[E]) -> Flow[E | None]:
    if op.definition.uniques:
        old = yield from _delete_with_locks(context, op)
    else:
        old, _ = yield from _write(context, op, "ALL_OLD")
    if not old or op.definition.expired(old, context.clock.now()):
        return None
    return op.definition.decode(old)


def _delete_with_locks(context: Context, op: Delete[E]) -> Flow[Item | None]:
    """Delete it; what was there is read first, since a transaction returns nothing."""
    origin: Item | None = None
    if op.entity is not None and op.version is not None:
        # Whatever has another version than this one is not deleted.
        origin = op.definition.origin(op.entity)
    old = origin or (yield from stored_item(context, op))
    _, used = yield from _write(context, op, stored=old)
    return None if isinstance(used, writes.Unread) else used


def _write(
    context: Context,
    op: Put[Any] | Update[Any] | Delete[Any],
    returned: str | None = None,
    *,
    once: bool = False,
    stored: writes.Stored = writes.UNREAD,
) -> Flow[tuple[Item | None, writes.Stored]]:
    """Write it, and again if the item that its locks rest on has changed.

    Gives the attributes that DynamoDB returned (None if it went as a transaction), and the item
    that the write rested on.
    """
    if isinstance(stored, writes.Unread) and writes.must_read(op):
        stored = yield from stored_item(context, op)
    for _ in range(_TRIES):
        try:
            return (yield from _write_once(context, op, returned, once, stored)), stored
        except ConditionFailed:
            if not writes.has_locks(op):
                raise
            fresh = yield from stored_item(context, op)
            if not writes.outdated(op, stored, fresh):
                raise
            stored = fresh
    return (yield from _write_once(context, op, returned, once, stored)), stored


def _write_once(
    context: Context,
    op: Put[Any] | Update[Any] | Delete[Any],
    returned: str | None,
    once: bool,
    stored: writes.Stored,
) -> Flow[Item | None]:
    now = context.clock.now()
    actions = writes.actions(op, now, stored)
    call = Call(op.pattern, op.component, actions[0].body["TableName"])
    if len(actions) > 1 or once:
        try:
            yield from send_transaction(context, call, actions, None)
        except Failure as failure:
            raise _refusal(op, actions, failure, now) from None
        return None
    action = actions[0]
    body = action.body
    body["TableName"] = context.physical(body["TableName"])
    if returned is not None:
        body["ReturnValues"] = returned
    try:
        response = yield from send(context, call, ALONE[action.kind], body, _repeat(action))
    except Failure as failure:
        if failure.code == "ConditionalCheckFailedException":
            raise condition_error(op, failure.body.get("Item"), now) from None
        raise refused_error(op, actions, failure) from None
    found: Item = response.body.get("Attributes") or {}
    return found


def _swept(context: Context, op: Update[Any]) -> Flow[bool]:
    """Delete what has ended but is still there, so that an upsert starts anew."""
    known, now = op.definition, context.clock.now()
    item = yield from stored_item(context, op)
    if item is None or known.ttl is None or not known.expired(item, now):
        return False
    body: Body = {
        "TableName": context.physical(known.table.name),
        "Key": op.key,
        "ConditionExpression": "#n0 = :v0",
        "ExpressionAttributeNames": {"#n0": known.ttl.attribute},
        "ExpressionAttributeValues": {":v0": item[known.ttl.attribute]},
    }
    try:
        yield from send(
            context, Call(op.pattern, op.component, known.table.name), "DeleteItem", body
        )
    except Failure as failure:
        # Somebody else was quicker.
        if failure.code != "ConditionalCheckFailedException":
            raise as_service_error(failure) from None
    return True


def _repeat(action: Action) -> Repeat:
    if action.repeatable:
        return Repeat.SAFE
    return Repeat.COMPARE if action.kind == "Put" else Repeat.NEVER


def _refusal(
    op: Op[Any], actions: Sequence[Action], failure: Failure, now: float
) -> TablewrightError:
    """What a single op, sent as a transaction with its locks, was refused for."""
    if failure.code != "TransactionCanceledException":
        return refused_error(op, actions, failure)
    reasons = failure.body.get("CancellationReasons") or ()
    found: list[TablewrightError] = []
    for action, reason in zip(actions, reasons, strict=False):
        if reason.get("Code", "None") != "None":
            found.append(refusal_of(op, action, reason, now))
    # The entity's own condition says more than that of a lock.
    return found[0] if found else as_service_error(failure)
