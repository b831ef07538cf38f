"""A few attributes of a stored item are what decoding all of it gives."""

from __future__ import annotations

from typing import Any

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from tablewright.engine.items.excerpts import excerpts_of

#: Names that stand in items as types too, and texts that look like a name with its value.
NAMES = ("a", "ab", "b", "M", "S", "L", "a.b", "", " ", "é€", "class", '"', "\\", "\x00")
TRAPS = ('"a":{', '"a":{"S":"x"}', "\\", 'x"}', '\\"a":{', "é€", "\x00", "{", ",", '","', ":{")
TEXTS = st.lists(st.sampled_from((*TRAPS, *NAMES))).map("".join)
ANY_NAME = st.one_of(st.sampled_from(NAMES), TEXTS)


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


@given(maps(VALUES), st.frozensets(ANY_NAME, max_size=5))
@example({"b": {"M": {"a": {"S": "inside"}}}, "a": {"S": "outside"}}, frozenset({"a", "b"}))
@example({"b": {"S": '"a":{"S":"in a text"}'}}, frozenset({"a"}))
def test_an_excerpt_says_what_the_item_says(item: dict[str, Any], names: frozenset[str]) -> None:
    found = excerpts_of(names)(orjson.dumps(item))
    assert {name: found.get(name) for name in names} == {name: item.get(name) for name in names}
    assert found.items() <= item.items()


def test_the_rest_is_not_read() -> None:
    item = {f"attribute{n}": {"S": "x" * n} for n in range(30)}
    read = excerpts_of(frozenset({"attribute7", "missing"}))
    assert read(orjson.dumps(item)) == {"attribute7": {"S": "x" * 7}}


def test_the_deepest_value_that_can_be_stored() -> None:
    value: dict[str, Any] = {"S": "x"}
    for depth in range(32):
        value = {"M": {"a": value}} if depth % 2 else {"L": [value]}
    blob = orjson.dumps({"deep": value, "a": {"N": "1"}})
    assert excerpts_of(frozenset({"a"}))(blob) == {"a": {"N": "1"}}
    assert excerpts_of(frozenset({"deep"}))(blob) == {"deep": value}
