"""The demo table: customers and their orders in one table, with one index."""

from __future__ import annotations

import time
from typing import Any, Protocol

from tablewright.engine.errors import AwsError

TABLE = "Demo"
_INDEX = "ByStatus"
_PATIENCE = 10.0


class Calls(Protocol):
    """What is used of an engine."""

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]: ...


def ensure_demo(engine: Calls) -> bool:
    """Create the table with its items if it isn't there; say whether that was done."""
    try:
        engine.call("DescribeTable", {"TableName": TABLE})
    except AwsError as error:
        if error.code != "ResourceNotFoundException":
            raise
    else:
        return False
    engine.call("CreateTable", _definition())
    _wait_until_active(engine)
    puts = [{"PutRequest": {"Item": item}} for item in _items()]
    engine.call("BatchWriteItem", {"RequestItems": {TABLE: puts}})
    return True


def _wait_until_active(engine: Calls) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        if engine.call("DescribeTable", {"TableName": TABLE})["Table"]["TableStatus"] == "ACTIVE":
            return
        time.sleep(0.01)
    raise TimeoutError(f"the table {TABLE} did not become active")


def _definition() -> dict[str, Any]:
    return {
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "status")
        ],
        "KeySchema": _key("PK", "SK"),
        "GlobalSecondaryIndexes": [
            {
                "IndexName": _INDEX,
                "KeySchema": _key("status", "SK"),
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    }


def _key(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


def _items() -> list[dict[str, Any]]:
    customers = {"ada": "Ada Lovelace", "grace": "Grace Hopper", "alan": "Alan Turing"}
    orders = [
        ("ada", "2025-01-07", "shipped", "19.90"),
        ("ada", "2025-02-11", "open", "4.50"),
        ("grace", "2025-02-12", "open", "129"),
        ("grace", "2025-03-01", "shipped", "12.25"),
        ("alan", "2025-03-14", "returned", "3.14"),
    ]
    profiles = [
        {"PK": {"S": f"CUSTOMER#{key}"}, "SK": {"S": "PROFILE"}, "name": {"S": name}}
        for key, name in customers.items()
    ]
    return profiles + [
        {
            "PK": {"S": f"CUSTOMER#{customer}"},
            "SK": {"S": f"ORDER#{day}"},
            "status": {"S": status},
            "total": {"N": total},
        }
        for customer, day, status, total in orders
    ]
