"""PartiQL: what is read as a statement, and AWS's words for what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.engine.samples import composite_table, simple_table

from tablewright.engine import AwsError, Engine

MALFORMED = "Statement wasn't well formed, can't be processed: "
LEFTOVER = MALFORMED + "Unexpected token after expression"
NO_KEY = "Where clause does not contain a mandatory equality on all key attributes"

Message = Callable[..., str]


@pytest.fixture
def message(engine: Engine) -> Message:
    """The message with which a statement is refused as invalid."""
    engine.call("CreateTable", simple_table("TTT"))
    engine.call("CreateTable", composite_table("CCC", sort="N"))

    def run(statement: str, *parameters: Any) -> str:
        request: dict[str, Any] = {"Statement": statement}
        if parameters:
            request["Parameters"] = list(parameters)
        with pytest.raises(AwsError) as caught:
            engine.call("ExecuteStatement", request)
        assert caught.value.code == "ValidationException"
        return caught.value.message

    return run


# --- malformed statements ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "detail"),
    [
        ("SELECT * FROM TTT WHERE pk = 'a' foo", "Unexpected token after expression"),
        ("SELECT * FROM TTT WHERE pk = 1 e5", "Unexpected token after expression"),
        ("SELECT * FROM TTT WHERE pk = 'a')", "Unexpected token after expression"),
        ("SELECT * FROM TTT ORDER BY pk WHERE pk = 'a'", "Unexpected token after expression"),
        ("DELETE FROM TTT WHERE pk = 'a' ORDER BY pk", "Unexpected token after expression"),
        ("UPDATE TTT REMOVE a, b WHERE pk = 'a'", "Unexpected token after expression"),
        ("INSERT INTO TTT t VALUE {'pk': 'a'}", "Unexpected token after expression"),
        ("SELECTT * FROMM T", "Unexpected token after expression"),
        ("SLECT * FROM TTT WHERE pk = 'a'", "Expected data manipulation"),
        ("UPDATE my-table SET a = 1 WHERE pk = 'a'", "Expected data manipulation"),
        ("UPDATE TTT WHERE pk = 'a'", "Expected data manipulation"),
        ("SELECT * FROM TTT WHERE", "Unexpected term"),
        ("SELECT * FROM TTT WHERE;", "Unexpected term"),
        ("SELECT * FROM TTT WHERE NOT", "Unexpected term"),
        ("SELECT * FROM TTT WHERE (", "Unexpected term"),
        ("SELECT * FROM TTT WHERE pk = 'a' AND ()", "Unexpected term"),
        ("SELECT * FROM", "Unexpected term"),
        ("UPDATE TTT SET a = 1 WHERE", "Unexpected term"),
        ("DELETE FROM TTT WHERE", "Unexpected term"),
        (
            "SELECT * FROM TTT WHERE pk = 'a' AND",
            "Missing right-hand side expression of infix operator",
        ),
        (
            "SELECT * FROM TTT WHERE pk = 'a' OR",
            "Missing right-hand side expression of infix operator",
        ),
        ("SELECT * FROM TTT WHERE pk BETWEEN 1 AND", "Expected expression after AND"),
        ("SELECT * FROM TTT WHERE ORDER BY pk", "Unexpected keyword"),
        ("SELECT date FROM TTT", "Unexpected keyword"),
        ("SELECT * FROM TTT WHERE user = 1", "Unexpected keyword"),
        ("INSERT INTO TTT (key) VALUES (?)", "Unexpected keyword"),
        ("INSERT TTT VALUE {'pk': 'a'}", "Unexpected keyword"),
        ("SELECT * FROM TTT WHERE IS NULL", "Unexpected operator"),
        ("SELECT * FROM TTT WHERE pk = LIKE", "Unexpected operator"),
        ("SELECT * FROM TTT WHERE pk = 'a' AND x IS FOO", "Expected type name"),
        ("SELECT * FROM TTT WHERE pk = 'a' AND x IS 'S'", "Expected type name"),
        ("SELECT * FROM TTT WHERE m.inner = 1", "Invalid path dot component"),
        ("DELETE FROM", "Expected identifier for simple path"),
        ("DELETE FROM WHERE pk = 'a'", "Expected identifier for simple path"),
        ("DELETE TTT WHERE pk = 'a'", "Expected FROM after DELETE"),
        ("UPDATE TTT SET WHERE pk = 'a'", "Expected identifier for simple path"),
        ("UPDATE TTT SET a 1 WHERE pk = 'a'", "Expected '='"),
        ("UPDATE TTT SET a[?] = 1 WHERE pk = 'a'", "Invalid path component for simple path"),
        ("SELECT a b c FROM TTT", "Expected FROM after SELECT list"),
        ("SELECT 1", "Expected FROM after SELECT list"),
        ("SELECT * FROM TTT AS 5", "Expected identifier for AS-alias"),
        (
            "UPDATE TTT SET a = 1 WHERE pk = 'a' RETURNING ALL",
            "Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.",
        ),
        (
            "SELECT *, pk FROM TTT",
            "Other expressions may not be present in the select list when '*' is used without "
            "dot notation.",
        ),
        ("SELECT a[*] FROM TTT", "Invalid use of * in select list"),
        (
            "SELECT * FROM TTT; SELECT * FROM TTT",
            "Unexpected token after semicolon. (Only one query is allowed.)",
        ),
    ],
)
def test_malformed(message: Message, statement: str, detail: str) -> None:
    assert message(statement) == MALFORMED + detail


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM TTT WHERE pk = 'a",
        'SELECT * FROM "TTT',
        "SELECT * FROM TTT WHERE pk = 'a' # note",
        "SELECT * FROM TTT WHERE pk = 'a' /* note",
        "SELECT * FROM TTT WHERE pk = 1e",
        "SELECT * FROM TTT WHERE pk = 1e2147483648",
        "SELECT * FROM TTT WHERE pk = 1e99999999999999999999999999",
        "SELECT * FROM TTT WHERE pk = 1.5e-2147483647",
        "SELECT * FROM TTT WHERE pk = 'a' ! 5",
        "SELECT * FROM TTT WHERE a | b",
        "SELECT * FROM TTT\N{NO-BREAK SPACE}WHERE pk = 'a'",
    ],
)
def test_unreadable_text_gets_no_detail(message: Message, statement: str) -> None:
    assert message(statement) == MALFORMED


# --- PartiQL that DynamoDB does not run --------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT * FROM TTT t WHERE pk = 'a'", "Aliasing is not supported"),
        ("SELECT * FROM TTT AS t WHERE pk = 'a'", "Aliasing is not supported"),
        ("SELECT pk AS x FROM TTT", "Aliasing is not supported"),
        ("UPDATE TTT t SET a = 1 WHERE pk = 'a'", "Aliasing is not supported"),
        ("DELETE FROM TTT t WHERE pk = 'a'", "Aliasing is not supported"),
        ("SELECT * FROM TTT, CCC", "Only select from a single table or index is supported."),
        (
            "SELECT * FROM TTT JOIN CCC ON TTT.pk = CCC.pk WHERE pk = 'a'",
            "Only select from a single table or index is supported.",
        ),
        ("SELECT DISTINCT pk FROM TTT", "Unsupported token in expression: DISTINCT"),
        ("SELECT * FROM TTT LIMIT 2", "Unsupported clause: LIMIT at 1:25:1"),
        ("SELECT * FROM TTT WHERE pk = 'a' GROUP BY pk", "Unsupported clause: GROUP BY"),
        (
            "SELECT VALUE pk FROM TTT",
            "Select projection doesn't support value or pivot keywords",
        ),
        ("SELECT TTT.* FROM TTT", "Changing item's hierarchy while reading isn't supported"),
        ("SELECT COUNT(*) FROM TTT", "Unexpected path component at 1:8:5"),
        ("SELECT COUNT(*) FROM Absent", "Unexpected path component at 1:8:5"),
        ("SELECT size(pk) FROM TTT", "Unexpected path component at 1:8:4"),
        ("SELECT n + 1 FROM TTT", "Unexpected path component at 1:10:1"),
        ("SELECT pk, pk FROM TTT", "Duplicate identifiers in select clause: pk"),
        ("SELECT a.x, b.x FROM TTT", "Duplicate identifiers in select clause: x"),
        ("SELECT * FROM ?", "Number of parameters in request and statement don't match."),
        ("SELECT * FROM 'TTT'", "Unexpected from source"),
        ('SELECT * FROM ""', "Path component cannot be an empty string"),
        ('SELECT * FROM "TTT".""', "Path component cannot be an empty string"),
        (
            'SELECT * FROM "TTT"."a"."b"',
            "A path may contain at most 2 components in the FROM clause",
        ),
        (
            "INSERT INTO \"TTT\".\"i\" VALUE {'pk': 'a'}",
            "FROM clause may only contain a single table name in data manipulation statements "
            "at 1:13:5",
        ),
        (
            'UPDATE "TTT"."i" SET a = 1 WHERE pk = \'a\'',
            "This operation is not supported on an index",
        ),
        ('DELETE FROM "TTT"."i" WHERE pk = \'a\'', "This operation is not supported on an index"),
        ("INSERT INTO TTT << {'pk': 'a'} >>", "Unsupported operation: InsertOp"),
        (
            "INSERT INTO TTT VALUE {'pk': 'a'} RETURNING ALL OLD *",
            "RETURNING is not supported in INSERT",
        ),
        (
            "DELETE FROM TTT WHERE pk = 'a' RETURNING ALL NEW *",
            "Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed "
            "in DELETE statements.",
        ),
        (
            "UPDATE TTT SET a = 1 WHERE pk = 'a' RETURNING ALL NEW a",
            "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause",
        ),
        (
            "UPDATE TTT SET a = 1 WHERE pk = 'a' RETURNING ALL NEW *, ALL OLD *",
            "Invalid syntax with multiple returning elements in RETURNING clause",
        ),
        ("DROP TABLE TTT", "Unsupported operation: DropTable"),
        ("x IS INT4", "Unsupported operation: IsType"),
        ("x IS DOUBLE PRECISION", "Unsupported operation: IsType"),
        ("x IS CHARACTER VARYING", "Unsupported operation: IsType"),
        ("x", "Unsupported operation: Id"),
        ("a + b", "Unsupported operation: Plus"),
        (
            "EXISTS(SELECT * FROM TTT WHERE pk = 'a' AND b = 1)",
            "EXISTS can only be used in ExecuteTransaction write requests.",
        ),
    ],
)
def test_unsupported(message: Message, statement: str, expected: str) -> None:
    assert message(statement) == expected


# --- conditions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a", "The arguments to AND/OR must be Expressions"),
        ("true", "The arguments to AND/OR must be Expressions"),
        ("NOT a", "The argument to NOT must be a Type or Expression"),
        (
            "size(a)",
            "Incorrect operand type for operator or function; operator or function: AND, "
            "operand type: N",
        ),
        ("a + 1 = 2", "Unsupported operator in Condition Expression. Operator: +"),
        ("a LIKE 'x%'", "Unsupported operator in Condition Expression. Operator: like"),
        ("a = MISSING", "MISSING must be compared using IS operator"),
        (
            "contains(a, contains(a, b))",
            "The function is not allowed to be used this way in an expression; function: contains",
        ),
        ("foo(a) = 1", "Unrecognized function: foo at 1:38:3"),
        ("EXISTS(a)", "Unrecognized function: exists at 1:38:6"),
        ("set_add(a, <<1>>) = a", "Unrecognized function: set_add at 1:38:7"),
        (
            "list_append(a, [1]) = a",
            "The function is not allowed in a condition expression; function: list_append",
        ),
        (
            "attribute_exists('a')",
            "Operator or function requires a document path; operator or function: attribute_exists",
        ),
        (
            "attribute_exists()",
            "Incorrect number of operands for operator or function; operator or function: "
            "attribute_exists, number of operands: 0",
        ),
        (
            "attribute_type(a, 1)",
            "Incorrect operand type for operator or function; operator or function: "
            "attribute_type, operand type: N",
        ),
        (
            "a < true",
            "Incorrect operand type for operator or function; operator or function: <, "
            "operand type: BOOL",
        ),
        (
            "attribute_exists(a) > false",
            "Incorrect operand type for operator or function; operator or function: >, "
            "operand type: BOOL",
        ),
        (
            "a BETWEEN 5 AND 1",
            "The BETWEEN operator requires upper bound to be greater than or equal to lower "
            "bound; lower bound operand: AttributeValue: {N:5}, upper bound operand: "
            "AttributeValue: {N:1}",
        ),
        (
            "a IN []",
            "IN operator must have a left hand argument of type Variable Reference and right "
            "hand argument of type Seq with at least one member",
        ),
        (
            "a = a",
            "The first operand must be distinct from the remaining operands for this operator "
            "or function; operator: =, first operand: [a]",
        ),
        (
            "a IS BAG",
            "Unsupported data type for IS operator: BAG. Supported data types are [MISSING, "
            "NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST] at 1:40:2",
        ),
        ("l[-1] = 1", "List index is not within the allowable range; index: [-1] at 1:41:1"),
        (
            "l[2147483648] = 1",
            "List index is not within the allowable range; index: [2147483648] at 1:40:10",
        ),
        ("l[*] = 1", "Wildcard path component like a[*].b are not supported at 1:40:1"),
        ("l.* = 1", "Unpivot path component like a.*.b are not supported at 1:40:1"),
        ("'x'.b = 1", "Unexpected path component at 1:38:3"),
        ("a = <<>>", "Empty bags are not supported"),
    ],
)
def test_conditions_that_cannot_be(message: Message, condition: str, expected: str) -> None:
    assert message(f"SELECT * FROM TTT WHERE pk = 'a' AND {condition}") == expected


def test_a_where_clause_has_to_be_a_condition(message: Message) -> None:
    expected = "WHERE clause must contain an expression that resolves to a boolean"
    for where in ("a", "5", "size(a)"):
        assert message(f"SELECT * FROM TTT WHERE {where}") == expected


def test_operand_types_are_checked_before_the_table_is_looked_for(message: Message) -> None:
    assert "operand type: BOOL" in message("SELECT * FROM Absent WHERE a < true")


# --- literals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        (
            "1e126",
            "Number overflow. Attempting to store a number with magnitude larger than supported "
            "range under root",
        ),
        (
            "[1, {'x': 1e-131}]",
            "Number underflow. Attempting to store a number with magnitude smaller than "
            "supported range under root[1].x",
        ),
        (
            "1" * 39,
            "Attempting to store more than 38 significant digits in a Number under root",
        ),
        (
            "<<1, 'x'>>",
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in "
            "bags",
        ),
        (
            "<<'x', 'x'>>",
            "One or more parameter values were invalid: Input collection [x, x] contains "
            "duplicates.",
        ),
        (
            "<<2, 2.0>>",
            "One or more parameter values were invalid: Input collection [2, 2.0] contains "
            "duplicates! under root",
        ),
        ("[b]", "Unsupported data type: VariableReference under key root[0] at 1:41:1"),
        ("{'x': MISSING}", "Unsupported data type: LiteralMissing under key root.x at 1:46:7"),
        (
            "{x: 1}",
            "Tuple keys must be of type String. Actual type: VariableReference under "
            "root at 1:41:1",
        ),
        ("b", "Unsupported data type: b under key root at 1:40:1"),
        ("1 + 1", "Unsupported data type: + under key root at 1:42:1"),
        ("set_add(<<1>>, <<2>>)", "Unsupported data type: set_add under key root at 1:40:7"),
        (
            "[" * 32 + "1" + "]" * 32,
            "Nesting Levels have exceeded supported limits under root" + "[0]" * 32,
        ),
    ],
)
def test_literals_that_cannot_be(message: Message, literal: str, expected: str) -> None:
    assert message(f"INSERT INTO TTT VALUE {{'pk': 'a', 'v': {literal}}}") == expected


def test_parameters_stand_for_whole_values_only(message: Message) -> None:
    value = {"S": "v"}
    assert (
        message("UPDATE TTT SET x = [?] WHERE pk = 'a'", value)
        == "Unsupported data type: Parameter under key root[0] at 1:21:1"
    )
    assert (
        message("INSERT INTO TTT VALUE {'pk': 'a', 's': <<?>>}", value)
        == "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in "
        "bags at 1:42:1"
    )


@pytest.mark.parametrize("count", [0, 1, 3])
def test_every_parameter_is_used_and_given(message: Message, count: int) -> None:
    expected = "Number of parameters in request and statement don't match."
    assert message("SELECT * FROM TTT WHERE pk = ? AND a = ?", *[{"S": "x"}] * count) == expected


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        (
            {"N": "1e99999999999"},
            "The parameter cannot be converted to a numeric value: 1e99999999999",
        ),
        (
            {"L": [{"N": "1"}, {"N": "1e-2147483648"}]},
            "The parameter cannot be converted to a numeric value: 1e-2147483648",
        ),
        (
            {"N": "1e2147483647"},
            "Number underflow. Attempting to store a number with magnitude "
            "smaller than supported range",
        ),
        (
            {"N": "1e126"},
            "Number overflow. Attempting to store a number with magnitude larger "
            "than supported range",
        ),
        ({"N": ""}, "The parameter cannot be converted to a numeric value"),
        ({"SS": []}, "One or more parameter values were invalid: An string set  may not be empty"),
        (
            {"NULL": False},
            "One or more parameter values were invalid: Null attribute value types "
            "must have the value of true",
        ),
    ],
)
def test_parameters_are_checked_before_the_statement(
    message: Message, parameter: Any, expected: str
) -> None:
    assert message("this is ? no statement", parameter) == expected


# --- hostile texts -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "where",
    [
        "(" * 4000,
        "(" * 1000 + "a = 1" + ")" * 1000,
        "NOT " * 1500 + "a = 1",
        "a = " + "[" * 2000 + "]" * 2000,
        "a = " + "{'x':" * 1000 + "1" + "}" * 1000,
        "a = " + "<<" * 1500,
        "a = " + "-" * 7000 + "1",
        "a" + ".b" * 3000 + " = 1",
        "a" + "[0]" * 2000 + " = 1",
        "a = 1" + " AND a = 1" * 500,
        "a" + " = a" * 1500,
        "a" + " + a" * 1500 + " = 1",
        "size(" * 1000 + "a" + ")" * 1000,
        "attribute_exists(a)" + " = attribute_exists(a)" * 200,
        "(" * 60 + "a = b" + ") = c" * 60,
        " AND ".join(["(pk = 'a' OR sk = 1)"] * 200),
        "(" + " AND ".join(["(pk = 'a' OR sk = 1 OR sk = 2)"] * 60) + ") AND pk = 'b'",
        " OR ".join("(" + " AND ".join(["(pk = 'a' OR pk = 'b')"] * 20) + ")" for _ in range(8)),
    ],
)
def test_hostile_conditions_are_answered(message: Message, engine: Engine, where: str) -> None:
    statement = f"SELECT * FROM CCC WHERE {where}"[:8192]
    assert outcome(engine, statement) in ("ValidationException", [])


def outcome(engine: Engine, statement: str) -> Any:
    """The items, or the code of the error."""
    try:
        return engine.call("ExecuteStatement", {"Statement": statement})["Items"]
    except AwsError as error:
        return error.code
