"""Index keys that no index can hold: AWS's words depend on who has written them, and how."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.samples import index, simple_table, strings

MISMATCH = "One or more parameter values were invalid: Type mismatch for Index Key g "
NOT_VALID = "One or more parameter values are not valid. "
EMPTY = "The AttributeValue for a key attribute cannot contain an empty {} value."
ATTEMPTED = "The update expression attempted to update the secondary index key "


def put_text(kind: str, name: str, key: str) -> str:
    return (
        f"{NOT_VALID}A value specified for a secondary index key is not supported. "
        f"{EMPTY.format(kind)} IndexName: {name}, IndexKey: {key}"
    )


def update_text(kind: str) -> str:
    return (
        f"{NOT_VALID}The update expression attempted to update a secondary index key to a value "
        f"that is not supported. {EMPTY.format(kind)}"
    )


@pytest.fixture(autouse=True)
def table(call: Any) -> None:
    definitions = [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("g", "S"), ("b", "B"))
    ]
    call(
        "CreateTable",
        **simple_table(
            AttributeDefinitions=definitions,
            GlobalSecondaryIndexes=[
                index("zulu", "g"),
                index("alpha", "pk", "g"),
                index("bin", "b"),
            ],
        ),
    )
    item = {**strings(pk="a", blank="", lengthy="x" * 3000), "n": {"N": "1"}}
    call("PutItem", TableName="Simple", Item=item)


def update(expression: str, **values: Any) -> dict[str, Any]:
    request: dict[str, Any] = {
        "TableName": "Simple",
        "Key": strings(pk="a"),
        "UpdateExpression": expression,
    }
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": av for name, av in values.items()}
    return request


@pytest.mark.parametrize(
    ("name", "value", "kind", "first"),
    [("g", {"S": ""}, "string", "alpha"), ("b", {"B": ""}, "binary", "bin")],
)
def test_empty_values_refuse_every_request_whole(
    refused: Any, name: str, value: Any, kind: str, first: str
) -> None:
    put = {"TableName": "Simple", "Item": {**strings(pk="new"), name: value}}
    change = update(f"SET {name} = :v", v=value)
    insertion = {
        "Statement": f"INSERT INTO Simple VALUE {{'pk': 'new', '{name}': ?}}",
        "Parameters": [value],
    }
    alteration = {
        "Statement": f"UPDATE Simple SET {name} = ? WHERE pk = 'a'",
        "Parameters": [value],
    }
    for operation, request in (
        ("PutItem", put),
        ("BatchWriteItem", {"RequestItems": {"Simple": [{"PutRequest": {"Item": put["Item"]}}]}}),
        ("TransactWriteItems", {"TransactItems": [{"Put": put}]}),
        ("ExecuteStatement", insertion),
        ("ExecuteTransaction", {"TransactStatements": [insertion]}),
    ):
        error = refused(operation, **request)
        assert (error.code, error.message) == (
            "ValidationException",
            put_text(kind, first, name),
        ), operation
    for operation, request in (
        ("UpdateItem", change),
        ("TransactWriteItems", {"TransactItems": [{"Update": change}]}),
        ("ExecuteStatement", alteration),
        ("ExecuteTransaction", {"TransactStatements": [alteration]}),
    ):
        error = refused(operation, **request)
        assert (error.code, error.message) == ("ValidationException", update_text(kind)), operation


def test_an_empty_value_from_the_item_is_refused_like_a_given_one(refused: Any) -> None:
    assert refused("UpdateItem", **update("SET g = blank")).message == update_text("string")


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (update("SET g = :v", v={"N": "5"}), MISMATCH + "Expected: S Actual: N IndexName: alpha"),
        (
            update("SET g = :v", v={"L": [{"S": "x"}]}),
            MISMATCH + "Expected: S Actual: L IndexName: alpha",
        ),
        (update("SET g = n"), ATTEMPTED + "to unsupported type"),
        (update("SET g = n + :v", v={"N": "5"}), ATTEMPTED + "to unsupported type"),
        (update("SET g = if_not_exists(g, n)"), ATTEMPTED + "to unsupported type"),
        (update("SET g = lengthy"), ATTEMPTED + "beyond allowed size limits"),
    ],
    ids=lambda value: value if isinstance(value, str) else value["UpdateExpression"],
)
def test_what_an_update_makes_of_an_index_key(
    call: Any, refused: Any, request_: dict[str, Any], message: str
) -> None:
    error = refused("UpdateItem", **request_)
    assert (error.code, error.message) == ("ValidationException", message)
    error = refused("TransactWriteItems", TransactItems=[{"Update": request_}])
    assert error.extra["CancellationReasons"] == [{"Code": "ValidationError", "Message": message}]
    assert "g" not in call("GetItem", TableName="Simple", Key=strings(pk="a"))["Item"]


def test_a_put_of_the_wrong_type_cancels_a_transaction(refused: Any) -> None:
    put = {"TableName": "Simple", "Item": {**strings(pk="new"), "g": {"N": "5"}}}
    error = refused("TransactWriteItems", TransactItems=[{"Put": put}])
    message = MISMATCH + "Expected: S Actual: N IndexName: alpha"
    assert error.extra["CancellationReasons"] == [{"Code": "ValidationError", "Message": message}]


def test_legacy_updates_are_refused_like_expressions(refused: Any) -> None:
    def legacy(value: Any) -> str:
        message: str = refused(
            "UpdateItem",
            TableName="Simple",
            Key=strings(pk="a"),
            AttributeUpdates={"g": {"Action": "PUT", "Value": value}},
        ).message
        return message

    assert legacy({"S": ""}) == update_text("string")
    assert legacy({"N": "1"}) == MISMATCH + "Expected: S Actual: N IndexName: alpha"
