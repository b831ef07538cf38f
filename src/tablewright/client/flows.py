"""Which flow runs which op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from tablewright.client import batches, changing, reading, transactions
from tablewright.client.context import Context
from tablewright.client.steps import Flow
from tablewright.model.entity import Entity
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
from tablewright.model.pattern import Pattern

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
        raise RequestError(_not_an_op(op))
    # The type in quotes: building it would cost more than all else here.
    return cast("Flow[R]", found(context, op))


def _not_an_op(given: object) -> str:
    """Say what was given instead of an op, without printing what is in it."""
    if isinstance(given, Pattern):
        arguments = ", ".join(given.parameters)
        return f"{given.name} is a pattern, not a call of it: write {given.name}({arguments})"
    if isinstance(given, Entity):
        name = type(given).__name__
        return f"a {name} is an entity, not an op: to store it, write put({name.lower()})"
    if isinstance(given, type) and issubclass(given, Entity):
        return f"{given.__name__} is an entity class, not an op: call a pattern that reads it"
    name = type(given).__name__
    return f"an object of type {name} is not an op: call a pattern, or put, update, delete"


def page_flow(context: Context, op: Op[Any], limit: int | None, cursor: str | None) -> Flow[Any]:
    """The flow of one page."""
    if not isinstance(op, Op):
        raise RequestError(_not_an_op(op))
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
    if not isinstance(op, Op):
        raise RequestError(_not_an_op(op))
    if not isinstance(op, Query):
        raise RequestError(f"{op.pattern} gives one result: use run() instead of iterate()")
    return op
