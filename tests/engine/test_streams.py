"""Change streams: what they hold, in which order, from where and for how long they are read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine
from tablewright.engine.streams import listing as stream_reads
from tablewright.engine.streams import reading as stream_records
from tablewright.engine.streams import recording as streams

Call = Callable[..., dict[str, Any]]
Refused = Callable[..., AwsError]

VIEWS = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")


def create(engine: Engine, view: str | None = "NEW_AND_OLD_IMAGES", name: str = "Stream") -> str:
    """A table with a stream; the stream's ARN."""
    spec: dict[str, Any] = {"StreamEnabled": view is not None}
    if view is not None:
        spec["StreamViewType"] = view
    answer = engine.call(
        "CreateTable",
        {
            "TableName": name,
            "AttributeDefinitions": [
                {"AttributeName": "p", "AttributeType": "S"},
                {"AttributeName": "s", "AttributeType": "N"},
            ],
            "KeySchema": [
                {"AttributeName": "p", "KeyType": "HASH"},
                {"AttributeName": "s", "KeyType": "RANGE"},
            ],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": spec,
        },
    )
    return answer["TableDescription"].get("LatestStreamArn", "")


def key(p: str, s: int = 1) -> dict[str, Any]:
    return {"p": {"S": p}, "s": {"N": str(s)}}


def put(engine: Engine, p: str, s: int = 1, name: str = "Stream", **more: Any) -> None:
    engine.call("PutItem", {"TableName": name, "Item": {**key(p, s), **more}})


def delete(engine: Engine, p: str, s: int = 1) -> None:
    engine.call("DeleteItem", {"TableName": "Stream", "Key": key(p, s)})


def shard_ids(engine: Engine, arn: str) -> list[str]:
    answer = engine.call("DescribeStream", {"StreamArn": arn})
    return [shard["ShardId"] for shard in answer["StreamDescription"]["Shards"]]


def iterator(engine: Engine, arn: str, shard: str, kind: str, **more: Any) -> str:
    request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": kind, **more}
    token: str = engine.call("GetShardIterator", request)["ShardIterator"]
    return token


def read(engine: Engine, token: str, **more: Any) -> list[dict[str, Any]]:
    """All records from an iterator on, page by page."""
    records: list[dict[str, Any]] = []
    while True:
        page = engine.call("GetRecords", {"ShardIterator": token, **more})
        records += page["Records"]
        token = page.get("NextShardIterator", "")
        if not page["Records"] or not token:
            return records


def read_all(engine: Engine, arn: str, kind: str = "TRIM_HORIZON") -> list[dict[str, Any]]:
    """The records of all shards, shard by shard."""
    return [
        record
        for shard in shard_ids(engine, arn)
        for record in read(engine, iterator(engine, arn, shard, kind))
    ]


def shard_with_records(engine: Engine, arn: str) -> str:
    for shard in shard_ids(engine, arn):
        if read(engine, iterator(engine, arn, shard, "TRIM_HORIZON")):
            return shard
    raise AssertionError("no shard has records")


# --- what is recorded --------------------------------------------------------------------


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_holds_what_its_name_says(engine: Engine, view: str) -> None:
    arn = create(engine, view)
    put(engine, "a", v={"N": "1"})
    put(engine, "a", v={"N": "2"})
    delete(engine, "a")
    one, two = {**key("a"), "v": {"N": "1"}}, {**key("a"), "v": {"N": "2"}}
    expected = [("INSERT", None, one), ("MODIFY", one, two), ("REMOVE", two, None)]
    records = read_all(engine, arn)
    assert [record["eventName"] for record in records] == [event for event, _, _ in expected]
    for record, (_, old, new) in zip(records, expected, strict=True):
        change = record["dynamodb"]
        assert change["Keys"] == key("a")
        assert change["StreamViewType"] == view
        assert change.get("OldImage") == (old if "OLD" in view else None)
        assert change.get("NewImage") == (new if "NEW" in view else None)


def test_a_record_has_the_fields_of_the_service(engine: Engine, clock: ManualClock) -> None:
    arn = create(engine)
    clock.advance(0.75)
    put(engine, "a", text={"S": "hello"})
    (record,) = read_all(engine, arn)
    assert record["eventVersion"] == "1.1"
    assert record["eventSource"] == "aws:dynamodb"
    assert record["awsRegion"] == engine.region
    assert len(record["eventID"]) == 32
    assert "userIdentity" not in record
    change = record["dynamodb"]
    assert change["ApproximateCreationDateTime"] == 1_800_000_000
    # keys p:a s:1 are 5 bytes; the new image adds "text" and "hello" to the same
    assert change["SizeBytes"] == 5 + 5 + 9
    assert change["SequenceNumber"].isdecimal()
    assert len(change["SequenceNumber"]) >= 21


