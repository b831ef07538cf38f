"""What a pattern with a body may do beyond what its return annotation says.

The annotation says ``Update[Customer]``; whether that is an upsert, or changes a unique field and
with it two locks, stands in the body. The body is read in two ways: by the words in its code,
which cover every branch of it, and by its demo call, which covers the functions it calls. Where
there is no call, everything that could be is assumed.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from tablewright.model.definition import EntityDef, definition
from tablewright.model.ops import Batch, Delete, Op, Put, Transaction, Update
from tablewright.model.pattern import Pattern
from tablewright.model.unique import UniqueDef
from tablewright.model.writes.locks import touched_uniques


@dataclass(frozen=True)
class Body:
    """The body of one pattern."""

    words: frozenset[str]
    #: The ops of the demo call; None if there is none.
    ops: tuple[object, ...] | None

    def upserts(self, entity: EntityDef[Any]) -> bool:
        """Whether an update may have to create the entity."""
        if self.ops is None or self.words & {"upsert", "increment"}:
            return True
        return any(op.create for op in self._updates(entity))

    def sweeps(self, entity: EntityDef[Any]) -> bool:
        """Whether an upsert may first delete what has ended."""
        if self.ops is None or "anew" not in self.words:
            return self.upserts(entity)
        return any(op.create and op.anew for op in self._updates(entity))

    def reads_back(self, entity: EntityDef[Any]) -> bool:
        """Whether an update may go as a transaction, after which its result is read."""
        if self.ops is None or "exactly_once" in self.words:
            return True
        return any(op.once for op in self._updates(entity))

    def touched(self, entity: EntityDef[Any]) -> tuple[UniqueDef, ...]:
        """The constraints whose fields an update may change."""
        if self.ops is None or (entity.ttl is not None and entity.ttl.name in self.words):
            return entity.uniques
        called = {each for op in self._updates(entity) for each in touched_uniques(op)}
        return tuple(
            each
            for each in entity.uniques
            if each in called or not self.words.isdisjoint(each.fields)
        )

    def only_creates(self, entity: EntityDef[Any]) -> bool:
        """Whether every put is of an entity that is not there yet."""
        if self.ops is None:
            return False
        puts = [op for op in self.ops if isinstance(op, Put) and definition(op.entity) is entity]
        return bool(puts) and all(op.mode == "new" for op in puts)

    def _updates(self, entity: EntityDef[Any]) -> Iterator[Update[Any]]:
        for op in self.ops or ():
            if isinstance(op, Update) and op.definition is entity:
                yield op


def body_of(pattern: Pattern[..., Any], call: Op[Any] | None) -> Body:
    """What is known about the body of a pattern."""
    return Body(words_in(pattern.__wrapped__), None if call is None else members_of(call))


def members_of(op: Op[Any]) -> tuple[object, ...]:
    """The ops of a transaction or batch, or the one op."""
    return op.members if isinstance(op, Transaction | Batch) else (op,)


def entity_of(op: object) -> EntityDef[Any] | None:
    """The entity that an op of a body is about."""
    if isinstance(op, Put):
        return definition(op.entity)
    if isinstance(op, Update | Delete):
        return op.definition
    found = getattr(op, "definition", None) or getattr(op, "reader", None)
    return found if isinstance(found, EntityDef) else getattr(found, "entity", None)


def words_in(function: object) -> frozenset[str]:
    """Every name that the code of a function mentions, nested functions included."""
    code = getattr(inspect.unwrap(function), "__code__", None)  # type: ignore[arg-type]
    return frozenset() if code is None else frozenset(_words(code))


def _words(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _words(constant)
        elif isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple):
            yield from (each for each in constant if isinstance(each, str))
