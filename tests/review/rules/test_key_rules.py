"""The rules of keys: what they find, and what is nearly the same and fine."""

from __future__ import annotations

import pytest
from tests.review.found import found, places

from tablewright.review.design import Attribute, Between, Entity, Index, Key, Part, Pattern, Table

TABLE = Table("App", pk="PK", sk="SK")


def entity(name: str, pk: str, sk: str | None, *attributes: Attribute, **rest: object) -> Entity:
    return Entity(name, "App", keys=[Key(pk, sk)], attributes=attributes, **rest)  # type: ignore[arg-type]


class TestCollisions:
    def test_an_example_is_shown(self) -> None:
        (finding,) = found(
            "K01", TABLE, entity("A", "X#{a}", "{b}#@{c}"), entity("B", "X#{d}", "{e}#{f}")
        )
        assert "'X#x' / 'x#@x'" in finding.message

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            # The partition differs, or the sort key does.
            (("USER#{a}", "PROFILE"), ("ORG#{a}", "PROFILE")),
            (("USER#{a}", "PROFILE"), ("USER#{a}", "ORDER#{b}")),
            # A literal that the other's component cannot become: it has the delimiter.
            (("USER#{a}", "COST#{b}"), ("USER#{a}", "COST#SUMMARY#{b}")),
        ],
    )
    def test_keys_that_cannot_meet(self, first: tuple[str, str], second: tuple[str, str]) -> None:
        assert places("K01", TABLE, entity("A", *first), entity("B", *second)) == []

    def test_formats_and_values_tell_keys_apart(self) -> None:
        at = Attribute("at", format="iso_seconds")
        kind = Attribute("kind", values=("a", "b"))
        assert (
            places("K01", TABLE, entity("A", "P", "{at}", at), entity("B", "P", "{kind}", kind))
            == []
        )
        free = Attribute("kind")
        assert places("K01", TABLE, entity("A", "P", "{at}", at), entity("B", "P", "{kind}", free))

    def test_entities_of_other_tables_do_not_matter(self) -> None:
        other = Entity("B", "Other", keys=[Key("X#{a}", "Y")])
        assert places("K01", TABLE, Table("Other"), entity("A", "X#{a}", "Y"), other) == []

    def test_one_namespace_for_two_kinds_is_fine_if_every_put_is_new(self) -> None:
        parts: tuple[Part, ...] = (TABLE, entity("A", "N#{n}", "N"), entity("B", "N#{n}", "N"))
        guarded = [
            Pattern(f"new_{name}", "put", name, condition="attribute_not_exists(PK)")
            for name in ("A", "B")
        ]
        assert places("K01", *parts, *guarded) == []
        assert places("K01", *parts, guarded[0], Pattern("new_B", "put", "B")) == ["entity B"]

    def test_and_a_note_if_that_is_not_known(self) -> None:
        puts = [Pattern(f"new_{name}", "put", name, opaque=True) for name in ("A", "B")]
        (finding,) = found(
            "K01", TABLE, entity("A", "N#{n}", "N"), entity("B", "N#{n}", "N"), *puts
        )
        assert finding.severity == "note"


class TestPastedText:
    @pytest.mark.parametrize(
        "attribute",
        [
            Attribute("app", format="uuid"),
            Attribute("app", values=("a", "b")),
            Attribute("app", pattern="[a-z0-9_-]+"),
            Attribute("app", "N"),
            Attribute("app", free_text=False),
        ],
    )
    def test_what_cannot_hold_the_delimiter(self, attribute: Attribute) -> None:
        assert places("K02", TABLE, entity("A", "X#{app}#{b}", "Y", attribute)) == []

    @pytest.mark.parametrize(
        "attribute",
        [Attribute("app"), Attribute("app", pattern=".+"), Attribute("app", values=("a", "b#c"))],
    )
    def test_what_can(self, attribute: Attribute) -> None:
        assert places("K02", TABLE, entity("A", "X#{app}#{b}", "Y", attribute))

    def test_at_the_end_it_forges_nothing(self) -> None:
        assert places("K02", TABLE, entity("A", "X#{app}", "Y", Attribute("app"))) == []

    def test_escaped_keys_are_safe(self) -> None:
        key = Key("X#{app}#{b}", "Y", escaped=True)
        assert places("K02", TABLE, Entity("A", "App", keys=[key])) == []

    def test_the_table_s_own_delimiter_counts(self) -> None:
        table = Table("App", pk="PK", sk="SK", delimiter="|")
        attribute = Attribute("app", pattern="[a-z#]+")
        assert places("K02", table, entity("A", "X|{app}|{b}", "Y", attribute)) == []