def test_nothing_is_recorded_if_the_item_stays_what_it_was(engine: Engine) -> None:
    arn = create(engine)
    put(engine, "a", tags={"SS": ["x", "y"]}, m={"M": {"a": {"N": "1"}, "b": {"N": "2"}}})
    put(engine, "a", tags={"SS": ["y", "x"]}, m={"M": {"b": {"N": "2.0"}, "a": {"N": "1"}}})
    delete(engine, "missing")
    engine.call(
        "UpdateItem",
        {"TableName": "Stream", "Key": key("missing"), "UpdateExpression": "REMOVE gone"},
    )
    assert [record["eventName"] for record in read_all(engine, arn)] == ["INSERT"]


def test_a_refused_write_leaves_no_record(engine: Engine) -> None:
    arn = create(engine)
    put(engine, "a")
    with pytest.raises(AwsError):
        engine.call(
            "PutItem",
            {
                "TableName": "Stream",
                "Item": {**key("a"), "v": {"N": "1"}},
                "ConditionExpression": "attribute_not_exists(p)",
            },
        )
    assert len(read_all(engine, arn)) == 1


def test_all_members_of_a_transaction_are_recorded(engine: Engine) -> None:
    arn = create(engine)
    put(engine, "gone")
    engine.call(
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {"TableName": "Stream", "Item": key("new")}},
                {"Delete": {"TableName": "Stream", "Key": key("gone")}},
            ]
        },
    )
    events = {(r["dynamodb"]["Keys"]["p"]["S"], r["eventName"]) for r in read_all(engine, arn)}
    assert events == {("gone", "INSERT"), ("new", "INSERT"), ("gone", "REMOVE")}


# --- shards and order --------------------------------------------------------------------


def test_partitions_are_spread_over_several_shards_and_stay_in_order(engine: Engine) -> None:
    arn = create(engine)
    for round_ in range(3):
        for p in range(40):
            put(engine, f"p{p}", v={"N": str(round_)})
    shards = shard_ids(engine, arn)
    assert len(shards) == streams.SHARDS == len(set(shards))
    assert shards == sorted(shards)
    homes: dict[str, set[str]] = {}
    for shard in shards:
        seen: dict[str, list[str]] = {}
        numbers = []
        for record in read(engine, iterator(engine, arn, shard, "TRIM_HORIZON")):
            change = record["dynamodb"]
            name = change["Keys"]["p"]["S"]
            homes.setdefault(name, set()).add(shard)
            seen.setdefault(name, []).append(change["NewImage"]["v"]["N"])
            numbers.append(int(change["SequenceNumber"]))
        assert seen, "every shard gets some of forty partitions"
        assert all(values == ["0", "1", "2"] for values in seen.values())
        assert numbers == sorted(set(numbers))
    assert len(homes) == 40
    assert all(len(where) == 1 for where in homes.values())


def test_describing_shards_page_by_page(engine: Engine) -> None:
    arn = create(engine)
    shards = shard_ids(engine, arn)
    found: list[str] = []
    request: dict[str, Any] = {"StreamArn": arn, "Limit": 3}
    while True:
        page = engine.call("DescribeStream", request)["StreamDescription"]
        found += [shard["ShardId"] for shard in page["Shards"]]
        last = page.get("LastEvaluatedShardId")
        if last is None:
            break
        assert last == found[-1]
        request["ExclusiveStartShardId"] = last
    assert found == shards
    beyond = {"StreamArn": arn, "ExclusiveStartShardId": shards[-1]}
    assert engine.call("DescribeStream", beyond)["StreamDescription"]["Shards"] == []


def test_no_shard_has_children(engine: Engine, refused: Refused) -> None:
    arn = create(engine)
    wanted = {"Type": "CHILD_SHARDS", "ShardId": shard_ids(engine, arn)[0]}
    answer = engine.call("DescribeStream", {"StreamArn": arn, "ShardFilter": wanted})
    assert answer["StreamDescription"]["Shards"] == []
    for name in wanted:
        given = {other: value for other, value in wanted.items() if other != name}
        error = refused("DescribeStream", StreamArn=arn, ShardFilter=given)
        assert error.code == "ValidationException"


