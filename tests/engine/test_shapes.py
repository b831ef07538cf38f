"""Requests that do not fit the service model get AWS's answers; the others pass untouched.

The texts are those of the older wording. What AWS has changed since is in test_wording.
"""

from __future__ import annotations

import copy
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import many

from tablewright.engine import Engine, shapes
from tablewright.engine.catalog import table_name
from tablewright.engine.errors import AwsError
from tablewright.engine.shapes import constraints, decoding, model, precedence
from tablewright.engine.shapes.accept import compiled

ROOT = Path(__file__).parents[2]
NAME = "[a-zA-Z0-9_.-]+"
CLASS = "com.amazonaws.dynamodb.v20120810."
STRUCTURE = "Start of structure or map found where not expected"


def answer(operation: str, request: Any) -> tuple[str, str]:
    with pytest.raises(AwsError) as caught:
        shapes.check(operation, request, "older")
    return caught.value.code, caught.value.message


def serialization(operation: str, request: Any) -> str:
    code, message = answer(operation, request)
    assert code == "SerializationException", message
    return message


def validation(operation: str, request: Any) -> str:
    code, message = answer(operation, request)
    assert code == "ValidationException", message
    return message


def violations(operation: str, request: Any) -> list[str]:
    """The single violations of a message that counts them, without the words they share."""
    count, _, rest = validation(operation, request).partition(" validation error")
    _, _, rest = rest.partition(" detected: ")
    found = rest.split("; ")
    assert len(found) == int(count)
    return [text.replace(" failed to satisfy constraint: Member must", ":") for text in found]


def put(item: Any, **more: Any) -> dict[str, Any]:
    return {"TableName": "Music", "Item": item, **more}


def nested(depth: int, kind: str = "L") -> dict[str, Any]:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(depth):
        value = {"L": [value]} if kind == "L" else {"M": {"a": value}}
    return value


# --- wrong JSON types --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (True, "TRUE_VALUE cannot be converted to String"),
        (False, "FALSE_VALUE cannot be converted to String"),
        (23, "NUMBER_VALUE cannot be converted to String"),
        (-(2**40), "NUMBER_VALUE cannot be converted to String"),
        (34.56, "DECIMAL_VALUE cannot be converted to String"),
        (1e30, "NUMBER_VALUE cannot be converted to String"),
        ([], "Unrecognized collection type class java.lang.String"),
        ({}, STRUCTURE),
        (b"x", "Unexpected token received from parser"),
    ],
)
@pytest.mark.parametrize(
    "build",
    [
        lambda wrong: ("GetItem", {"TableName": wrong}),
        lambda wrong: ("PutItem", put({"a": {"S": wrong}})),
        lambda wrong: ("PutItem", put({"a": {"N": wrong}})),
        lambda wrong: ("PutItem", put({"a": {"SS": ["x", wrong]}})),
        lambda wrong: ("PutItem", put({"a": {"L": [{"M": {"b": {"NS": [wrong]}}}]}})),
        lambda wrong: ("GetItem", {"AttributesToGet": [wrong]}),
        lambda wrong: ("GetItem", {"ExpressionAttributeNames": {"#a": wrong}}),
        lambda wrong: ("Scan", {"Select": wrong}),
        lambda wrong: ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": wrong}}]}),
        lambda wrong: ("ListStreams", {"TableName": wrong}),
    ],
)
def test_text_is_expected(build: Any, wrong: Any, message: str) -> None:
    assert serialization(*build(wrong)) == message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("23", "Unexpected token received from parser"),
        (23, "NUMBER_VALUE cannot be converted to Boolean"),
        (34.56, "DECIMAL_VALUE cannot be converted to Boolean"),
        ([], "Unrecognized collection type class java.lang.Boolean"),
        ({}, STRUCTURE),
    ],
)
def test_a_boolean_is_expected(wrong: Any, message: str) -> None:
    assert serialization("GetItem", {"ConsistentRead": wrong}) == message
    assert serialization("PutItem", put({"a": {"BOOL": wrong}})) == message
    assert serialization("PutItem", put({"a": {"L": [{"NULL": wrong}]}})) == message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("23", "STRING_VALUE cannot be converted to {}"),
        (True, "TRUE_VALUE cannot be converted to {}"),
        (False, "FALSE_VALUE cannot be converted to {}"),
        ([], "Unrecognized collection type class java.lang.{}"),
        ({}, STRUCTURE),
    ],
)
def test_a_number_is_expected(wrong: Any, message: str) -> None:
    assert serialization("Query", {"Limit": wrong}) == message.format("Integer")
    units = {"ProvisionedThroughput": {"ReadCapacityUnits": wrong}}
    assert serialization("CreateTable", units) == message.format("Long")


