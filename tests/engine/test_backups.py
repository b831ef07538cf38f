"""Backups: consistent, durable, listed, described, deleted, and made into tables again."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine
from tablewright.engine.backups import files as backup_files
from tablewright.engine.backups import restores

Refused = Callable[..., AwsError]

NOW = 1_800_000_000


@pytest.fixture(params=["memory", "disk"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Engine]:
    """Both kinds of engines: one keeps backups in files, the other in tables."""
    path = None if request.param == "memory" else tmp_path / "data"
    with Engine(path, durability="relaxed", clock=clock) as engine:
        yield engine


@pytest.fixture
def jobs(disk_engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], Any]]:
    """The jobs of ``disk_engine``: they wait until the test takes their steps."""
    waiting: list[Callable[[], Any]] = []
    monkeypatch.setattr(disk_engine.jobs, "add", lambda name, job: waiting.append(job))
    return waiting


def put(engine: Engine, pk: str, v: int, name: str = "Simple") -> None:
    item = {"pk": {"S": pk}, "v": {"N": str(v)}}
    engine.call("PutItem", {"TableName": name, "Item": item})


def contents(engine: Engine, name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    request: dict[str, Any] = {"TableName": name}
    while True:
        page = engine.call("Scan", request)
        found.update({item["pk"]["S"]: item["v"]["N"] for item in page["Items"]})
        if "LastEvaluatedKey" not in page:
            return found
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def backup(engine: Engine, name: str = "backup", table: str = "Simple") -> str:
    answer = engine.call("CreateBackup", {"TableName": table, "BackupName": name})
    details = answer["BackupDetails"]
    assert details["BackupStatus"] == "CREATING"
    arn: str = details["BackupArn"]
    return arn


def restore(engine: Engine, arn: str, target: str = "Restored", **more: Any) -> dict[str, Any]:
    request = {"BackupArn": arn, "TargetTableName": target, **more}
    answer: dict[str, Any] = engine.call("RestoreTableFromBackup", request)["TableDescription"]
    return answer


def files(engine: Engine) -> list[str]:
    if engine.folder is None or not engine.folder.backups.exists():
        return []
    return sorted(path.name for path in engine.folder.backups.iterdir())


# --- making and restoring ----------------------------------------------------------------


def test_a_backup_holds_the_table_as_it_was(engine: Engine) -> None:
    engine.call("CreateTable", simple_table())
    for n in range(30):
        put(engine, str(n), n)
    before = contents(engine, "Simple")
    arn = backup(engine)
    # The moment of the request counts, whenever the backup is written.
    put(engine, "0", 1000)
    put(engine, "later", 1)
    engine.jobs.wait()
    answer = restore(engine, arn)
    assert answer["TableStatus"] == "CREATING"
    assert answer["RestoreSummary"] == {
        "SourceBackupArn": arn,
        "SourceTableArn": arn.partition("/backup/")[0],
        "RestoreDateTime": NOW,
        "RestoreInProgress": True,
    }
    engine.jobs.wait()
    table = engine.call("DescribeTable", {"TableName": "Restored"})["Table"]
    assert table["TableStatus"] == "ACTIVE"
    assert table["ItemCount"] == 30
    assert contents(engine, "Restored") == before
    put(engine, "more", 1, "Restored")


def test_a_table_can_be_tagged_while_it_is_restored(
    disk_engine: Engine, jobs: list[Callable[[], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restores, "BATCH", 5)
    disk_engine.call("CreateTable", simple_table())
    for n in range(12):
        put(disk_engine, str(n), n)
    arn = backup(disk_engine)
    list(jobs.pop()())
    target: str = restore(disk_engine, arn)["TableArn"]
    steps = jobs.pop()()
    next(steps)
    tags = [{"Key": "owner", "Value": "me"}]
    disk_engine.call("TagResource", {"ResourceArn": target, "Tags": tags})
    list(steps)
    assert len(contents(disk_engine, "Restored")) == 12
    assert disk_engine.call("ListTagsOfResource", {"ResourceArn": target})["Tags"] == tags


def test_a_backup_outlives_its_table(engine: Engine) -> None:
    engine.call("CreateTable", simple_table())
    put(engine, "a", 1)
    arn = backup(engine)
    engine.jobs.wait()
    engine.call("DeleteTable", {"TableName": "Simple"})
    engine.jobs.wait()
    restore(engine, arn, "Simple")
    engine.jobs.wait()
    assert contents(engine, "Simple") == {"a": "1"}


def test_every_kind_of_value_survives(engine: Engine) -> None:
    engine.call("CreateTable", composite_table(sort="B"))
    item = {
        "pk": {"S": "line\nbreak \u2028 ä \U0001f600"},
        "sk": {"B": "AAEC/w=="},
        "n": {"N": "-1.2345678901234567890123456789012345678E-120"},
        "sets": {"M": {"ns": {"NS": ["1", "2"]}, "bs": {"BS": ["AA=="]}, "ss": {"SS": ["ä"]}}},
        "list": {"L": [{"NULL": True}, {"BOOL": False}, {"S": ""}, {"L": []}, {"M": {}}]},
    }
    engine.call("PutItem", {"TableName": "Composite", "Item": item})
    (stored,) = engine.call("Scan", {"TableName": "Composite"})["Items"]
    arn = backup(engine, table="Composite")
    engine.jobs.wait()
    restore(engine, arn)
    engine.jobs.wait()
    assert engine.call("Scan", {"TableName": "Restored"})["Items"] == [stored]
    sizes = {
        engine.call("DescribeTable", {"TableName": name})["Table"]["TableSizeBytes"]
        for name in ("Composite", "Restored")
    }
    assert len(sizes) == 1


def test_an_empty_table(engine: Engine) -> None:
    engine.call("CreateTable", simple_table())
    arn = backup(engine)
    engine.jobs.wait()
    restore(engine, arn)
    engine.jobs.wait()
    assert contents(engine, "Restored") == {}


def test_indexes_are_filled_and_can_be_left_out(engine: Engine) -> None:
    engine.call(
        "CreateTable",
        composite_table(
            name="Simple",
            AttributeDefinitions=[{"AttributeName": "v", "AttributeType": "N"}],
            LocalSecondaryIndexes=[index("local", "pk", "v")],
            GlobalSecondaryIndexes=[index("global", "v", projection="INCLUDE", include=("x",))],
        ),
    )
    for n in range(20):
        item = {"pk": {"S": str(n)}, "sk": {"S": "s"}, "v": {"N": "7"}, "x": {"S": "x"}}
        engine.call("PutItem", {"TableName": "Simple", "Item": item})
    arn = backup(engine)
    engine.jobs.wait()
    restore(engine, arn)
    restore(engine, arn, "Bare", LocalSecondaryIndexOverride=[], GlobalSecondaryIndexOverride=[])
    engine.jobs.wait()
    for name in ("local", "global"):
        found = engine.call("Scan", {"TableName": "Restored", "IndexName": name})
        assert found["Count"] == 20
    table = engine.call("DescribeTable", {"TableName": "Bare"})["Table"]
    assert table["ItemCount"] == 20
    assert "GlobalSecondaryIndexes" not in table
    assert "LocalSecondaryIndexes" not in table


def test_what_belongs_to_the_old_table_is_not_restored(engine: Engine) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    request = simple_table(StreamSpecification=stream, DeletionProtectionEnabled=True)
    engine.call("CreateTable", request)
    spec = {"Enabled": True, "AttributeName": "t"}
    engine.call("UpdateTimeToLive", {"TableName": "Simple", "TimeToLiveSpecification": spec})
    arn = backup(engine)
    engine.jobs.wait()
    described = engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    features = described["SourceTableFeatureDetails"]
    assert features["StreamDescription"] == stream
    assert features["TimeToLiveDescription"] == {
        "TimeToLiveStatus": "ENABLED",
        "AttributeName": "t",
    }
    restore(engine, arn)
    engine.jobs.wait()
    table = engine.call("DescribeTable", {"TableName": "Restored"})["Table"]
    assert "LatestStreamArn" not in table
    assert table["DeletionProtectionEnabled"] is False
    ttl = engine.call("DescribeTimeToLive", {"TableName": "Restored"})["TimeToLiveDescription"]
    assert ttl == {"TimeToLiveStatus": "DISABLED"}


# --- describing and listing --------------------------------------------------------------


def test_what_is_said_of_a_backup(engine: Engine) -> None:
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
    request = simple_table(BillingMode="PROVISIONED", ProvisionedThroughput=units)
    created = engine.call("CreateTable", request)["TableDescription"]
    put(engine, "a", 1)
    arn = backup(engine, "my-backup.1")
    engine.jobs.wait()
    described = engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    assert described["BackupDetails"] == {
        "BackupArn": arn,
        "BackupName": "my-backup.1",
        "BackupSizeBytes": 6,
        "BackupStatus": "AVAILABLE",
        "BackupType": "USER",
        "BackupCreationDateTime": NOW,
    }
    assert described["SourceTableDetails"] == {
        "TableName": "Simple",
        "TableId": created["TableId"],
        "TableArn": created["TableArn"],
        "TableSizeBytes": 6,
        "KeySchema": request["KeySchema"],
        "TableCreationDateTime": created["CreationDateTime"],
        "ProvisionedThroughput": units,
        "ItemCount": 1,
        "BillingMode": "PROVISIONED",
    }
    # Two backups may have the same name.
    assert backup(engine, "my-backup.1") != arn


def test_listing_by_table_time_and_page(engine: Engine, clock: ManualClock) -> None:
    arns = []
    for name in ("One", "Two"):
        engine.call("CreateTable", simple_table(name))
    for _ in range(3):
        for name in ("One", "Two"):
            arns.append(backup(engine, table=name))
            clock.advance(10)
    engine.jobs.wait()

    def listed(**request: Any) -> list[str]:
        found = engine.call("ListBackups", request)["BackupSummaries"]
        return [summary["BackupArn"] for summary in found]

    assert listed() == arns
    assert listed(TableName="Two") == arns[1::2]
    assert listed(TableName=arns[0].partition("/backup/")[0]) == arns[0::2]
    assert listed(TimeRangeLowerBound=NOW + 10, TimeRangeUpperBound=NOW + 30) == arns[1:3]
    assert listed(BackupType="SYSTEM") == []
    assert listed(BackupType="ALL") == arns
    found: list[str] = []
    request: dict[str, Any] = {"Limit": 4}
    while True:
        page = engine.call("ListBackups", request)
        found += [summary["BackupArn"] for summary in page["BackupSummaries"]]
        if "LastEvaluatedBackupArn" not in page:
            break
        request["ExclusiveStartBackupArn"] = page["LastEvaluatedBackupArn"]
    assert found == arns
    (summary,) = engine.call("ListBackups", {"Limit": 1})["BackupSummaries"]
    assert summary["TableName"] == "One"
    assert summary["BackupStatus"] == "AVAILABLE"


def test_deleting(engine: Engine, refused: Refused) -> None:
    engine.call("CreateTable", simple_table())
    put(engine, "a", 1)
    arn = backup(engine)
    engine.jobs.wait()
    answer = engine.call("DeleteBackup", {"BackupArn": arn})["BackupDescription"]
    assert answer["BackupDetails"]["BackupStatus"] == "DELETED"
    engine.jobs.wait()
    assert files(engine) == []
    tables = engine.store.rows("SELECT name FROM sqlite_schema WHERE name GLOB 't[0-9]*'", ())
    assert len(tables) == 1
    for operation, more in (
        ("DescribeBackup", {}),
        ("DeleteBackup", {}),
        ("RestoreTableFromBackup", {"TargetTableName": "Restored"}),
    ):
        error = refused(operation, BackupArn=arn, **more)
        assert error.code == "BackupNotFoundException"
        assert error.message == f"Backup not found: {arn}"


def test_requests_that_are_refused(engine: Engine, refused: Refused) -> None:
    engine.call("CreateTable", simple_table())
    arn = backup(engine)
    engine.jobs.wait()
    missing = refused("CreateBackup", TableName="Missing", BackupName="backup")
    assert (missing.code, missing.message) == (
        "TableNotFoundException",
        "Table not found: Missing",
    )
    for name in ("x", "has space", "x" * 256):
        error = refused("CreateBackup", TableName="Simple", BackupName=name)
        assert error.code == "ValidationException"
    exists = refused("RestoreTableFromBackup", BackupArn=arn, TargetTableName="Simple")
    assert exists.code == "TableAlreadyExistsException"
    assert refused("ListBackups", Limit=101).code == "ValidationException"
    start = arn[:-8] + "00000000"
    assert refused("ListBackups", ExclusiveStartBackupArn=start).code == "ValidationException"


# --- two at once -------------------------------------------------------------------------


def test_a_backup_in_the_making_and_in_use(
    disk_engine: Engine, jobs: list[Callable[[], Any]]
) -> None:
    engine = disk_engine
    engine.call("CreateTable", simple_table())
    put(engine, "a", 1)
    arn = backup(engine)
    described = engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    assert described["BackupDetails"]["BackupStatus"] == "CREATING"

    def code(operation: str, **request: Any) -> str:
        with pytest.raises(AwsError) as caught:
            engine.call(operation, request)
        return caught.value.code

    assert code("DeleteBackup", BackupArn=arn) == "BackupInUseException"
    restoring = {"BackupArn": arn, "TargetTableName": "Restored"}
    assert code("RestoreTableFromBackup", **restoring) == "BackupInUseException"
    list(jobs.pop()())
    restore(engine, arn)
    assert code("RestoreTableFromBackup", **restoring) == "TableInUseException"
    assert code("DeleteBackup", BackupArn=arn) == "BackupInUseException"
    list(jobs.pop()())
    engine.call("DeleteBackup", {"BackupArn": arn})
    assert contents(engine, "Restored") == {"a": "1"}


def test_a_table_deleted_before_its_backup_is_written(
    disk_engine: Engine, jobs: list[Callable[[], Any]]
) -> None:
    engine = disk_engine
    engine.call("CreateTable", simple_table())
    put(engine, "a", 1)
    arn = backup(engine)
    engine.call("DeleteTable", {"TableName": "Simple"})
    write, clear = jobs
    list(clear())
    list(write())
    jobs.clear()
    restore(engine, arn)
    list(jobs.pop()())
    assert contents(engine, "Restored") == {"a": "1"}


# --- crashes -----------------------------------------------------------------------------


def test_a_backup_survives_the_process(tmp_path: Path) -> None:
    with Engine(tmp_path) as engine:
        engine.call("CreateTable", simple_table())
        put(engine, "a", 1)
        arn = backup(engine)
        engine.jobs.wait()
        assert len(files(engine)) == 1
    with Engine(tmp_path) as engine:
        assert len(files(engine)) == 1
        restore(engine, arn)
        engine.jobs.wait()
        assert contents(engine, "Restored") == {"a": "1"}


@pytest.mark.parametrize("steps", [0, 2])
def test_a_backup_that_was_cut_short_is_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    monkeypatch.setattr(backup_files, "_STEP", 5)
    with Engine(tmp_path) as engine:
        engine.call("CreateTable", simple_table())
        for n in range(30):
            put(engine, str(n), n)
        waiting: list[Any] = []
        monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
        arn = backup(engine)
        job = waiting[0]()
        for _ in range(steps):
            next(job)
        assert files(engine) == (["2.gz.part"] if steps else [])
        # A crash leaves the half-written file behind; closing the generator would not.
        left = engine.folder.backups / "9.gz.part"  # type: ignore[union-attr]
        left.parent.mkdir(exist_ok=True)
        left.write_bytes(b"half")
        job.close()
    with Engine(tmp_path) as engine:
        engine.jobs.wait()
        described = engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
        assert described["BackupDetails"]["BackupStatus"] == "AVAILABLE"
        assert files(engine) == ["2.gz"]
        restore(engine, arn)
        engine.jobs.wait()
        assert len(contents(engine, "Restored")) == 30


def test_a_backup_that_can_not_be_taken_again_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine(tmp_path) as engine:
        engine.call("CreateTable", simple_table())
        monkeypatch.setattr(engine.jobs, "add", lambda name, job: None)
        arn = backup(engine)
        engine.call("DeleteTable", {"TableName": "Simple"})
    with Engine(tmp_path) as engine:
        engine.jobs.wait()
        with pytest.raises(AwsError, match="Backup not found"):
            engine.call("DescribeBackup", {"BackupArn": arn})


def test_a_restore_that_was_cut_short_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restores, "BATCH", 5)
    with Engine(tmp_path, durability="relaxed") as engine:
        engine.call("CreateTable", simple_table())
        for n in range(30):
            put(engine, str(n), n)
        arn = backup(engine)
        engine.jobs.wait()
        waiting: list[Any] = []
        monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
        restore(engine, arn)
        job = waiting[0]()
        next(job)
        next(job)
    with Engine(tmp_path) as engine:
        engine.jobs.wait()
        table = engine.call("DescribeTable", {"TableName": "Restored"})["Table"]
        assert table["TableStatus"] == "ACTIVE"
        assert table["ItemCount"] == 30
        assert contents(engine, "Restored") == contents(engine, "Simple")


def test_a_full_disk_gives_the_backup_up_and_nothing_else(
    disk_engine: Engine, jobs: list[Callable[[], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = disk_engine
    engine.call("CreateTable", simple_table())
    put(engine, "a", 1)
    arn = backup(engine)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        list(jobs.pop()())
    assert files(engine) == []
    with pytest.raises(AwsError, match="Backup not found"):
        engine.call("DescribeBackup", {"BackupArn": arn})
    backup(engine)
    list(jobs.pop()())
    assert len(files(engine)) == 1


@pytest.mark.parametrize("damage", ["truncated", "flipped", "missing", "rewritten"])
def test_a_damaged_file_leaves_no_half_table(
    disk_engine: Engine, jobs: list[Callable[[], Any]], damage: str
) -> None:
    engine = disk_engine
    engine.call("CreateTable", simple_table())
    for n in range(500):
        put(engine, str(n), n)
    arn = backup(engine)
    list(jobs.pop()())
    assert engine.folder is not None
    (path,) = engine.folder.backups.iterdir()
    whole = path.read_bytes()
    if damage == "truncated":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "flipped":
        middle = len(whole) // 2
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :])
    elif damage == "missing":
        path.unlink()
    else:
        lines = gzip.decompress(whole).splitlines(keepends=True)
        path.write_bytes(gzip.compress(b"".join(lines[:100] + lines[-1:])))
    restore(engine, arn)
    list(jobs.pop()())
    assert engine.catalog.find("Restored") is None
    for job in jobs:
        list(job())
    tables = engine.store.rows("SELECT name FROM sqlite_schema WHERE name GLOB 't[0-9]*'", ())
    assert len(tables) == 1
    assert len(contents(engine, "Simple")) == 500


def test_a_table_being_restored_takes_no_writes(
    disk_engine: Engine, jobs: list[Callable[[], Any]]
) -> None:
    disk_engine.call("CreateTable", simple_table())
    put(disk_engine, "a", 1)
    arn = backup(disk_engine)
    for _ in jobs.pop()():
        pass
    request = {"TargetTableName": "Again", "BackupArn": arn}
    disk_engine.call("RestoreTableFromBackup", request)
    with pytest.raises(AwsError) as caught:
        put(disk_engine, "a", 2, "Again")
    assert caught.value.code == "ResourceNotFoundException"
    for _ in jobs.pop()():
        pass
    put(disk_engine, "b", 2, "Again")
    assert contents(disk_engine, "Again") == {"a": "1", "b": "2"}
