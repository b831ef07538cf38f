"""GetItem, PutItem, UpdateItem, DeleteItem."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tablewright.engine.capacity import Units, read_units, report, wants_capacity
from tablewright.engine.handler import Request, Response, Shape
from tablewright.engine.items import changes, parameters
from tablewright.engine.items.changes import Bind, Change, check_condition
from tablewright.engine.items.writes import Row, collection_size, loads, read_row, write
from tablewright.engine.schema import Key, Table
from tablewright.engine.storage.transaction import ANSWERS, Transaction, Work
from tablewright.engine.wording import reword_refusal, reword_write_refusal
from tablewright.expressions import Projection, Update
from tablewright.values import Item, normalize_item

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


GB = 1024**3


def get_item(engine: Engine, request: Request, shape: Shape) -> Response:
    """Read one item by its key."""
    try:
        parameters.refuse_mixture(request, parameters.PROJECTION)
        key_item, _ = normalize_item(request["Key"])
        projection = parameters.for_projection(request)
    except ANSWERS as error:
        raise reword_refusal(engine, error) from None
    table = engine.catalog.table(request["TableName"])
    if projection is not None:
        table.refuse_nested_keys(projection.nested)
    return read_item(engine, request, shape, table, table.locate(key_item), projection)


def read_item(
    engine: Engine,
    request: Request,
    shape: Shape,
    table: Table,
    key: Key,
    projection: Projection | None,
) -> Response:
    """The response of a GetItem whose key has been checked."""
    consistent = bool(request.get("ConsistentRead"))
    throttle = engine.throttle
    if throttle is not None:
        throttle.admit_read(table, pk=key[0])
    source = table if engine.lag is None or consistent else engine.lag.view(table)
    rows = engine.store.rows(source.get_sql, key)
    response: Response = {}
    size = 0
    if rows:
        size, blob = rows[0]
        response["Item"] = shape(blob) if projection is None else projection.apply(loads(blob))
    if throttle is not None:
        throttle.charge_read(table, Units(read_units(size, consistent)), pk=key[0])
    if wants_capacity(request):
        units = Units(read_units(size, consistent))
        response["ConsumedCapacity"] = report(request, table, units)
    return response


def put_item(engine: Engine, request: Request, shape: Shape) -> Work:
    """Store one item whole."""
    return _work(engine, "PutItem", request, shape, changes.put)


def delete_item(engine: Engine, request: Request, shape: Shape) -> Work:
    """Remove one item."""
    return _work(engine, "DeleteItem", request, shape, changes.delete)


def update_item(engine: Engine, request: Request, shape: Shape) -> Work:
    """Change some attributes of one item, or make it."""
    return _work(engine, "UpdateItem", request, shape, changes.update_alone)


def _work(
    engine: Engine,
    operation: str,
    request: Request,
    shape: Shape,
    prepare: Callable[[Request], Bind],
) -> Work:
    try:
        bind = prepare(request)
    except ANSWERS as error:
        raise reword_write_refusal(engine, operation, request, error) from None
    return change_work(engine, request, shape, bind(engine.catalog.table(request["TableName"])))


def change_work(engine: Engine, request: Request, shape: Shape, change: Change) -> Work:
    """The work that makes one change; ``request`` says what to return."""
    table = change.table
    returns = request.get("ReturnValues", "NONE")
    return_old = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    current = engine.catalog.check_current

    def work(transaction: Transaction) -> Response:
        current(table)
        throttle = engine.throttle
        if throttle is not None:
            throttle.admit_change(transaction, change)
        row = read_row(transaction, table, change.key)
        if change.check_charge is not None:
            change.check_charge(row)
        check_condition(change, row, return_old, shape)
        item, size = change.outcome(row)
        units = write(transaction, table, change.key, row, item, size)
        if throttle is not None:
            throttle.charge_change(change, row, item, units)
        response: Response = {}
        if returns != "NONE":
            attributes = _attributes(returns, change.update, row, item, shape)
            if attributes is not None:
                response["Attributes"] = attributes
        if wants_capacity(request):
            response["ConsumedCapacity"] = report(request, table, units)
        if request.get("ReturnItemCollectionMetrics") == "SIZE" and table.local:
            response["ItemCollectionMetrics"] = collection_metrics(
                transaction, table, change.key, change.key_item
            )
        return response

    return work


def _attributes(
    returns: str, update: Update | None, row: Row | None, item: Item | None, shape: Shape
) -> Any:
    if returns == "ALL_OLD":
        return None if row is None else shape(row.blob)
    if returns == "ALL_NEW":
        return item
    side = (row.item if row is not None else None) if returns == "UPDATED_OLD" else item
    if update is None or side is None:
        return None
    return update.touched(side) or None


def collection_metrics(
    transaction: Transaction, table: Table, key: Key, key_item: Item
) -> dict[str, object]:
    """The size of all items with this partition key, in AWS's range of whole gigabytes."""
    lower = collection_size(transaction, table, key) // GB
    return {
        "ItemCollectionKey": {table.hash.name: key_item[table.hash.name]},
        "SizeEstimateRangeGB": [float(lower), float(lower + 1)],
    }


OPERATIONS = {
    "GetItem": (get_item, False),
    "PutItem": (put_item, True),
    "UpdateItem": (update_item, True),
    "DeleteItem": (delete_item, True),
}