def test_a_time_is_expected() -> None:
    message = "STRING_VALUE can not be converted to milliseconds since epoch"
    assert serialization("RestoreTableToPointInTime", {"RestoreDateTime": "today"}) == message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (True, "only base-64-encoded strings are convertible to bytes"),
        (23, "only base-64-encoded strings are convertible to bytes"),
        ([], "Unrecognized collection type class java.nio.ByteBuffer"),
        ({}, STRUCTURE),
        ("23456", "Base64 encoded length is expected a multiple of 4 bytes but found: 5"),
        ("=+/=", "Invalid last non-pad Base64 character dectected"),
        ("+/+=", "Invalid last non-pad Base64 character dectected"),
        ("ab==", "Invalid last non-pad Base64 character dectected"),
        ("YWJj??!!", "Invalid last non-pad Base64 character dectected"),
        ("ZmVm\u00e9Q==", "Invalid last non-pad Base64 character dectected"),
    ],
)
def test_binary_is_expected(wrong: Any, message: str) -> None:
    assert serialization("PutItem", put({"a": {"B": wrong}})) == message
    assert serialization("PutItem", put({"a": {"M": {"b": {"BS": ["AQ==", wrong]}}}})) == message


@pytest.mark.parametrize("text", ["", "AQ==", "AQI=", "AQID", "+/+/", "//8="])
def test_good_base64_passes(text: str) -> None:
    shapes.check("PutItem", put({"a": {"B": text}, "b": {"BS": [text]}}))


@pytest.mark.parametrize("scalar", ["23", True, 23, 34.56])
def test_where_a_scalar_stands_decides_the_text(scalar: Any) -> None:
    field = "Unexpected field type"
    assert serialization("GetItem", {"AttributesToGet": scalar}) == field
    assert serialization("GetItem", {"Key": scalar}) == field
    assert serialization("CreateTable", {"ProvisionedThroughput": scalar}) == field
    assert serialization("UpdateItem", {"Expected": {"a": {"Value": scalar}}}) == field
    assert serialization("PutItem", put({"a": {"SS": scalar}})) == field
    assert serialization("PutItem", put({"a": {"M": scalar}})) == field
    element = "Unexpected value type in payload"
    assert serialization("GetItem", {"Key": {"a": scalar}}) == element
    assert serialization("CreateTable", {"KeySchema": [scalar]}) == element
    assert serialization("PutItem", put({"a": {"L": [scalar]}})) == element
    cast = "ParameterizedTypeImpl cannot be cast to class java.lang.Class"
    assert cast in serialization("BatchWriteItem", {"RequestItems": {"abc": scalar}})
    assert cast in serialization("BatchGetItem", {"RequestItems": {"abc": {"Keys": [scalar]}}})


def test_a_list_where_an_object_is_expected() -> None:
    unknown = "Unrecognized collection type "
    of = unknown + "java.util.Map<java.lang.String, "
    assert serialization("GetItem", {"Key": []}) == of + CLASS + "AttributeValue>"
    assert serialization("PutItem", put({"a": {"M": []}})) == of + CLASS + "AttributeValue>"
    assert serialization("GetItem", {"ExpressionAttributeNames": []}) == of + "java.lang.String>"
    assert serialization("BatchGetItem", {"RequestItems": []}) == of + CLASS + "KeysAndAttributes>"
    writes = f"java.util.List<{CLASS}WriteRequest>>"
    assert serialization("BatchWriteItem", {"RequestItems": []}) == of + writes
    keys = {"RequestItems": {"abc": {"Keys": [[]]}}}
    assert serialization("BatchGetItem", keys) == of + CLASS + "AttributeValue>"
    throughput = f"{unknown}class {CLASS}ProvisionedThroughput"
    assert serialization("CreateTable", {"ProvisionedThroughput": []}) == throughput
    assert serialization("GetItem", {"Key": {"a": []}}) == f"{unknown}class {CLASS}AttributeValue"
    schema = {"KeySchema": [[]]}
    assert serialization("CreateTable", schema) == f"{unknown}class {CLASS}KeySchemaElement"


def test_an_object_where_a_list_is_expected() -> None:
    assert serialization("CreateTable", {"KeySchema": {}}) == STRUCTURE
    assert serialization("PutItem", put({"a": {"L": {}}})) == STRUCTURE
    assert serialization("BatchWriteItem", {"RequestItems": {"abc": {}}}) == STRUCTURE


@pytest.mark.parametrize("body", [None, 7, True, "{}", 1.5])
def test_a_body_that_is_no_object(body: Any) -> None:
    assert serialization("ListTables", body) == "Unexpected value type in payload"


def test_a_body_that_is_a_list() -> None:
    expected = f"Unrecognized collection type class {CLASS}ListTablesInput"
    assert serialization("ListTables", [{"Limit": 1}]) == expected


