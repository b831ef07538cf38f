"""Texts the grammar refuses: which token AWS names, and what it shows around it."""

from __future__ import annotations

import pytest

from tablewright.expressions import ExpressionError, Scope


def read(parameter: str, text: str) -> None:
    scope = Scope(None, None)
    if parameter == "UpdateExpression":
        scope.update(text)
    elif parameter == "ProjectionExpression":
        scope.projection(text)
    elif parameter == "KeyConditionExpression":
        scope.key_condition(text)
    else:
        scope.condition(text, parameter)


def refusal(parameter: str, text: str) -> str:
    """The message about ``text``, without the ``Invalid <parameter>:`` in front."""
    with pytest.raises(ExpressionError) as caught:
        read(parameter, text)
    start = f"Invalid {parameter}: "
    message = str(caught.value)
    assert message.startswith(start)
    return message.removeprefix(start)


def syntax(token: str, near: str) -> str:
    return f'Syntax error; token: "{token}", near: "{near}"'


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("a", "<EOF>", "a"),
        ("a = ", "<EOF>", "= "),
        ("   ", "<EOF>", "   "),
        ("a = b c", "c", "b c"),
        ("a = b)", ")", "b)"),
        ("(a = b", "<EOF>", "b"),
        ("a == b", "=", "== b"),
        ('a = "x"', '"', '= "x'),
        ("a = 1", "1", "= 1"),
        ("a.b.", "<EOF>", "."),
        ("a..b = c", ".", "..b"),
        ("a[-1] = b", "-", "[-1"),
        ("a[01] = b", "1", "01]"),
        ("a[1.5] = b", ".", "1.5"),
        ("# = b", "#", "# ="),
        ("a = :", ":", "= :"),
        ("_a = b", "_", "_a"),
        ("1a = b", "1", "1a"),
        ("a-b = c", "-", "a-b"),
        ("ñ = a", "ñ", "ñ ="),
        ("a\u00a0= b", "\u00a0", "a\u00a0="),
        ("a IN ()", ")", "()"),
        ("a IN b", "b", "IN b"),
        ("a BETWEEN b", "<EOF>", "b"),
        ("a BETWEEN (b AND c)", "AND", "b AND c"),
        ("NOT a", "<EOF>", "a"),
        ("a AND b", "AND", "a AND b"),
        ("(a and b)", "and", "a and b"),
        ("(not (q)) = w", ")", ")) ="),
        ("(a = b) = c", "=", ") = c"),
        ("a = (b = c)", "=", "b = c"),
        ("(a).b = c", ".", ").b"),
        ("a = not b", "not", "= not b"),
        ("OR a = b", "OR", "OR a"),
        ("SET a = b", "SET", "SET a"),
        ("a.set = b", "set", ".set ="),
        ("attribute_exists()", ")", "()"),
        ("attribute_exists a", "a", "attribute_exists a"),
        ("(((", "<EOF>", "("),
    ],
)
def test_a_condition_names_the_first_token_it_cannot_use(text: str, token: str, near: str) -> None:
    assert refusal("ConditionExpression", text) == syntax(token, near)
    assert refusal("FilterExpression", text) == syntax(token, near)


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("foo", "foo", "foo"),
        ("a = b", "a", "a ="),
        ("set", "<EOF>", "set"),
        ("set a", "<EOF>", "a"),
        ("set a = b,", "<EOF>", ","),
        ("set a = b = c", "=", "b = c"),
        ("set (a) = b", "(", "set (a"),
        ("set :a = b", ":a", "set :a ="),
        ("set a = b + c + d", "+", "c + d"),
        ("set a = (b + c) + d", "+", ") + d"),
        ("set a = b + (c + d)", "+", "c + d"),
        ("set a = b * c", "*", "b * c"),
        ("set a = 5", "5", "= 5"),
        ("set a = -:n", "-", "= -:n"),
        ("set a = list_append(b + c, d)", "+", "b + c"),
        ("set a = list_append(b,)", ")", ",)"),
        ("set list_append(a, b) = c", "(", "list_append(a"),
        ("remove (a)", "(", "remove (a"),
        ("remove a b", "b", "a b"),
        ("remove a[:n]", ":n", "[:n]"),
        ("remove a[#n]", "#n", "[#n]"),
        ("remove a[0]b", "b", "]b"),
        ("remove set", "set", "remove set"),
        ("add a b", "b", "a b"),
        ("add a (:n)", "(", "a (:n"),
        ("add a if_not_exists(b, c)", "if_not_exists", "a if_not_exists("),
        ("add a :n b :n", "b", ":n b :n"),
        ("delete a", "<EOF>", "a"),
        ("delete a :s, b", "<EOF>", "b"),
    ],
)
def test_an_update_names_the_first_token_it_cannot_use(text: str, token: str, near: str) -> None:
    assert refusal("UpdateExpression", text) == syntax(token, near)


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("a,", "<EOF>", ","),
        (",a", ",", ",a"),
        ("a b", "b", "a b"),
        ("(a)", "(", "(a"),
        ("size(a)", "(", "size(a"),
        (":v", ":v", ":v"),
        ("a,:v", ":v", ",:v"),
        ("a = b", "=", "a = b"),
        ("a,and", "and", ",and"),
        ("a[", "<EOF>", "["),
    ],
)
def test_a_projection_names_the_first_token_it_cannot_use(text: str, token: str, near: str) -> None:
    assert refusal("ProjectionExpression", text) == syntax(token, near)


