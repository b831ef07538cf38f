"""Point-in-time recovery: the log, and tables brought back to a moment of the past."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.engine.samples import composite_table, index, simple_table

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine
from tablewright.engine.backups import continuous, history, restores

Refused = Callable[..., AwsError]

NOW = 1_800_000_000
DAY = 24 * 3600


@pytest.fixture(params=["memory", "disk"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Engine]:
    """Both kinds of engines: they read and copy in different ways."""
    path = None if request.param == "memory" else tmp_path / "data"
    with Engine(path, durability="relaxed", clock=clock) as engine:
        yield engine


def enable(engine: Engine, name: str = "Simple", enabled: bool = True, **more: Any) -> Any:
    spec = {"PointInTimeRecoveryEnabled": enabled, **more}
    request = {"TableName": name, "PointInTimeRecoverySpecification": spec}
    answer = engine.call("UpdateContinuousBackups", request)
    return answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]


def described(engine: Engine, name: str = "Simple") -> Any:
    answer = engine.call("DescribeContinuousBackups", {"TableName": name})
    return answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]


def put(engine: Engine, pk: str, v: int) -> None:
    item = {"pk": {"S": pk}, "v": {"N": str(v)}}
    engine.call("PutItem", {"TableName": "Simple", "Item": item})


def delete(engine: Engine, pk: str) -> None:
    engine.call("DeleteItem", {"TableName": "Simple", "Key": {"pk": {"S": pk}}})


def contents(engine: Engine, name: str = "Simple", **more: Any) -> dict[str, str]:
    """All items of a table: key -> value."""
    found: dict[str, str] = {}
    request: dict[str, Any] = {"TableName": name, **more}
    while True:
        page = engine.call("Scan", request)
        found.update({item["pk"]["S"]: item["v"]["N"] for item in page["Items"]})
        if "LastEvaluatedKey" not in page:
            return found
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def restore(engine: Engine, moment: float | None, target: str = "Restored", **more: Any) -> Any:
    request: dict[str, Any] = {
        "SourceTableName": "Simple",
        "TargetTableName": target,
        **more,
    }
    if moment is None:
        request["UseLatestRestorableTime"] = True
    else:
        request["RestoreDateTime"] = moment
    answer = engine.call("RestoreTableToPointInTime", request)
    return answer["TableDescription"]


def restored(engine: Engine, moment: float | None, target: str = "Restored") -> dict[str, str]:
    """What stood in the table at ``moment``."""
    restore(engine, moment, target)
    engine.jobs.wait()
    return contents(engine, target)


def logged(engine: Engine) -> int:
    rows = engine.store.rows("SELECT COUNT(*) FROM recovery_log", ())
    count: int = rows[0][0]
    return count


# --- on and off --------------------------------------------------------------------------


def test_recovery_is_off_until_it_is_switched_on(engine: Engine, clock: ManualClock) -> None:
    engine.call("CreateTable", simple_table())
    answer = engine.call("DescribeContinuousBackups", {"TableName": "Simple"})
    assert answer["ContinuousBackupsDescription"] == {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }
    put(engine, "a", 1)
    assert logged(engine) == 0
    clock.advance(10)
    on = enable(engine)
    assert on["PointInTimeRecoveryStatus"] == "ENABLED"
    assert on["RecoveryPeriodInDays"] == 35
    assert on["EarliestRestorableDateTime"] == on["LatestRestorableDateTime"] == NOW + 10
    clock.advance(100)
    assert described(engine)["EarliestRestorableDateTime"] == NOW + 10
    assert described(engine)["LatestRestorableDateTime"] == NOW + 110
    put(engine, "a", 2)
    assert logged(engine) == 1
    assert enable(engine, enabled=False) == {"PointInTimeRecoveryStatus": "DISABLED"}
    put(engine, "a", 3)
    assert logged(engine) == 1


def test_the_window_is_as_long_as_asked_for(
    engine: Engine, clock: ManualClock, refused: Refused
) -> None:
    engine.call("CreateTable", simple_table())
    enable(engine, RecoveryPeriodInDays=3)
    clock.advance(10 * DAY)
    on = described(engine)
    assert on["RecoveryPeriodInDays"] == 3
    assert on["LatestRestorableDateTime"] - on["EarliestRestorableDateTime"] == 3 * DAY
    # Switching on again changes the period, and does not begin anew.
    assert enable(engine, RecoveryPeriodInDays=4)["EarliestRestorableDateTime"] == NOW + 6 * DAY
    # The longest is meant if none is given, whatever was given before.
    on = enable(engine)
    assert (on["RecoveryPeriodInDays"], on["EarliestRestorableDateTime"]) == (35, NOW)
    for days in (0, 36):
        spec = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}
        error = refused(
            "UpdateContinuousBackups", TableName="Simple", PointInTimeRecoverySpecification=spec
        )
        assert error.code == "ValidationException"


def test_tables_that_are_not_there(engine: Engine, refused: Refused) -> None:
    spec = {"PointInTimeRecoveryEnabled": True}
    errors = [
        refused("DescribeContinuousBackups", TableName="Missing"),
        refused(
            "UpdateContinuousBackups", TableName="Missing", PointInTimeRecoverySpecification=spec
        ),
        refused(
            "RestoreTableToPointInTime",
            SourceTableName="Missing",
            TargetTableName="Restored",
            UseLatestRestorableTime=True,
        ),
    ]
    assert [(e.code, e.message) for e in errors] == [
        ("TableNotFoundException", "Table not found: Missing")
    ] * 3


# --- going back --------------------------------------------------------------------------


def test_every_second_of_the_past_can_be_restored(engine: Engine, clock: ManualClock) -> None:
    engine.call("CreateTable", simple_table())
    put(engine, "old", 0)
    put(engine, "untouched", 0)
    enable(engine)
    states = [contents(engine)]
    changes: list[Callable[[], None]] = [
        lambda: put(engine, "new", 1),
        lambda: put(engine, "old", 2),
        lambda: delete(engine, "old"),
        lambda: put(engine, "old", 4),
        lambda: delete(engine, "new"),
        lambda: put(engine, "last", 6),
    ]
    for change in changes:
        clock.advance(0.6)
        change()
        clock.advance(0.4)
        states.append(contents(engine))
    assert len({tuple(state.items()) for state in states}) == len(states)
    for second, state in enumerate(states):
        assert restored(engine, NOW + second, f"Restored{second}") == state
    assert restored(engine, None, "Latest") == states[-1]
    assert contents(engine) == states[-1]


def test_what_is_written_after_the_request_is_not_restored(engine: Engine) -> None:
    """Also if the clock has not moved, and however late the job comes to it."""
    engine.call("CreateTable", simple_table())
    enable(engine)
    for n in range(50):
        put(engine, str(n), n)
    before = contents(engine)
    restore(engine, None)
    for n in range(25, 75):
        put(engine, str(n), -1 - n)
    delete(engine, "3")
    engine.jobs.wait()
    assert contents(engine, "Restored") == before


def test_the_past_is_the_same_slice_by_slice_while_others_write(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restores, "BATCH", 5)
    waiting: list[Any] = []
    monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
    engine.call("CreateTable", simple_table())
    for n in range(60):
        put(engine, str(n), n)
    enable(engine)
    for n in range(0, 60, 2):
        put(engine, str(n), 1000 + n)
    for n in range(0, 60, 5):
        delete(engine, str(n))
    for n in range(60, 100):
        put(engine, str(n), n)
    before = contents(engine)
    restore(engine, None)
    randomly = random.Random(7)
    (job,) = waiting
    for step, _ in enumerate(job()):
        for _ in range(5):
            name = str(randomly.randrange(150))
            if randomly.random() < 0.5:
                put(engine, name, 5000 + step)
            else:
                delete(engine, name)
    assert contents(engine, "Restored") == before


def test_a_table_while_it_is_restored(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[Any] = []
    monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
    engine.call("CreateTable", simple_table())
    enable(engine)
    put(engine, "a", 1)
    answer = restore(engine, None)
    assert answer["TableStatus"] == "CREATING"
    source = engine.call("DescribeTable", {"TableName": "Simple"})["Table"]
    assert answer["RestoreSummary"] == {
        "SourceTableArn": source["TableArn"],
        "RestoreDateTime": NOW,
        "RestoreInProgress": True,
    }
    assert answer["TableId"] != source["TableId"]
    table = engine.call("DescribeTable", {"TableName": "Restored"})["Table"]
    assert table["TableStatus"] == "CREATING"
    for operation, request in (
        ("DeleteTable", {"TableName": "Restored"}),
        ("CreateBackup", {"TableName": "Restored", "BackupName": "backup"}),
        (
            "UpdateTimeToLive",
            {
                "TableName": "Restored",
                "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "t"},
            },
        ),
        (
            "UpdateContinuousBackups",
            {
                "TableName": "Simple",
                "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False},
            },
        ),
    ):
        with pytest.raises(AwsError):
            engine.call(operation, request)
    list(waiting[0]())
    table = engine.call("DescribeTable", {"TableName": "Restored"})["Table"]
    assert table["TableStatus"] == "ACTIVE"
    assert table["RestoreSummary"]["RestoreInProgress"] is False
    assert table["ItemCount"] == 1
    enable(engine, enabled=False)


def test_indexes_are_restored_with_the_table(engine: Engine, clock: ManualClock) -> None:
    engine.call(
        "CreateTable",
        composite_table(
            name="Simple",
            AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
            LocalSecondaryIndexes=[index("local", "pk", "g")],
            GlobalSecondaryIndexes=[index("global", "g", projection="KEYS_ONLY")],
        ),
    )
    enable(engine)
    for n in range(10):
        item = {"pk": {"S": "p"}, "sk": {"S": str(n)}, "g": {"S": f"g{n % 2}"}, "v": {"N": "1"}}
        engine.call("PutItem", {"TableName": "Simple", "Item": item})
    moment = clock.now()
    clock.advance(5)
    for n in range(10):
        engine.call(
            "DeleteItem",
            {"TableName": "Simple", "Key": {"pk": {"S": "p"}, "sk": {"S": str(n)}}},
        )
    restore(engine, moment)
    engine.jobs.wait()
    for name in ("local", "global"):
        found = engine.call("Scan", {"TableName": "Restored", "IndexName": name})
        assert found["Count"] == 10
    query = {
        "TableName": "Restored",
        "IndexName": "global",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "g1"}},
    }
    assert engine.call("Query", query)["Count"] == 5


def test_settings_can_be_changed_by_a_restore(engine: Engine, refused: Refused) -> None:
    engine.call(
        "CreateTable",
        composite_table(
            name="Simple",
            AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
            GlobalSecondaryIndexes=[index("one", "g"), index("two", "g", "pk")],
        ),
    )
    enable(engine)
    units = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}
    one = {**index("one", "g"), "ProvisionedThroughput": units}
    answer = restore(
        engine,
        None,
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride=units,
        GlobalSecondaryIndexOverride=[one],
    )
    assert answer["ProvisionedThroughput"]["WriteCapacityUnits"] == 4
    assert [each["IndexName"] for each in answer["GlobalSecondaryIndexes"]] == ["one"]
    bounds = {"MaxReadRequestUnits": 5, "MaxWriteRequestUnits": 6}
    answer = restore(
        engine,
        None,
        "Bounded",
        GlobalSecondaryIndexOverride=[{**index("one", "g"), "OnDemandThroughput": bounds}],
    )
    assert answer["GlobalSecondaryIndexes"][0]["OnDemandThroughput"] == bounds
    answer = restore(engine, None, "Bare", GlobalSecondaryIndexOverride=[])
    assert "GlobalSecondaryIndexes" not in answer
    names = {each["AttributeName"] for each in answer["AttributeDefinitions"]}
    assert names == {"pk", "sk"}
    engine.jobs.wait()
    base: dict[str, Any] = {
        "SourceTableName": "Simple",
        "TargetTableName": "Other",
        "UseLatestRestorableTime": True,
    }
    for more in (
        {"GlobalSecondaryIndexOverride": [index("three", "g")]},
        {"GlobalSecondaryIndexOverride": [index("one", "g", projection="KEYS_ONLY")]},
        {"BillingModeOverride": "PROVISIONED"},
        {"ProvisionedThroughputOverride": units},
        {"SourceTableArn": "arn:aws:dynamodb:us-east-1:123456789012:table/Simple"},
        {"RestoreDateTime": NOW},
    ):
        error = refused("RestoreTableToPointInTime", **base, **more)
        assert error.code == "ValidationException", more
    assert engine.catalog.find("Other") is None


def test_a_restored_table_is_encrypted_like_its_source_unless_told_otherwise(
    engine: Engine, refused: Refused
) -> None:
    key = "arn:aws:kms:us-east-1:123456789012:key/of-the-source"
    own = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key}
    engine.call("CreateTable", simple_table(SSESpecification=own))
    enable(engine)
    same = restore(engine, None, "Same")["SSEDescription"]
    assert (same["SSEType"], same["KMSMasterKeyArn"]) == ("KMS", key)
    other = {**own, "KMSMasterKeyId": key.replace("source", "target")}
    changed = restore(engine, None, "Changed", SSESpecificationOverride=other)
    assert changed["SSEDescription"]["KMSMasterKeyArn"] == other["KMSMasterKeyId"]
    plain = restore(engine, None, "Plain", SSESpecificationOverride={"Enabled": False})
    assert "SSEDescription" not in plain
    error = refused(
        "RestoreTableToPointInTime",
        SourceTableName="Simple",
        TargetTableName="Wrong",
        UseLatestRestorableTime=True,
        SSESpecificationOverride={"Enabled": True, "SSEType": "AES256"},
    )
    assert error.code == "ValidationException"
    arn = engine.call("CreateBackup", {"TableName": "Simple", "BackupName": "backup"})
    engine.jobs.wait()
    request = {
        "BackupArn": arn["BackupDetails"]["BackupArn"],
        "TargetTableName": "FromBackup",
    }
    made = engine.call("RestoreTableFromBackup", request)["TableDescription"]
    assert made["SSEDescription"]["KMSMasterKeyArn"] == key


def test_targets_and_moments_that_are_refused(
    engine: Engine, clock: ManualClock, refused: Refused
) -> None:
    engine.call("CreateTable", simple_table())

    def code(target: str = "Restored", **more: Any) -> str:
        base = {"SourceTableName": "Simple", "TargetTableName": target}
        return refused("RestoreTableToPointInTime", **base, **more).code

    latest = {"UseLatestRestorableTime": True}
    assert code(**latest) == "PointInTimeRecoveryUnavailableException"
    enable(engine)
    clock.advance(100)
    assert code("Simple", **latest) == "TableAlreadyExistsException"
    assert code(RestoreDateTime=NOW - 1) == "InvalidRestoreTimeException"
    assert code(RestoreDateTime=NOW + 101) == "InvalidRestoreTimeException"
    assert code() == "ValidationException"


def test_a_source_can_be_named_by_its_arn(engine: Engine) -> None:
    created = engine.call("CreateTable", simple_table())["TableDescription"]
    enable(engine, name=created["TableArn"])
    put(engine, "a", 1)
    engine.call(
        "RestoreTableToPointInTime",
        {
            "SourceTableArn": created["TableArn"],
            "TargetTableName": "Restored",
            "UseLatestRestorableTime": True,
        },
    )
    engine.jobs.wait()
    assert contents(engine, "Restored") == {"a": "1"}


# --- clocks ------------------------------------------------------------------------------


def test_a_clock_set_back_does_not_tear_a_state_apart(engine: Engine, clock: ManualClock) -> None:
    engine.call("CreateTable", simple_table())
    enable(engine)
    clock.advance(100)
    put(engine, "first", 1)
    clock.advance(-50)
    put(engine, "second", 2)
    # The second change came after the first, whatever its clock said.
    assert restored(engine, NOW + 50, "At50") == {"first": "1", "second": "2"}
    assert restored(engine, NOW + 49, "At49") == {}
    clock.advance(200)
    put(engine, "third", 3)
    assert restored(engine, NOW + 150, "At150") == {"first": "1", "second": "2"}
    clock.advance(-1000)
    window = described(engine)
    assert window["EarliestRestorableDateTime"] <= window["LatestRestorableDateTime"]
    assert len(restored(engine, None, "Latest")) == 3


def test_switching_off_and_on_begins_a_new_window(
    engine: Engine, clock: ManualClock, refused: Refused
) -> None:
    engine.call("CreateTable", simple_table())
    enable(engine)
    put(engine, "a", 1)
    clock.advance(10)
    enable(engine, enabled=False)
    put(engine, "a", 2)
    clock.advance(10)
    enable(engine)
    clock.advance(10)
    put(engine, "a", 3)
    error = refused(
        "RestoreTableToPointInTime",
        SourceTableName="Simple",
        TargetTableName="Restored",
        RestoreDateTime=NOW + 10,
    )
    assert error.code == "InvalidRestoreTimeException"
    continuous.prune(engine)
    assert logged(engine) == 1
    assert restored(engine, NOW + 20) == {"a": "2"}


# --- retention ---------------------------------------------------------------------------


def test_the_log_keeps_what_the_window_needs(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continuous, "PRUNE_ROWS", 3)
    engine.call("CreateTable", simple_table())
    enable(engine)
    for day in range(50):
        put(engine, "a", day)
        put(engine, f"day{day}", day)
        clock.advance(DAY)
    continuous.prune(engine)
    assert 70 <= logged(engine) <= 74
    earliest = described(engine)["EarliestRestorableDateTime"]
    assert earliest == NOW + 15 * DAY
    state = restored(engine, earliest)
    assert state["a"] == "15"
    assert "day15" in state
    assert "day16" not in state
    # However old, the last row stays, so that the numbering goes on.
    clock.advance(100 * DAY)
    continuous.prune(engine)
    assert logged(engine) == 1
    put(engine, "b", 1)
    rows = engine.store.rows("SELECT sequence FROM recovery_log ORDER BY sequence", ())
    assert rows == [(100,), (101,)]
    everything = contents(engine)
    del everything["b"]
    assert restored(engine, clock.now() - DAY, "Later") == everything


def test_the_log_goes_with_recovery_and_with_the_table(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continuous, "PRUNE_ROWS", 3)
    engine.call("CreateTable", simple_table())
    enable(engine)
    for n in range(10):
        put(engine, "a", n)
    enable(engine, enabled=False)
    continuous.prune(engine)
    assert logged(engine) == 0
    enable(engine)
    put(engine, "a", 11)
    enable(engine, enabled=False)
    engine.call("DeleteTable", {"TableName": "Simple"})
    continuous.prune(engine)
    assert logged(engine) == 0


# --- deleted tables ----------------------------------------------------------------------


def test_a_deleted_table_can_be_brought_back_for_35_days(
    engine: Engine, clock: ManualClock, refused: Refused
) -> None:
    engine.call("CreateTable", simple_table())
    enable(engine)
    put(engine, "a", 1)
    clock.advance(10)
    put(engine, "a", 2)
    put(engine, "b", 2)
    clock.advance(10)
    engine.call("DeleteTable", {"TableName": "Simple"})
    clock.advance(10)
    engine.jobs.wait()
    (summary,) = engine.call("ListBackups", {"BackupType": "SYSTEM"})["BackupSummaries"]
    assert summary["BackupName"] == "Simple$DeletedTableBackup"
    assert summary["BackupStatus"] == "AVAILABLE"
    assert summary["BackupExpiryDateTime"] == NOW + 20 + 35 * DAY
    assert engine.call("ListBackups", {})["BackupSummaries"] == []
    request = {"BackupArn": summary["BackupArn"], "TargetTableName": "FromBackup"}
    engine.call("RestoreTableFromBackup", request)
    engine.jobs.wait()
    assert contents(engine, "FromBackup") == {"a": "2", "b": "2"}
    assert restored(engine, NOW + 5) == {"a": "1"}
    assert restored(engine, None, "Latest") == {"a": "2", "b": "2"}
    late = {
        "SourceTableName": "Simple",
        "TargetTableName": "Late",
        "RestoreDateTime": NOW + 25,
    }
    assert refused("RestoreTableToPointInTime", **late).code == "InvalidRestoreTimeException"
    error = refused("DeleteBackup", BackupArn=summary["BackupArn"])
    assert error.code == "ValidationException"
    continuous.prune(engine)
    assert logged(engine) == 3
    clock.advance(36 * DAY)
    continuous.prune(engine)
    continuous.prune(engine)
    engine.jobs.wait()
    assert logged(engine) == 0
    assert engine.call("ListBackups", {"BackupType": "ALL"})["BackupSummaries"] == []
    left = engine.store.rows("SELECT name FROM sqlite_schema WHERE name GLOB 't[0-9]*'", ())
    assert len(left) == 3
    assert refused("RestoreTableToPointInTime", **late).code == "TableNotFoundException"


def test_the_source_can_be_deleted_while_it_is_restored(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restores, "BATCH", 5)
    waiting: list[Any] = []
    monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
    engine.call("CreateTable", simple_table())
    enable(engine)
    for n in range(30):
        put(engine, str(n), n)
    before = contents(engine)
    restore(engine, None)
    put(engine, "5", 500)
    steps = waiting[0]()
    next(steps)
    engine.call("DeleteTable", {"TableName": "Simple"})
    for job in waiting[1:]:
        list(job())  # what was dropped is removed
    list(steps)
    assert contents(engine, "Restored") == before


# --- crashes -----------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_a_restore_that_was_cut_short_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    monkeypatch.setattr(restores, "BATCH", 5)
    clock = ManualClock(NOW)
    with Engine(tmp_path, clock=clock, durability="relaxed") as engine:
        engine.call("CreateTable", simple_table())
        enable(engine)
        for n in range(40):
            put(engine, str(n), n)
        before = contents(engine)
        waiting: list[Any] = []
        monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
        restore(engine, None)
        job = waiting[0]()
        for _ in range(steps):
            next(job)
        for n in range(20, 60):
            put(engine, str(n), -1)
        delete(engine, "1")
    with Engine(tmp_path, clock=clock) as engine:
        engine.jobs.wait()
        assert contents(engine, "Restored") == before
        table = engine.call("DescribeTable", {"TableName": "Restored"})["Table"]
        assert table["TableStatus"] == "ACTIVE"
        assert table["ItemCount"] == 40


# --- the log by itself -------------------------------------------------------------------


def test_the_past_read_in_slices_equals_the_past_remembered(engine: Engine) -> None:
    """Random changes; after each, the state is remembered; all of them are found again."""
    randomly = random.Random(11)
    engine.call("CreateTable", simple_table())
    enable(engine)
    states = [contents(engine)]
    for step in range(120):
        name = str(randomly.randrange(25))
        present = name in states[-1]
        if present and randomly.random() < 0.4:
            delete(engine, name)
        else:
            put(engine, name, step)
        states.append(contents(engine))
    number = engine.catalog.table("Simple").number
    for sequence in range(0, 121, 5):
        for limit in (1, 3, 1000):
            slices = history.slices(engine.store, number, sequence, limit)
            items = [orjson.loads(blob) for rows in slices for _, blob in rows]
            assert len(items) == len(states[sequence])
            assert {item["pk"]["S"]: item["v"]["N"] for item in items} == states[sequence]


def indexed(engine: Engine) -> list[int]:
    rows = engine.store.rows("SELECT sequence FROM recovery_keys ORDER BY sequence", ())
    return [sequence for (sequence,) in rows]


def test_changes_are_indexed_when_somebody_looks_and_as_far_as_they_have_come(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "INDEX_ROWS", 3)
    engine.call("CreateTable", simple_table())
    enable(engine)
    for n in range(7):
        put(engine, "a", n)
    moment = clock.now()
    clock.advance(10)
    put(engine, "b", 1)
    assert indexed(engine) == []
    assert restored(engine, moment) == {"a": "6"}
    assert indexed(engine) == list(range(1, 9))
    put(engine, "a", 8)
    delete(engine, "b")
    assert indexed(engine) == list(range(1, 9))
    assert restored(engine, moment, "Again") == {"a": "6"}
    assert indexed(engine) == list(range(1, 11))


def test_what_leaves_the_log_leaves_its_index(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continuous, "PRUNE_ROWS", 3)
    engine.call("CreateTable", simple_table())
    enable(engine)
    for n in range(10):
        put(engine, str(n), n)
    restored(engine, None)
    assert indexed(engine) == list(range(1, 11))
    clock.advance(100 * DAY)
    for n in range(10):
        put(engine, str(n), -1 - n)
    continuous.prune(engine)
    # What was never indexed has nothing to leave.
    assert (logged(engine), indexed(engine)) == (10, [])
    # Switched off and on again, the numbering begins anew, and so does the index.
    enable(engine, enabled=False)
    continuous.prune(engine)
    assert (logged(engine), indexed(engine)) == (0, [])
    enable(engine)
    put(engine, "later", 1)
    before = contents(engine)
    moment = clock.now()
    clock.advance(10)
    put(engine, "later", 2)
    assert restored(engine, moment, "Again") == before


def test_a_folder_with_the_index_of_earlier_releases_is_taken_over(tmp_path: Path) -> None:
    clock = ManualClock(NOW)
    with Engine(tmp_path, clock=clock) as engine:
        engine.call("CreateTable", simple_table())
        enable(engine)
        put(engine, "a", 1)
        engine.store.run(
            lambda transaction: transaction.execute(
                "CREATE INDEX recovery_log_by_key ON recovery_log (number, pk, sk, sequence);"
                "DROP TABLE recovery_keys; DROP TABLE recovery_indexed"
            )
        )
    clock.advance(10)
    with Engine(tmp_path, clock=clock) as engine:
        put(engine, "a", 2)
        assert restored(engine, NOW) == {"a": "1"}
        found = engine.store.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%by_key'", ())
        assert found == []