def test_the_first_wrong_type_in_the_document_counts() -> None:
    request = {"ConsistentRead": 1, "TableName": 5}
    assert serialization("GetItem", request) == "NUMBER_VALUE cannot be converted to Boolean"
    request = {"TableName": 5, "ConsistentRead": 1}
    assert serialization("GetItem", request) == "NUMBER_VALUE cannot be converted to String"


def test_wrong_types_come_before_violations() -> None:
    serialization("GetItem", {"ReturnConsumedCapacity": "x", "Key": {"a": {"S": 1}}})


# --- what AWS reads otherwise than it was written ----------------------------------------


def test_null_members_count_as_absent() -> None:
    request = put({"a": {"S": "x", "N": None}}, Expected=None, ReturnValues=None)
    shapes.check("PutItem", request)
    assert request == put({"a": {"S": "x"}})
    assert "Value null at 'item'" in validation("PutItem", put(None))


def test_null_attribute_values_are_empty_ones() -> None:
    request = put({"a": None, "b": {"L": [None]}, "c": {"M": {"d": None}}})
    shapes.check("PutItem", request)
    assert request == put({"a": {}, "b": {"L": [{}]}, "c": {"M": {"d": {}}}})


def test_null_in_a_set_is_refused() -> None:
    assert "AttributeValue is empty" in validation("PutItem", put({"a": {"SS": ["x", None]}}))


def test_null_in_other_collections_is_refused() -> None:
    assert violations("TransactGetItems", {"TransactItems": [None]}) == [
        "Value null at 'transactItems.1.member': not be null"
    ]
    request = {"TableName": "abc", "Key": {}, "ExpressionAttributeNames": {"#a": None}}
    assert violations("GetItem", request) == [
        "Value null at 'expressionAttributeNames.#a.member': not be null"
    ]


@pytest.mark.parametrize(("text", "read"), [("true", True), ("Yes", True), ("0", False)])
def test_some_texts_are_booleans(text: str, read: bool) -> None:
    request = {"TableName": "abc", "Key": {"a": {"BOOL": text}}, "ConsistentRead": text}
    shapes.check("GetItem", request)
    assert request["ConsistentRead"] is read
    assert request["Key"] == {"a": {"BOOL": read}}


def test_integers_lose_their_fraction_and_their_excess() -> None:
    request: dict[str, Any] = {"TableName": "abc", "Limit": 2.9, "Segment": 0, "TotalSegments": 1.0}
    shapes.check("Scan", request)
    assert request["Limit"] == 2
    assert all(type(request[name]) is int for name in ("Limit", "TotalSegments"))
    request = {"TableName": "abc", "Limit": 10**30}
    shapes.check("Scan", request)
    assert request["Limit"] == 2**31 - 1
    assert "'-2147483647' at 'limit'" in validation("Scan", {"TableName": "abc", "Limit": -1e300})


def test_unknown_members_are_dropped_at_every_level() -> None:
    item = {"a": {"S": "x", "dog": 7}}
    request = put(item, Dog=[1], Expected={"a": {"Dog": {}}})
    shapes.check("PutItem", request)
    assert request == put(item, Expected={"a": {}})


# --- depth -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["L", "M"])
def test_depth_is_bounded_without_exhausting_the_stack(kind: str) -> None:
    deep = nested(5000, kind)
    key, values = {"id": deep}, {":v": deep}
    condition = {"AttributeValueList": [deep], "ComparisonOperator": "EQ"}
    select = {"Statement": "SELECT * FROM abc WHERE id = ?", "Parameters": [deep]}
    by_key = {"TableName": "abc", "Key": key}
    reading: dict[str, Any] = {"TableName": "abc", "KeyConditionExpression": "id = :v"}
    requests: list[tuple[str, dict[str, Any]]] = [
        ("PutItem", {"TableName": "abc", "Item": key}),
        ("PutItem", {"TableName": "abc", "Item": {}, "Expected": {"a": {"Value": deep}}}),
        ("GetItem", by_key),
        ("DeleteItem", by_key),
        ("UpdateItem", {**by_key, "UpdateExpression": "SET a = :v"}),
        ("UpdateItem", {**by_key, "Key": {}, "AttributeUpdates": {"a": {"Value": deep}}}),
        ("Query", {**reading, "ExpressionAttributeValues": values}),
        ("Query", {**reading, "ExclusiveStartKey": key}),
        ("Query", {"TableName": "abc", "KeyConditions": {"id": condition}}),
        ("Scan", {"TableName": "abc", "ScanFilter": {"id": condition}}),
        ("BatchGetItem", {"RequestItems": {"abc": {"Keys": [key]}}}),
        ("BatchWriteItem", {"RequestItems": {"abc": [{"DeleteRequest": {"Key": key}}]}}),
        ("BatchWriteItem", {"RequestItems": {"abc": [{"PutRequest": {"Item": key}}]}}),
        ("TransactGetItems", {"TransactItems": [{"Get": by_key}]}),
        ("TransactWriteItems", {"TransactItems": [{"Delete": by_key}]}),
        ("ExecuteStatement", select),
        ("ExecuteTransaction", {"TransactStatements": [select]}),
    ]
    with Engine.memory() as engine:
        for operation, given in requests:
            with pytest.raises(AwsError) as caught:
                engine.call(operation, given)
            assert caught.value.code == "ValidationException", operation
            assert "Nesting Levels have exceeded" in caught.value.message, operation
        answer = engine.call("BatchExecuteStatement", {"Statements": [select]})
        assert "Nesting Levels" in answer["Responses"][0]["Error"]["Message"]


