"""What is asked of every server: one table, its items, and the seven kinds of request.

The table has a composite key and one index that projects everything. Its 12,800 items of about
500 bytes lie in 512 partitions of 25. Every request overwrites or reads existing items, so a fast
server does not end up with a larger table than a slow one; every write carries a value that was
never written before, because a database may skip writing what is already there.

Requests are built once as templates with fixed-width places for numbers: filling one in costs the
client about a microsecond, which leaves the machine to the server.
"""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

TABLE = "benchmark"
PARTITIONS = 512
PER_PARTITION = 25
ITEMS = PARTITIONS * PER_PARTITION
# Steps through the partitions in an order that looks random; coprime to their number.
STRIDE = 197

CREATE_TABLE: dict[str, Any] = {
    "TableName": TABLE,
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "owner", "created")
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_owner",
            "KeySchema": [
                {"AttributeName": "owner", "KeyType": "HASH"},
                {"AttributeName": "created", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}

# Places that are filled in for each request, as text of a fixed width.
PARTITION, ROW, SERIAL = "<part>", "<r>", "<serial-->"
FORMATS = {PARTITION: b"%(p)06d", ROW: b"%(r)03d", SERIAL: b"%(n)010d"}


def key(row: str = ROW) -> dict[str, Any]:
    return {"pk": {"S": f"CUSTOMER#{PARTITION}"}, "sk": {"S": f"ORDER#{row}"}}


def item(row: str = ROW) -> dict[str, Any]:
    """About 500 bytes, with a bit of everything a real item has."""
    filler = (string.ascii_letters + string.digits) * 3
    return {
        **key(row),
        "owner": {"S": f"OWNER#{PARTITION}"},
        "created": {"S": f"2026-01-01T00:00:00.{row}Z"},
        "serial": {"N": f"1{SERIAL}"},
        "hits": {"N": "0"},
        "status": {"S": f"state-{row}"},
        "active": {"BOOL": True},
        "tags": {"SS": ["blue", "green", "red"]},
        "address": {"M": {"city": {"S": "Pune"}, "zip": {"S": "411001"}}},
        "note": {"S": f"{SERIAL} {filler}"},
    }


@dataclass(frozen=True)
class Workload:
    """One kind of request."""

    name: str
    operation: str
    request: dict[str, Any]
    writes: bool = False
    # What a right answer to the request looks like.
    expect: Callable[[dict[str, Any]], bool] = lambda answer: True


def query(**more: Any) -> dict[str, Any]:
    base = {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": f"CUSTOMER#{PARTITION}"}},
    }
    values = base["ExpressionAttributeValues"] | more.pop("values", {})
    return base | {"ExpressionAttributeValues": values} | more


WORKLOADS = [
    Workload(
        "GetItem",
        "GetItem",
        {"TableName": TABLE, "Key": key()},
        expect=lambda answer: len(answer["Item"]) == 11,
    ),
    Workload("PutItem", "PutItem", {"TableName": TABLE, "Item": item()}, writes=True),
    Workload(
        "UpdateItem, condition",
        "UpdateItem",
        {
            "TableName": TABLE,
            "Key": key(),
            "UpdateExpression": "SET hits = hits + :one, serial = :serial",
            "ConditionExpression": "attribute_exists(pk) AND hits >= :zero",
            "ExpressionAttributeValues": {
                ":one": {"N": "1"},
                ":zero": {"N": "0"},
                ":serial": {"N": f"1{SERIAL}"},
            },
        },
        writes=True,
    ),
    Workload(
        "Query of 25",
        "Query",
        query(),
        expect=lambda answer: answer["Count"] == len(answer["Items"]) == PER_PARTITION,
    ),
    Workload(
        "Query, filter",
        "Query",
        query(
            FilterExpression="#status >= :from AND active = :yes",
            ExpressionAttributeNames={"#status": "status"},
            values={":from": {"S": "state-013"}, ":yes": {"BOOL": True}},
        ),
        expect=lambda answer: (answer["Count"], answer["ScannedCount"]) == (12, PER_PARTITION),
    ),
    Workload(
        "GSI query of 25",
        "Query",
        {
            "TableName": TABLE,
            "IndexName": "by_owner",
            "KeyConditionExpression": "#owner = :owner",
            "ExpressionAttributeNames": {"#owner": "owner"},
            "ExpressionAttributeValues": {":owner": {"S": f"OWNER#{PARTITION}"}},
        },
        expect=lambda answer: answer["Count"] == len(answer["Items"]) == PER_PARTITION,
    ),
    Workload(
        "Transaction of 2",
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {"TableName": TABLE, "Item": item()}},
                {
                    "Update": {
                        "TableName": TABLE,
                        # Row 24 is written by this update only: an item may occur just once.
                        "Key": key("024"),
                        "UpdateExpression": "SET hits = hits + :one, serial = :serial",
                        "ConditionExpression": "attribute_exists(pk)",
                        "ExpressionAttributeValues": {
                            ":one": {"N": "1"},
                            ":serial": {"N": f"1{SERIAL}"},
                        },
                    }
                },
            ]
        },
        writes=True,
    ),
]
BY_NAME = {workload.name: workload for workload in WORKLOADS}


def template(request: dict[str, Any]) -> bytes:
    """The request's JSON, ready for `%` with p, r and n."""
    text = json.dumps(request, separators=(",", ":")).encode().replace(b"%", b"%%")
    for place, format_ in FORMATS.items():
        text = text.replace(place.encode(), format_)
    return text


def place(step: int, connection: int, connections: int) -> tuple[int, int]:
    """Partition and row of a connection's step; connections never share a partition."""
    share = PARTITIONS // connections
    partition = (step * STRIDE % share) * connections + connection
    # Row 24 is left to the transactions' update.
    return partition, (step // share + step) % (PER_PARTITION - 1)


def bodies(workload: Workload, connection: int, connections: int, run: int) -> Iterator[bytes]:
    """Endless request bodies for one connection, all of one length.

    Runs are numbered: with connections that never meet in a partition, that makes every written
    value new to the item it is written to.
    """
    body = template(workload.request)
    start = run * 7_919
    for count in range(1_000_000):
        partition, row = place(start + count, connection, connections)
        yield body % {b"p": partition, b"r": row, b"n": run * 1_000_000 + count}


def all_items() -> Iterator[dict[str, Any]]:
    """The table's content before the first request."""
    body = template(item())
    for partition in range(PARTITIONS):
        for row in range(PER_PARTITION):
            yield json.loads(body % {b"p": partition, b"r": row, b"n": partition * 100 + row})
