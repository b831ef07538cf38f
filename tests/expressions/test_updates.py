"""What updates do to items."""

from __future__ import annotations

import copy

import pytest

from tablewright.expressions import ExpressionError, Scope, Update, nodes
from tablewright.values import AttributeValue, Item

MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
BAD_PATH = "The document path provided in the update expression is invalid for update"

LETTERS: AttributeValue = {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]}


def updated(text: str, item: Item, **values: AttributeValue) -> Item:
    scope = Scope(None, {f":{k}": v for k, v in values.items()} or None)
    update = scope.update(text)
    scope.finish()
    before = copy.deepcopy(item)
    after = update.apply(item)
    assert item == before
    return after


def failure(text: str, item: Item, **values: AttributeValue) -> str:
    with pytest.raises(ExpressionError) as caught:
        updated(text, item, **values)
    return str(caught.value)


def n(number: int | str) -> AttributeValue:
    return {"N": str(number)}


def letters(*texts: str) -> AttributeValue:
    return {"L": [{"S": text} for text in texts]}


class TestSet:
    def test_makes_and_replaces(self) -> None:
        item: Item = {"a": n(1), "keep": n(9)}
        assert updated("set a = :v, b = :v", item, v={"S": "x"}) == {
            "a": {"S": "x"},
            "b": {"S": "x"},
            "keep": n(9),
        }

    def test_copies_from_the_item_as_it_was(self) -> None:
        assert updated("set a = b, b = a", {"a": n(1), "b": n(2)}) == {"a": n(2), "b": n(1)}
        assert updated("remove a set b = a", {"a": n(1)}) == {"b": n(1)}
        assert failure("set a = :v, b = a", {}, v=n(1)) == MISSING

    def test_from_nowhere_fails(self) -> None:
        assert failure("set a = b", {}) == MISSING
        assert failure("set a = b.c", {"b": {"S": "x"}}) == MISSING
        assert failure("set a = b[3]", {"b": LETTERS}) == MISSING
        assert failure("set a = if_not_exists(b, c)", {}) == MISSING

    def test_inside_a_map(self) -> None:
        item: Item = {"a": {"M": {"b": n(1), "c": {"M": {"d": n(2)}}}}}
        assert updated("set a.b = :v, a.c.e = :v, a.f = :v", item, v=n(7)) == {
            "a": {"M": {"b": n(7), "c": {"M": {"d": n(2), "e": n(7)}}, "f": n(7)}}
        }

    def test_inside_a_list(self) -> None:
        assert updated("set a[1] = :v", {"a": LETTERS}, v={"S": "x"}) == {"a": letters(*"axc")}

    def test_behind_the_end_of_a_list_appends_in_index_order(self) -> None:
        after = updated(
            "set a[84] = :w, a[37] = :x, a[3] = :y, a[50] = :z",
            {"a": LETTERS},
            w={"S": "w"},
            x={"S": "x"},
            y={"S": "y"},
            z={"S": "z"},
        )
        assert after == {"a": letters(*"abcyxzw")}

    @pytest.mark.parametrize(
        ("text", "item"),
        [
            ("set a.b = :v", {}),
            ("set a.b = :v", {"a": {"S": "x"}}),
            ("set a.b = :v", {"a": LETTERS}),
            ("set a[0] = :v", {}),
            ("set a[0] = :v", {"a": {"M": {}}}),
            ("set a[0].b = :v", {"a": {"L": []}}),
            ("set a.b.c = :v", {"a": {"M": {}}}),
            ("add a.b :v", {}),
        ],
    )
    def test_needs_the_way_there(self, text: str, item: Item) -> None:
        assert failure(text, item, v=n(1)) == BAD_PATH

    def test_shares_what_it_does_not_touch(self) -> None:
        item: Item = {"a": {"M": {"b": {"M": {}}, "c": n(1)}}, "d": {"M": {}}}
        after = updated("set a.c = :v", item, v=n(2))
        assert after["d"] is item["d"]
        assert after["a"]["M"]["b"] is item["a"]["M"]["b"]

    def test_does_not_nest_deeper_than_32(self) -> None:
        value: AttributeValue = {"S": "x"}
        for _ in range(30):
            value = {"M": {"a": value}}
        assert updated("set a.b = :v", {"a": {"M": {}}}, v=value)
        deeper = {"M": {"a": value}}
        message = "Nesting Levels have exceeded supported limits"
        assert failure("set a.b = :v", {"a": {"M": {}}}, v=deeper) == message
        assert failure("set a = list_append(a, b)", {"a": {"L": []}, "b": {"L": [deeper]}})


