"""PutItem, GetItem, UpdateItem, DeleteItem: what they return and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table, strings


@pytest.fixture(autouse=True)
def tables(call: Any) -> None:
    call("CreateTable", **simple_table())
    call("CreateTable", **composite_table())


def get(call: Any, **key: str) -> Any:
    table = "Composite" if "sk" in key else "Simple"
    return call("GetItem", TableName=table, Key=strings(**key), ConsistentRead=True).get("Item")


def test_every_type_comes_back_as_it_went_in(call: Any) -> None:
    item = {
        "pk": {"S": "all"},
        "n": {"N": "-12.5"},
        "b": {"B": "AAEC/w=="},
        "ss": {"SS": ["a", "b"]},
        "ns": {"NS": ["1", "2.5"]},
        "bs": {"BS": ["AA==", "AQ=="]},
        "m": {"M": {"x": {"L": [{"BOOL": False}, {"NULL": True}, {"S": ""}]}}},
    }
    call("PutItem", TableName="Simple", Item=item)
    assert get(call, pk="all") == item


def test_get_of_nothing_has_no_item(call: Any) -> None:
    assert call("GetItem", TableName="Simple", Key=strings(pk="none")) == {}


def test_put_replaces_whole_and_returns_the_old(call: Any) -> None:
    call("PutItem", TableName="Simple", Item=strings(pk="a", x="1", y="2"))
    answer = call(
        "PutItem", TableName="Simple", Item=strings(pk="a", x="9"), ReturnValues="ALL_OLD"
    )
    assert answer == {"Attributes": strings(pk="a", x="1", y="2")}
    assert get(call, pk="a") == strings(pk="a", x="9")
    fresh = call("PutItem", TableName="Simple", Item=strings(pk="b"), ReturnValues="ALL_OLD")
    assert fresh == {}


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (
            strings(x="1"),
            "One or more parameter values were invalid: Missing the key pk in the item",
        ),
        (
            {"pk": {"N": "1"}},
            "One or more parameter values were invalid: "
            "Type mismatch for key pk expected: S actual: N",
        ),
        (
            strings(pk=""),
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
        ),
        (
            strings(pk="x" * 2049),
            "One or more parameter values were invalid: "
            "Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
        (
            {"pk": {"S": "a"}, "x": {"S": "y" * 409_600}},
            "Item size has exceeded the maximum allowed size",
        ),
    ],
)
def test_items_put_refuses(refused: Any, item: Any, message: str) -> None:
    error = refused("PutItem", TableName="Simple", Item=item)
    assert (error.code, error.message) == ("ValidationException", message)


@pytest.mark.parametrize(
    "key", [{}, strings(pk="a", sk="b"), {"pk": {"N": "1"}}, strings(other="a")]
)
@pytest.mark.parametrize("operation", ["GetItem", "DeleteItem", "UpdateItem"])
def test_keys_must_fit_the_schema(refused: Any, operation: str, key: Any) -> None:
    error = refused(operation, TableName="Simple", Key=key)
    assert error.message == "The provided key element does not match the schema"


def test_missing_table(refused: Any) -> None:
    error = refused("PutItem", TableName="Nowhere", Item=strings(pk="a"))
    assert (error.code, error.message) == (
        "ResourceNotFoundException",
        "Requested resource not found",
    )


def test_an_item_of_exactly_400_kb_fits(call: Any, refused: Any) -> None:
    room = 400 * 1024 - len("pk") - len("a") - len("x")
    call("PutItem", TableName="Simple", Item=strings(pk="a", x="y" * room))
    error = refused("PutItem", TableName="Simple", Item=strings(pk="a", x="y" * (room + 1)))
    assert "exceeded the maximum allowed size" in error.message


def test_failed_condition_changes_nothing_and_can_show_the_item(call: Any, refused: Any) -> None:
    call("PutItem", TableName="Simple", Item=strings(pk="a", x="1"))
    request = {
        "TableName": "Simple",
        "Item": strings(pk="a", x="2"),
        "ConditionExpression": "attribute_not_exists(pk)",
    }
    error = refused("PutItem", **request)
    assert (error.code, error.message) == (
        "ConditionalCheckFailedException",
        "The conditional request failed",
    )
    assert "Item" not in error.extra
    error = refused("PutItem", **request, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert error.extra["Item"] == strings(pk="a", x="1")
    assert get(call, pk="a") == strings(pk="a", x="1")


def update(call: Any, text: str, returns: str = "NONE", key: str = "u", **values: Any) -> Any:
    request = {
        "TableName": "Simple",
        "Key": strings(pk=key),
        "UpdateExpression": text,
        "ReturnValues": returns,
    }
    if values:
        request["ExpressionAttributeValues"] = {f":{k}": v for k, v in values.items()}
    return call("UpdateItem", **request)


def test_update_makes_an_item_unless_it_only_removes(call: Any) -> None:
    update(call, "REMOVE x")
    assert get(call, pk="u") is None
    update(call, "SET x = :v", v={"S": "1"})
    assert get(call, pk="u") == strings(pk="u", x="1")
    call("UpdateItem", TableName="Simple", Key=strings(pk="bare"))
    assert get(call, pk="bare") == strings(pk="bare")


def test_update_return_values(call: Any) -> None:
    item = {"pk": {"S": "u"}, "a": {"N": "1"}, "m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}}
    for returns, expected in {
        "ALL_OLD": item,
        "UPDATED_OLD": {"a": {"N": "1"}, "m": {"M": {"x": {"N": "1"}}}},
        "UPDATED_NEW": {"a": {"N": "2"}, "m": {"M": {"x": {"N": "7"}}}, "fresh": {"N": "7"}},
        "ALL_NEW": {
            "pk": {"S": "u"},
            "a": {"N": "2"},
            "m": {"M": {"x": {"N": "7"}, "y": {"N": "2"}}},
            "fresh": {"N": "7"},
        },
    }.items():
        call("PutItem", TableName="Simple", Item=item)
        answer = update(
            call, "SET a = a + :one, m.x = :v, fresh = :v", returns, one={"N": "1"}, v={"N": "7"}
        )
        assert answer["Attributes"] == expected, returns


def test_update_may_not_touch_the_key(refused: Any) -> None:
    error = refused(
        "UpdateItem",
        TableName="Simple",
        Key=strings(pk="a"),
        UpdateExpression="SET pk = :v",
        ExpressionAttributeValues={":v": {"S": "b"}},
    )
    assert error.message == (
        "One or more parameter values were invalid: "
        "Cannot update attribute pk. This attribute is part of the key"
    )


def test_update_may_not_grow_beyond_the_limit(call: Any, refused: Any) -> None:
    call("PutItem", TableName="Simple", Item=strings(pk="u", x="y" * 300_000))
    error = refused(
        "UpdateItem",
        TableName="Simple",
        Key=strings(pk="u"),
        UpdateExpression="SET z = :v",
        ExpressionAttributeValues={":v": {"S": "y" * 200_000}},
    )
    assert error.message == "Item size to update has exceeded the maximum allowed size"
    assert "z" not in get(call, pk="u")


def test_delete_returns_the_old_and_is_idempotent(call: Any) -> None:
    call("PutItem", TableName="Simple", Item=strings(pk="a", x="1"))
    request = {"TableName": "Simple", "Key": strings(pk="a"), "ReturnValues": "ALL_OLD"}
    assert call("DeleteItem", **request) == {"Attributes": strings(pk="a", x="1")}
    assert call("DeleteItem", **request) == {}


@pytest.mark.parametrize("operation", ["PutItem", "DeleteItem"])
@pytest.mark.parametrize("returns", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_only_updates_return_new_values(refused: Any, operation: str, returns: str) -> None:
    content = {"Item": strings(pk="a")} if operation == "PutItem" else {"Key": strings(pk="a")}
    error = refused(operation, TableName="Simple", ReturnValues=returns, **content)
    assert error.message.endswith("ReturnValues can only be ALL_OLD or NONE")


def test_projection_of_a_get(call: Any) -> None:
    item = {"pk": {"S": "p"}, "l": {"L": [{"N": "1"}, {"N": "2"}]}, "m": {"M": {"x": {"N": "3"}}}}
    call("PutItem", TableName="Simple", Item=item)
    answer = call(
        "GetItem",
        TableName="Simple",
        Key=strings(pk="p"),
        ProjectionExpression="l[1], m.x, #none",
        ExpressionAttributeNames={"#none": "missing"},
    )
    assert answer["Item"] == {"l": {"L": [{"N": "2"}]}, "m": {"M": {"x": {"N": "3"}}}}


# --- capacity ------------------------------------------------------------------------------


def units(answer: Any) -> float:
    return float(answer["ConsumedCapacity"]["CapacityUnits"])


def test_reads_cost_by_4_kb_and_consistency(call: Any) -> None:
    call("PutItem", TableName="Simple", Item=strings(pk="a", x="y" * 5000))
    for consistent, cost in ((False, 1.0), (True, 2.0)):
        answer = call(
            "GetItem",
            TableName="Simple",
            Key=strings(pk="a"),
            ConsistentRead=consistent,
            ReturnConsumedCapacity="TOTAL",
        )
        assert units(answer) == cost


def test_writes_cost_by_the_larger_of_old_and_new(call: Any) -> None:
    put = {"TableName": "Simple", "ReturnConsumedCapacity": "TOTAL"}
    assert units(call("PutItem", Item=strings(pk="a", x="y" * 2500), **put)) == 3
    assert units(call("PutItem", Item=strings(pk="a"), **put)) == 3
    assert units(call("PutItem", Item=strings(pk="a"), **put)) == 1
    assert units(call("DeleteItem", Key=strings(pk="missing"), **put)) == 1


def test_index_writes_are_counted_apart(call: Any) -> None:
    call(
        "CreateTable",
        **composite_table(
            "Indexed",
            AttributeDefinitions=[
                {"AttributeName": "g", "AttributeType": "S"},
                {"AttributeName": "l", "AttributeType": "S"},
            ],
            GlobalSecondaryIndexes=[index("by_g", "g"), index("keys", "g", projection="KEYS_ONLY")],
            LocalSecondaryIndexes=[index("by_l", "pk", "l")],
        ),
    )

    def put(**attributes: str) -> Any:
        return call(
            "PutItem",
            TableName="Indexed",
            Item=strings(pk="a", sk="b", **attributes),
            ReturnConsumedCapacity="INDEXES",
        )["ConsumedCapacity"]

    assert "GlobalSecondaryIndexes" not in put()
    first = put(g="1", l="1")
    assert first["Table"] == {"CapacityUnits": 1.0}
    assert first["GlobalSecondaryIndexes"] == {
        "by_g": {"CapacityUnits": 1.0},
        "keys": {"CapacityUnits": 1.0},
    }
    assert first["LocalSecondaryIndexes"] == {"by_l": {"CapacityUnits": 1.0}}
    assert first["CapacityUnits"] == 4.0
    moved = put(g="2", l="1")
    assert moved["GlobalSecondaryIndexes"]["by_g"] == {"CapacityUnits": 2.0}
    other = put(g="2", l="1", x="new")
    assert other["GlobalSecondaryIndexes"] == {"by_g": {"CapacityUnits": 1.0}}


def test_item_collection_metrics_only_with_a_local_index(call: Any) -> None:
    call(
        "CreateTable",
        **composite_table(
            "Local",
            AttributeDefinitions=[{"AttributeName": "l", "AttributeType": "S"}],
            LocalSecondaryIndexes=[index("by_l", "pk", "l")],
        ),
    )
    request = {"Item": strings(pk="a", sk="b"), "ReturnItemCollectionMetrics": "SIZE"}
    assert call("PutItem", TableName="Local", **request)["ItemCollectionMetrics"] == {
        "ItemCollectionKey": strings(pk="a"),
        "SizeEstimateRangeGB": [0.0, 1.0],
    }
    assert "ItemCollectionMetrics" not in call("PutItem", TableName="Composite", **request)


@pytest.fixture
def small_collections(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table with a local index, whose item collections are full after about 300 bytes."""
    call(
        "CreateTable",
        **composite_table(
            "Local",
            AttributeDefinitions=[{"AttributeName": "l", "AttributeType": "S"}],
            LocalSecondaryIndexes=[index("by_l", "pk", "l")],
        ),
    )
    monkeypatch.setattr("tablewright.engine.items.writes.MAX_COLLECTION_BYTES", 300)
    # What stands in a local index counts as well: twice 109 bytes.
    call("PutItem", TableName="Local", Item=strings(pk="a", sk="1", l="x", more="y" * 96))