def test_a_wrong_type_far_inside_is_found() -> None:
    value = nested(20)
    inner = value
    while "L" in inner:
        inner = inner["L"][0]
    inner["S"] = 5
    message = serialization("PutItem", put({"a": value}))
    assert message == "NUMBER_VALUE cannot be converted to String"


def test_deep_rubbish_in_ignored_members_does_no_harm() -> None:
    rubbish: Any = []
    for _ in range(5000):
        rubbish = [rubbish]
    shapes.check("PutItem", put({"a": {"S": "x", "dog": rubbish}}, Dog=rubbish))
    many = [{"Get": {"TableName": "abc", "Key": {}, "Dog": rubbish}, "Dog": rubbish}] * 101
    assert "less than or equal to 100" in validation("TransactGetItems", {"TransactItems": many})


# --- table names -------------------------------------------------------------------------

DATA_PLANE = ["DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"]
CONTROL_PLANE = ["CreateTable", "DeleteTable", "DescribeTable", "UpdateTable", "UpdateTimeToLive"]


@pytest.mark.parametrize("operation", DATA_PLANE)
def test_a_missing_table_name_is_told_alone(operation: str) -> None:
    assert violations(operation, {"ReturnConsumedCapacity": "x"}) == [
        "Value null at 'tableName': not be null"
    ]


@pytest.mark.parametrize("operation", CONTROL_PLANE)
def test_a_missing_table_name_on_the_control_plane(operation: str) -> None:
    expected = "The parameter 'TableName' is required but was not present in the request"
    assert validation(operation, {}) == expected
    assert validation(operation, {"TableName": None}) == expected


@pytest.mark.parametrize("operation", DATA_PLANE + CONTROL_PLANE)
def test_malformed_table_names_are_told_alone(operation: str) -> None:
    def told(name: str) -> list[str]:
        return violations(operation, {"TableName": name, "ReturnConsumedCapacity": "x"})

    at = "at 'tableName':"
    assert told("ab") == [f"Value 'ab' {at} have length greater than or equal to 3"]
    assert told("a" * 256) == [f"Value '{'a' * 256}' {at} have length less than or equal to 255"]
    pattern = f"satisfy regular expression pattern: {NAME}"
    assert told("bad table!@#") == [f"Value 'bad table!@#' {at} {pattern}"]
    assert told("x!") == [
        f"Value 'x!' {at} {pattern}",
        f"Value 'x!' {at} have length greater than or equal to 3",
    ]


def test_an_empty_table_name() -> None:
    one = "Value '' at 'tableName': have length greater than or equal to 1"
    assert violations("PutItem", {"TableName": "", "Item": {}}) == [one]
    assert len(violations("DescribeTable", {"TableName": ""})) == 2


@pytest.mark.parametrize(
    "operation",
    ["RestoreTableToPointInTime", "RestoreTableFromBackup", "DescribeGlobalTable"],
)
def test_older_operations_check_the_length_by_hand(operation: str) -> None:
    expected = "TableName must be at least 3 characters long and at most 255 characters long"
    names = {"TargetTableName": "", "GlobalTableName": "", "BackupArn": "x"}
    assert validation(operation, names) == expected


def test_an_arn_stands_for_the_name() -> None:
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/" + "a" * 255
    shapes.check("GetItem", {"TableName": arn, "Key": {}})
    shapes.check("BatchGetItem", {"RequestItems": {arn: {"Keys": [{}]}}})
    # Slowly too: null makes the request go the long way.
    shapes.check("GetItem", {"TableName": arn, "Key": {}, "ConsistentRead": None})
    assert table_name(arn) == "a" * 255
    assert table_name("Music") == "Music"


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:dynamodb:us-east-1:000000000000:table/ab",
        "arn:aws:dynamodb:us-east-1:000000000000:table/abc/index/i",
        "arn:aws:dynamodb:us-east-1:000000000000:table/abc\n",
        "arn:aws:s3:us-east-1:000000000000:table/abc",
        "arn:",
    ],
)
def test_other_arns_are_not_names(arn: str) -> None:
    assert NAME in validation("GetItem", {"TableName": arn, "Key": {}})


