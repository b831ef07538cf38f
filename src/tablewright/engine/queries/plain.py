"""The short way for queries that have been asked before, with other values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablewright.engine.handler import Response, Shape
from tablewright.engine.queries.pages import Reader, query_sql
from tablewright.engine.queries.plans import Plan, outline
from tablewright.values import InvalidValue, Unclear, canonical_size

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

#: Values that take less are within all limits.
SURELY_SMALL = 1024 * 1024


def query(engine: Engine, request: Any, shape: Shape) -> Response | None:
    """The page of a query that has a plan; None for any other."""
    if type(request) is not dict or engine.lag is not None:
        return None
    try:
        table = engine.catalog.find(request["TableName"])
        values = request["ExpressionAttributeValues"]
        if table is None or table.being_filled or canonical_size(values) > SURELY_SMALL:
            return None
        plan: Plan | None = table.plans.get(outline(request))
    except (KeyError, TypeError, Unclear, InvalidValue):
        return None
    if plan is None:
        return None
    terms, condition = plan.expressions.bind(values)
    reader = Reader(engine, request, shape, condition, None)
    wanted = reader.range_of(terms)
    reader.partition = wanted.pk
    reader.fetch = plan.fetch
    return reader.page(*query_sql(reader, wanted, None))


PLAIN = {"Query": query}
