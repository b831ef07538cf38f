"""The rules of writes: what they find, and what is nearly the same and fine."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.review.found import found, places

from tablewright.review.design import Attribute, Entity, Index, Key, Pattern, Sample, Table, Unique

TABLE = Table("App", pk="PK", sk="SK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])
TEAM = Entity(
    "Team",
    "App",
    keys=[Key("TEAM#{id}", "TEAM"), Key("STATE#{state}", "TEAM#{id}", on="GSI1")],
    attributes=[
        Attribute("id"),
        Attribute("name"),
        Attribute("state"),
        Attribute("scores", "M", required=False, default=True),
        Attribute("tags", "SS", required=False),
    ],
)
NEW = "attribute_not_exists(PK)"
THERE = "attribute_exists(PK)"


def update(text: str, condition: str | None = None, **rest: object) -> Pattern:
    values = {":n": "N", ":s": "S", ":set": "SS"}
    return Pattern("p", "update", "Team", update=text, condition=condition, values=values, **rest)  # type: ignore[arg-type]


class TestWriters:
    READ = Pattern("team", "get", "Team", key={"PK": "TEAM#{id}", "SK": "TEAM"})

    def test_a_member_of_a_transaction_writes_too(self) -> None:
        both = Pattern("t", "transaction", members=(Pattern("", "put", "Team"),))
        assert places("W01", TABLE, TEAM, self.READ, both) == []

    def test_who_only_deletes_does_not_write(self) -> None:
        assert places("W01", TABLE, TEAM, self.READ, Pattern("d", "delete", "Team"))

    def test_a_design_without_writes_says_nothing_about_them(self) -> None:
        assert places("W01", TABLE, TEAM, self.READ) == []

    def test_modes(self) -> None:
        writer = Pattern("w", "put", "Team", only_if={"mode": "a"})
        assert places("W01", TABLE, TEAM, self.READ, writer) == ["pattern team"]
        same = replace(self.READ, only_if={"mode": "a"})
        assert places("W01", TABLE, TEAM, same, writer) == []


class TestPuts:
    def test_a_put_that_may_replace_needs_no_condition(self) -> None:
        assert places("W02", TABLE, TEAM, Pattern("p", "put", "Team")) == []

    @pytest.mark.parametrize(
        "condition", [NEW, "attribute_not_exists(#n)", "attribute_not_exists(GSI1PK)"]
    )
    def test_any_attribute_that_is_always_there_will_do(self, condition: str) -> None:
        put = Pattern("p", "put", "Team", new=True, condition=condition, names={"#n": "name"})
        assert places("W02", TABLE, TEAM, put) == []

    @pytest.mark.parametrize("condition", [None, "attribute_not_exists(tags)", "#s = :s"])
    def test_others_do_not(self, condition: str | None) -> None:
        put = Pattern("p", "put", "Team", new=True, condition=condition, names={"#s": "state"})
        assert places("W02", TABLE, TEAM, put) == ["pattern p"]

    def test_what_is_not_known_is_not_judged(self) -> None:
        assert places("W02", TABLE, TEAM, Pattern("p", "put", "Team", new=True, opaque=True)) == []


class TestGhosts:
    @pytest.mark.parametrize("condition", [THERE, "#n = :s", "attribute_exists(tags)"])
    def test_conditions_that_an_absent_item_does_not_meet(self, condition: str) -> None:
        assert (
            places("W03", TABLE, TEAM, update("SET tags = :set", condition, names={"#n": "name"}))
            == []
        )

    @pytest.mark.parametrize("condition", [None, "attribute_not_exists(tags)", "#n <> :s"])
    def test_conditions_that_it_meets(self, condition: str | None) -> None:
        (finding,) = found(
            "W03", TABLE, TEAM, update("SET tags = :set", condition, names={"#n": "name"})
        )
        assert "without name, state" in finding.message

    def test_an_update_that_sets_everything_creates_a_whole_item(self) -> None:
        whole = update("SET #n = :s, #s = :s", names={"#n": "name", "#s": "state"})
        assert places("W03", TABLE, TEAM, whole) == []
        assert places("W03", TABLE, TEAM, replace(whole, existing=True)) == ["pattern p"]

    def test_nothing_is_missing_where_nobody_says_what_is_set(self) -> None:
        unsaid = Pattern("p", "update", "Team")
        assert places("W03", TABLE, TEAM, unsaid) == []
        (finding,) = found("W03", TABLE, TEAM, replace(unsaid, existing=True))
        assert "without" not in finding.message


class TestUniqueness:
    def test_a_look_before_is_fine_beside_a_lock(self) -> None:
        locked = replace(TEAM, unique=[Unique("name", lock="NAME#{name}")])
        put = Pattern("p", "put", "Team", unique=("name",), checked_by="look", condition=NEW)
        assert places("W04", TABLE, TEAM, put) == ["pattern p"]
        assert places("W04", TABLE, locked, put) == []
        assert places("W05", TABLE, TEAM, put) == ["pattern p"]
        assert places("W05", TABLE, locked, put) == []

    def test_a_condition_on_the_whole_key_works(self) -> None:
        put = Pattern("p", "put", "Team", unique=("id",), condition=NEW)
        assert places("W05", TABLE, TEAM, put) == []

    def test_the_attribute_s_own_name_is_known(self) -> None:
        table = Table("App", pk="source")
        row = Entity("A", "App", keys=[Key("{source}")])
        put = Pattern("p", "put", "A", unique=("source",), condition="attribute_not_exists(source)")
        assert places("W05", table, row, put) == []


class TestTransactions:
    def members(self, number: float, *varies: str) -> Pattern:
        return Pattern(
            "t", "transaction", members=(Pattern("", "put", "Team", many=number, varies=varies),)
        )

    def test_a_hundred_items(self) -> None:
        assert places("W06", TABLE, TEAM, self.members(100, "id")) == []
        assert places("W06", TABLE, TEAM, self.members(101, "id")) == ["pattern t"]

    def test_what_varies_has_to_be_in_the_key(self) -> None:
        assert places("W06", TABLE, TEAM, self.members(2, "name")) == ["pattern t"]
        assert places("W06", TABLE, TEAM, self.members(1)) == []

    def test_the_same_key_twice(self) -> None:
        def member(kind: str, key: str) -> Pattern:
            return Pattern("", kind, "Team", key={"PK": key, "SK": "TEAM"})  # type: ignore[arg-type]

        twice = Pattern("t", "transaction", members=(member("put", "A"), member("check", "A")))
        assert places("W06", TABLE, TEAM, twice) == ["pattern t"]
        apart = replace(twice, members=(member("put", "A"), member("check", "B")))
        assert places("W06", TABLE, TEAM, apart) == []


def test_loops() -> None:
    loop = Pattern("p", "put", "Team", many=3, varies=("name",))
    assert places("W07", TABLE, TEAM, loop) == ["pattern p"]
    assert places("W07", TABLE, TEAM, replace(loop, varies=("name", "id"))) == []


class TestIndexKeys:
    def test_a_plain_attribute_is_its_own_key(self) -> None:
        table = Table("App", pk="id", indexes=[Index("by_state", pk="state")])
        row = Entity("Team", "App", keys=[Key("{id}"), Key("{state}", on="by_state")])
        change = update("SET #s = :s", names={"#s": "state"})
        assert places("W08", table, row, change) == []
        assert places("W08", TABLE, TEAM, change) == ["pattern p"]

    def test_other_fields_do_not_matter(self) -> None:
        assert places("W08", TABLE, TEAM, update("SET #n = :s", names={"#n": "name"})) == []


class TestRepeats:
    @pytest.mark.parametrize(
        "text", ["ADD n :n", "SET n = n + :n", "SET n = if_not_exists(n, :n) + :n"]
    )
    def test_counting_is_not_repeatable(self, text: str) -> None:
        assert places("W09", TABLE, TEAM, update(text, idempotent=True)) == ["pattern p"]

    @pytest.mark.parametrize("text", ["SET n = :n", "ADD tags :set", "REMOVE n"])
    def test_setting_is(self, text: str) -> None:
        assert places("W09", TABLE, TEAM, update(text, idempotent=True)) == []

    def test_a_member_that_can_happen_once_guards_the_others(self) -> None:
        count = update("ADD n :n")
        seen = Pattern("", "put", "Team", condition=NEW)
        both = Pattern("t", "transaction", members=(count, seen), idempotent=True)
        assert places("W09", TABLE, TEAM, both) == []


class TestPaths:
    def test_into_a_map_that_is_created_with_the_item(self) -> None:
        assert places("W10", TABLE, TEAM, update("SET scores.a = :n", THERE)) == []
        assert places("W10", TABLE, TEAM, update("SET scores.a = :n")) == ["pattern p"]

    def test_two_maps_deep(self) -> None:
        deep = update("SET scores.a.b = :n", THERE)
        assert places("W10", TABLE, TEAM, deep) == ["pattern p"]
        made = [replace(a, parents_created=True) for a in TEAM.attributes]
        assert places("W10", TABLE, replace(TEAM, attributes=made), deep) == []

    def test_samples_show_that_something_creates_the_maps(self) -> None:
        sample = Sample("Team", {"PK": "TEAM#1", "SK": "TEAM", "scores": {"a": {}}})
        assert places("W10", TABLE, TEAM, update("SET scores.a.b = :n", THERE), sample) == []
        assert places("W10", TABLE, TEAM, update("SET scores.z.b = :n", THERE), sample)

    def test_an_optional_map(self) -> None:
        optional = replace(TEAM, attributes=[Attribute("scores", "M", required=False)])
        assert places("W10", TABLE, optional, update("SET scores.a = :n", THERE)) == ["pattern p"]
        guarded = update("SET scores.a = :n", "attribute_exists(scores)")
        assert places("W10", TABLE, optional, guarded) == []


def test_a_condition_guards_what_was_read() -> None:
    blind = update("SET n = :n", after_read=True)
    assert places("W11", TABLE, TEAM, blind) == ["pattern p"]
    assert places("W11", TABLE, TEAM, replace(blind, condition="n = :s")) == []
    assert places("W11", TABLE, TEAM, replace(blind, after_read=False)) == []


class TestCopies:
    ENTRY = Entity(
        "Entry",
        "App",
        keys=[Key("E#{id}", "E")],
        attributes=[Attribute("team_name", copy_of="Team.name")],
    )
    RENAME = update("SET #n = :s", names={"#n": "name"})

    def test_original_and_copy_in_one_transaction(self) -> None:
        copy = Pattern("", "update", "Entry", sets=("team_name",))
        both = Pattern("t", "transaction", members=(self.RENAME, copy))
        assert places("W12", TABLE, TEAM, self.ENTRY, both) == []
        assert places("W12", TABLE, TEAM, self.ENTRY, self.RENAME) == ["attribute Entry.team_name"]

    def test_what_never_changes_needs_no_care(self) -> None:
        fixed = replace(TEAM, attributes=[Attribute("name", mutable=False)])
        assert places("W12", TABLE, fixed, self.ENTRY) == []


def test_a_value_that_is_moved_is_kept() -> None:
    lost = update("SET #n = :s", names={"#n": "name"}, preserves=("name",))
    assert places("W13", TABLE, TEAM, lost) == ["pattern p"]
    kept = replace(lost, update="SET #n = :s, previous = #n")
    assert places("W13", TABLE, TEAM, kept) == []
    assert places("W13", TABLE, TEAM, replace(lost, update="SET other = :s")) == []


def test_a_single_write_is_atomic() -> None:
    assert places("W14", TABLE, TEAM, update("SET n = :n", atomic=True)) == []
    loop = Pattern("p", "put", "Team", many=2, varies=("id",), atomic=True)
    assert places("W14", TABLE, TEAM, loop) == ["pattern p"]


def test_puts_that_do_not_say_what_they_write_are_not_judged() -> None:
    assert places("W15", TABLE, TEAM, Pattern("p", "put", "Team")) == []
    assert places("W15", TABLE, TEAM, Pattern("p", "put", "Team", sets=("name",)))
    assert places("W15", TABLE, TEAM, Pattern("p", "put", "Team", sets=("name", "state"))) == []


def test_a_query_of_the_partition_uses_all_that_is_in_it() -> None:
    everything = Pattern("page", "query", table="App", key={"PK": "TEAM#{id}"})
    assert places("W16", TABLE, TEAM, everything) == []
    other = Pattern("page", "query", table="App", key={"PK": "USER#{id}"})
    assert places("W16", TABLE, TEAM, other) == ["entity Team"]
