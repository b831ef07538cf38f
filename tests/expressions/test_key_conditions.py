"""Key conditions: what a key can answer, and AWS's words for what it cannot."""

from __future__ import annotations

import pytest

from tablewright.expressions import ExpressionError, KeyTerm, Scope
from tablewright.values import AttributeValue

A: AttributeValue = {"S": "a"}
B: AttributeValue = {"S": "b"}
N: AttributeValue = {"N": "1"}
VALUES = {":a": A, ":b": B, ":n": N, ":l": {"L": []}}


def terms(text: str, names: dict[str, str] | None = None) -> list[KeyTerm]:
    return Scope(names, VALUES).key_condition(text)


def refusal(text: str) -> str:
    with pytest.raises(ExpressionError) as caught:
        terms(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("k = :a", KeyTerm("k", "=", (A,))),
        ("k < :a", KeyTerm("k", "<", (A,))),
        ("k <= :a", KeyTerm("k", "<=", (A,))),
        ("k > :a", KeyTerm("k", ">", (A,))),
        ("k >= :a", KeyTerm("k", ">=", (A,))),
        (":a = k", KeyTerm("k", "=", (A,))),
        (":a < k", KeyTerm("k", ">", (A,))),
        (":a <= k", KeyTerm("k", ">=", (A,))),
        (":a > k", KeyTerm("k", "<", (A,))),
        (":a >= k", KeyTerm("k", "<=", (A,))),
        ("k BETWEEN :a AND :b", KeyTerm("k", "BETWEEN", (A, B))),
        ("begins_with(k, :a)", KeyTerm("k", "begins_with", (A,))),
        ("(k) = (:a)", KeyTerm("k", "=", (A,))),
    ],
)
def test_each_operator(text: str, term: KeyTerm) -> None:
    assert terms(text) == [term]


@pytest.mark.parametrize(
    "text",
    [
        "p = :a AND q BETWEEN :a AND :b AND r = :n",
        "(p = :a) AND (q BETWEEN :a AND :b AND r = :n)",
        "(p = :a AND q BETWEEN :a AND :b) AND r = :n",
    ],
)
def test_terms_come_in_the_order_of_the_text(text: str) -> None:
    assert terms(text) == [
        KeyTerm("p", "=", (A,)),
        KeyTerm("q", "BETWEEN", (A, B)),
        KeyTerm("r", "=", (N,)),
    ]


def test_names_are_resolved_and_values_canonical() -> None:
    scope = Scope({"#k": "name"}, {":v": {"N": "1.50"}})
    assert scope.key_condition("#k = :v") == [KeyTerm("name", "=", ({"N": "1.5"},))]


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("p = :a OR q = :b", "OR"),
        ("p = :a AND (q = :a OR q = :b)", "OR"),
        ("NOT p = :a", "NOT"),
        ("p = :a AND NOT q = :b", "NOT"),
        ("p <> :a", "<>"),
        ("p IN (:a)", "IN"),
        ("p = :a AND attribute_exists(q)", "attribute_exists"),
        ("attribute_not_exists(p)", "attribute_not_exists"),
        ("contains(p, :a)", "contains"),
        ("p.x <> :a", "<>"),
    ],
)
def test_operators_no_key_can_answer(text: str, operator: str) -> None:
    assert refusal(text) == f"Invalid operator used in KeyConditionExpression: {operator}"


def test_attribute_type_is_no_key_condition_either() -> None:
    with pytest.raises(ExpressionError, match="KeyConditionExpression: attribute_type"):
        Scope(None, {":t": {"S": "S"}}).key_condition("attribute_type(p, :t)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size(p) = :n", "KeyConditionExpressions cannot contain nested operations"),
        ("p = size(q)", "KeyConditionExpressions cannot contain nested operations"),
        ("p BETWEEN size(q) AND :n", "KeyConditionExpressions cannot contain nested operations"),
        ("p.x = :a", "KeyConditionExpressions cannot have conditions on nested attributes"),
        ("p[0] = :a", "KeyConditionExpressions cannot have conditions on nested attributes"),
        (
            "begins_with(p.x, :a)",
            "KeyConditionExpressions cannot have conditions on nested attributes",
        ),
        (
            "p = :a AND p = :b",
            "Invalid KeyConditionExpression: "
            "KeyConditionExpressions must only contain one condition per key",
        ),
        (
            "p = :a AND q > :a AND q < :b",
            "Invalid KeyConditionExpression: "
            "KeyConditionExpressions must only contain one condition per key",
        ),
        (
            ":a = :b",
            "Invalid condition in KeyConditionExpression: No key attribute specified",
        ),
        (
            "p = q",
            "Invalid condition in KeyConditionExpression: "
            "Multiple attribute names used in one condition",
        ),
        (
            "p BETWEEN q AND :b",
            "Invalid condition in KeyConditionExpression: "
            "Multiple attribute names used in one condition",
        ),
        (
            "begins_with(:a, p)",
            "Invalid condition in KeyConditionExpression: "
            "begins_with operator must have the key attribute as its first operand",
        ),
        (
            ":a BETWEEN p AND q",
            "Invalid condition in KeyConditionExpression: "
            "BETWEEN operator must have the key attribute as its first operand",
        ),
    ],
)
def test_conditions_no_key_can_answer(text: str, message: str) -> None:
    assert refusal(text) == message


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("p =", "Invalid KeyConditionExpression: Syntax error; "),
        ("p = :x", "Invalid KeyConditionExpression: An expression attribute value"),
        ("name = :a", "Invalid KeyConditionExpression: Attribute name is a reserved"),
        ("p = p", "Invalid KeyConditionExpression: The first operand must be distinct"),
        ("p BETWEEN :b AND :a", "Invalid KeyConditionExpression: The BETWEEN operator"),
        ("begins_with(p, :n)", "Invalid KeyConditionExpression: Incorrect operand type"),
        ("p < :l", "Invalid KeyConditionExpression: Incorrect operand type"),
        ("((p = :a))", "Invalid KeyConditionExpression: The expression has redundant"),
        # What is wrong in any condition comes before what is wrong for a key.
        ("p = :a OR foo(q)", "Invalid KeyConditionExpression: Invalid function name"),
    ],
)
def test_a_key_condition_is_a_condition_first(text: str, start: str) -> None:
    assert refusal(text).startswith(start)


def test_checking_without_asking_what_a_key_can_answer() -> None:
    scope = Scope(None, {":a": A})
    scope.check_key_condition("p <> :a")
    scope.finish()
    with pytest.raises(ExpressionError, match="Invalid operator used"):
        scope.key_condition("p <> :a")
    with pytest.raises(ExpressionError, match="Syntax error"):
        scope.check_key_condition("p <>")