class TestFunctions:
    def test_if_not_exists(self) -> None:
        text = "set a = if_not_exists(a, :v)"
        assert updated(text, {}, v=n(1)) == {"a": n(1)}
        assert updated(text, {"a": n(5)}, v=n(1)) == {"a": n(5)}
        assert updated("set a = if_not_exists(b.c[0], b)", {"b": n(3)})["a"] == n(3)
        assert updated("set a = if_not_exists(b, if_not_exists(c, :v))", {}, v=n(1)) == {"a": n(1)}

    def test_if_not_exists_nests_as_deep_as_a_text_allows(self) -> None:
        text = "set a=" + "if_not_exists(b," * 239 + ":v" + ")" * 239
        assert updated(text, {}, v=n(1)) == {"a": n(1)}

    def test_if_not_exists_counts(self) -> None:
        text = "set hits = if_not_exists(hits, :zero) + :one"
        item = updated(text, {}, zero=n(0), one=n(1))
        assert updated(text, item, zero=n(0), one=n(1)) == {"hits": n(2)}

    def test_list_append(self) -> None:
        item: Item = {"a": LETTERS}
        assert updated("set a = list_append(a, :v)", item, v=letters("d")) == {
            "a": letters(*"abcd")
        }
        assert updated("set b = list_append(:v, a)", item, v=letters("z"))["b"] == letters(*"zabc")
        assert updated("set a = list_append(a, a)", item) == {"a": letters(*"abcabc")}

    def test_list_append_wants_two_lists(self) -> None:
        assert failure("set a = list_append(b, :v)", {}, v=LETTERS) == MISSING
        assert failure("set a = list_append(b, :v)", {"b": n(1)}, v=LETTERS) == WRONG_TYPE
        assert failure("set a = list_append(:v, b)", {"b": {"SS": ["a"]}}, v=LETTERS) == WRONG_TYPE


class TestArithmetic:
    @pytest.mark.parametrize(
        ("text", "result"),
        [
            ("a + :v", "8"),
            ("a - :v", "2"),
            (":v - a", "-2"),
            (":v + :v", "6"),
            ("(a) + (:v)", "8"),
        ],
    )
    def test_adds_and_subtracts(self, text: str, result: str) -> None:
        values = {"v": n(3)}
        assert updated(f"set z = {text}", {"a": n(5)}, **values)["z"] == n(result)

    @pytest.mark.parametrize(
        ("left", "right", "result"),
        [
            ("0.1", "0.2", "0.3"),
            ("1.5", "-1.5", "0"),
            ("10000000000000000000000", "1", "10000000000000000000001"),
            ("9" * 38, "1", "1" + "0" * 38),
            ("1e125", "1e125", "2" + "0" * 125),
            ("99999999999999999999", "-1", "99999999999999999998"),
            ("1e-130", "1e-130", "0." + "0" * 129 + "2"),
        ],
    )
    def test_is_exact(self, left: str, right: str, result: str) -> None:
        assert updated("set a = :x + :y", {}, x=n(left), y=n(right)) == {"a": n(result)}
        assert updated("add a :y", {"a": n(left)}, y=n(right)) == {"a": n(result)}

    @pytest.mark.parametrize(
        ("left", "right"),
        [("9e125", "9e125"), ("1e50", "1"), ("1e125", "1e-130"), ("9" * 38, "7")],
    )
    def test_overflows_beyond_magnitude_and_precision(self, left: str, right: str) -> None:
        expected = (
            "Number overflow. "
            "Attempting to store a number with magnitude larger than supported range"
        )
        assert failure("set a = :x + :y", {}, x=n(left), y=n(right)) == expected

    def test_underflows(self) -> None:
        assert failure("set a = :x - :y", {}, x=n("1.1e-130"), y=n("1e-130")) == (
            "Number underflow. "
            "Attempting to store a number with magnitude smaller than supported range"
        )

    def test_wants_two_numbers(self) -> None:
        assert failure("set a = a + :v", {}, v=n(1)) == MISSING
        assert failure("set a = a + :v", {"a": {"S": "1"}}, v=n(1)) == WRONG_TYPE
        assert failure("set a = if_not_exists(a, :s) + :v", {}, s={"S": "x"}, v=n(1)) == WRONG_TYPE


