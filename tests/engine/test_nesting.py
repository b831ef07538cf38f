"""How deep values may be: 32 levels, of which the attribute itself is the first.

A leaf within 31 maps or lists can be stored, one within 32 cannot. What AWS answers depends on the
operation, and on how much too deep a value is.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.samples import simple_table, strings

SHORT = "Nesting Levels have exceeded supported limits"
TOO_DEEP = f"{SHORT}: Attributes in the item have nested levels beyond supported limit"
ENVELOPED = f"1 validation error detected: {TOO_DEEP}"
NAMED = f"ExpressionAttributeValues contains invalid value: {TOO_DEEP} for key :deep"


@pytest.fixture(autouse=True)
def table(call: Any) -> None:
    call("CreateTable", **simple_table())
    call("PutItem", TableName="Simple", Item={**strings(pk="a"), "m": {"M": {}}})


def nested(count: int, kind: str = "M") -> dict[str, Any]:
    """A leaf within ``count`` maps or lists."""
    value: dict[str, Any] = {"S": "leaf"}
    for _ in range(count):
        value = {"M": {"n": value}} if kind == "M" else {"L": [value]}
    return value


def item(count: int, kind: str = "M") -> dict[str, Any]:
    return {**strings(pk="new"), "deep": nested(count, kind)}


def request(count: int, update: str | None = None, condition: str | None = None) -> dict[str, Any]:
    given: dict[str, Any] = {
        "TableName": "Simple",
        "Key": strings(pk="a"),
        "ExpressionAttributeValues": {":deep": nested(count)},
    }
    if update is not None:
        given["UpdateExpression"] = update
    if condition is not None:
        given["ConditionExpression"] = condition
    return given


def stored(call: Any, key: str) -> Any:
    return call("GetItem", TableName="Simple", Key=strings(pk=key)).get("Item")


@pytest.mark.parametrize("kind", ["M", "L"])
def test_31_around_a_leaf_can_be_stored(call: Any, kind: str) -> None:
    deepest = item(31, kind)
    for operation, given in (
        ("PutItem", {"TableName": "Simple", "Item": deepest}),
        ("BatchWriteItem", {"RequestItems": {"Simple": [{"PutRequest": {"Item": deepest}}]}}),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"TableName": "Simple", "Item": deepest}}]},
        ),
    ):
        call(operation, **given)
        assert stored(call, "new") == deepest
        call("DeleteItem", TableName="Simple", Key=strings(pk="new"))
    call("UpdateItem", **request(31, "SET deep = :deep"))
    assert stored(call, "a")["deep"] == nested(31)


def test_an_empty_map_is_a_leaf(call: Any) -> None:
    value: dict[str, Any] = {"M": {}}
    for _ in range(31):
        value = {"M": {"n": value}}
    deepest = {**strings(pk="new"), "deep": value}
    call("PutItem", TableName="Simple", Item=deepest)
    assert stored(call, "new") == deepest


@pytest.mark.parametrize(
    ("count", "message"), [(32, ENVELOPED), (61, ENVELOPED), (63, TOO_DEEP), (101, TOO_DEEP)]
)
def test_a_put_of_what_is_too_deep(call: Any, refused: Any, count: int, message: str) -> None:
    error = refused("PutItem", TableName="Simple", Item=item(count))
    assert (error.code, error.message) == ("ValidationException", message)
    assert stored(call, "new") is None


@pytest.mark.parametrize(("count", "message"), [(32, ENVELOPED), (61, ENVELOPED), (63, NAMED)])
@pytest.mark.parametrize("condition", [None, "absent = :deep"])
def test_an_update_with_what_is_too_deep(
    refused: Any, count: int, message: str, condition: str | None
) -> None:
    update = "SET deep = :deep" if condition is None else "REMOVE x"
    error = refused("UpdateItem", **request(count, update, condition))
    assert (error.code, error.message) == ("ValidationException", message)


def test_a_condition_may_be_as_deep_as_an_item(refused: Any) -> None:
    for operation, update in (("UpdateItem", "REMOVE x"), ("DeleteItem", None)):
        error = refused(operation, **request(31, update, "absent = :deep"))
        assert error.code == "ConditionalCheckFailedException"
        error = refused(operation, **request(32, update, "absent = :deep"))
        assert error.message == ENVELOPED


def test_puts_in_batches_and_transactions_are_refused_in_plain_words(refused: Any) -> None:
    for count in (32, 61):
        put = {"TableName": "Simple", "Item": item(count)}
        error = refused("TransactWriteItems", TransactItems=[{"Put": put}])
        assert (error.code, error.message) == ("ValidationException", TOO_DEEP)
        batch = {"Simple": [{"PutRequest": {"Item": item(count)}}]}
        error = refused("BatchWriteItem", RequestItems=batch)
        assert (error.code, error.message) == ("ValidationException", TOO_DEEP)


def test_values_in_a_transaction_may_be_one_level_deeper(call: Any, refused: Any) -> None:
    for name, update in (("ConditionCheck", None), ("Update", "REMOVE x")):
        member = {name: request(32, update, "absent = :deep")}
        error = refused("TransactWriteItems", TransactItems=[member])
        assert error.extra["CancellationReasons"][0]["Code"] == "ConditionalCheckFailed"
        for count in (33, 61):
            member = {name: request(count, update, "absent = :deep")}
            error = refused("TransactWriteItems", TransactItems=[member])
            assert (error.code, error.message) == ("ValidationException", NAMED)


def test_what_an_update_would_store_too_deep(call: Any, refused: Any) -> None:
    reasons = [{"Code": "ValidationError", "Message": SHORT}]
    member = {"Update": request(32, "SET deep = :deep")}
    error = refused("TransactWriteItems", TransactItems=[member])
    assert error.extra["CancellationReasons"] == reasons
    # As deep as a value may be, but not in another map.
    error = refused("UpdateItem", **request(31, "SET m.deep = :deep"))
    assert (error.code, error.message) == ("ValidationException", SHORT)
    error = refused(
        "ExecuteStatement",
        Statement="UPDATE Simple SET m.deep = ? WHERE pk = 'a'",
        Parameters=[nested(31)],
    )
    assert (error.code, error.message) == ("ValidationException", SHORT)
    call("UpdateItem", **request(30, "SET m.deep = :deep"))


def test_an_insert_of_what_is_too_deep(call: Any, refused: Any) -> None:
    statement = "INSERT INTO Simple VALUE {'pk': 'new', 'deep': ?}"
    error = refused("ExecuteStatement", Statement=statement, Parameters=[nested(32)])
    assert error.message == TOO_DEEP
    call("ExecuteStatement", Statement=statement, Parameters=[nested(31)])
    assert stored(call, "new") == item(31)
