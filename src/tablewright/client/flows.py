"""Which flow runs which op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from tablewright.client import batches, changing, reading, transactions
from tablewright.client.context import Context
from tablewright.client.steps import Flow
from tablewright.model.errors import NotFound, RequestError
from tablewright.model.ops import (
    Batch,
    Collect,
    Count,
    Delete,
    Find,
    Get,
    Op,
    Put,
    Query,
    Total,
    Transaction,
    Update,
)

R = TypeVar("R")
T = TypeVar("T")

_FLOWS: dict[type, Callable[..., Flow[Any]]] = {
    Get: reading.get,
    Query: reading.page,
    Find: reading.find,
    Count: reading.count,
    Collect: reading.collect,
    Total: reading.total,
    Put: changing.put,
    Update: changing.update,
    Delete: changing.delete,
    Transaction: transactions.transaction,
    Batch: batches.batch,
}


def flow_of(context: Context, op: Op[R]) -> Flow[R]:
    """The flow that runs ``op``."""
    found = _FLOWS.get(type(op))
    if found is None:
        raise RequestError(f"{op!r} is not an op: call a pattern, or put, update, delete")
    # The type in quotes: building it would cost more than all else here.
    return cast("Flow[R]", found(context, op))


def page_flow(context: Context, op: Op[Any], limit: int | None, cursor: str | None) -> Flow[Any]:
    """The flow of one page."""
    if not isinstance(op, Query):
        raise RequestError(f"{op.pattern} has no pages: limit and cursor are for queries and scans")
    if limit is not None and limit < 1:
        raise RequestError(f"limit counts results: it is at least 1, not {limit}")
    return reading.page(context, op, limit, cursor)


def found_or_raise(op: Op[T | None], found: T | None) -> T:
    """What was found, or :class:`NotFound`."""
    if found is None:
        raise NotFound(f"{op.pattern} found nothing")
    return found


def query_of(op: Op[Any]) -> Query[Any]:
    """The query behind an op that is iterated over."""
    if not isinstance(op, Query):
        raise RequestError(f"{op.pattern} gives one result: use run() instead of iterate()")
    return op
