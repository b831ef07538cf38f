"""Query and Scan: order, ranges, pages, filters, projections, indexes."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.samples import composite_table, index, simple_table, strings

from tablewright.engine import Engine


def fill(call: Any, table: str, items: list[Any]) -> None:
    for item in items:
        call("PutItem", TableName=table, Item=item)


def query(call: Any, table: str, condition: str, **more: Any) -> Any:
    values = {f":{name}": more.pop(name) for name in list(more) if name.islower()}
    return call(
        "Query",
        TableName=table,
        KeyConditionExpression=condition,
        ExpressionAttributeValues=values,
        **more,
    )


def sort_keys(answer: Any, kind: str = "S", name: str = "sk") -> list[str]:
    return [item[name][kind] for item in answer["Items"]]


def numbered(count: int, partition: str = "p") -> list[Any]:
    return [{"pk": {"S": partition}, "sk": {"N": str(n)}} for n in range(count)]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("sk = :a", ["3"]),
        ("sk < :a", ["-1", "0", "1.5", "2"]),
        ("sk <= :a", ["-1", "0", "1.5", "2", "3"]),
        ("sk > :a", ["10"]),
        ("sk >= :a", ["3", "10"]),
        ("sk BETWEEN :z AND :a", ["0", "1.5", "2", "3"]),
    ],
)
def test_number_ranges(call: Any, condition: str, expected: list[str]) -> None:
    call("CreateTable", **composite_table("Numbers", sort="N"))
    fill(call, "Numbers", [
        {"pk": {"S": "p"}, "sk": {"N": n}} for n in ("10", "-1", "2", "0", "3", "1.5")
    ])  # fmt: skip
    values = {"a": {"N": "3"}, "p": {"S": "p"}}
    if ":z" in condition:
        values["z"] = {"N": "0"}
    answer = query(call, "Numbers", f"pk = :p AND {condition}", **values)
    assert sort_keys(answer, "N") == expected
    backwards = query(call, "Numbers", f"pk = :p AND {condition}", ScanIndexForward=False, **values)
    assert sort_keys(backwards, "N") == expected[::-1]


@pytest.mark.parametrize(
    "condition",
    [
        {
            "KeyConditionExpression": "pk = :p AND begins_with(sk, :e)",
            "ExpressionAttributeValues": {":p": {"S": "p"}, ":e": {"S": ""}},
        },
        {
            "KeyConditions": {
                "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "p"}]},
                "sk": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": ""}]},
            }
        },
    ],
)
def test_begins_with_an_empty_prefix_is_refused(refused: Any, call: Any, condition: Any) -> None:
    call("CreateTable", **composite_table())
    error = refused("Query", TableName="Composite", **condition)
    assert error.code == "ValidationException"
    assert error.message == (
        "One or more parameter values are not valid. The AttributeValue for a key attribute "
        "cannot contain an empty string value. Key: sk"
    )
    # In a filter it is a condition like any other.
    call("PutItem", TableName="Composite", Item=strings(pk="p", sk="s", x="y"))
    answer = query(
        call,
        "Composite",
        "pk = :p",
        p={"S": "p"},
        e={"S": ""},
        FilterExpression="begins_with(x, :e)",
    )
    assert answer["Count"] == 1


def test_begins_with_at_the_end_of_the_byte_range(call: Any) -> None:
    call("CreateTable", **composite_table("Binary", sort="B"))
    raws = [b"\xfe\xff", b"\xff", b"\xff\x00", b"\xff\xff", b"\xff\xff\x01"]
    fill(call, "Binary", [
        {"pk": {"S": "p"}, "sk": {"B": b64encode(raw).decode()}} for raw in raws
    ])  # fmt: skip
    answer = query(
        call,
        "Binary",
        "pk = :p AND begins_with(sk, :x)",
        p={"S": "p"},
        x={"B": b64encode(b"\xff\xff").decode()},
    )
    assert sort_keys(answer, "B") == [b64encode(raw).decode() for raw in raws[3:]]


def test_pages_follow_each_other_without_gap_or_repeat(call: Any) -> None:
    call("CreateTable", **composite_table("Numbers", sort="N"))
    fill(call, "Numbers", numbered(25) + numbered(3, "q"))
    for forward in (True, False):
        seen: list[str] = []
        start: dict[str, Any] = {}
        while True:
            answer = query(
                call, "Numbers", "pk = :p", p={"S": "p"}, Limit=7, ScanIndexForward=forward, **start
            )
            seen += sort_keys(answer, "N")
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
        expected = [str(n) for n in range(25)]
        assert seen == (expected if forward else expected[::-1])


def test_a_full_page_names_its_last_key_even_at_the_end(call: Any) -> None:
    call("CreateTable", **composite_table("Numbers", sort="N"))
    fill(call, "Numbers", numbered(5))
    answer = query(call, "Numbers", "pk = :p", p={"S": "p"}, Limit=5)
    assert answer["LastEvaluatedKey"] == {"pk": {"S": "p"}, "sk": {"N": "4"}}
    rest = query(
        call, "Numbers", "pk = :p", p={"S": "p"}, ExclusiveStartKey=answer["LastEvaluatedKey"]
    )
    assert rest["Items"] == []
    assert "LastEvaluatedKey" not in rest


def test_a_page_ends_at_one_megabyte(call: Any) -> None:
    call("CreateTable", **composite_table())
    fill(call, "Composite", [
        strings(pk="p", sk=f"{n:02}", x="y" * 100_000) for n in range(15)
    ])  # fmt: skip
    answer = query(call, "Composite", "pk = :p", p={"S": "p"})
    assert answer["Count"] == 11
    assert answer["LastEvaluatedKey"]["sk"] == {"S": "10"}
    counted = query(call, "Composite", "pk = :p", p={"S": "p"}, Select="COUNT")
    assert counted["Count"] == 11
    assert "Items" not in counted


def test_filters_apply_after_the_page_is_cut(call: Any) -> None:
    call("CreateTable", **composite_table("Numbers", sort="N"))
    fill(call, "Numbers", [
        {**item, "even": {"BOOL": n % 2 == 0}} for n, item in enumerate(numbered(10))
    ])  # fmt: skip
    answer = query(
        call,
        "Numbers",
        "pk = :p",
        p={"S": "p"},
        yes={"BOOL": True},
        FilterExpression="even = :yes",
        Limit=5,
    )
    assert (answer["Count"], answer["ScannedCount"]) == (3, 5)
    assert sort_keys(answer, "N") == ["0", "2", "4"]


def test_filter_on_a_key_is_refused(call: Any, refused: Any) -> None:
    call("CreateTable", **composite_table())
    error = refused(
        "Query",
        TableName="Composite",
        KeyConditionExpression="pk = :p",
        FilterExpression="sk = :p",
        ExpressionAttributeValues={":p": {"S": "x"}},
    )
    assert error.message == (
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk"
    )


@pytest.mark.parametrize(
    ("condition", "values", "message"),
    [
        ("sk = :a", {":a": {"S": "x"}}, "Query condition missed key schema element: pk"),
        ("pk > :a", {":a": {"S": "x"}}, "Query key condition not supported"),
        (
            "pk = :a",
            {":a": {"N": "1"}},
            "One or more parameter values were invalid: "
            "Condition parameter type does not match schema type",
        ),
        (
            "pk = :a AND elsewhere = :a",
            {":a": {"S": "x"}},
            "Query condition missed key schema element: sk",
        ),
    ],
)
def test_key_conditions_aws_refuses(
    call: Any, refused: Any, condition: str, values: Any, message: str
) -> None:
    call("CreateTable", **composite_table())
    error = refused(
        "Query",
        TableName="Composite",
        KeyConditionExpression=condition,
        ExpressionAttributeValues=values,
    )
    assert error.message == message


def test_start_keys_must_fit_the_query(call: Any, refused: Any) -> None:
    call("CreateTable", **composite_table())
    base = {
        "TableName": "Composite",
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "x"}},
    }
    error = refused("Query", ExclusiveStartKey=strings(pk="other", sk="1"), **base)
    assert error.message == (
        "The provided starting key is outside query boundaries based on provided conditions"
    )
    error = refused("Query", ExclusiveStartKey=strings(pk="x"), **base)
    assert error.message.startswith("The provided starting key is invalid")


# --- scan ----------------------------------------------------------------------------------


def test_segments_share_the_table_without_overlap(call: Any) -> None:
    call("CreateTable", **simple_table())
    names = {f"item{n}" for n in range(200)}
    fill(call, "Simple", [strings(pk=name) for name in names])
    seen: list[str] = []
    for number in range(4):
        answer = call("Scan", TableName="Simple", Segment=number, TotalSegments=4)
        part = [item["pk"]["S"] for item in answer["Items"]]
        assert part, "a segment of 200 items over 4 segments is never empty"
        seen += part
    assert sorted(seen) == sorted(names)


def test_scan_pages_meet_every_item_once(call: Any) -> None:
    call("CreateTable", **composite_table())
    fill(call, "Composite", [strings(pk=f"p{n % 7}", sk=f"{n:03}") for n in range(60)])
    seen = []
    start: dict[str, Any] = {}
    while True:
        answer = call("Scan", TableName="Composite", Limit=9, **start)
        seen += [(item["pk"]["S"], item["sk"]["S"]) for item in answer["Items"]]
        if "LastEvaluatedKey" not in answer:
            break
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert len(seen) == len(set(seen)) == 60
    partitions = [pk for n, (pk, _) in enumerate(seen) if n == 0 or seen[n - 1][0] != pk]
    assert len(partitions) == 7, "the items of a partition stand together"


# --- indexes -------------------------------------------------------------------------------


@pytest.fixture
def indexed(call: Any) -> None:
    call(
        "CreateTable",
        **composite_table(
            "Indexed",
            AttributeDefinitions=[
                {"AttributeName": "g", "AttributeType": "S"},
                {"AttributeName": "r", "AttributeType": "N"},
            ],
            GlobalSecondaryIndexes=[
                index("all", "g", "r"),
                index("keys", "g", projection="KEYS_ONLY"),
                index("some", "g", projection="INCLUDE", include=("x",)),
            ],
            LocalSecondaryIndexes=[index("local", "pk", "r", projection="KEYS_ONLY")],
        ),
    )
    fill(call, "Indexed", [
        {**strings(pk=f"p{n % 2}", sk=f"s{n}", x="x", y="y"), "r": {"N": str(n)}, "g": {"S": "g"}}
        for n in range(6)
    ])  # fmt: skip
    fill(call, "Indexed", [strings(pk="p0", sk="sparse")])


@pytest.mark.usefixtures("indexed")
def test_index_follows_changes_of_its_key(call: Any) -> None:
    key = strings(pk="p0", sk="s0")
    update = {"TableName": "Indexed", "Key": key, "UpdateExpression": "SET g = :g"}
    call("UpdateItem", **update, ExpressionAttributeValues={":g": {"S": "elsewhere"}})
    assert query(call, "Indexed", "g = :g", g={"S": "g"}, IndexName="all")["Count"] == 5
    moved = query(call, "Indexed", "g = :g", g={"S": "elsewhere"}, IndexName="all")
    assert sort_keys(moved) == ["s0"]
    call("UpdateItem", TableName="Indexed", Key=key, UpdateExpression="REMOVE g")
    gone = query(call, "Indexed", "g = :g", g={"S": "elsewhere"}, IndexName="all")
    assert gone["Count"] == 0
    call("DeleteItem", TableName="Indexed", Key=strings(pk="p1", sk="s1"))
    assert query(call, "Indexed", "g = :g", g={"S": "g"}, IndexName="all")["Count"] == 4


@pytest.mark.usefixtures("indexed")
def test_projections_of_indexes(call: Any, refused: Any) -> None:
    names = {}
    for name in ("all", "keys", "some"):
        answer = query(call, "Indexed", "g = :g", g={"S": "g"}, IndexName=name)
        names[name] = set(answer["Items"][0])
    assert names == {
        "all": {"pk", "sk", "g", "r", "x", "y"},
        "keys": {"pk", "sk", "g"},
        "some": {"pk", "sk", "g", "x"},
    }
    error = refused(
        "Query",
        TableName="Indexed",
        IndexName="keys",
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues={":g": {"S": "g"}},
        Select="ALL_ATTRIBUTES",
    )
    assert error.message == (
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported "
        "for global secondary index keys because its projection type is not ALL"
    )


@pytest.mark.usefixtures("indexed")
def test_local_index_fetches_what_it_does_not_hold(call: Any) -> None:
    answer = query(
        call,
        "Indexed",
        "pk = :p",
        p={"S": "p0"},
        IndexName="local",
        Select="ALL_ATTRIBUTES",
        ConsistentRead=True,
        ReturnConsumedCapacity="INDEXES",
    )
    assert sort_keys(answer) == ["s0", "s2", "s4"]
    assert all("y" in item for item in answer["Items"])
    assert answer["ConsumedCapacity"]["Table"] == {"CapacityUnits": 3.0}
    assert answer["ConsumedCapacity"]["LocalSecondaryIndexes"] == {"local": {"CapacityUnits": 1.0}}


NOT_PROJECTED = (
    "One or more parameter values were invalid: Secondary index {} does not project one or more "
    "filter attributes: [{}]"
)
EQUAL = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]}


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize(
    ("index_name", "key", "filter_", "missing"),
    [
        ("keys", "g", "x = :v", "x"),
        ("some", "g", "y = :v", "y"),
        ("some", "g", "x = :v OR y = :v", "y"),
        ("keys", "g", "attribute_exists(y.deep[0].er) AND x = :v", "x, y"),
        ("keys", "g", "NOT contains(zebra, :v) AND size(ant) > :n", "ant, zebra"),
        ("local", "pk", "x = :v", "x"),
    ],
)
@pytest.mark.parametrize("select", [None, "COUNT", "ALL_PROJECTED_ATTRIBUTES"])
def test_a_filter_on_what_an_index_does_not_project_is_refused(
    refused: Any, index_name: str, key: str, filter_: str, missing: str, select: str | None
) -> None:
    values = {":k": {"S": "g" if key == "g" else "p0"}, ":v": {"S": "x"}, ":n": {"N": "1"}}
    used = {name: values[name] for name in values if name in f"{filter_} :k"}
    more = {} if select is None else {"Select": select}
    error = refused(
        "Query",
        TableName="Indexed",
        IndexName=index_name,
        KeyConditionExpression=f"{key} = :k",
        FilterExpression=filter_,
        ExpressionAttributeValues=used,
        **more,
    )
    assert error.code == "ValidationException"
    assert error.message == NOT_PROJECTED.format(index_name, missing)


@pytest.mark.usefixtures("indexed")
def test_an_older_filter_on_what_an_index_does_not_project_is_refused(refused: Any) -> None:
    condition = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "g"}]}
    error = refused(
        "Query",
        TableName="Indexed",
        IndexName="keys",
        KeyConditions={"g": condition},
        QueryFilter={"y": EQUAL, "x": EQUAL},
    )
    assert error.message == NOT_PROJECTED.format("keys", "x, y")


@pytest.mark.usefixtures("indexed")
def test_a_filter_on_what_an_index_projects_works(call: Any, refused: Any) -> None:
    for index_name, filter_, count in (
        ("all", "y = :v", 0),
        ("all", "x = :v", 6),
        ("some", "x = :v AND attribute_exists(pk)", 6),
        ("keys", "attribute_exists(sk)", 6),
    ):
        values = {"g": {"S": "g"}, **({"v": {"S": "x"}} if ":v" in filter_ else {})}
        answer = query(
            call, "Indexed", "g = :g", IndexName=index_name, FilterExpression=filter_, **values
        )
        assert answer["Count"] == count
    # Keys of the index itself are refused before, and a scan finds nothing.
    error = refused(
        "Query",
        TableName="Indexed",
        IndexName="keys",
        KeyConditionExpression="g = :g",
        FilterExpression="g = :g AND x = :g",
        ExpressionAttributeValues={":g": {"S": "g"}},
    )
    assert "Primary key attribute: g" in error.message
    for index_name in ("keys", "local"):
        answer = call(
            "Scan",
            TableName="Indexed",
            IndexName=index_name,
            FilterExpression="y = :y",
            ExpressionAttributeValues={":y": {"S": "y"}},
        )
        assert (answer["Count"], answer["ScannedCount"]) == (0, 6)


@pytest.mark.usefixtures("indexed")
def test_global_indexes_are_never_consistent(refused: Any) -> None:
    error = refused("Scan", TableName="Indexed", IndexName="all", ConsistentRead=True)
    assert error.message == "Consistent reads are not supported on global secondary indexes"


@pytest.mark.usefixtures("indexed")
def test_index_pages_name_both_keys(call: Any) -> None:
    seen: list[str] = []
    start: dict[str, Any] = {}
    while True:
        answer = query(call, "Indexed", "g = :g", g={"S": "g"}, IndexName="keys", Limit=2, **start)
        seen += sort_keys(answer)
        if "LastEvaluatedKey" not in answer:
            break
        assert set(answer["LastEvaluatedKey"]) == {"pk", "sk", "g"}
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert sorted(seen) == [f"s{n}" for n in range(6)]


@pytest.mark.usefixtures("indexed")
def test_index_keys_must_have_their_type(refused: Any) -> None:
    item = {**strings(pk="a", sk="b"), "g": {"N": "1"}}
    error = refused("PutItem", TableName="Indexed", Item=item)
    assert error.message == (
        "One or more parameter values were invalid: Type mismatch for Index Key g "
        "Expected: S Actual: N IndexName: all"
    )


def multi_attribute(call: Any) -> None:
    call(
        "CreateTable",
        **simple_table(
            "Multi",
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": kind}
                for name, kind in (("pk", "S"), ("t", "S"), ("c", "S"), ("y", "N"), ("z", "S"))
            ],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "several",
                    "KeySchema": [
                        {"AttributeName": "t", "KeyType": "HASH"},
                        {"AttributeName": "c", "KeyType": "HASH"},
                        {"AttributeName": "y", "KeyType": "RANGE"},
                        {"AttributeName": "z", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        ),
    )


def test_multi_attribute_index_keys(call: Any, refused: Any) -> None:
    multi_attribute(call)
    for n, (year, city) in enumerate([(10, "b"), (9, "a"), (10, "ab"), (-1, "z"), (10, "a")]):
        item = {**strings(pk=f"i{n}", t="T", c="C", z=city), "y": {"N": str(year)}}
        call("PutItem", TableName="Multi", Item=item)
    call(
        "PutItem",
        TableName="Multi",
        Item=strings(pk="other", t="TC", c="", x="") | {"c": {"S": "C"}},
    )

    def found(condition: str, **values: Any) -> list[str]:
        values |= {"t": {"S": "T"}, "c": {"S": "C"}}
        answer = query(
            call, "Multi", f"t = :t AND c = :c{condition}", IndexName="several", **values
        )
        return [item["pk"]["S"] for item in answer["Items"]]

    assert found("") == ["i3", "i1", "i4", "i2", "i0"]
    assert found(" AND y = :y", y={"N": "10"}) == ["i4", "i2", "i0"]
    assert found(" AND y > :y", y={"N": "9"}) == ["i4", "i2", "i0"]
    assert found(" AND y <= :y", y={"N": "9"}) == ["i3", "i1"]
    assert found(" AND y = :y AND begins_with(z, :z)", y={"N": "10"}, z={"S": "a"}) == ["i4", "i2"]
    assert found(" AND y = :y AND z > :z", y={"N": "10"}, z={"S": "a"}) == ["i2", "i0"]
    error = refused(
        "Query",
        TableName="Multi",
        IndexName="several",
        KeyConditionExpression="t = :t",
        ExpressionAttributeValues={":t": {"S": "T"}},
    )
    assert "every HASH key attribute needs an equality condition" in error.message
    error = refused(
        "Query",
        TableName="Multi",
        IndexName="several",
        KeyConditionExpression="t = :t AND c = :t AND z > :t",
        ExpressionAttributeValues={":t": {"S": "T"}},
    )
    assert error.message == (
        "RANGE key attributes y must have equality conditions specified in the query because a "
        "condition is present on key attribute z"
    )


def test_key_conditions_on_several_attributes(call: Any, refused: Any) -> None:
    multi_attribute(call)
    for city in "abc":
        item = {**strings(pk=city, t="T", c="C", z=city), "y": {"N": "1"}}
        call("PutItem", TableName="Multi", Item=item)

    def condition(operator: str, value: Any) -> Any:
        return {"ComparisonOperator": operator, "AttributeValueList": [value]}

    conditions = {
        "t": condition("EQ", {"S": "T"}),
        "c": condition("EQ", {"S": "C"}),
        "y": condition("EQ", {"N": "1"}),
        "z": condition("GE", {"S": "b"}),
    }
    found = call("Query", TableName="Multi", IndexName="several", KeyConditions=conditions)
    assert [item["pk"]["S"] for item in found["Items"]] == ["b", "c"]
    error = refused("Query", TableName="Multi", KeyConditions=conditions)
    assert error.message == "Conditions can be of length 1 or 2 only"


def test_more_conditions_than_a_key_has_attributes(call: Any, refused: Any) -> None:
    call("CreateTable", **composite_table())
    error = refused(
        "Query",
        TableName="Composite",
        KeyConditionExpression="pk = :p AND sk > :s AND extra = :e",
        ExpressionAttributeValues={":p": {"S": "p"}, ":s": {"S": "s"}, ":e": {"S": "e"}},
    )
    assert error.message == (
        "The number of query conditions (3) exceeds the number of key attributes defined in the "
        "schema (2)"
    )


@pytest.mark.parametrize(
    ("select", "more", "message"),
    [
        (
            "COUNT",
            {"ProjectionExpression": "x"},
            "Cannot specify the ProjectionExpression when choosing to get only the Count",
        ),
        (
            "ALL_ATTRIBUTES",
            {"AttributesToGet": ["x"]},
            "Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES",
        ),
        (
            "SPECIFIC_ATTRIBUTES",
            {},
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES",
        ),
        (
            "ALL_PROJECTED_ATTRIBUTES",
            {},
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
    ],
)
def test_what_to_select_has_to_make_sense(
    call: Any, refused: Any, select: str, more: Any, message: str
) -> None:
    call("CreateTable", **simple_table())
    assert refused("Scan", TableName="Simple", Select=select, **more).message == message


# --- against a naive model -----------------------------------------------------------------

keys = st.text("ab\x00\xff€", min_size=1, max_size=4)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stored=st.sets(keys, max_size=12), low=keys, high=keys, prefix=keys)
def test_ranges_agree_with_sorted_lists(stored: set[str], low: str, high: str, prefix: str) -> None:
    with Engine.memory() as engine:

        def call(operation: str, **request: Any) -> Any:
            return engine.call(operation, request)

        call("CreateTable", **composite_table())
        fill(call, "Composite", [strings(pk="p", sk=key) for key in stored])
        ordered = sorted(stored, key=str.encode)
        cases = {
            "sk < :a": [k for k in ordered if k.encode() < low.encode()],
            "sk >= :a": [k for k in ordered if k.encode() >= low.encode()],
            "sk > :a": [k for k in ordered if k.encode() > low.encode()],
            "sk <= :a": [k for k in ordered if k.encode() <= low.encode()],
        }
        for condition, expected in cases.items():
            answer = query(
                call, "Composite", f"pk = :p AND {condition}", p={"S": "p"}, a={"S": low}
            )
            assert sort_keys(answer) == expected, condition
        answer = query(
            call, "Composite", "pk = :p AND begins_with(sk, :a)", p={"S": "p"}, a={"S": prefix}
        )
        assert sort_keys(answer) == [k for k in ordered if k.startswith(prefix)]
        first, last = sorted((low, high), key=str.encode)
        answer = query(
            call,
            "Composite",
            "pk = :p AND sk BETWEEN :a AND :b",
            p={"S": "p"},
            a={"S": first},
            b={"S": last},
        )
        assert sort_keys(answer) == [
            k for k in ordered if first.encode() <= k.encode() <= last.encode()
        ]