def test_an_arn_does_not_stand_for_other_names() -> None:
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/abc"
    assert violations("Query", {"TableName": "abc", "IndexName": arn}) == [
        f"Value '{arn}' at 'indexName': satisfy regular expression pattern: {NAME}"
    ]


# --- constraints -------------------------------------------------------------------------


def test_several_violations_are_counted_and_joined() -> None:
    request = put({}, ReturnValues="x", ReturnItemCollectionMetrics="y", ReturnConsumedCapacity="z")
    assert violations("PutItem", request) == [
        "Value 'z' at 'returnConsumedCapacity': satisfy enum value set: [INDEXES, TOTAL, NONE]",
        "Value 'x' at 'returnValues': satisfy enum value set:"
        " [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
        "Value 'y' at 'returnItemCollectionMetrics': satisfy enum value set: [SIZE, NONE]",
    ]
    assert validation("PutItem", put(None, ReturnValues="x")).startswith("2 validation errors ")
    assert validation("PutItem", put(None)).startswith("1 validation error detected: Value null")


def test_no_more_than_ten_violations_are_told() -> None:
    request = {"TransactItems": [{"Put": {}} for _ in range(20)]}
    assert len(violations("TransactWriteItems", request)) == 10


def test_places_inside_lists_and_maps() -> None:
    request = {
        "RequestItems": {"Abc": [{"PutRequest": {"Item": {}}}, {"DeleteRequest": {}}]},
    }
    assert violations("BatchWriteItem", request) == [
        "Value null at 'requestItems.Abc.member.2.member.deleteRequest.key': not be null"
    ]
    filtered = {"TableName": "abc", "ScanFilter": {"a": {}, "b": {"ComparisonOperator": ""}}}
    operators = (
        "[IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]"
    )
    at = "at 'scanFilter.b.member.comparisonOperator'"
    assert violations("Scan", filtered) == [
        "Value null at 'scanFilter.a.member.comparisonOperator': not be null",
        f"Value '' {at}: satisfy enum value set: {operators}",
    ]


def table(**more: Any) -> dict[str, Any]:
    return {
        "TableName": "abc",
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
        **more,
    }


def test_create_table_needs_keys_and_definitions() -> None:
    assert violations("CreateTable", {"TableName": "abc"}) == [
        "Value null at 'attributeDefinitions': not be null",
        "Value null at 'keySchema': not be null",
    ]
    assert violations("CreateTable", table(AttributeDefinitions=[{}], KeySchema=[{}])) == [
        "Value null at 'attributeDefinitions.1.member.attributeType': not be null",
        "Value null at 'attributeDefinitions.1.member.attributeName': not be null",
        "Value null at 'keySchema.1.member.attributeName': not be null",
        "Value null at 'keySchema.1.member.keyType': not be null",
    ]


def test_the_key_of_a_table_has_at_most_two_attributes() -> None:
    element = {"AttributeName": "a", "KeyType": "HASH"}
    (told,) = violations("CreateTable", table(KeySchema=[element] * 3))
    assert told.startswith(f"Value '[{CLASS}KeySchemaElement@")
    assert told.endswith("]' at 'keySchema': have length less than or equal to 2")
    index = {"IndexName": "byA", "KeySchema": [element] * 4, "Projection": {}}
    shapes.check("CreateTable", table(GlobalSecondaryIndexes=[index]))


def test_nested_structures_of_create_table() -> None:
    request = table(
        ProvisionedThroughput={"ReadCapacityUnits": 0},
        SSESpecification={"SSEType": "kms", "KMSMasterKeyId": ""},
        StreamSpecification={"StreamViewType": "new_image"},
    )
    assert violations("CreateTable", request) == [
        "Value null at 'provisionedThroughput.writeCapacityUnits': not be null",
        "Value '0' at 'provisionedThroughput.readCapacityUnits':"
        " have value greater than or equal to 1",
        "Value null at 'streamSpecification.streamEnabled': not be null",
        "Value 'new_image' at 'streamSpecification.streamViewType': satisfy enum value set:"
        " [OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE]",
        "Value 'kms' at 'sSESpecification.sSEType': satisfy enum value set: [AES256, KMS]",
        "Value '' at 'sSESpecification.kMSMasterKeyId': have length greater than or equal to 1",
    ]


