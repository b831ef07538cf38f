"""Decorators for patterns with a body: ``@write``, ``@transaction``, ``@batch``.

The body is pure: it gets the arguments and returns ops. Its return annotation is the declaration
that tools read: ``-> Update[Order]``, ``-> tuple[Put[Order], Update[Customer]]``,
``-> list[Get[Order]]``. What a body returns is held to it.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from tablewright.model.definition import EntityDef, definition
from tablewright.model.entity import Entity
from tablewright.model.errors import ModelError
from tablewright.model.ops import (
    Batch,
    Check,
    Delete,
    Get,
    InTransaction,
    Op,
    Put,
    Transaction,
    Update,
)
from tablewright.model.pattern import Declared, Kind, Member, Pattern, Rate

P = ParamSpec("P")
W = TypeVar("W", bound=Put[Any] | Update[Any] | Delete[Any])
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
F = TypeVar("F")
G = TypeVar("G")

_KINDS: dict[type, Kind | str] = {
    Put: "put",
    Update: "update",
    Delete: "delete",
    Check: "check",
    Get: "get",
}


def write(
    *,
    rate: Rate | None = None,
    item_size: int | None = None,
    component: str | None = None,
    hottest: float | None = None,
    idempotent: bool = False,
) -> Callable[[Callable[P, W]], Pattern[P, W]]:
    """One put, update or delete.

    ``idempotent=True`` states for the review that the same call may arrive twice and must count
    once.
    """

    def decorate(function: Callable[P, W]) -> Pattern[P, W]:
        members = _declared(function)
        if len(members) != 1 or members[0].kind not in ("put", "update", "delete"):
            raise ModelError(
                f"pattern {function.__name__}: annotate what it returns as Put[...], Update[...] "
                "or Delete[...]"
            )

        def make(values: dict[str, Any]) -> W:
            op = function(**values)  # type: ignore[call-arg]
            _hold(pattern.name, (op,), members)
            named: W = op.named(pattern.name, component)  # type: ignore[assignment]
            return named

        pattern: Pattern[P, W] = Pattern(
            function,
            members[0].kind,  # type: ignore[arg-type]
            make,
            declared=Declared(rate, 1, item_size, component, hottest, idempotent=idempotent),
            tables=_tables(members),
            entities=_entities(members),
            members=members,
            result=None if members[0].entity is None else members[0].entity.cls,
        )
        return pattern

    return decorate


class _TransactionDecorator:
    """Gives the result of a transaction a type: a tuple with one entry per member."""

    def __init__(self, declared: Declared) -> None:
        self._declared = declared

    @overload
    def __call__(
        self, function: Callable[P, tuple[InTransaction[A]]]
    ) -> Pattern[P, Op[tuple[A]]]: ...
    @overload
    def __call__(
        self, function: Callable[P, tuple[InTransaction[A], InTransaction[B]]]
    ) -> Pattern[P, Op[tuple[A, B]]]: ...
    @overload
    def __call__(
        self, function: Callable[P, tuple[InTransaction[A], InTransaction[B], InTransaction[C]]]
    ) -> Pattern[P, Op[tuple[A, B, C]]]: ...
    @overload
    def __call__(
        self,
        function: Callable[
            P, tuple[InTransaction[A], InTransaction[B], InTransaction[C], InTransaction[D]]
        ],
    ) -> Pattern[P, Op[tuple[A, B, C, D]]]: ...
    @overload
    def __call__(
        self,
        function: Callable[
            P,
            tuple[
                InTransaction[A],
                InTransaction[B],
                InTransaction[C],
                InTransaction[D],
                InTransaction[F],
            ],
        ],
    ) -> Pattern[P, Op[tuple[A, B, C, D, F]]]: ...
    @overload
    def __call__(
        self,
        function: Callable[
            P,
            tuple[
                InTransaction[A],
                InTransaction[B],
                InTransaction[C],
                InTransaction[D],
                InTransaction[F],
                InTransaction[G],
            ],
        ],
    ) -> Pattern[P, Op[tuple[A, B, C, D, F, G]]]: ...
    @overload
    def __call__(
        self, function: Callable[P, Sequence[InTransaction[object]]]
    ) -> Pattern[P, Op[tuple[object, ...]]]: ...
    def __call__(self, function: Callable[P, Sequence[InTransaction[Any]]]) -> Any:
        members = _declared(function)
        name, component = function.__name__, self._declared.component
        _one_direction(name, members)

        def make(values: dict[str, Any]) -> Op[Any]:
            ops = tuple(function(**values))  # type: ignore[call-arg]
            _hold(name, ops, members)
            return Transaction(ops, pattern=name, component=component)

        return Pattern(
            function,
            "transaction",
            make,
            declared=self._declared,
            tables=_tables(members),
            entities=_entities(members),
            members=members,
            consistent=True,
        )


def transaction(
    *,
    rate: Rate | None = None,
    expect: float | None = None,
    item_size: int | None = None,
    component: str | None = None,
    hottest: float | None = None,
    idempotent: bool = False,
) -> _TransactionDecorator:
    """All or nothing: the writes that the body returns, or a consistent read of several gets."""
    return _TransactionDecorator(
        Declared(rate, expect, item_size, component, hottest, idempotent=idempotent)
    )


def batch(
    *,
    rate: Rate | None = None,
    expect: float | None = None,
    item_size: int | None = None,
    component: str | None = None,
) -> Callable[[Callable[P, Sequence[Op[R]]]], Pattern[P, Op[tuple[R, ...]]]]:
    """Many gets, or many puts and deletes, in as few requests as possible; not atomic."""

    def decorate(function: Callable[P, Sequence[Op[R]]]) -> Pattern[P, Op[tuple[R, ...]]]:
        members = _declared(function)

        def make(values: dict[str, Any]) -> Op[tuple[R, ...]]:
            ops = tuple(function(**values))  # type: ignore[call-arg]
            _hold(function.__name__, ops, members)
            return Batch(ops, pattern=function.__name__, component=component)

        return Pattern(
            function,
            "batch",
            make,
            declared=Declared(rate, expect, item_size, component),
            tables=_tables(members),
            entities=_entities(members),
            members=members,
        )

    return decorate


# --- return annotations --------------------------------------------------------------------------


def _declared(function: Callable[..., object]) -> tuple[Member, ...]:
    """The members that the return annotation names."""
    try:
        hint = typing.get_type_hints(function).get("return")
    except NameError as error:
        raise ModelError(
            f"pattern {function.__name__}: its return annotation cannot be read: {error}"
        ) from error
    members = tuple(_members(function.__name__, hint))
    if not members:
        raise ModelError(
            f"pattern {function.__name__}: annotate what it returns, "
            "such as -> tuple[Put[Order], Update[Customer]]"
        )
    return members


def _members(name: str, hint: Any, many: bool = False) -> Iterable[Member]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in _KINDS or hint in _KINDS:
        entity = arguments[0] if arguments else None
        yield Member(_KINDS[origin or hint], _entity(entity), many)
    elif origin in (typing.Union, types.UnionType):
        for each in arguments:
            yield from _members(name, each, many)
    elif origin is typing.Unpack:
        yield from _members(name, arguments[0], many=True)
    elif origin is tuple:
        repeated = len(arguments) == 2 and arguments[1] is Ellipsis
        for each in arguments[:1] if repeated else arguments:
            yield from _members(name, each, many or repeated)
    elif isinstance(origin, type) and issubclass(origin, Iterable):
        for each in arguments:
            yield from _members(name, each, many=True)
    elif hint is not None:
        raise ModelError(
            f"pattern {name}: {hint} is not an op; name Put, Update, Delete, Check or Get"
        )


def _entity(hint: object) -> EntityDef[Any] | None:
    if isinstance(hint, type) and issubclass(hint, Entity) and "__tablewright__" in hint.__dict__:
        return definition(hint)
    entity = getattr(getattr(hint, "__tablewright__", None), "entity", None)
    return entity if isinstance(entity, EntityDef) else None


def _hold(name: str, ops: Sequence[object], members: tuple[Member, ...]) -> None:
    """What the body returned is what the annotation says."""
    allowed = {(member.kind, member.entity) for member in members}
    for op in ops:
        kind = _KINDS.get(type(op))
        entity = _entity_of(op)
        if (kind, entity) not in allowed and (kind, None) not in allowed:
            what = type(op).__name__ if entity is None else f"{type(op).__name__}[{entity.name}]"
            raise ModelError(
                f"pattern {name} returned {what}, which its return annotation does not name"
            )


def _entity_of(op: object) -> EntityDef[Any] | None:
    if isinstance(op, Put):
        return definition(op.entity)
    if isinstance(op, Update | Delete | Check):
        return op.definition
    if isinstance(op, Get):
        found = op.reader
        return found if isinstance(found, EntityDef) else getattr(found, "entity", None)
    return None


def _one_direction(name: str, members: tuple[Member, ...]) -> None:
    reads = {member.kind == "get" for member in members}
    if len(reads) > 1:
        raise ModelError(f"pattern {name}: a transaction is all reads or all writes")


def _tables(members: tuple[Member, ...]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(each.entity.table for each in members if each.entity is not None))


def _entities(members: tuple[Member, ...]) -> tuple[EntityDef[Any], ...]:
    return tuple(dict.fromkeys(each.entity for each in members if each.entity is not None))
