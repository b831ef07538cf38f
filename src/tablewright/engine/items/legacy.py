"""The parameters from before expressions, turned into what expressions become.

Expected, AttributeUpdates, KeyConditions, QueryFilter, ScanFilter, AttributesToGet and
ConditionalOperator say less than expressions do, but with rules of their own: how many values
an operator takes and of which types, and which members go together. Here those rules are
checked, with AWS's messages; the result is an ordinary condition, update, projection or list of
key terms. The functions take a request and change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tablewright.expressions import (
    Condition,
    ExpressionError,
    KeyOperator,
    KeyTerm,
    Projection,
    Update,
)
from tablewright.expressions.nodes import (
    Action,
    Add,
    And,
    Attribute,
    Between,
    Call,
    Comparison,
    Delete,
    In,
    Literal,
    Not,
    Or,
    Remove,
    Set,
)
from tablewright.expressions.nodes import Condition as Node
from tablewright.expressions.operands import WRONG_TYPE
from tablewright.values import AttributeValue, InvalidValue, Item, compare, normalize, text_size

Request: TypeAlias = Mapping[str, Any]

_INVALID = "One or more parameter values were invalid: "
#: Four partition key and four sort key attributes of an index.
_MOST_KEYS = 8
_OLD = (
    "AttributesToGet",
    "AttributeUpdates",
    "Expected",
    "QueryFilter",
    "ScanFilter",
    "ConditionalOperator",
    "KeyConditions",
)
_NEW = (
    "UpdateExpression",
    "ConditionExpression",
    "ProjectionExpression",
    "FilterExpression",
    "KeyConditionExpression",
)
_MAX_NAME = 65535

_COUNTS = {"NULL": (0, 0), "NOT_NULL": (0, 0), "BETWEEN": (2, 2), "IN": (1, 1_000_000)}
_SCALARS = frozenset({"S", "N", "B"})
_TYPES: dict[str, frozenset[str]] = {
    **dict.fromkeys(("LT", "LE", "GT", "GE", "BETWEEN", "IN"), _SCALARS),
    **dict.fromkeys(("CONTAINS", "NOT_CONTAINS"), _SCALARS | {"BOOL", "NULL"}),
    "BEGINS_WITH": frozenset({"S", "B"}),
}
_COMPARISONS = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_KEY_OPERATORS: dict[str, KeyOperator] = {
    "EQ": "=",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
    "BETWEEN": "BETWEEN",
    "BEGINS_WITH": "begins_with",
}
_FOR_ADD = frozenset({"N", "SS", "NS", "BS", "L"})
_FOR_DELETE = frozenset({"SS", "NS", "BS"})


def refuse_mixture(request: Request) -> None:
    """Refuse a request that uses both expressions and the older parameters."""
    if request.keys().isdisjoint(_OLD):
        return
    new = [name for name in _NEW if request.get(name) is not None]
    old = [name for name in _OLD if request.get(name) is not None]
    if "KeyConditions" in old and "KeyConditionExpression" not in new:
        # AWS lets the older key conditions go with the other expressions.
        old.remove("KeyConditions")
    if new and old:
        raise ExpressionError(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(old)}}} "
            f"Expression parameters: {{{', '.join(new)}}}"
        )


# --- conditions --------------------------------------------------------------------------


def expected(request: Request) -> Condition | None:
    """What ``Expected`` asks of the item."""
    return _combined(request, "Expected", _expectation)


def filter_condition(request: Request, parameter: str) -> Condition | None:
    """What ``QueryFilter`` or ``ScanFilter`` asks of an item."""
    return _combined(request, parameter, _filter)


def _combined(
    request: Request, parameter: str, read: Callable[[str, dict[str, Any]], Node]
) -> Condition | None:
    if parameter not in request and "ConditionalOperator" not in request:
        return None
    conditions: dict[str, dict[str, Any]] = request.get(parameter) or {}
    parts = tuple([read(name, given) for name, given in conditions.items()])
    operator = request.get("ConditionalOperator")
    if operator is not None:
        _check_operator_use(len(parts))
    if not parts:
        return None
    if len(parts) == 1:
        return Condition(parts[0])
    return Condition((Or if operator == "OR" else And)(parts))


def _check_operator_use(conditions: int) -> None:
    if not conditions:
        raise ExpressionError("ConditionalOperator cannot be used without Filter or Expected")
    if conditions == 1:
        raise ExpressionError(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )


def _expectation(name: str, given: dict[str, Any]) -> Node:
    _check_name(name)
    value, listed = given.get("Value"), given.get("AttributeValueList")
    operator, exists = given.get("ComparisonOperator"), given.get("Exists")
    if value is not None and listed is not None:
        raise _invalid("Value and AttributeValueList cannot be used together", name)
    if operator is not None:
        if exists is not None:
            raise _invalid("Exists and ComparisonOperator cannot be used together", name)
        if value is None and listed is None and operator not in ("NULL", "NOT_NULL"):
            raise _invalid(
                f"Value or AttributeValueList must be used with ComparisonOperator: {operator}",
                name,
            )
        return _compared(name, operator, [value] if value is not None else listed or [])
    if listed is not None:
        raise _invalid("AttributeValueList can only be used with a ComparisonOperator", name)
    return _existence(name, exists, value)


def _existence(name: str, exists: bool | None, value: AttributeValue | None) -> Node:
    if exists is False:
        if value is not None:
            raise _invalid("Value cannot be used when Exists is false", name)
        return Call("attribute_not_exists", (Attribute((name,)),))
    if value is None:
        given = "null" if exists is None else "true"
        raise _invalid(f"Value must be provided when Exists is {given}", name)
    return _compared(name, "EQ", [value])


def _filter(name: str, given: dict[str, Any]) -> Node:
    _check_name(name)
    return _compared(name, given["ComparisonOperator"], given.get("AttributeValueList") or [])


def _compared(name: str, operator: str, given: list[AttributeValue]) -> Node:
    attribute = Attribute((name,))
    literals = tuple([Literal(value) for value in _checked(operator, given)])
    if operator in _COMPARISONS:
        return Comparison(_COMPARISONS[operator], attribute, literals[0])
    if operator == "NULL":
        return Call("attribute_not_exists", (attribute,))
    if operator == "NOT_NULL":
        return Call("attribute_exists", (attribute,))
    if operator == "BETWEEN":
        return Between(attribute, literals[0], literals[1])
    if operator == "IN":
        return In(attribute, literals)
    if operator == "BEGINS_WITH":
        return Call("begins_with", (attribute, literals[0]))
    holds = Call("contains", (attribute, literals[0]))
    if operator == "CONTAINS":
        return holds
    # NOT_CONTAINS is false, too, for an attribute that is not there.
    return And((Call("attribute_exists", (attribute,)), Not(holds)))


def _checked(operator: str, given: list[AttributeValue]) -> list[AttributeValue]:
    """The values in canonical form, if the operator takes so many and such ones."""
    values = [normalize(value)[0] for value in given]
    least, most = _COUNTS.get(operator, (1, 1))
    if not least <= len(values) <= most:
        raise ExpressionError(
            f"{_INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator"
        )
    kinds = [next(iter(value)) for value in values]
    for kind in kinds:
        if operator in _TYPES and kind not in _TYPES[operator]:
            raise ExpressionError(
                f"{_INVALID}ComparisonOperator {operator} is not valid for {kind} "
                "AttributeValue type"
            )
    if len(set(kinds)) > 1:
        raise ExpressionError(
            f"{_INVALID}AttributeValues inside AttributeValueList must be of same type"
        )
    if operator == "BETWEEN" and (compare(values[0], values[1]) or 0) > 0:
        raise ExpressionError(
            "The BETWEEN condition was provided a range where the lower bound is greater than "
            "the upper bound"
        )
    return values


# --- keys --------------------------------------------------------------------------------


def key_conditions(request: Request) -> list[KeyTerm]:
    """What ``KeyConditions`` asks of the key."""
    conditions: dict[str, dict[str, Any]] = request.get("KeyConditions") or {}
    checked = []
    for name, given in conditions.items():
        _check_name(name)
        operator = given["ComparisonOperator"]
        values = _checked(operator, given.get("AttributeValueList") or [])
        checked.append(KeyTerm(name, _KEY_OPERATORS.get(operator, "other"), tuple(values)))
    # Only an index can have more than two key attributes; whether it has is seen with the table.
    if not 1 <= len(checked) <= (2 if request.get("IndexName") is None else _MOST_KEYS):
        raise ExpressionError("Conditions can be of length 1 or 2 only")
    return checked


# --- updates -----------------------------------------------------------------------------


class _LegacyUpdate(Update):
    """An update that words a type mismatch as AttributeUpdates does."""

    __slots__ = ()

    def apply(self, item: Item, exists: bool = True) -> Item:
        try:
            return super().apply(item, exists)
        except ExpressionError as error:
            if str(error) == WRONG_TYPE:
                raise ExpressionError("Type mismatch for attribute to update") from None
            raise


def attribute_updates(request: Request) -> Update:
    """What ``AttributeUpdates`` does to the item; without it, nothing."""
    updates: dict[str, dict[str, Any]] = request.get("AttributeUpdates") or {}
    return _LegacyUpdate([_action(name, given) for name, given in updates.items()])


def _action(name: str, given: dict[str, Any]) -> Action:
    _check_name(name)
    action, target = given.get("Action") or "PUT", Attribute((name,))
    if given.get("Value") is None:
        if action != "DELETE":
            raise ExpressionError(
                f"{_INVALID}Only DELETE action is allowed when no attribute value is specified"
            )
        return Remove(target)
    value = normalize(given["Value"])[0]
    kind = next(iter(value))
    if action == "DELETE":
        if kind not in _FOR_DELETE:
            raise ExpressionError(
                f"{_INVALID}DELETE action with value is not supported for the type {kind}"
            )
        return Delete(target, Literal(value))
    if action == "ADD":
        return _addition(target, kind, value)
    return Set(target, Literal(value))


def _addition(target: Attribute, kind: str, value: AttributeValue) -> Action:
    if kind not in _FOR_ADD:
        raise ExpressionError(f"{_INVALID}ADD action is not supported for the type {kind}")
    if kind != "L":
        return Add(target, Literal(value))
    # Unlike the ADD of an update expression, this one appends to lists.
    present = Call("if_not_exists", (target, Literal({"L": []})))
    return Set(target, Call("list_append", (present, Literal(value))))


# --- projections -------------------------------------------------------------------------


def attributes_to_get(request: Request) -> Projection | None:
    """The attributes that ``AttributesToGet`` asks for."""
    names: list[str] | None = request.get("AttributesToGet")
    if names is None:
        return None
    seen = set()
    for name in names:
        _check_name(name)
        if name in seen:
            raise ExpressionError(f"{_INVALID}Duplicate value in attribute name: {name}")
        seen.add(name)
    return Projection((name,) for name in names)


# --- small things ------------------------------------------------------------------------


def _check_name(name: str) -> None:
    if not name:
        raise InvalidValue("Empty attribute name")
    if text_size(name) > _MAX_NAME:
        raise InvalidValue("Attribute name is too large, must be less than 65536 bytes")


def _invalid(reason: str, name: str) -> ExpressionError:
    return ExpressionError(f"{_INVALID}{reason} for Attribute: {name}")