@pytest.mark.usefixtures("small_collections")
def test_an_item_collection_can_be_full(call: Any, refused: Any) -> None:
    large = strings(pk="a", sk="2", more="y" * 100)
    error = refused("PutItem", TableName="Local", Item=large)
    assert error.code == "ItemCollectionSizeLimitExceededException"
    assert error.message == "Collection size exceeded."
    assert call("Scan", TableName="Local")["Count"] == 1
    # Others have room, and so has this one for what is small or makes it smaller.
    call("PutItem", TableName="Local", Item={**large, **strings(pk="b")})
    call("PutItem", TableName="Local", Item=strings(pk="a", sk="2"))
    call("PutItem", TableName="Local", Item=strings(pk="a", sk="1"))
    call("PutItem", TableName="Local", Item=large)


@pytest.mark.usefixtures("small_collections")
def test_a_full_item_collection_cancels_a_transaction(call: Any, refused: Any) -> None:
    first = {"TableName": "Local", "Item": strings(pk="b", sk="1")}
    second = {"TableName": "Local", "Item": strings(pk="a", sk="2", more="y" * 100)}
    error = refused("TransactWriteItems", TransactItems=[{"Put": first}, {"Put": second}])
    assert error.code == "TransactionCanceledException"
    assert error.extra["CancellationReasons"] == [
        {"Code": "None"},
        {"Code": "ItemCollectionSizeLimitExceeded", "Message": "Collection size exceeded."},
    ]
    assert call("Scan", TableName="Local")["Count"] == 1


@pytest.mark.usefixtures("small_collections")
def test_a_full_item_collection_stops_one_statement_of_a_batch(call: Any) -> None:
    insert = "INSERT INTO \"Local\" VALUE {{'pk': '{}', 'sk': '2', 'more': '{}'}}"
    answer = call(
        "BatchExecuteStatement",
        Statements=[{"Statement": insert.format(pk, "y" * 100)} for pk in "ab"],
    )
    assert answer["Responses"][0]["Error"]["Code"] == "ItemCollectionSizeLimitExceeded"
    assert answer["Responses"][1] == {"TableName": "Local"}
    assert call("Scan", TableName="Local")["Count"] == 2
