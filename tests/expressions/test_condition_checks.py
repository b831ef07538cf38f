"""Conditions AWS refuses before it looks at any item, and in which order."""

from __future__ import annotations

import pytest

from tablewright.expressions import RESERVED, ExpressionError, Scope, is_reserved
from tablewright.values import AttributeValue

VALUES: dict[str, AttributeValue] = {
    ":s": {"S": "a"},
    ":t": {"S": "b"},
    ":n": {"N": "1"},
    ":m": {"N": "2"},
    ":b": {"B": "YQ=="},
    ":bool": {"BOOL": True},
    ":null": {"NULL": True},
    ":ss": {"SS": ["a"]},
    ":ns": {"NS": ["1"]},
    ":bs": {"BS": ["YQ=="]},
    ":l": {"L": []},
    ":map": {"M": {}},
}
UNORDERED = {
    ":bool": "BOOL",
    ":null": "NULL",
    ":ss": "SS",
    ":ns": "NS",
    ":bs": "BS",
    ":l": "L",
    ":map": "M",
}


def refusal(text: str, names: dict[str, str] | None = None) -> str:
    with pytest.raises(ExpressionError) as caught:
        Scope(names, VALUES).condition(text)
    return str(caught.value).removeprefix("Invalid ConditionExpression: ")


def accepted(text: str) -> None:
    Scope(None, VALUES).condition(text)


class TestFunctions:
    def test_must_be_known(self) -> None:
        assert refusal("foo(a)") == "Invalid function name; function: foo"
        assert refusal("CONTAINS(a, b)") == "Invalid function name; function: CONTAINS"

    @pytest.mark.parametrize("function", ["if_not_exists", "list_append"])
    def test_of_updates_are_not_for_conditions(self, function: str) -> None:
        expected = f"The function is not allowed in a condition expression; function: {function}"
        assert refusal(f"{function}(a, b) = c") == expected

    @pytest.mark.parametrize(
        ("text", "function"),
        [
            ("size(a)", "size"),
            ("a = b AND size(a)", "size"),
            ("NOT size(a)", "size"),
            ("attribute_exists(a) = b", "attribute_exists"),
            ("a = contains(b, c)", "contains"),
            ("contains(begins_with(a, b), c)", "begins_with"),
        ],
    )
    def test_are_a_condition_or_an_operand_but_not_both(self, text: str, function: str) -> None:
        assert refusal(text) == (
            "The function is not allowed to be used this way in an expression; "
            f"function: {function}"
        )

    @pytest.mark.parametrize(
        ("text", "function", "count"),
        [
            ("attribute_exists(a, b)", "attribute_exists", 2),
            ("contains(a)", "contains", 1),
            ("begins_with(a, b, c)", "begins_with", 3),
            ("size(a, a) = :n", "size", 2),
            ("attribute_type(a)", "attribute_type", 1),
        ],
    )
    def test_take_a_fixed_number_of_operands(self, text: str, function: str, count: int) -> None:
        assert refusal(text) == (
            "Incorrect number of operands for operator or function; "
            f"operator or function: {function}, number of operands: {count}"
        )

    @pytest.mark.parametrize("function", ["attribute_exists", "attribute_not_exists"])
    @pytest.mark.parametrize("operand", [":s", "size(a)"])
    def test_about_existence_need_a_path(self, function: str, operand: str) -> None:
        assert refusal(f"{function}({operand})") == (
            f"Operator or function requires a document path; operator or function: {function}"
        )

    @pytest.mark.parametrize(("value", "kind"), [*UNORDERED.items(), (":n", "N")])
    def test_begins_with_takes_strings_and_binaries(self, value: str, kind: str) -> None:
        expected = (
            "Incorrect operand type for operator or function; "
            f"operator or function: begins_with, operand type: {kind}"
        )
        assert refusal(f"begins_with(a, {value})") == expected
        assert refusal(f"begins_with({value}, a)") == expected

    def test_begins_with_knows_that_a_size_is_a_number(self) -> None:
        assert refusal("begins_with(size(a), :s)").endswith("begins_with, operand type: N")

    @pytest.mark.parametrize(
        ("operand", "kind"),
        [(":n", "N"), (":bool", "BOOL"), (":null", "NULL"), ("size(a)", "N")],
    )
    def test_size_needs_something_that_has_a_size(self, operand: str, kind: str) -> None:
        assert refusal(f"size({operand}) = :n") == (
            "Incorrect operand type for operator or function; "
            f"operator or function: size, operand type: {kind}"
        )

    def test_attribute_type_needs_the_name_of_a_type(self) -> None:
        assert refusal("attribute_type(a, :n)").endswith("attribute_type, operand type: N")
        assert refusal("attribute_type(a, b)").endswith(
            "attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
        )
        assert refusal("attribute_type(a, :s)") == (
            "Invalid attribute type name found; type: a, "
            "valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
        )

    def test_the_type_name_is_looked_at_each_time(self) -> None:
        text = "attribute_type(a, :t)"
        Scope(None, {":t": {"S": "SS"}}).condition(text)
        with pytest.raises(ExpressionError, match="Invalid attribute type name"):
            Scope(None, {":t": {"S": "nonsense"}}).condition(text)

    @pytest.mark.parametrize("value", VALUES)
    def test_contains_takes_anything(self, value: str) -> None:
        accepted(f"contains(a, {value})")
        accepted(f"contains({value}, a)")


