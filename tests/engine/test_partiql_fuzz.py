"""PartiQL under Hypothesis: whatever is written gets an answer, and literals come back."""

from __future__ import annotations

import string
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.engine.samples import composite_table, index
from tests.sampling import many

from tablewright.engine import AwsError, Engine
from tablewright.engine.partiql.grammar import parse
from tablewright.engine.partiql.literals import literal
from tablewright.engine.partiql.syntax import Insert, Struct
from tablewright.values import equal, format_number

FEW = settings(
    max_examples=many(300),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

# --- literals round trips ----------------------------------------------------------------

texts = st.text(st.characters(codec="utf-8"), max_size=20)
numbers = st.decimals(allow_nan=False, allow_infinity=False, places=4).filter(
    lambda number: number.adjusted() < 30
)
scalars = st.one_of(
    texts.map(lambda text: {"S": text}),
    numbers.map(lambda number: {"N": format_number(number)}),
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.just({"NULL": True}),
    st.sets(texts, min_size=1, max_size=3).map(lambda members: {"SS": sorted(members)}),
    st.sets(st.integers(-(10**37), 10**37), min_size=1, max_size=3).map(
        lambda members: {"NS": [str(member) for member in members]}
    ),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda members: {"L": members})
        | st.dictionaries(texts, inner, max_size=3).map(lambda members: {"M": members})
    ),
    max_leaves=8,
)


def written(value: dict[str, Any]) -> str:
    """An attribute value as a PartiQL literal."""
    ((kind, content),) = value.items()
    if kind == "S":
        return quoted(content)
    if kind == "BOOL":
        return "TRUE" if content else "false"
    if kind == "SS":
        return f"<<{', '.join(map(quoted, content))}>>"
    if kind == "NS":
        return f"<<{', '.join(content)}>>"
    if kind == "L":
        return f"[{', '.join(map(written, content))}]"
    if kind == "M":
        pairs = (f"{quoted(name)}: {written(member)}" for name, member in content.items())
        return f"{{{', '.join(pairs)}}}"
    return "null" if kind == "NULL" else str(content)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@given(value=values)
@settings(FEW)
def test_literals_come_back(value: dict[str, Any]) -> None:
    statement = parse(f"INSERT INTO T VALUE {{'v': {written(value)}}}").statement
    assert isinstance(statement, Insert)
    assert isinstance(statement.item, Struct)
    ((_, node),) = statement.item.members
    assert equal(literal(node), value)


@given(value=values, name=texts.filter(bool))
@settings(FEW)
def test_what_is_inserted_is_selected(engine: Engine, value: dict[str, Any], name: str) -> None:
    if engine.catalog.find("Notes") is None:
        engine.call("CreateTable", composite_table("Notes"))
    attribute = '"' + name.replace('"', '""') + '"'
    if name in ("pk", "sk"):
        return
    run(engine, "DELETE FROM Notes WHERE pk = 'a' AND sk = '1'")
    insert = f"INSERT INTO Notes VALUE {{'pk': 'a', 'sk': '1', {quoted(name)}: {written(value)}}}"
    run(engine, insert)
    select = f"SELECT {attribute} FROM Notes WHERE pk = 'a' AND {attribute} = {written(value)}"
    items = run(engine, select)["Items"]
    assert len(items) == 1
    assert equal(items[0][name], value)
    found = engine.call("ExecuteStatement", {"Statement": "SELECT * FROM Notes"})
    assert equal(found["Items"][0][name], value)


@given(
    digits=st.text("0123456789", min_size=1, max_size=37),
    point=st.integers(0, 37),
    power=st.integers(-80, 80),
)
def test_numbers_are_exact(digits: str, point: int, power: int) -> None:
    text = f"{digits[:point]}.{digits[point:]}e{power}"
    if text.startswith(".e"):
        return
    statement = parse(f"INSERT INTO T VALUE {{'v': {text}}}").statement
    assert isinstance(statement, Insert)
    assert isinstance(statement.item, Struct)
    ((_, node),) = statement.item.members
    assert Decimal(literal(node)["N"]) == Decimal(text)


# --- anything at all ---------------------------------------------------------------------

VOCABULARY = """
SELECT FROM WHERE INSERT INTO VALUE UPDATE SET REMOVE DELETE RETURNING ALL MODIFIED OLD NEW AND OR
NOT IN IS MISSING NULL BETWEEN LIKE ORDER BY ASC DESC EXISTS GROUP LIMIT VALUES CASE AS JOIN ON
STRING BOOL begins_with contains size attribute_type attribute_exists set_add set_delete
list_append if_not_exists pk sk g n m Notes Absent "Notes" "by-g" "pk" ? * , . ; : ( ) [ ] { } <<
>> = <> != < <= > >= + - / % || @ 'a' 'b' '' 0 1 -1 1.5 1e3 .5 1e400 true false `x` ' " -- /* */
"""
WORDS = VOCABULARY.split()


@pytest.fixture(scope="module")
def shared() -> Iterator[Engine]:
    """An engine with a little of everything, for statements that may do anything to it."""
    with Engine.memory() as engine:
        table = composite_table("Notes", sort="N", GlobalSecondaryIndexes=[index("by-g", "g")])
        table["AttributeDefinitions"].append({"AttributeName": "g", "AttributeType": "S"})
        engine.call("CreateTable", table)
        for number in range(5):
            item = {"pk": {"S": "a"}, "sk": {"N": str(number)}, "g": {"S": "b"}}
            engine.call("PutItem", {"TableName": "Notes", "Item": item})
        yield engine


