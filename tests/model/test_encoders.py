from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
from tests.model.key_samples import KINDS, Level, Status, bound, sort_text, texts

from tablewright.model.errors import DataError, KeyValueError, ModelError
from tablewright.model.keys import BoundKey
from tablewright.model.table import Table
from tablewright.model.types import EpochMillis, EpochSeconds, IsoMillis, IsoSeconds, Shard, Ulid

#: A template for every kind, at the end and with more after it.
LAST = {name: bound("A#{x}", x=kind) for name, (kind, _) in KINDS.items()}
INNER = {name: bound("{x}#{y}", x=kind, y=str) for name, (kind, _) in KINDS.items()}
CLOSED = {name: bound("A#{x}#END", x=kind) for name, (kind, _) in KINDS.items()}

pairs = st.sampled_from(sorted(KINDS)).flatmap(
    lambda name: st.tuples(st.just(name), KINDS[name][1], KINDS[name][1])
)


def in_bytes(key: BoundKey, **values: object) -> bytes:
    return sort_text(key, **values).encode()


@given(pairs)
def test_order_at_the_end(pair: tuple[str, Any, Any]) -> None:
    name, a, b = pair
    for key in (LAST[name], CLOSED[name]):
        assert (a < b) == (in_bytes(key, x=a) < in_bytes(key, x=b))
        assert (a == b) == (in_bytes(key, x=a) == in_bytes(key, x=b))


@given(pairs, texts, texts)
def test_order_with_more_components_after_it(pair: tuple[str, Any, Any], c: str, d: str) -> None:
    name, a, b = pair
    key = INNER[name]
    assert ((a, c) < (b, d)) == (in_bytes(key, x=a, y=c) < in_bytes(key, x=b, y=d))


@given(pairs, texts)
def test_reading_back(pair: tuple[str, Any, Any], text: str) -> None:
    name, a, _ = pair
    for key, values in (
        (LAST[name], {"x": a}),
        (CLOSED[name], {"x": a}),
        (INNER[name], {"x": a, "y": text}),
    ):
        item = key.encode(values)
        read = key.decode(item)
        assert read == values
        assert type(read["x"]) is type(a)
        assert key.matches(item)


@given(st.sampled_from("#!/:|@-+,"), texts, texts, texts, texts)
def test_any_delimiter_is_safe(delimiter: str, a: str, b: str, c: str, d: str) -> None:
    key = bound(
        f"{{x}}{delimiter}{{y}}",
        table=Table("Things", pk="PK", sk="SK", delimiter=delimiter),
        x=str,
        y=str,
    )
    first, second = {"x": a, "y": b}, {"x": c, "y": d}
    assert key.decode(key.encode(first)) == first
    assert (first == second) == (key.encode(first) == key.encode(second))
    if delimiter <= "/":
        assert ((a, b) < (c, d)) == (in_bytes(key, **first) < in_bytes(key, **second))


@given(st.text("0123456789ABCDEFTZ#$.:-~ab ", max_size=40))
def test_what_does_not_fit_is_refused_and_the_rest_is_written_alike(text: str) -> None:
    for key in LAST.values():
        item = {"PK": {"S": "P"}, "SK": {"S": "A#" + text}}
        try:
            values = key.decode(item)
        except DataError:
            continue
        assert key.encode(values) == item


# --- texts as they look ------------------------------------------------------------------

MOMENT = datetime(2026, 1, 31, 12, 0, 0, 123456, UTC)


