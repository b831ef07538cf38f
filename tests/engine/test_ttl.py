"""Time to live: switching it on and off, and what becomes of items whose time has come."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine
from tablewright.engine.expiry import index as ttl
from tablewright.engine.expiry import sweep as expiry

Call = Callable[..., dict[str, Any]]
Refused = Callable[..., AwsError]

NOW = 1_800_000_000


@pytest.fixture(autouse=True)
def no_background_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests say when to sweep."""
    monkeypatch.setattr(expiry, "SWEEP_SECONDS", 3600.0)
    monkeypatch.setattr("tablewright.engine.streams.listing.PRUNE_SECONDS", 3600.0)
    monkeypatch.setattr("tablewright.engine.backups.continuous.PRUNE_SECONDS", 3600.0)


def switch(engine: Engine, enabled: bool = True, attribute: str = "expires") -> dict[str, Any]:
    return engine.call(
        "UpdateTimeToLive",
        {
            "TableName": "Simple",
            "TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": attribute},
        },
    )


def described(engine: Engine) -> dict[str, Any]:
    answer = engine.call("DescribeTimeToLive", {"TableName": "Simple"})
    description: dict[str, Any] = answer["TimeToLiveDescription"]
    return description


def put(engine: Engine, pk: str, expires: Any = None) -> None:
    item: dict[str, Any] = {"pk": {"S": pk}}
    if expires is not None:
        item["expires"] = expires if isinstance(expires, dict) else {"N": str(expires)}
    engine.call("PutItem", {"TableName": "Simple", "Item": item})


def names(engine: Engine) -> set[str]:
    items = engine.call("Scan", {"TableName": "Simple"})["Items"]
    return {item["pk"]["S"] for item in items}


def indexed(engine: Engine) -> list[int]:
    """The moments in the expiry index."""
    table = engine.catalog.table("Simple")
    return [row[0] for row in engine.store.rows(f"SELECT expires FROM e{table.number}", ())]


# --- on and off --------------------------------------------------------------------------


def test_on_off_and_on_again(engine: Engine) -> None:
    engine.call("CreateTable", simple_table())
    assert described(engine) == {"TimeToLiveStatus": "DISABLED"}
    spec = {"Enabled": True, "AttributeName": "expires"}
    assert switch(engine) == {"TimeToLiveSpecification": spec}
    assert described(engine) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    switch(engine, enabled=False)
    assert described(engine) == {"TimeToLiveStatus": "DISABLED"}
    switch(engine, attribute="other")
    assert described(engine) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "other"}


def test_changes_that_are_refused(engine: Engine, refused: Refused) -> None:
    engine.call("CreateTable", simple_table())

    def error(enabled: bool, attribute: str = "expires") -> AwsError:
        return refused(
            "UpdateTimeToLive",
            TableName="Simple",
            TimeToLiveSpecification={"Enabled": enabled, "AttributeName": attribute},
        )

    assert error(False).message == "TimeToLive is already disabled"
    switch(engine)
    assert error(True).message == "TimeToLive is already enabled"
    different = (
        "TimeToLive is active on a different AttributeName: current AttributeName is expires"
    )
    assert error(True, "other").message == different
    assert error(False, "other").message == different
    assert error(True, "").code == "ValidationException"
    assert error(True, "x" * 256).code == "ValidationException"
    assert {error(True).code, error(False, "other").code} == {"ValidationException"}


def test_a_table_that_is_not_there(refused: Refused) -> None:
    spec = {"Enabled": True, "AttributeName": "expires"}
    for error in (
        refused("UpdateTimeToLive", TableName="Missing", TimeToLiveSpecification=spec),
        refused("DescribeTimeToLive", TableName="Missing"),
    ):
        assert error.code == "ResourceNotFoundException"
        assert error.message == "Requested resource not found: Table: Missing not found"


def test_ttl_belongs_to_the_table_and_goes_with_it(engine: Engine) -> None:
    engine.call("CreateTable", simple_table())
    switch(engine)
    put(engine, "a", NOW - 10)
    engine.call("DeleteTable", {"TableName": "Simple"})
    engine.jobs.wait()
    left = engine.store.rows("SELECT name FROM sqlite_schema WHERE name GLOB '[et][0-9]*'", ())
    assert left == []
    engine.call("CreateTable", simple_table())
    assert described(engine) == {"TimeToLiveStatus": "DISABLED"}


# --- expiring ----------------------------------------------------------------------------


