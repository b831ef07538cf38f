"""What is stored, as a whole: every table, every index, every stream.

Read through the protocol, from a process that runs or from a database that was opened; what is made
of it are plain values, so that checks need no database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeAlias

from tablewright.client import HttpTransport
from tablewright.client.transports.wire import Request

Call: TypeAlias = Callable[[str, dict[str, Any]], dict[str, Any]]
Item: TypeAlias = dict[str, Any]
#: The values of an item's key, in the order of the table's schema.
Key: TypeAlias = tuple[Any, ...]


@dataclass
class Index:
    """A secondary index: its keys, what it holds, and the items in it."""

    name: str
    keys: tuple[str, ...]
    #: None is everything.
    projected: frozenset[str] | None
    items: list[Item] = field(default_factory=list)


@dataclass(frozen=True)
class Change:
    """One record of a stream."""

    kind: str
    key: Key
    new: Item | None
    old: Item | None


@dataclass
class Stream:
    #: ``NEW_AND_OLD_IMAGES`` and so on.
    view: str
    #: All since the table was made, in the order of each item.
    changes: list[Change] = field(default_factory=list)


@dataclass
class Table:
    name: str
    keys: tuple[str, ...]
    items: dict[Key, Item] = field(default_factory=dict)
    indexes: list[Index] = field(default_factory=list)
    stream: Stream | None = None

    def key_of(self, item: Item) -> Key:
        return tuple(item[name] for name in self.keys)


@dataclass
class Image:
    """All tables by their names."""

    tables: dict[str, Table] = field(default_factory=dict)

    def items(self, table: str) -> Iterator[Item]:
        return iter(self.tables[table].items.values())

    def typed(self, table: str, name: str, by: str = "entity") -> list[Item]:
        """The items of one kind, where an attribute tells kinds apart."""
        return [each for each in self.items(table) if each.get(by) == name]


@contextmanager
def at(url: str) -> Iterator[Call]:
    """A database that answers at an address."""
    with closing(HttpTransport(url, region="us-east-1", read_timeout=60)) as transport:
        yield lambda operation, body: transport.send(Request(operation, body)).body


def read(call: Call, *, streams: bool = False) -> Image:
    """Everything. While others write, tables and indexes are not of one moment."""
    image = Image()
    for name in _tables(call):
        image.tables[name] = _table(call, name, streams=streams)
    return image


def base_items(call: Call, table: Table) -> dict[Key, Item]:
    return {table.key_of(item): item for item in _scan(call, table.name)}


def _tables(call: Call) -> Iterator[str]:
    body: dict[str, Any] = {}
    while True:
        page = call("ListTables", body)
        yield from page["TableNames"]
        if "LastEvaluatedTableName" not in page:
            return
        body["ExclusiveStartTableName"] = page["LastEvaluatedTableName"]


def _table(call: Call, name: str, *, streams: bool) -> Table:
    told = call("DescribeTable", {"TableName": name})["Table"]
    keys = _keys(told)
    table = Table(name, keys)
    table.items = base_items(call, table)
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for each in told.get(kind, []):
            index = Index(each["IndexName"], _keys(each), _projected(keys, each))
            index.items = list(_scan(call, name, index.name))
            table.indexes.append(index)
    if streams and told.get("LatestStreamArn"):
        table.stream = _stream(call, told["LatestStreamArn"], table)
    return table


def _keys(told: dict[str, Any]) -> tuple[str, ...]:
    return tuple(each["AttributeName"] for each in told["KeySchema"])


def _projected(keys: tuple[str, ...], told: dict[str, Any]) -> frozenset[str] | None:
    kind = told["Projection"]["ProjectionType"]
    if kind == "ALL":
        return None
    more = told["Projection"].get("NonKeyAttributes", []) if kind == "INCLUDE" else []
    return frozenset((*keys, *_keys(told), *more))


def _scan(call: Call, table: str, index: str | None = None) -> Iterator[Item]:
    body: dict[str, Any] = {"TableName": table}
    body |= {"ConsistentRead": True} if index is None else {"IndexName": index}
    while True:
        page = call("Scan", body)
        yield from map(plain, page["Items"])
        if "LastEvaluatedKey" not in page:
            return
        body["ExclusiveStartKey"] = page["LastEvaluatedKey"]


# --- streams -------------------------------------------------------------------------------------


def _stream(call: Call, arn: str, table: Table) -> Stream:
    found = Stream("")
    body: dict[str, Any] = {"StreamArn": arn}
    shards: list[dict[str, Any]] = []
    while True:
        told = call("DescribeStream", body)["StreamDescription"]
        found.view = told["StreamViewType"]
        shards += told["Shards"]
        if "LastEvaluatedShardId" not in told:
            break
        body["ExclusiveStartShardId"] = told["LastEvaluatedShardId"]
    # A shard's parent comes before it: what an item went through is then in its order.
    for shard in shards:
        found.changes += _records(call, arn, shard, table)
    return found


def _records(call: Call, arn: str, shard: dict[str, Any], table: Table) -> Iterator[Change]:
    ended = "EndingSequenceNumber" in shard["SequenceNumberRange"]
    body = {
        "StreamArn": arn,
        "ShardId": shard["ShardId"],
        "ShardIteratorType": "TRIM_HORIZON",
    }
    place = call("GetShardIterator", body)["ShardIterator"]
    while place:
        page = call("GetRecords", {"ShardIterator": place, "Limit": 1000})
        for record in page["Records"]:
            told = record["dynamodb"]
            key = plain(told["Keys"])
            new, old = (
                plain(told[name]) if name in told else None for name in ("NewImage", "OldImage")
            )
            yield Change(record["eventName"], table.key_of(key), new, old)
        place = page.get("NextShardIterator")
        if not page["Records"] and not ended:
            return


# --- values --------------------------------------------------------------------------------------


def plain(item: dict[str, Any]) -> Item:
    """An item in plain values."""
    return {name: _value(value) for name, value in item.items()}


def _value(value: dict[str, Any]) -> Any:
    ((kind, held),) = value.items()
    if kind == "N":
        return Decimal(held)
    if kind == "M":
        return plain(held)
    if kind == "L":
        return [_value(each) for each in held]
    if kind in ("SS", "BS"):
        return frozenset(held)
    if kind == "NS":
        return frozenset(map(Decimal, held))
    return None if kind == "NULL" else held
