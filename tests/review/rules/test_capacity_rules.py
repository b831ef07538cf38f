"""The rules of capacity: what they find, and what is nearly the same and fine."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.review.found import found, places

from tablewright.review.design import (
    Attribute,
    Entity,
    Figure,
    Flow,
    Index,
    Key,
    Pattern,
    Table,
)
from tablewright.review.least import computed

ORDER = Entity("Order", "App", keys=(Key("{id}"),), item_size=1000)


class TestTooFewUnits:
    TABLE = Table("App", pk="id", billing="provisioned", read_units=10, write_units=10)

    def test_at_the_peak(self) -> None:
        put = Pattern("place", "put", "Order", rate=1, peak=11)
        assert places("U01", self.TABLE, ORDER, put) == ["table App"]
        assert places("U01", self.TABLE, ORDER, replace(put, peak=10)) == []

    def test_patterns_add_up(self) -> None:
        puts = [Pattern(name, "put", "Order", peak=6) for name in ("a", "b")]
        assert places("U01", self.TABLE, ORDER, *puts) == ["table App"]
        assert places("U01", self.TABLE, ORDER, puts[0]) == []

    def test_reads_and_writes_are_apart(self) -> None:
        put = Pattern("place", "put", "Order", peak=6)
        get = Pattern("order", "get", "Order", consistent=True, peak=6)
        assert places("U01", self.TABLE, ORDER, put, get) == []

    def test_transactions_take_twice(self) -> None:
        both = Pattern("place", "transaction", members=(Pattern("", "put", "Order"),), peak=6)
        assert places("U01", self.TABLE, ORDER, both) == ["table App"]

    def test_on_demand_has_no_units(self) -> None:
        put = Pattern("place", "put", "Order", peak=10_000)
        assert places("U01", replace(self.TABLE, billing="on-demand"), ORDER, put) == []


class TestFreeTier:
    def table(self, units: float, *indexes: Index) -> Table:
        return Table(
            "App",
            indexes=indexes,
            billing="provisioned",
            read_units=5,
            write_units=units,
            free_tier=True,
        )

    def test_25_are_free_and_26_are_not(self) -> None:
        assert found("U02", self.table(25)) == []
        assert len(found("U02", self.table(26))) == 1

    def test_indexes_count(self) -> None:
        index = Index("GSI1", pk="A", read_units=5, write_units=10)
        assert found("U02", self.table(15, index)) == []
        assert len(found("U02", self.table(20, index))) == 1

    def test_what_scaling_may_reach_counts(self) -> None:
        assert len(found("U02", replace(self.table(5), max_write_units=50))) == 1

    def test_nobody_asked_for_it(self) -> None:
        assert found("U02", replace(self.table(50), free_tier=False)) == []


class TestLimits:
    @pytest.mark.parametrize("right", [409_600, 409_600.0])
    def test_right_ones(self, right: float) -> None:
        assert found("U03", Figure("item.bytes", right)) == []

    def test_wrong_ones(self) -> None:
        assert places("U03", Figure("item.bytes", 400_000)) == ["figure item.bytes"]

    def test_other_figures(self) -> None:
        assert found("U03", Figure("orders a day", 7)) == []


class TestStatedUnits:
    TABLE = Table("App", pk="id", indexes=(Index("by_state", pk="state"),))
    BOTH = replace(ORDER, keys=(Key("{id}"), Key("{state}", on="by_state")))

    def test_an_index_counts(self) -> None:
        put = Pattern("place", "put", "Order", stated_units=1)
        assert places("U04", self.TABLE, self.BOTH, put) == ["pattern place"]
        assert places("U04", self.TABLE, ORDER, put) == []

    def test_an_item_of_unknown_size_has_at_least_one_unit(self) -> None:
        put = Pattern("place", "put", "Order", stated_units=1)
        unknown = replace(self.BOTH, item_size=None)
        assert places("U04", self.TABLE, unknown, put) == ["pattern place"]

    def test_a_query_takes_what_it_reads(self) -> None:
        query = Pattern("all", "query", "Order", expect=20, stated_units=0.5)
        assert places("U04", self.TABLE, ORDER, query) == ["pattern all"]
        assert places("U04", self.TABLE, ORDER, replace(query, stated_units=2.5)) == []
        assert places("U04", self.TABLE, ORDER, replace(query, expect=4)) == []


class TestFigures:
    def test_a_formula_that_gives_something_else(self) -> None:
        assert places("U05", Figure("rows", 400, formula="10 * 10 * 2")) == ["figure rows"]
        assert places("U05", Figure("rows", 200, formula="10 * 10 * 2")) == []

    def test_rounding_is_no_contradiction(self) -> None:
        assert places("U05", Figure("queries", 5.2e6, formula="2 * 60 * 60 * 24 * 30")) == []

    def test_one_name_and_two_values(self) -> None:
        figures = (Figure("cost", 1.74), Figure("cost", 14.75), Figure("other", 3))
        assert places("U05", *figures) == ["figure cost"]
        assert places("U05", Figure("cost", 1.74), Figure("cost", 1.74)) == []

    def test_a_price(self) -> None:
        assert places("U06", Figure("writes", 0.32, units=25.9e6, kind="write")) == [
            "figure writes"
        ]
        assert places("U06", Figure("writes", 16.2, units=25.9e6, kind="write")) == []
        assert places("U06", Figure("reads", 0, units=100, kind="read")) == []
        assert places("U06", Figure("storage", 5, units=100, kind="GB")) == []

    @pytest.mark.parametrize(
        ("formula", "value"),
        [("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("-2 ** 2", -4), ("7 / 2", 3.5)],
    )
    def test_arithmetic(self, formula: str, value: float) -> None:
        assert computed(formula) == value

    @pytest.mark.parametrize("formula", ["rows * 2", "1 / 0", "f(1)", "'a' * 3", "1 +", "9**9**9"])
    def test_what_is_no_arithmetic_says_nothing(self, formula: str) -> None:
        assert computed(formula) is None


class TestRewrites:
    TABLE = Table("App", pk="id")
    COUNT = Pattern("count", "update", "Counter", update="ADD n :n", values={":n": "N"})

    def counter(self, **rest: object) -> Entity:
        seen = Attribute("seen", "SS", grows=True)
        return replace(Entity("Counter", "App", attributes=(seen,)), **rest)  # type: ignore[arg-type]

    def test_beside_something_that_grows(self) -> None:
        assert places("U07", self.TABLE, self.counter(), self.COUNT) == ["entity Counter"]

    def test_beside_something_large(self) -> None:
        large = self.counter(attributes=(), item_size=50_000)
        (one,) = found("U07", self.TABLE, large, self.COUNT)
        assert "49 write units" in one.message

    def test_small_items_and_puts_are_fine(self) -> None:
        put = Pattern("make", "put", "Counter")
        assert places("U07", self.TABLE, self.counter(), put) == []
        assert places("U07", self.TABLE, self.counter(attributes=()), self.COUNT) == []

    def test_bounded_collections_are_fine(self) -> None:
        bounded = Attribute("seen", "SS", grows=True, max_items=5)
        assert places("U07", self.TABLE, self.counter(attributes=(bounded,)), self.COUNT) == []


class TestOperations:
    PARTS = (
        Table("App", pk="id"),
        ORDER,
        Entity("Settings", "App"),
        Pattern("order", "get", "Order"),
        Pattern("settings", "get", "Settings"),
    )

    def test_what_is_needed_has_to_be_read(self) -> None:
        flow = Flow("show", steps=("order",), needs=("Settings",), stated_operations=1)
        assert places("U08", *self.PARTS, flow) == ["flow show"]
        assert places("U08", *self.PARTS, replace(flow, stated_operations=2)) == []

    def test_a_step_that_reads_it_is_enough(self) -> None:
        flow = Flow("show", steps=("order", "settings"), needs=("Settings",), stated_operations=2)
        assert places("U08", *self.PARTS, flow) == []