@pytest.mark.parametrize(
    "parameter",
    [
        "ConditionExpression",
        "FilterExpression",
        "KeyConditionExpression",
        "ProjectionExpression",
        "UpdateExpression",
    ],
)
class TestAnyExpression:
    def test_cannot_be_empty(self, parameter: str) -> None:
        assert refusal(parameter, "") == "The expression can not be empty;"

    def test_cannot_be_larger_than_4_kb(self, parameter: str) -> None:
        # Two bytes for each letter: the limit counts bytes.
        text = "é" * 2049
        expected = "Expression size has exceeded the maximum allowed size;"
        if parameter != "UpdateExpression":  # of these AWS does not tell the size
            expected += " expression size: 4098"
        assert refusal(parameter, text) == expected
        assert refusal(parameter, text[1:]).startswith("Syntax error; ")


@pytest.mark.parametrize(
    "text",
    [
        "((a = b))",
        "((a)) = b",
        "not ((a = b))",
        "((not a = b))",
        "a = ((b))",
        "a IN (((b)))",
        "a BETWEEN ((b)) AND c",
        "((contains(a, b)))",
        "contains(a, ((b)))",
        "attribute_exists(((a)))",
        "(((a = b) AND c = d))",
        "a = b AND ((c = d)) AND @",
        "(" * 2000 + "a<b" + ")" * 2000,
    ],
)
def test_parentheses_around_parentheses_are_redundant(text: str) -> None:
    expected = "The expression has redundant parentheses;"
    assert refusal("ConditionExpression", text) == expected


@pytest.mark.parametrize("text", ["set a = ((b))", "set a = ((b + c))", "set a = ((b)) + c"])
def test_redundant_parentheses_in_an_update(text: str) -> None:
    assert refusal("UpdateExpression", text) == "The expression has redundant parentheses;"


@pytest.mark.parametrize(
    "text",
    [
        "(a) = (b)",
        "((a) = b)",
        "(a) IN ((b))",
        "not (not (a = b))",
        "((a = b) and (c = d))",
        "(contains((a), (b)))",
        "(size(a)) = b",
        "a\r\n=\tb",
        "a . b [ 0 ] = c",
        "nOt a = b aNd c bEtWeEn d AnD e oR f iN (g)",
        "not not a = b",
    ],
)
def test_parentheses_space_and_case_that_do_no_harm(text: str) -> None:
    Scope(None, None).condition(text)


def test_a_syntax_error_inside_the_parentheses_comes_first() -> None:
    assert refusal("ConditionExpression", "((a)) @") == syntax("@", ") @")
    assert refusal("ConditionExpression", "contains(((a)),@)") == syntax("@", ",@)")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("(" * 4096, "Syntax error; "),
        ("a < " + "f(" * 1300 + "b" + ")" * 1300, "Invalid function name; function: f"),
        ("a < " + "size(" * 600 + "b" + ")" * 600, "Incorrect operand type"),
        ("not " * 1000 + "a < b", "The expression contains too many operators"),
    ],
)
def test_nesting_of_any_depth_is_read_without_recursion(text: str, start: str) -> None:
    assert refusal("ConditionExpression", text).startswith(start)
