"""Projections: what AWS refuses, and what is left of an item."""

from __future__ import annotations

import pytest

from tablewright.expressions import ExpressionError, Projection, Scope
from tablewright.values import Item

ITEM: Item = {
    "a": {
        "M": {
            "b": {"L": [{"S": "0"}, {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}, {"S": "3"}]},
            "c": {"M": {}},
        }
    },
    "d": {"S": "dd"},
    "a.b": {"S": "dotted"},
}


def projected(text: str, **names: str) -> Item:
    scope = Scope({f"#{k}": v for k, v in names.items()} or None, None)
    projection = scope.projection(text)
    scope.finish()
    return projection.apply(ITEM)


def refusal(text: str) -> str:
    with pytest.raises(ExpressionError) as caught:
        Scope(None, None).projection(text)
    return str(caught.value).removeprefix("Invalid ProjectionExpression: ")


def test_whole_attributes() -> None:
    assert projected("d") == {"d": {"S": "dd"}}
    assert projected("d, a, z") == {"d": ITEM["d"], "a": ITEM["a"]}
    assert projected("z") == {}


def test_parts_keep_their_place() -> None:
    assert projected("a.c") == {"a": {"M": {"c": {"M": {}}}}}
    assert projected("a.b[1].x, d") == {
        "a": {"M": {"b": {"L": [{"M": {"x": {"N": "1"}}}]}}},
        "d": {"S": "dd"},
    }


def test_elements_keep_the_order_of_the_list() -> None:
    assert projected("a.b[2], a.b[0]") == {"a": {"M": {"b": {"L": [{"S": "0"}, {"S": "3"}]}}}}


def test_paths_into_one_map_are_merged() -> None:
    assert projected("a.b[0], a.c, a.b[1].y") == {
        "a": {"M": {"b": {"L": [{"S": "0"}, {"M": {"y": {"N": "2"}}}]}, "c": {"M": {}}}}
    }


@pytest.mark.parametrize(
    "text", ["a.z", "a.c.d", "a.b[9]", "a.b[0].x", "a.b.x", "a[0]", "d.x", "d[0]", "a.b[1].zz"]
)
def test_what_leads_nowhere_leaves_no_trace(text: str) -> None:
    assert projected(text) == {}
    assert projected(f"{text}, #x", x="a.b") == {"a.b": ITEM["a.b"]}


def test_a_name_is_taken_literally() -> None:
    assert projected("#x", x="a.b") == {"a.b": {"S": "dotted"}}
    assert projected("#x.#y", x="a", y="c") == {"a": {"M": {"c": {"M": {}}}}}


@pytest.mark.parametrize(
    ("text", "verb", "one", "two"),
    [
        ("a, a", "overlap", "[a]", "[a]"),
        ("a.b, a", "overlap", "[a, b]", "[a]"),
        ("a, a.b", "overlap", "[a]", "[a, b]"),
        ("d, a[0].b, a[0]", "overlap", "[a, [0], b]", "[a, [0]]"),
        ("a[0], a.b", "conflict", "[a, [0]]", "[a, b]"),
    ],
)
def test_paths_exclude_each_other(text: str, verb: str, one: str, two: str) -> None:
    assert refusal(text) == (
        f"Two document paths {verb} with each other; must remove or rewrite one of these paths; "
        f"path one: {one}, path two: {two}"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#x, name", "Attribute name is a reserved keyword; reserved keyword: name"),
        ("a[4294967296]", "List index is not within the allowable range; index: [4294967296]"),
        ("b" + ".b" * 32, "The document path has too many nesting levels; nesting levels: 33"),
        (
            "b, b, #x",
            "An expression attribute name used in the document path is not defined; "
            "attribute name: #x",
        ),
        (
            "b.:x",
            "An expression attribute name used in the document path is not defined; "
            "attribute name: :x",
        ),
    ],
)
def test_bad_paths(text: str, message: str) -> None:
    assert refusal(text) == message


def test_a_projection_without_text() -> None:
    projection = Projection([("a", "c"), ("d",), ("q", 0)])
    assert projection.apply(ITEM) == {"a": {"M": {"c": {"M": {}}}}, "d": ITEM["d"]}
    assert projection.paths == (("a", "c"), ("d",), ("q", 0))
    assert projection.attributes == {"a", "d", "q"}
    assert projection.nested == {"a", "q"}
