"""Updates AWS refuses before it looks at the item, and in which order."""

from __future__ import annotations

import pytest

from tablewright.expressions import ExpressionError, Scope
from tablewright.values import AttributeValue

VALUES: dict[str, AttributeValue] = {
    ":s": {"S": "a"},
    ":n": {"N": "1"},
    ":b": {"B": "YQ=="},
    ":bool": {"BOOL": True},
    ":null": {"NULL": True},
    ":ss": {"SS": ["a"]},
    ":ns": {"NS": ["1"]},
    ":bs": {"BS": ["YQ=="]},
    ":l": {"L": []},
    ":map": {"M": {}},
}
TYPES = {name: next(iter(value)) for name, value in VALUES.items()}
LONG = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "L": "LIST",
    "M": "MAP",
}


def refusal(text: str, names: dict[str, str] | None = None) -> str:
    with pytest.raises(ExpressionError) as caught:
        Scope(names, VALUES).update(text)
    message = str(caught.value)
    assert message.startswith("Invalid UpdateExpression: ")
    return message.removeprefix("Invalid UpdateExpression: ")


def accepted(text: str) -> None:
    Scope(None, VALUES).update(text)


class TestSections:
    @pytest.mark.parametrize(
        ("text", "keyword"),
        [
            ("set a = b set c = d", "SET"),
            ("remove a set b = c remove d", "REMOVE"),
            ("add a :n set b = c Add d :n", "ADD"),
            ("delete a :ss delete b :ss", "DELETE"),
        ],
    )
    def test_are_used_once(self, text: str, keyword: str) -> None:
        assert refusal(text) == (
            f'The "{keyword}" section can only be used once in an update expression;'
        )

    def test_come_in_any_order_and_case(self) -> None:
        accepted("Delete a :ss ADD b :n rEMOVE c, d.e SET f = :n, g = f")


class TestFunctions:
    def test_must_be_known(self) -> None:
        assert refusal("set a = foo(b)") == "Invalid function name; function: foo"
        assert refusal("set a = IF_NOT_EXISTS(a, b)").endswith("function: IF_NOT_EXISTS")

    @pytest.mark.parametrize("function", ["size", "attribute_exists", "contains"])
    def test_of_conditions_are_not_for_updates(self, function: str) -> None:
        assert refusal(f"set a = {function}(b)") == (
            f"The function is not allowed in an update expression; function: {function}"
        )

    @pytest.mark.parametrize(
        "value",
        [
            "list_append(list_append(a, b), c)",
            "if_not_exists(a, list_append(b, c))",
            "list_append(a, b) + c",
            "c - list_append(a, b)",
        ],
    )
    def test_list_append_is_always_outermost(self, value: str) -> None:
        assert refusal(f"set a = {value}") == (
            "The function is not allowed to be used this way in an expression; "
            "function: list_append"
        )

    def test_if_not_exists_nests(self) -> None:
        accepted("set a = list_append(if_not_exists(a, :l), if_not_exists(b, :l))")
        accepted("set a = if_not_exists(b, if_not_exists(c, :n)) + if_not_exists(d, :n)")
        accepted("set a = " + "if_not_exists(b, " * 200 + ":n" + ")" * 200)

    @pytest.mark.parametrize("function", ["if_not_exists", "list_append"])
    @pytest.mark.parametrize("operands", ["a", "a, b, c"])
    def test_take_two_operands(self, function: str, operands: str) -> None:
        assert refusal(f"set z = {function}({operands})") == (
            "Incorrect number of operands for operator or function; "
            f"operator or function: {function}, number of operands: {len(operands.split())}"
        )

    @pytest.mark.parametrize("operand", [":n", "if_not_exists(a, b)"])
    def test_if_not_exists_needs_a_path(self, operand: str) -> None:
        assert refusal(f"set a = if_not_exists({operand}, c)") == (
            "Operator or function requires a document path; operator or function: if_not_exists"
        )

    def test_if_not_exists_of_one_attribute_twice(self) -> None:
        assert refusal("set a = if_not_exists(b, b)") == (
            "The first operand must be distinct from the remaining operands for this operator or "
            "function; operator: if_not_exists, first operand: [b]"
        )
        accepted("set a = list_append(b, b)")
        accepted("set a = b + b")

    @pytest.mark.parametrize("value", [name for name, kind in TYPES.items() if kind != "L"])
    def test_list_append_takes_lists(self, value: str) -> None:
        for operands in (f"a, {value}", f"{value}, a"):
            assert refusal(f"set a = list_append({operands})") == (
                "Incorrect operand type for operator or function; "
                f"operator or function: list_append, operand type: {TYPES[value]}"
            )


