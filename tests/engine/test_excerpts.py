"""A few attributes of a stored item, found by their text, are what decoding all of it gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tablewright.engine.items import excerpts
from tablewright.engine.items.excerpts import excerpt, marks_of

#: Names that stand in items as types too, and what looks like a name with its value.
NAMES = ("a", "ab", "b", "M", "S", "L", "a.b", "a-b")
TRAPS = ('"a":{', '"a":{"S":"x"}', "\\", 'x"}', '\\"a":{', "é€", "\x00", "{", ",", '","', ":{")
TEXTS = st.lists(st.sampled_from((*TRAPS, *NAMES))).map("".join)
ANY_NAME = st.one_of(st.sampled_from(NAMES), TEXTS.filter(bool))


def maps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(ANY_NAME, values, max_size=4)


VALUES = st.recursive(
    st.one_of(
        TEXTS.map(lambda text: {"S": text}),
        st.integers().map(lambda number: {"N": str(number)}),
        st.sampled_from([{"B": ""}, {"B": "YQ=="}, {"BOOL": True}, {"BOOL": False}]),
        st.just({"NULL": True}),
        st.lists(TEXTS, min_size=1, unique=True).map(lambda texts: {"SS": texts}),
        st.just({"NS": ["1", "2"]}),
    ),
    lambda values: st.one_of(
        maps(values).map(lambda members: {"M": members}),
        st.lists(values, max_size=3).map(lambda elements: {"L": elements}),
    ),
    max_leaves=6,
)


@pytest.fixture(autouse=True, scope="module")
def of_small_items_too() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(excerpts, "WORTH_BYTES", 0)
        yield


@given(maps(VALUES), st.frozensets(st.sampled_from(NAMES)))
@example({'b"a': {"S": "x"}, "b": {"SS": ["c,", ":{"]}}, frozenset({"a"}))
@example({"b": {"M": {"a": {"S": "inside"}}}, "a": {"S": "outside"}}, frozenset({"a", "b"}))
@example({"b": {"S": '"a":{"S":"in a text"}'}}, frozenset({"a"}))
def test_an_excerpt_says_what_the_item_says(item: dict[str, Any], names: frozenset[str]) -> None:
    marks = marks_of(names)
    assert marks is not None
    found = excerpt(orjson.dumps(item), marks)
    for name in names:
        assert found.get(name) == item.get(name)
    assert found.items() <= item.items()


@pytest.mark.parametrize("names", [{""}, {","}, {":a"}, {"#a"}, {'a"'}, {"é"}, {"a\n"}])
def test_what_is_not_found_by_its_text(names: set[str]) -> None:
    assert marks_of(frozenset(names)) is None


def test_the_rest_is_not_decoded() -> None:
    item = {f"attribute{n}": {"S": "x" * n} for n in range(30)}
    marks = marks_of(frozenset({"attribute7", "missing"}))
    assert marks is not None
    assert excerpt(orjson.dumps(item), marks) == {"attribute7": {"S": "x" * 7}}