def test_what_expires_and_what_does_not(engine: Engine, clock: ManualClock) -> None:
    engine.call("CreateTable", simple_table())
    put(engine, "before", NOW - 60)  # was there before TTL was switched on
    switch(engine)
    put(engine, "never")
    put(engine, "past", NOW - 60)
    put(engine, "second", NOW - 1)
    put(engine, "now", NOW)
    put(engine, "soon", NOW + 100)
    put(engine, "moved", NOW + 100)
    put(engine, "late", NOW + 1000)
    put(engine, "ancient", NOW - expiry.TOO_OLD_SECONDS - 60)
    put(engine, "text", {"S": str(NOW - 60)})
    put(engine, "exponent", f"{(NOW - 60) // 10}e1")
    put(engine, "fraction", f"{NOW - 60}.75")
    put(engine, "negative", -5)
    put(engine, "huge", "1e100")
    put(engine, "null", {"NULL": True})
    put(engine, "list", {"L": [{"N": str(NOW - 60)}]})
    everything = names(engine)
    assert expiry.sweep(engine) == 5
    gone = everything - names(engine)
    assert gone == {"before", "past", "second", "exponent", "fraction"}
    put(engine, "moved", NOW + 5000)
    clock.advance(101)
    assert expiry.sweep(engine) == 2
    assert everything - names(engine) - gone == {"now", "soon"}
    assert expiry.sweep(engine) == 0


def test_an_item_that_is_not_due_any_more_stays(engine: Engine, clock: ManualClock) -> None:
    engine.call("CreateTable", simple_table())
    switch(engine)
    put(engine, "longer", NOW + 10)
    put(engine, "forever", NOW + 10)
    put(engine, "deleted", NOW + 10)
    put(engine, "longer", NOW + 1000)
    engine.call(
        "UpdateItem",
        {
            "TableName": "Simple",
            "Key": {"pk": {"S": "forever"}},
            "UpdateExpression": "REMOVE expires",
        },
    )
    engine.call("DeleteItem", {"TableName": "Simple", "Key": {"pk": {"S": "deleted"}}})
    assert indexed(engine) == [NOW + 1000]
    clock.advance(500)
    assert expiry.sweep(engine) == 0
    assert names(engine) == {"longer", "forever"}


def test_expired_items_stay_while_ttl_is_off(engine: Engine) -> None:
    engine.call("CreateTable", simple_table())
    switch(engine)
    put(engine, "a", NOW - 60)
    switch(engine, enabled=False)
    assert expiry.sweep(engine) == 0
    put(engine, "b", NOW - 60)
    switch(engine)
    assert expiry.sweep(engine) == 2
    assert names(engine) == set()


def test_a_clock_set_back_deletes_nothing_too_early(engine: Engine, clock: ManualClock) -> None:
    engine.call("CreateTable", simple_table())
    switch(engine)
    put(engine, "a", NOW - 10)
    clock.advance(-100)
    assert expiry.sweep(engine) == 0
    clock.advance(200)
    assert expiry.sweep(engine) == 1


def test_expired_items_leave_the_indexes_and_the_counts(engine: Engine) -> None:
    engine.call(
        "CreateTable",
        composite_table(
            name="Simple",
            AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
            LocalSecondaryIndexes=[index("local", "pk", "g")],
            GlobalSecondaryIndexes=[index("global", "g")],
        ),
    )
    switch(engine)
    for n in range(3):
        item = {"pk": {"S": "p"}, "sk": {"S": str(n)}, "g": {"S": "g"}}
        item["expires"] = {"N": str(NOW - 60 if n < 2 else NOW + 60)}
        engine.call("PutItem", {"TableName": "Simple", "Item": item})
    assert expiry.sweep(engine) == 2
    for name in ("local", "global"):
        found = engine.call("Scan", {"TableName": "Simple", "IndexName": name})["Items"]
        assert [item["sk"]["S"] for item in found] == ["2"]
    table = engine.call("DescribeTable", {"TableName": "Simple"})["Table"]
    assert table["ItemCount"] == 1
    assert table["GlobalSecondaryIndexes"][0]["ItemCount"] == 1


def test_a_key_can_be_the_expiry_moment(engine: Engine) -> None:
    engine.call("CreateTable", composite_table(name="Simple", sort="N"))
    switch(engine, attribute="sk")
    for moment in (NOW - 60, NOW + 60):
        item = {"pk": {"S": "p"}, "sk": {"N": str(moment)}}
        engine.call("PutItem", {"TableName": "Simple", "Item": item})
    assert expiry.sweep(engine) == 1
    (left,) = engine.call("Scan", {"TableName": "Simple"})["Items"]
    assert left["sk"] == {"N": str(NOW + 60)}


