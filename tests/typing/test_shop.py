"""The model that the type checkers are shown also works."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import Entity, Key, Table, query
from tablewright.model.errors import ModelError


@pytest.fixture
def shop() -> Iterator[Any]:
    name = "shop_ok"
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec
    assert spec.loader
    # Annotations are looked up in the module by its name.
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules[name]


def test_results_are_of_the_types_that_checkers_see(shop: Any) -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(shop.model)
        now = datetime.now(UTC)
        someone = db.run(shop.sign_up(shop.Customer(email="a@b.example", credits=9)))
        known = someone.customer_id
        order = shop.Order(customer_id=known, placed_at=now)
        stored, nothing = db.run(shop.place_order(order, 2))
        assert (stored, nothing) == (order, None)
        assert db.run(shop.balance(known)) == shop.Balance(credits=7)
        first, second = db.run(shop.pair(known, shop.new_ulid()))
        assert isinstance(first, shop.Customer)
        assert second is None
        assert type(db.run(shop.open_orders())[0]) is shop.OpenOrder
        assert list(db.iterate(shop.open_orders_whole())) == [order]
        assert db.run(shop.customer_view(known)).orders == (order,)
        assert db.run(shop.loose_view(known)).orders == [order]
        assert db.run(shop.order_count(known)) == 1
        assert db.run(shop.customers([known])) == (first,)
        assert db.run(shop.mark(order, "paid")).status == "paid"
        assert db.run(shop.replace_order(order, order.model_copy(update={"order_id": known})))[
            ::2
        ] == (
            None,
            None,
        )
        assert db.run(shop.store([order])) == (order,)


def test_a_misspelt_word_in_the_head_of_a_class_is_named() -> None:
    # Type checkers do not look there.
    table = Table("Things", pk="pk")
    with pytest.raises(ModelError, match=r"Misspelt: .*\bkey\b"):

        class Misspelt(Entity, table=table, key={"primary": Key("A#{a}")}):
            a: str


def test_a_query_gives_whole_entities_or_projections(shop: Any) -> None:
    # Its type says one of the two; type checkers refuse both together.
    with pytest.raises(ModelError, match="hydrate=True"):

        @query(shop.Order, key="open", into=shop.OpenOrder, hydrate=True)
        def both() -> None: ...
