"""What AWS checks in an expression once its placeholders are known, before any item is.

One walk from the bottom, left to right, which resolves placeholders and checks operands as
soon as they are known. An update is walked backwards, action by action: first all targets,
then all values. That is how AWS comes to report the last mistake first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.nodes import (
    Action,
    Add,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
    Condition,
    Delete,
    In,
    Literal,
    NameRef,
    Node,
    Operand,
    Path,
    Remove,
    Value,
    ValueRef,
    bottom_up,
)
from tablewright.expressions.paths import PathTree, path_text
from tablewright.expressions.shape import CONDITION_FUNCTIONS, FUNCTIONS
from tablewright.values import AttributeValue, compare

Names = Mapping[str, str]
Values = Mapping[str, AttributeValue]

MAX_OPERATORS = 300
MAX_PATH_STEPS = 32
MAX_CHOICES = 100

_RESULTS = {"size": "N", "list_append": "L", "if_not_exists": None}
_DISTINCT = frozenset(CONDITION_FUNCTIONS) | {"if_not_exists"}
_REFUSED: dict[str, frozenset[str]] = {
    "size": frozenset({"N", "BOOL", "NULL"}),
    "begins_with": frozenset({"N", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}),
}
_UNORDERED = frozenset({"BOOL", "NULL", "SS", "NS", "BS", "L", "M"})
_ANY_TYPE = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
_TYPE_NAMES = ("B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M")
_LONG_NAMES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "SS": "STRING_SET",
    "NS": "NUMBER_SET",
    "BS": "BINARY_SET",
    "NULL": "NULL",
    "BOOL": "BOOLEAN",
    "L": "LIST",
    "M": "MAP",
}
_FOR_ADD = frozenset({"N", "SS", "NS", "BS"})
_FOR_DELETE = frozenset({"SS", "NS", "BS"})


def check_condition(root: Condition, operators: int, names: Names, values: Values) -> None:
    """Placeholders and operands of a condition."""
    for node in bottom_up(root):
        _check_node(node, names, values)
    _check_operators(operators)


def check_update(actions: Sequence[Action], operators: int, names: Names, values: Values) -> None:
    """Placeholders, targets and operands of an update."""
    check_targets([action.target for action in actions], names)
    for action in reversed(actions):
        if isinstance(action, Remove):
            continue
        for node in bottom_up(action.value):
            _check_node(node, names, values)
        if isinstance(action, Add):
            _check_set_operand("ADD", _FOR_ADD, action.value, values)
        elif isinstance(action, Delete):
            _check_set_operand("DELETE", _FOR_DELETE, action.value, values)
    _check_operators(operators)


def check_targets(targets: Sequence[Attribute], names: Names) -> None:
    """Placeholders, depth, overlaps and conflicts of paths that are used together."""
    tree = PathTree()
    for target in reversed(targets):
        tree.add(resolve(target, names))


def resolve(path: Attribute, names: Names) -> Path:
    """The path with its ``#placeholders`` replaced."""
    steps = path.steps
    if len(steps) > MAX_PATH_STEPS:
        raise ExpressionError(
            f"The document path has too many nesting levels; nesting levels: {len(steps)}"
        )
    return tuple([_name(s.text, names) if isinstance(s, NameRef) else s for s in steps])


def _name(reference: str, names: Names) -> str:
    name = names.get(reference)
    if name is None:
        raise ExpressionError(
            "An expression attribute name used in the document path is not defined; "
            f"attribute name: {reference}"
        )
    return name


def _check_node(node: Node, names: Names, values: Values) -> None:
    if isinstance(node, Attribute):
        resolve(node, names)
    elif isinstance(node, ValueRef):
        if node.text not in values:
            raise ExpressionError(
                "An expression attribute value used in expression is not defined; "
                f"attribute value: {node.text}"
            )
    elif isinstance(node, Call):
        _check_call(node, names, values)
    elif isinstance(node, Arithmetic):
        _refuse(node.operator, (node.left, node.right), _UNORDERED | {"S", "B"}, values)
    elif isinstance(node, Comparison):
        _check_distinct(node.operator, (node.left, node.right), names)
        if node.operator not in ("=", "<>"):
            _refuse(node.operator, (node.left, node.right), _UNORDERED, values)
    elif isinstance(node, Between):
        _check_between(node, names, values)
    elif isinstance(node, In):
        _check_distinct("IN", (node.operand, *node.choices), names)
        if len(node.choices) > MAX_CHOICES:
            raise ExpressionError(
                "The IN operator is provided with too many operands; "
                f"number of operands: {len(node.choices)}"
            )


