"""Decorators for other reads: ``@get``, ``@collect``, ``@scan``, ``@total``.

The decorated function is a stub: its parameters name components of the key, and those of a filter.
Everything is checked when the module is imported. ``@query``, ``@find`` and ``@count`` are in
``queries``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from tablewright.model.counter import Counter, total_of
from tablewright.model.declaring import (
    check_consistent,
    check_ends,
    check_exactly,
    check_whole,
    partition_condition,
    shared_key,
)
from tablewright.model.definition import PRIMARY, definition
from tablewright.model.entity import Entity
from tablewright.model.errors import ModelError
from tablewright.model.expressions.conditions import Condition
from tablewright.model.ops import Collect, Get, Op, PageOp, Query, Reader, Selection, Total
from tablewright.model.pattern import Declared, Pattern, Rate
from tablewright.model.projection import Projection, projection
from tablewright.model.views import Others, view_of

P = ParamSpec("P")
E = TypeVar("E", bound=Entity)
V = TypeVar("V", bound=Projection)
C = TypeVar("C", bound=Counter)
T = TypeVar("T")


@overload
def get(
    entity: type[E],
    *,
    consistent: bool = ...,
    rate: Rate | None = ...,
    item_size: int | None = ...,
    component: str | None = ...,
    hottest: float | None = ...,
    fresh: bool = ...,
) -> Callable[[Callable[P, None]], Pattern[P, Get[E]]]: ...
@overload
def get(
    entity: type[Entity],
    *,
    into: type[V],
    consistent: bool = ...,
    rate: Rate | None = ...,
    item_size: int | None = ...,
    component: str | None = ...,
    hottest: float | None = ...,
    fresh: bool = ...,
) -> Callable[[Callable[P, None]], Pattern[P, Get[V]]]: ...
def get(
    entity: type[Entity],
    *,
    into: type[Projection] | None = None,
    consistent: bool = False,
    rate: Rate | None = None,
    item_size: int | None = None,
    component: str | None = None,
    hottest: float | None = None,
    fresh: bool = False,
) -> Any:
    """One entity by its primary key, or None; the parameters are the key's components."""
    known = definition(entity)
    reader: Reader[Any] = known if into is None else projection(into)
    key = known.primary

    def decorate(function: Callable[P, None]) -> Pattern[P, Get[Any]]:
        def make(values: dict[str, Any]) -> Get[Any]:
            return Get(
                reader, key.encode(values), consistent, pattern=pattern.name, component=component
            )

        pattern: Pattern[P, Get[Any]] = Pattern(
            function,
            "get",
            make,
            declared=Declared(rate, 1, item_size, component, hottest, fresh=fresh),
            tables=(known.table,),
            entities=(known,),
            key=key,
            projection=reader.projection,
            consistent=consistent,
            result=entity if into is None else into,
        )
        check_exactly(pattern, key.fields)
        return pattern

    return decorate


def collect(
    view: type[T],
    *,
    key: str = PRIMARY,
    others: Others = "refuse",
    consistent: bool = False,
    descending: bool = False,
    limit: int | None = None,
    max_pages: int | None = None,
    max_units: float | None = None,
    rate: Rate | None = None,
    expect: float | None = None,
    item_size: int | None = None,
    component: str | None = None,
    hottest: float | None = None,
) -> Callable[[Callable[P, None]], Pattern[P, Op[T]]]:
    """A partition as one dataclass, whose annotations are the buckets.

    With ``limit`` only so many items of it, from the side where the reading begins: a customer
    and the latest ten orders in one request.
    """
    shape = view_of(view, others)
    owners = tuple(bucket.entity for bucket in shape.buckets)
    bound = shared_key(view.__name__, owners, key)

    def decorate(function: Callable[P, None]) -> Pattern[P, Op[T]]:
        where = f"pattern {function.__name__}"
        check_consistent(where, bound, consistent)
        for owner in owners:
            check_whole(where, owner, bound)
            check_ends(where, owner, bound, expired=False)
        partition = tuple(dict.fromkeys(name for part in bound.partition for name in part.fields))

        def make(values: dict[str, Any]) -> Collect[T]:
            selection = Selection(
                table=owners[0].table,
                index=bound.index,
                condition=partition_condition(bound, values),
                forward=not descending,
                consistent=consistent,
                readers=owners,
                max_pages=max_pages,
                max_units=max_units,
                arguments=values,
            )
            return Collect(shape, selection, limit, pattern=pattern.name, component=component)

        pattern: Pattern[P, Op[T]] = Pattern(
            function,
            "collect",
            make,
            declared=Declared(rate, expect, item_size, component, hottest),
            tables=(owners[0].table,),
            entities=owners,
            key=bound,
            consistent=consistent,
            descending=descending,
            limit=limit,
            result=view,
        )
        check_exactly(pattern, partition)
        return pattern

    return decorate


def scan(
    entity: type[E],
    *,
    admin: bool,
    filter: Condition | None = None,
    consistent: bool = False,
    page_size: int | None = None,
    max_pages: int | None = None,
    max_units: float | None = None,
    rate: Rate | None = None,
    expect: float | None = None,
    item_size: int | None = None,
    component: str | None = None,
    order: str | None = None,
    filter_keeps: float | None = None,
) -> Callable[[Callable[P, None]], Pattern[P, PageOp[E]]]:
    """Every entity of its kind, by reading the whole table; ``admin=True`` says that is meant."""
    known = definition(entity)

    def decorate(function: Callable[P, None]) -> Pattern[P, PageOp[E]]:
        if not admin:
            raise ModelError(
                f"pattern {function.__name__} reads all of {known.table.name}: a scan must say "
                "admin=True; for everyday use, give it a key"
            )

        def make(values: dict[str, Any]) -> PageOp[E]:
            selection = Selection(
                table=known.table,
                index=None,
                condition=None,
                filter=None if filter is None else filter.bind(values),
                consistent=consistent,
                readers=(known,),
                page_size=page_size,
                max_pages=max_pages,
                max_units=max_units,
                arguments=values,
            )
            return Query(selection, pattern=pattern.name, component=component)

        pattern: Pattern[P, PageOp[E]] = Pattern(
            function,
            "scan",
            make,
            declared=Declared(
                rate, expect, item_size, component, order=order, filter_keeps=filter_keeps
            ),
            tables=(known.table,),
            entities=(known,),
            filter=filter,
            consistent=consistent,
            admin=True,
            result=entity,
        )
        check_exactly(pattern, () if filter is None else tuple(sorted(filter.parameters())))
        return pattern

    return decorate


def total(
    counter: type[C],
    *,
    consistent: bool = True,
    rate: Rate | None = None,
    item_size: int | None = None,
    component: str | None = None,
) -> Callable[[Callable[P, None]], Pattern[P, Op[C]]]:
    """The sum of a sharded counter; the parameters are its key without the shard."""
    known = definition(counter)

    def decorate(function: Callable[P, None]) -> Pattern[P, Op[C]]:
        def make(values: dict[str, Any]) -> Total[C]:
            op = total_of(counter, values, consistent)
            return op.named(pattern.name, component)

        pattern: Pattern[P, Op[C]] = Pattern(
            function,
            "total",
            make,
            declared=Declared(rate, counter.__shards__, item_size, component),
            tables=(known.table,),
            entities=(known,),
            key=known.primary,
            consistent=consistent,
            result=counter,
        )
        check_exactly(pattern, counter.__identity__)
        return pattern

    return decorate
