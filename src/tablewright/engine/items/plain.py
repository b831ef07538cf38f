"""The short way for the plainest requests: a put, or a get, of one item; a transaction of puts.

Most requests are in order, and most puts and gets ask for nothing special. What is recognised here
needs neither the check of its shape nor to be normalised; it goes on where the careful way would
have come to. Everything else is left alone (None), so that there is one place that finds mistakes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tablewright.engine.handler import Response, Shape
from tablewright.engine.items.changes import MAX_ITEM_SIZE, put_into
from tablewright.engine.items.single import change_work, read_item
from tablewright.engine.items.transactions import MAX_MEMBERS, alike, transact_plainly
from tablewright.engine.schema import Table
from tablewright.engine.shapes import accepted
from tablewright.engine.storage.transaction import Work
from tablewright.values import InvalidValue, Unclear, canonical_size

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


def get_item(engine: Engine, request: Any, shape: Shape) -> Response | None:
    """A GetItem by strings, or None."""
    table = _table(engine, request, "Key")
    if table is None:
        return None
    key = request["Key"]
    if type(key) is not dict:
        return None
    for av in key.values():
        if type(av) is not dict or len(av) != 1:
            return None
        text = av.get("S")
        if type(text) is not str or not text.isascii():
            return None
    return read_item(engine, request, shape, table, table.locate(key), None)


def put_item(engine: Engine, request: Any, shape: Shape) -> Work | None:
    """A PutItem, or None."""
    table = _table(engine, request, "Item")
    if table is None:
        return None
    item = request["Item"]
    try:
        size = canonical_size(item)
    except (Unclear, InvalidValue):
        return None
    if size > MAX_ITEM_SIZE:
        return None
    return change_work(engine, request, shape, put_into(table, item, size, None))


def transact_write_items(engine: Engine, request: Any, shape: Shape) -> Work | None:
    """A TransactWriteItems with puts of plain items, or None.

    Their items are walked through once. The check of the shape sees the rest of the request, and
    of puts that have all but their items in common, one.
    """
    members = request.get("TransactItems") if type(request) is dict else None
    if type(members) is not list or len(members) > MAX_MEMBERS:
        return None
    sizes: list[int | None] = []
    others: list[Any] = []
    like: Any = None
    for member in members:
        put: Any = member.get("Put") if type(member) is dict and len(member) == 1 else None
        # What a legacy parameter may not be mixed with is for the careful way to find.
        if type(put) is not dict or "Item" not in put or not put.keys() <= _PUT:
            sizes.append(None)
            others.append(member)
            continue
        try:
            size = canonical_size(put["Item"])
        except (Unclear, InvalidValue):
            return None
        if size > MAX_ITEM_SIZE:
            return None
        sizes.append(size)
        if like is None or not alike(put, like):
            like = put
            others.append({"Put": {**put, "Item": {}}})
    if not any(sizes) or not accepted("TransactWriteItems", {**request, "TransactItems": others}):
        return None
    return transact_plainly(engine, request, shape, sizes)


#: The members of a put that has no legacy parameters.
_PUT = frozenset(
    {
        "TableName",
        "Item",
        "ConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ReturnValuesOnConditionCheckFailure",
    }
)


def _table(engine: Engine, request: Any, other: str) -> Table | None:
    """The table of a request that has a ``TableName``, ``other``, and nothing else."""
    if type(request) is not dict or len(request) != 2 or other not in request:
        return None
    name = request.get("TableName")
    table = engine.catalog.find(name) if type(name) is str else None
    return None if table is None or table.being_filled else table


#: Answers of reads, and works of writes.
PLAIN: dict[str, Callable[[Engine, Any, Shape], Any]] = {
    "GetItem": get_item,
    "PutItem": put_item,
    "TransactWriteItems": transact_write_items,
}
