"""Flows of batches: up to 100 gets or 25 writes in a request, unprocessed ones tried again.

A batch is not a transaction: some of it may be done when the rest is not. What is left when the
retry budget ends is reported in :class:`BatchIncomplete`. A request that fails before anything is
done raises what it would raise alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tablewright.client.attempts import Body, Call, Repeat, as_service_error, backoff, send
from tablewright.client.context import Context
from tablewright.client.refusals import too_large
from tablewright.client.steps import Flow, Pause
from tablewright.client.transports.wire import Failure
from tablewright.model import writes
from tablewright.model.definition import definition
from tablewright.model.errors import (
    BatchIncomplete,
    OutcomeUnknown,
    RequestError,
    ServiceError,
    Unavailable,
)
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.ops import Batch, Delete, Get, Op, Put
from tablewright.model.table import Table
from tablewright.values import Item

R = TypeVar("R")

MAX_GETS = 100
MAX_WRITES = 25

#: One item of a table by its key values, for finding it again in an answer.
Address = tuple[tuple[str, str], ...]


def batch(context: Context, op: Batch[R]) -> Flow[tuple[R, ...]]:
    if not op.members:
        return ()
    gets = [member for member in op.members if isinstance(member, Get)]
    if len(gets) == len(op.members):
        return (yield from _batch_get(context, op, gets))
    if gets:
        raise RequestError("a batch is all gets, or all puts and deletes")
    return (yield from _batch_write(context, op))


# --- gets ----------------------------------------------------------------------------------------


def _batch_get(context: Context, op: Batch[Any], gets: Sequence[Get[Any]]) -> Flow[tuple[Any, ...]]:
    results: list[Any] = [None] * len(gets)
    # A request reads a table with one projection and one consistency.
    groups: dict[tuple[str, bool, tuple[str, ...] | None], list[int]] = {}
    for position, each in enumerate(gets):
        group = (each.reader.table.name, each.consistent, each.reader.projection)
        groups.setdefault(group, []).append(position)
    now = context.clock.now()
    undone: set[int] = set()
    cause: Unavailable | None = None
    for (name, consistent, wanted), positions in groups.items():
        if undone:
            undone.update(positions)
            continue
        table = gets[positions[0]].reader.table
        call = Call(op.pattern, op.component, name)
        keys = tuple(gets[position].key for position in positions)
        found, left, cause = yield from _read_keys(context, call, table, keys, wanted, consistent)
        for position in positions:
            address = _address(gets[position].key)
            item, reader = found.get(address), gets[position].reader
            if address in left:
                undone.add(position)
            elif item is not None and not reader.expired(item, now):
                results[position] = reader.decode(item)
    if undone:
        if cause is not None and len(undone) == len(gets):
            raise cause
        ops = [gets[position] for position in sorted(undone)]
        call = Call(op.pattern, op.component, None)
        raise _unread(call, len(ops), len(gets), results, ops) from cause
    return tuple(results)


def get_items(
    context: Context,
    call: Call,
    table: Table,
    keys: Sequence[Item],
    wanted: tuple[str, ...] | None,
    consistent: bool,
) -> Flow[list[Item | None]]:
    """The items with these keys, in their order; None where there is none."""
    found, left, cause = yield from _read_keys(context, call, table, keys, wanted, consistent)
    if cause is not None:
        raise cause
    if left:
        raise _unread(call, len(left), len(keys), (), tuple(left.values()))
    return [found.get(_address(key)) for key in keys]


def _read_keys(
    context: Context,
    call: Call,
    table: Table,
    keys: Sequence[Item],
    wanted: tuple[str, ...] | None,
    consistent: bool,
) -> Flow[tuple[dict[Address, Item], dict[Address, Item], Unavailable | None]]:
    """What was found, the keys that could not be read in the time given, and why, if it is told."""
    names = [each.name for each in table.primary()]
    physical = context.physical(table.name)
    pending = {_address(key): key for key in keys}
    found: dict[Address, Item] = {}
    patience = _Patience(context)
    cause: Unavailable | None = None
    while pending:
        chunk = list(pending.items())[:MAX_GETS]
        asked: Body = {"Keys": [key for _, key in chunk]}
        if consistent:
            asked["ConsistentRead"] = True
        if wanted is not None:
            holders = Placeholders()
            asked["ProjectionExpression"] = ", ".join(map(holders.name, wanted))
            asked["ExpressionAttributeNames"] = holders.names
        try:
            response = yield from send(
                context, call, "BatchGetItem", {"RequestItems": {physical: asked}}
            )
        except Unavailable as unavailable:
            cause = unavailable
            break
        except Failure as failure:
            raise as_service_error(failure) from None
        for item in response.body.get("Responses", {}).get(physical, ()):
            found[_address({name: item[name] for name in names})] = item
        left = response.body.get("UnprocessedKeys", {}).get(physical, {}).get("Keys", ())
        unprocessed = {_address(key) for key in left}
        for address, _ in chunk:
            if address not in unprocessed:
                del pending[address]
        if unprocessed:
            wait = patience.wait(progress=len(unprocessed) < len(chunk))
            if wait is None:
                break
            yield Pause(wait)
    return found, pending, cause


def _unread(
    call: Call, left: int, total: int, results: Sequence[object], unprocessed: Sequence[object]
) -> BatchIncomplete:
    return BatchIncomplete(
        f"{left} of {total} items of {call.pattern} were not read in the time given: the table "
        "is throttled, or cannot be reached. Run error.unprocessed again later",
        results,
        unprocessed,
    )


# --- writes --------------------------------------------------------------------------------------


def _batch_write(context: Context, op: Batch[Any]) -> Flow[tuple[Any, ...]]:
    now = context.clock.now()
    pending: dict[tuple[str, Address], Body] = {}
    places: list[tuple[str, Address]] = []
    names: dict[str, list[str]] = {}
    for member in op.members:
        table, address, request = _write_request(member, now)
        place = (table.name, address)
        if place in pending:
            raise RequestError(
                f"two members of the batch write the same item of {table.name}: keep the last one"
            )
        pending[place] = request
        places.append(place)
        names[table.name] = [each.name for each in table.primary()]
    patience = _Patience(context)
    while pending:
        chunk = list(pending.items())[:MAX_WRITES]
        asked: Body = {}
        for (name, _), request in chunk:
            asked.setdefault(context.physical(name), []).append(request)
        call = Call(op.pattern, op.component, chunk[0][0][0])
        try:
            # Puts and deletes without conditions: the same again changes nothing more.
            response = yield from send(
                context, call, "BatchWriteItem", {"RequestItems": asked}, Repeat.SAFE
            )
        except (Unavailable, OutcomeUnknown) as error:
            if len(pending) == len(places):
                raise
            raise _unwritten(op, places, pending) from error
        except Failure as failure:
            raise _large_member(op, failure, now) or as_service_error(failure) from None
        left = response.body.get("UnprocessedItems") or {}
        # By key: the service may write the same values in another way.
        unprocessed = {
            (name, _request_address(request, keys))
            for name, keys in names.items()
            for request in left.get(context.physical(name), ())
        }
        for place, _ in chunk:
            if place not in unprocessed:
                del pending[place]
        if unprocessed:
            wait = patience.wait(progress=len(unprocessed) < len(chunk))
            if wait is None:
                raise _unwritten(op, places, pending)
            yield Pause(wait)
    return tuple(_written(member) for member in op.members)


def _request_address(request: Body, names: Sequence[str]) -> Address:
    if "PutRequest" in request:
        item = request["PutRequest"]["Item"]
        return _address({name: item[name] for name in names})
    return _address(request["DeleteRequest"]["Key"])


def _unwritten(
    op: Batch[Any],
    places: Sequence[tuple[str, Address]],
    pending: Mapping[tuple[str, Address], Body],
) -> BatchIncomplete:
    members = list(zip(op.members, places, strict=True))
    return BatchIncomplete(
        f"{len(pending)} of {len(members)} writes of {op.pattern} are left: the table is "
        "throttled, or cannot be reached. Run error.unprocessed again later",
        [None if place in pending else _written(member) for member, place in members],
        [member for member, place in members if place in pending],
    )


def _write_request(member: Op[Any], now: float) -> tuple[Table, Address, Body]:
    if not isinstance(member, Put | Delete):
        raise RequestError(
            f"{type(member).__name__} cannot be in a batch: it takes gets, or puts and deletes"
        )
    known = definition(member.entity) if isinstance(member, Put) else member.definition
    actions = () if known.uniques else writes.actions(member, now)
    if len(actions) != 1 or not actions[0].repeatable:
        raise RequestError(
            f"a batch cannot check anything, but this {type(member).__name__.lower()} of "
            f"{known.name} has a condition, a version or a unique constraint: use a transaction"
        )
    body = actions[0].body
    if isinstance(member, Put):
        key = {each.name: body["Item"][each.name] for each in known.table.primary()}
        return known.table, _address(key), {"PutRequest": {"Item": body["Item"]}}
    return known.table, _address(member.key), {"DeleteRequest": {"Key": member.key}}


def _written(member: Op[Any]) -> object:
    return writes.stored_entity(member) if isinstance(member, Put) else None


class _Patience:
    """How long unprocessed items are tried again: the retry policy, from the last progress on."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._since = time.monotonic()
        self._attempt = 0

    def wait(self, progress: bool) -> float | None:
        """Seconds to wait; None when the attempts or the budget are used up."""
        policy = self._context.retries
        if progress:
            self._attempt, self._since = 0, time.monotonic()
        self._attempt += 1
        if self._attempt >= policy.attempts:
            return None
        wait = backoff(self._context, self._attempt)
        return wait if time.monotonic() - self._since + wait <= policy.budget else None


def _address(key: Item) -> Address:
    return tuple(sorted((name, next(iter(value.values()))) for name, value in key.items()))


def _large_member(op: Batch[Any], failure: Failure, now: float) -> ServiceError | None:
    """The put of a batch whose item is too large; None if it was refused for something else."""
    for member in op.members:
        if isinstance(member, Put):
            found = too_large(member, writes.actions(member, now)[0], failure.message)
            if found is not None:
                return found
    return None
