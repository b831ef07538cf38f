"""Decorators for reads: ``@get``, ``@query``, ``@collect``, ``@count``, ``@scan``, ``@total``.

The decorated function is a stub: its parameters name components of the key (by equality, from the
left), the parameters of a :class:`Range`, and those of a filter. Everything is checked here, when
the module is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from tablewright.model.counter import Counter, total_of
from tablewright.model.entity import PRIMARY, Entity, EntityDef, definition
from tablewright.model.errors import ModelError
from tablewright.model.expressions.conditions import Condition
from tablewright.model.keys import BoundKey, Bounds, KeyCondition
from tablewright.model.ops import Collect, Count, Get, Op, PageOp, Query, Reader, Selection, Total
from tablewright.model.pattern import Declared, Pattern, Range, Rate
from tablewright.model.projection import KeyReader, Projection, missing_from, projection
from tablewright.model.tables import include_of
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
            declared=Declared(rate, 1, item_size, component, hottest),
            tables=(known.table,),
            entities=(known,),
            key=key,
            projection=reader.projection,
            consistent=consistent,
            result=entity if into is None else into,
        )
        _exactly(pattern, key.fields)
        return pattern

    return decorate


@overload
def query(
    entity: type[E],
    *,
    key: str = ...,
    range: Range | None = ...,
    filter: Condition | None = ...,
    newest_first: bool = ...,
    consistent: bool = ...,
    hydrate: bool = ...,
    limit: int | None = ...,
    page_size: int | None = ...,
    max_pages: int | None = ...,
    max_units: float | None = ...,
    rate: Rate | None = ...,
    expect: float | None = ...,
    item_size: int | None = ...,
    component: str | None = ...,
    hottest: float | None = ...,
) -> Callable[[Callable[P, None]], Pattern[P, PageOp[E]]]: ...
@overload
def query(
    entity: type[Entity],
    *,
    into: type[V],
    key: str = ...,
    range: Range | None = ...,
    filter: Condition | None = ...,
    newest_first: bool = ...,
    consistent: bool = ...,
    limit: int | None = ...,
    page_size: int | None = ...,
    max_pages: int | None = ...,
    max_units: float | None = ...,
    rate: Rate | None = ...,
    expect: float | None = ...,
    item_size: int | None = ...,
    component: str | None = ...,
    hottest: float | None = ...,
) -> Callable[[Callable[P, None]], Pattern[P, PageOp[V]]]: ...
def query(
    entity: type[Entity],
    *,
    into: type[Projection] | None = None,
    key: str = PRIMARY,
    range: Range | None = None,
    filter: Condition | None = None,
    newest_first: bool = False,
    consistent: bool = False,
    hydrate: bool = False,
    limit: int | None = None,
    page_size: int | None = None,
    max_pages: int | None = None,
    max_units: float | None = None,
    rate: Rate | None = None,
    expect: float | None = None,
    item_size: int | None = None,
    component: str | None = None,
    hottest: float | None = None,
) -> Any:
    """The entities under one partition of a key, in its order, a page at a time."""
    known = definition(entity)
    bound = _key(known, key)

    def decorate(function: Callable[P, None]) -> Pattern[P, PageOp[Any]]:
        where = f"pattern {function.__name__}"
        reader = _reader(where, known, into, bound, hydrate)
        select = _selector(
            where, known, bound, range, filter, reader, newest_first, consistent, hydrate
        )

        def make(values: dict[str, Any]) -> PageOp[Any]:
            return Query(
                select(values, page_size, max_pages, max_units),
                limit,
                known if hydrate else None,
                pattern=pattern.name,
                component=component,
            )

        pattern: Pattern[P, PageOp[Any]] = Pattern(
            function,
            "query",
            make,
            declared=Declared(rate, expect, item_size, component, hottest),
            tables=(known.table,),
            entities=(known,),
            key=bound,
            range=range,
            filter=filter,
            projection=reader.projection,
            consistent=consistent,
            newest_first=newest_first,
            limit=limit,
            hydrate=hydrate,
            result=entity if into is None else into,
        )
        _leading(pattern, bound, range, filter)
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
) -> Callable[[Callable[P, None]], Pattern[P, Op[int]]]:
    """How many there are. Every item is read, and paid for, although none is returned."""
    known = definition(entity)
    bound = _key(known, key)

    def decorate(function: Callable[P, None]) -> Pattern[P, Op[int]]:
        where = f"pattern {function.__name__}"
        select = _selector(where, known, bound, range, filter, known, False, consistent, False)

        def make(values: dict[str, Any]) -> Count:
            selection = select(values, None, max_pages, max_units)
            return Count(selection, pattern=pattern.name, component=component)

        pattern: Pattern[P, Op[int]] = Pattern(
            function,
            "count",
            make,
            declared=Declared(rate, expect, item_size, component, hottest),
            tables=(known.table,),
            entities=(known,),
            key=bound,
            range=range,
            filter=filter,
            consistent=consistent,
            result=int,
        )
        _leading(pattern, bound, range, filter)
        return pattern

    return decorate


def collect(
    view: type[T],
    *,
    key: str = PRIMARY,
    others: Others = "refuse",
    consistent: bool = False,
    newest_first: bool = False,
    max_pages: int | None = None,
    max_units: float | None = None,
    rate: Rate | None = None,
    expect: float | None = None,
    item_size: int | None = None,
    component: str | None = None,
    hottest: float | None = None,
) -> Callable[[Callable[P, None]], Pattern[P, Op[T]]]:
    """A whole partition as one dataclass, whose annotations are the buckets."""
    shape = view_of(view, others)
    owners = tuple(bucket.entity for bucket in shape.buckets)
    bound = _shared_key(view.__name__, owners, key)

    def decorate(function: Callable[P, None]) -> Pattern[P, Op[T]]:
        where = f"pattern {function.__name__}"
        _check_consistent(where, bound, consistent)
        for owner in owners:
            _whole(where, owner, bound)
        partition = tuple(dict.fromkeys(name for part in bound.partition for name in part.fields))

        def make(values: dict[str, Any]) -> Collect[T]:
            selection = Selection(
                table=owners[0].table,
                index=bound.index,
                condition=_partition(bound, values),
                forward=not newest_first,
                consistent=consistent,
                readers=owners,
                max_pages=max_pages,
                max_units=max_units,
                arguments=values,
            )
            return Collect(shape, selection, pattern=pattern.name, component=component)

        pattern: Pattern[P, Op[T]] = Pattern(
            function,
            "collect",
            make,
            declared=Declared(rate, expect, item_size, component, hottest),
            tables=(owners[0].table,),
            entities=owners,
            key=bound,
            consistent=consistent,
            newest_first=newest_first,
            result=view,
        )
        _exactly(pattern, partition)
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
            declared=Declared(rate, expect, item_size, component),
            tables=(known.table,),
            entities=(known,),
            filter=filter,
            consistent=consistent,
            admin=True,
            result=entity,
        )
        _exactly(pattern, () if filter is None else tuple(sorted(filter.parameters())))
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
        _exactly(pattern, counter.__identity__)
        return pattern

    return decorate


# --- what they share ---------------------------------------------------------------------------

_Select = Callable[[dict[str, Any], int | None, int | None, float | None], Selection]


def _selector(
    where: str,
    known: EntityDef[Any],
    bound: BoundKey,
    range: Range | None,
    filter: Condition | None,
    reader: Reader[Any],
    newest_first: bool,
    consistent: bool,
    hydrate: bool,
) -> _Select:
    _check_consistent(where, bound, consistent)
    limits = {} if range is None else range.parameters()
    wanted = None if hydrate else _wanted(known, bound, reader)

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
            forward=not newest_first,
            filter=None if filter is None else filter.bind(values),
            consistent=consistent,
            projection=wanted,
            readers=(reader,),
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


def _partition(bound: BoundKey, values: dict[str, Any]) -> KeyCondition:
    """All of a partition, whatever its sort keys are."""
    return KeyCondition(
        tuple((part.attribute.name, part.encode(values)) for part in bound.partition), None
    )


def _key(known: EntityDef[Any], name: str) -> BoundKey:
    found = known.keys.get(name)
    if found is None:
        raise ModelError(
            f"{known.name} has no key {name!r}; it has {', '.join(map(repr, known.keys))}"
        )
    return found


def _shared_key(view: str, owners: tuple[EntityDef[Any], ...], name: str) -> BoundKey:
    """The key under which all entities of a collection meet in one partition."""
    first = _key(owners[0], name)
    for owner in owners[1:]:
        other = _key(owner, name)
        mine = [part.template.text for part in first.partition]
        theirs = [part.template.text for part in other.partition]
        if first.index is not other.index or mine != theirs:
            raise ModelError(
                f"{view}: {owners[0].name} and {owner.name} do not share a partition under key "
                f"{name!r}: {mine} and {theirs}"
            )
    return first


def _reader(
    where: str,
    known: EntityDef[Any],
    into: type[Projection] | None,
    bound: BoundKey,
    hydrate: bool,
) -> Reader[Any]:
    if into is None:
        if not hydrate:
            _whole(where, known, bound)
        elif bound.index is not None and bound.index.keys_only:
            return KeyReader(known)
        return known
    found = projection(into)
    if found.entity is not known:
        raise ModelError(f"{where}: {found.name} is a projection of {found.entity.name}")
    found.check_index(bound.index, bound, where)
    return found


def _whole(where: str, known: EntityDef[Any], bound: BoundKey) -> None:
    lacking = missing_from(bound.index, known, bound, known.fields)
    if lacking and bound.index is not None:
        raise ModelError(
            f"{where}: index {bound.index.name} does not hold {', '.join(lacking)}, so it cannot "
            f"give whole {known.name} entities; read into= a projection, or use hydrate=True"
        )


def _check_consistent(where: str, bound: BoundKey, consistent: bool) -> None:
    if consistent and bound.index is not None and not bound.index.local:
        raise ModelError(
            f"{where}: a global index cannot be read consistently; "
            "query the table, or drop consistent=True"
        )


def _exactly(pattern: Pattern[Any, Any], fields: tuple[str, ...]) -> None:
    """The parameters are these fields, no more and no less."""
    given = set(pattern.parameters)
    if given != set(fields):
        raise ModelError(
            f"pattern {pattern.name} has the parameters ({', '.join(pattern.parameters)}); "
            f"it needs ({', '.join(fields)})"
        )


def _leading(
    pattern: Pattern[Any, Any], key: BoundKey, range: Range | None, filter: Condition | None
) -> None:
    """The parameters are the partition, then sort components from the left, a range, a filter."""
    given = set(pattern.parameters)
    partition = {name for part in key.partition for name in part.fields}
    sort = [name for part in key.sort for name in part.fields if name not in partition]
    missing = partition - given
    if missing:
        raise ModelError(
            f"pattern {pattern.name} needs the parameter {', '.join(sorted(missing))}: "
            f"the partition of key {key.name!r} is made of it"
        )
    leading = 0
    while leading < len(sort) and sort[leading] in given:
        leading += 1
    rest = given - partition - set(sort[:leading])
    if range is not None:
        _check_range(pattern, key, range, sort, leading)
        rest -= set(range.parameters().values())
    if filter is not None:
        lacking = filter.parameters() - given
        if lacking:
            raise ModelError(
                f"pattern {pattern.name}: its filter uses {', '.join(sorted(lacking))}, "
                "which is not a parameter"
            )
        rest -= filter.parameters()
    if rest:
        raise ModelError(
            f"pattern {pattern.name}: key {key.name!r} has no use for the parameter "
            f"{', '.join(sorted(rest))}; its components are {', '.join(key.fields)}, "
            "given from the left without gaps"
        )


def _check_range(
    pattern: Pattern[Any, Any], key: BoundKey, range: Range, sort: list[str], leading: int
) -> None:
    names = range.parameters()
    lacking = set(names.values()) - set(pattern.parameters)
    if lacking or not names:
        raise ModelError(
            f"pattern {pattern.name}: its range uses {', '.join(sorted(lacking)) or 'nothing'}, "
            "which is not a parameter"
        )
    if leading >= len(sort) or sort[leading] != range.field:
        following = sort[leading] if leading < len(sort) else "nothing"
        raise ModelError(
            f"pattern {pattern.name}: the range is on {range.field}, but the component of key "
            f"{key.name!r} after those given is {following}"
        )
    if len({"ge", "gt"} & names.keys()) == 2 or len({"le", "lt"} & names.keys()) == 2:
        raise ModelError(f"pattern {pattern.name}: a range has one bound on each side")
    if "begins_with" in names and len(names) > 1:
        raise ModelError(f"pattern {pattern.name}: begins_with stands alone in a range")
