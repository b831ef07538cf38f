"""Plans: the right steps in the right order, and what only a new table could have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.deploy import shop_v1, shop_v2

from tablewright.deploy.planning import ALL, plan
from tablewright.deploy.state import IndexState, TableState, declared
from tablewright.model import Index, Number, OnDemand, Provisioned, Table
from tablewright.model.table import KeyAttribute

OLD = declared(shop_v1.orders, "Orders")
NEW = declared(shop_v2.orders, "Orders")


def kinds(deployed: TableState | None, table: Table = shop_v2.orders, **options: Any) -> list[str]:
    return [each.kind for each in plan(table, "Orders", deployed, **options).steps]


def without(state: TableState, name: str) -> Mapping[str, IndexState]:
    return {key: each for key, each in state.indexes.items() if key != name}


def test_nothing_to_do() -> None:
    migration = plan(shop_v2.orders, "Orders", NEW)
    assert (migration.steps, migration.refused) == ([], [])


def test_a_table_that_is_not_there_is_created() -> None:
    assert kinds(None) == ["create table"]


def test_an_index_is_filled_before_it_is_created() -> None:
    assert kinds(replace(OLD, stream=None)) == ["settings", "backfill", "create index"]
    create = plan(shop_v2.orders, "Orders", OLD).steps[-1]
    ((operation, body),) = create.requests
    assert operation == "UpdateTable"
    assert {each["AttributeName"] for each in body["AttributeDefinitions"]} == {
        "open_in",
        "open_since",
    }
    (update,) = body["GlobalSecondaryIndexUpdates"]
    assert update["Create"]["Projection"] == {"ProjectionType": "ALL"}


def test_an_index_goes_last_and_is_said_to_be_lost() -> None:
    steps = plan(shop_v1.orders, "Orders", replace(NEW, stream=None)).steps
    assert [each.kind for each in steps] == ["settings", "drop index"]
    assert [bool(each.loses) for each in steps] == [False, True]


def test_a_renamed_index_is_built_beside_the_old_one() -> None:
    renamed = replace(NEW.indexes["Open"], name="OpenV1", projection="KEYS_ONLY")
    deployed = replace(NEW, indexes={**without(NEW, "Open"), "OpenV1": renamed})
    steps = plan(shop_v2.orders, "Orders", deployed).steps
    assert [each.kind for each in steps] == ["backfill", "create index", "drop index"]
    assert steps[1].advice == "It takes the place of OpenV1."


def test_a_changed_index_is_refused_until_it_is_renamed_or_rebuilt() -> None:
    changed = replace(NEW.indexes["Open"], projection="KEYS_ONLY")
    deployed = replace(NEW, stream=None, indexes={**NEW.indexes, "Open": changed})
    migration = plan(shop_v2.orders, "Orders", deployed)
    assert [each.kind for each in migration.steps] == ["settings"]
    (refused,) = migration.refused
    assert refused.indexes == ("Open",)
    assert "new name" in refused.advice
    rebuilt = plan(shop_v2.orders, "Orders", deployed, rebuild=True)
    assert rebuilt.refused == []
    assert [each.kind for each in rebuilt.steps] == [
        "settings",
        "backfill",
        "drop index",
        "create index",
    ]


@pytest.mark.parametrize(
    "deployed",
    [
        replace(NEW, key=(KeyAttribute("PK"),)),
        replace(NEW, key=(KeyAttribute("PK"), KeyAttribute("SK", "N"))),
    ],
)
def test_another_key_needs_a_new_table_and_nothing_is_done(deployed: TableState) -> None:
    migration = plan(shop_v2.orders, "Orders", replace(deployed, stream=None))
    assert migration.steps == []
    assert "new name" in migration.refused[0].advice


def test_local_indexes_cannot_be_changed() -> None:
    (missing,) = plan(
        shop_v2.orders, "Orders", replace(NEW, indexes=without(NEW, "ByTotal"))
    ).refused
    assert "add local index ByTotal" in missing.text
    extra = replace(NEW.indexes["ByTotal"], name="ByAge")
    deployed = replace(NEW, indexes={**NEW.indexes, "ByAge": extra})
    (more,) = plan(shop_v2.orders, "Orders", deployed).refused
    assert "remove local index ByAge" in more.text


def test_a_local_index_that_is_to_be_global_is_refused_and_left_alone() -> None:
    table = Table(
        "Things",
        pk="a",
        sk="n",
        billing=Provisioned(5, 5),
        indexes=[Index("One", pk="b", billing=Provisioned(1, 2))],
    )
    key, sort = KeyAttribute("a"), KeyAttribute("b")
    local = {"One": IndexState("One", True, (key,), (sort,), "ALL")}
    deployed = replace(declared(table, "Things"), indexes=local)
    for rebuild in (False, True):
        migration = plan(table, "Things", deployed, rebuild=rebuild)
        assert migration.steps == []
        assert ["change local index One" in each.text for each in migration.refused] == [True]


def test_a_backfill_can_be_asked_for() -> None:
    (step,) = plan(shop_v2.orders, "Orders", NEW, backfill=["Open"]).steps
    assert (step.kind, step.indexes) == ("backfill", ("Open",))
    (step,) = plan(shop_v2.orders, "Orders", NEW, backfill=[ALL]).steps
    assert set(step.indexes) == {"GSI1", "ByTotal", "Open"}


def test_switching_to_provisioned_gives_units_to_every_index() -> None:
    table = Table(
        "Things",
        pk="a",
        billing=Provisioned(5, 6),
        indexes=[Index("One", pk="b", billing=Provisioned(1, 2)), Index("Two", pk="c")],
    )
    indexes = {
        name: IndexState(name, False, (KeyAttribute(key),), (), "ALL", billing=OnDemand())
        for name, key in (("One", "b"), ("Two", "c"), ("Extra", "d"))
    }
    deployed = replace(declared(table, "Things"), billing=OnDemand(), indexes=indexes)
    first = plan(table, "Things", deployed).steps[0]
    ((_, body),) = first.requests
    units = {
        each["Update"]["IndexName"]: each["Update"]["ProvisionedThroughput"]["ReadCapacityUnits"]
        for each in body["GlobalSecondaryIndexUpdates"]
    }
    assert units == {"One": 1, "Two": 5, "Extra": 5}


def test_a_shorter_recovery_loses_something() -> None:
    (longer,) = plan(shop_v2.orders, "Orders", replace(NEW, pitr=3)).steps
    (shorter,) = plan(shop_v2.orders, "Orders", replace(NEW, pitr=35)).steps
    assert (longer.loses, bool(shorter.loses)) == ("", True)


def test_what_only_protects_more_is_left_alone() -> None:
    table = Table("Things", pk="a", sk=Number("n"))
    deployed = replace(declared(table, "Things"), pitr=35, protected=True, tags={"x": "y"})
    assert plan(table, "Things", deployed).steps == []
