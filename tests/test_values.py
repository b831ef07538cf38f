"""Attribute values: canonical forms, limits, sizes, order."""

from __future__ import annotations

from base64 import b64encode
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import values
from tablewright.values import InvalidValue, compare, equal, key_bytes, normalize, number

numbers = st.builds(
    lambda sign, digits, exponent: Decimal((sign, digits, exponent)),
    st.integers(0, 1),
    st.lists(st.integers(0, 9), min_size=1, max_size=38).map(tuple),
    st.integers(-80, 80),
).map(lambda value: value if value else Decimal(0))

scalars = (
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12).map(
        lambda text: ("S", text)
    )
    | numbers.map(lambda value: ("N", values.format_number(value)))
    | st.binary(min_size=1, max_size=12).map(lambda raw: ("B", b64encode(raw).decode()))
)

attribute_values = st.recursive(
    scalars.map(lambda pair: dict([pair]))
    | st.booleans().map(lambda flag: {"BOOL": flag})
    | st.just({"NULL": True})
    | st.sets(st.text(st.characters(exclude_categories=("Cs",)), max_size=5), min_size=1).map(
        lambda members: {"SS": sorted(members)}
    ),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda each: {"L": each})
        | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=4).map(
            lambda each: {"M": each}
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("00042", "42"),
        ("1.0", "1"),
        ("3.1400", "3.14"),
        ("1.5E2", "150"),
        ("+7", "7"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e-3", "0.001"),
        ("-1E+5", "-100000"),
    ],
)
def test_numbers_have_one_text(text: str, canonical: str) -> None:
    assert normalize({"N": text})[0] == {"N": canonical}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be converted to a numeric value"),
        ("abc", "cannot be converted to a numeric value: abc"),
        ("1_000", "cannot be converted"),
        ("NaN", "cannot be converted"),
        ("Infinity", "cannot be converted"),
        (" 1", "cannot be converted"),
        ("1E126", "Number overflow"),
        ("-1E126", "Number overflow"),
        ("1E-131", "Number underflow"),
        ("1" * 39, "more than 38 significant digits"),
        ("1E2147483646", "Number overflow"),
        ("1E-2147483646", "Number underflow"),
        ("1E9223372036854775808", "cannot be converted"),
        ("1E-" + "9" * 5000, "cannot be converted"),
        ("0e126", "Number overflow"),
        ("-0e126", "Number overflow"),
        ("0e-131", "Number underflow"),
        ("0e99999999999999999999", "cannot be converted"),
    ],
)
def test_numbers_aws_refuses(text: str, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        normalize({"N": text})


@pytest.mark.parametrize("text", ["1E125", "9" * 38, "1E-130", "1" + "0" * 40, "0e125", "0e-130"])
def test_numbers_at_the_edge(text: str) -> None:
    canonical, _ = normalize({"N": text})
    assert Decimal(canonical["N"]) == Decimal(text)


@given(numbers)
def test_canonical_text_keeps_the_value(value: Decimal) -> None:
    text = values.format_number(value)
    assert Decimal(text) == value
    assert values.canonical_number(text) == text


@given(numbers, numbers)
def test_number_keys_sort_as_numbers(a: Decimal, b: Decimal) -> None:
    x, y = values.number_bytes(a), values.number_bytes(b)
    assert (x < y) == (a < b)
    assert (x == y) == (a == b)


@given(st.lists(scalars, min_size=1, max_size=4), st.lists(scalars, min_size=1, max_size=4))
def test_joined_keys_sort_as_tuples(
    left: list[tuple[str, str]], right: list[tuple[str, str]]
) -> None:
    if [kind for kind, _ in left] != [kind for kind, _ in right]:
        return
    codes = [[key_bytes(*part) for part in side] for side in (left, right)]
    joined = [values.joined_key_bytes(side) for side in (left, right)]
    assert (joined[0] < joined[1]) == (codes[0] < codes[1])


def test_binary_keys_sort_as_unsigned_bytes() -> None:
    codes = [
        key_bytes("B", b64encode(raw).decode()) for raw in (b"\x00", b"\x7f", b"\x80", b"\xff")
    ]
    assert codes == sorted(codes)


@given(attribute_values)
def test_normalising_twice_changes_nothing(av: dict[str, object]) -> None:
    once, size = normalize(av)
    again, same = normalize(once)
    assert again == once
    assert size == same == values.value_size(once)


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ({"a": {"S": "bcd"}}, 4),
        ({"ä": {"S": "ö"}}, 4),
        ({"a": {"BOOL": True}}, 2),
        ({"a": {"NULL": True}}, 2),
        ({"a": {"B": b64encode(b"12345").decode()}}, 6),
        ({"a": {"L": []}}, 4),
        ({"a": {"M": {}}}, 4),
        ({"a": {"L": [{"S": "x"}, {"S": "yz"}]}}, 1 + 3 + 2 + 3),
        ({"a": {"M": {"k": {"S": "x"}}}}, 1 + 3 + 1 + 1 + 1),
        ({"a": {"SS": ["ab", "c"]}}, 4),
        ({"a": {"N": "0"}}, 2),
        ({"a": {"N": "1"}}, 3),
        ({"a": {"N": "-1"}}, 4),
        ({"a": {"N": "12"}}, 3),
        ({"a": {"N": "123"}}, 4),
        ({"a": {"N": "100"}}, 3),
    ],
)
def test_item_sizes(item: values.Item, size: int) -> None:
    assert values.normalize_item(item)[1] == size == values.item_size(item)


