"""References to fields, the places they stand for, and what attr() makes of them."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from tests.model.things import FIELDS, Color, Thing

from tablewright.model.errors import RequestError
from tablewright.model.expressions.attributes import attr
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.expressions.places import Place, field_ref, some


def test_the_place_of_a_field_is_its_attribute() -> None:
    owner = attr(Thing.owner)
    assert owner.path == ("Name of the #1 owner.",)
    assert owner.field == "owner"
    assert owner.storage is FIELDS["owner"].storage
    assert repr(owner) == "attr(Thing.owner)"


@pytest.mark.parametrize(
    ("reference", "path", "kind"),
    [
        (Thing.address.city, ("address", "city"), "S"),
        (Thing.address.code, ("address", "postcode"), "S"),
        (Thing.address.lines[1], ("address", "lines", 1), "S"),
        (Thing.homes[0].visits, ("homes", 0, "visits"), "N"),
        (Thing.scores["some key"], ("scores", "some key"), "N"),
        (Thing.by_color[Color.RED], ("by_color", "red"), "N"),
        (Thing.history[2], ("history", 2), "N"),
        (Thing.extra["a"][0], ("extra", "a", 0), "ANY"),
        (some(Thing.address).city, ("address", "city"), "S"),
    ],
    ids=str,
)
def test_references_go_into_models_dicts_and_lists(
    reference: object, path: tuple[str | int, ...], kind: str
) -> None:
    found = attr(reference)
    assert found.path == path
    assert found.storage.kind == kind
    assert found.field == path[0]


def test_the_name_of_a_place_is_the_one_of_the_declaration() -> None:
    assert repr(attr(Thing.homes[0].code)) == "attr(Thing.homes[0].code)"
    assert repr(attr(Thing.scores["x"])) == 'attr(Thing.scores["x"])'
    assert str(Place(("GSI1PK",))) == "GSI1PK"


def test_a_misspelt_member_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"Thing\.address\.town"):
        _ = Thing.address.town
    with pytest.raises(AttributeError, match=r"Thing\.status\.city"):
        _ = Thing.status.city


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Thing.status[0], "Thing.status is stored as S: it has no positions"),
        (lambda: Thing.lines["x"], "Thing.lines is stored as L: it has no members"),
        (lambda: Thing.lines[-1], "count from 0"),
        (lambda: Thing.lines[True], "a position"),
        (lambda: attr("paid"), r"attr\(Order.status\), not 'paid'"),
        (lambda: attr(None), "the value itself"),
        (lambda: Thing.status == "new", r"write attr\(Thing.status\)"),
        (lambda: Thing.status != "new", r"write attr\(Thing.status\)"),
        (lambda: Thing.count < 3, r"write attr\(Thing.count\)"),
        (lambda: "x" in Thing.tags, r"write attr\(Thing.tags\)"),
    ],
)
def test_wrong_uses_say_what_to_write(wrong: object, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        wrong()  # type: ignore[operator]


def test_a_reference_cannot_be_walked_for_ever() -> None:
    with pytest.raises(TypeError):
        iter(Thing.lines)


def test_a_reference_survives_what_python_asks_of_any_object() -> None:
    reference = Thing.address
    assert attr(copy.copy(reference)).path == ("address",)
    assert not hasattr(reference, "__len__")
    assert not hasattr(reference, "_private")
    assert len({reference: 1}) == 1
    assert repr(reference) == "<field Thing.address>"


def test_required_is_what_has_neither_default_nor_none() -> None:
    with pytest.raises(RequestError, match=r"Thing\.status is required"):
        attr(Thing.status).remove()
    attr(Thing.note).remove()
    attr(Thing.count).remove()
    # An absent set is read as an empty one, whatever its declaration says.
    bare = replace(FIELDS["tags"], has_default=False)
    attr(field_ref("Thing", bare)).remove()


# --- placeholders ------------------------------------------------------------------------------


def test_every_name_has_one_placeholder() -> None:
    holders = Placeholders()
    assert holders.name("status") == "#n0"
    assert holders.name("size") == "#n1"
    assert holders.name("status") == "#n0"
    assert holders.names == {"#n0": "status", "#n1": "size"}


def test_equal_scalars_share_a_placeholder_and_others_do_not() -> None:
    holders = Placeholders()
    given = [{"S": "1"}, {"N": "1"}, {"S": "1"}, {"BOOL": True}, {"BOOL": True}, {"NULL": True}]
    assert [holders.value(av) for av in given] == [":v0", ":v1", ":v0", ":v2", ":v2", ":v3"]
    assert holders.value({"L": []}) != holders.value({"L": []})
    assert list(holders.values.values())[:4] == [
        {"S": "1"},
        {"N": "1"},
        {"BOOL": True},
        {"NULL": True},
    ]


def test_paths_join_names_with_dots_and_positions_without() -> None:
    holders = Placeholders()
    assert holders.path(("a", "b", 0, 1, "a")) == "#n0.#n1[0][1].#n0"
