"""PartiQL INSERT, UPDATE and DELETE through ExecuteStatement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table

from tablewright.engine import AwsError, Engine

Run = Callable[..., dict[str, Any]]

NO_KEY = "Where clause does not contain a mandatory equality on all key attributes"


@pytest.fixture
def run(engine: Engine) -> Run:
    engine.call("CreateTable", simple_table("Songs"))
    engine.call("CreateTable", composite_table("Notes", sort="N"))

    def run(statement: str, *parameters: Any, **more: Any) -> dict[str, Any]:
        request = {"Statement": statement, **more}
        if parameters:
            request["Parameters"] = list(parameters)
        return engine.call("ExecuteStatement", request)

    return run


@pytest.fixture
def song(engine: Engine, run: Run) -> None:
    item = {
        "pk": {"S": "a"},
        "n": {"N": "5"},
        "s": {"S": "text"},
        "ss": {"SS": ["x", "y"]},
        "ns": {"NS": ["1", "2"]},
        "l": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}]},
        "m": {"M": {"x": {"N": "1"}, "y": {"S": "z"}}},
    }
    engine.call("PutItem", {"TableName": "Songs", "Item": item})


def stored(engine: Engine, pk: str = "a") -> dict[str, Any]:
    answer = engine.call("GetItem", {"TableName": "Songs", "Key": {"pk": {"S": pk}}})
    item: dict[str, Any] = answer.get("Item", {})
    return item


def refused(run: Run, statement: str, *parameters: Any, **more: Any) -> AwsError:
    with pytest.raises(AwsError) as caught:
        run(statement, *parameters, **more)
    return caught.value


# --- INSERT ------------------------------------------------------------------------------


def test_every_kind_of_literal(engine: Engine, run: Run) -> None:
    answer = run(
        "INSERT INTO Songs VALUE {'pk': 'b', 'i': 1, 'f': -1.50, 'e': 7.32E+2, 'd': .5, 'z': -0,"
        " 't': true, 'u': FALSE, 'nul': NULL, 'l': [1, 'x', [], {}], 'm': {'a': {'b': null}},"
        " 's': <<'p', 'q'>>, 'ns': <<1, 34, 4.5>>}"
    )
    assert answer == {"Items": []}
    assert stored(engine, "b") == {
        "pk": {"S": "b"},
        "i": {"N": "1"},
        "f": {"N": "-1.5"},
        "e": {"N": "732"},
        "d": {"N": "0.5"},
        "z": {"N": "0"},
        "t": {"BOOL": True},
        "u": {"BOOL": False},
        "nul": {"NULL": True},
        "l": {"L": [{"N": "1"}, {"S": "x"}, {"L": []}, {"M": {}}]},
        "m": {"M": {"a": {"M": {"b": {"NULL": True}}}}},
        "s": {"SS": ["p", "q"]},
        "ns": {"NS": ["1", "34", "4.5"]},
    }


def test_insert_with_parameters(engine: Engine, run: Run) -> None:
    value = {"M": {"x": {"B": "AAEC"}, "y": {"NS": ["1.0", "2"]}}}
    run("INSERT INTO Songs VALUE {'pk': ?, 'v': ?}", {"S": "p"}, value)
    assert stored(engine, "p")["v"] == {"M": {"x": {"B": "AAEC"}, "y": {"NS": ["1", "2"]}}}


@pytest.mark.usefixtures("song")
def test_insert_does_not_replace(engine: Engine, run: Run) -> None:
    before = stored(engine)
    error = refused(run, "INSERT INTO Songs VALUE {'pk': 'a'}")
    assert error.code == "DuplicateItemException"
    assert error.message == "Duplicate primary key exists in table"
    assert stored(engine) == before
    run("DELETE FROM Songs WHERE pk = 'a'")
    run("INSERT INTO Songs VALUE {'pk': 'a'}")


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("{'n': 1}", "Key attribute should be present in the item: Key pk"),
        (
            "{'pk': 1}",
            "Key attribute's data type should match its data type in table's schema: Key pk",
        ),
        (
            "{'pk': ''}",
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
        ),
        ("{'pk': 'a', '': 1}", "Path component cannot be an empty string"),
        (
            "[{'pk': 'a'}]",
            "Unsupported format in item expression. Please use struct format {...} to express "
            "item values for insert statement. at 1:25:1",
        ),
        ("{'pk': 'a', 'pk': 'b'}", "Duplicate keys in tuple. Key: pk under root at 1:37:4"),
    ],
)
def test_items_that_cannot_be(run: Run, item: str, expected: str) -> None:
    assert refused(run, f"INSERT INTO Songs VALUE {item}").message == expected


def test_an_item_that_is_too_large(engine: Engine, run: Run) -> None:
    big = {"S": "x" * 409_590}
    run("INSERT INTO Songs VALUE {'pk': 'b', 'v': ?}", big)
    error = refused(run, "INSERT INTO Songs VALUE {'pk': 'c', 'v': ?}", {"S": "x" * 409_600})
    assert error.message == "Item size has exceeded the maximum allowed size"
    error = refused(run, "UPDATE Songs SET w = 'more than there is room for' WHERE pk = 'b'")
    assert error.message == "Item size to update has exceeded the maximum allowed size"


# --- UPDATE ------------------------------------------------------------------------------


@pytest.mark.usefixtures("song")
@pytest.mark.parametrize(
    ("action", "changed"),
    [
        ("SET n = 7", {"n": {"N": "7"}}),
        ("SET n = n + 1", {"n": {"N": "6"}}),
        ("SET n=n-1", {"n": {"N": "4"}}),
        ("SET n = n - - 2", {"n": {"N": "7"}}),
        ("SET n = 1 + n", {"n": {"N": "6"}}),
        ("SET n = n + 1 + 2 - n", {"n": {"N": "3"}}),
        ("SET n = n - (n - 1)", {"n": {"N": "1"}}),
        ("SET c = n, d = m.x", {"c": {"N": "5"}, "d": {"N": "1"}}),
        (
            "SET m.x = 9 SET m.q = [1]",
            {"m": {"M": {"x": {"N": "9"}, "y": {"S": "z"}, "q": {"L": [{"N": "1"}]}}}},
        ),
        ("SET m['x'] = 9, m.\"y\" = null", {"m": {"M": {"x": {"N": "9"}, "y": {"NULL": True}}}}),
        ("SET l[1] = 9", {"l": {"L": [{"N": "1"}, {"N": "9"}, {"N": "3"}]}}),
        (
            "REMOVE l[0] REMOVE m.x",
            {"l": {"L": [{"N": "2"}, {"N": "3"}]}, "m": {"M": {"y": {"S": "z"}}}},
        ),
        ("REMOVE s SET n = 0", {"s": None, "n": {"N": "0"}}),
        ("SET l = list_append(l, [4])", {"l": {"L": [{"N": str(n)} for n in (1, 2, 3, 4)]}}),
        ("SET l = LIST_APPEND([0], l)", {"l": {"L": [{"N": str(n)} for n in (0, 1, 2, 3)]}}),
        ("SET q = if_not_exists(q, 1)", {"q": {"N": "1"}}),
        ("SET n = if_not_exists(n, 1)", {}),
        ("SET ss = set_add(ss, <<'z', 'x'>>)", {"ss": {"SS": ["x", "y", "z"]}}),
        ("SET q = SET_ADD(q, <<1>>)", {"q": {"NS": ["1"]}}),
        ("SET ss = set_delete(ss, <<'x', 'q'>>)", {"ss": {"SS": ["y"]}}),
        ("SET ss = set_delete(ss, <<'x', 'y'>>)", {"ss": None}),
        ("SET none = set_delete(none, <<'x'>>)", {}),
    ],
)
def test_updates(engine: Engine, run: Run, action: str, changed: dict[str, Any]) -> None:
    expected = {**stored(engine), **changed}
    assert run(f"UPDATE Songs {action} WHERE pk = 'a'") == {"Items": []}
    assert stored(engine) == {name: value for name, value in expected.items() if value is not None}


@pytest.mark.usefixtures("song")
def test_an_update_with_from_first(engine: Engine, run: Run) -> None:
    answer = run(
        "from Songs where pk = ? AND n = 5 set n = ? remove l remove m returning all new *",
        {"S": "a"},
        {"N": "7"},
    )
    assert answer["Items"] == [stored(engine)]
    assert stored(engine)["n"] == {"N": "7"}
    assert "l" not in stored(engine)
    assert refused(run, "FROM Songs SET c = 1").message == NO_KEY
    assert "Unexpected token" in refused(run, "FROM Songs SET c = 1 WHERE pk = 'a'").message


@pytest.mark.usefixtures("song")
@pytest.mark.parametrize(
    ("returning", "expected"),
    [
        ("ALL OLD", "old"),
        ("ALL NEW", "new"),
        ("MODIFIED OLD", [{"n": {"N": "5"}, "m": {"M": {"x": {"N": "1"}}}}]),
        ("MODIFIED NEW", [{"n": {"N": "6"}, "m": {"M": {"x": {"N": "8"}}}}]),
    ],
)
def test_returning(engine: Engine, run: Run, returning: str, expected: Any) -> None:
    old = stored(engine)
    answer = run(f"UPDATE Songs SET n = n + 1, m.x = 8 WHERE pk = 'a' RETURNING {returning} *")
    sides = {"old": [old], "new": [stored(engine)]}
    assert answer["Items"] == (sides[expected] if isinstance(expected, str) else expected)


@pytest.mark.usefixtures("song")
def test_nothing_modified_is_no_row(run: Run) -> None:
    assert run("UPDATE Songs REMOVE n WHERE pk = 'a' RETURNING MODIFIED NEW *") == {"Items": []}
    assert run("UPDATE Songs SET q = 1 WHERE pk = 'a' RETURNING MODIFIED OLD *") == {"Items": []}


@pytest.mark.usefixtures("song")
def test_elements_of_lists_come_back_side_by_side(run: Run) -> None:
    answer = run("UPDATE Songs SET l[2] = 9, l[0] = 7 WHERE pk = 'a' RETURNING MODIFIED NEW *")
    assert answer["Items"] == [{"l": {"L": [{"N": "7"}, {"N": "9"}]}}]


@pytest.mark.usefixtures("song")
def test_an_update_needs_the_item(engine: Engine, run: Run) -> None:
    for statement in (
        "UPDATE Songs SET n = 1 WHERE pk = 'b'",
        "UPDATE Songs REMOVE n WHERE pk = 'b'",
        "UPDATE Songs SET n = 1 WHERE pk = 'b' AND attribute_not_exists(pk)",
        "UPDATE Songs SET ss = set_add(ss, <<'x'>>) WHERE pk = 'b'",
    ):
        error = refused(run, statement)
        assert error.code == "ConditionalCheckFailedException"
        assert error.message == "The conditional request failed"
    assert stored(engine, "b") == {}


@pytest.mark.usefixtures("song")
@pytest.mark.parametrize(
    "condition", ["n = 6", "nope = 1", "NOT begins_with(s, 'te')", "(n = 1 OR s = 'x')"]
)
def test_a_condition_beyond_the_key(engine: Engine, run: Run, condition: str) -> None:
    before = stored(engine)
    for statement in ("UPDATE Songs SET n = 1", "DELETE FROM Songs"):
        error = refused(
            run,
            f"{statement} WHERE pk = 'a' AND {condition}",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
        assert error.code == "ConditionalCheckFailedException"
        assert error.extra == {"Item": before}
    assert stored(engine) == before
    run(f"UPDATE Songs SET n = 1 WHERE (pk = 'a') AND NOT ({condition})")
    assert stored(engine)["n"] == {"N": "1"}


@pytest.mark.usefixtures("song")
@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (
            "SET pk = 'x'",
            "One or more parameter values were invalid: Cannot update attribute pk. This "
            "attribute is part of the key",
        ),
        (
            "SET a = 1, a.b = 2",
            "Two document paths overlap with each other; must remove or rewrite one of these "
            "paths; path one: [a, b], path two: [a]",
        ),
        ("SET n = n * 2", "Unsupported operator in Update Expression. Operator: *"),
        ("SET n = NOT b", "Unsupported operator in Update Expression. Operator: not"),
        ("SET n = b IN [1]", "Unsupported operator in Update Expression. Operator: in"),
        ("SET n = b IS NULL", "IS operator is not supported in update expressions"),
        ("SET n = MISSING", "MISSING must be compared using IS operator"),
        ("SET n = foo(n)", "Unrecognized function: foo at 1:22:3"),
        (
            "SET n = size(l)",
            "The function is not allowed in an update expression; function: size",
        ),
        (
            "SET n = -n",
            "Incorrect number of operands for operator or function; operator or function: -, "
            "number of operands: 1",
        ),
        (
            "SET n = n + 'x'",
            "Incorrect operand type for operator or function; operator or function: +, operand "
            "type: S",
        ),
        (
            "SET l = list_append(l, 3)",
            "Incorrect operand type for operator or function; operator or function: list_append, "
            "operand type: N",
        ),
        (
            "SET q = q + 1",
            "The provided expression refers to an attribute that does not exist in the item",
        ),
        (
            "SET q.x = 1",
            "The document path provided in the update expression is invalid for update",
        ),
        (
            "SET ss = set_add(ns, <<'x'>>)",
            "The first argument to SET_ADD must equal the assignment value at 1:23:7",
        ),
        (
            "SET ss = set_add(ss, 'x')",
            "The second argument to SET_ADD must be a value with type SET at 1:31:2",
        ),
        (
            "SET ss = set_delete(ss, ['x'])",
            "The second argument to SET_DELETE must be a value with type SET at 1:34:2",
        ),
        ("SET ss = set_add(ss)", "SET_ADD must have exactly two arguments at 1:23:7"),
        (
            "SET ss = set_add(ss, <<1>>)",
            "An operand in the update expression has an incorrect data type",
        ),
        (
            "SET s = set_add(s, <<'x'>>)",
            "An operand in the update expression has an incorrect data type",
        ),
        ("SET ss = set_add(ss, <<>>)", "Empty bags are not supported"),
    ],
)
def test_updates_that_cannot_be(run: Run, action: str, expected: str) -> None:
    error = refused(run, f"UPDATE Songs {action} WHERE pk = 'a'")
    assert (error.code, error.message) == ("ValidationException", expected)


@pytest.mark.parametrize(
    "where",
    [
        "",
        "WHERE n = 1",
        "WHERE pk = 'a'",
        "WHERE pk = 'a' AND sk > 1",
        "WHERE pk = 'a' OR sk = 1",
        "WHERE pk IN ['a'] AND sk = 1",
        "WHERE NOT pk = 'a' AND sk = 1",
        "WHERE pk.x = 'a' AND sk = 1",
    ],
)
def test_a_write_names_one_item(run: Run, where: str) -> None:
    assert refused(run, f"UPDATE Notes SET a = 1 {where}").message == NO_KEY
    assert refused(run, f"DELETE FROM Notes {where}").message == NO_KEY


def test_a_key_has_one_value(run: Run) -> None:
    error = refused(run, "DELETE FROM Notes WHERE pk = 'a' AND sk = 1 AND pk = 'b'")
    assert error.message == (
        "Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported"
    )
    error = refused(run, "DELETE FROM Notes WHERE pk = 'a' AND sk = '1'")
    assert error.message == (
        "Key attribute's data type should match its data type in table's schema: Key sk"
    )
    assert run("DELETE FROM Notes WHERE pk = 'a' AND sk = 1 AND pk = 'a'") == {"Items": []}


# --- DELETE ------------------------------------------------------------------------------


@pytest.mark.usefixtures("song")
def test_delete(engine: Engine, run: Run) -> None:
    old = stored(engine)
    answer = run("DELETE FROM Songs WHERE pk = 'a' AND n = 5 RETURNING ALL OLD *")
    assert answer == {"Items": [old]}
    assert stored(engine) == {}


@pytest.mark.usefixtures("song")
@pytest.mark.parametrize("condition", ["", " AND n = 5", " AND attribute_exists(pk)"])
def test_deleting_what_is_not_there_asks_nothing(run: Run, condition: str) -> None:
    assert run(f"DELETE FROM Songs WHERE pk = 'b'{condition} RETURNING ALL OLD *") == {"Items": []}


# --- everything else ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO Absent VALUE {'pk': 'a'}",
        "UPDATE Absent SET a = 1 WHERE pk = 'a'",
        "DELETE FROM Absent WHERE pk = 'a'",
    ],
)
def test_a_table_that_is_not_there(run: Run, statement: str) -> None:
    error = refused(run, statement)
    assert error.code == "ResourceNotFoundException"
    assert error.message == "Requested resource not found"


def test_consumed_capacity(engine: Engine, run: Run) -> None:
    table = simple_table("Indexed", GlobalSecondaryIndexes=[index("by-g", "g")])
    table["AttributeDefinitions"].append({"AttributeName": "g", "AttributeType": "S"})
    engine.call("CreateTable", table)
    answer = run(
        "INSERT INTO Indexed VALUE {'pk': 'a', 'g': 'x', 'v': ?}",
        {"S": "x" * 1500},
        ReturnConsumedCapacity="INDEXES",
    )
    assert answer["ConsumedCapacity"] == {
        "TableName": "Indexed",
        "CapacityUnits": 4.0,
        "Table": {"CapacityUnits": 2.0},
        "GlobalSecondaryIndexes": {"by-g": {"CapacityUnits": 2.0}},
    }
    answer = run("DELETE FROM Indexed WHERE pk = 'a'", ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": "Indexed", "CapacityUnits": 4.0}


def test_the_json_way_gives_the_same(engine: Engine, run: Run) -> None:
    run("INSERT INTO Songs VALUE {'pk': 'j', 'n': 1}")
    for statement in (
        "SELECT * FROM Songs WHERE pk = 'j'",
        "SELECT n FROM Songs WHERE n = 1",
        "UPDATE Songs SET n = 1 WHERE pk = 'j' RETURNING ALL OLD *",
        "DELETE FROM Songs WHERE pk = 'j' RETURNING ALL OLD *",
    ):
        body = engine.call_json("ExecuteStatement", b'{"Statement": "%s"}' % statement.encode())
        assert b'"n":{"N":"1"}' in body
