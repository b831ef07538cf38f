"""The expressions of one request, whether written as expressions or in the older parameters.

Both forms end in the same objects (a condition, an update, a projection, key terms), so that the
operations do not care which form a caller uses. Mixing the two is refused as AWS refuses it.
"""

from __future__ import annotations

from tablewright.engine.errors import validation
from tablewright.engine.handler import Request
from tablewright.engine.items import legacy
from tablewright.expressions import (
    Condition,
    ExpressionError,
    KeyTerm,
    Projection,
    Scope,
    Update,
)


class Expressions:
    """What a request's expressions say."""

    __slots__ = ("condition", "filter", "key_terms", "projection", "update")

    def __init__(self) -> None:
        self.condition: Condition | None = None
        self.filter: Condition | None = None
        self.key_terms: list[KeyTerm] | None = None
        self.projection: Projection | None = None
        self.update: Update | None = None


_NEW_PARAMETERS = frozenset(
    {
        "ConditionExpression",
        "UpdateExpression",
        "ProjectionExpression",
        "FilterExpression",
        "KeyConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
    }
)

CONDITION = ("ConditionExpression",)
UPDATE = ("UpdateExpression", "ConditionExpression")
PROJECTION = ("ProjectionExpression",)
SCAN = ("ProjectionExpression", "FilterExpression")
QUERY = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")


def for_condition(request: Request) -> Condition | None:
    """The condition of a put, a delete or a condition check."""
    text = request.get("ConditionExpression")
    if text is None:
        old_form = "Expected" in request or "ConditionalOperator" in request
        return legacy.expected(request) if old_form else None
    scope = _scope(request)
    condition = scope.condition(text)
    scope.finish()
    return condition


def for_update(request: Request) -> Expressions:
    """The update and the condition of an UpdateItem."""
    found = Expressions()
    update, condition = request.get("UpdateExpression"), request.get("ConditionExpression")
    if update is None and condition is None:
        found.update = legacy.attribute_updates(request)
        found.condition = legacy.expected(request)
        return found
    scope = _scope(request)
    if update is not None:
        found.update = scope.update(update)
    if condition is not None:
        found.condition = scope.condition(condition)
    scope.finish()
    return found


def for_projection(request: Request) -> Projection | None:
    """The projection of a get."""
    text = request.get("ProjectionExpression")
    if text is None:
        return legacy.attributes_to_get(request) if "AttributesToGet" in request else None
    scope = _scope(request)
    projection = scope.projection(text)
    scope.finish()
    return projection


def for_reading(request: Request, legacy_filter: str) -> Expressions:
    """The filter and the projection of a Query or Scan, as the older parameters give them."""
    found = Expressions()
    if legacy_filter == "ScanFilter":
        found.projection = legacy.attributes_to_get(request)
        found.filter = legacy.filter_condition(request, legacy_filter)
    else:
        found.filter = legacy.filter_condition(request, legacy_filter)
        found.projection = legacy.attributes_to_get(request)
    return found


def add_expressions(request: Request, found: Expressions) -> None:
    """What the expressions of a Query or Scan add to ``found``."""
    key_text = request.get("KeyConditionExpression")
    filter_text = request.get("FilterExpression")
    projection_text = request.get("ProjectionExpression")
    if key_text is not None or filter_text is not None or projection_text is not None:
        scope = _scope(request)
        if key_text is not None and (filter_text is not None or projection_text is not None):
            # Whether a key can answer it is asked after the other expressions.
            scope.check_key_condition(key_text)
        if filter_text is not None:
            found.filter = scope.condition(filter_text, "FilterExpression")
        if projection_text is not None:
            found.projection = scope.projection(projection_text)
        if key_text is not None:
            found.key_terms = scope.key_condition(key_text)
        scope.finish()
    if key_text is None and "KeyConditions" in request:
        found.key_terms = legacy.key_conditions(request)


def _scope(request: Request) -> Scope:
    return Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))


def refuse_mixture(request: Request, parameters: tuple[str, ...]) -> None:
    """Refuse old and new parameters together, and placeholders without an expression."""
    if request.keys().isdisjoint(_NEW_PARAMETERS):
        return
    used = [name for name in parameters if request.get(name) is not None]
    if used:
        legacy.refuse_mixture(request)
    elif request.get("ExpressionAttributeNames") is not None:
        raise validation("ExpressionAttributeNames can only be specified when using expressions")
    if request.get("ExpressionAttributeValues") is None:
        return
    holders = [name for name in parameters if name != "ProjectionExpression"]
    if holders and not any(name in used for name in holders):
        verb = "is" if len(holders) == 1 else "are"
        text = "ExpressionAttributeValues can only be specified when using expressions"
        current = text if "ConditionExpression" in holders else None
        raise ExpressionError(f"{text}: {' and '.join(holders)} {verb} null", current)