class TestRemove:
    def test_attributes_members_and_elements(self) -> None:
        item: Item = {"a": n(1), "b": {"M": {"c": n(2), "d": LETTERS}}}
        assert updated("remove a, b.c, b.d[1]", item) == {"b": {"M": {"d": letters(*"ac")}}}

    def test_what_is_not_there_is_fine(self) -> None:
        item: Item = {"a": LETTERS, "b": {"M": {}}}
        assert updated("remove c, a[7], b.x", item) == item

    def test_leaves_empty_maps_and_lists(self) -> None:
        item: Item = {"a": {"M": {"b": n(1)}}, "c": {"L": [n(1)]}}
        assert updated("remove a.b, c[0]", item) == {"a": {"M": {}}, "c": {"L": []}}

    def test_indexes_are_those_of_the_old_list(self) -> None:
        item: Item = {"a": letters(*"abcdef")}
        for text in ("remove a[1] set a[3] = :v", "set a[3] = :v remove a[1]"):
            assert updated(text, item, v={"S": "x"}) == {"a": letters(*"acxef")}
        assert updated("remove a[0], a[1], a[5]", item) == {"a": letters(*"cde")}
        assert updated("remove a[0] set a[9] = :v", item, v={"S": "x"}) == {"a": letters(*"bcdefx")}

    @pytest.mark.parametrize("text", ["remove a.b", "remove a[0]", "remove a.b.c"])
    @pytest.mark.parametrize("item", [{}, {"a": {"S": "x"}}])
    def test_needs_the_way_there(self, text: str, item: Item) -> None:
        assert failure(text, item) == BAD_PATH

    def test_from_an_item_that_does_not_exist(self) -> None:
        key: Item = {"pk": {"S": "p"}}
        update = Scope(None, None).update("remove a.b, c[0], d")
        assert update.apply(key, exists=False) == key
        assert update.only_removes
        both = Scope(None, {":v": n(1)}).update("remove a.b set d = :v")
        assert both.apply(key, exists=False) == {**key, "d": n(1)}
        assert not both.only_removes
        inside = Scope(None, {":v": n(1)}).update("set a.b = :v")
        with pytest.raises(ExpressionError, match="document path provided"):
            inside.apply(key, exists=False)


class TestAdd:
    def test_to_numbers(self) -> None:
        assert updated("add a :v", {"a": n(3)}, v=n(4)) == {"a": n(7)}
        assert updated("add a :v", {}, v=n(-4)) == {"a": n(-4)}
        assert updated("add a.b :v, c[0] :v", {"a": {"M": {}}, "c": {"L": [n(1)]}}, v=n(2)) == {
            "a": {"M": {"b": n(2)}},
            "c": {"L": [n(3)]},
        }

    def test_to_sets(self) -> None:
        item: Item = {"a": {"SS": ["x", "y"]}}
        assert updated("add a :v", item, v={"SS": ["y", "z"]}) == {"a": {"SS": ["x", "y", "z"]}}
        assert updated("add b :v", item, v={"NS": ["1.0"]})["b"] == {"NS": ["1"]}
        assert updated("add a :v", {"a": {"NS": ["1"]}}, v={"NS": ["1.00", "2"]}) == {
            "a": {"NS": ["1", "2"]}
        }

    @pytest.mark.parametrize("old", [{"S": "x"}, {"SS": ["x"]}, {"L": []}, {"M": {}}])
    def test_to_something_else_fails(self, old: AttributeValue) -> None:
        assert failure("add a :v", {"a": old}, v=n(1)) == WRONG_TYPE
        assert failure("add a :v", {"a": old}, v={"NS": ["1"]}) == WRONG_TYPE


