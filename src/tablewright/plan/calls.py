"""What running an op uses: its requests one after another, as the client sends them.

A flow of the client and the function of the same name here make the same requests; that they use
the same is tested against the engine, pattern by pattern.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablewright.model import writes
from tablewright.model.model import Model
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
    Selection,
    Total,
    Transaction,
    Update,
)
from tablewright.model.requests import batch_get_requests, get_request, selection_request
from tablewright.plan import reading, writing
from tablewright.plan.contents import Contents
from tablewright.plan.entries import Sizes, own_size
from tablewright.plan.service import Body, Partition, Refused, Service
from tablewright.plan.units import Place, Units
from tablewright.values import Item

#: As the client has them.
PAGE_LIMIT = 100
FILTERED = 100
MOST = 10_000
MAX_GETS = 100
MAX_PAGES = 1000
TRIES = 4

OPERATIONS: Mapping[str, Callable[[Service, Body], Body]] = {
    "GetItem": reading.get_item,
    "BatchGetItem": reading.batch_get_item,
    "TransactGetItems": reading.transact_get_items,
    "Query": reading.query,
    "Scan": reading.scan,
    "PutItem": writing.put_item,
    "UpdateItem": writing.update_item,
    "DeleteItem": writing.delete_item,
    "BatchWriteItem": writing.batch_write_item,
    "TransactWriteItems": writing.transact_write_items,
}


@dataclass(frozen=True)
class Used:
    """What a call uses, and what it leaves."""

    units: Units
    after: Contents
    #: A condition did not hold: it was paid for and changed nothing.
    refused: bool = False
    #: Of queries and scans: items evaluated, and their bytes.
    rows: int = 0
    bytes: int = 0
    #: The units by place and partition key.
    partitions: Mapping[tuple[Place, Partition], Units] = field(default_factory=dict)


def units_of(
    op: Op[Any], stored: Contents, *, now: float | None = None, size: Sizes = own_size
) -> Used:
    """What running ``op`` on ``stored`` uses; ``stored`` itself stays as it is."""
    service = Service(stored.copy(), size)
    run = _Run(service, time.time() if now is None else now)
    refused = False
    try:
        run.op(op)
    except Refused:
        refused = True
    return Used(
        service.used, service.contents, refused, service.rows, service.bytes, service.partitions
    )


def load(model: Model, items: Iterable[Any], *, now: float | None = None) -> Contents:
    """Contents that hold these entities, each with its locks."""
    contents = Contents(model.tables)
    run = _Run(Service(contents), time.time() if now is None else now)
    for entity in items:
        run.op(Put(entity))
    return contents


class _Run:
    """One op under way."""

    def __init__(self, service: Service, now: float) -> None:
        self._service = service
        self._now = now

    def op(self, op: Op[Any]) -> None:
        for kind, run in _FLOWS.items():
            if isinstance(op, kind):
                return run(self, op)
        raise TypeError(f"{type(op).__name__} cannot be planned")

    def _send(self, operation: str, body: Body) -> Body:
        return OPERATIONS[operation](self._service, body)

    # --- reads -----------------------------------------------------------------------------------

    def _get(self, op: Get[Any]) -> None:
        self._send("GetItem", get_request(op))

    def _query(self, op: Query[Any]) -> None:
        """Pages until there are as many results as wanted."""
        wanted = op.limit or PAGE_LIMIT
        kept, pages = 0, 0
        more: Item | None = None
        while not _is_empty(op.selection):
            limit = _limit(op.selection, wanted - kept, pages)
            answer = self._ask(op.selection, limit=limit, start=more)
            kept += len(self._hydrated(op, self._living(op.selection, answer["Items"])))
            pages, more = pages + 1, answer.get("LastEvaluatedKey")
            if kept >= wanted or more is None or pages >= (op.selection.max_pages or MAX_PAGES):
                return

    def _find(self, op: Find[Any]) -> None:
        self._query(op.query())

    def _count(self, op: Count) -> None:
        more: Item | None = None
        while not _is_empty(op.selection):
            answer = self._ask(op.selection, start=more, count_at=self._now)
            more = answer.get("LastEvaluatedKey")
            if more is None:
                return

    def _collect(self, op: Collect[Any]) -> None:
        found, pages = 0, 0
        more: Item | None = None
        while not _is_empty(op.selection):
            wanted = None if op.limit is None else op.limit - found
            # Every item belongs to it: no more is asked for than is wanted, unless it is filtered.
            limit = _limit(op.selection, wanted, 0 if op.selection.filter is None else pages)
            answer = self._ask(op.selection, limit=limit, start=more)
            found += len(answer["Items"])
            pages, more = pages + 1, answer.get("LastEvaluatedKey")
            if more is None or (op.limit is not None and found >= op.limit):
                return

    def _total(self, op: Total[Any]) -> None:
        self._get_items(op.counter.table.name, op.shards, op.consistent)

    def _ask(self, selection: Selection, start: Item | None, **options: Any) -> Body:
        operation, body = selection_request(selection, start=start, **options)
        return self._send(operation, body)

    def _living(self, selection: Selection, items: Sequence[Item]) -> list[Item]:
        readers = selection.readers
        owners = [next((each for each in readers if each.owns(item)), None) for item in items]
        return [
            item
            for item, owner in zip(items, owners, strict=True)
            if owner is not None and (selection.expired or not owner.expired(item, self._now))
        ]

    def _hydrated(self, op: Query[Any], items: list[Item]) -> list[Item]:
        """The whole items, where an index only gave their keys."""
        if not op.hydrate:
            return items
        table = op.selection.table
        names = [each.name for each in table.primary()]
        keys = [{name: item[name] for name in names} for item in items]
        whole = self._get_items(table.name, keys, op.selection.consistent)
        return [
            item
            for item in whole
            if any(each.owns(item) and not each.expired(item, self._now) for each in op.hydrate)
        ]

    def _get_items(self, table: str, keys: Sequence[Item], consistent: bool) -> list[Item]:
        found: list[Item] = []
        distinct = list({str(key): key for key in keys}.values())
        for first in range(0, len(distinct), MAX_GETS):
            gets = [(table, key, consistent, None) for key in distinct[first : first + MAX_GETS]]
            body = {"RequestItems": batch_get_requests(gets)}
            found += self._send("BatchGetItem", body)["Responses"][table]
        return found

    # --- writes ----------------------------------------------------------------------------------

    def _put(self, op: Put[Any]) -> None:
        self._write(op)

    def _update(self, op: Update[Any]) -> None:
        try:
            alone = self._write(op, once=op.once)
        except Refused:
            if not (op.create and op.anew) or not self._swept(op):
                raise
            alone = self._write(op, once=op.once)
        if not alone:
            # A transaction returns nothing; what it left is read.
            self._stored(op)

    def _delete(self, op: Delete[Any]) -> None:
        if not op.definition.uniques:
            self._write(op)
            return
        origin: Item | None = None
        if op.entity is not None and op.version is not None:
            origin = op.definition.origin(op.entity)
        self._write(op, stored=origin or self._stored(op))

    def _write(
        self, op: writes.Write, *, once: bool = False, stored: writes.Stored = writes.UNREAD
    ) -> bool:
        """Write it, again if what its locks rest on has changed; whether it went alone."""
        if isinstance(stored, writes.Unread) and writes.must_read(op):
            stored = self._stored(op)
        for _ in range(TRIES):
            try:
                return self._write_once(op, once, stored)
            except Refused:
                if not writes.has_locks(op):
                    raise
                fresh = self._stored(op)
                if not writes.outdated(op, stored, fresh):
                    raise
                stored = fresh
        return self._write_once(op, once, stored)

    def _write_once(self, op: writes.Write, once: bool, stored: writes.Stored) -> bool:
        actions = writes.actions(op, self._now, stored)
        if len(actions) == 1 and not once:
            self._send(writes.ALONE[actions[0].kind], actions[0].body)
            return True
        self._send_transaction(actions)
        return False

    def _swept(self, op: Update[Any]) -> bool:
        """Delete what has ended but is still there, so that an upsert starts anew."""
        item = self._stored(op)
        if item is None or not op.definition.expired(item, self._now):
            return False
        self._send("DeleteItem", {"TableName": op.definition.table.name, "Key": op.key})
        return True

    def _stored(self, op: writes.Write) -> Item | None:
        table, key = writes.key_of(op)
        answer = self._send("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})
        found: Item | None = answer.get("Item")
        return found

    def _send_transaction(self, actions: Sequence[writes.Action]) -> None:
        items = [{action.kind: action.body} for action in actions]
        self._send("TransactWriteItems", {"TransactItems": items})

    # --- several at once -------------------------------------------------------------------------

    def _transaction(self, op: Transaction[Any]) -> None:
        gets = [{"Get": get_request(each)} for each in op.members if isinstance(each, Get)]
        if gets:
            self._send("TransactGetItems", {"TransactItems": gets})
            return
        actions: list[writes.Action] = []
        for member in op.members:
            if isinstance(member, Put | Update | Delete | Check):
                stored = self._stored(member) if writes.must_read(member) else writes.UNREAD
                actions += writes.actions(member, self._now, stored)
        if actions:
            self._send_transaction(writes.handed_over(actions, range(len(actions)))[0])

    def _batch(self, op: Batch[Any]) -> None:
        """Each item of a batch costs what it would cost alone."""
        seen: set[str] = set()
        for member in op.members:
            if isinstance(member, Get):
                body = get_request(member)
                # The same key twice is asked for once.
                place = f"{body['TableName']} {body['Key']} {member.consistent}"
                place += f" {member.reader.projection}"
                if place not in seen:
                    self._get(member)
                seen.add(place)
            elif isinstance(member, Put | Delete):
                self._write(member)


def _is_empty(selection: Selection) -> bool:
    return selection.condition is not None and selection.condition.empty


def _limit(selection: Selection, wanted: int | None, pages: int) -> int | None:
    """How many items the client lets a request evaluate."""
    if selection.page_size is not None or wanted is None:
        return selection.page_size
    if selection.filter is None and not pages:
        return wanted
    grown: int = FILTERED * 2 ** max(pages - 1, 0)
    return max(wanted, grown) if grown <= MOST else None


_FLOWS: dict[type[Op[Any]], Callable[[_Run, Any], None]] = {
    Get: _Run._get,
    Query: _Run._query,
    Find: _Run._find,
    Count: _Run._count,
    Collect: _Run._collect,
    Total: _Run._total,
    Put: _Run._put,
    Update: _Run._update,
    Delete: _Run._delete,
    Transaction: _Run._transaction,
    Batch: _Run._batch,
}