def test_the_stream_says_that_the_service_removed_it(engine: Engine) -> None:
    view = {"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"}
    created = engine.call("CreateTable", simple_table(StreamSpecification=view))
    arn = created["TableDescription"]["LatestStreamArn"]
    switch(engine)
    put(engine, "expired", NOW - 60)
    put(engine, "deleted")
    expiry.sweep(engine)
    engine.call("DeleteItem", {"TableName": "Simple", "Key": {"pk": {"S": "deleted"}}})
    identities: dict[str, Any] = {}
    stream = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    for shard in stream["Shards"]:
        token = engine.call(
            "GetShardIterator",
            {
                "StreamArn": arn,
                "ShardId": shard["ShardId"],
                "ShardIteratorType": "TRIM_HORIZON",
            },
        )["ShardIterator"]
        for record in engine.call("GetRecords", {"ShardIterator": token})["Records"]:
            if record["eventName"] == "REMOVE":
                name = record["dynamodb"]["OldImage"]["pk"]["S"]
                identities[name] = record.get("userIdentity")
    assert identities == {
        "expired": {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"},
        "deleted": None,
    }


# --- many items --------------------------------------------------------------------------


@pytest.fixture
def slow_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every slice is over as soon as it has begun."""
    monkeypatch.setattr(expiry, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(expiry, "_ROWS", 10)


def fill(engine: Engine, count: int) -> None:
    for start in range(0, count, 25):
        batch = [
            {"PutRequest": {"Item": {"pk": {"S": str(n)}, "expires": {"N": str(NOW - 60)}}}}
            for n in range(start, min(start + 25, count))
        ]
        engine.call("BatchWriteItem", {"RequestItems": {"Simple": batch}})


@pytest.mark.usefixtures("slow_slices")
def test_a_large_table_is_indexed_and_swept_in_slices(engine: Engine) -> None:
    engine.call("CreateTable", simple_table())
    fill(engine, 100)
    switch(engine)
    engine.jobs.wait()
    assert described(engine)["TimeToLiveStatus"] == "ENABLED"
    assert len(indexed(engine)) == 100
    assert expiry.sweep(engine) == 100
    assert names(engine) == set()


@pytest.mark.usefixtures("slow_slices")
def test_writes_while_the_index_is_built(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    waiting: list[Any] = []
    monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
    engine.call("CreateTable", simple_table())
    fill(engine, 60)
    switch(engine)
    assert described(engine) == {"TimeToLiveStatus": "ENABLING", "AttributeName": "expires"}
    spec = {"Enabled": False, "AttributeName": "expires"}
    assert (
        refused("UpdateTimeToLive", TableName="Simple", TimeToLiveSpecification=spec).code
        == "ValidationException"
    )
    (job,) = waiting
    for step, _ in enumerate(job()):
        for n in range(step, 60, 7):
            put(engine, str(n), NOW + 60 + step)
        engine.call("DeleteItem", {"TableName": "Simple", "Key": {"pk": {"S": str(59 - step)}}})
    assert described(engine)["TimeToLiveStatus"] == "ENABLED"
    items = engine.call("Scan", {"TableName": "Simple"})["Items"]
    assert sorted(indexed(engine)) == sorted(int(item["expires"]["N"]) for item in items)


@pytest.mark.usefixtures("slow_slices")
def test_a_large_index_is_taken_down_in_slices(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.call("CreateTable", simple_table())
    switch(engine)
    fill(engine, 100)
    waiting: list[Any] = []
    monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
    switch(engine, enabled=False)
    assert described(engine) == {"TimeToLiveStatus": "DISABLING", "AttributeName": "expires"}
    assert expiry.sweep(engine) == 0
    (job,) = waiting
    for step, _ in enumerate(job()):
        put(engine, f"new{step}", NOW - 5)
    assert described(engine) == {"TimeToLiveStatus": "DISABLED"}
    assert len(names(engine)) > 100
    switch(engine)
    for job in waiting[1:]:
        list(job())
    assert len(indexed(engine)) == len(names(engine))


@pytest.mark.usefixtures("slow_slices")
@pytest.mark.parametrize("enabled", [True, False])
def test_a_crash_while_the_index_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enabled: bool
) -> None:
    clock = ManualClock(NOW)
    with Engine(tmp_path, clock=clock) as engine:
        engine.call("CreateTable", simple_table())
        if enabled:
            fill(engine, 60)
        else:
            switch(engine)
            fill(engine, 60)
        waiting: list[Any] = []
        monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
        switch(engine, enabled)
        next(iter(waiting[0]()))  # one slice, and then nothing more
        status = described(engine)["TimeToLiveStatus"]
        assert status == ("ENABLING" if enabled else "DISABLING")
    with Engine(tmp_path, clock=clock) as engine:
        engine.jobs.wait()
        assert described(engine)["TimeToLiveStatus"] == ("ENABLED" if enabled else "DISABLED")
        if enabled:
            assert len(indexed(engine)) == 60
        assert expiry.sweep(engine) == (60 if enabled else 0)


def test_sweeping_looks_only_at_what_is_due(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.call("CreateTable", simple_table())
    switch(engine)
    for n in range(200):
        put(engine, f"later{n}", NOW + 1000 + n)
    put(engine, "due", NOW - 1)
    looked: list[Any] = []
    expires = ttl.expires
    monkeypatch.setattr(
        ttl, "expires", lambda item, name: looked.append(item) or expires(item, name)
    )
    assert expiry.sweep(engine) == 1
    due = [item for item in looked if item is not None]
    assert {item["pk"]["S"] for item in due} == {"due"}


def test_the_engine_sweeps_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiry, "SWEEP_SECONDS", 0.01)
    with Engine.memory(clock=ManualClock(NOW)) as engine:
        engine.call("CreateTable", simple_table())
        switch(engine)
        put(engine, "a", NOW - 60)
        for _ in range(1000):
            if not names(engine):
                break
            engine.jobs._thread.join(0.01)  # type: ignore[union-attr]
        assert names(engine) == set()