class TestDelete:
    def test_takes_elements_out(self) -> None:
        item: Item = {"a": {"SS": ["x", "y", "z"]}}
        assert updated("delete a :v", item, v={"SS": ["y", "q"]}) == {"a": {"SS": ["x", "z"]}}

    def test_of_the_last_element_removes_the_attribute(self) -> None:
        item: Item = {"a": {"NS": ["1"]}, "b": {"M": {"c": {"NS": ["1"]}}}}
        assert updated("delete a :v, b.c :v", item, v={"NS": ["1.0"]}) == {"b": {"M": {}}}
        inside: Item = {"a": {"L": [{"NS": ["1"]}, n(5)]}}
        assert updated("delete a[0] :v", inside, v={"NS": ["1"]}) == {"a": {"L": [n(5)]}}

    def test_from_nothing_does_nothing(self) -> None:
        assert updated("delete a :v", {}, v={"NS": ["1"]}) == {}
        assert failure("delete a.b :v", {}, v={"NS": ["1"]}) == BAD_PATH

    @pytest.mark.parametrize("old", [n(1), {"SS": ["1"]}, {"L": [n(1)]}])
    def test_from_something_else_fails(self, old: AttributeValue) -> None:
        assert failure("delete a :v", {"a": old}, v={"NS": ["1"]}) == WRONG_TYPE


class TestTouched:
    @staticmethod
    def touched(text: str, item: Item, **values: AttributeValue) -> tuple[Item, Item]:
        update = Scope(None, {f":{k}": v for k, v in values.items()} or None).update(text)
        return update.touched(item), update.touched(update.apply(item))

    def test_holds_only_what_the_update_is_about(self) -> None:
        item: Item = {"a": {"M": {"b": n(1), "c": letters(*"xyz")}}, "d": n(4)}
        old, new = self.touched("set a.c[1] = :v, a.b = :v, e = :v", item, v=n(9))
        assert old == {"a": {"M": {"b": n(1), "c": letters("y")}}}
        assert new == {"a": {"M": {"b": n(9), "c": {"L": [n(9)]}}}, "e": n(9)}

    def test_is_empty_for_what_is_gone(self) -> None:
        assert self.touched("remove a", {"a": n(1)}) == ({"a": n(1)}, {})
        assert self.touched("set a.x = :v", {"a": {"M": {}}}, v=n(1))[0] == {}

    def test_goes_by_index_even_where_a_list_has_moved(self) -> None:
        item: Item = {"a": letters(*"xyz")}
        assert self.touched("remove a[1]", item) == ({"a": letters("y")}, {"a": letters("z")})
        assert self.touched("set a[100] = :v", item, v=n(1)) == ({}, {})


def test_what_an_update_touches_and_looks_into() -> None:
    scope = Scope({"#n": "name"}, {":v": n(1)})
    update = scope.update("set #n.x = b[0], c = d add e :v remove f[1]")
    assert update.paths == (("name", "x"), ("c",), ("e",), ("f", 1))
    assert update.attributes == {"name", "c", "e", "f"}
    assert update.nested == {"name", "b", "f"}


def test_an_update_without_text() -> None:
    target = nodes.Attribute(("odd name", 0))
    update = Update([nodes.Set(target, nodes.Literal(n(1)))])
    assert update.apply({"odd name": {"L": []}}) == {"odd name": {"L": [n(1)]}}
    assert update.paths == (("odd name", 0),)


def test_no_actions_at_all() -> None:
    update = Update([])
    assert update.apply({"a": n(1)}) == {"a": n(1)}
    assert not update.only_removes
    assert update.touched({"a": n(1)}) == {}
