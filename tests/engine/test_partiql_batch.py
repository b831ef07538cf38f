"""PartiQL BatchExecuteStatement: statements by themselves, errors in their places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table

from tablewright.engine import AwsError, Engine

Batch = Callable[..., Any]

NO_KEY = (
    "Select statements within BatchExecuteStatement must specify the primary key in the where "
    "clause."
)


@pytest.fixture
def batch(engine: Engine) -> Batch:
    """Run statements, given as text or as whole members; the response."""
    engine.call("CreateTable", simple_table("Songs"))
    table = composite_table("Notes", GlobalSecondaryIndexes=[index("by-g", "g")])
    table["AttributeDefinitions"].append({"AttributeName": "g", "AttributeType": "S"})
    engine.call("CreateTable", table)
    for pk in "ab":
        item = {"pk": {"S": pk}, "n": {"N": "1"}, "m": {"M": {"x": {"S": "deep"}}}}
        engine.call("PutItem", {"TableName": "Songs", "Item": item})

    def run(*statements: Any, **more: Any) -> Any:
        members = [{"Statement": each} if isinstance(each, str) else each for each in statements]
        return engine.call("BatchExecuteStatement", {"Statements": members, **more})

    return run


def refusal(batch: Batch, *statements: Any) -> str:
    with pytest.raises(AwsError) as caught:
        batch(*statements)
    assert caught.value.code == "ValidationException"
    return caught.value.message


def test_reads(batch: Batch) -> None:
    answer = batch(
        "SELECT n, m.x FROM Songs WHERE pk = 'a'",
        {"Statement": "SELECT pk FROM Songs WHERE pk = ?", "Parameters": [{"S": "b"}]},
        "SELECT * FROM Songs WHERE pk = 'absent'",
        "SELECT * FROM Notes WHERE sk = '1' AND pk IN ['a']",
    )
    assert answer == {
        "Responses": [
            {"TableName": "Songs", "Item": {"n": {"N": "1"}, "x": {"S": "deep"}}},
            {"TableName": "Songs", "Item": {"pk": {"S": "b"}}},
            {"TableName": "Songs"},
            {"TableName": "Notes"},
        ]
    }


def test_reads_that_go_wrong_by_themselves(batch: Batch) -> None:
    answer = batch(
        "SELECT pk FROM Songs WHERE pk = 'a'",
        "SELECT * FROM Absent WHERE pk = 'a'",
        "SELECT * FROM Songs WHERE",
        "SELECT * FROM Notes WHERE pk = 'a'",
        "SELECT * FROM Notes WHERE pk = 'a' AND sk = '1' AND x = 2",
        'SELECT * FROM "Notes"."by-g" WHERE g = \'a\'',
        "SELECT * FROM Songs WHERE pk = ?",
        {"Statement": "SELECT * FROM Songs WHERE pk = ?", "Parameters": [{"N": "x"}]},
        "EXISTS(SELECT * FROM Songs WHERE pk = 'a' AND n = 1)",
        "SELECT * FROM Songs WHERE pk = 1",
    )["Responses"]
    assert answer[0] == {"TableName": "Songs", "Item": {"pk": {"S": "a"}}}
    assert answer[1] == {
        "Error": {"Code": "ResourceNotFound", "Message": "Requested resource not found"},
        "TableName": "Absent",
    }
    messages = [
        "Statement wasn't well formed, can't be processed: Unexpected term",
        NO_KEY,
        NO_KEY,
        NO_KEY,
        "Number of parameters in request and statement don't match.",
        "The parameter cannot be converted to a numeric value: x",
        "EXISTS can only be used in ExecuteTransaction write requests.",
        "The provided key element does not match the schema",
    ]
    assert answer[2:] == [
        {"Error": {"Code": "ValidationError", "Message": message}} for message in messages
    ]


def test_writes(engine: Engine, batch: Batch) -> None:
    answer = batch(
        "INSERT INTO Songs VALUE {'pk': 'new'}",
        "UPDATE Songs SET n = n + 1 WHERE pk = 'a' RETURNING MODIFIED NEW *",
        "DELETE FROM Songs WHERE pk = 'b' RETURNING ALL OLD *",
        "DELETE FROM Songs WHERE pk = 'absent'",
        "UPDATE Songs REMOVE q WHERE pk = 'c' RETURNING MODIFIED NEW *",
    )["Responses"]
    assert answer[:2] == [{"TableName": "Songs"}, {"TableName": "Songs", "Item": {"n": {"N": "2"}}}]
    assert answer[2]["Item"]["pk"] == {"S": "b"}
    assert answer[3] == {"TableName": "Songs"}
    items = engine.call("Scan", {"TableName": "Songs"})["Items"]
    assert {item["pk"]["S"] for item in items} == {"a", "new"}


def test_writes_that_go_wrong_by_themselves(engine: Engine, batch: Batch) -> None:
    answer = batch(
        "INSERT INTO Songs VALUE {'pk': 'new'}",
        "INSERT INTO Songs VALUE {'pk': 'a'}",
        {
            "Statement": "UPDATE Songs SET n = 9 WHERE pk = 'b' AND n = 2",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
        "UPDATE Absent SET n = 1 WHERE pk = 'a'",
        "UPDATE Songs SET n = q + 1 WHERE pk = 'c'",
        "UPDATE Songs SET n = 1 WHERE n = 1",
        "DELETE FROM Songs WHERE pk = 'd' RETURNING MODIFIED OLD *",
        "UPDATE Notes SET n = s + 1 WHERE pk = 'a' AND sk = '1'",
    )["Responses"]
    codes = [entry.get("Error", {}).get("Code") for entry in answer]
    assert codes == [
        None,
        "DuplicateItem",
        "ConditionalCheckFailed",
        "ResourceNotFound",
        "ConditionalCheckFailed",
        "ValidationError",
        "ValidationError",
        "ConditionalCheckFailed",
    ]
    assert [entry.get("TableName") for entry in answer] == [
        "Songs",
        "Songs",
        "Songs",
        "Absent",
        "Songs",
        None,
        None,
        "Notes",
    ]
    assert answer[2]["Error"]["Item"]["pk"] == {"S": "b"}
    assert answer[6]["Error"]["Message"].startswith("Invalid returning clause")
    stored = engine.call("GetItem", {"TableName": "Songs", "Key": {"pk": {"S": "b"}}})
    assert stored["Item"]["n"] == {"N": "1"}


def test_an_error_while_writing_names_the_table(batch: Batch) -> None:
    answer = batch("UPDATE Songs SET n = q + 1 WHERE pk = 'a'")["Responses"]
    assert answer == [
        {
            "Error": {
                "Code": "ValidationError",
                "Message": "The provided expression refers to an attribute that does not exist "
                "in the item",
            },
            "TableName": "Songs",
        }
    ]


def test_reads_and_writes_do_not_mix(engine: Engine, batch: Batch) -> None:
    expected = "Read and write requests together in the same batch is not supported."
    read, write = "SELECT * FROM Songs WHERE pk = 'a'", "INSERT INTO Songs VALUE {'pk': 'new'}"
    assert refusal(batch, read, write) == expected
    assert refusal(batch, "no statement", write, read) == expected
    assert refusal(batch, read, "DELETE FROM Songs WHERE n = 1") == expected
    assert "Item" not in engine.call("GetItem", {"TableName": "Songs", "Key": {"pk": {"S": "new"}}})


def test_an_item_may_be_in_a_batch_once(batch: Batch) -> None:
    expected = "Provided list of item keys contains duplicates"
    read = "SELECT * FROM Songs WHERE pk = 'a'"
    assert refusal(batch, read, read) == expected
    insert, update = "INSERT INTO Songs VALUE {'pk': 'x'}", "UPDATE Songs SET n=1 WHERE pk = 'x'"
    assert refusal(batch, "no statement", insert, update) == expected


@pytest.mark.parametrize("count", [0, 26])
def test_a_batch_has_1_to_25_statements(batch: Batch, count: int) -> None:
    assert "Member must have length" in refusal(batch, *["SELECT * FROM Songs"] * count)


def test_capacity_of_reads(batch: Batch) -> None:
    answer = batch(
        "SELECT * FROM Songs WHERE pk = 'a'",
        {"Statement": "SELECT * FROM Songs WHERE pk = 'b'", "ConsistentRead": True},
        "SELECT * FROM Notes WHERE pk = 'a' AND sk = '1'",
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["ConsumedCapacity"] == [
        {"TableName": "Songs", "CapacityUnits": 1.5},
        {"TableName": "Notes", "CapacityUnits": 0.5},
    ]


def test_capacity_of_writes_counts_what_failed(batch: Batch) -> None:
    big = {
        "Statement": "INSERT INTO Songs VALUE {'pk': 'a', 'v': ?}",
        "Parameters": [{"S": "x" * 2500}],
    }
    answer = batch(
        "INSERT INTO Songs VALUE {'pk': 'new'}",
        big,
        "INSERT INTO Notes VALUE {'pk': 'a'}",
        ReturnConsumedCapacity="INDEXES",
    )
    assert answer["ConsumedCapacity"] == [
        {"TableName": "Songs", "CapacityUnits": 4.0, "Table": {"CapacityUnits": 1.0}}
    ]
    assert "ConsumedCapacity" not in batch(big, ReturnConsumedCapacity="TOTAL")
