"""Drift: one thing is changed behind the model's back, and exactly that is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.deploy import shop_v1

from tablewright.client import Db
from tablewright.client.setup import until_active
from tablewright.deploy.differences import differences
from tablewright.deploy.setup import set_up
from tablewright.deploy.state import declared
from tablewright.deploy.verify import Report, verify
from tablewright.testing import Backend

TABLES = list(shop_v1.model.tables.values())


def _index(name: str, *keys: str, **projection: Any) -> dict[str, Any]:
    schema = [{"AttributeName": keys[0], "KeyType": "HASH"}]
    schema += [{"AttributeName": key, "KeyType": "RANGE"} for key in keys[1:]]
    return {"IndexName": name, "KeySchema": schema, "Projection": projection}


def _define(*names: str, kind: str = "S") -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": kind} for name in names]


def _units(read: int, write: int) -> dict[str, Any]:
    return {"ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


def _recreate(*keys: str, **projection: Any) -> list[dict[str, Any]]:
    """GSI1 dropped, and made again as something else."""
    return [
        {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "GSI1"}}]},
        {
            "AttributeDefinitions": _define(*keys),
            "GlobalSecondaryIndexUpdates": [{"Create": _index("GSI1", *keys, **projection)}],
        },
    ]


#: Name -> the bodies of UpdateTable on Orders, then where and how a difference is reported.
UPDATES: dict[str, tuple[list[dict[str, Any]], str, str, str]] = {
    "stream off": (
        [{"StreamSpecification": {"StreamEnabled": False}}],
        "stream", "missing", "error",
    ),
    "another stream": (
        [
            {"StreamSpecification": {"StreamEnabled": False}},
            {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}},
        ],
        "stream", "changed", "error",
    ),
    "protection": (
        [{"DeletionProtectionEnabled": True}],
        "deletion protection", "changed", "info",
    ),
    "no index": (
        [{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "GSI1"}}]}],
        "index GSI1", "missing", "error",
    ),
    "one index more": (
        [
            {
                "AttributeDefinitions": _define("x"),
                "GlobalSecondaryIndexUpdates": [
                    {"Create": _index("Extra", "x", ProjectionType="ALL")}
                ],
            }
        ],
        "index Extra", "extra", "warning",
    ),
    "projection": (
        _recreate("GSI1PK", "GSI1SK", ProjectionType="KEYS_ONLY"),
        "index GSI1 projection", "changed", "error",
    ),
    "projected attributes": (
        _recreate(
            "GSI1PK", "GSI1SK", ProjectionType="INCLUDE", NonKeyAttributes=["status", "entity_type"]
        ),
        "index GSI1 projection", "changed", "error",
    ),
    "index key": (
        _recreate(
            "GSI1PK",
            ProjectionType="INCLUDE",
            NonKeyAttributes=["status", "total", "entity_type"],
        ),
        "index GSI1 key", "changed", "error",
    ),
}  # fmt: skip


@pytest.fixture
def settle(db: Db) -> Callable[[], None]:
    return lambda: db.drive(until_active(db.context, TABLES, patience=60))


@pytest.fixture(autouse=True)
def deployed(db: Db) -> None:
    assert all(each.ok for each in db.drive(set_up(db.context, TABLES)))


def reports(db: Db) -> dict[str, Report]:
    return {each.name: each for each in db.drive(verify(db.context, TABLES))}


def found(report: Report) -> list[tuple[str, str, str]]:
    return [(each.place, each.kind, each.severity) for each in report.differences]


@pytest.mark.parametrize("name", UPDATES)
def test_one_change_of_the_table(db: Db, send: Any, settle: Any, name: str) -> None:
    bodies, *expected = UPDATES[name]
    for body in bodies:
        send("UpdateTable", "Orders", **body)
        settle()
    told = reports(db)
    assert found(told["Orders"]) == [tuple(expected)]
    assert found(told["Sessions"]) == []
    assert told["Orders"].ok is (expected[-1] == "info")


def test_billing_mode(db: Db, send: Any, settle: Any) -> None:
    update = {"Update": {"IndexName": "GSI1", **_units(3, 3)}}
    send(
        "UpdateTable",
        "Orders",
        BillingMode="PROVISIONED",
        GlobalSecondaryIndexUpdates=[update],
        **_units(3, 4),
    )
    settle()
    (difference,) = reports(db)["Orders"].differences
    assert difference.place == "billing"
    assert difference.deployed == "provisioned, 3 read and 4 write units"
    assert difference.declared == "on demand"


def test_units_of_the_table(db: Db, send: Any, settle: Any) -> None:
    send("UpdateTable", "Sessions", **_units(7, 8))
    settle()
    assert found(reports(db)["Sessions"]) == [("billing", "changed", "warning")]


def test_units_of_an_index(db: Db, send: Any, settle: Any) -> None:
    update = {"Update": {"IndexName": "ByUser", **_units(4, 3)}}
    send("UpdateTable", "Sessions", GlobalSecondaryIndexUpdates=[update])
    settle()
    (difference,) = reports(db)["Sessions"].differences
    assert (difference.place, difference.severity) == ("index ByUser units", "warning")
    assert "4 read" in str(difference.deployed)


def test_table_class(db: Db, send: Any, settle: Any, tablewright_backend: Backend) -> None:
    if tablewright_backend.name == "local":
        pytest.skip("DynamoDB Local has no table classes")
    send("UpdateTable", "Orders", TableClass="STANDARD_INFREQUENT_ACCESS")
    settle()
    assert found(reports(db)["Orders"]) == [("class", "changed", "warning")]


def _set_ttl(send: Any, table: str, attribute: str, enabled: bool) -> None:
    wanted = {"AttributeName": attribute, "Enabled": enabled}
    send("UpdateTimeToLive", table, TimeToLiveSpecification=wanted)


def test_ttl_off(db: Db, send: Any) -> None:
    _set_ttl(send, "Orders", "expires_at", False)
    assert found(reports(db)["Orders"]) == [("ttl", "missing", "error")]


def test_another_ttl_attribute(db: Db, send: Any) -> None:
    _set_ttl(send, "Orders", "expires_at", False)
    _set_ttl(send, "Orders", "ends", True)
    (difference,) = reports(db)["Orders"].differences
    assert (difference.declared, difference.deployed) == ("expires_at", "ends")
    assert difference.severity == "error"


def test_ttl_that_nobody_declared(db: Db, send: Any) -> None:
    _set_ttl(send, "Sessions", "ends", True)
    assert found(reports(db)["Sessions"]) == [("ttl", "extra", "error")]


def test_recovery(db: Db, send: Any, tablewright_backend: Backend) -> None:
    if tablewright_backend.name == "local":
        assert reports(db)["Orders"].as_json()["unchecked"] == ["pitr", "tags"]
        pytest.skip("DynamoDB Local has no point-in-time recovery; it is said to be unchecked")
    days = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 3}
    send("UpdateContinuousBackups", "Orders", PointInTimeRecoverySpecification=days)
    (difference,) = reports(db)["Orders"].differences
    assert (difference.declared, difference.deployed) == ("7 days", "3 days")
    off = {"PointInTimeRecoveryEnabled": False}
    send("UpdateContinuousBackups", "Orders", PointInTimeRecoverySpecification=off)
    assert found(reports(db)["Orders"]) == [("point-in-time recovery", "missing", "error")]


def test_tags(db: Db, send: Any, tablewright_backend: Backend) -> None:
    if tablewright_backend.name == "local":
        pytest.skip("DynamoDB Local has no tags; they are said to be unchecked")
    report = reports(db)["Orders"]
    assert report.deployed is not None
    arn = report.deployed.arn
    send("UntagResource", ResourceArn=arn, TagKeys=["Environment"])
    tags = [{"Key": "team", "Value": "other"}, {"Key": "cost", "Value": "1"}]
    send("TagResource", ResourceArn=arn, Tags=tags)
    assert sorted(found(reports(db)["Orders"])) == [
        ("tag Environment", "missing", "warning"),
        ("tag cost", "extra", "info"),
        ("tag team", "changed", "warning"),
    ]


def test_no_table(db: Db, send: Any) -> None:
    send("DeleteTable", "Sessions")
    told = reports(db)
    assert found(told["Sessions"]) == [("table", "missing", "error")]
    assert told["Orders"].ok


@pytest.mark.parametrize(("name", "kind"), [("id", "S"), ("session_id", "N")])
def test_another_key(db: Db, send: Any, settle: Any, name: str, kind: str) -> None:
    send("DeleteTable", "Sessions")
    index = {**_index("ByUser", "user", ProjectionType="KEYS_ONLY"), **_units(2, 3)}
    send(
        "CreateTable",
        "Sessions",
        AttributeDefinitions=_define(name, kind=kind) + _define("user"),
        KeySchema=[{"AttributeName": name, "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[index],
        **_units(5, 6),
    )
    settle()
    (difference,) = reports(db)["Sessions"].differences
    assert (difference.place, difference.deployed) == ("key", f"{name} {kind}")
    assert "new table" in difference.remedy


def test_what_is_not_ready_is_said_to_be_waiting() -> None:
    wanted = declared(shop_v1.orders, "Orders")
    creating = replace(wanted, status="CREATING")
    assert [(each.place, each.kind) for each in differences(wanted, creating)] == [
        ("table", "waiting")
    ]
    indexes = {**wanted.indexes, "GSI1": replace(wanted.indexes["GSI1"], status="CREATING")}
    filling = replace(wanted, status="UPDATING", indexes=indexes)
    assert [(each.place, each.kind) for each in differences(wanted, filling)] == [
        ("index GSI1", "waiting")
    ]
    assert differences(wanted, replace(wanted, indexes={})) != []


def test_a_local_index_needs_a_new_table() -> None:
    wanted = declared(shop_v1.orders, "Orders")
    without = {name: each for name, each in wanted.indexes.items() if name != "ByTotal"}
    (difference,) = differences(wanted, replace(wanted, indexes=without))
    assert (difference.place, difference.kind) == ("index ByTotal", "missing")
    assert "new table" in difference.remedy


def test_what_only_protects_more_is_not_for_migrate() -> None:
    wanted = declared(shop_v1.sessions, "Sessions")
    found = differences(wanted, replace(wanted, pitr=35, protected=True))
    assert {each.place for each in found} == {"point-in-time recovery", "deletion protection"}
    assert {each.severity for each in found} == {"info"}
    assert all("by hand" in each.remedy and "tables migrate" not in each.remedy for each in found)


def test_the_diff_shows_the_same(db: Db, send: Any, settle: Any) -> None:
    assert reports(db)["Orders"].unified() == []
    send("UpdateTable", "Orders", StreamSpecification={"StreamEnabled": False})
    settle()
    lines = reports(db)["Orders"].unified()
    assert [line for line in lines if line[0] in "+-" and line[1] not in "+-"] == [
        "-stream: off",
        "+stream: NEW_AND_OLD_IMAGES",
    ]