# --- iterators ---------------------------------------------------------------------------


def test_latest_begins_after_what_is_there(engine: Engine) -> None:
    arn = create(engine)
    put(engine, "a", v={"N": "1"})
    shard = shard_with_records(engine, arn)
    token = iterator(engine, arn, shard, "LATEST")
    assert read(engine, token) == []
    put(engine, "a", v={"N": "2"})
    (record,) = read(engine, token)
    assert record["dynamodb"]["NewImage"]["v"] == {"N": "2"}


def test_at_and_after_a_sequence_number(engine: Engine) -> None:
    arn = create(engine)
    for v in range(3):
        put(engine, "a", v={"N": str(v)})
    shard = shard_with_records(engine, arn)
    numbers = [r["dynamodb"]["SequenceNumber"] for r in read_all(engine, arn)]

    def values(kind: str, number: str) -> list[str]:
        token = iterator(engine, arn, shard, kind, SequenceNumber=number)
        return [r["dynamodb"]["NewImage"]["v"]["N"] for r in read(engine, token)]

    assert values("AT_SEQUENCE_NUMBER", numbers[1]) == ["1", "2"]
    assert values("AFTER_SEQUENCE_NUMBER", numbers[1]) == ["2"]
    assert values("AFTER_SEQUENCE_NUMBER", numbers[2]) == []


def test_the_starting_number_of_a_shard_reads_all_of_it(engine: Engine) -> None:
    arn = create(engine)
    described = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    put(engine, "a")
    put(engine, "a", v={"N": "1"})
    found = 0
    for shard in described:
        start = shard["SequenceNumberRange"]["StartingSequenceNumber"]
        assert "EndingSequenceNumber" not in shard["SequenceNumberRange"]
        token = iterator(engine, arn, shard["ShardId"], "AT_SEQUENCE_NUMBER", SequenceNumber=start)
        found += len(read(engine, token))
    assert found == 2


def test_at_a_timestamp(engine: Engine, clock: ManualClock) -> None:
    arn = create(engine)
    for v in range(3):
        clock.advance(60)
        put(engine, "a", v={"N": str(v)})
    shard = shard_with_records(engine, arn)
    token = iterator(engine, arn, shard, "AT_TIMESTAMP", Timestamp=1_800_000_000 + 61)
    assert [r["dynamodb"]["NewImage"]["v"]["N"] for r in read(engine, token)] == ["1", "2"]


@pytest.mark.parametrize(
    ("kind", "more", "code"),
    [
        ("LATEST", {"SequenceNumber": "100000000000000000001"}, "ValidationException"),
        ("TRIM_HORIZON", {"SequenceNumber": "100000000000000000001"}, "ValidationException"),
        ("AT_SEQUENCE_NUMBER", {}, "ValidationException"),
        ("AFTER_SEQUENCE_NUMBER", {}, "ValidationException"),
        ("AT_SEQUENCE_NUMBER", {"SequenceNumber": "x" * 30}, "ValidationException"),
        ("AT_SEQUENCE_NUMBER", {"SequenceNumber": "9" * 30}, "ValidationException"),
        ("AT_TIMESTAMP", {}, "ValidationException"),
        ("LATEST", {"Timestamp": 1}, "ValidationException"),
        ("SOMETIMES", {}, "ValidationException"),
    ],
)
def test_iterators_that_make_no_sense(
    engine: Engine, refused: Refused, kind: str, more: dict[str, Any], code: str
) -> None:
    arn = create(engine)
    shard = shard_ids(engine, arn)[0]
    error = refused(
        "GetShardIterator", StreamArn=arn, ShardId=shard, ShardIteratorType=kind, **more
    )
    assert error.code == code


def test_unknown_streams_and_shards(engine: Engine, refused: Refused) -> None:
    arn = create(engine)
    other = create(engine, name="Other")
    bogus = "x" * 40
    missing = arn.replace("/Stream/", "/Streams/")
    foreign = shard_ids(engine, other)[0]
    for operation in ("DescribeStream", "GetShardIterator"):
        more = {"ShardId": foreign, "ShardIteratorType": "LATEST"}
        given = more if operation == "GetShardIterator" else {}
        assert refused(operation, StreamArn=bogus, **given).code == "ValidationException"
        assert refused(operation, StreamArn=missing, **given).code == "ResourceNotFoundException"
    for shard in (foreign, bogus):
        error = refused(
            "GetShardIterator", StreamArn=arn, ShardId=shard, ShardIteratorType="LATEST"
        )
        assert error.code == "ResourceNotFoundException"
    assert refused("ListStreams", ExclusiveStartStreamArn=bogus).code == "ValidationException"


