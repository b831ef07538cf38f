"""PartiQL SELECT: columns, conditions, queries and scans, order, pages, indexes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table

from tablewright.engine import AwsError, Engine

Run = Callable[..., dict[str, Any]]

OVERLAP = "Overlapping conditions with range keys are not supported in where clause"
WRONG_TYPE = "Key attribute's data type should match its data type in table's schema: Key "


@pytest.fixture
def run(engine: Engine) -> Run:
    """Run a statement: ``run("SELECT ...", *parameters, Limit=1)``."""
    return runner(engine)


def runner(engine: Engine) -> Run:
    def run(statement: str, *parameters: Any, **more: Any) -> dict[str, Any]:
        request = {"Statement": statement, **more}
        if parameters:
            request["Parameters"] = list(parameters)
        return engine.call("ExecuteStatement", request)

    return run


def refusal(run: Run, statement: str, *parameters: Any, **more: Any) -> str:
    with pytest.raises(AwsError) as caught:
        run(statement, *parameters, **more)
    assert caught.value.code == "ValidationException"
    return caught.value.message


@pytest.fixture
def song(engine: Engine) -> None:
    engine.call("CreateTable", simple_table("Songs"))
    item = {
        "pk": {"S": "a"},
        "n": {"N": "30"},
        "s": {"S": "text"},
        "flag": {"BOOL": True},
        "nul": {"NULL": True},
        "ss": {"SS": ["x", "y"]},
        "b": {"B": b64encode(b"abc").decode()},
        "l": {"L": [{"N": "1"}, {"M": {"z": {"S": "zz"}}}]},
        "m": {"M": {"x": {"S": "deep"}, "y": {"L": [{"N": "7"}]}}},
        "select": {"S": "quoted"},
    }
    engine.call("PutItem", {"TableName": "Songs", "Item": item})


@pytest.fixture
def rows(engine: Engine) -> None:
    """Three partitions of four items: ``sk`` 0 to 3, ``n`` ten times as much."""
    definitions = [
        {"AttributeName": "g", "AttributeType": "S"},
        {"AttributeName": "l", "AttributeType": "S"},
    ]
    table = composite_table("Notes", sort="N", AttributeDefinitions=definitions)
    table["GlobalSecondaryIndexes"] = [
        index("g-all", "g", "sk"),
        index("g-keys", "g", projection="KEYS_ONLY"),
    ]
    table["LocalSecondaryIndexes"] = [index("l-keys", "pk", "l", projection="KEYS_ONLY")]
    engine.call("CreateTable", table)
    for partition in "abc":
        for number in range(4):
            item = {
                "pk": {"S": partition},
                "sk": {"N": str(number)},
                "g": {"S": f"g{number % 2}"},
                "l": {"S": f"l{9 - number}"},
                "n": {"N": str(number * 10)},
            }
            engine.call("PutItem", {"TableName": "Notes", "Item": item})


def keys(answer: dict[str, Any]) -> list[str]:
    return [item["pk"]["S"] + item["sk"]["N"] for item in answer["Items"]]


# --- columns -----------------------------------------------------------------------------


@pytest.mark.usefixtures("song")
def test_a_path_comes_back_under_its_last_name(run: Run) -> None:
    answer = run("SELECT m.x, m.y[0], l[1].z, l[0] FROM Songs WHERE pk = 'a'")
    assert answer["Items"] == [
        {"x": {"S": "deep"}, "y[0]": {"N": "7"}, "z": {"S": "zz"}, "l[0]": {"N": "1"}}
    ]


@pytest.mark.usefixtures("song")
def test_what_is_not_there_is_left_out(run: Run) -> None:
    answer = run("SELECT PK, nope, m.nope.q, l[9], s.x FROM Songs WHERE pk = 'a'")
    assert answer["Items"] == [{}]


@pytest.mark.usefixtures("song")
def test_names_may_be_quoted_bracketed_or_behind_an_at_sign(run: Run) -> None:
    answer = run("""SELECT "select", m['x'], @n FROM "Songs" WHERE "pk" = 'a'""")
    assert answer["Items"] == [{"select": {"S": "quoted"}, "x": {"S": "deep"}, "n": {"N": "30"}}]


@pytest.mark.usefixtures("song")
def test_overlapping_columns_are_refused(run: Run) -> None:
    assert refusal(run, "SELECT m.x, m FROM Songs") == (
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        "path one: [m], path two: [m, x]"
    )


# --- conditions --------------------------------------------------------------------------


@pytest.mark.usefixtures("song")
@pytest.mark.parametrize(
    "condition",
    [
        "n = 30",
        "n = 3e1 AND n = 30.0 AND n = +30 AND n = - - 30",
        "30 = n AND 20 < n AND 40 >= n",
        "n != 31 AND n <> 31",
        "n BETWEEN 30 AND 31",
        "n NOT BETWEEN 31 AND 32",
        "n IN [1, 30] AND n IN (30) AND n IN <<29, 30>> AND n NOT IN [1, 2]",
        "NOT (n = 1 OR n = 2)",
        "(n = 1 OR n = 30) AND (s = 'text')",
        "nope <> 'x'",
        "NOT nope = 'x'",
        "nope IS MISSING AND n IS NOT MISSING",
        "nul IS NULL AND nul = null AND n IS NOT NULL AND nope IS NOT NULL",
        "s IS STRING AND n IS NUMERIC AND flag IS BOOL AND m IS STRUCT AND l IS LIST AND b IS BLOB",
        "begins_with(s, 'te') AND BEGINS_WITH(\"s\", 't')",
        "contains(ss, 'x') AND contains(s, 'ex') AND contains(l, 1)",
        "attribute_type(n, 'N') AND NOT attribute_type(n, 'S')",
        "attribute_exists(m.y[0]) AND ATTRIBUTE_NOT_EXISTS (nope)",
        "size(s) = 4 AND size(ss) > 1 AND 2 = size(l)",
        "ss = <<'y', 'x'>>",
        "l = [1, {'z': 'zz'}]",
        "m = {'y': [7], 'x': 'deep'}",
        "m.x = 'deep' AND l[1].z = 'zz' AND \"m\".\"x\" = 'deep'",
        "attribute_exists(n) = true AND true = attribute_exists(n)",
        "attribute_exists(nope) = false AND contains(nope, 'z') = false",
        "(n = 5 OR s = 'x') = false AND (n BETWEEN 0 AND 50) = true",
        "attribute_exists(nope) IN [true, false] AND attribute_exists(n) <> 1",
        "attribute_exists(n) = attribute_exists(s) AND attribute_exists(n) = flag",
        "flag = true",
        "attribute_exists(pk)",
    ],
)
def test_conditions_that_hold(run: Run, condition: str) -> None:
    assert len(run(f"SELECT * FROM Songs WHERE pk = 'a' AND {condition}")["Items"]) == 1
    assert len(run(f"SELECT * FROM Songs WHERE {condition}")["Items"]) == 1


@pytest.mark.usefixtures("song")
@pytest.mark.parametrize(
    "condition",
    [
        "nope = 'x'",
        "nope < 'x'",
        "n > 'x'",
        "nope IS NULL",
        "s IS NULL",
        "s IS BOOL",
        "NOT n = 30",
        "l = [{'z': 'zz'}, 1]",
        "attribute_exists(n) = 1",
        "attribute_exists(n) = s",
        "NOT attribute_exists(n) = true",
        "(attribute_exists(n) = true) = false",
        'n = "a"',
    ],
)
def test_conditions_that_do_not_hold(run: Run, condition: str) -> None:
    assert run(f"SELECT * FROM Songs WHERE pk = 'a' AND {condition}")["Items"] == []


@pytest.mark.usefixtures("song")
def test_binary_values_come_as_parameters(run: Run) -> None:
    value = {"B": b64encode(b"abc").decode()}
    assert len(run("SELECT * FROM Songs WHERE pk = ? AND b = ?", {"S": "a"}, value)["Items"]) == 1


@pytest.mark.usefixtures("song")
@pytest.mark.parametrize(
    "statement",
    [
        "-- a note\nSELECT * FROM Songs WHERE pk = 'a'",
        "SELECT * FROM Songs -- a note\nWHERE pk = 'a'",
        "SELECT/**/* FROM Songs /* a note */ WHERE pk/* key */='a' --",
        "select * from Songs where pk = 'a';",
        "  SELECT ALL pk, s FROM (Songs) WHERE (pk) = ('a') ; -- done",
    ],
)
def test_comments_and_white_space(run: Run, statement: str) -> None:
    assert len(run(statement)["Items"]) == 1


def test_quotes_are_doubled_inside_quotes(engine: Engine, run: Run) -> None:
    engine.call("CreateTable", simple_table("Quotes"))
    run("""INSERT INTO Quotes VALUE {'pk': 'it''s', 'a"b': 'x -- y'}""")
    answer = run("""SELECT "a""b" FROM Quotes WHERE pk = 'it''s' AND "a""b" = 'x -- y'""")
    assert answer["Items"] == [{'a"b': {"S": "x -- y"}}]


# --- queries and scans -------------------------------------------------------------------


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("where", "expected", "units"),
    [
        ("pk = 'a'", "a0 a1 a2 a3", 0.5),
        ("pk = 'a' AND sk = 2", "a2", 0.5),
        ("sk = 2 AND ('a' = pk)", "a2", 0.5),
        ("pk = 'a' AND sk > 0 AND sk < 3", "a1 a2", 0.5),
        ("pk = 'a' AND sk > 0 AND sk <> 2", "a1 a3", 0.5),
        ("pk = 'a' AND 1 < sk", "a2 a3", 0.5),
        ("pk = 'a' AND sk BETWEEN 1 AND 2", "a1 a2", 0.5),
        ("pk = 'a' AND sk = 1 AND sk = 2", "", 0.5),
        ("pk = 'a' AND NOT sk = 1", "a0 a2 a3", 0.5),
        ("pk = 'a' AND (sk = 3 OR sk = 1)", "a1 a3", 1.0),
        ("pk = 'a' AND sk IN [3, 1]", "a1 a3", 1.0),
        ("pk = 'a' AND (sk < 1 OR sk > 1 OR sk = 1)", "a0 a1 a2 a3", 1.5),
        ("pk IN ['b', 'a'] AND sk > 1", "b2 b3 a2 a3", 1.0),
        ("(pk = 'a' OR pk = 'b') AND n > 10", "a2 a3 b2 b3", 1.0),
        ("pk = 'b' AND sk = 1 OR pk = 'a' AND sk = 2", "b1 a2", 1.0),
        ("pk = 'a' AND (n = 0 OR n = 30)", "a0 a3", 0.5),
        ("pk = 'a' AND NOT sk = 1 OR pk = 'a' AND sk = 2", "a0 a2 a3", 0.5),
        ("pk = 'a' OR pk = 'a' AND NOT sk = 1", "a0 a1 a2 a3", 0.5),
    ],
)
def test_a_fixed_partition_key_is_queried(
    run: Run, where: str, expected: str, units: float
) -> None:
    answer = run(f"SELECT * FROM Notes WHERE {where}", ReturnConsumedCapacity="TOTAL")
    assert " ".join(keys(answer)) == expected
    assert answer["ConsumedCapacity"] == {"TableName": "Notes", "CapacityUnits": units}


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("sk = 1", "a1 b1 c1"),
        ("pk > 'a' AND sk = 1", "b1 c1"),
        ("NOT pk = 'a' AND sk = 1", "b1 c1"),
        ("pk = 'a' AND sk = 0 OR n = 10", "a0 a1 b1 c1"),
        ("pk > 1", ""),
        ("pk = 'a' AND pk = 'b'", ""),
    ],
)
def test_anything_else_is_scanned(run: Run, where: str, expected: str) -> None:
    assert " ".join(sorted(keys(run(f"SELECT * FROM Notes WHERE {where}")))) == expected


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("pk IN ['a', 'a']", OVERLAP),
        ("pk = 'a' OR pk = 'a'", OVERLAP),
        ("pk = 'a' AND (sk > 0 OR sk < 5)", OVERLAP),
        ("pk = 'a' AND (sk = 1 OR n = 20)", OVERLAP),
        ("(pk = 'a' AND n = 0) OR (pk = 'a' AND n = 10)", OVERLAP),
        ("pk = 1 OR pk = 'a'", WRONG_TYPE + "pk"),
        ("pk = 'a' AND sk IN [1, '2']", WRONG_TYPE + "sk"),
        ("pk = 'a' AND begins_with(sk, '1')", WRONG_TYPE + "sk"),
        (
            f"pk IN [{', '.join(map(repr, map(str, range(51))))}]",
            "Too many decomposed read operations for a given query.",
        ),
        (
            f"pk IN [{', '.join(map(repr, map(str, range(26))))}] AND sk IN [1, 2]",
            "Too many decomposed read operations for a given query.",
        ),
        (
            f"pk = 'a' AND n IN [{', '.join(map(str, range(101)))}]",
            "The IN operator is provided with too many operands; number of operands: 101",
        ),
        (
            "pk = ''",
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
        ),
    ],
)
def test_key_conditions_that_cannot_be(run: Run, where: str, expected: str) -> None:
    assert refusal(run, f"SELECT * FROM Notes WHERE {where}") == expected


def test_begins_with_an_empty_prefix_of_a_sort_key_is_refused(engine: Engine) -> None:
    engine.call("CreateTable", composite_table())
    run = runner(engine)
    assert refusal(run, "SELECT * FROM Composite WHERE pk = 'a' AND begins_with(sk, '')") == (
        "One or more parameter values are not valid. The AttributeValue for a key attribute "
        "cannot contain an empty string value. Key: sk"
    )
    assert run("SELECT * FROM Composite WHERE pk = 'a' AND begins_with(x, '')")["Items"] == []


def test_a_table_that_is_not_there(engine: Engine) -> None:
    with pytest.raises(AwsError, match="Requested resource not found") as caught:
        runner(engine)("SELECT * FROM Absent WHERE pk = 'a'")
    assert caught.value.code == "ResourceNotFoundException"


# --- order -------------------------------------------------------------------------------


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("pk = 'a' ORDER BY sk", "a0 a1 a2 a3"),
        ("pk = 'a' ORDER BY sk DESC", "a3 a2 a1 a0"),
        ("pk = 'a' AND sk IN [1, 3] ORDER BY sk DESC", "a3 a1"),
        ("pk = 'a' AND n > 0 ORDER BY sk DESC", "a3 a2 a1"),
        ("pk = 'a' ORDER BY pk", "a3 a2 a1 a0"),
        ("pk IN ['b', 'a'] AND sk < 2 ORDER BY pk, sk", "a0 a1 b0 b1"),
        ("pk IN ['a', 'b'] AND sk < 2 ORDER BY pk DESC, sk ASC", "b0 b1 a0 a1"),
        ("pk IN ['a', 'b'] AND sk < 2 ORDER BY pk ASC, sk DESC", "a1 a0 b1 b0"),
    ],
)
def test_order(run: Run, clause: str, expected: str) -> None:
    assert " ".join(keys(run(f"SELECT * FROM Notes WHERE {clause}"))) == expected


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("ORDER BY sk", "Must have WHERE clause in the statement when using ORDER BY clause."),
        (
            "WHERE pk = 'a' ORDER BY n",
            "Attribute n in ORDER BY clause must be part of the primary key",
        ),
        (
            "WHERE pk > 'a' ORDER BY sk",
            "Must have at least one non-optional hash key condition in WHERE clause when using "
            "ORDER BY clause.",
        ),
        (
            "WHERE pk IN ['a', 'b'] ORDER BY sk",
            "Must have hash key in ORDER BY clause when more than one hash key condition "
            "specified in WHERE clause.",
        ),
        (
            "WHERE pk = 'a' ORDER BY m.x",
            "Argument to ORDER BY must be of type VariableReference. Type: PATH",
        ),
    ],
)
def test_orders_that_cannot_be(run: Run, clause: str, expected: str) -> None:
    assert refusal(run, f"SELECT * FROM Notes {clause}") == expected


# --- pages -------------------------------------------------------------------------------


def pages(run: Run, statement: str, **more: Any) -> list[list[str]]:
    """The keys of every page, until there is no token any more."""
    found = []
    token: dict[str, Any] = {}
    for _ in range(50):
        answer = run(statement, **token, **more)
        found.append(keys(answer))
        if "NextToken" not in answer:
            return found
        assert ("LastEvaluatedKey" in answer) or not answer["Items"]
        token = {"NextToken": answer["NextToken"]}
    raise AssertionError("the pages have no end")


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 100])
@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("WHERE pk = 'a'", "a0 a1 a2 a3"),
        ("WHERE pk = 'a' ORDER BY sk DESC", "a3 a2 a1 a0"),
        ("WHERE pk IN ['b', 'a']", "b0 b1 b2 b3 a0 a1 a2 a3"),
        ("WHERE pk = 'a' AND sk IN [0, 2, 3]", "a0 a2 a3"),
        ("WHERE pk IN ['a', 'b'] ORDER BY pk DESC", "b3 b2 b1 b0 a3 a2 a1 a0"),
        ("WHERE pk = 'a' AND n IN [0, 30]", "a0 a3"),
    ],
)
def test_pages_join_up(run: Run, limit: int, clause: str, expected: str) -> None:
    found = pages(run, f"SELECT * FROM Notes {clause}", Limit=limit)
    assert " ".join(key for page in found for key in page) == expected
    assert all(len(page) <= limit for page in found)


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("source", ["Notes", '"Notes"."g-all"', '"Notes"."l-keys"'])
def test_scans_are_paged(run: Run, source: str) -> None:
    found = pages(run, f"SELECT * FROM {source}", Limit=5)
    assert [len(page) for page in found] == [5, 5, 2]
    assert len({key for page in found for key in page}) == 12


@pytest.mark.usefixtures("rows")
def test_a_limit_counts_what_was_looked_at(run: Run) -> None:
    assert pages(run, "SELECT * FROM Notes WHERE pk = 'a' AND n = 30", Limit=2) == [[], ["a3"], []]


@pytest.mark.usefixtures("song")
def test_a_page_may_end_with_the_only_item_of_a_partition(run: Run) -> None:
    statement = "SELECT pk FROM Songs WHERE pk IN ['a', 'b']"
    first = run(statement, Limit=1)
    assert first["LastEvaluatedKey"] == {"pk": {"S": "a"}}
    assert run(statement, Limit=1, NextToken=first["NextToken"]) == {"Items": []}


def test_a_page_ends_at_a_megabyte(engine: Engine, run: Run) -> None:
    engine.call("CreateTable", composite_table("Big", sort="N"))
    for partition in "ab":
        for number in range(4):
            item = {"pk": {"S": partition}, "sk": {"N": str(number)}, "v": {"S": "x" * 350_000}}
            engine.call("PutItem", {"TableName": "Big", "Item": item})
    columns = "SELECT pk, sk FROM Big"
    assert [len(page) for page in pages(run, f"{columns} WHERE pk = 'a'")] == [3, 1]
    found = pages(run, f"{columns} WHERE pk IN ['a', 'b'] AND sk < 3")
    assert [key for page in found for key in page] == ["a0", "a1", "a2", "b0", "b1", "b2"]
    assert max(map(len, found)) == 3


@pytest.mark.usefixtures("rows")
def test_a_token_belongs_to_its_statement(run: Run) -> None:
    statement = "SELECT * FROM Notes WHERE pk = ?"
    token = run(statement, {"S": "a"}, Limit=1)["NextToken"]
    mismatch = "NextToken does not match request"
    assert refusal(run, statement, {"S": "b"}, NextToken=token) == mismatch
    assert refusal(run, "SELECT * FROM Notes", NextToken=token) == mismatch
    answer = run(statement, {"S": "a"}, NextToken=token, Limit=2, ConsistentRead=True)
    assert keys(answer) == ["a1", "a2"]


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("token", ["abc", "====", "AAAA" * 10, "\N{SNOWMAN}", "e30="])
def test_a_token_that_is_none(run: Run, token: str) -> None:
    assert refusal(run, "SELECT * FROM Notes", NextToken=token) == "Invalid NextToken"


def test_a_token_survives_a_restart(tmp_path: Path) -> None:
    statement = "SELECT sk FROM Kept WHERE pk = 'a'"
    with Engine(tmp_path / "data", durability="relaxed") as engine:
        engine.call("CreateTable", composite_table("Kept", sort="N"))
        for number in range(3):
            runner(engine)(f"INSERT INTO Kept VALUE {{'pk': 'a', 'sk': {number}}}")
        token = runner(engine)(statement, Limit=1)["NextToken"]
    with Engine(tmp_path / "data", durability="relaxed") as engine:
        answer = runner(engine)(statement, NextToken=token)
    assert answer == {"Items": [{"sk": {"N": "1"}}, {"sk": {"N": "2"}}]}


# --- indexes -----------------------------------------------------------------------------


@pytest.mark.usefixtures("rows")
def test_an_index_is_queried_by_its_own_key(run: Run) -> None:
    statement = """SELECT * FROM "Notes"."g-all" WHERE g = 'g1' AND sk > 1"""
    answer = run(statement, ReturnConsumedCapacity="INDEXES")
    assert sorted(keys(answer)) == ["a3", "b3", "c3"]
    assert answer["ConsumedCapacity"] == {
        "TableName": "Notes",
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0.0},
        "GlobalSecondaryIndexes": {"g-all": {"CapacityUnits": 0.5}},
    }


@pytest.mark.usefixtures("rows")
def test_an_index_is_scanned_by_any_other_key(run: Run) -> None:
    assert keys(run('SELECT * FROM "Notes"."g-keys" WHERE pk = \'a\' AND sk = 1')) == ["a1"]
    assert run('SELECT * FROM "Notes"."g-keys" WHERE pk = \'a\' AND sk = 1')["Items"] == [
        {"pk": {"S": "a"}, "sk": {"N": "1"}, "g": {"S": "g1"}}
    ]


@pytest.mark.usefixtures("rows")
def test_a_local_index_is_completed_from_the_table(run: Run) -> None:
    answer = run(
        """SELECT n FROM "Notes"."l-keys" WHERE pk = 'a' AND l < 'l8'""",
        ConsistentRead=True,
        ReturnConsumedCapacity="INDEXES",
    )
    assert answer["Items"] == [{"n": {"N": "30"}}, {"n": {"N": "20"}}]
    assert answer["ConsumedCapacity"]["Table"] == {"CapacityUnits": 2.0}


@pytest.mark.usefixtures("rows")
def test_a_scan_filters_what_the_index_holds(run: Run) -> None:
    for name in ("g-keys", "l-keys"):
        assert run(f'SELECT sk FROM "Notes"."{name}" WHERE n = 10')["Items"] == []
        assert len(run(f'SELECT sk FROM "Notes"."{name}" WHERE NOT n = 10')["Items"]) == 12


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('SELECT * FROM "Notes"."none"', "The table does not have the specified index"),
        (
            'SELECT n, x FROM "Notes"."g-keys"',
            "One or more parameter values were invalid: Global secondary index g-keys does not "
            "project [n, x]",
        ),
        (
            'SELECT * FROM "Notes"."g-keys" WHERE g = \'g1\' AND n = 10',
            "One or more parameter values were invalid: Secondary index g-keys does not project "
            "one or more filter attributes: [n]",
        ),
        (
            "SELECT * FROM \"Notes\".\"l-keys\" WHERE pk IN ['a', 'b'] AND NOT n = 10",
            "One or more parameter values were invalid: Secondary index l-keys does not project "
            "one or more filter attributes: [n]",
        ),
        (
            'SELECT * FROM "Notes"."g-keys" '
            "WHERE (g = 'g2' AND n = 10) OR (g = 'g1' AND x = 10)",
            "One or more parameter values were invalid: Secondary index g-keys does not project "
            "one or more filter attributes: [n]",
        ),
    ],
)
def test_what_an_index_cannot_do(run: Run, statement: str, expected: str) -> None:
    assert refusal(run, statement) == expected


@pytest.mark.usefixtures("rows")
def test_one_alternative_may_ask_for_what_an_index_does_not_hold(run: Run) -> None:
    other = run('SELECT sk FROM "Notes"."g-keys" WHERE g = \'g0\'')["Items"]
    assert other
    for where in ("(g = 'g1' AND n = 10) OR g = 'g0'", "g = 'g0' OR (g = 'g1' AND n = 10)"):
        assert run(f'SELECT sk FROM "Notes"."g-keys" WHERE {where}')["Items"] == other


@pytest.mark.usefixtures("rows")
def test_a_global_index_is_never_consistent(run: Run) -> None:
    expected = "Strongly consistent read is not supported on Global Secondary Indexes"
    assert refusal(run, 'SELECT * FROM "Notes"."g-all"', ConsistentRead=True) == expected
    expected = "The table does not have the specified index"
    assert refusal(run, 'SELECT * FROM "Notes"."none"', ConsistentRead=True) == expected


def test_an_index_with_a_key_of_several_attributes_is_not_read(engine: Engine, run: Run) -> None:
    several = index("several", "h1", "r1")
    several["KeySchema"].insert(1, {"AttributeName": "h2", "KeyType": "HASH"})
    table = simple_table("Several", GlobalSecondaryIndexes=[several])
    table["AttributeDefinitions"] += [
        {"AttributeName": name, "AttributeType": "S"} for name in ("h1", "h2", "r1")
    ]
    engine.call("CreateTable", table)
    expected = (
        "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or "
        "multi-attribute RANGE keys."
    )
    for rest in ("", " WHERE h1 = 5", " WHERE pk = 'a'"):
        assert refusal(run, f'SELECT COUNT(*) FROM "Several"."several"{rest}') == expected
    assert "Unexpected term" in refusal(run, 'SELECT * FROM "Several"."several" WHERE')
    run("INSERT INTO Several VALUE {'pk': 'a'}")
    assert len(run("SELECT * FROM Several WHERE pk = 'a'")["Items"]) == 1


# --- reading does not wait for writers ---------------------------------------------------


@pytest.mark.usefixtures("rows")
def test_a_select_does_not_enter_the_write_queue(
    engine: Engine, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(work: Any) -> Any:
        raise AssertionError("a read was queued as a write")

    monkeypatch.setattr(engine.store, "run", refuse)
    assert len(run("SELECT * FROM Notes")["Items"]) == 12
    batch = {"Statements": [{"Statement": "SELECT * FROM Notes WHERE pk = 'a' AND sk = 1"}]}
    assert "Item" in engine.call("BatchExecuteStatement", batch)["Responses"][0]
    transaction = {"TransactStatements": batch["Statements"]}
    assert "Item" in engine.call("ExecuteTransaction", transaction)["Responses"][0]
