"""``op.explain()``: the requests an op would send, as people read them."""

from __future__ import annotations

import time
from typing import Any

import orjson

from tablewright.model import writes
from tablewright.model.ops import (
    Batch,
    Check,
    Collect,
    Count,
    Delete,
    Find,
    Get,
    Op,
    Put,
    Query,
    Total,
    Transaction,
    Update,
)
from tablewright.model.requests import Body, batch_get_requests, get_request, selection_request
from tablewright.values import Item


def explain(op: Op[Any]) -> str:
    """The pattern, and each request with its body."""
    lines = [f"{op.pattern}: {type(op).__name__}"]
    for operation, body in requests_of(op):
        text = orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()
        lines.append(f"{operation} {text}")
    return "\n".join(lines)


def requests_of(op: Op[Any], now: float | None = None) -> list[tuple[str, Body]]:
    """The requests an op would send first; pages and retries may follow."""
    moment = time.time() if now is None else now
    if isinstance(op, Get):
        return [("GetItem", get_request(op))]
    if isinstance(op, Query):
        return [selection_request(op.selection, limit=op.limit)]
    if isinstance(op, Find):
        return requests_of(op.query(), moment)
    if isinstance(op, Count):
        return [selection_request(op.selection, count_at=moment)]
    if isinstance(op, Collect):
        return [selection_request(op.selection, limit=op.limit)]
    if isinstance(op, Total):
        table = op.counter.table.name
        gets = [(table, key, op.consistent, None) for key in op.shards]
        return [("BatchGetItem", {"RequestItems": batch_get_requests(gets)})]
    if isinstance(op, Put | Update | Delete):
        return _write(op, moment)
    if isinstance(op, Transaction):
        return _transaction(op, moment)
    if isinstance(op, Batch):
        return _batch(op, moment)
    raise TypeError(f"{type(op).__name__} cannot be explained")


def _batch(op: Batch[Any], now: float) -> list[tuple[str, Body]]:
    """One request for each table, consistency and projection; or one of all writes."""
    groups: dict[object, list[tuple[str, Item, bool, tuple[str, ...] | None]]] = {}
    written: Body = {}
    for member in op.members:
        if isinstance(member, Get):
            wanted = member.reader.projection
            group = (member.reader.table.name, member.key, member.consistent, wanted)
            groups.setdefault((group[0], *group[2:]), []).append(group)
        elif isinstance(member, Put | Delete):
            body = writes.actions(member, now)[0].body
            kind, part = ("Put", "Item") if isinstance(member, Put) else ("Delete", "Key")
            request = {f"{kind}Request": {part: body[part]}}
            written.setdefault(body["TableName"], []).append(request)
    gets = [
        ("BatchGetItem", {"RequestItems": batch_get_requests(each)}) for each in groups.values()
    ]
    return [*gets, ("BatchWriteItem", {"RequestItems": written})] if written else gets


def _write(op: writes.Write, now: float) -> list[tuple[str, Body]]:
    asked, stored = _read_first(op)
    actions = writes.actions(op, now, stored)
    if len(actions) == 1 and not (isinstance(op, Update) and op.once):
        return [*asked, (writes.ALONE[actions[0].kind], actions[0].body)]
    items = [{action.kind: action.body} for action in actions]
    return [*asked, ("TransactWriteItems", {"TransactItems": items})]


def _transaction(op: Transaction[Any], now: float) -> list[tuple[str, Body]]:
    gets = [member for member in op.members if isinstance(member, Get)]
    if gets:
        items = [{"Get": get_request(member)} for member in gets]
        return [("TransactGetItems", {"TransactItems": items})]
    asked: list[tuple[str, Body]] = []
    actions: list[writes.Action] = []
    for member in op.members:
        if isinstance(member, Put | Update | Delete | Check):
            reads, stored = _read_first(member)
            asked += reads
            actions += writes.actions(member, now, stored)
    kept, _ = writes.handed_over(actions, range(len(actions)))
    written = [{each.kind: each.body} for each in kept]
    return [*asked, ("TransactWriteItems", {"TransactItems": written})]


def _read_first(op: writes.Write) -> tuple[list[tuple[str, Body]], writes.Stored]:
    """The read that finds the locks of old values; what it finds is not known here."""
    if not writes.must_read(op):
        return [], writes.UNREAD
    table, key = writes.key_of(op)
    return [("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})], None
