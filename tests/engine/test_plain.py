"""The short ways for plain requests answer exactly as the careful way does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sampling import many

from tablewright.engine import AwsError, Engine
from tablewright.engine.operations import OPERATIONS
from tablewright.engine.queries.plans import MAX_PLANS
from tablewright.engine.realism import Fault, Realism

TABLE = {
    "TableName": "Music",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in zip("psg", "SNS", strict=True)
    ],
    "KeySchema": [
        {"AttributeName": "p", "KeyType": "HASH"},
        {"AttributeName": "s", "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_g",
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
CAREFUL = {name: known._replace(plain=None) for name, known in OPERATIONS.items()}

# Small alphabets, so that values are often well-formed, and often not quite.
texts = st.sampled_from(
    ["", "a", "b", "aé", "0", "1", "-7", "12", "1.50", "1e2", "YQ==", "x" * 300]
)
scalars = texts | st.sampled_from([None, True, False, 1, 1.5])
kinds = st.sampled_from(["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M", "X"])
attribute_values: st.SearchStrategy[Any] = st.deferred(
    lambda: (
        st.builds(lambda text: {"S": text}, texts)
        | st.builds(lambda text: {"N": text}, st.sampled_from(["0", "1", "12", "-7", "1.50"]))
        | st.builds(lambda members: {"M": members}, st.dictionaries(texts, attribute_values))
        | st.builds(lambda members: {"L": members}, st.lists(attribute_values))
        | st.builds(lambda members: {"SS": members}, st.lists(texts, max_size=3))
        | st.dictionaries(kinds, scalars | st.lists(scalars), max_size=2)
        | scalars
    )
)
keys = st.fixed_dictionaries(
    {"p": st.just({"S": "a"}) | attribute_values, "s": st.just({"N": "1"}) | attribute_values}
)
items = st.builds(
    lambda key, more: {**key, **more},
    keys,
    st.dictionaries(st.sampled_from(["", "g", "h", "é"]), attribute_values),
)
names = st.sampled_from(["Music", "Nowhere", "M", None, 5])
extras = st.sampled_from(
    [{}, {"ReturnValues": "ALL_OLD"}, {"ConsistentRead": True}, {"Nonsense": 1}]
)
puts = st.builds(
    lambda name, item, more: {"TableName": name, "Item": item, **more},
    st.just("Music") | names,
    items | scalars,
    st.just({}) | extras,
)
gets = st.builds(
    lambda name, key, more: {"TableName": name, "Key": key, **more},
    st.just("Music") | names,
    keys | scalars,
    st.just({}) | extras,
)
queries = st.builds(
    lambda text, filter_, values, more: {
        "TableName": "Music",
        "KeyConditionExpression": text,
        "ExpressionAttributeValues": values,
        **filter_,
        **more,
    },
    st.sampled_from(["p = :p", "p = :p AND s > :s", "p = :p AND s BETWEEN :s AND :t", "g = :p"]),
    st.sampled_from(
        [{}, {"FilterExpression": "h <> :f"}, {"FilterExpression": "h.x = :f OR g >= :p"}]
    ),
    st.dictionaries(st.sampled_from([":p", ":s", ":t", ":f"]), attribute_values)
    | st.fixed_dictionaries(
        {":p": st.just({"S": "a"})},
        optional={
            ":s": st.sampled_from([{"N": "0"}, {"N": "1.50"}, {"N": "12"}]),
            ":t": st.sampled_from([{"N": "5"}, {"N": "12"}]),
            ":f": attribute_values,
        },
    ),
    st.sampled_from(
        [
            {},
            {"Limit": 1},
            {"Limit": 0},
            {"Limit": True},
            {"ScanIndexForward": False},
            {"ScanIndexForward": 1},
            {"ConsistentRead": True},
            {"IndexName": "by_g"},
            {"IndexName": "by_g", "ConsistentRead": True},
            {"IndexName": ["by_g"]},
            {"ExpressionAttributeNames": {"#x": "y"}},
        ]
    ),
)
conditions = st.sampled_from(
    [
        {},
        {"ConditionExpression": "attribute_not_exists(p)"},
        {
            "ConditionExpression": "attribute_not_exists(#p)",
            "ExpressionAttributeNames": {"#p": "p"},
        },
        {"ExpressionAttributeNames": {"#p": "p"}},
        {"ConditionExpression": "h = :h", "ExpressionAttributeValues": {":h": {"S": "a"}}},
        {"Expected": {"p": {"Exists": False}}},
        {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
        {"ReturnValuesOnConditionCheckFailure": "SOME"},
    ]
)
members = st.builds(
    lambda put, condition: {"Put": {**put, **condition} if isinstance(put, dict) else put},
    puts | scalars,
    conditions,
) | st.builds(lambda get: {"Delete": get}, gets)
transactions = st.builds(
    lambda found, more: {"TransactItems": found, **more},
    st.lists(members | members | scalars, min_size=1, max_size=4) | scalars,
    st.sampled_from(
        [
            {},
            {"ClientRequestToken": "t"},
            {"ClientRequestToken": 5},
            {"ReturnConsumedCapacity": "TOTAL"},
        ]
    ),
)
requests = (
    st.tuples(st.just("PutItem"), puts)
    | st.tuples(st.just("TransactWriteItems"), transactions)
    | st.tuples(st.just("GetItem"), gets)
    | st.tuples(st.just("Query"), queries)
    | st.tuples(st.sampled_from(["PutItem", "GetItem", "Query"]), scalars)
)


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Engine, Engine]]:
    with Engine.memory() as plain, Engine.memory() as careful:
        for engine in (plain, careful):
            engine.call("CreateTable", TABLE)
        yield plain, careful


def answer(engine: Engine, operation: str, request: Any) -> tuple[str, Any]:
    try:
        return "answered", orjson.loads(engine.call_json(operation, orjson.dumps(request)))
    except AwsError as error:
        return error.code, error.body()


@settings(max_examples=many(400), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(script=st.lists(requests, min_size=1, max_size=8))
def test_plain_and_careful_ways_answer_alike(
    pair: tuple[Engine, Engine],
    script: list[tuple[str, Any]],
) -> None:
    plain, careful = pair
    for operation, request in script * 2:
        quick = answer(plain, operation, request)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tablewright.engine.engine.OPERATIONS", CAREFUL)
            slow = answer(careful, operation, request)
        assert quick == slow


def put(engine: Engine, **item: Any) -> None:
    engine.call_json("PutItem", orjson.dumps({"TableName": "Music", "Item": item}))


def ask(engine: Engine, text: str, values: dict[str, Any], **more: Any) -> list[Any]:
    request = {
        "TableName": "Music",
        "KeyConditionExpression": text,
        "ExpressionAttributeValues": values,
        **more,
    }
    found: list[Any] = orjson.loads(engine.call_json("Query", orjson.dumps(request)))["Items"]
    return found


def test_the_short_ways_are_taken(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.call("CreateTable", TABLE)
    put(engine, p={"S": "a"}, s={"N": "1"})
    ask(engine, "p = :p", {":p": {"S": "a"}})
    monkeypatch.setattr("tablewright.engine.shapes.check", lambda *_: pytest.fail("looked closer"))
    put(engine, p={"S": "a"}, s={"N": "2"}, more={"M": {"x": {"L": [{"BOOL": True}]}}})
    member = {"TableName": "Music", "Item": {"p": {"S": "c"}, "s": {"N": "2"}, "b": {"B": "YQ=="}}}
    engine.call("TransactWriteItems", {"TransactItems": [{"Put": member}]})
    assert len(ask(engine, "p = :p", {":p": {"S": "a"}})) == 2
    assert ask(engine, "p = :p", {":p": {"S": "b"}}) == []


def test_what_was_submitted_may_be_changed_at_once(engine: Engine) -> None:
    engine.call("CreateTable", TABLE)
    nested: dict[str, Any] = {"M": {"x": {"L": [{"S": "old"}]}}}
    item: dict[str, Any] = {"p": {"S": "a"}, "s": {"N": "1"}, "m": nested}
    request = {"TransactItems": [{"Put": {"TableName": "Music", "Item": item}}]}
    pending = engine.submit("TransactWriteItems", request)
    nested["M"]["x"]["L"].append({"S": "new"})
    item["more"] = {"S": "new"}
    pending.result()
    (stored,) = ask(engine, "p = :p", {":p": {"S": "a"}})
    assert stored["m"] == {"M": {"x": {"L": [{"S": "old"}]}}}
    assert "more" not in stored


def test_plans_are_forgotten_with_the_table_they_were_made_for(engine: Engine) -> None:
    engine.call("CreateTable", TABLE)
    put(engine, p={"S": "a"}, s={"N": "1"}, g={"S": "x"})
    for _ in range(2):
        assert len(ask(engine, "g = :g", {":g": {"S": "x"}}, IndexName="by_g")) == 1
    gone = {"Delete": {"IndexName": "by_g"}}
    engine.call("UpdateTable", {"TableName": "Music", "GlobalSecondaryIndexUpdates": [gone]})
    with pytest.raises(AwsError, match="does not have the specified index"):
        ask(engine, "g = :g", {":g": {"S": "x"}}, IndexName="by_g")


def test_a_plan_does_not_spare_values_their_own_checks(engine: Engine) -> None:
    engine.call("CreateTable", TABLE)
    between = "p = :p AND s BETWEEN :low AND :high"
    for low, high in (("1", "2"), ("1", "2")):
        ask(engine, between, {":p": {"S": "a"}, ":low": {"N": low}, ":high": {"N": high}})
    with pytest.raises(AwsError, match="upper bound to be greater than or equal to lower"):
        ask(engine, between, {":p": {"S": "a"}, ":low": {"N": "2"}, ":high": {"N": "1"}})
    with pytest.raises(AwsError, match="empty string value"):
        ask(engine, between, {":p": {"S": ""}, ":low": {"N": "1"}, ":high": {"N": "2"}})


def test_only_so_many_plans_are_kept(engine: Engine) -> None:
    engine.call("CreateTable", TABLE)
    for number in range(MAX_PLANS + 10):
        ask(engine, f"p = :p{number}", {f":p{number}": {"S": "a"}})
    table = engine.catalog.find("Music")
    assert table is not None
    assert len(table.plans) == 10


# --- puts of one transaction ---------------------------------------------------------------------


def _put(place: str, **more: Any) -> dict[str, Any]:
    item = {"p": {"S": place}, "s": {"N": "1"}}
    return {"Put": {"TableName": "Music", "Item": item, **more}}


def test_puts_that_differ_in_more_than_their_items_keep_their_own_conditions(
    engine: Engine,
) -> None:
    engine.call("CreateTable", TABLE)
    put(engine, p={"S": "a"}, s={"N": "1"}, n={"N": "5"})
    put(engine, p={"S": "b"}, s={"N": "1"}, n={"N": "5"})

    def below(place: str, bound: str) -> dict[str, Any]:
        values = {":bound": {"N": bound}}
        return _put(place, ConditionExpression="n < :bound", ExpressionAttributeValues=values)

    request = {"TransactItems": [below("a", "6"), below("b", "5"), below("c", "6")]}
    with pytest.raises(AwsError) as caught:
        engine.call("TransactWriteItems", request)
    codes = [reason["Code"] for reason in caught.value.extra["CancellationReasons"]]
    assert codes == ["None", "ConditionalCheckFailed", "ConditionalCheckFailed"]
    engine.call("TransactWriteItems", {"TransactItems": [below("a", "6"), below("b", "7")]})


def test_every_put_is_checked_though_it_equals_the_one_before(engine: Engine) -> None:
    engine.call("CreateTable", TABLE)

    def unless(flag: object) -> dict[str, Any]:
        condition = "attribute_not_exists(p) OR flag = :flag"
        values = {":flag": {"BOOL": flag}}
        place = str(type(flag))
        return _put(place, ConditionExpression=condition, ExpressionAttributeValues=values)

    with pytest.raises(AwsError) as caught:
        engine.call("TransactWriteItems", {"TransactItems": [unless(True), unless(1)]})
    assert caught.value.code == "SerializationException"


def test_a_transaction_has_no_more_than_a_hundred_members(engine: Engine) -> None:
    engine.call("CreateTable", TABLE)
    members = [_put(str(number)) for number in range(101)]
    with pytest.raises(AwsError, match="less than or equal to 100"):
        engine.call("TransactWriteItems", {"TransactItems": members})
    engine.call("TransactWriteItems", {"TransactItems": members[:100]})


# --- made ready ahead ----------------------------------------------------------------------------


def test_what_is_prepared_happens_when_it_is_submitted(engine: Engine) -> None:
    engine.call("CreateTable", TABLE)
    once = _put("a", ConditionExpression="attribute_not_exists(p)")
    first = engine.prepare("TransactWriteItems", {"TransactItems": [once]})
    second = engine.prepare("TransactWriteItems", {"TransactItems": [once]})
    assert ask(engine, "p = :p", {":p": {"S": "a"}}) == []
    first().result()
    with pytest.raises(AwsError, match="ConditionalCheckFailed"):
        second().result()


def test_what_cannot_be_prepared_is_refused_when_it_is_submitted(engine: Engine) -> None:
    submit = engine.prepare("PutItem", {"TableName": "Music", "Item": {}})
    with pytest.raises(AwsError, match="not found"):
        submit().result()
    engine.call("CreateTable", TABLE)
    read = engine.prepare("GetItem", {"TableName": "Music", "Key": {"p": {"S": "a"}}})
    with pytest.raises(AwsError, match="does not match"):
        read().result()


def test_a_table_may_be_altered_before_what_was_prepared(engine: Engine) -> None:
    engine.call("CreateTable", TABLE)
    submit = engine.prepare("TransactWriteItems", {"TransactItems": [_put("a")]})
    engine.call("DeleteTable", {"TableName": "Music"})
    with pytest.raises(AwsError, match="not found"):
        submit().result()


def test_faults_strike_what_was_prepared_before_them(engine: Engine) -> None:
    engine.call("CreateTable", TABLE)
    submit = engine.prepare("TransactWriteItems", {"TransactItems": [_put("a")]})
    engine.realism = Realism(faults=(Fault("TransactWriteItems", error="InternalServerError"),))
    with pytest.raises(AwsError) as caught:
        submit().result()
    assert caught.value.code == "InternalServerError"