class TestOperators:
    @pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
    @pytest.mark.parametrize(("value", "kind"), UNORDERED.items())
    def test_order_is_for_strings_numbers_and_binaries(
        self, operator: str, value: str, kind: str
    ) -> None:
        expected = (
            "Incorrect operand type for operator or function; "
            f"operator or function: {operator}, operand type: {kind}"
        )
        assert refusal(f"a {operator} {value}") == expected
        assert refusal(f"{value} {operator} a") == expected

    @pytest.mark.parametrize("value", VALUES)
    def test_equality_is_for_everything(self, value: str) -> None:
        accepted(f"a = {value}")
        accepted(f"a <> {value}")
        accepted(f"a IN ({value})")

    @pytest.mark.parametrize(("value", "kind"), UNORDERED.items())
    def test_between_needs_an_order(self, value: str, kind: str) -> None:
        for text in (f"a BETWEEN {value} AND :n", f"{value} BETWEEN a AND b"):
            assert refusal(text).endswith(f"operator or function: BETWEEN, operand type: {kind}")

    def test_between_needs_bounds_of_one_type(self) -> None:
        assert refusal("a BETWEEN :s AND :n") == (
            "The BETWEEN operator requires same data type for lower and upper bounds; "
            "lower bound operand: AttributeValue: {S:a}, "
            "upper bound operand: AttributeValue: {N:1}"
        )

    def test_between_needs_bounds_in_order(self) -> None:
        assert refusal("a BETWEEN :m AND :n") == (
            "The BETWEEN operator requires upper bound to be greater than or equal to lower "
            "bound; lower bound operand: AttributeValue: {N:2}, "
            "upper bound operand: AttributeValue: {N:1}"
        )
        accepted("a BETWEEN :n AND :n")
        accepted("a BETWEEN :m AND b")

    def test_the_order_of_bounds_is_looked_at_each_time(self) -> None:
        text = "a BETWEEN :low AND :high"
        Scope(None, {":low": {"N": "1"}, ":high": {"N": "2"}}).condition(text)
        with pytest.raises(ExpressionError, match="upper bound to be greater"):
            Scope(None, {":low": {"N": "3"}, ":high": {"N": "2"}}).condition(text)

    @pytest.mark.parametrize(
        ("text", "operator", "path"),
        [
            ("a = a", "=", "[a]"),
            ("a < (a)", "<", "[a]"),
            ("a.b <> a.b", "<>", "[a, b]"),
            ("a[0] >= a[0]", ">=", "[a, [0]]"),
            ("a IN (b, a)", "IN", "[a]"),
            ("a BETWEEN b AND a", "BETWEEN", "[a]"),
            ("contains(a, a)", "contains", "[a]"),
            ("begins_with(a, a)", "begins_with", "[a]"),
            ("attribute_type(a, a)", "attribute_type", "[a]"),
            ("#x = a", "=", "[a]"),
        ],
    )
    def test_an_attribute_is_not_compared_with_itself(
        self, text: str, operator: str, path: str
    ) -> None:
        assert refusal(text, {"#x": "a"}) == (
            "The first operand must be distinct from the remaining operands for this operator or "
            f"function; operator: {operator}, first operand: {path}"
        )

    def test_what_only_looks_the_same_is_fine(self) -> None:
        for text in ("a[0] = a.b", "size(a) = a", "size(a) = size(a)", ":s = :s", "b IN (a, a)"):
            accepted(text)

    def test_in_takes_a_hundred_choices(self) -> None:
        accepted("a IN (" + ", ".join(["b"] * 100) + ")")
        assert refusal("a IN (" + ", ".join(["b"] * 101) + ")") == (
            "The IN operator is provided with too many operands; number of operands: 101"
        )

    @pytest.mark.parametrize(
        ("most", "too_many"),
        [
            ("a<b" + " or a<b" * 149, "a<b" + " or a<b" * 150),
            ("not " * 299 + "a<b", "not " * 300 + "a<b"),
            ("size(a)=b" + " and size(a)=b" * 99, "size(a)=b" + " and size(a)=b" * 100),
        ],
    )
    def test_three_hundred_operators_are_enough(self, most: str, too_many: str) -> None:
        accepted(most)
        assert refusal(too_many) == (
            "The expression contains too many operators; operator count: 301"
        )