def _check_call(call: Call, names: Names, values: Values) -> None:
    function, operands = call.function, call.operands
    if len(operands) != FUNCTIONS[function]:
        raise ExpressionError(
            "Incorrect number of operands for operator or function; "
            f"operator or function: {function}, number of operands: {len(operands)}"
        )
    if function in _DISTINCT:
        _check_distinct(function, operands, names)
    if function in ("attribute_exists", "attribute_not_exists", "if_not_exists"):
        if not isinstance(operands[0], Attribute):
            raise ExpressionError(
                f"Operator or function requires a document path; operator or function: {function}"
            )
    elif function == "attribute_type":
        _check_type_name(operands[1], values)
    elif function == "list_append":
        _refuse(function, operands, _UNORDERED - {"L"} | {"S", "N", "B"}, values)
    elif function in _REFUSED:
        _refuse(function, operands, _REFUSED[function], values)


def _check_between(node: Between, names: Names, values: Values) -> None:
    operands = (node.operand, node.low, node.high)
    _refuse("BETWEEN", operands, _UNORDERED, values)
    _check_distinct("BETWEEN", operands, names)
    low, high = _constant(node.low, values), _constant(node.high, values)
    if low is None or high is None:
        return
    order = compare(low, high)
    if order is None:
        rule = "same data type for lower and upper bounds"
    elif order > 0:
        rule = "upper bound to be greater than or equal to lower bound"
    else:
        return
    raise ExpressionError(
        f"The BETWEEN operator requires {rule}; lower bound operand: {_value_text(low)}, "
        f"upper bound operand: {_value_text(high)}"
    )


def _value_text(value: AttributeValue) -> str:
    ((kind, content),) = value.items()
    return f"AttributeValue: {{{kind}:{content}}}"


def _check_type_name(operand: Operand, values: Values) -> None:
    kind = _kind(operand, values)
    if kind != "S":
        raise _incorrect("operator or function: attribute_type", kind or _ANY_TYPE)
    constant = _constant(operand, values)
    if constant is not None and constant["S"] not in _TYPE_NAMES:
        raise ExpressionError(
            f"Invalid attribute type name found; type: {constant['S']}, "
            f"valid types: {{{','.join(_TYPE_NAMES)}}}"
        )


def _check_distinct(operator: str, operands: Sequence[Operand], names: Names) -> None:
    first = operands[0]
    if not isinstance(first, Attribute):
        return
    path = resolve(first, names)
    for other in operands[1:]:
        if isinstance(other, Attribute) and resolve(other, names) == path:
            raise ExpressionError(
                "The first operand must be distinct from the remaining operands for this "
                f"operator or function; operator: {operator}, first operand: {path_text(path)}"
            )


def _check_set_operand(
    operator: str, allowed: frozenset[str], operand: Operand, values: Values
) -> None:
    kind = _kind(operand, values)
    if kind is not None and kind not in allowed:
        raise _incorrect(
            f"operator: {operator}",
            f"{_LONG_NAMES[kind]}, typeSet: ALLOWED_FOR_{operator}_OPERAND",
        )


def _refuse(
    operator: str, operands: Sequence[Value], refused: frozenset[str], values: Values
) -> None:
    for operand in operands:
        kind = _kind(operand, values)
        if kind in refused:
            raise _incorrect(f"operator or function: {operator}", kind)


def _incorrect(operator: str, kind: str) -> ExpressionError:
    return ExpressionError(
        f"Incorrect operand type for operator or function; {operator}, operand type: {kind}"
    )


def _constant(operand: Value, values: Values) -> AttributeValue | None:
    if isinstance(operand, ValueRef):
        return values[operand.text]
    return operand.value if isinstance(operand, Literal) else None


def _kind(operand: Value, values: Values) -> str | None:
    """The type of an operand, where the request alone tells it."""
    constant = _constant(operand, values)
    if constant is not None:
        return next(iter(constant))
    return _RESULTS.get(operand.function, "BOOL") if isinstance(operand, Call) else None


def _check_operators(operators: int) -> None:
    if operators > MAX_OPERATORS:
        raise ExpressionError(
            f"The expression contains too many operators; operator count: {MAX_OPERATORS + 1}"
        )
