"""The rules of patterns: what they find, and what is nearly the same and fine."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.review.found import found, places

from tablewright.review.design import (
    Attribute,
    Begins,
    Between,
    Design,
    Entity,
    Index,
    Key,
    Pattern,
    Table,
)
from tablewright.review.report import review

TABLE = Table("App", pk="PK", sk="SK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])
ORDER = Entity(
    "Order",
    "App",
    keys=[
        Key("USER#{user}", "ORDER#{at}#{id}"),
        Key("STATE#{state}", "{at}", on="GSI1"),
    ],
    attributes=[Attribute(name) for name in ("user", "id", "at", "state", "total")],
)
BY_USER = Pattern("orders", "query", "Order", key={"PK": "USER#{user}"})
BY_STATE = Pattern("by_state", "query", "Order", index="GSI1", key={"GSI1PK": "STATE#{state}"})


class TestServed:
    @pytest.mark.parametrize("by", [("user",), ("state",), ("user", "at"), ("state", "total")])
    def test_by_a_partition_key(self, by: tuple[str, ...]) -> None:
        assert places("P01", TABLE, ORDER, Pattern("p", "query", "Order", by=by)) == []

    def test_not_by_anything_else(self) -> None:
        assert places("P01", TABLE, ORDER, Pattern("p", "query", "Order", by=("total",)))

    def test_a_get_needs_the_whole_primary_key(self) -> None:
        get = Pattern("p", "get", "Order", by=("user",))
        assert places("P01", TABLE, ORDER, get) == ["pattern p"]
        assert places("P01", TABLE, ORDER, replace(get, by=("user", "at", "id"))) == []

    def test_a_get_names_both_parts_of_the_key(self) -> None:
        get = Pattern("p", "get", "Order", key={"PK": "USER#{user}"})
        assert places("P03", TABLE, ORDER, get) == ["pattern p"]
        assert places("P03", TABLE, ORDER, replace(get, kind="query")) == []
        whole = {**get.key, "SK": "ORDER#{at}#{id}"}
        assert places("P03", TABLE, ORDER, replace(get, key=whole)) == []

    def test_everything_of_a_kind_can_lie_under_a_constant(self) -> None:
        listed = replace(ORDER, keys=[*ORDER.keys, Key("ORDERS", "{at}", on="GSI2")])
        pattern = Pattern("recent", "query", "Order")
        assert places("P01", TABLE, ORDER, pattern) == ["pattern recent"]
        assert places("P01", TABLE, listed, pattern) == []


def test_what_is_not_defined() -> None:
    assert places("P02", TABLE, replace(ORDER, table="Other")) == ["entity Order"]
    assert places("P02", TABLE, ORDER, replace(BY_STATE, index="GSI9")) == ["pattern by_state"]
    assert places("P02", TABLE, ORDER, Pattern("p", "get", "Nobody")) == ["pattern p"]
    member = Pattern("", "put", "Nobody")
    assert places("P02", TABLE, Pattern("t", "transaction", members=(member,))) == ["pattern t"]
    assert places("P02", TABLE, ORDER, BY_USER, BY_STATE) == []


class TestAsked:
    def test_with_names_of_another_index(self) -> None:
        wrong = replace(BY_STATE, key={"GSI2PK": "STATE#{state}"})
        assert places("P03", TABLE, ORDER, wrong) == ["pattern by_state"]

    def test_without_the_partition_key(self) -> None:
        wrong = replace(BY_USER, key={"SK": "ORDER#1"})
        assert places("P03", TABLE, ORDER, wrong) == ["pattern orders"]

    @pytest.mark.parametrize(
        "sort",
        [Begins("ORDER#"), Begins("ORDER#{at}"), "ORDER#{at}#{id}", Between("ORDER#a", "ORDER#b")],
    )
    def test_for_keys_that_are_there(self, sort: str | Begins | Between) -> None:
        pattern = replace(BY_USER, key={"PK": "USER#{user}", "SK": sort})
        assert places("P03", TABLE, ORDER, pattern) == []

    @pytest.mark.parametrize("sort", [Begins("INVOICE#"), "ORDER#{at}#{id}#x#y#z#", "PROFILE"])
    def test_for_keys_that_are_not(self, sort: str | Begins) -> None:
        attributes = [Attribute("at", format="iso_seconds"), Attribute("id", format="ulid")]
        order = replace(ORDER, attributes=attributes)
        pattern = replace(BY_USER, key={"PK": "USER#{user}", "SK": sort})
        assert places("P03", TABLE, order, pattern) == ["pattern orders"]

    def test_with_an_example_value(self) -> None:
        pattern = replace(BY_STATE, key={"GSI1PK": "STATE#open"})
        assert places("P03", TABLE, ORDER, pattern) == []
        assert places("P03", TABLE, ORDER, replace(pattern, key={"GSI1PK": "TRACK#open"}))


class TestProjection:
    def table(self, projection: tuple[str, ...] | str) -> Table:
        return replace(
            TABLE,
            indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection=projection)],  # type: ignore[arg-type]
        )

    def test_what_stands_in_keys_need_not_be_held(self) -> None:
        reads = replace(BY_STATE, reads=("user", "id", "at", "state"))
        assert places("P04", self.table("KEYS_ONLY"), ORDER, reads) == []

    def test_what_is_included(self) -> None:
        reads = replace(BY_STATE, reads=("total",))
        assert places("P04", self.table(("total",)), ORDER, reads) == []
        assert places("P04", self.table(("other",)), ORDER, reads) == ["pattern by_state"]

    def test_what_is_read_again(self) -> None:
        reads = replace(BY_STATE, reads="*", hydrate=True, expect=50)
        assert places("P04", self.table("KEYS_ONLY"), ORDER, reads) == []
        assert places("P05", self.table("KEYS_ONLY"), ORDER, reads) == ["pattern by_state"]
        assert places("P05", self.table("KEYS_ONLY"), ORDER, replace(reads, expect=1)) == []


class TestFreshness:
    def test_tables_and_local_indexes_can_be_read_consistently(self) -> None:
        local = replace(TABLE, indexes=[Index("GSI1", sk="GSI1SK", local=True)])
        assert places("P06", TABLE, ORDER, replace(BY_USER, consistent=True)) == []
        assert places("P06", local, ORDER, replace(BY_STATE, consistent=True)) == []
        assert places("P06", TABLE, ORDER, replace(BY_STATE, consistent=True))

    def test_a_read_of_the_table_has_to_ask(self) -> None:
        (finding,) = found("P07", TABLE, ORDER, replace(BY_USER, fresh=True))
        assert finding.severity == "warning"
        assert places("P07", TABLE, ORDER, replace(BY_USER, fresh=True, consistent=True)) == []

    def test_a_global_index_cannot(self) -> None:
        (finding,) = found("P07", TABLE, ORDER, replace(BY_STATE, fresh=True))
        assert finding.severity == "error"


def test_filters() -> None:
    assert places("P08", TABLE, ORDER, replace(BY_USER, filter_keeps=0.2)) == []
    assert places("P08", TABLE, ORDER, replace(BY_USER, filter_keeps=0.19)) == ["pattern orders"]
    limited = replace(BY_USER, filter="a = :b", limit=10)
    assert places("P09", TABLE, ORDER, limited) == ["pattern orders"]
    assert places("P09", TABLE, ORDER, replace(limited, filter=None)) == []
    assert places("P09", TABLE, ORDER, replace(limited, limit=None)) == []


def test_pages() -> None:
    first = replace(BY_USER, paged=False)
    assert places("P10", TABLE, ORDER, first) == ["pattern orders"]
    assert places("P10", TABLE, ORDER, replace(first, limit=10)) == [], "ten are wanted"
    assert places("P10", TABLE, ORDER, replace(first, limit=10, filter="a = :b"))
    assert places("P10", TABLE, ORDER, BY_USER) == [], "nothing is said about it"


def test_counts() -> None:
    count = replace(BY_USER, kind="count")
    assert places("P11", TABLE, ORDER, replace(count, paged=False)) == ["pattern orders"]
    assert places("P11", TABLE, ORDER, replace(count, paged=True, limit=100)) == []
    assert places("P11", TABLE, ORDER, count) == []
    assert places("P20", TABLE, ORDER, replace(count, expect=999)) == []
    assert places("P20", TABLE, ORDER, replace(count, expect=1000)) == ["pattern orders"]


class TestOrder:
    def test_by_the_first_free_component(self) -> None:
        assert places("P12", TABLE, ORDER, replace(BY_USER, order="at")) == []
        assert places("P12", TABLE, ORDER, replace(BY_USER, order="id")) == ["pattern orders"]
        given = {"PK": "USER#{user}", "SK": Begins("ORDER#{at}#")}
        assert places("P12", TABLE, ORDER, replace(BY_USER, order="id", key=given)) == []

    def test_a_sort_attribute_by_its_name(self) -> None:
        table = Table("App", pk="id", sk="at")
        row = Entity("A", "App", keys=[Key("{id}", "{at}")])
        assert places("P12", table, row, Pattern("p", "query", "A", order="at")) == []

    def test_an_index_without_a_sort_key(self) -> None:
        table = Table("App", pk="id", indexes=[Index("by_team", pk="team")])
        row = Entity("A", "App", keys=[Key("{id}"), Key("{team}", on="by_team")])
        pattern = Pattern("p", "query", "A", index="by_team", order="at")
        assert places("P12", table, row, pattern) == ["pattern p"]


def test_prefixes() -> None:
    cost = Entity("Cost", "App", keys=[Key("USER#{user}", "ORDERCOST#{id}")])
    loose = replace(BY_USER, key={"PK": "USER#{user}", "SK": Begins("ORDER")})
    tight = replace(BY_USER, key={"PK": "USER#{user}", "SK": Begins("ORDER#")})
    assert places("P13", TABLE, ORDER, cost, loose) == ["pattern orders"]
    assert places("P13", TABLE, ORDER, cost, tight) == []
    assert places("P13", TABLE, ORDER, cost, replace(loose, also=("Cost",))) == []


def test_reads_of_what_nobody_stores() -> None:
    pattern = replace(BY_USER, reads=("total", "PK", "GSI1SK", "user"))
    assert places("P15", TABLE, ORDER, pattern) == []
    assert places("P15", TABLE, ORDER, replace(pattern, reads=("tax",))) == ["pattern orders"]
    assert places("P15", TABLE, replace(ORDER, open=True), replace(pattern, reads=("tax",))) == []


def test_parameters() -> None:
    sorted_down = replace(BY_USER, options={"ScanIndexForward": False, "Limit": 1})
    assert places("P16", TABLE, ORDER, sorted_down) == []
    (finding,) = found("P16", TABLE, ORDER, replace(BY_USER, options={"ScanIndexForwards": 1}))
    assert finding.fix == "Use ScanIndexForward."
    assert places("P16", TABLE, ORDER, Pattern("p", "scan", "Order", options={"Segment": 1})) == []
    assert places("P16", TABLE, ORDER, replace(BY_USER, options={"Segment": 1}))


def test_a_key_of_now_that_is_written_on_demand_is_fine() -> None:
    today = Pattern("today", "get", "Order", now=("at",))
    assert places("P17", TABLE, ORDER, today, Pattern("w", "put", "Order", every=60))
    assert places("P17", TABLE, ORDER, today, Pattern("w", "put", "Order")) == []


def test_batches() -> None:
    batch = Pattern("b", "batch_get", "Order", expect=100)
    assert places("P18", TABLE, ORDER, batch) == []
    assert places("P18", TABLE, ORDER, replace(batch, expect=101)) == ["pattern b"]
    assert places("P18", TABLE, ORDER, replace(batch, item_size=200_000)) == ["pattern b"]
    puts = Pattern("b", "batch_write", members=(Pattern("", "put", "Order", many=26),))
    assert places("P18", TABLE, ORDER, puts) == ["pattern b"]


def test_two_versions_of_a_pattern() -> None:
    again = replace(BY_USER, doc="said again")
    assert places("P19", TABLE, ORDER, BY_USER, again) == []
    assert places("P19", TABLE, ORDER, BY_USER, replace(again, limit=5)) == ["pattern orders"]


def test_reserved_names_do_not_matter_where_all_names_are_placeholders() -> None:
    entity = Entity("A", "App", attributes=[Attribute("Status"), Attribute("other")])
    design = Design.of("d", entity)
    assert "P22" in [each.code for each in review(design).findings]
    assert "P22" not in [each.code for each in review(replace(design, aliased=True)).findings]
