"""The rules of heat: what they find, and what is nearly the same and fine."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.review.found import found, places

from tablewright.review.design import Attribute, Entity, Index, Key, Pattern, Table

TABLE = Table("App", pk="PK", indexes=(Index("GSI1", pk="GSI1PK"),))
TOTAL = Entity("Total", "App", keys=(Key("TOTAL#{id}"),), item_size=200)


class TestHotKeys:
    GET = Pattern("total", "get", "Total", key={"PK": "TOTAL#{id}"}, peak=6_001, hottest=1)

    def test_eventual_reads_take_half_a_unit(self) -> None:
        assert places("H01", TABLE, TOTAL, self.GET) == ["pattern total"]
        assert places("H01", TABLE, TOTAL, replace(self.GET, peak=6_000)) == []

    def test_consistent_reads_take_a_whole_one(self) -> None:
        get = replace(self.GET, consistent=True, peak=3_001)
        assert places("H01", TABLE, TOTAL, get) == ["pattern total"]
        assert places("H01", TABLE, TOTAL, replace(get, peak=3_000)) == []

    def test_writes_have_a_thousand(self) -> None:
        put = Pattern("count", "put", "Total", key={"PK": "TOTAL#{id}"}, peak=2_002, hottest=0.5)
        assert places("H01", TABLE, TOTAL, put) == ["pattern count"]
        assert places("H01", TABLE, TOTAL, replace(put, peak=2_000)) == []

    def test_what_indexes_take_is_under_other_keys(self) -> None:
        indexed = replace(TOTAL, keys=(*TOTAL.keys, Key("ALL", on="GSI1")))
        put = Pattern("count", "put", "Total", key={"PK": "TOTAL#{id}"}, peak=1_000, hottest=1)
        assert places("H01", TABLE, indexed, put) == []

    def test_a_key_that_never_changes_has_all_calls(self) -> None:
        get = Pattern("all", "get", "Total", key={"PK": "TOTAL"}, peak=10_000)
        assert places("H01", TABLE, TOTAL, get) == ["pattern all"]
        assert places("H01", TABLE, TOTAL, replace(get, key={"PK": "TOTAL#{id}"})) == []

    def test_the_items_of_a_batch_are_on_their_own_keys(self) -> None:
        batch = Pattern("all", "batch_get", "Total", expect=4, peak=6_000, hottest=1)
        assert places("H01", TABLE, TOTAL, batch) == []
        assert places("H01", TABLE, TOTAL, replace(batch, peak=6_001)) == ["pattern all"]


class TestFewPartitionKeys:
    STATE = Attribute("state", values=("open", "done"))

    def job(self, partition: str, **rest: object) -> Entity:
        keys = (Key("JOB#{id}"), replace(Key(partition, on="GSI1"), **rest))  # type: ignore[arg-type]
        return Entity("Job", "App", keys=keys, attributes=(Attribute("id"), self.STATE))

    def test_the_values_are_counted(self) -> None:
        (one,) = found("H02", TABLE, self.job("STATE#{state}"))
        assert str(one.place) == "index App/GSI1"
        assert "2 partition keys" in one.message

    @pytest.mark.parametrize("partition", ["STATE#{state}#{id}", "{id}"])
    def test_another_component_spreads_them(self, partition: str) -> None:
        assert found("H02", TABLE, self.job(partition)) == []

    def test_truth_has_two_values(self) -> None:
        flag = Attribute("flag", "BOOL")
        entity = replace(self.job("{flag}"), attributes=(flag,))
        assert len(found("H02", TABLE, entity)) == 1

    def test_many_values_are_fine(self) -> None:
        many = replace(self.STATE, values=tuple(map(str, range(11))))
        assert found("H02", TABLE, replace(self.job("{state}"), attributes=(many,))) == []

    def test_it_is_graver_if_the_load_is_known_and_none_if_that_fits(self) -> None:
        put = Pattern("add", "put", "Job", peak=2_000)
        (one,) = found("H02", TABLE, self.job("STATE#{state}"), put)
        (unknown,) = found("H02", TABLE, self.job("STATE#{state}"), replace(put, peak=None))
        assert (one.severity, unknown.severity) == ("warning", "note")
        assert found("H02", TABLE, self.job("STATE#{state}"), replace(put, peak=10)) == []

    def test_the_table_itself_is_not_meant(self) -> None:
        entity = Entity("Job", "App", keys=(Key("{state}"),), attributes=(self.STATE,))
        assert found("H02", TABLE, entity) == []


class TestPeriods:
    def counter(self, partition: str) -> Entity:
        attributes = (Attribute("day", format="day"), Attribute("shard", "N"), Attribute("scope"))
        return Entity("Counter", "App", keys=(Key(partition),), attributes=attributes)

    def test_a_day_alone(self) -> None:
        assert places("H03", TABLE, self.counter("DAY#{day}")) == ["key Counter[primary]"]

    @pytest.mark.parametrize("partition", ["DAY#{day}#{shard}", "{scope}", "ALL", "{unknown}"])
    def test_a_day_and_something_else(self, partition: str) -> None:
        assert places("H03", TABLE, self.counter(partition)) == []
