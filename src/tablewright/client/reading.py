"""Flows of reads: gets, pages, counts, collections and totals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from tablewright.client.attempts import Body, Call, as_service_error, send
from tablewright.client.batches import get_items
from tablewright.client.context import Context
from tablewright.client.cursors import read_cursor, write_cursor
from tablewright.client.events import consumed_units
from tablewright.client.pages import Page
from tablewright.client.steps import Flow
from tablewright.client.transports.wire import Failure
from tablewright.model import writes
from tablewright.model.counter import Counter, summed
from tablewright.model.errors import CeilingReached
from tablewright.model.ops import Collect, Count, Find, Get, Op, Query, Selection, Total
from tablewright.model.requests import get_request, selection_request, start_key
from tablewright.values import Item

T = TypeVar("T")
C = TypeVar("C", bound=Counter)

#: Items to evaluate where most of them may be dropped.
_FILTERED = 100
#: Beyond this, the service's own page of 1 MB is the limit.
_MOST = 10_000


def get(context: Context, op: Get[T]) -> Flow[T | None]:
    body = get_request(op)
    table = body["TableName"]
    body["TableName"] = context.physical(table)
    try:
        response = yield from send(context, Call(op.pattern, op.component, table), "GetItem", body)
    except Failure as failure:
        raise as_service_error(failure) from None
    item = response.body.get("Item")
    if item is None or op.reader.expired(item, context.clock.now()):
        return None
    return op.reader.decode(item)


def stored_item(context: Context, op: writes.Write) -> Flow[Item | None]:
    """The item that a write is about, as it is now."""
    table, key = writes.key_of(op)
    body: Body = {"TableName": context.physical(table), "Key": key, "ConsistentRead": True}
    pattern, component = getattr(op, "pattern", "adhoc"), getattr(op, "component", None)
    try:
        response = yield from send(context, Call(pattern, component, table), "GetItem", body)
    except Failure as failure:
        raise as_service_error(failure) from None
    found: Item | None = response.body.get("Item")
    return found


def page(
    context: Context, op: Query[T], limit: int | None = None, cursor: str | None = None
) -> Flow[Page[T]]:
    """Up to ``limit`` results, however many requests that takes."""
    selection = op.selection
    start = None
    if cursor is not None:
        start = read_cursor(context.cursor_key, op.pattern, selection, cursor)
    wanted = limit or op.limit or context.page_limit
    reading = Reading(context, op, selection)
    kept: list[Item] = []
    results: list[T] = []
    more: Item | None = start
    while True:
        found, more = yield from reading.step(more, wanted - len(kept))
        items, decoded = yield from reading.results(found, op)
        kept += items
        results += decoded
        if len(kept) >= wanted or more is None:
            break
    if len(kept) > wanted:
        more = start_key(selection, kept[wanted - 1])
    page = tuple(results[:wanted])
    if more is None:
        return Page(page)
    return Page(page, write_cursor(context.cursor_key, op.pattern, selection, more))


@dataclass(frozen=True)
class Slice:
    """The results of one request, and where the next one starts."""

    results: tuple[Any, ...]
    more: Item | None


def one_slice(reading: Reading, op: Query[T], start: Item | None) -> Flow[Slice]:
    """One step of an iteration."""
    found, more = yield from reading.step(start, None)
    _, results = yield from reading.results(found, op)
    return Slice(tuple(results), more)


def find(context: Context, op: Find[T]) -> Flow[T | None]:
    found = yield from page(context, op.query())
    return found[0] if found else None


def count(context: Context, op: Count) -> Flow[int]:
    reading = Reading(context, op, op.selection, counting=True)
    total, more = 0, None
    while True:
        counted, more = yield from reading.counted(more)
        total += counted
        if more is None:
            return total


def collect(context: Context, op: Collect[T]) -> Flow[T]:
    reading = Reading(context, op, op.selection, everything=True)
    items: list[Item] = []
    more: Item | None = None
    while True:
        wanted = None if op.limit is None else op.limit - len(items)
        found, more = yield from reading.step(more, wanted)
        items += found
        if more is None or (op.limit is not None and len(items) >= op.limit):
            return op.view.fold(items[: op.limit], context.clock.now())


def total(context: Context, op: Total[C]) -> Flow[C]:
    call = Call(op.pattern, op.component, op.counter.table.name)
    table = op.counter.table
    items = yield from get_items(context, call, table, op.shards, None, op.consistent)
    now = context.clock.now()
    living = [item for item in items if item is not None and not op.counter.expired(item, now)]
    return summed(op.counter, op.identity, living)


class Reading:
    """One paged read: its requests so far are counted against its ceilings."""

    def __init__(
        self,
        context: Context,
        op: Op[Any],
        selection: Selection,
        *,
        counting: bool = False,
        everything: bool = False,
    ) -> None:
        self._context = context
        self._selection = selection
        self._counting = counting
        #: Strangers and the expired are dropped here, unless the caller wants to see them.
        self._everything = everything
        index = None if selection.index is None else selection.index.name
        self._call = Call(op.pattern, op.component, selection.table.name, index)
        self._pages = 0
        self._units = 0.0

    def step(self, start: Item | None, wanted: int | None) -> Flow[tuple[list[Item], Item | None]]:
        """One request: the items that count, and where the next request starts."""
        if self._selection.condition is not None and self._selection.condition.empty:
            return [], None
        body = yield from self._ask(start, self._limit(wanted))
        items = body["Items"]
        if not self._everything:
            items = self._living(items)
        return items, body.get("LastEvaluatedKey")

    def counted(self, start: Item | None) -> Flow[tuple[int, Item | None]]:
        if self._selection.condition is not None and self._selection.condition.empty:
            return 0, None
        body = yield from self._ask(start, None)
        # Where a filter cannot tell, the keys are read.
        told = self._selection.projection is None
        number = body["Count"] if told else len(self._living(body["Items"]))
        return number, body.get("LastEvaluatedKey")

    def results(self, items: list[Item], op: Query[T]) -> Flow[tuple[list[Item], list[T]]]:
        """The items that are results, as they were read, and the results."""
        if not op.hydrate:
            decode = self._decoder()
            return items, [decode(item) for item in items]
        table = self._selection.table
        names = [each.name for each in table.primary()]
        keys = [{name: item[name] for name in names} for item in items]
        whole = yield from get_items(
            self._context, self._call, table, tuple(keys), None, self._selection.consistent
        )
        now = self._context.clock.now()
        kept: list[Item] = []
        results: list[T] = []
        for found, item in zip(items, whole, strict=True):
            # One that was deleted since the index was read is no result.
            owner = next((each for each in op.hydrate if item and each.owns(item)), None)
            if item and owner and (self._selection.expired or not owner.expired(item, now)):
                kept.append(found)
                results.append(owner.decode(item))
        return kept, results

    def _ask(self, start: Item | None, limit: int | None) -> Flow[dict[str, Any]]:
        self._check_ceilings(start)
        operation, body = selection_request(
            self._selection,
            limit=limit,
            start=start,
            count_at=self._context.clock.now() if self._counting else None,
        )
        body["TableName"] = self._context.physical(body["TableName"])
        if self._selection.max_units is not None:
            body["ReturnConsumedCapacity"] = "TOTAL"
        try:
            response = yield from send(self._context, self._call, operation, body)
        except Failure as failure:
            raise as_service_error(failure) from None
        self._pages += 1
        if self._selection.max_units is not None:
            used = consumed_units(operation, response.body)
            self._units += sum(each.read_units for each in used)
        return response.body

    def _limit(self, wanted: int | None) -> int | None:
        selection = self._selection
        if selection.page_size is not None or wanted is None:
            return selection.page_size
        if selection.filter is None and (self._everything or not self._pages):
            return wanted
        # What was asked for so far was mostly dropped: ask for more, twice as much each time.
        grown: int = _FILTERED * 2 ** max(self._pages - 1, 0)
        return max(wanted, grown) if grown <= _MOST else None

    def _check_ceilings(self, start: Item | None) -> None:
        pages = self._selection.max_pages or self._context.max_pages
        units = self._selection.max_units
        if self._pages >= pages:
            reached = f"{pages} requests (max_pages)"
        elif units is not None and self._units >= units:
            reached = f"{units} read units (max_units)"
        else:
            return
        raise CeilingReached(
            f"{self._call.pattern} reached its ceiling of {reached} and is not at the end: "
            "narrow the range, raise the ceiling, or read page by page"
        )

    def _living(self, items: Iterable[Item]) -> list[Item]:
        now = self._context.clock.now()
        readers = self._selection.readers
        if self._selection.expired:
            return [item for item in items if any(each.owns(item) for each in readers)]
        if len(readers) == 1:
            owns, expired = readers[0].owns, readers[0].expired
            return [item for item in items if owns(item) and not expired(item, now)]
        living: list[Item] = []
        for item in items:
            owner = next((each for each in readers if each.owns(item)), None)
            if owner is not None and not owner.expired(item, now):
                living.append(item)
        return living

    def _decoder(self) -> Callable[[Item], Any]:
        readers = self._selection.readers
        if len(readers) == 1:
            return readers[0].decode
        return lambda item: next(each for each in readers if each.owns(item)).decode(item)
