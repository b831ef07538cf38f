"""WHERE clauses to conditions, the same that filters and condition expressions become.

In PartiQL a condition is an expression like any other and may be compared with a boolean
(``attribute_exists(a) = true``); such comparisons are worked out here, so that below this module
a condition is only ever true or false.
"""

from __future__ import annotations

from tablewright.engine.errors import validation
from tablewright.engine.partiql.literals import is_literal, literal
from tablewright.engine.partiql.syntax import (
    Between,
    Call,
    Constant,
    Expression,
    Infix,
    Is,
    Missing,
    Name,
    Parameter,
    Path,
    Select,
    Sequence,
    Star,
    Unary,
)
from tablewright.expressions import nodes
from tablewright.expressions.check import MAX_OPERATORS, check_condition
from tablewright.expressions.shape import CONDITION_FUNCTIONS, MAX_INDEX, UPDATE_FUNCTIONS
from tablewright.values import AttributeValue

#: How often a condition may be doubled to compare it with what is not known yet.
MAX_DOUBLINGS = 5
COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})

_TRUE = nodes.Literal({"BOOL": True})
_FALSE = nodes.Literal({"BOOL": False})
_NEVER = nodes.Comparison("=", _TRUE, _FALSE)
_TYPES = {
    "BOOLEAN": "BOOL",
    "BLOB": "B",
    "STRING": "S",
    "NUMERIC": "N",
    "STRUCT": "M",
    "TUPLE": "M",
    "LIST": "L",
    "NULL": "NULL",
}
_NO_CONDITION = "WHERE clause must contain an expression that resolves to a boolean"
_UNPIVOT = "Unpivot path component like a.*.b"
_IN = (
    "IN operator must have a left hand argument of type Variable Reference and right hand "
    "argument of type Seq with at least one member"
)


def where_condition(where: Expression, values: list[AttributeValue]) -> nodes.Condition:
    """The condition of a WHERE clause, checked as far as the statement alone tells."""
    if not _is_condition(where):
        if isinstance(where, Infix | Unary):
            raise _unsupported(where.operator)
        raise validation(_NO_CONDITION)
    root = Conditions(values).condition(where)
    # The number of operators has been counted while parsing.
    check_condition(root, 0, {}, {})
    return root


def attribute(node: Expression | Star) -> nodes.Attribute:
    """The document path that a name or path stands for."""
    if isinstance(node, Name):
        return nodes.Attribute((_name(node),))
    if isinstance(node, Path) and isinstance(node.root, Name):
        return nodes.Attribute((_name(node.root), *map(_step, node.steps)))
    raise validation(f"Unexpected path component at {node.at}")


def _name(node: Name) -> str:
    if not node.text:
        raise validation("Path component cannot be an empty string")
    return node.text


def _step(step: Expression | Star) -> str | int:
    if isinstance(step, Name):
        return _name(step)
    if isinstance(step, Star):
        kind = "Wildcard path component like a[*].b" if step.is_bracketed else _UNPIVOT
        raise validation(f"{kind} are not supported at {step.at}")
    if isinstance(step, Constant) and step.kind == "S":
        return step.text
    if isinstance(step, Constant) and step.kind == "N" and step.text.lstrip("-").isdigit():
        digits = step.text.lstrip("-").lstrip("0") or "0"
        sign = "-" if step.text.startswith("-") and digits != "0" else ""
        if sign or len(digits) > 10 or int(digits) > MAX_INDEX:
            raise validation(
                "List index is not within the allowable range; "
                f"index: [{sign}{digits}] at {step.at}"
            )
        return int(digits)
    raise validation(f"Unexpected path component at {step.at}")