def test_forged_iterators_are_refused(engine: Engine, refused: Refused) -> None:
    arn = create(engine)
    other = create(engine, name="Other")
    token = iterator(engine, arn, shard_ids(engine, arn)[0], "LATEST")
    stolen = other + "|1|" + token.partition("|1|")[2]
    for bad in ("x" * 50, f"{arn}|1|", f"{arn}|1|é", token[:-6] + "AAAA==", token[:-1], stolen):
        assert refused("GetRecords", ShardIterator=bad).code == "ValidationException"


def test_an_iterator_lasts_a_quarter_of_an_hour(
    engine: Engine, clock: ManualClock, refused: Refused
) -> None:
    arn = create(engine)
    token = iterator(engine, arn, shard_ids(engine, arn)[0], "LATEST")
    clock.advance(stream_records.ITERATOR_SECONDS)
    fresh = engine.call("GetRecords", {"ShardIterator": token})["NextShardIterator"]
    clock.advance(1)
    assert refused("GetRecords", ShardIterator=token).code == "ExpiredIteratorException"
    assert engine.call("GetRecords", {"ShardIterator": fresh})["Records"] == []


def test_a_clock_set_back_does_not_harm_an_iterator(engine: Engine, clock: ManualClock) -> None:
    arn = create(engine)
    put(engine, "a")
    shard = shard_with_records(engine, arn)
    token = iterator(engine, arn, shard, "TRIM_HORIZON")
    clock.advance(-3600)
    put(engine, "a", v={"N": "1"})
    assert [record["eventName"] for record in read(engine, token)] == ["INSERT", "MODIFY"]


# --- pages -------------------------------------------------------------------------------


def test_pages_of_records_by_number(engine: Engine) -> None:
    arn = create(engine, "KEYS_ONLY")
    for s in range(25):
        put(engine, "a", s)
    shard = shard_with_records(engine, arn)
    token = iterator(engine, arn, shard, "TRIM_HORIZON")
    page = engine.call("GetRecords", {"ShardIterator": token, "Limit": 10})
    assert len(page["Records"]) == 10
    records = page["Records"] + read(engine, page["NextShardIterator"], Limit=10)
    assert [record["dynamodb"]["Keys"]["s"]["N"] for record in records] == [
        str(s) for s in range(25)
    ]


def test_pages_of_records_end_at_a_megabyte(engine: Engine) -> None:
    arn = create(engine, "NEW_IMAGE")
    for s in range(8):
        put(engine, "a", s, text={"S": "x" * 300_000})
    shard = shard_with_records(engine, arn)
    token = iterator(engine, arn, shard, "TRIM_HORIZON")
    page = engine.call("GetRecords", {"ShardIterator": token})
    assert len(page["Records"]) == 3
    assert len(read(engine, token)) == 8


def test_limits_beyond_the_service_are_refused(engine: Engine, refused: Refused) -> None:
    arn = create(engine)
    token = iterator(engine, arn, shard_ids(engine, arn)[0], "LATEST")
    for operation, given, most in (
        ("GetRecords", {"ShardIterator": token}, 1000),
        ("DescribeStream", {"StreamArn": arn}, 100),
        ("ListStreams", {}, 100),
    ):
        engine.call(operation, {**given, "Limit": most})
        for limit in (0, most + 1):
            error = refused(operation, **given, Limit=limit)
            assert error.code == "ValidationException"
            assert "imit" in error.message


def test_records_are_spliced_into_a_json_answer_unchanged(engine: Engine) -> None:
    arn = create(engine)
    put(engine, "ä", text={"S": 'quote " and \n'})
    shard = shard_with_records(engine, arn)
    token = iterator(engine, arn, shard, "TRIM_HORIZON")
    request = orjson.dumps({"ShardIterator": token})
    spliced = orjson.loads(engine.call_json("GetRecords", request))["Records"]
    assert spliced == engine.call("GetRecords", {"ShardIterator": token})["Records"]
    assert spliced[0]["dynamodb"]["NewImage"]["text"] == {"S": 'quote " and \n'}


# --- listing -----------------------------------------------------------------------------


