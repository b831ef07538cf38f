"""What every client is asked to do: one table, its items, and four kinds of operation.

The 2,000 items of about 500 bytes have 14 attributes of seven types, and lie in partitions of 100.
Writes replace existing items and carry a serial number that was never written before.

Objects to be written are made before the clock starts: what counts is the way from a typed object
to the stored item, and from the stored item to a typed object.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

TABLE = "client-benchmark"
PARTITIONS = 20
PER_PARTITION = 100
PER_BATCH = 25

Kind: TypeAlias = Literal["get", "put", "query", "batch"]
#: The kinds of operation, with what the report calls them.
KINDS: dict[Kind, str] = {
    "get": "GetItem",
    "put": "PutItem",
    "query": "Query of 100",
    "batch": "Batch of 25 writes",
}

CREATE_TABLE: dict[str, Any] = {
    "TableName": TABLE,
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}

NOTE = (string.ascii_letters + string.digits) * 2


@dataclass(frozen=True)
class Place:
    """Where an operation happens, and with which number it writes."""

    partition: int
    row: int = 0
    serial: int = 0

    @property
    def customer_id(self) -> str:
        return f"{self.partition:08d}"

    @property
    def order_id(self) -> str:
        return f"{self.row:08d}"

    @property
    def pk(self) -> str:
        return f"CUSTOMER#{self.customer_id}"

    @property
    def sk(self) -> str:
        return f"ORDER#{self.order_id}"

    def neighbours(self) -> list[Place]:
        """The places of a batch that starts here."""
        rows = range(self.row, self.row + PER_BATCH)
        return [Place(self.partition, row % PER_PARTITION, self.serial) for row in rows]


def item(place: Place) -> dict[str, Any]:
    """The stored item."""
    return {
        "pk": {"S": place.pk},
        "sk": {"S": place.sk},
        "entity_type": {"S": "Order"},
        "customer_id": {"S": place.customer_id},
        "order_id": {"S": place.order_id},
        "serial": {"N": str(place.serial)},
        "price": {"N": f"{place.row}.95"},
        "placed_at": {"S": f"2026-01-01T00:{place.row % 60:02d}:00Z"},
        "paid": {"BOOL": place.row % 2 == 0},
        "status": {"S": "new"},
        "tags": {"SS": ["blue", "green", "red"]},
        "lines": {"L": [{"S": "bread"}, {"S": "butter"}, {"S": "cheese"}]},
        "address": {"M": {"city": {"S": "Pune"}, "zip": {"S": "411001"}}},
        "note": {"S": NOTE},
    }


def all_places() -> Iterator[Place]:
    """The table's content before the first operation."""
    for partition in range(PARTITIONS):
        for row in range(PER_PARTITION):
            yield Place(partition, row)


def places(run: int, count: int) -> list[Place]:
    """Where the operations of one run happen. Runs are numbered, so that each write is new."""
    return [
        Place((run + step * 7) % PARTITIONS, (run + step * 13) % PER_PARTITION, run * 10**6 + step)
        for step in range(1, count + 1)
    ]