def test_index_names() -> None:
    index = {"IndexName": "h;", "KeySchema": [], "Projection": {"ProjectionType": "x"}}
    at = "'localSecondaryIndexes.1.member"
    assert violations("CreateTable", table(LocalSecondaryIndexes=[index])) == [
        f"Value 'h;' at {at}.indexName': satisfy regular expression pattern: {NAME}",
        f"Value 'h;' at {at}.indexName': have length greater than or equal to 3",
        f"Value '[]' at {at}.keySchema': have length greater than or equal to 1",
        f"Value 'x' at {at}.projection.projectionType': satisfy enum value set:"
        " [ALL, INCLUDE, KEYS_ONLY]",
    ]


def test_length_is_counted_as_java_does() -> None:
    def ttl(name: str) -> dict[str, Any]:
        return {
            "TableName": "abc",
            "TimeToLiveSpecification": {"AttributeName": name, "Enabled": True},
        }

    shapes.check("UpdateTimeToLive", ttl("\u00e9" * 255))
    shapes.check("UpdateTimeToLive", ttl("\U0001f600" * 127))
    assert "less than or equal to 255" in validation("UpdateTimeToLive", ttl("\U0001f600" * 128))


def test_attribute_names_are_bounded() -> None:
    longest = "a" * 65535
    for request in (
        put({longest: {"S": "x"}}),
        put({}, ExpressionAttributeNames={"#a": longest}),
    ):
        shapes.check("PutItem", request)
    shapes.check("GetItem", {"TableName": "abc", "Key": {}, "AttributesToGet": [longest]})
    limit = "Member must have length less than or equal to 65535"
    keys = validation("PutItem", put({longest + "a": {"S": "x"}}))
    assert keys.endswith(
        f"at 'item' failed to satisfy constraint: Map keys must satisfy constraint: [{limit}]"
    )
    names = validation("PutItem", put({}, ExpressionAttributeNames={"#a": longest + "a"}))
    assert names.endswith(f"Map value must satisfy constraint: [{limit}]")
    get = {"TableName": "abc", "Key": {}, "AttributesToGet": ["a", longest + "a"]}
    assert validation("GetItem", get).endswith(
        f"at 'attributesToGet.2.member' failed to satisfy constraint: {limit}"
    )


def test_the_limit_of_query_is_worded_without_value_and_told_last() -> None:
    constraint = "failed to satisfy constraint: Member must have value greater than or equal to 1"
    query = {"TableName": "abc", "Limit": 0}
    assert validation("Query", query) == (
        f"1 validation error detected: Value at 'Limit' {constraint}"
    )
    assert violations("Query", {**query, "Select": "x"}) == [
        "Value 'x' at 'select': satisfy enum value set:"
        " [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"
    ]
    assert validation("Scan", query) == (
        f"1 validation error detected: Value '0' at 'limit' {constraint}"
    )


def test_limits_of_lists() -> None:
    assert violations("ListTables", {"Limit": 101}) == [
        "Value '101' at 'limit': have value less than or equal to 100"
    ]
    iterator = {"ShardIterator": "x"}
    shapes.check("GetRecords", {**iterator, "Limit": 1000})
    assert violations("GetRecords", {**iterator, "Limit": 1001}) == [
        "Value '1001' at 'limit': have value less than or equal to 1000"
    ]


# --- batches, transactions, statements ---------------------------------------------------


@pytest.mark.parametrize("operation", ["BatchGetItem", "BatchWriteItem"])
@pytest.mark.parametrize("request_", [{}, {"RequestItems": {}}, {"RequestItems": None}])
def test_a_batch_without_requests(operation: str, request_: dict[str, Any]) -> None:
    expected = f"The requestItems parameter is required for {operation}"
    assert validation(operation, copy.copy(request_)) == expected


def test_too_many_keys_in_a_batch() -> None:
    keys = [{"a": {"S": str(n)}} for n in range(101)]
    assert validation("BatchGetItem", {"RequestItems": {"Abc": {"Keys": keys}}}) == (
        "1 validation error detected: Value at 'RequestItems.Abc.member.Keys' failed to satisfy"
        " constraint: Member must have length less than or equal to 100"
    )
    shapes.check("BatchGetItem", {"RequestItems": {"Abc": {"Keys": keys[:100]}}})


@pytest.mark.parametrize("count", [0, 26])
def test_the_number_of_writes_in_a_batch(count: int) -> None:
    writes = [{"PutRequest": {"Item": {}}}] * count
    message = validation("BatchWriteItem", {"RequestItems": {"abc": writes}})
    listed = ", ".join([f"{CLASS}WriteRequest@"] * count)
    start, _, end = message.partition("]}' at ")
    assert start.startswith("1 validation error detected: Value '{abc=[")
    assert start.count(listed.partition(",")[0] or "-") == count
    assert end == (
        "'requestItems' failed to satisfy constraint: Map value must satisfy constraint:"
        " [Member must have length less than or equal to 25,"
        " Member must have length greater than or equal to 1]"
    )


