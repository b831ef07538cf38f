"""The maps of placeholders themselves, and placeholders that nothing uses."""

from __future__ import annotations

import pytest

from tablewright.expressions import ExpressionError, Scope
from tablewright.values import AttributeValue


def refusal(
    names: dict[str, str] | None = None, values: dict[str, AttributeValue] | None = None
) -> str:
    with pytest.raises(ExpressionError) as caught:
        Scope(names, values)
    return str(caught.value)


def unused(scope: Scope) -> str:
    with pytest.raises(ExpressionError) as caught:
        scope.finish()
    return str(caught.value)


class TestNames:
    def test_must_not_be_empty(self) -> None:
        assert refusal(names={}) == "ExpressionAttributeNames must not be empty"

    @pytest.mark.parametrize("key", ["a", "#", "#a-b", "#a b", ":a", "##a", "#é", ""])
    def test_keys_have_a_form(self, key: str) -> None:
        assert refusal(names={key: "x"}) == (
            f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"'
        )

    @pytest.mark.parametrize("key", ["#a", "#1", "#_", "#A_1", "#" + "x" * 254])
    def test_good_keys(self, key: str) -> None:
        Scope({key: "x"}, None)

    def test_keys_have_a_length(self) -> None:
        assert refusal(names={"#" + "x" * 255: "x"}) == (
            "ExpressionAttributeNames contains invalid key: "
            "The expression attribute map contains a key that is too long; size of key: 256"
        )

    def test_names_are_not_empty(self) -> None:
        assert refusal(names={"#a": "fine", "#b": ""}) == (
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #b"
        )

    def test_names_have_a_length_in_bytes(self) -> None:
        Scope({"#a": "x" * 65535}, None)
        for name in ("x" * 65536, "é" * 32768):
            assert refusal(names={"#a": name}) == (
                "ExpressionAttributeNames contains invalid value: "
                "Attribute name is too large, must be less than 65536 bytes for key #a"
            )


class TestValues:
    def test_must_not_be_empty(self) -> None:
        assert refusal(values={}) == "ExpressionAttributeValues must not be empty"

    @pytest.mark.parametrize("key", ["a", ":", ":a-b", "#a", ""])
    def test_keys_have_a_form(self, key: str) -> None:
        # Keys are looked at before values.
        assert refusal(values={":z": {"N": "x"}, key: {"S": "x"}}) == (
            f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"'
        )

    def test_keys_have_a_length(self) -> None:
        assert refusal(values={":" + "x" * 300: {"S": "x"}}).endswith("size of key: 301")

    @pytest.mark.parametrize(
        ("value", "reason"),
        [
            ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported"),
            ({"N": "x"}, "The parameter cannot be converted to a numeric value: x"),
            ({"SS": []}, "One or more parameter values were invalid: An string set  may not be"),
            ({"L": [{"N": "x"}]}, "The parameter cannot be converted to a numeric value: x"),
        ],
    )
    def test_values_are_checked(self, value: AttributeValue, reason: str) -> None:
        message = refusal(values={":ok": {"S": ""}, ":bad": value})
        assert message.startswith(f"ExpressionAttributeValues contains invalid value: {reason}")
        assert message.endswith(" for key :bad")

    def test_values_are_made_canonical(self) -> None:
        scope = Scope(None, {":n": {"N": "1.500"}})
        assert scope.values == {":n": {"N": "1.5"}}
        assert scope.update("set a = :n").apply({}) == {"a": {"N": "1.5"}}

    def test_values_are_limited_to_2_mb_together(self) -> None:
        half: AttributeValue = {"S": "x" * (1024 * 1024)}
        Scope(None, {":a": half, ":b": half})
        assert refusal(values={":a": half, ":b": half, ":c": {"S": "x"}}) == (
            "ExpressionAttributeValues exceeds max size"
        )

    def test_names_are_looked_at_first(self) -> None:
        assert refusal(names={}, values={}).startswith("ExpressionAttributeNames")


class TestUnused:
    def test_names(self) -> None:
        scope = Scope({"#a": "a", "#b": "b"}, None)
        scope.condition("#a = c")
        assert unused(scope) == (
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}"
        )

    def test_values(self) -> None:
        scope = Scope(None, {":a": {"S": "a"}, ":b": {"S": "b"}})
        scope.update("set x = :a")
        assert unused(scope) == (
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}"
        )

    def test_names_before_values(self) -> None:
        scope = Scope({"#a": "a"}, {":a": {"S": "a"}})
        assert unused(scope).startswith("Value provided in ExpressionAttributeNames")

    def test_several_are_listed_as_a_hash_set_lists_them(self) -> None:
        values: dict[str, AttributeValue] = {f":{c}": {"S": c} for c in "almn"}
        assert unused(Scope(None, values)).endswith("keys: {:l, :m, :n, :a}")

    def test_any_expression_counts(self) -> None:
        scope = Scope({"#a": "a", "#b": "b", "#c": "c"}, {":v": {"S": "x"}, ":w": {"S": "x"}})
        scope.key_condition("#a = :v")
        scope.condition("attribute_not_exists(x) OR x = :w OR #b = :w", "FilterExpression")
        scope.projection("#c")
        scope.finish()

    def test_one_scope_does_not_see_what_another_uses(self) -> None:
        text = "#shared = :shared"
        Scope({"#shared": "a"}, {":shared": {"S": "x"}}).condition(text)
        scope = Scope({"#shared": "a"}, {":shared": {"S": "x"}})
        assert unused(scope).endswith("keys: {#shared}")
        scope.condition(text)
        scope.finish()


def test_a_missing_value_is_noticed_behind_the_cache() -> None:
    text = "cached_one = :v AND cached_two = :w"
    Scope(None, {":v": {"S": "x"}, ":w": {"S": "x"}}).condition(text)
    with pytest.raises(ExpressionError, match=r"attribute value: :w$"):
        Scope(None, {":v": {"S": "x"}}).condition(text)
    with pytest.raises(ExpressionError, match=r"attribute value: :v$"):
        Scope(None, None).condition(text)


def test_a_missing_name_is_noticed_behind_the_cache() -> None:
    text = "#cached_name = cached_two"
    Scope({"#cached_name": "x"}, None).condition(text)
    with pytest.raises(ExpressionError, match=r"attribute name: #cached_name$"):
        Scope({"#other": "x"}, None).condition(text)
    with pytest.raises(ExpressionError, match=r"attribute name: #cached_name$"):
        Scope(None, None).condition(text)


def test_more_names_and_types_than_are_remembered() -> None:
    text = "#many = :many"
    for i in range(200):
        condition = Scope({"#many": f"n{i}"}, {":many": {"N": str(i)}}).condition(text)
        assert condition.matches({f"n{i}": {"N": str(i)}})
        assert not condition.matches({"n0": {"N": "-1"}})