class TestPaths:
    @pytest.mark.parametrize("text", ["name = b", "a.name = b", "b = name", "size(a.b.name) = b"])
    def test_reserved_words_need_a_placeholder(self, text: str) -> None:
        expected = "Attribute name is a reserved keyword; reserved keyword: name"
        assert refusal(text) == expected

    def test_reserved_words_are_quoted_as_written(self) -> None:
        assert refusal("StaTus = b").endswith("reserved keyword: StaTus")

    def test_a_placeholder_may_stand_for_a_reserved_word(self) -> None:
        Scope({"#n": "name"}, None).condition("#n = a.#n")

    def test_the_list_of_reserved_words_is_complete(self) -> None:
        assert len(RESERVED) == 573
        assert {"ABORT", "NAME", "STATUS", "TTL", "USER", "YEAR", "ZONE"} <= RESERVED
        assert is_reserved("Data")
        assert not is_reserved("customer")

    def test_a_list_index_is_a_java_int(self) -> None:
        accepted("a[2147483647] = b")
        assert refusal("a[2147483648] = b") == (
            "List index is not within the allowable range; index: [2147483648]"
        )
        assert refusal(f"a[{'9' * 4000}] = b").startswith("List index is not within")

    def test_a_path_has_at_most_32_steps(self) -> None:
        accepted("a" + ".a" * 31 + " = b")
        accepted("a" + "[0]" * 31 + " = b")
        assert refusal("a" + ".a[0]" * 16 + " = b") == (
            "The document path has too many nesting levels; nesting levels: 33"
        )


class TestPlaceholders:
    def test_names_must_be_defined(self) -> None:
        assert refusal("a.#x = b") == (
            "An expression attribute name used in the document path is not defined; "
            "attribute name: #x"
        )

    def test_values_must_be_defined(self) -> None:
        assert refusal("a = :x") == (
            "An expression attribute value used in expression is not defined; attribute value: :x"
        )

    def test_a_value_inside_a_path_is_no_name(self) -> None:
        assert refusal("a.:s = b").endswith("is not defined; attribute name: :s")


class TestOrderOfComplaints:
    @pytest.mark.parametrize(
        ("text", "start"),
        [
            # What the text alone tells comes before what needs the placeholders ...
            ("a = #x AND foo(a)", "Invalid function name"),
            ("a = a AND name = b", "Attribute name is a reserved keyword"),
            ("begins_with(a, :n) AND size(a)", "The function is not allowed to be used"),
            # ... and there the first from the left, functions before their operands.
            ("name = foo(a)", "Attribute name is a reserved keyword"),
            ("foo(name)", "Invalid function name; function: foo"),
            ("contains(bar(a), name)", "Invalid function name; function: bar"),
            ("a = contains(name, b)", "The function is not allowed to be used"),
            ("a[99999999999].name = b", "List index"),
            # With the placeholders known, operands come before what uses them.
            ("attribute_exists(#x, :x)", "An expression attribute name"),
            ("attribute_exists(:x, #x)", "An expression attribute value"),
            ("size(:n) = :x", "Incorrect operand type"),
            ("begins_with(:n)", "Incorrect number of operands"),
            ("a IN (a, #x)", "An expression attribute name"),
            ("a BETWEEN :ss AND a", "Incorrect operand type"),
            ("a = a AND b = #x", "The first operand must be distinct"),
            ("a = #x" + " or a<b" * 160, "An expression attribute name"),
        ],
    )
    def test_of_two_mistakes_one_is_reported(self, text: str, start: str) -> None:
        assert refusal(text).startswith(start)