@pytest.mark.parametrize("name", ["a", "aa;", "a" * 256, ""])
def test_table_names_in_a_batch(name: str) -> None:
    message = validation("BatchGetItem", {"RequestItems": {name: {"Keys": [{}]}}})
    assert f"Value '{{{name}={CLASS}KeysAndAttributes@" in message
    assert message.endswith(
        "Map keys must satisfy constraint: [Member must have length less than or equal to 255,"
        " Member must have length greater than or equal to 3,"
        f" Member must satisfy regular expression pattern: {NAME}]"
    )


@pytest.mark.parametrize(
    ("operation", "action"), [("TransactGetItems", "Get"), ("TransactWriteItems", "Update")]
)
def test_transactions(operation: str, action: str) -> None:
    assert violations(operation, {"TransactItems": []}) == [
        "Value '[]' at 'transactItems': have length greater than or equal to 1"
    ]
    one = {action: {"TableName": "abc", "Key": {}, "UpdateExpression": "x"}}
    shapes.check(operation, {"TransactItems": [one] * 100})
    (told,) = violations(operation, {"TransactItems": [one] * 101})
    assert told.endswith("at 'transactItems': have length less than or equal to 100")
    bad = {action: {"TableName": "a", "UpdateExpression": "x"}}
    assert set(violations(operation, {"TransactItems": [one, bad]})) == {
        f"Value null at 'transactItems.2.member.{action.lower()}.key': not be null",
        f"Value 'a' at 'transactItems.2.member.{action.lower()}.tableName':"
        " have length greater than or equal to 3",
    }
    token = {"TransactItems": [one], "ClientRequestToken": "t" * 37}
    if action == "Update":
        assert "at 'clientRequestToken'" in validation(operation, token)


def test_statements() -> None:
    assert violations("ExecuteStatement", {"Statement": "", "Parameters": []}) == [
        "Value '' at 'statement': have length greater than or equal to 1",
        "Value '[]' at 'parameters': have length greater than or equal to 1",
    ]


# --- operations with words of their own --------------------------------------------------


def test_tags_are_checked_elsewhere() -> None:
    assert validation("TagResource", {}) == "Invalid TableArn"
    assert violations("TagResource", {"ResourceArn": "x"}) == ["Value null at 'tags': not be null"]
    shapes.check("TagResource", {"ResourceArn": "", "Tags": [{}, {"Key": "", "Value": "x" * 999}]})


def test_backup_arns() -> None:
    assert validation("DescribeBackup", {"BackupArn": "x"}) == "Invalid Backup ARN"
    assert violations("DescribeBackup", {}) == ["Value null at 'backupArn': not be null"]


def test_contributor_insights_check_the_table_before_the_index() -> None:
    short = "IndexName must be at least 3 characters long and at most 255 characters long"
    request = {"TableName": "abc", "IndexName": "", "ContributorInsightsAction": "ENABLE"}
    assert validation("UpdateContributorInsights", request) == short
    assert "'tableName'" in validation("UpdateContributorInsights", {**request, "TableName": "a"})


def test_operations() -> None:
    assert {"GetItem", "TransactWriteItems", "ExportTableToPointInTime"} < shapes.OPERATIONS
    streams = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}
    assert streams == shapes.STREAM_OPERATIONS
    assert not shapes.OPERATIONS & shapes.STREAM_OPERATIONS


def test_an_operation_aws_does_not_have() -> None:
    assert answer("Frobnicate", {})[0] == "UnknownOperationException"


# --- the fast way and the long way agree -------------------------------------------------

EVERYTHING = sorted(shapes.OPERATIONS | shapes.STREAM_OPERATIONS)

TYPICAL: list[tuple[str, dict[str, Any]]] = [
    ("GetItem", {"TableName": "Music", "Key": {"a": {"S": "x"}}, "ConsistentRead": True}),
    ("PutItem", put({"a": {"S": "x"}, "b": {"B": "AQ=="}, "c": {"SS": ["x"]}, "d": nested(30)})),
    ("UpdateItem", {"TableName": "Music", "Key": {"a": {"N": "1"}}, "ReturnValues": "ALL_NEW"}),
    ("Query", {"TableName": "Music", "KeyConditionExpression": "a = :a", "Limit": 25}),
    ("Scan", {"TableName": "Music", "Segment": 0, "TotalSegments": 4}),
    ("BatchWriteItem", {"RequestItems": {"Music": [{"PutRequest": {"Item": {}}}] * 25}}),
    ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "Music", "Key": {}}}]}),
    ("ListTables", {}),
    ("CreateTable", table(BillingMode="PAY_PER_REQUEST")),
    ("ListBackups", {"TimeRangeLowerBound": 1.5, "TimeRangeUpperBound": 1700000000}),
]


