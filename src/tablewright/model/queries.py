"""Decorators for reads under a key: ``@query``, ``@find`` and ``@count``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar, Union, Unpack, overload

from tablewright.model.declaring import (
    check_consistent,
    check_ends,
    check_leading,
    key_named,
    reader_for,
    shared_key,
)
from tablewright.model.definition import PRIMARY, EntityDef, definition
from tablewright.model.entity import Entity
from tablewright.model.errors import ModelError
from tablewright.model.expressions.conditions import Condition
from tablewright.model.keys import BoundKey, Bounds
from tablewright.model.ops import Count, Find, Op, PageOp, Query, Reader, Selection
from tablewright.model.pattern import Declared, Pattern, Range, Rate
from tablewright.model.projection import Projection, counting_reader
from tablewright.model.tables import include_of

P = ParamSpec("P")
E = TypeVar("E", bound=Entity)
A = TypeVar("A", bound=Entity)
B = TypeVar("B", bound=Entity)
C = TypeVar("C", bound=Entity)
D = TypeVar("D", bound=Entity)
V = TypeVar("V", bound=Projection)


class ReadOptions(TypedDict, total=False):
    """What ``@query`` takes beside the entity.

    ``key`` names the key; ``range`` and ``filter`` narrow what it gives. ``limit`` is the results
    in a page, ``page_size`` the items that DynamoDB evaluates per request, ``max_pages`` and
    ``max_units`` the ceilings. ``expired`` keeps what has ended but is not yet deleted. ``rate``,
    ``expect``, ``item_size``, ``component`` and ``hottest`` tell the design tools how it is used;
    so do ``order`` (the field that callers need the results ordered by), ``filter_keeps`` (the
    share of what is read that the filter keeps) and ``fresh`` (the result must show what was
    written just before).
    """

    key: str
    range: Range | None
    filter: Condition | None
    descending: bool
    consistent: bool
    expired: bool
    limit: int | None
    page_size: int | None
    max_pages: int | None
    max_units: float | None
    rate: Rate | None
    expect: float | None
    item_size: int | None
    component: str | None
    hottest: float | None
    order: str | None
    filter_keeps: float | None
    fresh: bool


class QueryOptions(ReadOptions, total=False):
    """The same, and ``hydrate``: read the whole entities from the table after the index."""

    hydrate: bool


@overload
def query(
    entity: type[E], /, **options: Unpack[QueryOptions]
) -> Callable[[Callable[P, None]], Pattern[P, PageOp[E]]]: ...
@overload
def query(
    entity: type[Entity], /, *, into: type[V], **options: Unpack[ReadOptions]
) -> Callable[[Callable[P, None]], Pattern[P, PageOp[V]]]: ...
@overload
def query(
    a: type[A], b: type[B], /, **options: Unpack[QueryOptions]
) -> Callable[[Callable[P, None]], Pattern[P, PageOp[A | B]]]: ...
@overload
def query(
    a: type[A], b: type[B], c: type[C], /, **options: Unpack[QueryOptions]
) -> Callable[[Callable[P, None]], Pattern[P, PageOp[A | B | C]]]: ...
@overload
def query(
    a: type[A], b: type[B], c: type[C], d: type[D], /, **options: Unpack[QueryOptions]
) -> Callable[[Callable[P, None]], Pattern[P, PageOp[A | B | C | D]]]: ...
def query(
    entity: type[Entity], /, *more: type[Entity], **options: Unpack[_Options]
) -> Callable[[Callable[P, None]], Pattern[P, Any]]:
    """The entities under one partition of a key, in its order, a page at a time.

    Several entities that meet under the same key can be read together; others are skipped.
    """
    return _reads("query", entity, more, **options)


@overload
def find(
    entity: type[E], /, **options: Unpack[QueryOptions]
) -> Callable[[Callable[P, None]], Pattern[P, Op[E | None]]]: ...
@overload
def find(
    entity: type[Entity], /, *, into: type[V], **options: Unpack[ReadOptions]
) -> Callable[[Callable[P, None]], Pattern[P, Op[V | None]]]: ...
def find(
    entity: type[Entity], /, **options: Unpack[_Options]
) -> Callable[[Callable[P, None]], Pattern[P, Any]]:
    """The first entity that a query would give, or None: a look-up by an index, or the latest."""
    return _reads("find", entity, (), **options)


class _Options(QueryOptions, total=False):
    into: type[Projection] | None


def _reads(
    kind: Literal["query", "find"],
    entity: type[Entity],
    more: tuple[type[Entity], ...],
    into: type[Projection] | None = None,
    key: str = PRIMARY,
    range: Range | None = None,
    filter: Condition | None = None,
    descending: bool = False,
    consistent: bool = False,
    hydrate: bool = False,
    expired: bool = False,
    limit: int | None = None,
    page_size: int | None = None,
    max_pages: int | None = None,
    max_units: float | None = None,
    rate: Rate | None = None,
    expect: float | None = None,
    item_size: int | None = None,
    component: str | None = None,
    hottest: float | None = None,
    order: str | None = None,
    filter_keeps: float | None = None,
    fresh: bool = False,
) -> Callable[[Callable[P, None]], Pattern[P, Any]]:
    known = definition(entity)
    every = (known, *map(definition, more))
    bound = shared_key(f"a query of {known.name}", every, key, sort=True)

    def decorate(function: Callable[P, None]) -> Pattern[P, Any]:
        where = f"pattern {function.__name__}"
        if more and into is not None:
            raise ModelError(f"{where}: into= is for queries of one entity")
        readers = tuple(
            reader_for(where, each, into, each.keys[bound.name], hydrate) for each in every
        )
        for each in every:
            check_ends(where, each, bound, expired or hydrate)
        select = _selector(
            where, known, bound, range, filter, readers, descending, consistent, hydrate, expired
        )

        def make(values: dict[str, Any]) -> Op[Any]:
            selection = select(values, page_size, max_pages, max_units)
            whole = every if hydrate else ()
            if kind == "find":
                return Find(selection, whole, pattern=pattern.name, component=component)
            return Query(selection, limit, whole, pattern=pattern.name, component=component)

        pattern: Pattern[P, Op[Any]] = Pattern(
            function,
            kind,
            make,
            declared=Declared(
                rate,
                1 if kind == "find" else expect,
                item_size,
                component,
                hottest,
                order=order,
                filter_keeps=filter_keeps,
                fresh=fresh,
            ),
            tables=(known.table,),
            entities=every,
            key=bound,
            range=range,
            filter=filter,
            projection=readers[0].projection,
            consistent=consistent,
            descending=descending,
            limit=limit,
            hydrate=hydrate,
            result=into or (Union[(entity, *more)] if more else entity),
        )
        check_leading(pattern, bound, range, filter)
        return pattern

    return decorate


def count(
    entity: type[Entity],
    *,
    key: str = PRIMARY,
    range: Range | None = None,
    filter: Condition | None = None,
    consistent: bool = False,
    max_pages: int | None = None,
    max_units: float | None = None,
    rate: Rate | None = None,
    expect: float | None = None,
    item_size: int | None = None,
    component: str | None = None,
    hottest: float | None = None,
    filter_keeps: float | None = None,
    fresh: bool = False,
) -> Callable[[Callable[P, None]], Pattern[P, Op[int]]]:
    """How many there are. Every item is read, and paid for, although none is returned."""
    known = definition(entity)
    bound = key_named(known, key)

    def decorate(function: Callable[P, None]) -> Pattern[P, Op[int]]:
        where = f"pattern {function.__name__}"
        select = _selector(
            where, known, bound, range, filter, (known,), False, consistent, False, False
        )

        def make(values: dict[str, Any]) -> Count:
            selection = select(values, None, max_pages, max_units)
            reader = counting_reader(known, bound)
            if reader is not None:
                wanted = _wanted(known, bound, reader)
                selection = replace(selection, readers=(reader,), projection=wanted)
            return Count(selection, pattern=pattern.name, component=component)

        pattern: Pattern[P, Op[int]] = Pattern(
            function,
            "count",
            make,
            declared=Declared(
                rate,
                expect,
                item_size,
                component,
                hottest,
                filter_keeps=filter_keeps,
                fresh=fresh,
            ),
            tables=(known.table,),
            entities=(known,),
            key=bound,
            range=range,
            filter=filter,
            consistent=consistent,
            result=int,
        )
        check_leading(pattern, bound, range, filter)
        return pattern

    return decorate


_Select = Callable[[dict[str, Any], int | None, int | None, float | None], Selection]


def _selector(
    where: str,
    known: EntityDef[Any],
    bound: BoundKey,
    range: Range | None,
    filter: Condition | None,
    readers: tuple[Reader[Any], ...],
    descending: bool,
    consistent: bool,
    hydrate: bool,
    expired: bool,
) -> _Select:
    check_consistent(where, bound, consistent)
    limits = {} if range is None else range.parameters()
    wanted = None if hydrate else _wanted(known, bound, readers[0])

    def select(
        values: dict[str, Any],
        page_size: int | None,
        max_pages: int | None,
        max_units: float | None,
    ) -> Selection:
        bounds = None
        if range is not None:
            given = {operator: values[name] for operator, name in limits.items()}
            if any(value is not None for value in given.values()):
                bounds = Bounds(range.field, **given)
        return Selection(
            table=known.table,
            index=bound.index,
            condition=bound.condition(values, bounds),
            forward=not descending,
            filter=None if filter is None else filter.bind(values),
            consistent=consistent,
            projection=wanted,
            readers=readers,
            expired=expired,
            page_size=page_size,
            max_pages=max_pages,
            max_units=max_units,
            arguments=values,
        )

    return select


def _wanted(known: EntityDef[Any], bound: BoundKey, reader: Reader[Any]) -> tuple[str, ...] | None:
    """The attributes to ask an index for: those it holds, with its keys, for where to go on."""
    index = bound.index
    if reader.projection is None or index is None:
        return reader.projection
    keys = dict.fromkeys(each.name for each in (*index.partition, *index.sort))
    wanted = dict.fromkeys((*reader.projection, *keys))
    if index.projection == "ALL":
        return tuple(wanted)
    held = {*include_of(known.table, index), *keys, *(each.name for each in known.table.primary())}
    if index.projection == "KEYS_ONLY":
        held.discard(known.table.discriminator or "")
    return tuple(name for name in wanted if name in held)
