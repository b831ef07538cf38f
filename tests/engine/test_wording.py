"""The words of refusals: AWS's of October 2026 by default, and those of before where asked for.

The expected texts are what us-east-1 was seen to answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from tests.engine.samples import composite_table, simple_table, strings

from tablewright.engine import AwsError, Engine

INVALID = "One or more parameter values were invalid: "
ONE = "1 validation error detected: "
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)
NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
NESTING = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
    "beyond supported limit"
)
RETURN_VALUES = (
    "Failed to satisfy constraint: Member must satisfy enum value set: "
    "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
)
OLD_RETURN_VALUES = (
    "Value 'INVALID' at 'returnValues' failed to satisfy constraint: Member must satisfy enum "
    "value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
)
CAPACITY = (
    "Value 'INVALID' at 'returnConsumedCapacity' failed to satisfy constraint: Member must "
    "satisfy enum value set: [INDEXES, TOTAL, NONE]"
)
METRICS = (
    "Value 'INVALID' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must "
    "satisfy enum value set: [SIZE, NONE]"
)
NO_NAME = "failed to satisfy constraint: Member must have length greater than or equal to 1"
NO_KEY = "Value null at 'key' failed to satisfy constraint: Member must not be null"
KEY = strings(pk="a")


@pytest.fixture(scope="module")
def current() -> Iterator[Engine]:
    with Engine.memory() as engine:
        prepare(engine)
        yield engine


@pytest.fixture(scope="module")
def older() -> Iterator[Engine]:
    with Engine.memory(error_wording="older") as engine:
        prepare(engine)
        yield engine


def prepare(engine: Engine) -> None:
    engine.call("CreateTable", simple_table())
    engine.call("CreateTable", composite_table())


def message(engine: Engine, operation: str, request: dict[str, Any]) -> str:
    with pytest.raises(AwsError) as caught:
        engine.call(operation, request)
    assert caught.value.code == "ValidationException"
    return caught.value.message


def put(**more: Any) -> dict[str, Any]:
    return {"TableName": "Simple", "Item": KEY, **more}


def by_key(**more: Any) -> dict[str, Any]:
    return {"TableName": "Simple", "Key": KEY, **more}


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "leaf"}
    for _ in range(levels):
        value = {"M": {"n": value}}
    return value


def test_an_unknown_wording_is_refused() -> None:
    with pytest.raises(ValueError, match="error_wording"):
        Engine.memory(error_wording=cast(Any, "newest"))


# --- values ------------------------------------------------------------------------------

#: what is sent, the current text, the older text
VALUES = [
    ({"N": "abc"}, f"{NOT_NUMERIC}: abc", f"{NOT_NUMERIC}: abc"),
    ({"N": ""}, f"{NOT_NUMERIC}: ", NOT_NUMERIC),
    ({"N": "1e126"}, OVERFLOW, OVERFLOW),
    ({"N": "1e2147483647"}, OVERFLOW, UNDERFLOW),
    ({"N": "1e-131"}, UNDERFLOW, UNDERFLOW),
    ({"N": "0e126"}, OVERFLOW, OVERFLOW),
    ({"N": "0e-131"}, UNDERFLOW, UNDERFLOW),
    ({"NS": ["1", "abc"]}, f"{NOT_NUMERIC}: abc", f"{NOT_NUMERIC}: abc"),
    (
        {"SS": ["b", "a", "b"]},
        f'{INVALID}Input collection ["a", "b", "b"] contains duplicates.',
        f"{INVALID}Input collection [b, a, b] contains duplicates.",
    ),
    (
        {"BS": ["/w==", "AA==", "AA=="]},
        f'{INVALID}Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.',
        f"{INVALID}Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
    ),
    (
        {"NS": ["2", "1", "2"]},
        f"{INVALID}Input collection contains duplicates.",
        "Input collection contains duplicates",
    ),
]
IDS = [str(sent) for sent, _, _ in VALUES]


@pytest.mark.parametrize(("sent", "now", "before"), VALUES, ids=IDS)
def test_values_of_requests_that_write_one_item(
    current: Engine, older: Engine, sent: Any, now: str, before: str
) -> None:
    condition = {"ConditionExpression": "n = :v", "ExpressionAttributeValues": {":v": sent}}
    update = {"UpdateExpression": "SET n = :v", "ExpressionAttributeValues": {":v": sent}}
    plain: list[tuple[str, dict[str, Any]]] = [
        ("PutItem", {"TableName": "Simple", "Item": {**KEY, "n": sent}}),
        ("PutItem", {"TableName": "Simple", "Item": {**KEY, "n": {"M": {"x": {"L": [sent]}}}}}),
        ("PutItem", put(Expected={"n": {"Value": sent}})),
        ("UpdateItem", by_key(AttributeUpdates={"n": {"Action": "PUT", "Value": sent}})),
        ("UpdateItem", {"TableName": "Simple", "Key": {"pk": sent}}),
        ("DeleteItem", {"TableName": "Simple", "Key": {"pk": sent}}),
    ]
    for operation, request in plain:
        assert message(current, operation, request) == ONE + now
        assert message(older, operation, request) == before
    for operation, request in (
        ("PutItem", put(**condition)),
        ("UpdateItem", by_key(**update)),
        ("DeleteItem", by_key(**condition)),
    ):
        assert message(current, operation, request) == ONE + now
        named = f"ExpressionAttributeValues contains invalid value: {before} for key :v"
        assert message(older, operation, request) == named


@pytest.mark.parametrize(("sent", "now", "before"), VALUES, ids=IDS)
def test_values_of_requests_that_read(
    current: Engine, older: Engine, sent: Any, now: str, before: str
) -> None:
    partition = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}
    filter_ = {"ComparisonOperator": "EQ", "AttributeValueList": [sent]}
    for operation, request in (
        ("GetItem", {"TableName": "Simple", "Key": {"pk": sent}}),
        ("BatchGetItem", {"RequestItems": {"Simple": {"Keys": [{"pk": sent}]}}}),
        (
            "Query",
            {
                "TableName": "Simple",
                "KeyConditions": {"pk": partition},
                "QueryFilter": {"n": filter_},
            },
        ),
        (
            "Query",
            {
                "TableName": "Simple",
                "KeyConditions": {"pk": partition},
                "ExclusiveStartKey": {"pk": sent},
            },
        ),
    ):
        assert message(current, operation, request) == now
        assert message(older, operation, request) == before
    by_expression = {
        "TableName": "Simple",
        "KeyConditionExpression": "pk = :p",
        "FilterExpression": "n = :v",
        "ExpressionAttributeValues": {":p": {"S": "a"}, ":v": sent},
    }
    assert message(current, "Query", by_expression) == now
    named = f"ExpressionAttributeValues contains invalid value: {before} for key :v"
    assert message(older, "Query", by_expression) == named


@pytest.mark.parametrize(("sent", "now", "before"), VALUES, ids=IDS)
def test_values_of_other_requests_are_worded_as_before(
    current: Engine, sent: Any, now: str, before: str
) -> None:
    batch = {"RequestItems": {"Simple": [{"PutRequest": {"Item": {**KEY, "n": sent}}}]}}
    assert message(current, "BatchWriteItem", batch) == before
    action = {"Put": {"TableName": "Simple", "Item": {**KEY, "n": sent}}}
    assert message(current, "TransactWriteItems", {"TransactItems": [action]}) == before
    get = {"Get": {"TableName": "Simple", "Key": {"pk": sent}}}
    assert message(current, "TransactGetItems", {"TransactItems": [get]}) == before
    scan = {
        "TableName": "Simple",
        "FilterExpression": "n = :v",
        "ExpressionAttributeValues": {":v": sent},
    }
    named = f"ExpressionAttributeValues contains invalid value: {before} for key :v"
    assert message(current, "Scan", scan) == named


# --- expressions and parameters ----------------------------------------------------------

NO_EXPRESSION = "can only be specified when using expressions"
VALUE = {":v": {"S": "x"}}


@pytest.mark.parametrize(
    ("operation", "request_", "now", "before"),
    [
        (
            "PutItem",
            put(ExpressionAttributeValues=VALUE),
            f"ExpressionAttributeValues {NO_EXPRESSION}",
            f"ExpressionAttributeValues {NO_EXPRESSION}: ConditionExpression is null",
        ),
        (
            "PutItem",
            put(ExpressionAttributeNames={"#a": "a"}),
            *[f"ExpressionAttributeNames {NO_EXPRESSION}"] * 2,
        ),
        (
            "DeleteItem",
            by_key(ConditionExpression=""),
            *["Invalid ConditionExpression: The expression can not be empty;"] * 2,
        ),
        (
            "UpdateItem",
            by_key(UpdateExpression="INVALID SYNTAX HERE", ExpressionAttributeValues=VALUE),
            *['Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"']
            * 2,
        ),
        (
            "UpdateItem",
            by_key(
                UpdateExpression="SET b = :w",
                ConditionExpression="a = :v",
                ExpressionAttributeValues={":w": {"S": "x"}},
            ),
            *[
                "Invalid ConditionExpression: An expression attribute value used in expression is "
                "not defined; attribute value: :v"
            ]
            * 2,
        ),
        (
            "UpdateItem",
            by_key(
                UpdateExpression="SET a = :v", ExpressionAttributeValues={**VALUE, ":u": {"S": ""}}
            ),
            *["Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}"] * 2,
        ),
        (
            "DeleteItem",
            by_key(ReturnValues="ALL_NEW"),
            *["ReturnValues can only be ALL_OLD or NONE"] * 2,
        ),
        (
            "DeleteItem",
            by_key(Expected={"a": {"Exists": True}}),
            *[f"{INVALID}Value must be provided when Exists is true for Attribute: a"] * 2,
        ),
        (
            "PutItem",
            put(Item={**KEY, "s": {"SS": []}}),
            *[f"{INVALID}An string set  may not be empty"] * 2,
        ),
        ("PutItem", put(Item={**KEY, "m": {"M": {"": {"S": "x"}}}}), *["Empty attribute name"] * 2),
    ],
)
def test_requests_that_write_one_item_have_their_errors_counted(
    current: Engine, older: Engine, operation: str, request_: Any, now: str, before: str
) -> None:
    assert message(current, operation, request_) == ONE + now
    assert message(older, operation, request_) == before


@pytest.mark.parametrize(
    ("operation", "request_", "text"),
    [
        ("PutItem", put(Item={"x": {"S": "y"}}), f"{INVALID}Missing the key pk in the item"),
        (
            "PutItem",
            put(Item={"pk": {"N": "1"}}),
            f"{INVALID}Type mismatch for key pk expected: S actual: N",
        ),
        (
            "DeleteItem",
            by_key(Key={"pk": {"N": "1"}}),
            "The provided key element does not match the schema",
        ),
        (
            "UpdateItem",
            by_key(UpdateExpression="SET pk = :v", ExpressionAttributeValues=VALUE),
            f"{INVALID}Cannot update attribute pk. This attribute is part of the key",
        ),
        (
            "PutItem",
            put(Item={**KEY, "x": {"S": "x" * 410_000}}),
            "Item size has exceeded the maximum allowed size",
        ),
    ],
)
def test_what_is_not_about_the_request_alone_is_not_counted(
    current: Engine, older: Engine, operation: str, request_: Any, text: str
) -> None:
    assert message(current, operation, request_) == text
    assert message(older, operation, request_) == text


# --- shapes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "content"),
    [("PutItem", {"Item": KEY}), ("UpdateItem", {"Key": KEY}), ("DeleteItem", {"Key": KEY})],
)
def test_an_empty_table_name_comes_alone(
    current: Engine, older: Engine, operation: str, content: Any
) -> None:
    request = {"TableName": "", "ReturnValues": "INVALID", **content}
    assert message(current, operation, request) == f"{ONE}Value at 'TableName' {NO_NAME}"
    assert message(older, operation, request) == f"{ONE}Value '' at 'tableName' {NO_NAME}"


def test_enumerations(current: Engine, older: Engine) -> None:
    wrong = {"ReturnValues": "INVALID", "ReturnConsumedCapacity": "INVALID"}
    three = {**wrong, "ReturnItemCollectionMetrics": "INVALID"}
    assert message(current, "PutItem", put(**three)) == (
        f"3 validation errors detected: {CAPACITY}; {RETURN_VALUES}; {METRICS}"
    )
    assert message(older, "PutItem", put(**three)) == (
        f"3 validation errors detected: {CAPACITY}; {OLD_RETURN_VALUES}; {METRICS}"
    )
    assert message(current, "DeleteItem", by_key(**wrong)) == (
        f"2 validation errors detected: {CAPACITY}; {RETURN_VALUES}"
    )
    assert message(current, "UpdateItem", by_key(**wrong)) == ONE + RETURN_VALUES
    assert message(older, "UpdateItem", by_key(**wrong)) == (
        f"2 validation errors detected: {CAPACITY}; {OLD_RETURN_VALUES}"
    )


def test_without_a_key_all_errors_are_reported_as_before(current: Engine) -> None:
    wrong = {"ReturnValues": "INVALID", "ReturnConsumedCapacity": "INVALID"}
    empty_name = f"Value '' at 'tableName' {NO_NAME}"
    assert message(current, "UpdateItem", {"TableName": ""}) == (
        f"2 validation errors detected: {empty_name}; {NO_KEY}"
    )
    assert message(current, "UpdateItem", {"TableName": "", **wrong}) == (
        f"4 validation errors detected: {CAPACITY}; {empty_name}; {OLD_RETURN_VALUES}; {NO_KEY}"
    )
    operator = {
        "Expected": {"a": {"Exists": False}, "b": {"Exists": False}},
        "ConditionalOperator": "XOR",
    }
    assert message(current, "UpdateItem", {"TableName": "Simple", **operator}) == (
        "2 validation errors detected: Value 'XOR' at 'conditionalOperator' failed to satisfy "
        f"constraint: Member must satisfy enum value set: [OR, AND]; {NO_KEY}"
    )


def test_an_unknown_conditional_operator(current: Engine) -> None:
    text = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
    null = {"ComparisonOperator": "NULL"}
    query = {
        "TableName": "Absent",
        "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}},
        "QueryFilter": {"b": null, "c": null},
        "ConditionalOperator": "XOR",
        "Select": "BOGUS",
    }
    assert message(current, "Query", query) == text
    expected = {"a": {"Exists": False}, "b": {"Exists": False}}
    request = put(Expected=expected, ConditionalOperator="XOR")
    assert message(current, "PutItem", request) == ONE + text


def test_batches(current: Engine, older: Engine) -> None:
    assert message(current, "BatchGetItem", {"RequestItems": {}}) == (
        f"{ONE}Value at 'RequestItems' {NO_NAME}"
    )
    assert message(older, "BatchGetItem", {"RequestItems": {}}) == (
        "The requestItems parameter is required for BatchGetItem"
    )
    for engine in (current, older):
        assert message(engine, "BatchWriteItem", {"RequestItems": {}}) == (
            "The requestItems parameter is required for BatchWriteItem"
        )
    bad_name = {"RequestItems": {"bad!name": {"Keys": [{"pk": {"S": "a"}}]}}}
    bad = (
        'Value \'{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}\' at \'requestItems\' failed to '
        "satisfy constraint: Map keys must satisfy constraint: [Member must have length less than "
        "or equal to 255, Member must have length greater than or equal to 3, Member must satisfy "
        "regular expression pattern: [a-zA-Z0-9_.-]+]"
    )
    assert message(current, "BatchGetItem", bad_name) == ONE + bad
    both = {**bad_name, "ReturnConsumedCapacity": "INVALID"}
    assert message(current, "BatchGetItem", both) == (
        f"2 validation errors detected: {bad}; {CAPACITY}"
    )
    write = {
        "RequestItems": {"bad!name": [{"PutRequest": {"Item": KEY}}]},
        "ReturnConsumedCapacity": "INVALID",
    }
    assert message(current, "BatchWriteItem", write) == ONE + CAPACITY


def test_index_names_of_global_indexes_come_first(current: Engine) -> None:
    def index(name: str, *attributes: str) -> dict[str, Any]:
        keys = [
            {"AttributeName": attribute, "KeyType": kind}
            for attribute, kind in zip(attributes, ("HASH", "RANGE"), strict=False)
        ]
        return {"IndexName": name, "KeySchema": keys, "Projection": {"ProjectionType": "ALL"}}

    table = composite_table("Named", LocalSecondaryIndexes=[index("aa", "pk", "lr")])
    table["GlobalSecondaryIndexes"] = [index("zz", "gh")]
    short = "failed to satisfy constraint: Member must have length greater than or equal to 3"
    assert message(current, "CreateTable", table) == (
        f"2 validation errors detected: Value 'zz' at 'globalSecondaryIndexes.1.member.indexName' "
        f"{short}; Value 'aa' at 'localSecondaryIndexes.1.member.indexName' {short}"
    )


# --- depth -------------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [33, 40])
def test_values_that_are_too_deep_are_counted(current: Engine, levels: int) -> None:
    assert message(current, "PutItem", put(Item={**KEY, "d": nested(levels)})) == ONE + NESTING


@pytest.mark.parametrize("levels", [63, 100, 400])
def test_far_too_deep_requests_are_worded_as_before_and_other_errors_come_first(
    current: Engine, levels: int
) -> None:
    deep = nested(levels)
    condition = {"ConditionExpression": "d = :d", "ExpressionAttributeValues": {":d": deep}}
    expected = {"a": {"Value": deep}, "b": {"Exists": False}}
    operator = (
        f"{ONE}Value 'XOR' at 'conditionalOperator' failed to satisfy constraint: Member must "
        "satisfy enum value set: [OR, AND]"
    )
    assert message(current, "PutItem", put(Item={**KEY, "d": deep})) == NESTING
    xor = put(Expected=expected, ConditionalOperator="XOR")
    assert message(current, "PutItem", xor) == operator
    for request in (
        by_key(**condition, ReturnValues="INVALID"),
        by_key(Expected={"d": {"Value": deep}}, ReturnValues="INVALID"),
        by_key(Key={"pk": deep}, ReturnValues="INVALID"),
    ):
        assert message(current, "DeleteItem", request) == ONE + OLD_RETURN_VALUES
    assert message(current, "DeleteItem", by_key(**condition, ReturnValues="UPDATED_NEW")) == (
        "ReturnValues can only be ALL_OLD or NONE"
    )


SYNTAX = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"'


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        (
            [
                {"Put": put(Item={**KEY, "d": nested(40)})},
                {"Put": put(Item={**strings(pk="b"), "": {"S": "x"}})},
            ],
            NESTING,
        ),
        (
            [
                {"Put": put(Item={**KEY, "": {"S": "x"}})},
                {"Put": put(Item={**strings(pk="b"), "d": nested(100)})},
            ],
            "Empty attribute name",
        ),
        ([{"Put": put(Item={**KEY, "d": nested(100), "": {"S": "x"}})}], "Empty attribute name"),
        ([{"Put": put(Item={**KEY, "m": {"M": {"": {"S": "x"}}}, "d": nested(40)})}], NESTING),
        (
            [
                {"Put": put(ConditionExpression="a = = b")},
                {"Delete": by_key(Key={"pk": nested(100)})},
            ],
            SYNTAX,
        ),
        (
            [{"Delete": by_key(Key={"pk": nested(100)}, ConditionExpression="a = = b")}],
            SYNTAX,
        ),
        (
            [
                {"Delete": by_key(Key={"pk": nested(40)})},
                {"Put": put(ConditionExpression="a = = b")},
            ],
            NESTING,
        ),
        (
            [
                {
                    "Update": by_key(
                        UpdateExpression="SET a = :v",
                        ExpressionAttributeValues={**VALUE, ":u": {"S": ""}},
                    )
                },
                {
                    "ConditionCheck": by_key(
                        Key={"pk": nested(100)}, ConditionExpression="attribute_exists(a)"
                    )
                },
            ],
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}",
        ),
        (
            [
                {
                    "Update": by_key(
                        UpdateExpression="SET " + ", ".join(f"a{n} = :v" for n in range(500)),
                        ExpressionAttributeValues=VALUE,
                    )
                }
            ],
            "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;",
        ),
    ],
)
def test_the_actions_of_a_transaction_are_checked_one_after_the_other(
    current: Engine, actions: Any, text: str
) -> None:
    assert message(current, "TransactWriteItems", {"TransactItems": actions}) == text