def test_listing_streams_by_table_and_page(engine: Engine) -> None:
    arns = sorted(create(engine, name=f"Table{n}") for n in range(5))
    create(engine, None, name="Without")
    assert [s["StreamArn"] for s in engine.call("ListStreams", {})["Streams"]] == arns
    assert engine.call("ListStreams", {"TableName": "Without"})["Streams"] == []
    (only,) = engine.call("ListStreams", {"TableName": "Table3"})["Streams"]
    assert only == {
        "StreamArn": arns[3],
        "TableName": "Table3",
        "StreamLabel": arns[3].rpartition("/")[2],
    }
    found: list[str] = []
    request: dict[str, Any] = {"Limit": 2}
    while True:
        page = engine.call("ListStreams", request)
        found += [stream["StreamArn"] for stream in page["Streams"]]
        if "LastEvaluatedStreamArn" not in page:
            break
        assert page["LastEvaluatedStreamArn"] == found[-1]
        request["ExclusiveStartStreamArn"] = found[-1]
    assert found == arns


def test_a_deleted_table_does_not_stop_the_listing(engine: Engine) -> None:
    arns = [create(engine, name=f"Table{n}") for n in range(3)]
    first = engine.call("ListStreams", {"Limit": 1})
    engine.call("DeleteTable", {"TableName": "Table0"})
    rest = engine.call("ListStreams", {"ExclusiveStartStreamArn": first["LastEvaluatedStreamArn"]})
    assert [stream["StreamArn"] for stream in rest["Streams"]] == arns[1:]


# --- switching off, retention ------------------------------------------------------------


def switch(engine: Engine, view: str | None) -> None:
    spec: dict[str, Any] = {"StreamEnabled": view is not None}
    if view is not None:
        spec["StreamViewType"] = view
    engine.call("UpdateTable", {"TableName": "Stream", "StreamSpecification": spec})


def close_by_switching_off(engine: Engine) -> None:
    switch(engine, None)


def close_by_deleting(engine: Engine) -> None:
    engine.call("DeleteTable", {"TableName": "Stream"})


@pytest.mark.parametrize("close", [close_by_switching_off, close_by_deleting])
def test_a_closed_stream_is_read_to_its_end_and_gone_after_a_day(
    engine: Engine, clock: ManualClock, refused: Refused, close: Callable[[Engine], None]
) -> None:
    arn = create(engine)
    put(engine, "a")
    shard = shard_with_records(engine, arn)
    before = iterator(engine, arn, shard, "LATEST")
    put(engine, "a", v={"N": "1"})
    close(engine)
    described = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    assert described["StreamStatus"] == "DISABLED"
    for each in described["Shards"]:
        numbers = each["SequenceNumberRange"]
        assert int(numbers["EndingSequenceNumber"]) >= int(numbers["StartingSequenceNumber"])
    page = engine.call("GetRecords", {"ShardIterator": before})
    assert [record["eventName"] for record in page["Records"]] == ["MODIFY"]
    assert "NextShardIterator" not in page
    # A page that ends before the shard does leads on.
    token = iterator(engine, arn, shard, "TRIM_HORIZON")
    page = engine.call("GetRecords", {"ShardIterator": token, "Limit": 1})
    assert "NextShardIterator" in page
    assert len(read_all(engine, arn)) == 2
    clock.advance(streams.RETENTION_SECONDS + 1)
    assert refused("DescribeStream", StreamArn=arn).code == "ResourceNotFoundException"
    assert engine.call("ListStreams", {})["Streams"] == []
    stream_reads.prune(engine)
    assert engine.store.rows("SELECT COUNT(*) FROM streams", ()) == [(0,)]
    assert engine.store.rows("SELECT COUNT(*) FROM stream_records", ()) == [(0,)]


def test_a_stream_switched_on_again_is_another_one(engine: Engine) -> None:
    first = create(engine)
    put(engine, "a")
    switch(engine, None)
    put(engine, "unseen")
    switch(engine, "KEYS_ONLY")
    table = engine.call("DescribeTable", {"TableName": "Stream"})["Table"]
    second = table["LatestStreamArn"]
    # The clock has not moved, and still the two have names of their own.
    assert second != first
    assert second.endswith(table["LatestStreamLabel"])
    put(engine, "b")
    names = [r["dynamodb"]["Keys"]["p"]["S"] for r in read_all(engine, first)]
    assert names == ["a"]
    (record,) = read_all(engine, second)
    assert record["dynamodb"]["Keys"] == key("b")
    assert "NewImage" not in record["dynamodb"]
    listed = engine.call("ListStreams", {"TableName": "Stream"})["Streams"]
    assert [stream["StreamArn"] for stream in listed] == [first, second]


