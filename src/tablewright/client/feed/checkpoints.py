"""Checkpoints: how far a consumer came, kept where it survives the consumer.

Theory of operation. A start *claims* the consumer's name and gets a generation, one higher than
any before. It then *opens* the shards: every checkpoint that is not done is taken over into the
new generation, and its position read, in one write. From then on a commit of an earlier start
fails, because a checkpoint is only written by the generation that owns it, and a new one is only
created while the consumer's own generation is still the latest. A commit that got in before is
not lost: the position is read by the write that shuts the others out.

All methods are flows (see :mod:`tablewright.client.steps`), which the feed's own ``Db`` or
``AsyncDb`` drives. A store that needs neither need not yield anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Protocol

from tablewright.client.context import Context
from tablewright.client.feed.errors import ConsumerReplaced
from tablewright.client.steps import Flow


@dataclass(frozen=True)
class Position:
    """A place in a shard. Without anything said, it is the oldest record."""

    #: After the record with this number.
    sequence: str | None = None
    #: At the first record that is not older than this (seconds since the epoch).
    since: float | None = None
    #: The shard is closed, and its last record is handled.
    done: bool = False


@dataclass(frozen=True)
class Claim:
    """One start of a consumer, and what earlier starts left."""

    consumer: str
    generation: int
    #: The stream that is read; None if no start was ever complete.
    stream: str | None = None
    #: Every change up to this moment is handled (seconds since the epoch).
    seen_at: float | None = None


class Checkpoints(Protocol):
    """A store of checkpoints. Writes of a claim that is not the latest raise ConsumerReplaced."""

    def claim(self, context: Context, consumer: str) -> Flow[Claim]:
        """Start under this name; whoever did so before is shut out."""
        ...

    def open(
        self, context: Context, claim: Claim, shards: Iterable[str]
    ) -> Flow[Mapping[str, Position]]:
        """Take over the checkpoints that these shards have; others are not in the result."""
        ...

    def create(self, context: Context, claim: Claim, shard: str, position: Position) -> Flow[None]:
        """The first checkpoint of a shard."""
        ...

    def save(self, context: Context, claim: Claim, shard: str, position: Position) -> Flow[None]:
        """Everything up to here is handled."""
        ...

    def note(
        self, context: Context, claim: Claim, stream: str, seen_at: float | None
    ) -> Flow[None]:
        """Which stream is read, and that all its changes up to this moment are handled."""
        ...

    def forget(self, context: Context, claim: Claim, shards: Iterable[str]) -> Flow[None]:
        """These shards are done and gone."""
        ...


class MemoryCheckpoints:
    """Checkpoints that end with the process: for tests, and for feeds that always start anew."""

    def __init__(self) -> None:
        self._consumers: dict[str, Claim] = {}
        self._positions: dict[tuple[str, str], Position] = {}
        self._lock = Lock()

    def claim(self, context: Context, consumer: str) -> Flow[Claim]:
        yield from ()
        with self._lock:
            last = self._consumers.get(consumer, Claim(consumer, 0))
            latest = replace(last, generation=last.generation + 1)
            self._consumers[consumer] = latest
            return latest

    def open(
        self, context: Context, claim: Claim, shards: Iterable[str]
    ) -> Flow[Mapping[str, Position]]:
        yield from ()
        with self._lock:
            self._check(claim)
            wanted = [(claim.consumer, shard) for shard in shards]
            return {key[1]: self._positions[key] for key in wanted if key in self._positions}

    def create(self, context: Context, claim: Claim, shard: str, position: Position) -> Flow[None]:
        yield from self.save(context, claim, shard, position)

    def save(self, context: Context, claim: Claim, shard: str, position: Position) -> Flow[None]:
        yield from ()
        with self._lock:
            self._check(claim)
            self._positions[claim.consumer, shard] = position

    def note(
        self, context: Context, claim: Claim, stream: str, seen_at: float | None
    ) -> Flow[None]:
        yield from ()
        with self._lock:
            self._check(claim)
            self._consumers[claim.consumer] = replace(claim, stream=stream, seen_at=seen_at)

    def forget(self, context: Context, claim: Claim, shards: Iterable[str]) -> Flow[None]:
        yield from ()
        with self._lock:
            self._check(claim)
            for shard in shards:
                self._positions.pop((claim.consumer, shard), None)

    def _check(self, claim: Claim) -> None:
        if self._consumers[claim.consumer].generation != claim.generation:
            raise ConsumerReplaced(claim.consumer, claim.generation)
