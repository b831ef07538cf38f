"""boto3's resource layer: Python values, condition objects, the batch writer."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary

MakeTable = Callable[..., str]


@pytest.fixture
def table(resource: Any, make_table: MakeTable) -> Any:
    return resource.Table(make_table("S", "N"))


def test_create_wait_and_load(resource: Any, name: str) -> None:
    table = resource.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    table.wait_until_exists()
    table.load()
    assert (table.table_status, table.item_count) == ("ACTIVE", 0)
    assert name in [each.name for each in resource.tables.all()]
    table.delete()
    table.wait_until_not_exists()


def test_python_values_come_back(table: Any) -> None:
    item = {
        "pk": "Gr\u00fc\u00dfe",
        "sk": Decimal("-1.5"),
        "exact": Decimal("1.2345678901234567890123456789012345678"),
        "binary": Binary(b"\x00\xff"),
        "bytes": b"plain",
        "strings": {"a", "b"},
        "numbers": {Decimal(1), Decimal("2.5")},
        "binaries": {Binary(b"a"), Binary(b"b")},
        "list": [1, "two", None, True, {"deep": [Decimal("0.1")]}],
        "map": {"empty": {}, "none": None, "text": ""},
    }
    table.put_item(Item=item)
    back = table.get_item(Key={"pk": item["pk"], "sk": item["sk"]})["Item"]
    assert back == item
    assert isinstance(back["exact"], Decimal)
    assert str(back["exact"]) == "1.2345678901234567890123456789012345678"
    assert back["bytes"].value == b"plain"


def test_condition_objects(table: Any, resource: Any) -> None:
    for number in range(10):
        table.put_item(
            Item={"pk": "p", "sk": number, "tags": {f"t{number % 3}"}, "info": {"n": [number]}}
        )
    found = table.query(
        KeyConditionExpression=Key("pk").eq("p") & Key("sk").between(2, 8),
        FilterExpression=(Attr("tags").contains("t1") | Attr("info.n[0]").is_in([2, 3]))
        & ~Attr("info.n[0]").eq(4)
        & Attr("missing").not_exists()
        & Attr("tags").attribute_type("SS")
        & Attr("info.n").size().eq(1),
        ProjectionExpression="sk, info.n[0]",
    )
    assert found["Items"] == [{"sk": Decimal(n), "info": {"n": [Decimal(n)]}} for n in (2, 3, 7)]
    with pytest.raises(resource.meta.client.exceptions.ConditionalCheckFailedException):
        table.put_item(Item={"pk": "p", "sk": 1}, ConditionExpression=Attr("pk").not_exists())


def test_update(table: Any) -> None:
    answer = table.update_item(
        Key={"pk": "p", "sk": 1},
        UpdateExpression="SET #c = if_not_exists(#c, :zero) + :n, l = list_append(:l, :l) ADD s :s",
        ExpressionAttributeNames={"#c": "count"},
        ExpressionAttributeValues={":zero": 0, ":n": 5, ":l": ["x"], ":s": {"a"}},
        ReturnValues="ALL_NEW",
    )
    assert answer["Attributes"] == {
        "pk": "p",
        "sk": 1,
        "count": 5,
        "l": ["x", "x"],
        "s": {"a"},
    }


def test_the_batch_writer(table: Any) -> None:
    with table.batch_writer(overwrite_by_pkeys=["pk", "sk"]) as batch:
        for number in range(70):
            batch.put_item(Item={"pk": "p", "sk": number % 60, "n": number})
        batch.delete_item(Key={"pk": "p", "sk": 5})
    items = table.scan()["Items"]
    assert len(items) == 59
    assert {item["n"] for item in items if item["sk"] < 10} == {60, 61, 62, 63, 64, *range(66, 70)}


def test_batch_get_and_transactions_with_python_values(table: Any, resource: Any) -> None:
    client = resource.meta.client
    client.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": table.name, "Item": {"pk": "p", "sk": n, "v": Decimal(n)}}}
            for n in range(3)
        ]
    )
    answer = resource.batch_get_item(
        RequestItems={table.name: {"Keys": [{"pk": "p", "sk": n} for n in range(4)]}}
    )
    assert sorted(item["v"] for item in answer["Responses"][table.name]) == [0, 1, 2]


def test_query_pages_by_hand(table: Any) -> None:
    with table.batch_writer() as batch:
        for number in range(25):
            batch.put_item(Item={"pk": "p", "sk": number})
    seen: list[Any] = []
    more: dict[str, Any] = {}
    while True:
        page = table.query(KeyConditionExpression=Key("pk").eq("p"), Limit=10, **more)
        seen += [item["sk"] for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            break
        more = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    assert seen == list(range(25))
