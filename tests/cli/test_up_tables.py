"""The tables that `tablewright up` finds, makes, or may not look at."""

from __future__ import annotations

import logging

import pytest

from tablewright.cli.place_options import Place as Where
from tablewright.cli.terminal import Failure
from tablewright.cli.up_place import Place
from tablewright.cli.up_tables import are_empty, expect_tables, set_up_tables, setup_command
from tablewright.client import AsyncEmbedded, Embedded
from tablewright.engine import Engine, Fault
from tablewright.service.process import shared_of
from tablewright.service.settings import Settings
from tablewright.systems import load
from tablewright.testing.faults import injected


def place_of(engine: Engine) -> Place:
    return Place(AsyncEmbedded(engine), Embedded(engine), "", "tests")


def test_they_are_made_once(tablewright_engine: Engine) -> None:
    place, shared = place_of(tablewright_engine), shared_of(Settings(), environ={})
    system = load("pricekeeper")
    assert set_up_tables(system, place, shared) is True
    assert "pricekeeper-kit" in tablewright_engine.call("ListTables", {})["TableNames"]
    assert set_up_tables(system, place, shared) is False


def test_rights_to_use_them_are_enough(
    tablewright_engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    place, shared = place_of(tablewright_engine), shared_of(Settings(), environ={})
    system = load("pricekeeper")
    set_up_tables(system, place, shared)
    denied = Fault("DescribeTable", error="AccessDeniedException")
    with injected(tablewright_engine, denied), caplog.at_level(logging.WARNING):
        assert set_up_tables(system, place, shared) is False
    assert "were not checked" in caplog.text


def test_a_table_of_another_shape_is_refused(tablewright_engine: Engine) -> None:
    tablewright_engine.call(
        "CreateTable",
        {
            "TableName": "Config",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    shared = shared_of(Settings(), environ={})
    with pytest.raises(Failure, match="Config"):
        set_up_tables(load("pricekeeper"), place_of(tablewright_engine), shared)


# --- elsewhere -----------------------------------------------------------------------------


def test_in_an_account_nothing_is_made_by_the_way(tablewright_engine: Engine) -> None:
    place, shared = place_of(tablewright_engine), shared_of(Settings(table_env="prod"), environ={})
    systems = [load("pricekeeper"), load("ladders")]
    where = Where(aws=True, region="eu-west-1", env="prod")
    with pytest.raises(Failure, match="prod-pricekeeper-kit") as failed:
        expect_tables(systems, place, shared, where)
    assert "prod-Teams" in str(failed.value)
    for name in ("pricekeeper", "ladders"):
        command = f"tablewright tables setup {name} --aws --region eu-west-1 --env prod"
        assert command in failed.value.hint
    assert tablewright_engine.call("ListTables", {})["TableNames"] == []


def test_tables_that_are_there_are_as_good_as_made(tablewright_engine: Engine) -> None:
    place, shared = place_of(tablewright_engine), shared_of(Settings(), environ={})
    system = load("pricekeeper")
    set_up_tables(system, place, shared)
    expect_tables([system], place, shared, Where(aws=True))
    assert are_empty(system, place, shared)
    tablewright_engine.call(
        "PutItem", {"TableName": "pricekeeper-kit", "Item": {"PK": {"S": "a"}, "SK": {"S": "b"}}}
    )
    assert not are_empty(system, place, shared)


def test_what_is_typed_holds_what_was_given() -> None:
    given = Where(endpoint="http://127.0.0.1:8000", profile="my own", prefix="acme")
    assert setup_command("shop:model", given) == (
        "tablewright tables setup shop:model --endpoint http://127.0.0.1:8000 "
        "--profile 'my own' --prefix acme"
    )
