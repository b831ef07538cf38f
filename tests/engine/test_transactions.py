"""TransactWriteItems and TransactGetItems: all or nothing, once."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.samples import composite_table, simple_table, strings

from tablewright.clock import ManualClock
from tablewright.engine import Engine


@pytest.fixture(autouse=True)
def tables(call: Any) -> None:
    call("CreateTable", **simple_table())
    call("CreateTable", **composite_table())


def put(key: str, condition: str | None = None, **attributes: str) -> Any:
    action: dict[str, Any] = {"TableName": "Simple", "Item": strings(pk=key, **attributes)}
    if condition:
        action["ConditionExpression"] = condition
    return {"Put": action}


def stored(call: Any) -> set[str]:
    return {item["pk"]["S"] for item in call("Scan", TableName="Simple")["Items"]}


def test_all_kinds_of_actions_together(call: Any) -> None:
    for name in ("checked", "updated", "deleted"):
        call("PutItem", TableName="Simple", Item=strings(pk=name))
    call(
        "TransactWriteItems",
        TransactItems=[
            {
                "ConditionCheck": {
                    "TableName": "Simple",
                    "Key": strings(pk="checked"),
                    "ConditionExpression": "attribute_exists(pk)",
                }
            },
            {
                "Update": {
                    "TableName": "Simple",
                    "Key": strings(pk="updated"),
                    "UpdateExpression": "SET x = :v",
                    "ExpressionAttributeValues": {":v": {"S": "1"}},
                }
            },
            {"Delete": {"TableName": "Simple", "Key": strings(pk="deleted")}},
            put("new"),
            {"Put": {"TableName": "Composite", "Item": strings(pk="a", sk="b")}},
        ],
    )
    assert stored(call) == {"checked", "updated", "new"}
    answer = call(
        "TransactGetItems",
        TransactItems=[
            {"Get": {"TableName": "Simple", "Key": strings(pk="updated")}},
            {"Get": {"TableName": "Simple", "Key": strings(pk="deleted")}},
            {"Get": {"TableName": "Composite", "Key": strings(pk="a", sk="b")}},
        ],
    )
    assert answer["Responses"] == [
        {"Item": strings(pk="updated", x="1")},
        {},
        {"Item": strings(pk="a", sk="b")},
    ]


def test_one_refusal_cancels_all_and_says_which(call: Any, refused: Any) -> None:
    call("PutItem", TableName="Simple", Item=strings(pk="taken", owner="me"))
    bad = put("taken", "attribute_not_exists(pk)")
    bad["Put"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    error = refused("TransactWriteItems", TransactItems=[put("fresh"), bad])
    assert error.code == "TransactionCanceledException"
    assert error.message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed]"
    )
    assert error.extra["CancellationReasons"] == [
        {"Code": "None"},
        {
            "Code": "ConditionalCheckFailed",
            "Message": "The conditional request failed",
            "Item": strings(pk="taken", owner="me"),
        },
    ]
    assert stored(call) == {"taken"}


def test_an_update_that_cannot_be_computed_is_a_validation_reason(call: Any, refused: Any) -> None:
    call("PutItem", TableName="Simple", Item=strings(pk="a", x="text"))
    error = refused(
        "TransactWriteItems",
        TransactItems=[
            put("b"),
            {
                "Update": {
                    "TableName": "Simple",
                    "Key": strings(pk="a"),
                    "UpdateExpression": "SET x = x + :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                }
            },
        ],
    )
    codes = [reason["Code"] for reason in error.extra["CancellationReasons"]]
    assert codes == ["None", "ValidationError"]
    assert stored(call) == {"a"}


def test_one_item_may_appear_once(refused: Any) -> None:
    error = refused("TransactWriteItems", TransactItems=[put("a"), put("a")])
    assert error.message == "Transaction request cannot include multiple operations on one item"
    get = {"Get": {"TableName": "Simple", "Key": strings(pk="a")}}
    error = refused("TransactGetItems", TransactItems=[get, get])
    assert error.message == "Transaction request cannot include multiple operations on one item"


def test_bad_keys_cancel_with_a_validation_reason(refused: Any) -> None:
    error = refused(
        "TransactGetItems",
        TransactItems=[{"Get": {"TableName": "Simple", "Key": strings(other="a")}}],
    )
    assert error.code == "TransactionCanceledException"
    assert error.extra["CancellationReasons"] == [
        {
            "Code": "ValidationError",
            "Message": "The provided key element does not match the schema",
        }
    ]


def test_collective_size_limit(call: Any, refused: Any) -> None:
    error = refused(
        "TransactWriteItems",
        TransactItems=[put(f"{n}", x="y" * 380_000) for n in range(12)],
    )
    assert "4 MB" in error.message
    assert stored(call) == set()


def increment(token: str, **more: Any) -> Any:
    return {
        "TransactItems": [
            {
                "Update": {
                    "TableName": "Simple",
                    "Key": strings(pk="counter"),
                    "UpdateExpression": "ADD n :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                }
            }
        ],
        "ClientRequestToken": token,
        **more,
    }


def counter(call: Any) -> str:
    item = call("GetItem", TableName="Simple", Key=strings(pk="counter"))["Item"]
    return str(item["n"]["N"])


def test_a_token_makes_a_repeat_harmless_for_ten_minutes(call: Any, clock: ManualClock) -> None:
    call("TransactWriteItems", **increment("t1"))
    clock.advance(599)
    call("TransactWriteItems", **increment("t1"))
    assert counter(call) == "1"
    clock.advance(2)
    call("TransactWriteItems", **increment("t1"))
    assert counter(call) == "2"


def test_old_tokens_go_a_few_at_a_time(call: Any, engine: Engine, clock: ManualClock) -> None:
    def kept() -> int:
        count: int = engine.store.rows("SELECT count(*) FROM tokens", ())[0][0]
        return count

    for n in range(25):
        call("TransactWriteItems", **increment(f"old {n}"))
    clock.advance(601)
    left = []
    for n in range(4):
        call("TransactWriteItems", **increment(f"new {n}"))
        left.append(kept())
    assert left == [16, 7, 3, 4]


def test_a_token_belongs_to_its_parameters(call: Any, refused: Any) -> None:
    call("TransactWriteItems", **increment("t1"))
    error = refused("TransactWriteItems", TransactItems=[put("x")], ClientRequestToken="t1")
    assert error.code == "IdempotentParameterMismatchException"


def test_a_cancelled_transaction_does_not_use_its_token_up(call: Any, refused: Any) -> None:
    request = {"TransactItems": [put("a", "attribute_exists(pk)")], "ClientRequestToken": "t"}
    refused("TransactWriteItems", **request)
    call("PutItem", TableName="Simple", Item=strings(pk="a", x="old"))
    call("TransactWriteItems", **request)
    item = call("GetItem", TableName="Simple", Key=strings(pk="a"))["Item"]
    assert item == strings(pk="a"), "the second try was taken for a repeat and not done"


def test_transactions_cost_double(call: Any) -> None:
    first = call("TransactWriteItems", **increment("t", ReturnConsumedCapacity="TOTAL"))
    assert first["ConsumedCapacity"] == [
        {"TableName": "Simple", "CapacityUnits": 2.0, "WriteCapacityUnits": 2.0}
    ]
    again = call("TransactWriteItems", **increment("t", ReturnConsumedCapacity="TOTAL"))
    assert again["ConsumedCapacity"] == [
        {"TableName": "Simple", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}
    ]
    read = call(
        "TransactGetItems",
        TransactItems=[{"Get": {"TableName": "Simple", "Key": strings(pk="counter")}}],
        ReturnConsumedCapacity="TOTAL",
    )
    assert read["ConsumedCapacity"] == [
        {"TableName": "Simple", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}
    ]


def test_members_must_be_one_action(refused: Any) -> None:
    both = {**put("a"), "Delete": {"TableName": "Simple", "Key": strings(pk="a")}}
    error = refused("TransactWriteItems", TransactItems=[both])
    assert error.message == "TransactItems can only contain one of Check, Put, Update or Delete"


@pytest.mark.parametrize(
    "member",
    [
        {"Put": {"TableName": "Simple", "Item": strings(pk="")}},
        {"Delete": {"TableName": "Simple", "Key": strings(pk="")}},
        {
            "Update": {
                "TableName": "Simple",
                "Key": strings(pk=""),
                "UpdateExpression": "REMOVE x",
            }
        },
    ],
    ids=lambda member: next(iter(member)),
)
def test_an_empty_key_refuses_the_request_itself(call: Any, refused: Any, member: Any) -> None:
    error = refused("TransactWriteItems", TransactItems=[put("fine"), member])
    assert error.code == "ValidationException"
    assert error.message == (
        "One or more parameter values are not valid. The AttributeValue for a key attribute "
        "cannot contain an empty string value. Key: pk"
    )
    assert stored(call) == set()


def test_parameters_that_transactions_do_not_have_are_ignored(call: Any) -> None:
    call("PutItem", TableName="Simple", Item=strings(pk="a", x="1"))
    unknown: dict[str, Any] = {"AttributesToGet": ["pk", 5], "Expected": 7, "Surprise": []}
    get = {"TableName": "Simple", "Key": strings(pk="a"), **unknown}
    found = call("TransactGetItems", TransactItems=[{"Get": get}], More=1)
    assert found["Responses"] == [{"Item": strings(pk="a", x="1")}]
    member = {"TableName": "Simple", "Item": strings(pk="b"), **unknown}
    call("TransactWriteItems", TransactItems=[{"Put": member}])
    assert stored(call) == {"a", "b"}
