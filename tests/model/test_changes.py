"""Changes: their text, and what they do to a stored item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.things import Address, Color, Thing, Things, plain_changes, things

from tablewright.model.errors import RequestError
from tablewright.model.expressions.attributes import attr
from tablewright.model.expressions.changes import Action, Assign, Increase, Remove, render_changes
from tablewright.model.expressions.conditions import Value
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.expressions.places import Place


@pytest.fixture
def table() -> Iterator[Things]:
    with things() as table:
        yield table


# --- text --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (attr(Thing.status).set("paid"), "SET status = paid"),
        (attr(Thing.limit).set(attr(Thing.count)), "SET limit = count"),
        (attr(Thing.limit).set(Thing.count), "SET limit = count"),
        (attr(Thing.note).set(None), "REMOVE note"),
        (attr(Thing.tags).set(set()), "REMOVE tags"),
        (attr(Thing.note).set_if_missing("x"), "SET note = if_not_exists(note, x)"),
        (attr(Thing.note).remove(), "REMOVE note"),
        (attr(Thing.lines[1]).remove(), "REMOVE lines[1]"),
        (attr(Thing.count).add(3), "ADD count 3"),
        (attr(Thing.count).add(-3), "ADD count -3"),
        (attr(Thing.price).add(Decimal("0.10")), "ADD price 0.1"),
        (attr(Thing.ratio).add(0.1), "ADD ratio 0.1"),
        (
            attr(Thing.scores["x"]).add(3),
            "SET scores.x = if_not_exists(scores.x, 0) + 3",
        ),
        (attr(Thing.tags).add_members({"x"}), "ADD tags ['x']"),
        (attr(Thing.marks).delete_members([3]), "DELETE marks ['3']"),
        (
            attr(Thing.lines).append("x", "y"),
            "SET lines = list_append(if_not_exists(lines, []), [{'S': 'x'}, {'S': 'y'}])",
        ),
        (
            attr(Thing.lines).prepend("x"),
            "SET lines = list_append([{'S': 'x'}], if_not_exists(lines, []))",
        ),
        (attr(Thing.lines).append(), ""),
        (attr(Thing.tags).add_members([]), ""),
        (attr(Thing.tags).delete_members(set()), ""),
    ],
    ids=str,
)
def test_text(action: Action, expected: str) -> None:
    assert plain_changes(action) == expected


def test_clauses_are_written_once_each() -> None:
    text = plain_changes(
        attr(Thing.count).add(1),
        attr(Thing.status).set("paid"),
        attr(Thing.note).remove(),
        attr(Thing.tags).delete_members({"x"}),
        attr(Thing.color).set(Color.RED),
        attr(Thing.limit).add(2),
    )
    assert text == (
        "SET status = paid, color = red REMOVE note ADD count 1, limit 2 DELETE tags ['x']"
    )


def test_changes_of_attributes_without_a_field() -> None:
    key = Place(("GSI1PK",))
    assert plain_changes(Assign(key, Value({"S": "A#1"}))) == "SET GSI1PK = A#1"
    assert plain_changes(Remove(key)) == "REMOVE GSI1PK"


def test_an_action_knows_what_it_changes() -> None:
    action = attr(Thing.status).set("paid")
    assert isinstance(action, Assign)
    assert (action.field, action.whole, action.given) == ("status", True, "paid")
    assert action == attr(Thing.status).set("paid")
    assert action != attr(Thing.status).set("new")
    inner = attr(Thing.scores["x"]).add(1)
    assert isinstance(inner, Increase)
    assert (inner.field, inner.whole) == ("scores", False)


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        (attr(Thing.count).add(1), attr(Thing.count).set(3), ["Thing.count twice"]),
        (
            attr(Thing.address.city).set("x"),
            attr(Thing.address).set(None),
            ["Thing.address", "Thing.address.city"],
        ),
        (
            attr(Thing.homes).append(),
            attr(Thing.homes[0].visits).add(1),
            ["Thing.homes", "Thing.homes[0].visits"],
        ),
        (attr(Thing.lines[0]).remove(), attr(Thing.lines[0]).set("x"), ["Thing.lines[0] twice"]),
    ],
)
def test_overlapping_changes_are_refused_with_both_named(
    first: Action, second: Action, named: list[str]
) -> None:
    for actions in ((first, second), (second, first)):
        with pytest.raises(RequestError) as caught:
            render_changes(actions, Placeholders())
        assert all(name in str(caught.value) for name in named)


def test_neighbours_do_not_overlap() -> None:
    assert plain_changes(
        attr(Thing.address.city).set("x"),
        attr(Thing.address.code).set("y"),
        attr(Thing.lines[0]).set("a"),
        attr(Thing.lines[1]).set("b"),
    ).startswith("SET address.city = x, address.postcode = y, lines[0] = a, lines[1] = b")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: attr(Thing.status).set(None), "Thing.status is required"),
        (lambda: attr(Thing.count).set("x"), "ThingModel.count"),
        (lambda: attr(Thing.status).set(attr(Thing.count)), "Thing.count as N"),
        (lambda: attr(Thing.note).set_if_missing(None), "needs a value"),
        (lambda: attr(Thing.status).add(1), r"Thing.status is stored as S; add\(\) is for N"),
        (lambda: attr(Thing.flag).add(1), "is stored as BOOL"),
        (lambda: attr(Thing.count).add(True), "a whole number"),
        (lambda: attr(Thing.count).add("1"), "a whole number"),
        (lambda: attr(Thing.extra).add("1"), "a number is needed"),
        (lambda: attr(Thing.ends_at).add(60), "ThingModel.ends_at"),
        (lambda: attr(Thing.count).add(1.5), "ThingModel.count"),
        (lambda: attr(Thing.ratio).add(float("nan")), "nan"),
        (lambda: attr(Thing.price).add(Decimal("1e200")), "overflow"),
        (lambda: attr(Thing.status).append("x"), "is for L"),
        (lambda: attr(Thing.lines).append(3), "ThingModel.lines"),
        (lambda: attr(Thing.lines).add_members({"x"}), "is stored as L"),
        (lambda: attr(Thing.tags).add_members({3}), "ThingModel.tags"),
        (lambda: attr(Thing.tags).add_members("abc"), "as a set, not as 'abc'"),
    ],
)
def test_wrong_changes_are_refused_where_they_are_made(
    wrong: Callable[[], Action], message: str
) -> None:
    with pytest.raises(RequestError, match=message):
        wrong()


# --- what they do --------------------------------------------------------------------------------

START: dict[str, Any] = {
    "status": "new",
    "count": 5,
    "price": Decimal("1.5"),
    "tags": {"a", "b"},
    "lines": ["x", "y"],
    "address": Address(city="Ulm", lines=["l"], visits=2, tags={"t"}),
    "scores": {"x": 1},
}


@pytest.mark.parametrize(
    ("actions", "changed"),
    [
        ([attr(Thing.status).set("paid")], {"status": "paid"}),
        ([attr(Thing.owner).set("Ada")], {"owner": "Ada"}),
        ([attr(Thing.limit).set(attr(Thing.count))], {"limit": 5}),
        ([attr(Thing.count).set(1), attr(Thing.limit).set(Thing.count)], {"count": 1, "limit": 5}),
        ([attr(Thing.made_at).set(datetime(2026, 1, 2, tzinfo=UTC))], ...),
        ([attr(Thing.ends_at).set(datetime(2026, 1, 2, tzinfo=UTC))], ...),
        ([attr(Thing.digest).set(b"\0\xff")], {"digest": b"\0\xff"}),
        ([attr(Thing.color).set(Color.BLUE)], {"color": Color.BLUE}),
        ([attr(Thing.status).set_if_missing("paid")], {}),
        ([attr(Thing.note).set_if_missing("n")], {"note": "n"}),
        ([attr(Thing.lines).remove()], {"lines": None}),
        ([attr(Thing.lines[0]).remove()], {"lines": ["y"]}),
        ([attr(Thing.lines[1]).set("z")], {"lines": ["x", "z"]}),
        ([attr(Thing.count).add(-7)], {"count": -2}),
        ([attr(Thing.limit).add(2)], {"limit": 2}),
        ([attr(Thing.price).add(Decimal("0.01"))], {"price": Decimal("1.51")}),
        ([attr(Thing.ratio).add(0.1)], {"ratio": 0.1}),
        ([attr(Thing.tags).add_members({"b", "c"})], {"tags": {"a", "b", "c"}}),
        ([attr(Thing.marks).add_members({1, 2})], {"marks": {1, 2}}),
        ([attr(Thing.tags).delete_members({"b", "z"})], {"tags": {"a"}}),
        ([attr(Thing.tags).delete_members({"a", "b"})], {"tags": None}),
        ([attr(Thing.tags).set(set())], {"tags": None}),
        ([attr(Thing.tags).add_members(set())], {}),
        ([attr(Thing.lines).append("z", "w")], {"lines": ["x", "y", "z", "w"]}),
        ([attr(Thing.lines).prepend("z", "w")], {"lines": ["z", "w", "x", "y"]}),
        ([attr(Thing.history).append(1, 2)], {"history": (1, 2)}),
        ([attr(Thing.colors).append(Color.RED, None)], {"colors": [Color.RED, None]}),
        ([attr(Thing.lines).append()], {}),
        ([attr(Thing.scores["x"]).add(3)], {"scores": {"x": 4}}),
        ([attr(Thing.scores["new"]).add(3)], {"scores": {"x": 1, "new": 3}}),
        ([attr(Thing.scores["x"]).remove()], {"scores": {}}),
        ([attr(Thing.extra).set({"a": [1, None]})], {"extra": {"a": [1, None]}}),
    ],
)
def test_stored(table: Things, actions: list[Action], changed: Any) -> None:
    table.put(**START)
    if changed is ...:
        (action,) = actions
        assert isinstance(action, Assign)
        changed = {action.field: action.given}
    expected = {**START, **changed}
    assert table.change(*actions) == {k: v for k, v in expected.items() if v is not None}


def test_inside_a_model(table: Things) -> None:
    table.put(**START)
    after = table.change(
        attr(Thing.address.city).set("Bonn"),
        attr(Thing.address.code).set("53111"),
        attr(Thing.address.lines).append("m"),
        attr(Thing.address.visits).add(1),
        attr(Thing.address.tags).add_members({"u"}),
    )
    assert after["address"] == Address(
        city="Bonn", code="53111", lines=["l", "m"], visits=3, tags={"t", "u"}
    )
    after = table.change(attr(Thing.address.tags).delete_members({"t"}))
    assert after["address"].tags == {"u"}


def test_inside_a_list_of_models(table: Things) -> None:
    table.put(**START, homes=[Address(city="Ulm"), Address(city="Bonn")])
    after = table.change(attr(Thing.homes[1].visits).add(2), attr(Thing.homes[0].city).set("Kiel"))
    assert [(home.city, home.visits) for home in after["homes"]] == [("Kiel", 0), ("Bonn", 2)]


@given(st.lists(st.integers(-(10**30), 10**30), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_sums_are_exact_at_the_top_and_inside(amounts: list[int]) -> None:
    with things() as table:
        table.put(status="new", scores={})
        for amount in amounts:
            after = table.change(attr(Thing.limit).add(amount), attr(Thing.scores["s"]).add(amount))
        assert after["limit"] == after["scores"]["s"] == sum(amounts)
