"""What an item lacks for an index, and the condition under which it gets it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from tests.deploy import shop_v1, shop_v2

from tablewright.deploy.repairs import Repairs
from tablewright.model import (
    Attribute,
    Entity,
    Field,
    Index,
    Key,
    Number,
    Table,
    Unique,
    definition,
    new_ulid,
)
from tablewright.model.errors import DataError

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
OPEN = Repairs(shop_v2.orders, ["Open"])


def old_order(**fields: Any) -> dict[str, Any]:
    order = shop_v1.Order(customer="ann", order_id="1", placed_at=NOON, **fields)
    return definition(shop_v1.Order).encode(order)


def test_a_key_is_computed_and_its_missing_field_filled_in() -> None:
    repair = OPEN.of(old_order())
    assert repair is not None
    assert repair.set == {
        "region": {"S": "north"},
        "open_in": {"S": "OPEN#north"},
        "open_since": {"S": "2026-11-01T12:00:00Z#1"},
    }
    assert repair.remove == ()
    assert set(repair.key) == {"PK", "SK"}


def test_what_was_written_by_the_model_is_left_alone() -> None:
    order = shop_v2.Order(customer="ann", order_id="1", placed_at=NOON)
    assert OPEN.of(definition(shop_v2.Order).encode(order)) is None


def test_what_is_not_in_the_index_is_left_alone() -> None:
    assert OPEN.of(old_order(status="sent")) is None


def test_a_key_that_should_not_be_there_is_removed() -> None:
    repair = OPEN.of({**old_order(status="sent"), "open_in": {"S": "OPEN#x"}})
    assert repair is not None
    assert (repair.set, repair.remove) == ({}, ("open_in",))


def test_only_the_asked_indexes_are_repaired() -> None:
    item = old_order()
    del item["GSI1PK"]
    repair = OPEN.of(item)
    assert repair is not None
    assert "GSI1PK" not in repair.set
    other = Repairs(shop_v2.orders, ["GSI1"]).of(item)
    assert other is not None
    assert other.set == {"GSI1PK": {"S": "ORDER#1"}}


def test_the_condition_holds_all_that_the_key_rests_on() -> None:
    repair = OPEN.of(old_order())
    assert repair is not None
    assert set(repair.seen) == {
        "entity_type", "order_id", "placed_at", "region", "status", "open_in", "open_since",
    }  # fmt: skip
    body = repair.request()
    names = {name: each for each, name in body["ExpressionAttributeNames"].items()}
    assert f"attribute_not_exists({names['region']})" in body["ConditionExpression"]
    assert f"attribute_exists({names['PK']})" in body["ConditionExpression"]
    assert f"{names['status']} = " in body["ConditionExpression"]


def test_locks_and_strangers_are_nobodys() -> None:
    table = Table("Users", pk="PK", indexes=[Index("ByName", pk="by_name")])

    class User(
        Entity,
        table=table,
        keys={"primary": Key("USER#{name}"), "n": Key("NAME#{name}", on="ByName")},
    ):
        name: str
        email: Annotated[str, Unique("email")]

    repairs = Repairs(table, ["ByName"])
    assert repairs.owner({"PK": {"S": "x"}, "entity_type": {"S": "Unique:email"}}) is None
    assert repairs.owner({"PK": {"S": "x"}}) is None
    assert repairs.of({"PK": {"S": "x"}}) is None


def test_a_random_default_is_stored_with_the_key_that_holds_it() -> None:
    table = Table("Jobs", pk="job", indexes=[Index("ByToken", pk="by_token")])

    class Job(
        Entity,
        table=table,
        keys={"primary": Key("{job}"), "t": Key("TOKEN#{token}", on="ByToken")},
    ):
        job: str
        token: Annotated[str, Attribute("tok")] = Field(default_factory=new_ulid)

    repair = Repairs(table, ["ByToken"]).of({"job": {"S": "1"}, "entity_type": {"S": "Job"}})
    assert repair is not None
    assert repair.set["by_token"] == {"S": f"TOKEN#{repair.set['tok']['S']}"}


def test_fields_that_are_the_key_are_not_written_again() -> None:
    table = Table("Points", pk="id", indexes=[Index("ByScore", pk="group", sk=Number("score"))])

    class Point(
        Entity,
        table=table,
        keys={"primary": Key("{id}"), "s": Key("{group}", "{score}", on="ByScore")},
    ):
        id: str
        group: str
        score: int

    repairs = Repairs(table, ["ByScore"])
    item = {"id": {"S": "1"}, "group": {"S": "g"}, "entity_type": {"S": "Point"}}
    assert repairs.of({**item, "score": {"N": "10"}}) is None
    assert repairs.of(item | {"score": {"N": "-38"}}) is None


def test_what_cannot_be_read_is_an_error() -> None:
    item = old_order()
    item["placed_at"] = {"S": "yesterday"}
    with pytest.raises(DataError):
        OPEN.of(item)