@pytest.mark.parametrize(
    ("template", "kind", "value", "text"),
    [
        ("{x}", str, "a b", "a b"),
        ("{x}", str, "a#b$", "a$23b$24"),
        ("{x}#E", str, "a b#", "a$20b$23#E"),
        ("{x}#E", str, "\0\U0010ffff", "$00\U0010fffe1#E"),
        ("{x}", int, 7, "10000000000000000007"),
        ("{x}", int, -7, "09999999999999999993"),
        ("{x}", Annotated[int, Field(ge=0, le=64)], 7, "07"),
        ("{x}", Annotated[int, Field(gt=0, lt=100)], 7, "07"),
        ("{x}", Annotated[int, Field(ge=-1, le=64)], 7, "10000000000000000007"),
        ("{x}", Shard, 7, "007"),
        ("{x:05d}", int, 42, "00042"),
        ("{x:07.2f}", Decimal, Decimal("12.5"), "0012.50"),
        ("{x:03.0f}", int, 12, "012"),
        ("{x}", Decimal, Decimal("15"), "113215"),
        ("{x}", Decimal, Decimal("-15.0"), "086784~"),
        ("{x}", Decimal, Decimal("0.00"), "1000"),
        ("{x}", datetime, MOMENT, "2026-01-31T12:00:00.123456Z"),
        ("{x}", IsoMillis, MOMENT, "2026-01-31T12:00:00.123Z"),
        ("{x}", IsoSeconds, MOMENT, "2026-01-31T12:00:00Z"),
        ("{x}", EpochSeconds, MOMENT, "1769860800"),
        ("{x}", EpochMillis, MOMENT, "1769860800123"),
        ("{x}", EpochSeconds, datetime(1970, 1, 2, tzinfo=UTC), "0000086400"),
        ("{x}", date, date(26, 1, 3), "0026-01-03"),
        ("{x}", bytes, b"\x00\xff", "00ff"),
        ("{x}", Ulid, "01arz3ndektsv4rrffq69g5fav", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ("{x}", Status, Status.PAID, "pa$23id"),
        ("{x}", Status, "pa#id", "pa$23id"),
        ("{x}", Literal[5, 10], 5, "05"),
        ("{x}", Level, Level.HIGH, "10000000000000000020"),
    ],
)
def test_texts(template: str, kind: Any, value: object, text: str) -> None:
    assert sort_text(bound("K#" + template, x=kind), x=value) == "K#" + text


def test_one_instant_in_two_zones_is_one_text() -> None:
    key = bound("K#{x}", x=datetime)
    there = MOMENT.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert sort_text(key, x=MOMENT) == sort_text(key, x=there)


@pytest.mark.parametrize(
    ("template", "kind", "value", "why"),
    [
        ("{x}", str, "", "an empty text cannot stand in a key"),
        ("{x}", str, 5, "a text is expected, not 5"),
        ("{x}", str, "\ud800", "surrogate"),
        ("{x}", int, 10**19, "the key has no room"),
        ("{x}", int, True, "a whole number is expected, not True"),
        ("{x}", int, 1.0, "a whole number is expected"),
        ("{x:03d}", int, -1, "from 0 to 999"),
        ("{x:03d}", int, 1000, "from 0 to 999"),
        ("{x:07.2f}", Decimal, Decimal("-0.01"), "below 0"),
        ("{x:07.2f}", Decimal, Decimal("10000"), "more than 4 digits"),
        ("{x:07.2f}", Decimal, Decimal("1.005"), "more than 2 decimal places"),
        ("{x:07.2f}", Decimal, 1.5, "a Decimal or a whole number is expected"),
        ("{x}", Decimal, Decimal("NaN"), "NaN cannot stand in a key"),
        ("{x}", Decimal, Decimal("1E126"), "overflow"),
        ("{x}", datetime, datetime(2026, 1, 1), "a time needs a zone"),
        ("{x}", datetime, date(2026, 1, 1), "a datetime is expected"),
        ("{x}", date, MOMENT, "a date is expected"),
        ("{x}", EpochSeconds, datetime(1969, 1, 1, tzinfo=UTC), "from 1970 to 2286"),
        ("{x}", EpochSeconds, datetime(2300, 1, 1, tzinfo=UTC), "from 1970 to 2286"),
        ("{x}", bytes, b"", "empty bytes"),
        ("{x}", bytes, "ab", "bytes are expected"),
        ("{x}", Ulid, "01ARZ", "is not a ULID"),
        ("{x}", Ulid, "01ARZ3NDEKTSV4RRFFQ69G5FAV\n", "is not a ULID"),
        ("{x}", Status, "other", "is not one of 'new', 'new er', 'pa#id'"),
        ("{x}", Status, [], "is not one of"),
    ],
)
def test_values_that_cannot_stand_in_a_key(
    template: str, kind: Any, value: object, why: str
) -> None:
    key = bound("K#" + template, x=kind)
    with pytest.raises(KeyValueError, match=f"Sample, key 'primary', field x: .*{why}"):
        key.encode({"x": value})


# --- types and places that are refused ---------------------------------------------------


@pytest.mark.parametrize(
    "kind", [bool, float, list[str], set[str], dict[str, str], Literal["a", 1], Literal[""]]
)
def test_types_that_cannot_stand_in_a_key(kind: Any) -> None:
    with pytest.raises(ModelError, match="field x: its type cannot stand in a key; these can: str"):
        bound("K#{x}", x=kind)


@pytest.mark.parametrize(
    ("template", "kind"),
    [
        ("{x:5d}", int),
        ("{x:03d}", Decimal),
        ("{x:03d}", str),
        ("{x:07.2f}", str),
        ("{x:>5}", str),
        ("{x:00d}", int),
    ],
)
def test_formats_that_do_not_fit(template: str, kind: Any) -> None:
    with pytest.raises(ModelError, match=r"field x: the format .* does not fit"):
        bound(template, x=kind)


def test_a_format_needs_a_digit_before_the_point() -> None:
    with pytest.raises(ModelError, match="leaves no digit before the point"):
        bound("{x:03.2f}", x=Decimal)


@pytest.mark.parametrize(
    ("template", "kind", "why"),
    [
        ("{x}:{y}", str, "a text may hold ':'.*delimiter '#'"),
        ("{x}{y}", str, "another field follows at once"),
        ("{x}{y}", Decimal, "another field follows at once"),
        ("{x}~{y}", Decimal, "a decimal may hold '~'"),
        ("{x}a{y}", bytes, "bytes may hold 'a'"),
        ("{x}b#{y}", Literal["b", "bb"], "may hold 'b'"),
    ],
)
def test_a_component_must_end_somewhere(template: str, kind: Any, why: str) -> None:
    with pytest.raises(ModelError, match=why):
        bound(template, x=kind, y=str)


@pytest.mark.parametrize(
    ("template", "kind"),
    [
        ("{x}{y}", Ulid),
        ("{x}0{y}", int),
        ("{x:04d}{y}", int),
        ("{x}Z{y}", datetime),
        ("{x}z{y}", bytes),
        ("{x}:{y}", Literal["b", "bb"]),
    ],
)
def test_fixed_widths_and_closed_alphabets_are_freer(template: str, kind: Any) -> None:
    assert bound(template, x=kind, y=str).fields == ("x", "y")
