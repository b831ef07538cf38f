"""Checkpoints in a table: one item for the consumer, one for each shard.

A commit is one conditional write of one small item. See :mod:`checkpoints` for why that is enough
to shut out an earlier start of the same consumer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from tablewright.client.context import Context
from tablewright.client.feed.checkpoints import Claim, Position
from tablewright.client.feed.entities import Checkpoint, feed_entities
from tablewright.client.feed.errors import ConsumerReplaced
from tablewright.client.flows import flow_of
from tablewright.client.steps import Flow
from tablewright.model.definition import definition
from tablewright.model.entity import Entity
from tablewright.model.errors import (
    BatchIncomplete,
    ConditionFailed,
    OutcomeUnknown,
    Throttled,
    TransactionCancelled,
)
from tablewright.model.expressions.attributes import attr
from tablewright.model.making import check, delete, put, update
from tablewright.model.ops import Batch, Get, Op, Transaction, Update
from tablewright.model.table import Table

E = TypeVar("E", bound=Entity)
R = TypeVar("R")

#: Starts of one consumer at the very same time that are waited out.
_RIVALS = 20


class TableCheckpoints:
    """Checkpoints as entities of ``table``, read and written by the feed's own ``db``.

    Any table of the model with texts as keys will do, the one that is consumed too. Make it (or
    call :func:`feed_entities`) where the model is declared, so that the model is complete.
    """

    def __init__(self, table: Table, *, component: str | None = None) -> None:
        self.table = table
        self._component = component
        entities = feed_entities(table)
        self._consumer = entities.consumer
        self._checkpoint = entities.checkpoint

    def claim(self, context: Context, consumer: str) -> Flow[Claim]:
        kept = self._consumer
        for _ in range(_RIVALS):
            found = yield from self._run(context, "claim", _get(kept, consumer))
            generation = 1 if found is None else found.generation + 1
            # Not an update that counts: what it gives after a retry may be somebody else's number.
            op: Op[Any] = put(kept(consumer=consumer, generation=generation)).new()
            if found is not None:
                op = (
                    update(kept, consumer)
                    .do(attr(kept.generation).set(generation))
                    .when(attr(kept.generation) == found.generation)
                )
            try:
                yield from self._run(context, "claim", op)
            except (ConditionFailed, OutcomeUnknown):
                # If it happened after all, a number is left out, which harms nobody.
                continue
            if found is None:
                return Claim(consumer, generation)
            return Claim(consumer, generation, found.stream, _seconds(found.seen_at))
        raise Throttled(f"consumer {consumer!r} is being started by others all the time")

    def seen(self, context: Context, consumer: str) -> Flow[float | None]:
        """Up to which moment a consumer has handled every change, as it last said; for others."""
        found = yield from self._run(context, "seen", _get(self._consumer, consumer))
        return None if found is None else _seconds(found.seen_at)

    def open(
        self, context: Context, claim: Claim, shards: Iterable[str]
    ) -> Flow[Mapping[str, Position]]:
        kept = self._checkpoint
        gets = tuple(_get(kept, claim.consumer, shard) for shard in shards)
        positions: dict[str, Position] = {}
        for found in (yield from self._run(context, "open", Batch(gets))):
            if found is None:
                continue
            # What is done stays so, whoever said it; the rest is taken over.
            taken = found if found.done else (yield from self._take(context, claim, found.shard))
            positions[taken.shard] = _position(taken)
        return positions

    def _take(self, context: Context, claim: Claim, shard: str) -> Flow[Checkpoint]:
        kept = self._checkpoint
        op = (
            update(kept, claim.consumer, shard)
            .do(attr(kept.generation).set(claim.generation))
            .when(attr(kept.generation) <= claim.generation)
        )
        return (yield from self._guarded(context, claim, "open", op))

    def create(self, context: Context, claim: Claim, shard: str, position: Position) -> Flow[None]:
        owned = self._consumer
        made = self._checkpoint(
            consumer=claim.consumer,
            shard=shard,
            generation=claim.generation,
            sequence=position.sequence,
            since=_moment(position.since),
            done=position.done,
        )
        latest = check(owned, claim.consumer).when(attr(owned.generation) == claim.generation)
        try:
            yield from self._run(context, "create", Transaction[Any]((latest, put(made))))
        except TransactionCancelled as cancelled:
            if any(isinstance(each.error, ConditionFailed) for each in cancelled.failures):
                raise ConsumerReplaced(claim.consumer, claim.generation) from cancelled
            raise

    def save(self, context: Context, claim: Claim, shard: str, position: Position) -> Flow[None]:
        yield from self._guarded(context, claim, "commit", self.saving(claim, shard, position))

    def saving(self, claim: Claim, shard: str, position: Position) -> Update[Checkpoint]:
        """What :meth:`save` writes, for who writes more with it."""
        kept = self._checkpoint
        return (
            update(kept, claim.consumer, shard)
            .do(
                attr(kept.sequence).set(position.sequence),
                attr(kept.since).set(_moment(position.since)),
                attr(kept.done).set(position.done),
            )
            .when(attr(kept.generation) == claim.generation)
        )

    def note(
        self, context: Context, claim: Claim, stream: str, seen_at: float | None
    ) -> Flow[None]:
        kept = self._consumer
        op = (
            update(kept, claim.consumer)
            .do(attr(kept.stream).set(stream), attr(kept.seen_at).set(_moment(seen_at)))
            .when(attr(kept.generation) == claim.generation)
        )
        yield from self._guarded(context, claim, "note", op)

    def forget(self, context: Context, claim: Claim, shards: Iterable[str]) -> Flow[None]:
        ops = tuple(delete(self._checkpoint, claim.consumer, shard) for shard in shards)
        try:
            yield from self._run(context, "forget", Batch(ops))
        except BatchIncomplete:
            # Tidying up: what is left costs a few bytes and is never read again.
            return

    def _guarded(self, context: Context, claim: Claim, name: str, op: Update[E]) -> Flow[E]:
        """A write that only the latest start may do.

        It sets the same values whenever it is repeated, so an open outcome is no reason to stop.
        """
        for last in (False, True):
            try:
                return (yield from self._run(context, name, op))
            except OutcomeUnknown:
                if last:
                    raise
            except ConditionFailed as failed:
                raise ConsumerReplaced(claim.consumer, claim.generation) from failed
        raise AssertionError("the loop returns or raises")

    def _run(self, context: Context, name: str, op: Op[R]) -> Flow[R]:
        return (yield from flow_of(context, op.named(f"feed_{name}", self._component)))


def _get(entity: type[E], *key: object) -> Get[E]:
    known = definition(entity)
    return Get(known, known.primary.encode(known.identity(key, {})), consistent=True)


def _position(kept: Checkpoint) -> Position:
    return Position(kept.sequence, _seconds(kept.since), kept.done)


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
