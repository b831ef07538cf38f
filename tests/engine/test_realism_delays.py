"""Tables that are CREATING and DELETING for a while, because a test asked for that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table, strings

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine, Realism

IN_USE = "Attempt to change a resource which is still in use: "


@pytest.fixture
def slow(clock: ManualClock) -> Iterator[Engine]:
    """An engine whose tables take five seconds to come and to go."""
    with Engine.memory(clock=clock, realism=Realism(table_delay=5)) as engine:
        yield engine


def status(engine: Engine, name: str = "Simple") -> str:
    return str(engine.call("DescribeTable", {"TableName": name})["Table"]["TableStatus"])


def refusal(engine: Engine, operation: str, **request: Any) -> AwsError:
    with pytest.raises(AwsError) as caught:
        engine.call(operation, request)
    return caught.value


def test_a_new_table_cannot_be_used_before_it_is_active(slow: Engine, clock: ManualClock) -> None:
    slow.call("CreateTable", simple_table())
    put = {"TableName": "Simple", "Item": strings(pk="a")}
    get = {"TableName": "Simple", "Key": strings(pk="a")}
    assert status(slow) == "CREATING"
    assert slow.call("ListTables", {})["TableNames"] == ["Simple"]
    for operation, request in (
        ("PutItem", put),
        ("GetItem", get),
        ("Scan", {"TableName": "Simple"}),
    ):
        error = refusal(slow, operation, **request)
        assert (error.code, error.message) == (
            "ResourceNotFoundException",
            "Requested resource not found",
        )
    for operation in ("DeleteTable", "UpdateTable"):
        more = {"DeletionProtectionEnabled": True} if operation == "UpdateTable" else {}
        error = refusal(slow, operation, TableName="Simple", **more)
        assert error.code == "ResourceInUseException"
        assert error.message == f"{IN_USE}Table is being created: Simple"
    clock.advance(4.9)
    assert status(slow) == "CREATING"
    clock.advance(0.1)
    slow.call("PutItem", put)
    assert slow.call("GetItem", get)["Item"] == strings(pk="a")
    assert status(slow) == "ACTIVE"


def test_the_indexes_of_a_new_table_are_created_with_it(slow: Engine, clock: ManualClock) -> None:
    table = composite_table(
        AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
        GlobalSecondaryIndexes=[index("by-g", "g")],
    )
    slow.call("CreateTable", table)
    described = slow.call("DescribeTable", {"TableName": "Composite"})["Table"]
    assert described["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    clock.advance(5)
    described = slow.call("DescribeTable", {"TableName": "Composite"})["Table"]
    assert described["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"


def test_a_change_of_tags_does_not_settle_a_table(slow: Engine) -> None:
    arn = slow.call("CreateTable", simple_table())["TableDescription"]["TableArn"]
    slow.call("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]})
    assert status(slow) == "CREATING"
    assert refusal(slow, "Scan", TableName="Simple").code == "ResourceNotFoundException"


def test_the_name_of_a_deleted_table_is_free_when_it_is_gone(
    slow: Engine, clock: ManualClock
) -> None:
    slow.call("CreateTable", simple_table())
    clock.advance(5)
    slow.call("PutItem", {"TableName": "Simple", "Item": strings(pk="a")})
    assert slow.call("DeleteTable", {"TableName": "Simple"})["TableDescription"]["TableStatus"] == (
        "DELETING"
    )
    assert status(slow) == "DELETING"
    assert slow.call("ListTables", {})["TableNames"] == ["Simple"]
    assert refusal(slow, "Scan", TableName="Simple").code == "ResourceNotFoundException"
    for operation, request in (
        ("CreateTable", simple_table()),
        ("DeleteTable", {"TableName": "Simple"}),
    ):
        error = refusal(slow, operation, **request)
        assert error.code == "ResourceInUseException"
        assert error.message == f"{IN_USE}Table is being deleted: Simple"
    clock.advance(5)
    assert refusal(slow, "DescribeTable", TableName="Simple").code == "ResourceNotFoundException"
    assert slow.call("ListTables", {})["TableNames"] == []
    slow.call("CreateTable", simple_table())
    clock.advance(5)
    assert slow.call("Scan", {"TableName": "Simple"})["Count"] == 0


def test_switching_the_delay_off_settles_all_tables(slow: Engine) -> None:
    slow.call("CreateTable", simple_table())
    slow.realism = Realism()
    assert status(slow) == "ACTIVE"
    slow.call("PutItem", {"TableName": "Simple", "Item": strings(pk="a")})
    slow.call("DeleteTable", {"TableName": "Simple"})
    assert slow.call("ListTables", {})["TableNames"] == []


def test_a_folder_that_is_opened_again_has_only_settled_tables(
    tmp_path: Path, clock: ManualClock
) -> None:
    realism = Realism(table_delay=60)
    with Engine(tmp_path / "data", clock=clock, realism=realism) as engine:
        engine.call("CreateTable", simple_table())
        assert status(engine) == "CREATING"
    with Engine(tmp_path / "data", clock=clock, realism=realism) as engine:
        assert status(engine) == "ACTIVE"
        engine.call("PutItem", {"TableName": "Simple", "Item": strings(pk="a")})


def test_settings_of_the_delay() -> None:
    assert Realism.parse('{"table_delay": 1.5}').table_delay == 1.5
    with pytest.raises(ValueError, match="table delay cannot be negative"):
        Realism(table_delay=-1)
    with pytest.raises(ValueError, match="table_delay"):
        Realism.parse('{"table_delay": "long"}')
