"""What conditions say about items."""

from __future__ import annotations

import re

import pytest

from tablewright.expressions import Condition, Scope, nodes
from tablewright.values import AttributeValue, Item

ITEM: Item = {
    "text": {"S": "hello"},
    "number": {"N": "5"},
    "binary": {"B": "aGVsbG8="},
    "yes": {"BOOL": True},
    "nothing": {"NULL": True},
    "words": {"SS": ["a", "b"]},
    "numbers": {"NS": ["1", "2", "3"]},
    "blobs": {"BS": ["YQ=="]},
    "list": {"L": [{"S": "x"}, {"N": "1"}, {"L": []}, {"SS": ["q", "p"]}]},
    "map": {"M": {"heart": {"M": {"deep": {"L": [{"N": "7"}]}}}, "n": {"N": "1"}}},
    "low": {"N": "1"},
    "high": {"N": "9"},
}


def holds(text: str, item: Item | None = ITEM, **values: AttributeValue) -> bool:
    names = {f"#{name}": name for name in re.findall(r"#(\w+)", text)}
    scope = Scope(names or None, {f":{k}": v for k, v in values.items()} or None)
    condition = scope.condition(text)
    scope.finish()
    return condition.matches(item)


class TestEquality:
    @pytest.mark.parametrize("name", ITEM)
    def test_of_every_type(self, name: str) -> None:
        value = ITEM[name]
        assert holds(f"#{name} = :v", v=value)
        assert not holds(f"#{name} <> :v", v=value)
        assert holds(f"gone <> #{name}")
        assert not holds(f"gone = #{name}")

    def test_of_different_types_is_false(self) -> None:
        assert not holds("#number = :v", v={"S": "5"})
        assert holds("#number <> :v", v={"S": "5"})

    def test_of_numbers_is_by_value(self) -> None:
        assert holds("#number = :v", v={"N": "5.00"})
        assert holds("#number = :v", v={"N": "0.5e1"})

    def test_of_sets_ignores_their_order(self) -> None:
        assert holds("words = :v", v={"SS": ["b", "a"]})
        assert not holds("words = :v", v={"SS": ["b", "a", "c"]})
        assert holds("#list[3] = :v", v={"SS": ["p", "q"]})

    def test_nothing_equals_a_missing_attribute(self) -> None:
        assert not holds("gone = absent")
        assert holds("gone <> absent")


class TestOrder:
    def test_of_numbers(self) -> None:
        assert holds("#number < :v", v={"N": "10"})
        assert holds("#number <= :v", v={"N": "5"})
        assert holds("#number > :v", v={"N": "-6"})
        assert holds("#number >= :v", v={"N": "5"})
        assert not holds("#number < :v", v={"N": "5"})

    def test_of_strings_is_by_utf_8_bytes(self) -> None:
        item: Item = {"a": {"S": "\uffff"}}
        assert holds("a < :v", item, v={"S": "\U00010000"})

    def test_of_binaries_is_unsigned(self) -> None:
        item: Item = {"a": {"B": "fw=="}}
        assert holds("a < :v", item, v={"B": "gA=="})

    def test_of_different_or_missing_things_is_false(self) -> None:
        for operator in ("<", "<=", ">", ">="):
            assert not holds(f"#number {operator} #text")
            assert not holds(f"gone {operator} #number")
            assert not holds(f"gone {operator} absent")
            assert not holds(f"yes {operator} words")


class TestBetweenAndIn:
    def test_between_includes_both_ends(self) -> None:
        assert holds("#number BETWEEN :a AND :b", a={"N": "5"}, b={"N": "5"})
        assert holds("#number BETWEEN low AND high")
        assert not holds("#number BETWEEN high AND low")
        assert not holds("#number BETWEEN :a AND :b", a={"N": "6"}, b={"N": "7"})
        assert not holds("gone BETWEEN low AND high")
        assert not holds("#text BETWEEN low AND high")

    def test_in_is_equality_with_one_of_them(self) -> None:
        assert holds("#number IN (low, :v)", v={"N": "5.0"})
        assert holds("words IN (:v)", v={"SS": ["b", "a"]})
        assert not holds("#number IN (low, high)")
        assert not holds("gone IN (low, absent)")


