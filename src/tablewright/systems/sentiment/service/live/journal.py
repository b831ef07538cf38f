"""Events, written together with how far the changes are read.

One transaction holds the events of some changes and the checkpoint behind those changes. So each
change makes its events once, whoever reads it how often: after a crash, either both are there or
neither is. Only the latest start of the reader can write (its generation is a condition), so events
are numbered without gaps, in the order in which they were written.
"""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.client.context import Context
from tablewright.client.feed import Claim, ConsumerReplaced, Position, TableCheckpoints
from tablewright.client.flows import flow_of
from tablewright.client.steps import Flow
from tablewright.model import Put, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.kit import kit
from tablewright.service.kit.entities import FeedEntry


class Journal(TableCheckpoints):
    """The checkpoints of the reader, each with the events that led up to it."""

    def __init__(self) -> None:
        super().__init__(kit, component="live")
        self._entries: tuple[Put[FeedEntry], ...] = ()
        self._saved: tuple[Claim, str, Position] | None = None

    def add(self, entries: Sequence[Put[FeedEntry]]) -> None:
        """To be written with the next checkpoint."""
        self._entries += tuple(entries)

    def save(self, context: Context, claim: Claim, shard: str, position: Position) -> Flow[None]:
        if self._entries:
            yield from self._written(context, claim, shard, position)
        else:
            yield from super().save(context, claim, shard, position)
        self._saved = claim, shard, position

    def flush(self, context: Context) -> Flow[bool]:
        """Write events that belong to no new checkpoint, with the last one; if there was one."""
        if self._saved is not None:
            yield from self._written(context, *self._saved)
        return self._saved is not None

    def _written(
        self, context: Context, claim: Claim, shard: str, position: Position
    ) -> Flow[None]:
        saved = self.saving(claim, shard, position).named("live_events", "live")
        entries, self._entries = self._entries, ()
        try:
            yield from flow_of(context, together(saved, *entries))
        except TransactionCancelled as cancelled:
            first = cancelled.failures[0] if cancelled.failures else None
            if first and first.position == 0 and isinstance(first.error, ConditionFailed):
                raise ConsumerReplaced(claim.consumer, claim.generation) from cancelled
            raise
