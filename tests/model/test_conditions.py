"""Conditions: their text, their parameters, and whether an engine finds them true."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.model.things import Address, Color, Thing, Things, item, plain, text, things
from tests.sampling import many

from tablewright.model.errors import RequestError
from tablewright.model.expressions.attributes import attr
from tablewright.model.expressions.conditions import And, Condition, Or, Place, exists, param

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


# --- text --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (attr(Thing.status) == "new", "status = new"),
        (attr(Thing.status) != "new", "status <> new"),
        (attr(Thing.count) < 3, "count < 3"),
        (attr(Thing.count) <= 3, "count <= 3"),
        (attr(Thing.count) > 3, "count > 3"),
        (attr(Thing.count) >= 3, "count >= 3"),
        (attr(Thing.count).eq(3), "count = 3"),
        (attr(Thing.count).ne(3), "count <> 3"),
        (attr(Thing.count).lt(3), "count < 3"),
        (attr(Thing.count).le(3), "count <= 3"),
        (attr(Thing.count).gt(3), "count > 3"),
        (attr(Thing.count).ge(3), "count >= 3"),
        (attr(Thing.count) < attr(Thing.limit), "count < limit"),
        (attr(Thing.count) < Thing.limit, "count < limit"),
        (attr(Thing.note).eq(None), "attribute_not_exists(note)"),
        (attr(Thing.note).ne(None), "attribute_exists(note)"),
        (attr(Thing.tags).eq(set()), "attribute_not_exists(tags)"),
        (attr(Thing.count).between(1, 3), "count BETWEEN 1 AND 3"),
        (attr(Thing.count).between(3, 3), "count BETWEEN 3 AND 3"),
        (attr(Thing.count).between(3, 1), "count >= 3 AND count <= 1"),
        (attr(Thing.count).between(1, attr(Thing.limit)), "count BETWEEN 1 AND limit"),
        (attr(Thing.status).is_in(["a", "b"]), "status IN (a, b)"),
        (attr(Thing.note).is_in(["a", None]), "note IN (a) OR attribute_not_exists(note)"),
        (
            attr(Thing.note).is_in([]),
            "attribute_exists(note) AND attribute_not_exists(note)",
        ),
        (attr(Thing.status).begins_with("n"), "begins_with(status, n)"),
        (attr(Thing.digest).begins_with(b"n"), "begins_with(digest, bg==)"),
        (attr(Thing.color).begins_with("r"), "begins_with(color, r)"),
        (attr(Thing.status).contains("n"), "contains(status, n)"),
        (attr(Thing.tags).contains("x"), "contains(tags, x)"),
        (attr(Thing.marks).contains(3), "contains(marks, 3)"),
        (attr(Thing.lines).contains("x"), "contains(lines, x)"),
        (attr(Thing.colors).contains(None), "contains(colors, True)"),
        (attr(Thing.note).exists(), "attribute_exists(note)"),
        (attr(Thing.note).missing(), "attribute_not_exists(note)"),
        (attr(Thing.note).has_type("S"), "attribute_type(note, S)"),
        (attr(Thing.lines).size() == 3, "size(lines) = 3"),
        (attr(Thing.lines).size() != 3, "size(lines) <> 3"),
        (attr(Thing.lines).size() < 3, "size(lines) < 3"),
        (attr(Thing.lines).size() <= 3, "size(lines) <= 3"),
        (attr(Thing.lines).size() > 3, "size(lines) > 3"),
        (attr(Thing.lines).size() >= 3, "size(lines) >= 3"),
        (attr(Thing.lines).size().between(1, 3), "size(lines) BETWEEN 1 AND 3"),
        (attr(Thing.address.code) == "1", "address.postcode = 1"),
        (attr(Thing.homes[2].city) == "x", "homes[2].city = x"),
    ],
    ids=str,
)
def test_text(condition: Condition, expected: str) -> None:
    assert plain(condition) == expected


A, B, C = (attr(Thing.status) == letter for letter in "abc")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (A & B & C, "status = a AND status = b AND status = c"),
        (A | B | C, "status = a OR status = b OR status = c"),
        (A & (B & C), "status = a AND status = b AND status = c"),
        (A & (B | C), "status = a AND (status = b OR status = c)"),
        (A | (B & C), "status = a OR (status = b AND status = c)"),
        (~A, "NOT status = a"),
        (~~A, "status = a"),
        (~(A | B) & C, "NOT (status = a OR status = b) AND status = c"),
    ],
    ids=str,
)
def test_joined(condition: Condition, expected: str) -> None:
    assert plain(condition) == expected


def test_every_name_and_value_is_a_placeholder() -> None:
    condition = (attr(Thing.owner) == "x") & (attr(Thing.status) == "x") & (attr(Thing.count) > 1)
    assert text(condition) == (
        "#n0 = :v0 AND #n1 = :v0 AND #n2 > :v1",
        {"#n0": "Name of the #1 owner.", "#n1": "status", "#n2": "count"},
        {":v0": {"S": "x"}, ":v1": {"N": "1"}},
    )


def test_many_choices_become_several_ins() -> None:
    condition = attr(Thing.count).is_in(range(250))
    assert isinstance(condition, Or)
    assert plain(condition & A).count(" IN (") == 3
    assert plain(condition & A).startswith("(count IN (0, 1,")


def test_values_are_stored_as_their_field_is() -> None:
    assert text(attr(Thing.made_at) < NEW_YEAR)[2] == {":v0": {"S": "2026-01-01T00:00:00.000000Z"}}
    assert text(attr(Thing.ends_at) < NEW_YEAR)[2] == {":v0": {"N": "1767225600"}}
    assert text(attr(Thing.flag).eq(True))[2] == {":v0": {"BOOL": True}}
    assert text(attr(Thing.price) == Decimal("1.10"))[2] == {":v0": {"N": "1.1"}}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: attr(Thing.count) == "x", "ThingModel.count"),
        (lambda: attr(Thing.flag) < True, "Thing.flag is stored as BOOL; < is for B, N, S"),
        (lambda: attr(Thing.tags).between({"a"}, {"b"}), "Thing.tags is stored as SS"),
        (lambda: attr(Thing.limit) < None, "no order"),
        (lambda: attr(Thing.count).between(None, 3), "None is not a bound"),
        (lambda: attr(Thing.count) == attr(Thing.count), "compared with itself"),
        (lambda: attr(Thing.count).between(attr(Thing.count), 3), "compared with itself"),
        (lambda: attr(Thing.count).is_in([attr(Thing.count)]), "compared with itself"),
        (lambda: attr(Thing.made_at) == attr(Thing.ends_at), "never equal"),
        (lambda: attr(Thing.status).is_in("new"), "several values"),
        (lambda: attr(Thing.count).is_in(3), "several values"),
        (lambda: attr(Thing.count).begins_with("x"), "is stored as N"),
        (lambda: attr(Thing.status).begins_with(3), "is itself one"),
        (lambda: attr(Thing.count).contains(1), "is stored as N"),
        (lambda: attr(Thing.tags).contains(3), "ThingModel.tags"),
        (lambda: attr(Thing.count).size(), "is stored as N"),
        (lambda: attr(Thing.lines).size() == "x", "a number is needed"),
    ],
)
def test_wrong_conditions_are_refused_where_they_are_made(
    wrong: Callable[[], object], message: str
) -> None:
    with pytest.raises(RequestError, match=message):
        wrong()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: A and B,
        lambda: A or B,
        lambda: not A,
        lambda: 1 < attr(Thing.count) < 5,
        lambda: attr(Thing.count) in [attr(Thing.limit)],
    ],
)
def test_a_condition_has_no_truth(wrong: Callable[[], object]) -> None:
    with pytest.raises(RequestError, match=r"& \| ~"):
        wrong()


def test_only_conditions_join() -> None:
    with pytest.raises(TypeError):
        A & True
    with pytest.raises(TypeError):
        A | False


def test_conditions_are_equal_if_they_say_the_same() -> None:
    assert A & B == A & B
    assert A & B != A | B
    assert (attr(Thing.tags).eq({"a", "b", "c"})) == (attr(Thing.tags).eq({"c", "b", "a"}))
    assert (attr(Thing.count) == 1) != (attr(Thing.count) == 2)
    assert len({A, B, attr(Thing.status) == "a"}) == 2
    assert (attr(Thing.count) > param("x")) == (attr(Thing.count) > param("x"))
    assert (attr(Thing.count) > param("x")) != (attr(Thing.count) > param("y"))


def test_a_condition_knows_its_fields() -> None:
    condition = (
        (attr(Thing.address.city) == "x") & (attr(Thing.count) < attr(Thing.limit))
        | ~(attr(Thing.lines).size() > 3)
        | exists(Place(("PK",)))
    )
    assert condition.fields() == {"address", "count", "limit", "lines"}
    assert {place.entity for place in condition.places()} == {"Thing", ""}


# --- parameters --------------------------------------------------------------------------------

FILTER = (
    (attr(Thing.count) >= param("least"))
    & attr(Thing.limit).between(param("low"), param("high"))
    & (attr(Thing.status).is_in(param("statuses")) | attr(Thing.lines).contains(param("line")))
    & ~(attr(Thing.lines).size() > param("lines"))
    & attr(Thing.note).exists()
)
NOTHING: dict[str, object] = dict.fromkeys(
    ["least", "low", "high", "statuses", "line", "lines"], None
)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "attribute_exists(note)"),
        ({"least": 3}, "count >= 3 AND attribute_exists(note)"),
        ({"low": 1}, "limit >= 1 AND attribute_exists(note)"),
        ({"high": 9}, "limit <= 9 AND attribute_exists(note)"),
        ({"low": 1, "high": 9}, "limit BETWEEN 1 AND 9 AND attribute_exists(note)"),
        ({"statuses": ["a", "b"]}, "status IN (a, b) AND attribute_exists(note)"),
        (
            {"statuses": ["a"], "line": "x"},
            "(status IN (a) OR contains(lines, x)) AND attribute_exists(note)",
        ),
        ({"lines": 3}, "NOT size(lines) > 3 AND attribute_exists(note)"),
    ],
)
def test_arguments_take_the_place_of_parameters(
    arguments: dict[str, object], expected: str
) -> None:
    bound = FILTER.bind({**NOTHING, **arguments})
    assert bound is not None
    assert plain(bound) == expected
    assert not bound.parameters()


def test_nothing_may_be_left_of_a_filter() -> None:
    assert (attr(Thing.count) >= param("least")).bind({"least": None}) is None
    assert (~(attr(Thing.count) >= param("least"))).bind({"least": None}) is None


def test_no_choices_are_not_the_same_as_none() -> None:
    bound = attr(Thing.status).is_in(param("statuses")).bind({"statuses": []})
    assert bound is not None
    assert plain(bound) == "attribute_exists(status) AND attribute_not_exists(status)"


def test_a_filter_knows_its_parameters() -> None:
    assert FILTER.parameters() == set(NOTHING)


def test_parameters_are_checked() -> None:
    condition = attr(Thing.count) >= param("least")
    with pytest.raises(RequestError, match=r'param\("least"\) .* no such argument'):
        condition.bind({"most": 3})
    with pytest.raises(RequestError, match=r"ThingModel\.count"):
        condition.bind({"least": "x"})
    with pytest.raises(RequestError, match="only works in a filter"):
        text(condition)


def test_a_condition_without_parameters_stays_as_it_is() -> None:
    condition = A & ~(B | C) & attr(Thing.count).between(1, 3) & attr(Thing.count).is_in([1])
    assert condition.bind({}) == condition


# --- what they find ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table() -> Iterator[Things]:
    with things() as table:
        yield table


STORED: dict[str, Any] = {
    "status": "new",
    "count": 5,
    "price": Decimal("1.5"),
    "flag": False,
    "digest": b"\x00\x01",
    "color": Color.RED,
    "made_at": NEW_YEAR,
    "ends_at": NEW_YEAR,
    "owner": "Ada",
    "tags": {"a", "b"},
    "marks": {1, 2},
    "lines": ["x", "y"],
    "colors": [Color.RED, None],
    "address": Address(city="Ulm", code="89073"),
    "homes": [Address(city="Bonn")],
    "scores": {"x": 3},
    "extra": {"a": [1, "two"]},
}

TRUE = [
    attr(Thing.status) == "new",
    attr(Thing.owner) == "Ada",
    attr(Thing.price) == Decimal("1.50"),
    attr(Thing.flag).eq(False),
    attr(Thing.color) == Color.RED,
    attr(Thing.made_at).between(NEW_YEAR, NEW_YEAR),
    attr(Thing.ends_at) <= NEW_YEAR,
    attr(Thing.digest).begins_with(b"\x00"),
    attr(Thing.digest).contains(b"\x01"),
    attr(Thing.digest).size() == 2,
    attr(Thing.tags).contains("a"),
    attr(Thing.tags).eq({"b", "a"}),
    attr(Thing.tags).size() == 2,
    attr(Thing.marks).contains(2),
    attr(Thing.lines).contains("y"),
    attr(Thing.lines).eq(["x", "y"]),
    attr(Thing.lines[1]) == "y",
    attr(Thing.colors).contains(None),
    attr(Thing.colors).contains(Color.RED),
    attr(Thing.color).contains("e"),
    attr(Thing.address.code) == "89073",
    attr(Thing.address.city).begins_with("U"),
    attr(Thing.homes[0].city) == "Bonn",
    attr(Thing.homes[1].city).missing(),
    attr(Thing.scores["x"]) > 2,
    attr(Thing.scores["y"]).missing(),
    attr(Thing.extra["a"][1]) == "two",
    attr(Thing.extra["a"][0]) < 2,
    attr(Thing.limit).missing(),
    attr(Thing.limit).eq(None),
    attr(Thing.limit) != 3,
    attr(Thing.count).between(5, 5),
    attr(Thing.count).is_in(range(250)),
    attr(Thing.note).is_in(["a", None]),
    attr(Thing.status).has_type("S"),
    attr(Thing.status) != attr(Thing.note),
]
FALSE = [
    attr(Thing.status) == "New",
    attr(Thing.limit) > 0,
    ~(attr(Thing.limit) != 3),
    attr(Thing.count).between(6, 4),
    attr(Thing.count).is_in([]),
    attr(Thing.count).is_in(range(6, 250)),
    attr(Thing.limit).is_in(range(250)),
    attr(Thing.note).ne(None),
    attr(Thing.tags).contains("c"),
    attr(Thing.status).has_type("N"),
    attr(Thing.status) == attr(Thing.note),
    attr(Thing.lines[2]).exists(),
]


@pytest.mark.parametrize(
    ("condition", "true"), [*((each, True) for each in TRUE), *((each, False) for each in FALSE)]
)
def test_found(table: Things, condition: Condition, true: bool) -> None:
    table.put(**STORED)
    assert table.holds(condition) is true
    assert table.holds(~condition) is not true
    assert table.holds(condition & A | ~A & condition) is true


@pytest.mark.parametrize("condition", [*TRUE, *FALSE, attr(Thing.lines).size() != 3])
def test_what_holds_where_there_is_no_item(table: Things, condition: Condition) -> None:
    for each in (condition, ~condition, condition & A, condition | A, condition & ~A):
        assert table.allows(each, "absent") is each.holds_for_none()


# --- random trees --------------------------------------------------------------------------------
#
# Each strategy gives a condition together with the Python function that has the same truth.

Thinglike = dict[str, Any]
Case = tuple[Condition, Callable[[Thinglike], bool]]

#: Few values, so that many of them meet.
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "status": st.sampled_from(["", "a", "ab", "b", "é"]),
    "note": st.sampled_from(["a", "ab", "\U0001f600"]),
    "count": st.integers(-2, 2),
    "limit": st.integers(-2, 2),
    "price": st.sampled_from([Decimal(-1), Decimal("0.5"), Decimal(10), Decimal(9)]),
    "flag": st.booleans(),
    "digest": st.sampled_from([b"", b"a", b"a\xff", b"\x00"]),
    "color": st.sampled_from(Color),
    "made_at": st.sampled_from([NEW_YEAR, NEW_YEAR.replace(microsecond=1)]),
    "tags": st.sets(st.sampled_from(["a", "b"])),
    "lines": st.lists(st.sampled_from(["a", "b"]), max_size=2),
}
ALWAYS = {"status"}
ORDERED = ["status", "note", "count", "limit", "price", "digest", "made_at"]

values_of_a_thing = st.fixed_dictionaries(
    {name: each if name in ALWAYS else st.none() | each for name, each in VALUES.items()}
)


def absent(value: object) -> bool:
    return value is None or value == set()


@st.composite
def comparisons(draw: st.DrawFn) -> Case:
    name = draw(st.sampled_from(list(VALUES)))
    value = draw(VALUES[name])
    field = attr(getattr(Thing, name))
    if absent(value):
        return draw(
            st.sampled_from(
                [(field == value, lambda t: absent(t[name])), (field.ne(value), present(name))]
            )
        )
    cases: list[Case] = [
        (field == value, lambda t: t[name] == value),
        (field != value, lambda t: t[name] != value),
    ]
    if name in ORDERED:
        cases += [
            (field < value, lambda t: t[name] is not None and t[name] < value),
            (field <= value, lambda t: t[name] is not None and t[name] <= value),
            (field > value, lambda t: t[name] is not None and t[name] > value),
            (field >= value, lambda t: t[name] is not None and t[name] >= value),
        ]
    return draw(st.sampled_from(cases))


@st.composite
def ranges(draw: st.DrawFn) -> Case:
    name = draw(st.sampled_from(ORDERED))
    low, high = draw(VALUES[name]), draw(VALUES[name])
    return (
        attr(getattr(Thing, name)).between(low, high),
        lambda t: t[name] is not None and low <= t[name] <= high,
    )


@st.composite
def choices(draw: st.DrawFn) -> Case:
    name = draw(st.sampled_from(list(VALUES)))
    given_values = draw(st.lists(st.none() | VALUES[name], max_size=4))
    none = any(absent(value) for value in given_values)
    return (
        attr(getattr(Thing, name)).is_in(given_values),
        lambda t: none if absent(t[name]) else t[name] in given_values,
    )


@st.composite
def pieces(draw: st.DrawFn) -> Case:
    name = draw(st.sampled_from(["status", "note", "digest", "tags", "lines"]))
    part = draw(VALUES[name]) if name not in ("tags", "lines") else draw(st.sampled_from("abc"))
    field = attr(getattr(Thing, name))
    cases: list[Case] = [(field.contains(part), lambda t: t[name] is not None and part in t[name])]
    if name not in ("tags", "lines"):
        cases.append(
            (field.begins_with(part), lambda t: t[name] is not None and t[name].startswith(part))
        )
    return draw(st.sampled_from(cases))


@st.composite
def sizes(draw: st.DrawFn) -> Case:
    name = draw(st.sampled_from(["digest", "tags", "lines"]))
    length = draw(st.integers(0, 3))
    size = attr(getattr(Thing, name)).size()
    return draw(
        st.sampled_from(
            [
                (size == length, lambda t: not absent(t[name]) and len(t[name]) == length),
                (size > length, lambda t: not absent(t[name]) and len(t[name]) > length),
                (size != length, lambda t: absent(t[name]) or len(t[name]) != length),
            ]
        )
    )


def pairs() -> st.SearchStrategy[Case]:
    count, limit = attr(Thing.count), attr(Thing.limit)

    def both(t: Thinglike) -> bool:
        return t["count"] is not None and t["limit"] is not None

    return st.sampled_from(
        [
            (count < limit, lambda t: both(t) and t["count"] < t["limit"]),
            (count >= limit, lambda t: both(t) and t["count"] >= t["limit"]),
            (count == limit, lambda t: both(t) and t["count"] == t["limit"]),
            (count != limit, lambda t: not both(t) or t["count"] != t["limit"]),
        ]
    )


def present(name: str) -> Callable[[Thinglike], bool]:
    return lambda t: not absent(t[name])


presences = st.sampled_from(
    [
        case
        for name in VALUES
        for case in (
            (attr(getattr(Thing, name)).exists(), present(name)),
            (attr(getattr(Thing, name)).missing(), lambda t, name=name: absent(t[name])),
        )
    ]
)

trees: st.SearchStrategy[Case] = st.recursive(
    st.one_of(comparisons(), ranges(), choices(), pieces(), sizes(), pairs(), presences),
    lambda inner: st.one_of(
        inner.map(lambda case: (~case[0], lambda t: not case[1](t))),
        st.tuples(inner, inner).map(
            lambda two: (two[0][0] & two[1][0], lambda t: two[0][1](t) and two[1][1](t))
        ),
        st.tuples(inner, inner).map(
            lambda two: (two[0][0] | two[1][0], lambda t: two[0][1](t) or two[1][1](t))
        ),
    ),
    max_leaves=8,
)


@given(trees, st.lists(values_of_a_thing, min_size=4, max_size=4))
@settings(max_examples=many(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_trees_have_the_truth_of_python(
    table: Things, case: Case, given_things: list[Thinglike]
) -> None:
    condition, truth = case
    by_id = {str(number): thing for number, thing in enumerate(given_things)}
    # Thing "a" is of other tests; it is left out of what is found.
    table.replace_all([item(thing_id=thing_id, **thing) for thing_id, thing in by_id.items()])
    expected = {thing_id for thing_id, thing in by_id.items() if truth(thing)}
    assert table.matching(condition) - {"a"} == expected
    assert table.matching(~condition) - {"a"} == by_id.keys() - expected


@given(trees)
@settings(max_examples=many(100), deadline=None)
@example((And((A, Or((B, C)))), lambda t: True))
def test_binding_nothing_changes_nothing(case: Case) -> None:
    condition, _ = case
    assert condition.bind({}) == condition
    assert condition.fields() <= VALUES.keys()