class Conditions:
    """Translates the conditions of one statement."""

    def __init__(self, values: list[AttributeValue]) -> None:
        self._values = values
        self._doublings = 0

    def condition(self, node: Expression) -> nodes.Condition:
        """``node`` as something true or false."""
        if isinstance(node, Infix):
            return self._infix(node)
        if isinstance(node, Unary):
            return self._negation(node)
        if isinstance(node, Between):
            between = nodes.Between(*map(self.operand, (node.operand, node.low, node.high)))
            return nodes.Not(between) if node.negated else between
        if isinstance(node, Is):
            return self._type_test(node)
        if isinstance(node, Call):
            return nodes.Call(*self._call(node))
        raise validation(_NO_CONDITION)

    def _infix(self, node: Infix) -> nodes.Condition:
        if node.operator in ("and", "or"):
            parts = tuple(self._part(part, node.operator.upper()) for part in node.operands)
            return nodes.And(parts) if node.operator == "and" else nodes.Or(parts)
        left, right = node.operands
        if node.operator == "in":
            return self._in(left, right)
        if node.operator not in COMPARATORS:
            raise _unsupported(node.operator)
        if _is_condition(left) or _is_condition(right):
            return self._compared(node.operator, left, right)
        return nodes.Comparison(node.operator, self.operand(left), self.operand(right))

    def _part(self, node: Expression, operator: str) -> nodes.Condition:
        if _is_condition(node):
            return self.condition(node)
        if isinstance(node, Call):
            self._call(node)
            raise validation(
                "Incorrect operand type for operator or function; "
                f"operator or function: {operator}, operand type: N"
            )
        if isinstance(node, Infix | Unary):
            raise _unsupported(node.operator)
        raise validation(
            "The argument to NOT must be a Type or Expression"
            if operator == "NOT"
            else "The arguments to AND/OR must be Expressions"
        )

    def _negation(self, node: Unary) -> nodes.Condition:
        if node.operator != "not":
            raise _unsupported(node.operator)
        return nodes.Not(self._part(node.operand, "NOT"))

    def _in(self, left: Expression, right: Expression) -> nodes.Condition:
        if not (isinstance(right, Sequence) and right.members):
            raise validation(_IN)
        if _is_condition(left):
            return nodes.Or(tuple(self._compared("=", left, each) for each in right.members))
        choices = tuple(self.operand(each) for each in right.members)
        return nodes.In(self.operand(left), choices)

    def _type_test(self, node: Is) -> nodes.Condition:
        if not (isinstance(node.operand, Name | Path | Parameter) or is_literal(node.operand)):
            raise validation(
                "The left hand side argument to IS must be a Variable Reference, Literal, or Path"
            )
        operand = self.operand(node.operand)
        if node.type == "MISSING":
            function = "attribute_exists" if node.negated else "attribute_not_exists"
            return nodes.Call(function, (operand,))
        kind = _TYPES.get(node.type)
        if kind is None:
            raise validation(
                f"Unsupported data type for IS operator: {node.type}. Supported data types are "
                "[MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST] "
                f"at {node.at}"
            )
        test = nodes.Call("attribute_type", (operand, nodes.Literal({"S": kind})))
        return nodes.Not(test) if node.negated else test

    # --- conditions as values ------------------------------------------------------------

    def _compared(self, operator: str, left: Expression, right: Expression) -> nodes.Condition:
        """A comparison in which at least one side is a condition."""
        if operator not in ("=", "<>"):
            raise validation(
                "Incorrect operand type for operator or function; "
                f"operator or function: {operator}, operand type: BOOL"
            )
        if not _is_condition(left):
            left, right = right, left
        same = self._same(self.condition(left), right)
        return nodes.Not(same) if operator == "<>" else same

    def _same(self, condition: nodes.Condition, other: Expression) -> nodes.Condition:
        if _is_condition(other):
            self._count_doubling()
            second = self.condition(other)
            both = nodes.And((condition, second))
            return nodes.Or((both, nodes.And((nodes.Not(condition), nodes.Not(second)))))
        value = self.operand(other)
        if isinstance(value, nodes.Literal):
            if "BOOL" not in value.value:
                return _NEVER
            return condition if value.value["BOOL"] else nodes.Not(condition)
        self._count_doubling()
        holds = nodes.And((condition, nodes.Comparison("=", value, _TRUE)))
        fails = nodes.And((nodes.Not(condition), nodes.Comparison("=", value, _FALSE)))
        return nodes.Or((holds, fails))

    def _count_doubling(self) -> None:
        self._doublings += 1
        if self._doublings > MAX_DOUBLINGS:
            raise validation(
                f"The expression contains too many operators; operator count: {MAX_OPERATORS + 1}"
            )

    # --- operands ------------------------------------------------------------------------

    def operand(self, node: Expression) -> nodes.Operand:
        """``node`` as a value to compare."""
        if isinstance(node, Name | Path):
            return attribute(node)
        if isinstance(node, Parameter):
            return nodes.Literal(self._values[node.number])
        if is_literal(node):
            return nodes.Literal(literal(node))
        if isinstance(node, Call):
            function, arguments = self._call(node)
            if function != "size":
                raise validation(
                    "The function is not allowed to be used this way in an expression; "
                    f"function: {function}"
                )
            return nodes.Call(function, arguments)
        if isinstance(node, Missing):
            raise validation("MISSING must be compared using IS operator")
        if isinstance(node, Infix | Unary):
            raise _unsupported(node.operator)
        if isinstance(node, Between):
            raise _unsupported("between")
        if isinstance(node, Select):
            raise validation(f"Unsupported token in expression: SELECT at {node.at}")
        raise validation(f"Unexpected path component at {node.at}")

    def _call(self, node: Call) -> tuple[str, tuple[nodes.Operand, ...]]:
        function = node.function.lower()
        if function in UPDATE_FUNCTIONS:
            raise validation(
                f"The function is not allowed in a condition expression; function: {function}"
            )
        if function not in CONDITION_FUNCTIONS:
            for argument in node.arguments:
                if isinstance(argument, Select):
                    raise validation(f"Unsupported token in expression: SELECT at {argument.at}")
            raise validation(f"Unrecognized function: {node.function} at {node.at}")
        return function, tuple(self.operand(argument) for argument in node.arguments)


def _is_condition(node: Expression) -> bool:
    if isinstance(node, Infix):
        return node.operator in COMPARATORS or node.operator in ("and", "or", "in")
    if isinstance(node, Unary):
        return node.operator == "not"
    if isinstance(node, Call):
        return node.function.lower() != "size"
    return isinstance(node, Between | Is)


def _unsupported(operator: str) -> Exception:
    return validation(f"Unsupported operator in Condition Expression. Operator: {operator}")
