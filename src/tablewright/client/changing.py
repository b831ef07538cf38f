"""Flows of writes: puts, updates, deletes and transactions.

One action goes alone, several (an entity and its locks) as a transaction; see
:mod:`tablewright.model.writes` for what they are conditioned on.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, TypeVar

from tablewright.client.attempts import Body, Call, Repeat, as_service_error, send
from tablewright.client.context import Context
from tablewright.client.refusals import condition_error, refusal_of
from tablewright.client.steps import Flow
from tablewright.client.transports.wire import Failure, Response
from tablewright.model import writes
from tablewright.model.entity import Entity, definition
from tablewright.model.errors import (
    ConditionFailed,
    RequestError,
    TablewrightError,
    TransactionCancelled,
)
from tablewright.model.errors import Failure as MemberFailure
from tablewright.model.ops import Check, Delete, Get, Op, Put, Transaction, Update
from tablewright.model.requests import get_request
from tablewright.model.writes import ALONE, Action, Write
from tablewright.values import Item

E = TypeVar("E", bound=Entity)

MAX_ACTIONS = 100
#: How often a write is made again because the item that its locks rest on has changed.
_TRIES = 4


def put(context: Context, op: Put[E]) -> Flow[E]:
    yield from _write(context, op)
    written: E = writes.stored_entity(op)
    return written


def update(context: Context, op: Update[E]) -> Flow[E]:
    try:
        attributes, _ = yield from _write(context, op, "ALL_NEW", once=op.once)
    except ConditionFailed as failed:
        if not op.create or not (yield from _swept(context, op)):
            raise failed from None
        attributes, _ = yield from _write(context, op, "ALL_NEW", once=op.once)
    if attributes is None:
        # A transaction returns nothing; what it left is read.
        attributes = yield from _stored(context, op)
    if attributes is None:
        raise condition_error(op, None)
    return op.definition.decode(attributes)


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
    old = origin or (yield from _stored(context, op))
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
        stored = yield from _stored(context, op)
    for _ in range(_TRIES):
        try:
            return (yield from _write_once(context, op, returned, once, stored)), stored
        except ConditionFailed:
            if not writes.has_locks(op):
                raise
            fresh = yield from _stored(context, op)
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
            yield from _send_transaction(context, call, actions, None)
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
        raise as_service_error(failure) from None
    found: Item = response.body.get("Attributes") or {}
    return found


def _swept(context: Context, op: Update[Any]) -> Flow[bool]:
    """Delete what has ended but is still there, so that an upsert starts anew."""
    known, now = op.definition, context.clock.now()
    item = yield from _stored(context, op)
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


def _stored(context: Context, op: Write) -> Flow[Item | None]:
    table, key = writes.key_of(op)
    body: Body = {"TableName": context.physical(table), "Key": key, "ConsistentRead": True}
    pattern, component = getattr(op, "pattern", "adhoc"), getattr(op, "component", None)
    try:
        response = yield from send(context, Call(pattern, component, table), "GetItem", body)
    except Failure as failure:
        raise as_service_error(failure) from None
    found: Item | None = response.body.get("Item")
    return found


def _refusal(
    op: Op[Any], actions: Sequence[Action], failure: Failure, now: float
) -> TablewrightError:
    """What a single op, sent as a transaction with its locks, was refused for."""
    if failure.code != "TransactionCanceledException":
        return as_service_error(failure)
    reasons = failure.body.get("CancellationReasons") or ()
    found: list[TablewrightError] = []
    for action, reason in zip(actions, reasons, strict=False):
        if reason.get("Code", "None") != "None":
            found.append(refusal_of(op, action, reason, now))
    # The entity's own condition says more than that of a lock.
    return found[0] if found else as_service_error(failure)


# --- transactions --------------------------------------------------------------------------------


def transaction(context: Context, op: Transaction[Any]) -> Flow[tuple[Any, ...]]:
    if not op.members:
        return ()
    gets = [member for member in op.members if isinstance(member, Get)]
    if len(gets) == len(op.members):
        return (yield from _read_transaction(context, op, gets))
    if gets:
        raise RequestError("a transaction is all reads or all writes")
    return (yield from _write_transaction(context, op))


def _read_transaction(
    context: Context, op: Transaction[Any], gets: Sequence[Get[Any]]
) -> Flow[tuple[Any, ...]]:
    _check_size(len(gets))
    items: list[Body] = []
    for member in gets:
        body = get_request(member)
        body.pop("ConsistentRead", None)
        body["TableName"] = context.physical(body["TableName"])
        items.append({"Get": body})
    call = Call(op.pattern, op.component, gets[0].reader.table.name)
    try:
        response = yield from send(context, call, "TransactGetItems", {"TransactItems": items})
    except Failure as failure:
        raise as_service_error(failure) from None
    now = context.clock.now()
    results: list[Any] = []
    for member, answer in zip(gets, response.body["Responses"], strict=True):
        item = answer.get("Item")
        gone = item is None or member.reader.expired(item, now)
        results.append(None if gone else member.reader.decode(item))
    return tuple(results)


def _write_transaction(context: Context, op: Transaction[Any]) -> Flow[tuple[Any, ...]]:
    owners: list[int] = []
    actions: list[Action] = []
    members: list[Write] = []
    now = context.clock.now()
    for position, member in enumerate(op.members):
        if not isinstance(member, Put | Update | Delete | Check):
            raise RequestError(f"{type(member).__name__} cannot be a member of a transaction")
        stored: writes.Stored = writes.UNREAD
        if writes.must_read(member):
            stored = yield from _stored(context, member)
        made = writes.actions(member, now, stored)
        members.append(member)
        owners += [position] * len(made)
        actions += made
    actions, owners = writes.handed_over(actions, owners)
    _check_distinct(members, actions, owners)
    call = Call(op.pattern, op.component, actions[0].body["TableName"])
    try:
        yield from _send_transaction(context, call, actions, op.token)
    except Failure as failure:
        raise _cancelled(op, members, actions, owners, failure, now) from None
    return tuple(
        writes.stored_entity(member) if isinstance(member, Put) else None for member in members
    )


def _send_transaction(
    context: Context, call: Call, actions: Sequence[Action], token: str | None
) -> Flow[Response]:
    _check_size(len(actions))
    items: list[Body] = []
    for action in actions:
        name = context.physical(action.body["TableName"])
        items.append({action.kind: {**action.body, "TableName": name}})
    # The token makes every attempt after the first one harmless.
    body: Body = {"TransactItems": items, "ClientRequestToken": token or str(uuid.uuid4())}
    response = yield from send(context, call, "TransactWriteItems", body)
    return response


def _check_size(actions: int) -> None:
    if actions > MAX_ACTIONS:
        raise RequestError(
            f"the transaction has {actions} items, locks of unique constraints included; "
            f"DynamoDB takes {MAX_ACTIONS}"
        )


def _check_distinct(
    members: Sequence[Write], actions: Sequence[Action], owners: Sequence[int]
) -> None:
    seen: dict[str, int] = {}
    for action, owner in zip(actions, owners, strict=True):
        body = action.body
        known = members[owner]
        table = writes.key_of(known)[0]
        names = _key_names(known)
        key = body.get("Key") or {name: body["Item"][name] for name in names}
        place = f"{table} {sorted((name, str(value)) for name, value in key.items())}"
        if place in seen:
            raise RequestError(
                f"members {seen[place]} and {owner} of the transaction touch the same item "
                f"({key}); DynamoDB allows each item once: merge them"
            )
        seen[place] = owner


def _key_names(op: Write) -> list[str]:
    known = definition(op.entity) if isinstance(op, Put) else op.definition
    return [each.name for each in known.table.primary()]


def _cancelled(
    op: Transaction[Any],
    members: Sequence[Write],
    actions: Sequence[Action],
    owners: Sequence[int],
    failure: Failure,
    now: float,
) -> TablewrightError:
    if failure.code != "TransactionCanceledException":
        return as_service_error(failure)
    failures: list[MemberFailure] = []
    for action, owner, reason in zip(
        actions, owners, failure.body.get("CancellationReasons") or (), strict=False
    ):
        code = reason.get("Code", "None")
        if code != "None":
            error = refusal_of(members[owner], action, reason, now)
            failures.append(MemberFailure(owner, members[owner], code, error))
    told = "; ".join(f"member {each.position}: {each.error}" for each in failures)
    return TransactionCancelled(f"{op.pattern} was cancelled: {told or failure.message}", failures)
