"""How much an UpdateItem may do: AWS limits the effect of its statement besides the item's size.

Each clause is measured by the padding that fits beside it in a ``SET b = :pad``: so much and not
one byte more. The charges are those measured against the service in October 2026.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from tests.engine.samples import simple_table, strings

from tablewright.engine import AwsError, Engine

LIMIT = 400 * 1024
TOO_LARGE = "Item size to update has exceeded the maximum allowed size"
#: The update, the SET and the name of what is padded.
PADDED = 3 + 19 + 1
TEN = {"S": "y" * 10}
ONE = {"N": "1"}
names = count()


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine.memory() as engine:
        engine.call("CreateTable", simple_table())
        yield engine


def refusal(engine: Engine, operation: str, request: dict[str, Any]) -> AwsError:
    with pytest.raises(AwsError) as caught:
        engine.call(operation, request)
    return caught.value


def path(*elements: str | int) -> int:
    """What a path costs where it is read."""
    return 1 + sum(14 + len(str(element)) for element in elements)


def target(first: str, *elements: str | int) -> int:
    """What a path costs where it is written."""
    return len(first) + sum(4 + len(str(element)) for element in elements)


def padded(
    engine: Engine, clause: str, size: int, seed: dict[str, Any], values: dict[str, Any]
) -> dict[str, Any]:
    """An update of a new item with the clause and so much padding."""
    key = strings(pk=f"{next(names)}")
    engine.call("PutItem", {"TableName": "Simple", "Item": {**key, **seed}})
    joined = (
        f"SET b = :pad, {clause[4:]}" if clause.startswith("SET ") else f"SET b = :pad {clause}"
    )
    return {
        "TableName": "Simple",
        "Key": key,
        "UpdateExpression": joined,
        "ExpressionAttributeValues": {**values, ":pad": {"S": "p" * size}},
    }


@pytest.mark.parametrize(
    ("clause", "seed", "values", "cost"),
    [
        ("", {}, {}, 0),
        ("SET c = :c", {}, {":c": {"S": "y" * 500}}, 19 + 1 + 500),
        ("SET c = abcdefghij", {"abcdefghij": TEN}, {}, 19 + 1 + path("abcdefghij")),
        ("SET c = m.z", {"m": {"M": {"z": TEN}}}, {}, 19 + 1 + path("m", "z")),
        ("SET c = l[1]", {"l": {"L": [ONE, TEN]}}, {}, 19 + 1 + path("l", 1)),
        ("SET m.abc = :c", {"m": {"M": {}}}, {":c": TEN}, 19 + target("m", "abc") + 10),
        ("SET l[0] = :c", {"l": {"L": [ONE]}}, {":c": TEN}, 19 + target("l", 0) + 10),
        (
            "SET l = list_append(l, :c)",
            {"l": {"L": [{"S": "e"}]}},
            {":c": {"L": [TEN]}},
            19 + 1 + 37 + path("l") + 3 + 1 + 10,
        ),
        ("SET n = n + :c", {"n": {"N": "9" * 20}}, {":c": ONE}, 19 + 1 + 34 + path("n") + 2),
        ("SET n = n - :c", {"n": ONE}, {":c": ONE}, 19 + 1 + 37 + path("n") + 2),
        (
            "SET c = if_not_exists(c, :c), d = if_not_exists(d, :c)",
            {"c": ONE},
            {":c": {"S": "s" * 100}},
            2 * (19 + 1 + 39 + path("c") + 100),
        ),
        ("ADD abcdefghij :c", {"abcdefghij": ONE}, {":c": ONE}, 19 + 10 + 2),
        (
            "ADD ss :c",
            {"ss": {"SS": ["p" * 5]}},
            {":c": {"SS": ["p" * 5, "s" * 500]}},
            19 + 2 + 500,
        ),
        ("REMOVE abcdefghij", {"abcdefghij": TEN}, {}, 1 + 10),
        ("REMOVE m.yyyyyyyyyy", {"m": {"M": {"yyyyyyyyyy": ONE}}}, {}, 1 + target("m", "y" * 10)),
        ("REMOVE l[10]", {"l": {"L": [{"S": "e"}] * 11}}, {}, 1 + target("l", 10)),
        ("DELETE ss :c", {"ss": {"SS": ["p", "q" * 20]}}, {":c": {"SS": ["q" * 20]}}, 1 + 2),
    ],
)
def test_what_each_clause_is_charged(
    engine: Engine, clause: str, seed: Any, values: Any, cost: int
) -> None:
    clause = clause or "REMOVE z"
    cost = cost or 2
    fits = LIMIT - PADDED - cost
    request = padded(engine, clause, fits, seed, values)
    engine.call("UpdateItem", request)
    stored = engine.call("GetItem", {"TableName": "Simple", "Key": request["Key"]})["Item"]
    assert len(stored["b"]["S"]) == fits
    error = refusal(engine, "UpdateItem", padded(engine, clause, fits + 1, seed, values))
    assert (error.code, error.message) == ("ValidationException", TOO_LARGE)


def test_an_alias_and_untouched_attributes_are_free(engine: Engine) -> None:
    request = padded(engine, "REMOVE z", LIMIT - PADDED - 2 - 9, {"u": TEN}, {})
    request["UpdateExpression"] = "SET #twelvechars = :pad REMOVE z"
    request["ExpressionAttributeNames"] = {"#twelvechars": "b"}
    # A key and another attribute of 11 + 3 bytes: still, the item itself fits.
    engine.call("UpdateItem", request)


@pytest.mark.parametrize("length", [20, 100, 1024])
def test_no_item_comes_to_be_larger_than_the_limit(engine: Engine, length: int) -> None:
    key = {"pk": {"S": "k" * length}}
    room = LIMIT - 2 - length - 1
    request = {"TableName": "Simple", "Key": key, "UpdateExpression": "SET b = :pad"}
    request["ExpressionAttributeValues"] = {":pad": {"S": "p" * room}}
    engine.call("UpdateItem", request)
    request["ExpressionAttributeValues"] = {":pad": {"S": "p" * (room + 1)}}
    assert refusal(engine, "UpdateItem", request).message == TOO_LARGE


def test_the_charge_comes_before_the_condition(engine: Engine) -> None:
    key = strings(pk="conditional")
    engine.call("PutItem", {"TableName": "Simple", "Item": {**key, "c": TEN}})
    for condition in ({"ConditionExpression": "attribute_exists(nope)"}, {}):
        request = {
            "TableName": "Simple",
            "Key": key,
            "UpdateExpression": "SET c = if_not_exists(c, :huge)",
            "ExpressionAttributeValues": {":huge": {"S": "h" * 409_700}},
            **condition,
        }
        error = refusal(engine, "UpdateItem", request)
        assert (error.code, error.message) == ("ValidationException", TOO_LARGE)


def test_transactions_statements_and_older_parameters_are_not_charged(engine: Engine) -> None:
    """An update that UpdateItem refuses is written by everything else: the item itself fits."""
    room = LIMIT - 2 - 1 - 1
    value = {"S": "p" * room}
    update = {
        "TableName": "Simple",
        "Key": strings(pk="x"),
        "UpdateExpression": "SET b = :pad",
        "ExpressionAttributeValues": {":pad": value},
    }
    assert refusal(engine, "UpdateItem", update).message == TOO_LARGE
    engine.call("TransactWriteItems", {"TransactItems": [{"Update": update}]})
    older = {"b": {"Action": "PUT", "Value": value}}
    engine.call("UpdateItem", {**strings_request("y"), "AttributeUpdates": older})
    engine.call("PutItem", {"TableName": "Simple", "Item": strings(pk="z")})
    statement = {
        "Statement": "UPDATE Simple SET b = ? WHERE pk = ?",
        "Parameters": [value, {"S": "z"}],
    }
    engine.call("ExecuteStatement", statement)
    for key in "xyz":
        stored = engine.call("GetItem", strings_request(key))["Item"]
        assert stored["b"] == value


def strings_request(key: str) -> dict[str, Any]:
    return {"TableName": "Simple", "Key": strings(pk=key)}
