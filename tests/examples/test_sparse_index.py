from __future__ import annotations

from datetime import UTC, datetime

import pytest
from examples.sparse_index import (
    Order,
    assign,
    finish,
    orders_of_packer,
    waiting_orders,
    warehouse,
)

from tablewright.client import Db
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.model.errors import ConditionFailed

PAID_AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    tablewright_db.create_tables(warehouse)
    return tablewright_db


def size(engine: Engine, index: str) -> int:
    request = {"TableName": "Warehouse", "IndexName": index, "Select": "COUNT"}
    return int(engine.call("Scan", request)["Count"])


def test_only_what_is_left_is_in_the_index(db: Db, inside: Engine) -> None:
    db.run(put(Order(order_id="old", paid_at=PAID_AT, status="shipped")))
    order = db.run(put(Order(order_id="new", paid_at=PAID_AT)))
    assert list(db.run(waiting_orders())) == [order]
    assert size(inside, "Waiting") == 1
    assert size(inside, "ByPacker") == 0

    order = db.run(assign(order, "bo"))
    assert list(db.run(orders_of_packer("bo"))) == [order]

    order = db.run(finish(order))
    assert order.status == "packed"
    assert size(inside, "Waiting") == 0
    assert size(inside, "ByPacker") == 0


def test_an_order_has_one_packer(db: Db) -> None:
    order = db.run(put(Order(order_id="new", paid_at=PAID_AT)))
    db.run(assign(order, "bo"))
    with pytest.raises(ConditionFailed):
        db.run(assign(order, "cy"))


def test_what_is_finished_cannot_be_finished_again(db: Db) -> None:
    order = db.run(put(Order(order_id="new", paid_at=PAID_AT)))
    db.run(finish(order))
    with pytest.raises(ConditionFailed):
        db.run(finish(order))
