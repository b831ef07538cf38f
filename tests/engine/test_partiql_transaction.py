"""PartiQL ExecuteTransaction: all or nothing, tokens, EXISTS, reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.engine.samples import composite_table, simple_table

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine

Transact = Callable[..., Any]

CANCELLED = "Transaction cancelled, please refer cancellation reasons for specific reasons "
MISPLACED = "Validation failed in TransactStatements[{}]: "
MISMATCH = "The provided key element does not match the schema"
NO_KEY = (
    "Select statements within ExecuteTransaction must specify the primary key in the where clause."
)


@pytest.fixture
def transact(engine: Engine) -> Transact:
    """Run statements, given as text or as whole members; the response."""
    engine.call("CreateTable", simple_table("Songs"))
    engine.call("CreateTable", composite_table("Notes"))
    for pk in "ab":
        item = {"pk": {"S": pk}, "n": {"N": "1"}, "m": {"M": {"x": {"S": "deep"}}}}
        engine.call("PutItem", {"TableName": "Songs", "Item": item})

    def run(*statements: Any, **more: Any) -> Any:
        members = [{"Statement": each} if isinstance(each, str) else each for each in statements]
        return engine.call("ExecuteTransaction", {"TransactStatements": members, **more})

    return run


def refused(transact: Transact, *statements: Any, **more: Any) -> AwsError:
    with pytest.raises(AwsError) as caught:
        transact(*statements, **more)
    return caught.value


def codes(error: AwsError) -> list[str]:
    assert error.code == "TransactionCanceledException"
    found = [reason["Code"] for reason in error.extra["CancellationReasons"]]
    assert error.message == f"{CANCELLED}[{', '.join(found)}]"
    return found


def stored(engine: Engine, pk: str) -> dict[str, Any]:
    answer = engine.call("GetItem", {"TableName": "Songs", "Key": {"pk": {"S": pk}}})
    item: dict[str, Any] = answer.get("Item", {})
    return item


# --- reading -----------------------------------------------------------------------------


def test_reads(transact: Transact) -> None:
    answer = transact(
        "SELECT n, m.x FROM Songs WHERE pk = 'a'",
        "SELECT * FROM Songs WHERE pk = 'absent'",
        {"Statement": "SELECT pk FROM Songs WHERE pk IN [?]", "Parameters": [{"S": "b"}]},
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer == {
        "Responses": [
            {"Item": {"n": {"N": "1"}, "x": {"S": "deep"}}},
            {},
            {"Item": {"pk": {"S": "b"}}},
        ],
        "ConsumedCapacity": [
            {"TableName": "Songs", "CapacityUnits": 6.0, "ReadCapacityUnits": 6.0}
        ],
    }


@pytest.mark.parametrize(
    ("statement", "detail"),
    [
        ("SELECT * FROM Notes", NO_KEY),
        ("SELECT * FROM Notes WHERE pk = 'a'", NO_KEY),
        ("SELECT * FROM Notes WHERE pk = 'a' AND sk = '1' AND n = 1", NO_KEY),
        ("SELECT * FROM Notes WHERE pk = 'a' AND sk = '1' AND pk = 'b'", NO_KEY),
        (
            "SELECT * FROM Notes WHERE pk IN ['a', 'a'] AND sk = '1'",
            "Overlapping conditions with range keys are not supported in where clause",
        ),
        (
            "SELECT * FROM \"Notes\".\"i\" WHERE pk = 'a' AND sk = '1'",
            "Reads on indices are not supported within transactions.",
        ),
        (
            "SELECT * FROM Notes WHERE",
            "Statement wasn't well formed, can't be processed: Unexpected term",
        ),
    ],
)
def test_reads_that_cannot_be(transact: Transact, statement: str, detail: str) -> None:
    good = "SELECT * FROM Songs WHERE pk = 'a'"
    error = refused(transact, good, statement)
    assert (error.code, error.message) == ("ValidationException", MISPLACED.format(1) + detail)


def test_a_key_of_another_type_cancels(transact: Transact) -> None:
    read = "SELECT * FROM Songs WHERE pk = 'a'"
    error = refused(transact, read, read, "SELECT * FROM Songs WHERE pk = 1")
    assert codes(error) == ["None", "None", "ValidationError"]
    assert error.extra["CancellationReasons"][2]["Message"] == MISMATCH


# --- writing -----------------------------------------------------------------------------


def test_writes(engine: Engine, transact: Transact) -> None:
    answer = transact(
        "INSERT INTO Songs VALUE {'pk': 'new'}",
        "UPDATE Songs SET n = n + 1 WHERE pk = 'a' AND n = 1",
        {"Statement": "DELETE FROM Songs WHERE pk = ?", "Parameters": [{"S": "b"}]},
        "DELETE FROM Notes WHERE pk = 'a' AND sk = '1'",
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["Responses"] == []
    assert answer["ConsumedCapacity"] == [
        {"TableName": "Songs", "CapacityUnits": 6.0, "WriteCapacityUnits": 6.0},
        {"TableName": "Notes", "CapacityUnits": 2.0, "WriteCapacityUnits": 2.0},
    ]
    assert stored(engine, "a")["n"] == {"N": "2"}
    assert stored(engine, "b") == {}
    assert stored(engine, "new") == {"pk": {"S": "new"}}


def test_one_refusal_stops_all(engine: Engine, transact: Transact) -> None:
    error = refused(
        transact,
        "INSERT INTO Songs VALUE {'pk': 'new'}",
        "INSERT INTO Songs VALUE {'pk': 'a'}",
        {
            "Statement": "UPDATE Songs SET n = 5 WHERE pk = 'b' AND n = 2",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
        "UPDATE Songs SET n = 5 WHERE pk = 'absent'",
        "DELETE FROM Songs WHERE pk = 'absent too' AND n = 1",
    )
    assert codes(error) == [
        "None",
        "DuplicateItem",
        "ConditionalCheckFailed",
        "ConditionalCheckFailed",
        "None",
    ]
    reasons = error.extra["CancellationReasons"]
    assert reasons[1]["Message"] == "Duplicate primary key exists in table"
    assert reasons[2]["Message"] == "The conditional request failed"
    assert reasons[2]["Item"] == stored(engine, "b")
    assert "Item" not in reasons[3]
    assert stored(engine, "new") == {}


def test_what_only_the_item_tells_cancels(transact: Transact) -> None:
    error = refused(transact, "UPDATE Songs SET n = q + 1 WHERE pk = 'a'")
    assert codes(error) == ["ValidationError"]


def test_writes_that_do_not_name_one_item(transact: Transact) -> None:
    update = "UPDATE Notes SET n = 1 WHERE "
    error = refused(
        transact,
        update + "pk = 'a'",
        update + "pk IN ['a'] AND sk = '1'",
        update + "pk = 'a' AND sk = '1' AND pk = 'b'",
        update + "pk = 'a' AND sk = 1",
        update + "pk = 'a' AND sk = '1'",
        "INSERT INTO Notes VALUE {'pk': 'a'}",
    )
    assert codes(error) == ["ValidationError"] * 4 + ["None", "ValidationError"]
    messages = [reason.get("Message") for reason in error.extra["CancellationReasons"]]
    assert messages[0] == messages[1] == messages[3] == MISMATCH
    assert messages[5] == (
        "One or more parameter values were invalid: Missing the key sk in the item"
    )


def test_an_item_may_be_in_a_transaction_once(transact: Transact) -> None:
    expected = "Transaction request cannot include multiple operations on one item"
    error = refused(
        transact, "UPDATE Songs SET n = 2 WHERE pk = 'a'", "DELETE FROM Songs WHERE pk = 'a'"
    )
    assert (error.code, error.message) == ("ValidationException", expected)
    read = "SELECT * FROM Songs WHERE pk = 'a'"
    assert refused(transact, read, "SELECT n FROM Songs WHERE pk = 'a'").message == expected


def test_reads_and_writes_do_not_mix(transact: Transact) -> None:
    error = refused(
        transact, "SELECT * FROM Songs WHERE pk = 'a'", "DELETE FROM Songs WHERE pk = 'b'"
    )
    assert error.message == (
        "ExecuteTransaction API does not support both read and write operations in the same "
        "request."
    )


def test_returning_is_refused(engine: Engine, transact: Transact) -> None:
    error = refused(transact, "UPDATE Songs SET n = 2 WHERE pk = 'a' RETURNING ALL NEW *")
    assert error.code == "ValidationException"
    assert error.message == (
        MISPLACED.format(0) + "RETURNING clause is not supported in ExecuteTransaction."
    )
    assert stored(engine, "a")["n"] == {"N": "1"}


def test_tables_that_are_not_there_cancel(transact: Transact) -> None:
    absent = "UPDATE Absent SET n = 1 WHERE pk = 'a'"
    error = refused(transact, absent + " RETURNING ALL NEW *", "DELETE FROM Songs WHERE pk = 'a'")
    assert codes(error) == ["ResourceNotFound", "None"]
    assert error.extra["CancellationReasons"][0]["Message"] == "Requested resource not found"
    error = refused(transact, absent, "DELETE FROM Songs WHERE pk = 'a' RETURNING ALL OLD *")
    assert error.message.startswith(MISPLACED.format(1) + "RETURNING")


def test_parameters_are_checked_first_of_all(transact: Transact) -> None:
    bad = {"Statement": "no statement", "Parameters": [{"SS": ["a", "a"]}]}
    error = refused(transact, "not this either", bad)
    assert error.message == (
        "One or more parameter values were invalid: Input collection [a, a] contains duplicates."
    )


# --- EXISTS ------------------------------------------------------------------------------


def test_exists_is_a_condition(engine: Engine, transact: Transact) -> None:
    update = "UPDATE Songs SET n = 2 WHERE pk = 'b'"
    answer = transact(
        "EXISTS(SELECT * FROM Songs WHERE (pk = 'a') AND q IS MISSING)",
        update,
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["ConsumedCapacity"][0]["WriteCapacityUnits"] == 4.0
    assert stored(engine, "b")["n"] == {"N": "2"}
    for condition in ("pk = 'a' AND n = 2", "pk = 'absent' AND n IS MISSING"):
        error = refused(transact, f"EXISTS(SELECT n FROM Songs WHERE {condition})", update)
        assert codes(error) == ["ConditionalCheckFailed", "None"]


def test_a_second_value_for_a_key_is_a_condition(transact: Transact) -> None:
    error = refused(transact, "EXISTS(SELECT * FROM Songs WHERE pk = 'a' AND pk = 'b')")
    assert codes(error) == ["ConditionalCheckFailed"]


@pytest.mark.parametrize(
    "where",
    ["", "WHERE pk = 'a'", "WHERE n = 1", "WHERE pk IN ['a'] AND n = 1", "WHERE pk > 'a' AND n=1"],
)
def test_exists_asks_more_than_the_key(transact: Transact, where: str) -> None:
    error = refused(transact, f"EXISTS(SELECT * FROM Songs {where})")
    assert error.message == (
        MISPLACED.format(0) + "EXISTS() must contain a single item read with additional condition"
    )


# --- tokens ------------------------------------------------------------------------------


def test_a_token_makes_a_transaction_happen_once(
    engine: Engine, transact: Transact, clock: ManualClock
) -> None:
    statement = "UPDATE Songs SET n = n + 1 WHERE pk = 'a'"
    request = {"ClientRequestToken": "token", "ReturnConsumedCapacity": "TOTAL"}
    first = transact(statement, **request)
    again = transact(statement, **request)
    assert stored(engine, "a")["n"] == {"N": "2"}
    assert first["ConsumedCapacity"][0]["WriteCapacityUnits"] == 2.0
    assert again["ConsumedCapacity"] == [
        {"TableName": "Songs", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}
    ]
    assert again["Responses"] == []
    error = refused(transact, statement + " AND n = 2", ClientRequestToken="token")
    assert error.code == "IdempotentParameterMismatchException"
    clock.advance(601)
    transact(statement, **request)
    assert stored(engine, "a")["n"] == {"N": "3"}


def test_a_token_of_another_operation_is_another_token(engine: Engine, transact: Transact) -> None:
    delete = {"TableName": "Songs", "Key": {"pk": {"S": "b"}}}
    engine.call(
        "TransactWriteItems",
        {"TransactItems": [{"Delete": delete}], "ClientRequestToken": "token"},
    )
    transact("UPDATE Songs SET n = 7 WHERE pk = 'a'", ClientRequestToken="token")
    assert stored(engine, "a")["n"] == {"N": "7"}


@pytest.mark.parametrize("count", [0, 101])
def test_a_transaction_has_1_to_100_statements(transact: Transact, count: int) -> None:
    error = refused(transact, *["DELETE FROM Songs WHERE pk = 'a'"] * count)
    assert "Member must have length" in error.message
