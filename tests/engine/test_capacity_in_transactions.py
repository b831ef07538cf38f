"""What a transaction costs: twice in the table, once in its indexes."""

from __future__ import annotations

from typing import Any

from tablewright.engine import Engine


def consumed(engine: Engine, item: dict[str, Any]) -> dict[str, Any]:
    answer = engine.call(
        "TransactWriteItems",
        {
            "TransactItems": [{"Put": {"TableName": "Notes", "Item": item}}],
            "ReturnConsumedCapacity": "INDEXES",
        },
    )
    found: dict[str, Any] = answer["ConsumedCapacity"][0]
    return found


def test_indexes_are_not_charged_twice() -> None:
    with Engine.memory() as engine:
        engine.call(
            "CreateTable",
            {
                "TableName": "Notes",
                "AttributeDefinitions": [
                    {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "owner")
                ],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "by-owner",
                        "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        text = {"S": "x" * 1500}
        first = consumed(engine, {"pk": {"S": "a"}, "owner": {"S": "o"}, "text": text})
        moved = consumed(engine, {"pk": {"S": "a"}, "owner": {"S": "p"}, "text": text})
    assert first["Table"]["CapacityUnits"] == 4
    assert first["GlobalSecondaryIndexes"]["by-owner"]["CapacityUnits"] == 2
    assert first["CapacityUnits"] == 6
    # Another index key is a removal and an insertion.
    assert moved["Table"]["CapacityUnits"] == 4
    assert moved["GlobalSecondaryIndexes"]["by-owner"]["CapacityUnits"] == 4