@pytest.fixture(scope="module")
def rows() -> Iterator[Engine]:
    """Three partitions that stay as they are."""
    with Engine.memory() as engine:
        engine.call("CreateTable", composite_table("Notes", sort="N"))
        for pk in "abc":
            for number in range(5):
                more = f", 'g': '{pk}', 'n': {number % 2}" if number else ""
                run(engine, f"INSERT INTO Notes VALUE {{'pk': '{pk}', 'sk': {number}{more}}}")
        yield engine


def run(engine: Engine, statement: str, **more: Any) -> dict[str, Any]:
    return engine.call("ExecuteStatement", {"Statement": statement, **more})


def refusal(engine: Engine, operation: str, request: dict[str, Any]) -> AwsError | None:
    try:
        engine.call(operation, request)
    except AwsError as error:
        return error
    return None


def check(engine: Engine, statement: str, **more: Any) -> None:
    """The statement is answered, or refused as AWS refuses, by all three operations."""
    member = {"Statement": statement, **more}
    for operation, request in (
        ("ExecuteStatement", member),
        ("BatchExecuteStatement", {"Statements": [member]}),
        ("ExecuteTransaction", {"TransactStatements": [member]}),
    ):
        error = refusal(engine, operation, request)
        assert error is None or (error.status == 400 and error.message)


@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=25))
@settings(FEW)
@example(words=["EXISTS", "(", "SELECT", "*", "FROM", "Notes", ")"])
def test_any_words(shared: Engine, words: list[str]) -> None:
    check(shared, " ".join(words))


@given(text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=60))
@settings(FEW)
def test_any_text(shared: Engine, text: str) -> None:
    check(shared, text)


terms = st.recursive(
    st.sampled_from(
        ["pk", "sk", "g", "n", "m.x", "l[0]", "'a'", "'b'", "1", "2", "?", "true", "null", "[1]"]
    ),
    lambda inner: st.one_of(
        st.tuples(
            st.sampled_from(["=", "<>", "<", ">=", "AND", "OR", "+", "IN"]), inner, inner
        ).map(lambda parts: f"({parts[1]} {parts[0]} {parts[2]})"),
        inner.map(lambda term: f"NOT {term}"),
        st.tuples(inner, inner, inner).map(lambda t: f"{t[0]} BETWEEN {t[1]} AND {t[2]}"),
        st.lists(inner, min_size=1, max_size=3).map(lambda t: f"[{', '.join(t)}]"),
        st.tuples(
            st.sampled_from(["size", "contains", "begins_with", "attribute_exists", "set_add"]),
            st.lists(inner, max_size=2),
        ).map(lambda call: f"{call[0]}({', '.join(call[1])})"),
        inner.map(lambda term: f"{term} IS NOT NULL"),
    ),
    max_leaves=12,
)


@given(
    where=terms,
    value=terms,
    order=st.sampled_from(["", " ORDER BY sk DESC", " ORDER BY pk, sk"]),
    source=st.sampled_from(["Notes", '"Notes"."by-g"']),
)
@settings(FEW)
def test_any_terms(shared: Engine, where: str, value: str, order: str, source: str) -> None:
    for statement in (
        f"SELECT pk FROM {source} WHERE {where}{order}",
        f"SELECT * FROM {source} WHERE pk = 'a' AND {where}{order}",
        f"UPDATE Notes SET n = {value} WHERE pk = 'a' AND sk = 1 AND {where} RETURNING ALL NEW *",
        f"INSERT INTO Notes VALUE {{'pk': 'z', 'sk': 1, 'v': {value}}}",
        f"DELETE FROM Notes WHERE pk = 'z' AND sk = 1 AND {where}",
    ):
        count = statement.count("?")
        check(shared, statement, **({"Parameters": [{"S": "a"}] * count} if count else {}))


conditions = st.recursive(
    st.one_of(
        st.sampled_from(["pk = 'a'", "pk = 'b'", "pk IN ['a', 'b']", "pk <> 'a'"]),
        st.tuples(st.sampled_from(["=", "<", "<=", ">", ">=", "<>"]), st.integers(0, 4)).map(
            lambda parts: f"sk {parts[0]} {parts[1]}"
        ),
        st.sampled_from(["sk BETWEEN 1 AND 3", "sk IN [0, 2]", "n = 1", "n > 0", "g = 'b'"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({' AND '.join(parts)})"),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({' OR '.join(parts)})"),
        inner.map(lambda part: f"NOT {part}"),
    ),
    max_leaves=8,
)


@given(where=conditions, first=st.sampled_from(["", "pk = 'a' AND ", "pk IN ['b', 'a'] AND "]))
@settings(FEW)
@example(where="(sk = 1 OR sk > 2)", first="pk = 'a' AND ")
def test_a_query_finds_what_a_scan_would(rows: Engine, where: str, first: str) -> None:
    """However the keys are used, the rows are those for which the condition holds."""
    where = first + where
    try:
        queried = run(rows, f"SELECT * FROM Notes WHERE {where}")["Items"]
    except AwsError as error:
        if "Overlapping" in error.message or "Too many decomposed" in error.message:
            return
        raise
    # Negated twice, a condition holds as before, but names no keys any more.
    scanned = run(rows, f"SELECT * FROM Notes WHERE NOT NOT ({where})")["Items"]
    assert sorted(map(str, queried)) == sorted(map(str, scanned))


@given(token=st.text(string.ascii_letters + string.digits + "-_=", min_size=1, max_size=80))
def test_any_token(shared: Engine, token: str) -> None:
    with pytest.raises(AwsError, match="Token"):
        run(shared, "SELECT * FROM Notes", NextToken=token)
