"""Ranges, against the plain comparison of values over random sets of keys."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field
from tests.model.key_samples import (
    KINDS,
    Level,
    bound,
    decimals,
    fields_of,
    recent,
    sort_text,
    texts,
)
from tests.sampling import many

from tablewright.model.errors import KeyValueError, RequestError
from tablewright.model.keys import BoundKey, Bounds, Key, KeyCondition, bind
from tablewright.model.table import Binary, Number, Table
from tablewright.model.types import EpochMillis, EpochSeconds, IsoMillis, IsoSeconds, Ulid
from tablewright.values import Item, compare


def selects(condition: KeyCondition, item: Item) -> bool:
    """What DynamoDB does with the condition."""
    if condition.empty or any(item[name] != value for name, value in condition.equal):
        return False
    if condition.sort is None:
        return True
    name, operator, values = condition.sort
    if operator == "begins_with":
        return bool(item[name]["S"].startswith(values[0]["S"]))
    order = [compare(item[name], value) for value in values]
    if operator == "between":
        # The service refuses a range whose ends are the wrong way round.
        assert compare(*values) in (-1, 0)
        return order[0] in (0, 1) and order[1] in (0, -1)
    return order[0] in {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}[operator]


def inside(value: Any, bounds: Bounds) -> bool:
    return (
        (bounds.ge is None or value >= bounds.ge)
        and (bounds.gt is None or value > bounds.gt)
        and (bounds.le is None or value <= bounds.le)
        and (bounds.lt is None or value < bounds.lt)
    )


def bounds_of(ends: st.SearchStrategy[Any]) -> st.SearchStrategy[Bounds]:
    lower = st.one_of(
        st.just({}), ends.map(lambda end: {"ge": end}), ends.map(lambda end: {"gt": end})
    )
    upper = st.one_of(
        st.just({}), ends.map(lambda end: {"le": end}), ends.map(lambda end: {"lt": end})
    )
    return st.builds(lambda low, high: Bounds("x", **low, **high), lower, upper)


# --- text attributes ---------------------------------------------------------------------

#: Values close together, so that ends meet them; the ends of some lie between or beyond.
_few_texts = st.text('ab #$!\0"%\U0010ffff\U0010fffe\ud7ff\ue000~', min_size=1, max_size=3)
_instants = st.integers(0, 4_000).map(
    lambda n: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(milliseconds=n, microseconds=n % 3)
)
_cents = st.integers(-20, 1020).map(lambda n: Decimal(n).scaleb(-2))
_mills = st.integers(-200, 10200).map(lambda n: Decimal(n).scaleb(-3))


def _floor(step: timedelta) -> Callable[[datetime], datetime]:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return lambda moment: moment - (moment - start) % step


_seconds = _instants.map(_floor(timedelta(seconds=1)))
_millis = _instants.map(_floor(timedelta(milliseconds=1)))

#: slot, annotation, values, ends
CASES: dict[str, tuple[str, Any, st.SearchStrategy[Any], st.SearchStrategy[Any]]] = {
    "text": ("{x}", str, _few_texts, st.one_of(_few_texts, st.just(""))),
    "wide text": ("{x}", str, texts, texts),
    "whole": ("{x}", int, st.integers(-9, 9), st.integers(-11, 11)),
    "huge whole": ("{x}", int, KINDS["whole"][1], st.integers(-(10**20), 10**20)),
    "padded": ("{x:02d}", int, st.integers(0, 99), st.integers(-3, 103)),
    "limited": (
        "{x}",
        Annotated[int, Field(ge=0, le=9)],
        st.integers(0, 9),
        st.integers(-2, 12),
    ),
    "fixed": ("{x:05.2f}", Decimal, _cents.filter(lambda n: 0 <= n < 10), _mills),
    "decimal": ("{x}", Decimal, st.one_of(_cents, decimals()), st.one_of(_cents, decimals())),
    "iso seconds": ("{x}", IsoSeconds, _seconds, _instants),
    "iso millis": ("{x}", IsoMillis, _millis, _instants),
    "iso micros": ("{x}", datetime, _instants, _instants),
    "epoch seconds": ("{x}", EpochSeconds, _seconds, st.one_of(_instants, KINDS["iso_micros"][1])),
    "epoch millis": ("{x}", EpochMillis, _millis, _instants),
    "date": (
        "{x}",
        date,
        st.dates(date(2026, 1, 1), date(2026, 1, 9)),
        st.dates(date(2026, 1, 1), date(2026, 1, 9)),
    ),
    "ulid": ("{x}", Ulid, KINDS["ulid"][1], KINDS["ulid"][1]),
    "bytes": (
        "{x}",
        bytes,
        st.binary(min_size=1, max_size=2),
        st.binary(min_size=1, max_size=2),
    ),
    "closed": ("{x}", Literal["b", "b b", "b#b", "bb"], *[KINDS["literal"][1]] * 2),
    "int enum": ("{x}", Level, st.sampled_from(Level), st.sampled_from(Level)),
}
SHAPES = ("{x}", "ORDER#{x}", "{x}#{y}", "ORDER#{x}#{y}", "ORDER#{x}#END", "A#{z}#{x}#{y}")
FIXED = ("ORDER#{x}{y}", "{x}{y}", "{x}a")
WIDTHS = {"padded", "limited", "fixed", "iso seconds", "iso micros", "epoch millis", "ulid", "date"}

_KEYS: dict[tuple[str, str], BoundKey] = {}


def key_of(case: str, shape: str) -> BoundKey:
    if (case, shape) not in _KEYS:
        slot, kind, _, _ = CASES[case]
        fields = {"x": kind, "y": str, "z": str}
        _KEYS[case, shape] = bound(shape.replace("{x}", slot), **fields)
    return _KEYS[case, shape]


@st.composite
def searches(draw: st.DrawFn) -> tuple[BoundKey, str, list[dict[str, Any]], Bounds]:
    case = draw(st.sampled_from(sorted(CASES)))
    shape = draw(st.sampled_from(SHAPES + FIXED * (case in WIDTHS)))
    _, _, values, ends = CASES[case]
    row = st.fixed_dictionaries(
        {"x": values, "y": _few_texts, "z": st.sampled_from(["m", "m ", "n"])}
    )
    rows = draw(st.lists(row, max_size=12))
    chosen = [row["x"] for row in rows]
    wanted = st.one_of(ends, st.sampled_from(chosen)) if chosen else ends
    return key_of(case, shape), shape, rows, draw(bounds_of(wanted))


@settings(max_examples=many(800), deadline=None)
@given(searches())
def test_a_range_selects_what_comparing_selects(
    search: tuple[BoundKey, str, list[dict[str, Any]], Bounds],
) -> None:
    key, shape, rows, bounds = search
    given_values = {"z": "m"} if "{z}" in shape else {}
    condition = key.condition(given_values, bounds)
    for row in rows:
        wanted = inside(row["x"], bounds) and (not given_values or row["z"] == "m")
        assert selects(condition, key.encode(row)) == wanted, (row, condition)


@settings(max_examples=many(300))
@given(
    searches(),
    st.sampled_from(
        ["ORDER", "ORDER!", 'ORDER"', "ORDER$", "ORDES", "ORDEQ\U0010fffe", "A#m", "A#n#", "Z"]
    ),
)
def test_a_range_stays_inside_its_prefix(
    search: tuple[BoundKey, str, list[dict[str, Any]], Bounds], other: str
) -> None:
    key, shape, _, bounds = search
    if shape.startswith("{x}"):
        return
    condition = key.condition({"z": "m"}, bounds)
    prefix = "A#m#" if "{z}" in shape else "ORDER#"
    assert not other.startswith(prefix)
    assert not selects(condition, {"PK": {"S": "P"}, "SK": {"S": other}})


@given(_few_texts, st.lists(_few_texts, max_size=10), st.sampled_from(SHAPES))
def test_beginnings(start: str, values: list[str], shape: str) -> None:
    key = key_of("text", shape)
    condition = key.condition({"z": "m"}, Bounds("x", begins_with=start))
    for value in values:
        item = key.encode({"x": value, "y": "#", "z": "m"})
        assert selects(condition, item) == value.startswith(start)


# --- other attributes --------------------------------------------------------------------

_NUMBERS = Table("Numbers", pk="PK", sk=Number("SK"))
_BINARIES = Table("Bytes", pk="PK", sk=Binary("SK"))
_TEXTS = Table("Texts", pk="PK", sk="x")
_bytes = st.lists(st.sampled_from([0, 1, 255]), min_size=1, max_size=3).map(bytes)

STORED: dict[str, tuple[Table, Any, st.SearchStrategy[Any], st.SearchStrategy[Any]]] = {
    "whole": (_NUMBERS, int, st.integers(-9, 9), st.integers(-11, 11)),
    "decimal": (
        _NUMBERS,
        Decimal,
        st.one_of(_cents, decimals()),
        st.one_of(_cents, decimals()),
    ),
    "epoch seconds": (_NUMBERS, EpochSeconds, _seconds, _instants),
    "epoch millis": (_NUMBERS, EpochMillis, _millis, st.one_of(_instants, recent)),
    "int enum": (_NUMBERS, Level, st.sampled_from(Level), st.sampled_from(Level)),
    "bytes": (_BINARIES, bytes, _bytes, _bytes),
    "plain text": (
        _TEXTS,
        str,
        _few_texts.filter(lambda t: "\U0010ffff" not in t),
        _few_texts.filter(lambda t: "\U0010ffff" not in t),
    ),
    "plain time": (_TEXTS, IsoMillis, _millis, _instants),
}

_STORED_KEYS = {
    name: bind("primary", Key("P", "{x}"), table, fields_of(x=kind), "Sample")
    for name, (table, kind, _, _) in STORED.items()
}


@settings(max_examples=many(500), deadline=None)
@given(st.data())
def test_ranges_of_stored_values(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(STORED)))
    key = _STORED_KEYS[name]
    _, _, values, ends = STORED[name]
    rows = data.draw(st.lists(values, max_size=8))
    bounds = data.draw(bounds_of(st.one_of(ends, st.sampled_from(rows)) if rows else ends))
    condition = key.condition({}, bounds)
    for value in rows:
        item = key.encode({"x": value})
        assert selects(condition, item) == inside(value, bounds), (value, condition)
        assert key.decode(item) == {"x": value}


def test_the_ends_of_numbers() -> None:
    key = bind("primary", Key("P", "{x}"), _NUMBERS, fields_of(x=Decimal), "Sample")
    highest, tiny = Decimal("9." + "9" * 37 + "E125"), Decimal("1E-130")
    lowest = highest.copy_negate()

    def between(**ends: Decimal) -> KeyCondition:
        return key.condition({}, Bounds("x", **ends))

    for value, ends in [
        (highest, {"gt": highest, "le": highest}),
        (lowest, {"ge": lowest, "lt": lowest}),
    ]:
        assert between(**ends).empty
        assert not selects(between(**ends), key.encode({"x": value}))
    assert selects(between(gt=Decimal(0), le=tiny), key.encode({"x": tiny}))
    assert not selects(between(gt=-tiny, lt=tiny), key.encode({"x": tiny}))
    assert selects(between(gt=-tiny, lt=tiny), key.encode({"x": Decimal(0)}))


# --- how conditions look -----------------------------------------------------------------

ORDERS = bound("ORDER#{x}#{y}", x=IsoSeconds, y=Ulid)
JANUARY, FEBRUARY = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
LAST = "\U0010ffff"


@pytest.mark.parametrize(
    ("ends", "first", "last"),
    [
        ({"ge": JANUARY}, "2026-01-01T00:00:00Z", LAST),
        ({"gt": JANUARY}, "2026-01-01T00:00:00Z$", LAST),
        ({"le": JANUARY}, "", "2026-01-01T00:00:00Z$"),
        ({"lt": JANUARY}, "", "2026-01-01T00:00:00Y" + LAST),
        ({"ge": JANUARY, "le": FEBRUARY}, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z$"),
    ],
)
def test_ends(ends: dict[str, datetime], first: str, last: str) -> None:
    condition = ORDERS.condition({}, Bounds("x", **ends))
    assert condition.sort == ("SK", "between", ({"S": "ORDER#" + first}, {"S": "ORDER#" + last}))
    assert condition.equal == (("PK", {"S": "P"}),)


@pytest.mark.parametrize(
    ("ends", "operator", "value"),
    [
        ({"ge": 5}, ">=", "5"),
        ({"gt": 5}, ">", "5"),
        ({"le": 5}, "<=", "5"),
        ({"lt": 5}, "<", "5"),
    ],
)
def test_one_end_without_a_prefix_is_one_comparison(
    ends: dict[str, int], operator: str, value: str
) -> None:
    key = bind("primary", Key("P", "{x}"), _NUMBERS, fields_of(x=int), "Sample")
    assert key.condition({}, Bounds("x", **ends)).sort == ("SK", operator, ({"N": value},))


def test_a_range_of_nothing_is_empty() -> None:
    condition = ORDERS.condition({}, Bounds("x", ge=FEBRUARY, lt=JANUARY))
    assert condition == KeyCondition((("PK", {"S": "P"}),), None, empty=True)
    assert ORDERS.condition({}, Bounds("x", ge=JANUARY, lt=JANUARY)).empty


def test_bounds_that_are_all_open_are_the_prefix() -> None:
    expected = ("SK", "begins_with", ({"S": "ORDER#"},))
    assert ORDERS.condition({}, Bounds("x")).sort == expected
    assert ORDERS.condition({}, Bounds("x", begins_with="")).sort == expected


def test_beginnings_of_times_and_identifiers() -> None:
    def start(key: BoundKey, text: str) -> object:
        term = key.condition({}, Bounds("x", begins_with=text)).sort
        assert term is not None
        assert term.operator == "begins_with"
        return term.values[0]["S"]

    assert start(ORDERS, "2026-01") == "ORDER#2026-01"
    assert start(bound("U#{x}", x=Ulid), "01ar") == "U#01AR"
    assert start(bound("D#{x}#{y}", x=date, y=str), "2026-") == "D#2026-"
    with pytest.raises(KeyValueError, match="no time begins with '2026#'"):
        start(ORDERS, "2026#")


# --- what is refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        (Bounds("x", ge=JANUARY, gt=JANUARY), "ge and gt are both given"),
        (Bounds("x", le=JANUARY, lt=JANUARY), "le and lt are both given"),
        (Bounds("x", le=JANUARY, begins_with="2"), "begins_with cannot be mixed"),
        (Bounds("y", ge="0"), "a range of y is not possible; the next sort field is x"),
        (Bounds("x", ge=datetime(2026, 1, 1)), "range of x: a time needs a zone"),
    ],
)
def test_bounds_that_cannot_be(bounds: Bounds, why: str) -> None:
    with pytest.raises(RequestError, match=f"Sample, key 'primary'.*{why}"):
        ORDERS.condition({}, bounds)


def test_a_field_with_a_value_has_no_range() -> None:
    values = {"x": JANUARY, "y": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}
    with pytest.raises(RequestError, match="range of x is not possible; the next sort field is y"):
        ORDERS.condition({"x": JANUARY}, Bounds("x", ge=JANUARY))
    with pytest.raises(RequestError, match="no sort field is left for a range"):
        ORDERS.condition(values, Bounds("y", ge="0"))


def test_numbers_have_no_beginning() -> None:
    key = bound("N#{x}", x=int)
    with pytest.raises(RequestError, match="a whole number has no beginning"):
        key.condition({}, Bounds("x", begins_with="1"))


@pytest.mark.parametrize(
    ("template", "kind", "delimiter"),
    [("{x}z{y}", bytes, "#"), ("{x}|{y}", str, "|"), ("{x}|{y}", Decimal, "|")],
)
def test_where_the_order_is_lost_ranges_are_refused(
    template: str, kind: Any, delimiter: str
) -> None:
    key = bound(
        template, table=Table("Things", pk="PK", sk="SK", delimiter=delimiter), x=kind, y=str
    )
    value = {bytes: b"a", str: "a", Decimal: Decimal(1)}[kind]
    assert sort_text(key, x=value, y="b")
    with pytest.raises(RequestError, match="does not keep the order"):
        key.condition({}, Bounds("x", ge=value))
