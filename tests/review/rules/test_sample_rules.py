"""The rules of samples: what they find, and what is nearly the same and fine."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any, ClassVar

import pytest
from tests.review.found import found, places

from tablewright.review.design import Attribute, Entity, Index, Key, Sample, Table
from tablewright.review.relations import Unknown, holds

TABLE = Table("App", pk="PK", sk="SK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])
USER = Entity(
    "User",
    "App",
    keys=[Key("USER#{id}", "USER"), Key("TEAM#{team}", "USER#{id}", on="GSI1")],
    attributes=[
        Attribute("id"),
        Attribute("team", required=False),
        Attribute("state", values=("new", "old")),
    ],
)
GOOD: dict[str, Any] = {
    "PK": "USER#1",
    "SK": "USER",
    "GSI1PK": "TEAM#7",
    "GSI1SK": "USER#1",
    "id": "1",
    "team": "7",
    "state": "new",
}


def sample(**changes: object) -> Sample:
    item = {name: value for name, value in {**GOOD, **changes}.items() if value is not ...}
    return Sample("User", item)


def test_a_good_sample() -> None:
    for code in ("S01", "S02", "S03", "S04", "S05", "S08", "S09"):
        assert places(code, TABLE, USER, sample()) == []


def test_the_wire_s_own_form_is_read_too() -> None:
    wire = {name: {"S": value} for name, value in GOOD.items()}
    assert places("S01", TABLE, USER, Sample("User", wire)) == []
    assert places("S01", TABLE, USER, Sample("User", {**wire, "team": {"S": "8"}}))


class TestKeys:
    @pytest.mark.parametrize(
        "changes",
        [{"PK": "U#1"}, {"PK": ...}, {"id": "2"}, {"GSI1SK": ...}, {"team": "8"}],
        ids=["template", "absent", "field", "index", "index field"],
    )
    def test_contradictions(self, changes: dict[str, object]) -> None:
        assert places("S01", TABLE, USER, sample(**changes))

    def test_who_has_no_team_is_not_in_the_index(self) -> None:
        assert places("S01", TABLE, USER, sample(team=..., GSI1PK=..., GSI1SK=...)) == []

    def test_a_sparse_index(self) -> None:
        sparse = replace(USER, keys=[USER.keys[0], replace(USER.keys[1], when={"state": ("old",)})])
        assert places("S01", TABLE, sparse, sample(GSI1PK=..., GSI1SK=...)) == []


class TestValues:
    @pytest.mark.parametrize("changes", [{"state": "open"}, {"state": 1}, {"state": ...}])
    def test_contradictions(self, changes: dict[str, object]) -> None:
        assert places("S02", TABLE, USER, sample(**changes)) == ["sample User"]

    def test_what_stands_in_the_key_need_not_be_stored(self) -> None:
        assert places("S02", TABLE, USER, sample(id=...)) == []

    def test_what_only_a_state_requires(self) -> None:
        score = Attribute("score", "N", required_when={"state": "old"})
        user = replace(USER, attributes=[*USER.attributes, score])
        assert places("S02", TABLE, user, sample()) == []
        assert places("S02", TABLE, user, sample(state="old")) == ["sample User"]

    def test_sets_are_lists_in_json(self) -> None:
        user = replace(USER, attributes=[Attribute("tags", "SS", max_items=2)])
        assert places("S02", TABLE, user, sample(tags=["a", "b"])) == []
        assert places("S02", TABLE, user, sample(tags=["a", "b", "c"])) == ["sample User"]


class TestForms:
    def test_examples_of_an_attribute(self) -> None:
        def user(example: str) -> Entity:
            at = Attribute("at", pattern=r"^\d{4}$", examples=(example,))
            return Entity("User", "App", attributes=[at])

        assert places("S03", user("2026")) == []
        assert places("S03", user("26")) == ["attribute User.at"]

    def test_components_that_stand_only_in_a_key(self) -> None:
        user = replace(USER, attributes=[Attribute("id", format="ulid")])
        assert places("S03", TABLE, user, sample(id=...)) == ["sample User"]
        ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
        assert places("S03", TABLE, user, sample(PK=f"USER#{ulid}", GSI1SK=..., id=...)) == []

    @pytest.mark.parametrize(
        ("form", "value", "wrong"),
        [
            ("epoch_seconds", 1_769_860_800, False),
            ("epoch_seconds", 1_769_860_800_000, True),
            ("epoch_millis", 1_769_860_800, True),
        ],
    )
    def test_epochs(self, form: str, value: int, wrong: bool) -> None:
        user = replace(USER, attributes=[Attribute("at", "N", format=form)])
        assert bool(places("S03", TABLE, user, sample(at=value))) is wrong

    @pytest.mark.parametrize(
        ("value", "wrong"),
        [
            ("2026-01-31T12:00:00Z", False),
            ("2026-01-31T12:00:00.5+02:00", False),
            ("2026-01-31T12:00:00", False),
            ("2026-01-31 12:00", True),
            ("12026-01-31T12:00:00Z", True),
        ],
    )
    def test_times_need_no_zone(self, value: str, wrong: bool) -> None:
        user = replace(USER, attributes=[Attribute("at", format="iso")])
        assert bool(places("S03", TABLE, user, sample(at=value))) is wrong


class TestRelations:
    VALUES: ClassVar[dict[str, object]] = {
        "a": Decimal(2),
        "b": Decimal("0.5"),
        "at": Decimal(1_769_860_800),
        "day": "20260131",
        "text": "2026-01-31T23:30:00+02:00",
    }

    @pytest.mark.parametrize(
        "relation",
        [
            "a == b * 4",
            "a - b > 1",
            "a / b == 4",
            "day(at) == day(day)",
            "seconds(day) + 86400 > at",
            "day(text) == '2026-01-31'",
            "at < seconds(day) + 1 * days",
            "size(day) == 8",
        ],
    )
    def test_that_hold(self, relation: str) -> None:
        assert holds(relation, self.VALUES)[0]

    @pytest.mark.parametrize("relation", ["a == b", "day(at) == '2025-01-31'", "a < b"])
    def test_that_do_not(self, relation: str) -> None:
        assert not holds(relation, self.VALUES)[0]

    @pytest.mark.parametrize(
        "relation",
        [
            "a == missing",
            "__import__('os') == 1",
            "a",
            "a ==",
            "a < day",
            "a.real == 2",
            "a / 0 > 1",
        ],
    )
    def test_that_cannot_be_judged(self, relation: str) -> None:
        with pytest.raises(Unknown):
            holds(relation, self.VALUES)

    def test_numbers_are_shown_as_they_are(self) -> None:
        number = Decimal("1" * 38)
        assert holds("number == 1", {"number": number}) == (False, f"{'1' * 38} and 1")

    def test_what_cannot_be_judged_is_not_found(self) -> None:
        user = replace(USER, relations=("total == missing",))
        assert places("S04", TABLE, user, sample()) == []


class TestTimes:
    @pytest.mark.parametrize(
        ("first", "second"),
        [("created_at", "updated_at"), ("start_date", "end_date"), ("createdAt", "updatedAt")],
    )
    def test_the_end_is_not_before_the_beginning(self, first: str, second: str) -> None:
        early, late = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
        assert places("S05", TABLE, USER, sample(**{first: early, second: late})) == []
        assert places("S05", TABLE, USER, sample(**{first: early, second: early})) == []
        assert places("S05", TABLE, USER, sample(**{first: late, second: early}))

    def test_forms_in_several_samples(self) -> None:
        user = replace(USER, attributes=[Attribute("at")])
        same = [sample(at=f"2026-01-0{n}T00:00:00Z") for n in (1, 2)]
        assert places("S06", TABLE, user, *same) == []
        other = sample(at="2026-01-03T00:00:00.000Z")
        (finding,) = found("S06", TABLE, user, *same, other)
        assert finding.severity == "note", "it is no part of a key"


def test_counts() -> None:
    team = Entity("Team", "App", attributes=[Attribute("members", "N", counts="User")])
    assert places("S07", TABLE, team, USER, Sample("Team", {"members": 1}), sample()) == []
    assert places("S07", TABLE, team, USER, Sample("Team", {"members": 2}), sample())


def test_nobody_shows_all_of_many() -> None:
    team = Entity("Team", "App", attributes=[Attribute("members", "N", counts="User")])
    many = Sample("Team", {"members": 3000})
    assert places("S07", TABLE, team, USER, many, sample()) == []
    assert places("S07", TABLE, team, USER, many) == ["sample Team"]


class TestReadable:
    def test_comments_are_said_and_then_left_out(self) -> None:
        text = '{"PK": "USER#1", "SK": "USER", // the profile\n "url": "https://x", "state": "bad"}'
        assert places("S08", TABLE, USER, Sample("User", text)) == ["sample User"]
        assert places("S02", TABLE, USER, Sample("User", text)) == ["sample User"]

    def test_what_cannot_be_stored(self) -> None:
        user = replace(USER, attributes=[Attribute("tags", "SS")])
        assert places("S08", TABLE, user, sample(tags=[])) == ["sample User"]
        assert places("S08", TABLE, user, sample(tags=["a"])) == []


def test_references() -> None:
    team = Entity("Team", "App", attributes=[Attribute("leader", refers="User.id")])
    good, bad = Sample("Team", {"leader": "1"}), Sample("Team", {"leader": "9"})
    assert places("S09", TABLE, team, USER, good, sample()) == []
    assert places("S09", TABLE, team, USER, bad, sample()) == ["sample Team"]
    assert places("S09", TABLE, team, USER, bad) == [], "there is nothing to refer to"


class TestPaddedComponents:
    TABLE = Table("Log", pk="PK", sk="SK")
    LINE = Entity(
        "Line",
        "Log",
        keys=(Key("LOG#{name}", "{n:08d}"),),
        attributes=(Attribute("name"), Attribute("n", "N")),
    )

    def test_a_padded_number_is_the_stored_one(self) -> None:
        item = {"PK": "LOG#a", "SK": "00000005", "name": "a", "n": 5}
        assert places("S01", self.TABLE, self.LINE, Sample("Line", item)) == []

    def test_another_padded_number_is_found(self) -> None:
        item = {"PK": "LOG#a", "SK": "00000006", "name": "a", "n": 5}
        assert places("S01", self.TABLE, self.LINE, Sample("Line", item)) != []
