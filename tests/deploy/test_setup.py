"""Set-up: creates what is missing, completes what was left, alters nothing."""

from __future__ import annotations

from typing import Any

import pytest
from tests.deploy import shop_v1, shop_v2

from tablewright.client import Db
from tablewright.client.steps import Pause
from tablewright.client.transports import Failure, Request, Response
from tablewright.deploy.naming import Naming
from tablewright.deploy.setup import Made, set_up
from tablewright.deploy.verify import verify
from tablewright.model import Table
from tablewright.testing import Backend

TABLES = list(shop_v1.model.tables.values())


def run(db: Db, **options: Any) -> list[Made]:
    return db.drive(set_up(db.context, TABLES, **options))


def outcomes(made: list[Made]) -> dict[str, str]:
    return {each.table.name: each.outcome for each in made}


def test_everything_is_as_the_model_says_after_it(db: Db) -> None:
    assert outcomes(run(db)) == {"Orders": "created", "Sessions": "created"}
    reports = db.drive(verify(db.context, TABLES))
    assert [(each.name, each.ok, each.differences) for each in reports] == [
        ("Orders", True, []),
        ("Sessions", True, []),
    ]


def test_it_can_be_repeated(db: Db) -> None:
    run(db)
    again = run(db)
    assert outcomes(again) == {"Orders": "exists", "Sessions": "exists"}
    assert {each.text for each in again} == {"already exists (schema verified)"}


def test_a_dry_run_creates_nothing(db: Db, send: Any) -> None:
    assert outcomes(run(db, dry_run=True)) == {
        "Orders": "would create",
        "Sessions": "would create",
    }
    with pytest.raises(Failure, match="ResourceNotFound"):
        send("DescribeTable", "Orders")


def test_what_a_crash_left_out_is_completed(db: Db, tablewright_backend: Backend) -> None:
    """After each of the requests of a set-up in turn, the process is gone."""
    transport = tablewright_backend.transport()
    for survived in range(30):
        flow = set_up(db.context, TABLES)
        if not _cut(flow, transport, survived):
            break
        assert all(each.ok for each in run(db)), survived
        assert all(each.ok for each in db.drive(verify(db.context, TABLES))), survived
        for table in TABLES:
            transport.send(Request("DeleteTable", {"TableName": db.context.physical(table.name)}))
            _until_gone(transport, db.context.physical(table.name))
    assert survived > 6


def _cut(flow: Any, transport: Any, count: int) -> bool:
    """Answer so many requests of a flow, then no more; whether it had wanted more."""
    answer: Response | None = None
    failure: Failure | None = None
    while True:
        try:
            step = flow.throw(failure) if failure else flow.send(answer)
        except StopIteration:
            return False
        answer, failure = None, None
        if isinstance(step, Pause):
            continue
        if count == 0:
            return True
        count -= 1
        try:
            answer = transport.send(step)
        except Failure as error:
            failure = error


def _until_gone(transport: Any, physical: str) -> None:
    while True:
        try:
            transport.send(Request("DescribeTable", {"TableName": physical}))
        except Failure:
            return


def test_another_schema_is_reported_and_not_touched(db: Db, send: Any) -> None:
    send(
        "CreateTable",
        "Orders",
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    made = {each.table.name: each for each in run(db)}
    assert made["Orders"].outcome == "mismatch"
    assert "key" in {each.place for each in made["Orders"].differences}
    assert made["Sessions"].outcome == "created"
    assert send("DescribeTimeToLive", "Orders")["TimeToLiveDescription"] == {
        "TimeToLiveStatus": "DISABLED"
    }


def test_a_missing_index_is_a_mismatch(db: Db) -> None:
    run(db)
    newer = list(shop_v2.model.tables.values())
    made = db.drive(set_up(db.context, newer))
    assert outcomes(made) == {"Orders": "mismatch", "Sessions": "exists"}
    assert [each.place for each in made[0].differences] == ["index Open"]


def test_production_is_protected_and_named(tablewright_engine: Any) -> None:
    from tablewright.client import Embedded

    naming = Naming("osem", "prod")
    db = Db(Embedded(tablewright_engine), names=naming)
    made = db.drive(set_up(db.context, naming.tables(shop_v1.model)))
    assert [each.physical for each in made] == ["osem-prod-Orders", "osem-prod-Sessions"]
    described = tablewright_engine.call("DescribeTable", {"TableName": "osem-prod-Sessions"})
    assert described["Table"]["DeletionProtectionEnabled"] is True
    recovery = tablewright_engine.call(
        "DescribeContinuousBackups", {"TableName": "osem-prod-Sessions"}
    )["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert recovery["PointInTimeRecoveryStatus"] == "ENABLED"
    tags = tablewright_engine.call(
        "ListTagsOfResource",
        {"ResourceArn": described["Table"]["TableArn"].replace("Sessions", "Orders")},
    )["Tags"]
    assert {"Key": "Environment", "Value": "prod"} in tags


def test_tags_name_the_environment() -> None:
    table = Table("Users", pk="id", tags={"Environment": "dev", "stack": "osem-{env}"})
    assert Naming().table(table).tags == {"Environment": "dev", "stack": "osem-dev"}
    assert Naming(env="prod").table(table).tags == {"Environment": "prod", "stack": "osem-prod"}
    assert table.tags == {"Environment": "dev", "stack": "osem-{env}"}


def test_naming() -> None:
    assert Naming()("Users") == "Users"
    assert Naming("osem")("Users") == "osem-Users"
    assert Naming("osem-", "dev")("Users") == "osem-dev-Users"
    assert Naming(env="dev")("Users") == "dev-Users"
    assert Naming("osem", "prod").label(shop_v1.model) == "osem-prod"
    assert Naming(env="prod").label(shop_v1.model) == "shop-prod"
    assert not Naming("x", "dev").table(shop_v1.sessions).deletion_protection
    assert not shop_v1.sessions.deletion_protection
