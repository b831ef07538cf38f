"""Flows of transactions: several reads of one moment, or writes of which all happen or none.

A member is made into actions (see :mod:`tablewright.model.writes`); when the transaction is
cancelled, the reasons are told by the members they belong to.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from tablewright.client.attempts import Body, Call, as_service_error, send
from tablewright.client.context import Context
from tablewright.client.reading import stored_item
from tablewright.client.refusals import refusal_of, too_large
from tablewright.client.steps import Flow
from tablewright.client.tokens import Basis
from tablewright.client.transports.wire import Failure, Response
from tablewright.model import writes
from tablewright.model.definition import definition
from tablewright.model.errors import Failure as MemberFailure
from tablewright.model.errors import RequestError, TablewrightError, TransactionCancelled
from tablewright.model.ops import Check, Delete, Get, Put, Transaction, Update
from tablewright.model.requests import get_request
from tablewright.model.writes import Action, Write
from tablewright.values import Item

MAX_ACTIONS = 100


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
    basis = context.tokens.basis(op.token, context.clock.now())
    now = basis.now
    for position, member in enumerate(op.members):
        if not isinstance(member, (Put, Update, Delete, Check)):
            raise RequestError(f"{type(member).__name__} cannot be a member of a transaction")
        stored: writes.Stored = writes.UNREAD
        if writes.must_read(member):
            stored = yield from _stored(context, member, basis)
        made = writes.actions(member, now, stored)
        members.append(member)
        owners += [position] * len(made)
        actions += made
    actions, owners = writes.handed_over(actions, owners)
    call = Call(op.pattern, op.component, actions[0].body["TableName"])
    try:
        yield from send_transaction(context, call, actions, op.token)
    except Failure as failure:
        if failure.code in ("ValidationException", "TransactionCanceledException"):
            # The service does not say which two are one item, and DynamoDB Local not even that
            # some are; whoever succeeds does not have to look.
            _check_distinct(members, actions, owners)
        if _is_refusal(failure):
            context.tokens.forget(op.token)
        raise _cancelled(op, members, actions, owners, failure, now) from None
    return tuple(
        writes.stored_entity(member) if isinstance(member, Put) else None for member in members
    )


def _stored(context: Context, op: Write, basis: Basis) -> Flow[Item | None]:
    """The item that a member is about, as it was when the transaction was first made."""
    table, key = writes.key_of(op)
    if not basis.has(table, key):
        basis.keep(table, key, (yield from stored_item(context, op)))
    return basis.item(table, key)


def send_transaction(
    context: Context, call: Call, actions: Sequence[Action], token: str | None
) -> Flow[Response]:
    _check_size(len(actions))
    items: list[Body] = []
    for action in actions:
        name, body = action.body["TableName"], action.body
        physical = context.physical(name)
        items.append({action.kind: body if name == physical else {**body, "TableName": physical}})
    # The token makes every attempt after the first one harmless.
    whole: Body = {"TransactItems": items, "ClientRequestToken": token or str(uuid.uuid4())}
    response = yield from send(context, call, "TransactWriteItems", whole)
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
    seen: dict[tuple[object, ...], int] = {}
    for action, owner in zip(actions, owners, strict=True):
        body = action.body
        given = body.get("Key") or body["Item"]
        key = {name: given[name] for name in _key_names(members[owner])}
        place = (body["TableName"], *(tuple(value.items()) for value in key.values()))
        if place in seen:
            raise RequestError(
                f"members {seen[place]} and {owner} of the transaction touch the same item "
                f"({key}); DynamoDB allows each item once: merge them"
            )
        seen[place] = owner


def _key_names(op: Write) -> list[str]:
    known = definition(op.entity) if isinstance(op, Put) else op.definition
    return [each.name for each in known.table.primary()]


def _is_refusal(failure: Failure) -> bool:
    """Whether a condition did not hold: nothing was written, by no attempt."""
    reasons = failure.body.get("CancellationReasons") or ()
    return any(reason.get("Code") == "ConditionalCheckFailed" for reason in reasons)


def _cancelled(
    op: Transaction[Any],
    members: Sequence[Write],
    actions: Sequence[Action],
    owners: Sequence[int],
    failure: Failure,
    now: float,
) -> TablewrightError:
    if failure.code != "TransactionCanceledException":
        for action, owner in zip(actions, owners, strict=True):
            if action.constraint is None and action.kind == "Put":
                large = too_large(members[owner], action, failure.message)
                if large is not None:
                    return large
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