@pytest.mark.parametrize("pruned", [False, True])
def test_records_older_than_a_day_cannot_be_read(
    engine: Engine, clock: ManualClock, refused: Refused, pruned: bool
) -> None:
    arn = create(engine)
    put(engine, "a", v={"N": "1"})
    shard = shard_with_records(engine, arn)
    (old,) = read_all(engine, arn)
    clock.advance(streams.RETENTION_SECONDS - 60)
    put(engine, "a", v={"N": "2"})
    waiting = iterator(engine, arn, shard, "TRIM_HORIZON")
    clock.advance(120)
    if pruned:
        assert stream_reads.prune(engine) == 1
    # An iterator that stood before the removed record notices; a new one begins behind it.
    assert refused("GetRecords", ShardIterator=waiting).code == "TrimmedDataAccessException"
    assert [r["dynamodb"]["NewImage"]["v"]["N"] for r in read_all(engine, arn)] == ["2"]
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        error = refused(
            "GetShardIterator",
            StreamArn=arn,
            ShardId=shard,
            ShardIteratorType=kind,
            SequenceNumber=old["dynamodb"]["SequenceNumber"],
        )
        assert error.code == "TrimmedDataAccessException"
    token = iterator(engine, arn, shard, "LATEST")
    assert read(engine, token) == []


def test_pruning_many_records_takes_several_slices(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "PRUNE_ROWS", 7)
    arn = create(engine)
    for s in range(30):
        put(engine, "a", s)
    clock.advance(streams.RETENTION_SECONDS + 1)
    put(engine, "a", 99)
    stream_reads.prune(engine)
    assert [r["dynamodb"]["Keys"]["s"]["N"] for r in read_all(engine, arn)] == ["99"]
    assert engine.store.rows("SELECT COUNT(*) FROM stream_records", ()) == [(1,)]


# --- on disk -----------------------------------------------------------------------------


def test_numbers_go_on_after_everything_was_pruned_and_reopened(tmp_path: Path) -> None:
    clock = ManualClock(1_800_000_000)
    with Engine(tmp_path, clock=clock) as engine:
        arn = create(engine)
        put(engine, "a", v={"N": "1"})
        shard = shard_with_records(engine, arn)
        (first,) = read_all(engine, arn)
        clock.advance(streams.RETENTION_SECONDS + 1)
        stream_reads.prune(engine)
        token = iterator(engine, arn, shard, "LATEST")
    with Engine(tmp_path, clock=clock) as engine:
        put(engine, "a", v={"N": "2"})
        # An iterator is good for any process that opens the folder.
        (second,) = read(engine, token)
        assert int(second["dynamodb"]["SequenceNumber"]) > int(first["dynamodb"]["SequenceNumber"])
        assert read_all(engine, arn) == [second]


def test_readers_meet_every_record_once_while_others_write(disk_engine: Engine) -> None:
    """Readers follow the shards while four threads write; nothing is missed or seen twice."""
    arn = create(disk_engine, "KEYS_ONLY")
    tokens = [iterator(disk_engine, arn, shard, "LATEST") for shard in shard_ids(disk_engine, arn)]
    done = threading.Event()

    def write(worker: int) -> None:
        for s in range(50):
            put(disk_engine, f"w{worker}", s)

    def follow(token: str) -> Iterator[str]:
        while True:
            finished = done.is_set()
            page = disk_engine.call("GetRecords", {"ShardIterator": token, "Limit": 7})
            for record in page["Records"]:
                keys = record["dynamodb"]["Keys"]
                yield f"{keys['p']['S']}/{keys['s']['N']}"
            token = page["NextShardIterator"]
            if finished and not page["Records"]:
                return

    seen: list[list[str]] = [[] for _ in tokens]
    readers = [
        threading.Thread(target=lambda n=n, t=t: seen[n].extend(follow(t)))
        for n, t in enumerate(tokens)
    ]
    writers = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    for worker in range(4):
        (home,) = [names for names in seen if f"w{worker}/0" in names]
        mine = [name for name in home if name.startswith(f"w{worker}/")]
        assert mine == [f"w{worker}/{s}" for s in range(50)]
    assert sum(map(len, seen)) == 200
