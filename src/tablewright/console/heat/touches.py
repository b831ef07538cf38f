"""Which partitions a request used: from what it asked for, and what its answer says it used.

The answer tells units by table and index, not by key. Of a request for one key that is exact. A
batch or a transaction is divided among its keys: by size where the items are known, else evenly.
An index's key is known if the item is in the request or in the answer; otherwise the units are the
place's, but no key's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tablewright.client.events import Consumed, consumed_units
from tablewright.expressions import Scope
from tablewright.model.table import Table
from tablewright.plan.units import Place, write_units
from tablewright.values import Item, item_size

Body: TypeAlias = Mapping[str, Any]
#: The values of a partition key's attributes.
PartitionKey: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Touch:
    """Units that were used of one partition key; of no known one, if there is none."""

    place: Place
    key: PartitionKey | None
    read: float
    write: float


@dataclass(frozen=True, slots=True)
class _Member:
    """What a request says of one item: at least its key, and how much it may have used."""

    table: str
    item: Item
    weight: float = 1.0


def touches(
    tables: Mapping[str, Table], operation: str, request: Body, answer: Body
) -> list[Touch]:
    """``tables`` are those that count, by the names that requests have for them."""
    used = [
        each
        for each in consumed_units(operation, dict(answer))
        if each.table in tables and (each.read_units or each.write_units)
    ]
    if not used:
        return []
    members = list(_MEMBERS[operation](request, answer)) if operation in _MEMBERS else []
    return [touch for each in used for touch in _divided(tables[each.table], each, members)]


def _divided(table: Table, used: Consumed, members: Sequence[_Member]) -> list[Touch]:
    place = Place(table.name, used.index)
    own = [
        (key, member.weight)
        for member in members
        if member.table == used.table and (key := _key(table, used.index, member.item)) is not None
    ]
    whole = sum(weight for _, weight in own)
    if not own:
        return [Touch(place, None, used.read_units, used.write_units)]
    return [
        Touch(place, key, used.read_units * weight / whole, used.write_units * weight / whole)
        for key, weight in own
    ]


def _key(table: Table, index: str | None, item: Item) -> PartitionKey | None:
    known = None if index is None else table.indexes.get(index)
    if index is not None and known is None:
        return None
    parts = (table.pk,) if known is None else known.partition
    if any(each.name not in item for each in parts):
        return None
    return tuple(str(item[each.name].get(each.type, "")) for each in parts)


# --- what each operation says --------------------------------------------------------------------


def _by_key(request: Body, answer: Body) -> Iterator[_Member]:
    # An update may give the whole item back, with the keys of indexes.
    returned = answer.get("Attributes") or {}
    yield _Member(request["TableName"], {**returned, **request["Key"]})


def _put(request: Body, answer: Body) -> Iterator[_Member]:
    yield _Member(request["TableName"], request["Item"])


def _query(request: Body, answer: Body) -> Iterator[_Member]:
    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    terms = scope.key_condition(request["KeyConditionExpression"])
    equal = {term.name: term.values[0] for term in terms if term.operator == "="}
    yield _Member(request["TableName"], equal)


def _batch_get(request: Body, answer: Body) -> Iterator[_Member]:
    for table, asked in request["RequestItems"].items():
        for key in asked["Keys"]:
            yield _Member(table, key)


def _batch_write(request: Body, answer: Body) -> Iterator[_Member]:
    for table, requests in request["RequestItems"].items():
        for each in requests:
            put = each.get("PutRequest")
            yield (
                _whole(table, put["Item"]) if put else _Member(table, each["DeleteRequest"]["Key"])
            )


def _transaction(request: Body, answer: Body) -> Iterator[_Member]:
    for member in request["TransactItems"]:
        for each in member.values():
            table = each["TableName"]
            yield _whole(table, each["Item"]) if "Item" in each else _Member(table, each["Key"])


def _whole(table: str, item: Item) -> _Member:
    return _Member(table, item, write_units(item_size(item)))


#: A scan has no key: it uses all partitions.
_MEMBERS: Mapping[str, Callable[[Body, Body], Iterator[_Member]]] = {
    "GetItem": _by_key,
    "UpdateItem": _by_key,
    "DeleteItem": _by_key,
    "PutItem": _put,
    "Query": _query,
    "BatchGetItem": _batch_get,
    "BatchWriteItem": _batch_write,
    "TransactGetItems": _transaction,
    "TransactWriteItems": _transaction,
}
