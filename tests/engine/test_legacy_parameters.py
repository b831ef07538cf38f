"""The parameters from before expressions: what they mean and what AWS says when they do not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tablewright.engine.items import legacy
from tablewright.expressions import ExpressionError, KeyTerm
from tablewright.values import AttributeValue, InvalidValue, Item

INVALID = "One or more parameter values were invalid: "
S: AttributeValue = {"S": "a"}
N: AttributeValue = {"N": "1"}
EVERY: dict[str, AttributeValue] = {
    "S": S,
    "N": N,
    "B": {"B": "YQ=="},
    "SS": {"SS": ["a"]},
    "NS": {"NS": ["1"]},
    "BS": {"BS": ["YQ=="]},
    "L": {"L": [S]},
    "M": {"M": {"x": S}},
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
}
OPERATORS = [
    *("EQ", "NE", "LE", "LT", "GE", "GT", "IN", "BETWEEN", "NULL", "NOT_NULL"),
    *("CONTAINS", "NOT_CONTAINS", "BEGINS_WITH"),
]
ITEM: Item = {
    "text": {"S": "hello"},
    "number": {"N": "5"},
    "binary": {"B": "aGVsbG8="},
    "words": {"SS": ["a", "b"]},
    "list": {"L": [{"N": "1"}, {"S": "x"}]},
    "yes": {"BOOL": True},
}


def message(function: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises((ExpressionError, InvalidValue)) as caught:
        function(*arguments)
    return str(caught.value)


def outcome(function: Callable[..., Any], *arguments: Any) -> str:
    """The message, or nothing where all is well."""
    try:
        function(*arguments)
    except ExpressionError as error:
        return str(error)
    return ""


def condition(operator: str, *values: AttributeValue) -> dict[str, Any]:
    return {"ComparisonOperator": operator, "AttributeValueList": list(values)}


def filtered(name: str, operator: str, *values: AttributeValue) -> bool:
    request = {"ScanFilter": {name: condition(operator, *values)}}
    before = copy.deepcopy(request)
    found = legacy.filter_condition(request, "ScanFilter")
    assert request == before
    assert found is not None
    # Expected and filters share their operators.
    expected = legacy.expected({"Expected": request["ScanFilter"]})
    assert expected is not None
    assert expected.matches(ITEM) == found.matches(ITEM)
    return found.matches(ITEM)


class TestOperators:
    def test_equality(self) -> None:
        assert filtered("number", "EQ", {"N": "5.0"})
        assert filtered("words", "EQ", {"SS": ["b", "a"]})
        assert not filtered("number", "EQ", {"S": "5"})
        assert not filtered("gone", "EQ", S)
        assert filtered("number", "NE", {"S": "5"})
        assert filtered("gone", "NE", S)
        assert not filtered("number", "NE", {"N": "5"})

    def test_order(self) -> None:
        assert filtered("number", "LT", {"N": "6"})
        assert filtered("number", "LE", {"N": "5"})
        assert filtered("number", "GT", {"N": "4"})
        assert filtered("number", "GE", {"N": "5"})
        assert not filtered("number", "GT", {"N": "5"})
        assert not filtered("number", "LT", {"S": "6"})
        assert not filtered("gone", "LT", {"N": "6"})
        assert filtered("number", "BETWEEN", {"N": "5"}, {"N": "6"})
        assert not filtered("number", "BETWEEN", {"N": "6"}, {"N": "7"})

    def test_choice(self) -> None:
        assert filtered("number", "IN", {"N": "1"}, {"N": "5"})
        assert not filtered("number", "IN", {"N": "1"})
        assert not filtered("words", "IN", {"S": "a"})

    def test_existence(self) -> None:
        assert filtered("gone", "NULL")
        assert not filtered("text", "NULL")
        assert filtered("text", "NOT_NULL")
        assert not filtered("gone", "NOT_NULL")

    def test_pieces_and_elements(self) -> None:
        assert filtered("text", "BEGINS_WITH", {"S": "he"})
        assert not filtered("text", "BEGINS_WITH", {"S": "lo"})
        assert not filtered("number", "BEGINS_WITH", {"S": "5"})
        assert filtered("text", "CONTAINS", {"S": "ell"})
        assert filtered("words", "CONTAINS", {"S": "b"})
        assert filtered("list", "CONTAINS", {"N": "1"})
        assert not filtered("number", "CONTAINS", {"N": "5"})

    def test_not_contains_wants_the_attribute_to_be_there(self) -> None:
        assert filtered("words", "NOT_CONTAINS", {"S": "z"})
        assert filtered("number", "NOT_CONTAINS", {"S": "z"})
        assert not filtered("words", "NOT_CONTAINS", {"S": "a"})
        assert not filtered("gone", "NOT_CONTAINS", {"S": "a"})
        assert not filtered("gone", "CONTAINS", {"S": "a"})


READERS: list[Callable[[dict[str, Any]], Any]] = [
    lambda conditions: legacy.expected({"Expected": conditions}),
    lambda conditions: legacy.filter_condition({"QueryFilter": conditions}, "QueryFilter"),
    lambda conditions: legacy.filter_condition({"ScanFilter": conditions}, "ScanFilter"),
    lambda conditions: legacy.key_conditions({"KeyConditions": conditions}),
]


@pytest.mark.parametrize("read", READERS)
class TestRulesOfAllConditions:
    @pytest.mark.parametrize("operator", OPERATORS)
    def test_number_of_values(self, read: Callable[[dict[str, Any]], Any], operator: str) -> None:
        good = {"NULL": [0], "NOT_NULL": [0], "BETWEEN": [2], "IN": [1, 2, 3]}.get(operator, [1])
        wrong = f"{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator"
        for count in range(4):
            given = {"x": condition(operator, *[S] * count)}
            assert outcome(read, given) == ("" if count in good else wrong), count

    @pytest.mark.parametrize("operator", OPERATORS)
    def test_types_of_values(self, read: Callable[[dict[str, Any]], Any], operator: str) -> None:
        good = {
            "EQ": set(EVERY),
            "NE": set(EVERY),
            "NULL": set(EVERY),
            "NOT_NULL": set(EVERY),
            "BEGINS_WITH": {"S", "B"},
            "CONTAINS": {"S", "N", "B", "BOOL", "NULL"},
            "NOT_CONTAINS": {"S", "N", "B", "BOOL", "NULL"},
        }.get(operator, {"S", "N", "B"})
        count = {"BETWEEN": 2, "NULL": 0, "NOT_NULL": 0}.get(operator, 1)
        wrong = f"{INVALID}ComparisonOperator {operator} is not valid for {{}} AttributeValue type"
        for kind, value in EVERY.items():
            given = {"x": condition(operator, *[value] * count)}
            assert outcome(read, given) == ("" if kind in good else wrong.format(kind)), kind

    def test_values_of_one_type(self, read: Callable[[dict[str, Any]], Any]) -> None:
        for operator in ("IN", "BETWEEN"):
            assert message(read, {"x": condition(operator, S, N)}) == (
                f"{INVALID}AttributeValues inside AttributeValueList must be of same type"
            )

    def test_bounds_in_order(self, read: Callable[[dict[str, Any]], Any]) -> None:
        assert message(read, {"x": condition("BETWEEN", {"N": "10"}, {"N": "9"})}) == (
            "The BETWEEN condition was provided a range where the lower bound is greater than "
            "the upper bound"
        )

    def test_values_themselves(self, read: Callable[[dict[str, Any]], Any]) -> None:
        assert message(read, {"x": condition("EQ", {"N": "x"}, S)}) == (
            "The parameter cannot be converted to a numeric value: x"
        )

    def test_names(self, read: Callable[[dict[str, Any]], Any]) -> None:
        assert message(read, {"": condition("EQ", S)}) == "Empty attribute name"
        assert message(read, {"x" * 65536: condition("EQ", S)}).endswith("less than 65536 bytes")


class TestExpected:
    def test_a_value(self) -> None:
        for given in ({"Value": {"N": "5.0"}}, {"Value": {"N": "5"}, "Exists": True}):
            found = legacy.expected({"Expected": {"number": given}})
            assert found is not None
            assert found.matches(ITEM)
            assert not found.matches(None)

    def test_absence(self) -> None:
        found = legacy.expected({"Expected": {"number": {"Exists": False}}})
        assert found is not None
        assert not found.matches(ITEM)
        assert found.matches(None)

    def test_a_value_with_an_operator(self) -> None:
        given = {"number": {"ComparisonOperator": "GT", "Value": {"N": "4"}}}
        found = legacy.expected({"Expected": given})
        assert found is not None
        assert found.matches(ITEM)

    def test_null_needs_no_list(self) -> None:
        found = legacy.expected({"Expected": {"gone": {"ComparisonOperator": "NULL"}}})
        assert found is not None
        assert found.matches(ITEM)

    @pytest.mark.parametrize(
        ("given", "reason"),
        [
            ({}, "Value must be provided when Exists is null"),
            ({"Exists": True}, "Value must be provided when Exists is true"),
            ({"Exists": False, "Value": S}, "Value cannot be used when Exists is false"),
            (
                {"Value": S, "AttributeValueList": [S]},
                "Value and AttributeValueList cannot be used together",
            ),
            (
                {"Exists": True, "ComparisonOperator": "EQ", "Value": S},
                "Exists and ComparisonOperator cannot be used together",
            ),
            (
                {"ComparisonOperator": "EQ"},
                "Value or AttributeValueList must be used with ComparisonOperator: EQ",
            ),
            (
                {"AttributeValueList": [S], "Exists": False},
                "AttributeValueList can only be used with a ComparisonOperator",
            ),
        ],
    )
    def test_what_does_not_go_together(self, given: dict[str, Any], reason: str) -> None:
        assert message(legacy.expected, {"Expected": {"x": given}}) == (
            f"{INVALID}{reason} for Attribute: x"
        )

    def test_a_value_that_is_none(self) -> None:
        assert message(legacy.expected, {"Expected": {"x": {"Value": {}}}}).startswith(
            "Supplied AttributeValue is empty"
        )


@pytest.mark.parametrize("parameter", ["Expected", "QueryFilter", "ScanFilter"])
class TestSeveralConditions:
    @staticmethod
    def read(parameter: str, request: dict[str, Any]) -> Any:
        if parameter == "Expected":
            return legacy.expected(request)
        return legacy.filter_condition(request, parameter)

    @pytest.mark.parametrize(
        ("operator", "both", "one"), [(None, True, False), ("AND", True, False), ("OR", True, True)]
    )
    def test_are_joined(self, parameter: str, operator: str | None, both: bool, one: bool) -> None:
        def holds(second: str) -> bool:
            given = {
                "text": condition("EQ", {"S": "hello"}),
                "number": condition("EQ", {"N": second}),
            }
            request = {parameter: given, "ConditionalOperator": operator}
            return bool(self.read(parameter, request).matches(ITEM))

        assert holds("5") is both
        assert holds("6") is one

    def test_none_is_no_condition(self, parameter: str) -> None:
        assert self.read(parameter, {}) is None
        assert self.read(parameter, {parameter: {}}) is None

    def test_an_operator_needs_two(self, parameter: str) -> None:
        one = {parameter: {"x": condition("NOT_NULL")}, "ConditionalOperator": "OR"}
        assert message(self.read, parameter, one) == (
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )
        for none in ({}, {parameter: {}}):
            assert message(self.read, parameter, {**none, "ConditionalOperator": "AND"}) == (
                "ConditionalOperator cannot be used without Filter or Expected"
            )


class TestKeyConditions:
    def test_operators(self) -> None:
        request = {
            "KeyConditions": {
                "p": condition("EQ", {"S": "x"}),
                "q": condition("BETWEEN", {"N": "1.0"}, {"N": "2"}),
            }
        }
        assert legacy.key_conditions(request) == [
            KeyTerm("p", "=", ({"S": "x"},)),
            KeyTerm("q", "BETWEEN", ({"N": "1"}, {"N": "2"})),
        ]

    @pytest.mark.parametrize(
        ("old", "new"),
        [("LT", "<"), ("LE", "<="), ("GT", ">"), ("GE", ">="), ("BEGINS_WITH", "begins_with")],
    )
    def test_each(self, old: str, new: Any) -> None:
        found = legacy.key_conditions({"KeyConditions": {"k": condition(old, S)}})
        assert found == [KeyTerm("k", new, (S,))]

    @pytest.mark.parametrize("operator", ["NE", "IN", "CONTAINS", "NOT_CONTAINS"])
    def test_what_no_index_can_answer_is_left_to_the_query(self, operator: str) -> None:
        found = legacy.key_conditions({"KeyConditions": {"k": condition(operator, S)}})
        assert found == [KeyTerm("k", "other", (S,))]
        for existence in ("NULL", "NOT_NULL"):
            found = legacy.key_conditions({"KeyConditions": {"k": condition(existence)}})
            assert found == [KeyTerm("k", "other", ())]

    @pytest.mark.parametrize("count", [0, 3])
    def test_one_or_two_of_them(self, count: int) -> None:
        given = {"KeyConditions": {f"k{i}": condition("EQ", S) for i in range(count)}}
        assert message(legacy.key_conditions, given) == "Conditions can be of length 1 or 2 only"


class TestAttributeUpdates:
    @staticmethod
    def apply(item: Item, **updates: Any) -> Item:
        before = copy.deepcopy(item)
        after = legacy.attribute_updates({"AttributeUpdates": updates}).apply(item)
        assert item == before
        return after

    def test_put_is_the_default(self) -> None:
        assert self.apply({"a": N}, a={"Value": {"N": "2.0"}}, b={"Action": "PUT", "Value": S}) == {
            "a": {"N": "2"},
            "b": S,
        }

    def test_delete_an_attribute(self) -> None:
        assert self.apply({"a": N, "b": S}, a={"Action": "DELETE"}, z={"Action": "DELETE"}) == {
            "b": S
        }

    def test_delete_elements(self) -> None:
        item: Item = {"a": {"SS": ["x", "y"]}}
        assert self.apply(item, a={"Action": "DELETE", "Value": {"SS": ["x", "q"]}}) == {
            "a": {"SS": ["y"]}
        }
        assert self.apply(item, a={"Action": "DELETE", "Value": {"SS": ["x", "y"]}}) == {}

    def test_add_to_numbers_and_sets(self) -> None:
        item: Item = {"a": {"N": "7"}, "b": {"NS": ["1"]}}
        after = self.apply(
            item,
            a={"Action": "ADD", "Value": {"N": "-3.5"}},
            b={"Action": "ADD", "Value": {"NS": ["2", "1"]}},
            c={"Action": "ADD", "Value": {"N": "2"}},
            d={"Action": "ADD", "Value": {"SS": ["x"]}},
        )
        assert after == {
            "a": {"N": "3.5"},
            "b": {"NS": ["1", "2"]},
            "c": {"N": "2"},
            "d": {"SS": ["x"]},
        }

    def test_add_appends_to_lists(self) -> None:
        more = {"Action": "ADD", "Value": {"L": [S]}}
        assert self.apply({"a": {"L": [N]}}, a=more, b=more) == {
            "a": {"L": [N, S]},
            "b": {"L": [S]},
        }

    def test_a_dot_in_a_name_is_a_dot(self) -> None:
        assert self.apply({}, **{"a.b": {"Value": S}}) == {"a.b": S}

    @pytest.mark.parametrize(
        ("old", "added"),
        [(S, N), (N, EVERY["NS"]), (EVERY["SS"], EVERY["NS"]), (N, EVERY["L"]), (EVERY["L"], N)],
    )
    def test_adding_to_something_else(self, old: AttributeValue, added: AttributeValue) -> None:
        update = legacy.attribute_updates(
            {"AttributeUpdates": {"a": {"Action": "ADD", "Value": added}}}
        )
        assert message(update.apply, {"a": old}) == "Type mismatch for attribute to update"

    def test_deleting_from_something_else(self) -> None:
        given = {"AttributeUpdates": {"a": {"Action": "DELETE", "Value": EVERY["NS"]}}}
        update = legacy.attribute_updates(given)
        assert message(update.apply, {"a": N}) == "Type mismatch for attribute to update"
        assert update.only_removes

    def test_other_failures_keep_their_words(self) -> None:
        given = {"AttributeUpdates": {"a": {"Action": "ADD", "Value": {"N": "9e125"}}}}
        update = legacy.attribute_updates(given)
        assert message(update.apply, {"a": {"N": "9e125"}}).startswith("Number overflow")

    @pytest.mark.parametrize("action", [None, "PUT", "ADD"])
    def test_a_value_is_needed(self, action: str | None) -> None:
        given = {"AttributeUpdates": {"a": {"Action": action}}}
        assert message(legacy.attribute_updates, given) == (
            f"{INVALID}Only DELETE action is allowed when no attribute value is specified"
        )

    @pytest.mark.parametrize("kind", ["S", "N", "B", "L", "M", "BOOL", "NULL"])
    def test_types_for_delete(self, kind: str) -> None:
        given = {"AttributeUpdates": {"a": {"Action": "DELETE", "Value": EVERY[kind]}}}
        assert message(legacy.attribute_updates, given) == (
            f"{INVALID}DELETE action with value is not supported for the type {kind}"
        )

    @pytest.mark.parametrize("kind", ["S", "B", "M", "BOOL", "NULL"])
    def test_types_for_add(self, kind: str) -> None:
        given = {"AttributeUpdates": {"a": {"Action": "ADD", "Value": EVERY[kind]}}}
        assert message(legacy.attribute_updates, given) == (
            f"{INVALID}ADD action is not supported for the type {kind}"
        )

    def test_names_and_values(self) -> None:
        for updates, start in (
            ({"": {"Value": S}}, "Empty attribute name"),
            ({"a": {"Value": {"N": "x"}}}, "The parameter cannot be converted"),
            ({"a": {"Value": {"SS": []}}}, INVALID + "An string set  may not be empty"),
        ):
            given = {"AttributeUpdates": updates}
            assert message(legacy.attribute_updates, given).startswith(start)

    def test_nothing(self) -> None:
        for request in ({}, {"AttributeUpdates": {}}):
            update = legacy.attribute_updates(request)
            assert update.apply(ITEM) == ITEM
            assert update.attributes == frozenset()
            assert not update.only_removes

    def test_what_is_touched(self) -> None:
        given = {"AttributeUpdates": {"number": {"Value": S}, "gone": {"Value": S}}}
        update = legacy.attribute_updates(given)
        assert update.touched(ITEM) == {"number": {"N": "5"}}
        assert update.touched(update.apply(ITEM)) == {"number": S, "gone": S}


class TestAttributesToGet:
    def test_whole_attributes(self) -> None:
        found = legacy.attributes_to_get({"AttributesToGet": ["number", "gone", "text.x"]})
        assert found is not None
        assert found.apply({**ITEM, "text.x": S}) == {"number": {"N": "5"}, "text.x": S}

    def test_none(self) -> None:
        assert legacy.attributes_to_get({}) is None

    def test_duplicates(self) -> None:
        given = {"AttributesToGet": ["a", "b", "b", "a"]}
        assert message(legacy.attributes_to_get, given) == (
            f"{INVALID}Duplicate value in attribute name: b"
        )

    def test_names(self) -> None:
        given = {"AttributesToGet": [""]}
        assert message(legacy.attributes_to_get, given) == "Empty attribute name"


class TestMixture:
    @pytest.mark.parametrize(
        ("request_", "old", "new"),
        [
            (
                {
                    "ConditionExpression": "",
                    "UpdateExpression": "",
                    "Expected": {},
                    "AttributeUpdates": {},
                },
                "AttributeUpdates, Expected",
                "UpdateExpression, ConditionExpression",
            ),
            (
                {"ConditionExpression": "a = b", "ConditionalOperator": "OR"},
                "ConditionalOperator",
                "ConditionExpression",
            ),
            (
                {
                    "KeyConditionExpression": "",
                    "FilterExpression": "",
                    "ProjectionExpression": "",
                    "KeyConditions": {},
                    "QueryFilter": {},
                    "AttributesToGet": ["a"],
                    "ConditionalOperator": "OR",
                },
                "AttributesToGet, QueryFilter, ConditionalOperator, KeyConditions",
                "ProjectionExpression, FilterExpression, KeyConditionExpression",
            ),
            (
                {"KeyConditions": {}, "QueryFilter": {}, "FilterExpression": ""},
                "QueryFilter",
                "FilterExpression",
            ),
            (
                {"ScanFilter": {}, "ProjectionExpression": "a"},
                "ScanFilter",
                "ProjectionExpression",
            ),
        ],
    )
    def test_is_refused(self, request_: dict[str, Any], old: str, new: str) -> None:
        assert message(legacy.refuse_mixture, request_) == (
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{old}}} Expression parameters: {{{new}}}"
        )

    @pytest.mark.parametrize(
        "request_",
        [
            {},
            {"Expected": {}, "AttributeUpdates": {}, "ConditionalOperator": "OR"},
            {"UpdateExpression": "", "ConditionExpression": ""},
            {"KeyConditions": {}, "FilterExpression": "", "ProjectionExpression": ""},
            {"ConditionExpression": "", "Expected": None},
        ],
    )
    def test_one_kind_alone_is_fine(self, request_: dict[str, Any]) -> None:
        legacy.refuse_mixture(request_)
