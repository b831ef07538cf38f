"""Creating tables: only what is not there."""

from __future__ import annotations

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import Table

ending = Table("Ending", pk="PK", ttl="ends", pitr=True)


def _settings(engine: Engine) -> tuple[str, str]:
    ttl = engine.call("DescribeTimeToLive", {"TableName": "Ending"})["TimeToLiveDescription"]
    backups = engine.call("DescribeContinuousBackups", {"TableName": "Ending"})
    recovery = backups["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    return ttl["TimeToLiveStatus"], recovery["PointInTimeRecoveryStatus"]


def test_what_is_created_gets_all_that_it_declares(tablewright_engine: Engine) -> None:
    assert Db(Embedded(tablewright_engine)).create_tables(ending) == ["Ending"]
    assert _settings(tablewright_engine) == ("ENABLED", "ENABLED")


def test_a_table_that_exists_stays_as_it_is(tablewright_engine: Engine) -> None:
    db = Db(Embedded(tablewright_engine))
    db.create_tables(Table("Ending", pk="PK"))
    assert db.create_tables(ending) == []
    assert _settings(tablewright_engine) == ("DISABLED", "DISABLED")