class TestOperands:
    @pytest.mark.parametrize("operator", ["+", "-"])
    @pytest.mark.parametrize("value", [name for name, kind in TYPES.items() if kind != "N"])
    def test_arithmetic_takes_numbers(self, operator: str, value: str) -> None:
        for text in (f"set a = b {operator} {value}", f"set a = {value} {operator} b"):
            assert refusal(text) == (
                "Incorrect operand type for operator or function; "
                f"operator or function: {operator}, operand type: {TYPES[value]}"
            )

    @pytest.mark.parametrize("value", [n for n, kind in TYPES.items() if kind in LONG])
    def test_add_takes_numbers_and_sets(self, value: str) -> None:
        if value == ":n":
            accepted("add a :n, b :ss, c :ns, d :bs")
            return
        assert refusal(f"add a {value}") == (
            "Incorrect operand type for operator or function; operator: ADD, "
            f"operand type: {LONG[TYPES[value]]}, typeSet: ALLOWED_FOR_ADD_OPERAND"
        )

    @pytest.mark.parametrize("value", [n for n, kind in TYPES.items() if kind in LONG])
    def test_delete_takes_sets(self, value: str) -> None:
        accepted("delete a :ss, b :ns, c :bs")
        assert refusal(f"delete a {value}") == (
            "Incorrect operand type for operator or function; operator: DELETE, "
            f"operand type: {LONG[TYPES[value]]}, typeSet: ALLOWED_FOR_DELETE_OPERAND"
        )

    def test_types_are_looked_at_for_each_request(self) -> None:
        Scope(None, {":v": {"N": "1"}}).update("set cached = cached + :v")
        with pytest.raises(ExpressionError, match=r"operand type: S$"):
            Scope(None, {":v": {"S": "1"}}).update("set cached = cached + :v")

    def test_three_hundred_operators_are_enough(self) -> None:
        accepted("set " + ",".join(f"a{i}=b+c" for i in range(300)))
        assert refusal("set " + ",".join(f"a{i}=b+c" for i in range(301))) == (
            "The expression contains too many operators; operator count: 301"
        )


class TestTargets:
    @pytest.mark.parametrize(
        ("text", "one", "two"),
        [
            ("set a = :n, a = :s", "[a]", "[a]"),
            ("set a = :n remove a", "[a]", "[a]"),
            ("set a = :n, a.b = :s", "[a]", "[a, b]"),
            ("set a.b = :n, a = :s", "[a, b]", "[a]"),
            ("set a.b = :n remove a.b.c.d", "[a, b]", "[a, b, c, d]"),
            ("remove a[1][1], a[1]", "[a, [1], [1]]", "[a, [1]]"),
            ("add a[1] :n, a[1] :n", "[a, [1]]", "[a, [1]]"),
            ("set #x = :n delete a :ss", "[a]", "[a]"),
        ],
    )
    def test_must_not_overlap(self, text: str, one: str, two: str) -> None:
        assert refusal(text, {"#x": "a"} if "#" in text else None) == (
            "Two document paths overlap with each other; must remove or rewrite one of these "
            f"paths; path one: {one}, path two: {two}"
        )

    @pytest.mark.parametrize(
        ("text", "one", "two"),
        [
            ("set a.b = :n, a[1] = :s", "[a, b]", "[a, [1]]"),
            ("set a.b.c = :n remove a.b[2]", "[a, b, c]", "[a, b, [2]]"),
            ("remove a[1].b, a.b", "[a, [1], b]", "[a, b]"),
        ],
    )
    def test_must_not_conflict(self, text: str, one: str, two: str) -> None:
        assert refusal(text) == (
            "Two document paths conflict with each other; must remove or rewrite one of these "
            f"paths; path one: {one}, path two: {two}"
        )

    def test_beside_each_other_are_fine(self) -> None:
        accepted("set a.b = :n, a.c = :n, d[0] = :n, d[1].e = :n remove f, a.d.b")

    def test_reading_what_is_written_is_fine(self) -> None:
        accepted("set a = b, b = a remove c.d add e :n")


class TestOrderOfComplaints:
    @pytest.mark.parametrize(
        ("text", "start"),
        [
            # The text alone, from the left.
            ("set a = :missing, b = foo(c)", "Invalid function name"),
            ("set name = foo(c)", "Attribute name is a reserved keyword"),
            ("remove a remove b set c = foo(d)", 'The "REMOVE" section'),
            ("set c = foo(d) remove a remove b", "Invalid function name"),
            ("set a = b set c = foo(d)", "Invalid function name"),
            # Targets before values, the last first.
            ("set a = :missing, b = c, b = d", "Two document paths overlap"),
            ("remove #x set b = c, b = d", "Two document paths overlap"),
            ("set b = c, b = d remove #x", "An expression attribute name"),
            ("set #x = :missing", "An expression attribute name"),
            # Values, the last first.
            ("set a = :missing, b = #x", "An expression attribute name"),
            ("set a = #x, b = :missing", "An expression attribute value"),
            (
                "add a :s delete b :n",
                "Incorrect operand type for operator or function; operator: D",
            ),
            (
                "delete b :n add a :s",
                "Incorrect operand type for operator or function; operator: A",
            ),
            # Within one value, operands first.
            ("set a = :s + if_not_exists(:s)", "Incorrect number of operands"),
            ("set a = if_not_exists(:missing, b)", "An expression attribute value"),
        ],
    )
    def test_of_two_mistakes_one_is_reported(self, text: str, start: str) -> None:
        assert refusal(text).startswith(start)
