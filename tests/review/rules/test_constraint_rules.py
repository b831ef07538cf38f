"""The rules of constraints and of time to live: what they find, and what is nearly the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import pytest
from tests.review.found import found, places

from tablewright.review.design import (
    Attribute,
    Definition,
    Entity,
    Index,
    Key,
    Limit,
    Pattern,
    Retention,
    Sample,
    Table,
    Unique,
)

TABLE = Table("App", pk="PK")


def entity(*attributes: Attribute, **rest: Any) -> Entity:
    return Entity("Team", "App", **{"keys": [Key("TEAM#{id}")], "attributes": attributes, **rest})


def test_the_primary_key_is_unique_by_itself() -> None:
    assert places("C01", TABLE, entity(unique=[Unique("id")])) == []
    assert places("C01", TABLE, entity(unique=[Unique(("id", "name"))])) == ["entity Team"]


def test_versions() -> None:
    number, text = Attribute("version", "N"), Attribute("version")
    assert places("C02", TABLE, entity(number, version="version", versioned=True)) == []
    assert places("C02", TABLE, entity(text, version="version")) == ["entity Team"]
    assert places("C02", TABLE, entity(version="version")) == ["entity Team"]
    assert places("C02", TABLE, entity()) == []


def test_a_limit_is_kept_by_a_condition() -> None:
    limit = Limit("most", "Team", enforced_by=("add",))
    assert places("C03", limit) == ["limit most"]
    assert places("C03", limit, Pattern("add", "put", "Team")) == ["limit most"]
    assert places("C03", limit, Pattern("add", "put", "Team", condition="n < :m")) == []


def test_empty_sets() -> None:
    assert places("C04", entity(Attribute("tags", "SS", may_be_empty=True)))
    assert places("C04", entity(Attribute("tags", "L", may_be_empty=True))) == []
    assert places("C04", entity(Attribute("tags", "SS"))) == []


class TestGrowth:
    def add(self, text: str, condition: str | None = None) -> Pattern:
        return Pattern("add", "update", "Team", update=text, condition=condition)

    def test_members_that_are_added_one_by_one(self) -> None:
        tags, notes = Attribute("tags", "SS"), Attribute("notes", "L")
        assert places("C05", TABLE, entity(tags), self.add("ADD tags :t"))
        appended = self.add("SET notes = list_append(notes, :n)")
        assert places("C05", TABLE, entity(notes), appended) == ["attribute Team.notes"]

    def test_what_is_replaced_does_not_grow(self) -> None:
        assert (
            places("C05", TABLE, entity(Attribute("tags", "SS")), self.add("SET tags = :t")) == []
        )
        assert places("C05", TABLE, entity(Attribute("n", "N")), self.add("ADD n :t")) == []

    def test_bounds(self) -> None:
        bounded = Attribute("tags", "SS", max_items=20)
        assert places("C05", TABLE, entity(bounded), self.add("ADD tags :t")) == []
        sized = self.add("ADD tags :t", "size(tags) < :n")
        assert places("C05", TABLE, entity(Attribute("tags", "SS")), sized) == []


def test_sizes_add_up() -> None:
    half = Attribute("a", max_bytes=204_799)
    assert places("C06", entity(half, replace(half, name="b"))) == [], "names count, too"
    assert places("C06", entity(half, replace(half, name="b"), Attribute("c", max_length=1)))
    many = Attribute("d", "L", max_items=5000, item_bytes=100)
    assert places("C06", entity(many)) == ["entity Team"]
    (finding,) = found("C06", entity(Attribute("text", free_text=True)))
    assert finding.severity == "warning"


def test_types_elsewhere_that_are_the_same() -> None:
    assert places("C07", entity(Attribute("tags", "SS", types_elsewhere=("SS",)))) == []


@pytest.mark.parametrize(
    "keys", [[Key("TEAM#{id}")], [Key("X"), Key("{id}", on="by_id")]], ids=["primary", "index"]
)
def test_references_by_a_key_can_be_followed(keys: list[Key]) -> None:
    plan = Entity("Plan", "App", attributes=[Attribute("team", refers="Team.id")])
    assert places("C10", entity(keys=keys), plan) == []
    assert places("C10", plan) == ["attribute Plan.team"], "there is no Team"


def test_a_reference_by_a_unique_value_can_be_followed() -> None:
    plan = Entity("Plan", "App", attributes=[Attribute("team", refers="Team.name")])
    assert places("C10", entity(), plan) == ["attribute Plan.team"]
    assert places("C10", entity(unique=[Unique("name", lock="N#{name}")]), plan) == []


class TestDefinitions:
    BODY: ClassVar[dict[str, Any]] = {
        "TableName": "App",
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
    }

    def test_the_same_in_two_places(self) -> None:
        assert places("C12", TABLE, Definition("App", "the template", self.BODY)) == []
        assert places("C13", TABLE, Definition("App", "the template", self.BODY)) == []

    @pytest.mark.parametrize(
        ("change", "part"),
        [
            ({"TableName": "${Stack}-table"}, "the name"),
            ({"KeySchema": [{"AttributeName": "id"}]}, "the key"),
            ({"BillingMode": "PROVISIONED"}, "billing"),
            ({"GlobalSecondaryIndexes": [{"IndexName": "G"}]}, "the list of indexes"),
        ],
    )
    def test_a_difference(self, change: dict[str, Any], part: str) -> None:
        body = {**self.BODY, **change}
        messages = [f.message for f in found("C12", TABLE, Definition("App", "the template", body))]
        assert any(message.startswith(part) for message in messages)

    def test_projections_are_compared(self) -> None:
        table = replace(TABLE, indexes=[Index("G", pk="X", projection=("a", "b"))])
        index = {
            "IndexName": "G",
            "KeySchema": [{"AttributeName": "X"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["b", "a"]},
        }
        body = {**self.BODY, "GlobalSecondaryIndexes": [index]}
        assert places("C12", table, Definition("App", "t", body)) == []
        index["Projection"] = {"ProjectionType": "ALL"}
        assert places("C12", table, Definition("App", "t", body)) == ["table App"]

    @pytest.mark.parametrize(
        "change",
        [
            {"KeySchema": [{"AttributeName": "id"}]},
            {"AttributeDefinitions": []},
            {"BillingMode": "PROVISIONED"},
            {"ProvisionedThroughput": {"ReadCapacityUnits": 1}},
        ],
    )
    def test_what_create_table_refuses(self, change: dict[str, Any]) -> None:
        assert places("C13", Definition("App", "t", {**self.BODY, **change}))


class TestTimeToLive:
    ENDS = Attribute("ends", "N", format="epoch_seconds")
    TABLE = Table("App", pk="PK", ttl="ends")

    def test_retention(self) -> None:
        kept = Retention(days=30)
        assert places("T01", self.TABLE, entity(self.ENDS, retention=kept)) == []
        assert places("T01", self.TABLE, entity(retention=kept)) == ["entity Team"]
        assert places("T01", TABLE, entity(self.ENDS, retention=kept)) == ["entity Team"]

    @pytest.mark.parametrize(
        ("value", "wrong"),
        [(1_769_860_800, False), (1_769_860_800_000, True), ("2026-01-31T12:00:00Z", True)],
    )
    def test_units_of_samples(self, value: object, wrong: bool) -> None:
        sample = Sample("Team", {"PK": "TEAM#1", "ends": value})
        untyped = Attribute("ends", "")
        assert bool(places("T02", self.TABLE, entity(untyped), sample)) is wrong

    def test_a_filter_on_the_attribute_drops_the_expired(self) -> None:
        team = entity(self.ENDS, ttl="ends")
        query = Pattern("p", "query", "Team")
        assert places("T03", self.TABLE, team, query) == ["pattern p"]
        assert places("T03", self.TABLE, team, replace(query, filter="ends > :now")) == []
        named = replace(query, filter="#e > :now", names={"#e": "ends"})
        assert places("T03", self.TABLE, team, named) == []
        assert places("T03", self.TABLE, entity(), query) == [], "it never ends"

    def test_the_table_looks_at_one_name(self) -> None:
        assert places("T04", self.TABLE, entity(self.ENDS, ttl="ends")) == []
        assert places("T04", self.TABLE, entity(ttl="expires")) == ["attribute Team.expires"]

    def test_backups(self) -> None:
        team = entity(self.ENDS, retention=Retention(days=30))
        assert places("T06", replace(self.TABLE, pitr=True), team) == ["table App"]
        assert places("T06", replace(self.TABLE, pitr=7), team) == []
        assert places("T06", self.TABLE, team) == []
