"""BatchGetItem and BatchWriteItem."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.samples import composite_table, simple_table, strings


@pytest.fixture(autouse=True)
def tables(call: Any) -> None:
    call("CreateTable", **simple_table())
    call("CreateTable", **composite_table())


def puts(*items: Any) -> list[Any]:
    return [{"PutRequest": {"Item": item}} for item in items]


def test_writes_and_reads_across_tables(call: Any) -> None:
    call("PutItem", TableName="Simple", Item=strings(pk="old"))
    answer = call(
        "BatchWriteItem",
        RequestItems={
            "Simple": [*puts(strings(pk="a")), {"DeleteRequest": {"Key": strings(pk="old")}}],
            "Composite": puts(strings(pk="p", sk="1", x="y")),
        },
    )
    assert answer == {"UnprocessedItems": {}}
    found = call(
        "BatchGetItem",
        RequestItems={
            "Simple": {"Keys": [strings(pk="a"), strings(pk="old")]},
            "Composite": {"Keys": [strings(pk="p", sk="1")], "ProjectionExpression": "x"},
        },
    )
    assert found == {
        "Responses": {"Simple": [strings(pk="a")], "Composite": [strings(x="y")]},
        "UnprocessedKeys": {},
    }


def test_nothing_asked(refused: Any) -> None:
    error = refused("BatchWriteItem", RequestItems={})
    assert error.message == "The requestItems parameter is required for BatchWriteItem"
    error = refused("BatchGetItem", RequestItems={})
    assert "at 'RequestItems' failed to satisfy constraint" in error.message


def test_projections_of_both_kinds_in_one_request_are_refused(refused: Any) -> None:
    error = refused(
        "BatchGetItem",
        RequestItems={
            "Simple": {"Keys": [strings(pk="a")], "ProjectionExpression": "pk"},
            "Composite": {"Keys": [strings(pk="b", sk="z")], "AttributesToGet": ["pk"]},
        },
    )
    assert error.code == "ValidationException"
    assert error.message == (
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"
    )


def test_duplicates_are_refused_and_nothing_is_written(call: Any, refused: Any) -> None:
    error = refused(
        "BatchWriteItem",
        RequestItems={"Simple": [*puts(strings(pk="a"), strings(pk="b")), *puts(strings(pk="a"))]},
    )
    assert error.message == "Provided list of item keys contains duplicates"
    assert call("Scan", TableName="Simple")["Count"] == 0
    error = refused(
        "BatchGetItem", RequestItems={"Simple": {"Keys": [strings(pk="a"), strings(pk="a")]}}
    )
    assert error.message == "Provided list of item keys contains duplicates"


def test_too_many(refused: Any) -> None:
    many = [strings(pk=f"{n}") for n in range(60)]
    error = refused(
        "BatchGetItem",
        RequestItems={
            "Simple": {"Keys": many},
            "Composite": {"Keys": [strings(pk=f"{n}", sk="x") for n in range(60)]},
        },
    )
    assert error.message == "Too many items requested for the BatchGetItem call"
    error = refused(
        "BatchWriteItem",
        RequestItems={
            "Simple": puts(*many[:20]),
            "Composite": puts(*(strings(pk=f"{n}", sk="x") for n in range(20))),
        },
    )
    assert error.message == "Too many items requested for the BatchWriteItem call"


def test_one_bad_item_refuses_the_batch(call: Any, refused: Any) -> None:
    error = refused(
        "BatchWriteItem", RequestItems={"Simple": puts(strings(pk="a"), strings(x="b"))}
    )
    assert error.message == "The provided key element does not match the schema"
    assert call("Scan", TableName="Simple")["Count"] == 0


def test_missing_table(refused: Any) -> None:
    error = refused("BatchWriteItem", RequestItems={"Nowhere": puts(strings(pk="a"))})
    assert error.code == "ResourceNotFoundException"


def test_a_read_beyond_16_mb_leaves_keys_unprocessed(call: Any) -> None:
    names = [f"{n:02}" for n in range(50)]
    for name in names:
        call("PutItem", TableName="Simple", Item=strings(pk=name, x="y" * 390_000))
    asked = {"Simple": {"Keys": [strings(pk=name) for name in names], "ConsistentRead": True}}
    seen: list[str] = []
    rounds = 0
    while asked:
        answer = call("BatchGetItem", RequestItems=asked)
        seen += [item["pk"]["S"] for item in answer["Responses"].get("Simple", [])]
        asked = answer["UnprocessedKeys"]
        rounds += 1
        if asked:
            assert asked["Simple"]["ConsistentRead"] is True
    assert rounds == 2
    assert sorted(seen) == names


def test_capacity_is_summed_per_table(call: Any) -> None:
    written = call(
        "BatchWriteItem",
        RequestItems={"Simple": puts(strings(pk="a", x="y" * 1500), strings(pk="b"))},
        ReturnConsumedCapacity="TOTAL",
    )
    assert written["ConsumedCapacity"] == [{"TableName": "Simple", "CapacityUnits": 3.0}]
    read = call(
        "BatchGetItem",
        RequestItems={"Simple": {"Keys": [strings(pk=k) for k in "abc"], "ConsistentRead": True}},
        ReturnConsumedCapacity="TOTAL",
    )
    assert read["ConsumedCapacity"] == [{"TableName": "Simple", "CapacityUnits": 3.0}]