class TestFunctions:
    def test_existence(self) -> None:
        assert holds("attribute_exists(#text)")
        assert holds("attribute_exists(#map.heart.deep[0])")
        assert holds("attribute_not_exists(#map.heart.deep[1])")
        assert holds("attribute_not_exists(#text.heart)")
        assert holds("attribute_not_exists(#map[0])")
        assert holds("attribute_not_exists(#list.heart)")
        assert not holds("attribute_exists(gone)")

    @pytest.mark.parametrize("name", ITEM)
    def test_attribute_type(self, name: str) -> None:
        kind = next(iter(ITEM[name]))
        assert holds(f"attribute_type(#{name}, :t)", t={"S": kind})
        assert not holds(f"attribute_type(#{name}, :t)", t={"S": "N" if kind != "N" else "S"})
        assert not holds("attribute_type(gone, :t)", t={"S": kind})

    def test_attribute_type_of_things_that_are_not_attributes(self) -> None:
        assert holds("attribute_type(:v, :t)", v={"S": "x"}, t={"S": "S"})
        assert holds("attribute_type(size(#text), :t)", t={"S": "N"})

    def test_begins_with(self) -> None:
        assert holds("begins_with(#text, :v)", v={"S": "he"})
        assert holds("begins_with(#text, :v)", v={"S": ""})
        assert not holds("begins_with(#text, :v)", v={"S": "el"})
        assert holds("begins_with(#binary, :v)", v={"B": "aGU="})
        assert not holds("begins_with(#text, :v)", v={"B": "aGU="})
        assert not holds("begins_with(#number, #text)")
        assert not holds("begins_with(gone, :v)", v={"S": ""})
        assert holds("begins_with(:v, #text)", v={"S": "hello there"})

    def test_contains_a_piece(self) -> None:
        assert holds("contains(#text, :v)", v={"S": "ell"})
        assert not holds("contains(#text, :v)", v={"S": "EL"})
        assert holds("contains(#binary, :v)", v={"B": "bGw="})
        # "YQ==" is no piece of "aGVsbG8=", but bytes count, not base64.
        assert holds("contains(:v, :w)", v={"B": "YWJj"}, w={"B": "Yg=="})
        assert not holds("contains(#number, :v)", v={"N": "5"})

    def test_contains_an_element(self) -> None:
        assert holds("contains(words, :v)", v={"S": "b"})
        assert not holds("contains(words, :v)", v={"SS": ["b"]})
        assert holds("contains(numbers, :v)", v={"N": "2.0"})
        assert not holds("contains(numbers, :v)", v={"S": "2"})
        assert holds("contains(blobs, :v)", v={"B": "YQ=="})
        assert holds("contains(#list, :v)", v={"N": "1"})
        assert holds("contains(#list, :v)", v={"SS": ["p", "q"]})
        assert holds("contains(#list, :v)", v={"L": []})
        assert not holds("contains(#map, :v)", v={"S": "n"})
        assert holds("contains(numbers, size(words))")

    @pytest.mark.parametrize(
        ("name", "size"),
        [("text", 5), ("binary", 5), ("words", 2), ("numbers", 3), ("list", 4), ("map", 2)],
    )
    def test_size(self, name: str, size: int) -> None:
        assert holds(f"size(#{name}) = :n", n={"N": str(size)})
        assert holds(f"size(#{name}) > :n", n={"N": str(size - 1)})
        assert not holds(f"size(#{name}) = :s", s={"S": str(size)})

    @pytest.mark.parametrize("name", ["number", "yes", "nothing", "gone"])
    def test_what_has_no_size_compares_as_missing(self, name: str) -> None:
        reference = f"#{name}" if name in ITEM else name
        assert not holds(f"size({reference}) >= :n", n={"N": "0"})
        assert holds(f"size({reference}) <> :n", n={"N": "0"})

    def test_size_of_a_string_counts_utf_16_units(self) -> None:
        assert holds("size(a) = :n", {"a": {"S": "é😀"}}, n={"N": "3"})

    def test_size_of_a_value_of_the_request(self) -> None:
        assert holds("size(:s) = #number", s={"S": "12345"})