class TestOrder:
    SCORE = Attribute("n", "N")

    def parts(self, sk: str, attribute: Attribute, **rest: object) -> tuple[Part, ...]:
        key = {"PK": "G#{g}", **rest.pop("key", {})}  # type: ignore[dict-item]
        pattern = Pattern("p", "query", "A", key=key, **rest)  # type: ignore[arg-type]
        return TABLE, entity("A", "G#{g}", sk, attribute), pattern

    def test_numbers_without_a_width(self) -> None:
        assert places("K03", *self.parts("S#{n}", self.SCORE, limit=10))
        assert places("K03", *self.parts("S#{n:05d}", self.SCORE, limit=10)) == []

    def test_only_if_something_rests_on_the_order(self) -> None:
        assert places("K03", *self.parts("S#{n}", self.SCORE)) == []

    def test_what_comes_after_the_ordering_component_does_not_matter(self) -> None:
        parts = self.parts("{at}#{n}", self.SCORE, key={"SK": Between("{from}", "{to}")})
        assert places("K03", *parts) == []

    def test_what_is_given_does_not_matter(self) -> None:
        at = Attribute("at", format="iso_seconds")
        parts = self.parts("{n}#{at}", self.SCORE, key={"SK": Between("{n}#{a}", "{n}#{b}")})
        assert (
            places("K03", parts[0], entity("A", "G#{g}", "{n}#{at}", self.SCORE, at), parts[2])
            == []
        )

    def test_a_number_attribute_sorts_by_itself(self) -> None:
        table = Table("App", pk="PK", sk="n:N")
        pattern = Pattern("p", "query", "A", key={"PK": "G#{g}"}, descending=True)
        assert places("K03", table, entity("A", "G#{g}", "{n}", self.SCORE), pattern) == []

    def test_times_of_several_forms(self) -> None:
        mixed, one = Attribute("at", format="iso"), Attribute("at", format="iso_millis")
        assert places("K03", *self.parts("{at}", mixed, descending=True))
        assert places("K03", *self.parts("{at}", one, descending=True)) == []


def test_optional_components_of_an_index_key_are_fine() -> None:
    sparse = Entity(
        "A",
        "App",
        keys=[Key("X#{id}", "Y"), Key("T#{team}", "Y", on="GSI1")],
        attributes=[Attribute("id"), Attribute("team", required=False, mutable=True)],
    )
    table = Table("App", sk="SK", indexes=[Index("GSI1", pk="P", sk="S")])
    assert places("K04", table, sparse) == []
    primary = entity("A", "X#{id}", "{team}", Attribute("team", required=False, mutable=True))
    assert len(found("K04", TABLE, primary)) == 2


def test_a_default_is_always_there() -> None:
    assert (
        places(
            "K04", TABLE, entity("A", "X#{id}", "Y", Attribute("id", required=False, default=True))
        )
        == []
    )


def test_empty_keys() -> None:
    assert places("K05", TABLE, entity("A", "", "Y")) == ["key A[primary]"]
    assert places("K05", TABLE, entity("A", "{n}", "Y", Attribute("n", may_be_empty=True)))
    assert places("K05", TABLE, entity("A", "N#{n}", "Y", Attribute("n", may_be_empty=True))) == []


def test_long_keys() -> None:
    long = Attribute("n", max_length=1030)
    assert places("K06", TABLE, entity("A", "X", "{n}", long)) == ["key A[primary]"]
    assert places("K06", TABLE, entity("A", "{n}", "X", long)) == []


class TestTypes:
    def test_a_number_in_a_composed_text_is_fine(self) -> None:
        assert places("K07", TABLE, entity("A", "X#{n}", "Y", Attribute("n", "N"))) == []

    def test_a_flag_in_a_composed_text_is_fine(self) -> None:
        assert places("K07", TABLE, entity("A", "X#{f}", "Y", Attribute("f", "BOOL"))) == []

    def test_a_key_attribute_that_another_entity_stores_otherwise(self) -> None:
        table = Table("App", pk="PK", sk="SK", indexes=[Index("by", pk="state")])
        stranger = entity("A", "X#{id}", "Y", Attribute("state", "M"))
        assert places("K07", table, stranger) == ["attribute A.state"]

    def test_declared_types(self) -> None:
        assert places("K07", Table("App", pk="id:BOOL")) == ["table App"]


def test_identity_may_be_anywhere_in_the_key() -> None:
    assert places("K08", TABLE, entity("A", "X#{a}", "Y#{b}", identity=("b", "a"))) == []
    assert places("K08", TABLE, entity("A", "X#{a}", "Y", identity=("b", "a"))) == ["entity A"]


def test_constant_sort_keys_matter_only_if_an_index_has_to_help() -> None:
    people = entity("A", "X#{a}", "PROFILE"), entity("B", "Z#{b}", "PROFILE")
    query = Pattern("p", "query", "A", index="GSI1")
    assert places("K09", TABLE, *people, query) == ["table App"]
    assert places("K09", TABLE, *people) == []
    assert places("K09", TABLE, *people, entity("C", "X#{a}", "C#{c}"), query) == []
