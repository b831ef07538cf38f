"""BatchGetItem and BatchWriteItem: many independent reads or writes in one request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from tablewright.engine.capacity import Units, read_units, report, wants_capacity
from tablewright.engine.errors import AwsError, validation
from tablewright.engine.handler import Request, Response, Shape
from tablewright.engine.items import parameters
from tablewright.engine.items.changes import (
    TOO_LARGE,
    Bind,
    Change,
    check_size,
    delete_from,
    put_into,
)
from tablewright.engine.items.single import collection_metrics
from tablewright.engine.items.writes import loads, read_row, write
from tablewright.engine.schema import MISMATCH, Key, Table
from tablewright.engine.storage.transaction import ANSWERS, Transaction
from tablewright.engine.wording import reword_refusal
from tablewright.expressions import Projection
from tablewright.values import Item, item_size, normalize_item

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine
    from tablewright.engine.realism.throttle import Throttle

MAX_GETS = 100
MAX_WRITES = 25
MAX_BYTES = 16 * 1024 * 1024
_PROJECTIONS = ("AttributesToGet", "ProjectionExpression")
DUPLICATES = "Provided list of item keys contains duplicates"


# --- reading -----------------------------------------------------------------------------


class Wanted:
    """What a BatchGetItem asks of one table."""

    def __init__(self, request: Request) -> None:
        self.request = request
        parameters.refuse_mixture(request, parameters.PROJECTION)
        self.projection: Projection | None = parameters.for_projection(request)
        self.consistent = bool(request.get("ConsistentRead"))
        self.keys = [normalize_item(key)[0] for key in request["Keys"]]


def batch_get_item(engine: Engine, request: Request, shape: Shape) -> Response:
    """Read up to 100 items, from several tables."""
    tables_asked = _tables(request, "BatchGetItem")
    try:
        wanted = {name: Wanted(each) for name, each in tables_asked.items()}
        _refuse_mixture(tables_asked)
    except ANSWERS as error:
        raise reword_refusal(engine, error) from None
    if sum(len(each.keys) for each in wanted.values()) > MAX_GETS:
        raise validation("Too many items requested for the BatchGetItem call")
    for each in wanted.values():
        texts = [orjson.dumps(key, option=orjson.OPT_SORT_KEYS) for key in each.keys]
        if len(set(texts)) < len(texts):
            raise validation(DUPLICATES)
    tables = {name: engine.catalog.table(name) for name in wanted}
    for name, each in wanted.items():
        if each.projection is not None:
            tables[name].refuse_nested_keys(each.projection.nested)
    located = {
        name: [tables[name].locate(key) for key in each.keys] for name, each in wanted.items()
    }
    response: Response = {"Responses": {}, "UnprocessedKeys": {}}
    consumed = []
    room = MAX_BYTES
    refusals: list[AwsError] = []
    for name, each in wanted.items():
        table = tables[name]
        found, units, left, room = _get_many(
            engine, table, each, located[name], room, shape, refusals
        )
        response["Responses"][name] = found
        if left:
            response["UnprocessedKeys"][name] = {
                **each.request,
                "Keys": [each.request["Keys"][position] for position in left],
            }
        consumed.append(report(request, table, units))
    if refusals and len(refusals) == sum(map(len, located.values())):
        raise refusals[0]
    if wants_capacity(request):
        response["ConsumedCapacity"] = consumed
    return response


def _refuse_mixture(tables: dict[str, Any]) -> None:
    """Refuse a projection expression for one table and the older parameter for another."""
    together: Request = {}
    for each in tables.values():
        together.update(each)
    parameters.refuse_mixture(
        {name: together[name] for name in _PROJECTIONS if together.get(name) is not None},
        parameters.PROJECTION,
    )


def _get_many(
    engine: Engine,
    table: Table,
    wanted: Wanted,
    keys: list[Key],
    room: int,
    shape: Shape,
    refusals: list[AwsError],
) -> tuple[list[Any], Units, list[int], int]:
    """Items found, units used, which keys were not looked up, and the bytes still to be had.

    Keys that are throttled are not looked up either; their errors go into ``refusals``.
    """
    found: list[Any] = []
    left: list[int] = []
    units = Units()
    throttle = engine.throttle
    source = table if engine.lag is None or wanted.consistent else engine.lag.view(table)
    for position, key in enumerate(keys):
        if room <= 0:
            left.append(position)
            continue
        if throttle is not None:
            refusal = throttle.refusal_of_read(table, key[0])
            if refusal is not None:
                refusals.append(refusal)
                left.append(position)
                continue
        size = 0
        for size, blob in engine.store.rows(source.get_sql, key):
            if wanted.projection is None:
                found.append(shape(blob))
            else:
                found.append(wanted.projection.apply(loads(blob)))
            room -= size
        used = read_units(size, wanted.consistent)
        units.table += used
        if throttle is not None:
            throttle.charge_read(table, Units(used), pk=key[0])
    return found, units, left, room


# --- writing -----------------------------------------------------------------------------


def batch_write_item(
    engine: Engine, request: Request, shape: Shape
) -> Callable[[Transaction], Response]:
    """Put or delete up to 25 items, each by itself."""
    binds: dict[str, list[Bind]] = {}
    total = 0
    for name, requests in _tables(request, "BatchWriteItem").items():
        prepared = [_prepare(each) for each in requests]
        binds[name] = [bind for bind, _ in prepared]
        total += sum(size for _, size in prepared)
    if sum(map(len, binds.values())) > MAX_WRITES:
        raise validation("Too many items requested for the BatchWriteItem call")
    if total > MAX_BYTES:
        raise validation("The total size of the items exceeds the limit of 16 MB for one request")
    tables = {name: engine.catalog.table(name) for name in binds}
    changes = {name: [bind(tables[name]) for bind in each] for name, each in binds.items()}
    for each in changes.values():
        if len({change.key for change in each}) < len(each):
            raise validation(DUPLICATES)

    def work(transaction: Transaction) -> Response:
        for table in tables.values():
            engine.catalog.check_current(table)
        response: Response = {"UnprocessedItems": {}}
        consumed = []
        metrics: dict[str, list[Any]] = {}
        refusals: list[AwsError] = []
        for name, wanted in changes.items():
            units = Units()
            each: list[Change] = []
            for position, change in enumerate(wanted):
                used = _apply(transaction, change, engine.throttle, refusals)
                if used is None:
                    asked = request["RequestItems"][name][position]
                    response["UnprocessedItems"].setdefault(name, []).append(asked)
                else:
                    units.add(used)
                    each.append(change)
            consumed.append(report(request, tables[name], units))
            if tables[name].local:
                metrics[name] = [
                    collection_metrics(transaction, tables[name], change.key, change.key_item)
                    for change in each
                ]
        if refusals and len(refusals) == sum(map(len, changes.values())):
            raise refusals[0]
        if wants_capacity(request):
            response["ConsumedCapacity"] = consumed
        if request.get("ReturnItemCollectionMetrics") == "SIZE" and metrics:
            response["ItemCollectionMetrics"] = metrics
        return response

    return work


def _apply(
    transaction: Transaction,
    change: Change,
    throttle: Throttle | None,
    refusals: list[AwsError],
) -> Units | None:
    """The units used, or None if the change was throttled."""
    if throttle is not None:
        refusal = throttle.refusal_of_change(transaction, change)
        if refusal is not None:
            refusals.append(refusal)
            return None
    row = read_row(transaction, change.table, change.key)
    item, size = change.outcome(row)
    units = write(transaction, change.table, change.key, row, item, size)
    if throttle is not None:
        throttle.charge_change(change, row, item, units)
    return units


def _prepare(request: dict[str, Any]) -> tuple[Bind, int]:
    put, delete = request.get("PutRequest"), request.get("DeleteRequest")
    if (put is None) == (delete is None):
        raise validation(
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
            "the supported datatypes"
            if put is not None
            else "Supplied AttributeValue is empty, must contain exactly one of the supported "
            "datatypes"
        )
    if put is not None:
        item, size = normalize_item(put["Item"])
        check_size(size, TOO_LARGE)
        return (lambda table: _put_into(table, item, size)), size
    key: Item = normalize_item(delete["Key"])[0] if delete is not None else {}
    return (lambda table: delete_from(table, key, None)), item_size(key)


def _put_into(table: Table, item: Item, size: int) -> Change:
    # A batch speaks of keys where a single put names the attribute.
    if any(part.kind not in item.get(part.name, ()) for part in table.parts):
        raise validation(MISMATCH)
    return put_into(table, item, size, None)


def _tables(request: Request, operation: str) -> dict[str, Any]:
    tables: dict[str, Any] = request.get("RequestItems") or {}
    if not tables:
        raise validation(f"The requestItems parameter is required for {operation}")
    return tables


OPERATIONS = {
    "BatchGetItem": (batch_get_item, False),
    "BatchWriteItem": (batch_write_item, True),
}