@pytest.mark.parametrize(
    ("av", "words"),
    [
        ({}, "is empty, must contain exactly one"),
        ({"X": "y"}, "is empty, must contain exactly one"),
        ({"S": "a", "N": "1"}, "more than one datatypes set"),
        ({"NULL": False}, "Null attribute value types must have the value of true"),
        ({"SS": []}, "An string set  may not be empty"),
        ({"NS": []}, "An number set  may not be empty"),
        ({"BS": []}, "Binary sets should not be empty"),
        ({"SS": ["a", "a"]}, r"Input collection \[a, a\] contains duplicates\."),
        ({"NS": ["1", "1.0"]}, "contains duplicates"),
        ({"BS": ["Yg==", "Yg=="]}, r"Input collection \[Yg==, Yg==\]of type BS contains dup"),
        ({"L": [{"M": {"a": {"SS": []}}}]}, "may not be empty"),
        ({"M": {"": {"S": "x"}}}, "Empty attribute name"),
        ({"L": [{"M": {"a": {"M": {"": {"S": "x"}}}}}]}, "Empty attribute name"),
    ],
)
def test_values_aws_refuses(av: values.AttributeValue, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        normalize(av)


@pytest.mark.parametrize(
    "item",
    [{"": {"S": "x"}}, {"a": {"M": {"": {"S": "x"}}}}, {"a": {"L": [{"M": {"": {"N": "1"}}}]}}],
)
def test_an_item_with_a_name_that_is_empty_is_refused(item: values.Item) -> None:
    with pytest.raises(values.Unclear):
        values.canonical_size(item)
    with pytest.raises(InvalidValue, match="Empty attribute name"):
        values.normalize_item(item)


def test_a_value_that_is_too_deep_comes_before_an_empty_name_in_a_map() -> None:
    item = {"a": {"M": {"": {"S": "x"}}}, "b": nested(values.MAX_NESTING)}
    with pytest.raises(InvalidValue, match="Nesting Levels"):
        values.normalize_item(item)
    with pytest.raises(InvalidValue, match="Empty attribute name"):
        values.normalize_item({**item, "": {"S": "x"}})


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({"SS": ["b", "é", "B", "a"]}, ["B", "a", "b", "é"]),
        ({"NS": ["10", "9", "-1", "1E1" + "0"]}, ["-1", "9", "10", "1" + "0" * 10]),
        ({"BS": ["/w==", "AA==", "AAE="]}, ["AA==", "AAE=", "/w=="]),
    ],
)
def test_members_of_sets_are_stored_in_order(
    sent: values.AttributeValue, stored: list[str]
) -> None:
    ((kind, _),) = sent.items()
    assert normalize(sent)[0] == {kind: stored}
    assert values.normalize_item({"a": sent})[0] == {"a": {kind: stored}}


def nested(levels: int) -> values.AttributeValue:
    av: values.AttributeValue = {"S": "leaf"}
    for level in range(levels):
        av = {"L": [av]} if level % 2 else {"M": {"a": av}}
    return av


def test_nesting_limit() -> None:
    # The attribute itself is the first level.
    normalize(nested(values.MAX_NESTING - 1))
    with pytest.raises(InvalidValue, match="Nesting Levels have exceeded supported limits"):
        normalize(nested(values.MAX_NESTING))


def test_sets_are_equal_in_any_order() -> None:
    assert equal({"SS": ["a", "b"]}, {"SS": ["b", "a"]})
    assert equal({"L": [{"NS": ["1", "2"]}]}, {"L": [{"NS": ["2", "1"]}]})
    assert not equal({"SS": ["a"]}, {"SS": ["b"]})
    assert not equal({"S": "1"}, {"N": "1"})


def test_order_exists_only_within_a_type() -> None:
    assert compare({"N": "2"}, {"N": "10"}) == -1
    assert compare({"S": "2"}, {"S": "10"}) == 1
    assert compare({"S": "2"}, {"N": "10"}) is None
    assert compare({"BOOL": True}, {"BOOL": True}) is None


def test_surrogates_are_refused() -> None:
    with pytest.raises(InvalidValue, match="surrogate"):
        normalize({"S": "\ud800"})


def test_number_reads_exactly() -> None:
    assert number("0.1") + number("0.2") == Decimal("0.3")


@given(st.dictionaries(st.text("abé", min_size=1, max_size=3), attribute_values, max_size=4))
def test_what_is_canonical_at_a_glance_is_what_normalising_leaves_alone(item: values.Item) -> None:
    try:
        size = values.canonical_size(item)
    except values.Unclear:
        # Only what is rare is left to the careful way.
        assert any(kind in repr(item) for kind in ("'N'", "'B'", "'NULL'"))
        return
    assert values.normalize_item(item) == (item, size)


@pytest.mark.parametrize(
    "item",
    [
        None,
        {"": {"S": "x"}},
        {"a": {"S": None}},
        {"a": {"S": 1}},
        {"a": {"S": "x", "N": "1"}},
        {"a": {}},
        {"a": "x"},
        {"a": {"N": "1.0"}},
        {"a": {"N": 1}},
        {"a": {"BOOL": "true"}},
        {"a": {"SS": []}},
        {"a": {"SS": ["x", "x"]}},
        {"a": {"SS": [["x"]]}},
        {"a": {"L": [{"S": True}]}},
        {"a" * 65536: {"S": "x"}},
    ],
)
def test_a_glance_takes_nothing_for_granted(item: object) -> None:
    with pytest.raises(values.Unclear):
        values.canonical_size(item)


@pytest.mark.parametrize(("depth", "fine"), [(31, True), (32, False)])
def test_a_glance_goes_as_deep_as_dynamodb(depth: int, fine: bool) -> None:
    value: values.AttributeValue = {"S": "x"}
    for _ in range(depth):
        value = {"L": [value]}
    if fine:
        assert values.canonical_size({"a": value}) == values.normalize_item({"a": value})[1]
    else:
        with pytest.raises(values.Unclear):
            values.canonical_size({"a": value})