@pytest.mark.parametrize(("operation", "request_"), TYPICAL, ids=[name for name, _ in TYPICAL])
def test_typical_requests_go_the_fast_way(operation: str, request_: dict[str, Any]) -> None:
    assert compiled(model.input_of(operation))(request_)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 300),
    st.floats(),
    st.sampled_from(["", "abc", "NONE", "true", "AQ==", "é", "a" * 300, "HASH", "x!"]),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["S", "N", "B", "L", "M", "SS", "BS", "a", ""]), inner),
    ),
    max_leaves=6,
)


VALUES = st.recursive(
    st.one_of(
        st.fixed_dictionaries({"S": st.text(max_size=3)}),
        st.just({"N": "1"}),
        st.just({"B": "AQ=="}),
        st.just({"BOOL": True}),
        st.just({"NS": ["1"]}),
        st.just({"BS": ["AQ=="]}),
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"L": st.lists(inner, max_size=2)}),
        st.fixed_dictionaries({"M": st.dictionaries(st.text(max_size=2), inner, max_size=2)}),
    ),
    max_leaves=4,
)


def fitting(shape: model.Shape, depth: int = 0) -> st.SearchStrategy[Any]:
    """Mostly what the shape asks for, now and then any JSON."""
    right = _right(shape, depth)
    return st.integers(0, 19).flatmap(lambda dice: JSON if dice == 7 else right)


def _right(shape: model.Shape, depth: int) -> st.SearchStrategy[Any]:
    match shape.kind:
        case "structure":
            return _structure(shape, depth)
        case "value":
            return VALUES
        case "list":
            assert shape.member is not None
            return st.lists(fitting(shape.member, depth + 1), min_size=shape.min or 0, max_size=2)
        case "map":
            assert shape.member is not None
            names = st.sampled_from(["abc", "Music", "Music", "a;"])
            return st.dictionaries(names, fitting(shape.member, depth + 1), max_size=2)
        case "string":
            return st.sampled_from([*shape.enum] or ["abc", "a" * 40])
        case "boolean":
            return st.booleans()
    return st.integers(0, 1100)


def _structure(shape: model.Shape, depth: int) -> st.SearchStrategy[Any]:
    chosen = {
        name: st.deferred(lambda member=member: fitting(member, depth + 1))
        for name, member in shape.members.items()
        if depth < 3 or name in shape.required
    }
    required = {name: of for name, of in chosen.items() if name in shape.required}
    optional = {name: of for name, of in chosen.items() if name not in required}
    few = st.lists(st.sampled_from([*optional]), max_size=3) if optional else st.just([])
    return few.flatmap(
        lambda names: st.fixed_dictionaries({**required, **{n: optional[n] for n in names}})
    )


@settings(max_examples=many(400), deadline=None)
@given(data=st.data())
def test_any_json_is_accepted_or_answered_as_aws_would(data: st.DataObject) -> None:
    operation = data.draw(st.sampled_from(EVERYTHING))
    shape = model.input_of(operation)
    request = data.draw(fitting(shape))
    if compiled(shape)(request):
        before = copy.deepcopy(request)
        decoding.decode(shape, request)
        assert precedence.complaint(operation, shape, request) is None
        assert constraints.complaint(shape, request) is None
        assert request == before
        return
    try:
        shapes.check(operation, request)
    except AwsError as error:
        refusal: AwsError | None = error
    else:
        refusal = None
    if refusal:
        assert refusal.code in {"SerializationException", "ValidationException"}
        assert refusal.message
    else:
        # Read once, a request stays as AWS reads it.
        before = copy.deepcopy(request)
        shapes.check(operation, request)
        assert repr(request) == repr(before)


# --- the generated file ------------------------------------------------------------------


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gen", ROOT / "scripts/generate_shapes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generated_file_is_what_the_generator_writes() -> None:
    botocore = pytest.importorskip("botocore")
    text = (ROOT / "src/tablewright/engine/shapes/shapes.json").read_text()
    if json.loads(text)["source"] != f"botocore {botocore.__version__}":
        pytest.skip("written from another version of botocore")
    assert _generator().render() == text


def test_every_correction_corrects_something() -> None:
    generator = _generator()
    written = json.loads(generator.render())["shapes"]
    assert set(generator.CORRECTIONS) <= set(written)
    assert set(generator.ENUM_ORDER) <= set(written)
    for name, order in generator.MEMBER_ORDER.items():
        assert set(order.split()) <= set(written[name]["members"]), name
    for (name, member), shape in generator.MEMBER_SHAPES.items():
        assert written[name]["members"][member] == shape