class TestLogic:
    def test_not_before_and_before_or(self) -> None:
        yes, no = "low = low2", "low <> low2"
        item: Item = {"low": {"N": "1"}, "low2": {"N": "1"}}
        assert holds(f"{yes} OR {no} AND {no}", item)
        assert not holds(f"({yes} OR {no}) AND {no}", item)
        assert holds(f"NOT {no} AND {yes}", item)
        assert not holds(f"NOT ({no} OR {yes})", item)
        assert holds(f"NOT NOT {yes}", item)
        assert not holds(f"NOT NOT NOT {yes}", item)
        assert holds(f"low BETWEEN low2 AND low2 AND {yes}", item)
        assert not holds(f"low BETWEEN low2 AND low2 AND {no}", item)

    def test_long_chains(self) -> None:
        assert holds(" AND ".join(["#number > low"] * 120))
        assert not holds(" AND ".join(["#number > low"] * 119 + ["low > #number"]))
        assert holds(" OR ".join(["low > #number"] * 119 + ["#number > low"]))

    def test_deep_parentheses(self) -> None:
        depth = 149
        text = "low < high " + "and (low < high " * depth + ")" * depth
        assert holds(text)


class TestItems:
    def test_one_that_does_not_exist_has_no_attributes(self) -> None:
        assert holds("attribute_not_exists(pk)", None)
        assert holds("pk <> :v", None, v={"S": "x"})
        assert holds("NOT pk = :v", None, v={"S": "x"})
        assert not holds("pk = :v", None, v={"S": "x"})

    def test_nested_attributes_are_reached(self) -> None:
        assert holds("#map.heart.deep[0] = :v", v={"N": "7"})
        assert holds("#map.n = #list[1]")
        assert not holds("#map.n.x = :v", v={"N": "7"})


def test_the_attributes_a_condition_mentions() -> None:
    scope = Scope({"#a": "alpha"}, {":v": {"N": "1"}})
    condition = scope.condition("#a.b = :v AND (c = d OR size(e[0]) > :v)")
    assert condition.attributes == {"alpha", "c", "d", "e"}
    assert condition.nested == {"alpha", "e"}


def test_a_condition_without_text() -> None:
    attribute = nodes.Attribute(("#odd name",))
    node = nodes.And(
        (
            nodes.Comparison(">", attribute, nodes.Literal({"N": "1"})),
            nodes.Not(nodes.In(attribute, (nodes.Literal({"N": "3"}), nodes.ValueRef(":x")))),
        )
    )
    condition = Condition(node, {":x": {"N": "4"}})
    assert condition.matches({"#odd name": {"N": "2"}})
    assert not condition.matches({"#odd name": {"N": "3"}})
    assert not condition.matches({"#odd name": {"N": "4"}})
    assert not condition.matches(None)
    assert condition.attributes == {"#odd name"}


def test_one_text_with_other_values_and_names() -> None:
    text = "#a = :v"
    first = Scope({"#a": "text"}, {":v": {"S": "hello"}}).condition(text)
    second = Scope({"#a": "number"}, {":v": {"N": "5"}}).condition(text)
    third = Scope({"#a": "number"}, {":v": {"N": "6"}}).condition(text)
    assert first.matches(ITEM)
    assert second.matches(ITEM)
    assert not third.matches(ITEM)
    assert first.matches(ITEM)
