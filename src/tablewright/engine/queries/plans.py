"""Queries that have been asked before, but for their values.

Programs ask the same few queries again and again: the same expressions, with other values of the
same types. What was found in order once need not be checked again, so each table remembers such
queries. A table that is altered is a new object, and has nothing to forget.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tablewright.engine.handler import Request
from tablewright.engine.schema import Table
from tablewright.expressions import KeptQuery

MAX_PLANS = 256

_PARAMETERS = frozenset(
    {
        "TableName",
        "IndexName",
        "KeyConditionExpression",
        "FilterExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ScanIndexForward",
        "ConsistentRead",
        "Limit",
    }
)


class Plan(NamedTuple):
    """What does not depend on a query's values."""

    expressions: KeptQuery
    #: whether rows of an index have to be completed from the table
    fetch: bool


def outline(request: Request) -> tuple[Any, ...] | None:
    """What tells queries with different plans apart; None for one that has no plan.

    The request may be anything, except that its values have been checked.
    """
    if not request.keys() <= _PARAMETERS:
        return None
    values = request["ExpressionAttributeValues"]
    names = request.get("ExpressionAttributeNames")
    limit = request.get("Limit")
    if (
        (names is not None and type(names) is not dict)
        or type(request.get("ScanIndexForward", True)) is not bool
        or type(request.get("ConsistentRead", True)) is not bool
        or (limit is not None and (type(limit) is not int or not 0 < limit < 2**31))
    ):
        return None
    return (
        request.get("KeyConditionExpression"),
        request.get("FilterExpression"),
        request.get("IndexName"),
        None if names is None else (*names.items(),),
        (*values,),
        tuple([next(iter(av)) for av in values.values()]),
    )


def remember(request: Request, table: Table, fetch: bool) -> None:
    """Keep the plan of a query that was in order."""
    if "ExpressionAttributeValues" not in request or "KeyConditionExpression" not in request:
        return
    key = outline(request)
    if key is None or key in table.plans:
        return
    if len(table.plans) >= MAX_PLANS:
        table.plans.clear()
    kept = KeptQuery(
        request["KeyConditionExpression"],
        request.get("FilterExpression"),
        request.get("ExpressionAttributeNames") or {},
    )
    table.plans[key] = Plan(kept, fetch)
