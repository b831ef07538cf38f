"""The fold: counts the records of organisations whose ``write_mode`` is ``stream``.

Their rows are put one by one, and come out of the ledger's stream in order, shard by shard. What a
piece of a shard adds to counters and how far the shard has been folded are one transaction, on
condition that the shard had been folded exactly up to the piece before: a piece counts once,
whoever folds it how often. Rows that were counted with their flush are passed over.

A stream keeps its records for 24 hours. If the fold stood still for longer, ``reconcile --fix``
counts what it has missed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import orjson

from tablewright.client.context import Context
from tablewright.client.feed import Change, Claim, ConsumerReplaced, Decoder, Gap, Polling, Position
from tablewright.client.feed.following import Following
from tablewright.client.feed.gaps import Gaps
from tablewright.client.feed.streams import Streams
from tablewright.client.flows import flow_of
from tablewright.client.steps import Flow
from tablewright.model import shard_of
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.workers import Worker
from tablewright.systems.pricekeeper.reads import stream_checkpoint
from tablewright.systems.pricekeeper.recording import fold
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.rows import UsageId, sums_of, usage_id
from tablewright.systems.pricekeeper.service.ledger.scanning import bookkeeping
from tablewright.systems.pricekeeper.service.recording.group import MAX_ACTIONS, counter
from tablewright.systems.pricekeeper.service.recording.markers import FLUSH_SECS
from tablewright.systems.pricekeeper.spend import Ledger, StreamCheckpoint, UsageCounter
from tablewright.systems.pricekeeper.spend import ledger as table

if TYPE_CHECKING:
    from tablewright.service.workers import Held
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger("tablewright.pricekeeper")

NAME = "fold"
EVERY_SECS = 15.0
#: Longer than a stream keeps what a checkpoint points to.
_KEPT = timedelta(days=3)
#: A shard that gives nothing is asked again so soon: a page may be empty in between.
_PAUSE_SECS = 0.3
#: Pages are small, because an engine in this process answers nobody else while it reads one.
#: ``refresh`` is how far a restart may have to go back where no record is the fold's.
_POLLING = Polling(page=250, refresh=60.0)


def worker(keeper: Keeper) -> Worker:
    """Folds what has come, every 15 seconds."""
    return Worker(NAME, EVERY_SECS, Fold(keeper).run)


class Fold:
    """The fold of one process, as long as it holds the lease."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._following: _Folding | None = None
        metrics = keeper.runtime.metrics
        self._folded = metrics.counter(
            "pricekeeper_folded_records", "Records that were counted from the ledger's stream."
        )
        self._lost = metrics.counter(
            "pricekeeper_fold_gaps", "Times that the stream had dropped records before the fold."
        )

    async def run(self, held: Held) -> None:
        """Count all that is in the stream now."""
        folding = self._following
        if folding is None or folding.fence != held.fence:
            folding = self._following = self._started(held.fence)
        try:
            await self._catch_up(folding)
        except BaseException:
            # Whatever went wrong, the checkpoints know how far it came.
            self._following = None
            raise

    async def _catch_up(self, folding: _Folding) -> None:
        db, following = self._keeper.db, folding.following
        while True:
            changes = await db.drive(following.poll())
            if changes:
                await self._fold(folding, changes)
                # A page is read at once where the engine is near: let others have a turn.
                await asyncio.sleep(0)
            elif (pause := following.idle()) > _PAUSE_SECS:
                return
            else:
                await asyncio.sleep(pause)

    async def _fold(self, folding: _Folding, changes: Sequence[Change]) -> None:
        """Count one page; in several pieces if it has more counts than a transaction holds."""
        for piece in _pieces(changes):
            rows = [change.new for change in piece]
            folding.checkpoints.counts = await self._counts(rows, piece[0].shard)
            async with asyncio.timeout(FLUSH_SECS):
                await self._keeper.db.drive(folding.following.commit(piece[-1]))
            self._folded.inc(len(rows))

    async def _counts(self, rows: Sequence[Ledger], shard: str) -> list[UsageCounter]:
        now = self._keeper.now()
        sums = sums_of(rows)
        accounts: dict[UsageId, Account] = {}
        for key in sums:
            account = await bookkeeping(self._keeper, key.org_id, key.app_id)
            if account is not None:
                accounts[key] = account
        shards = await self._keeper.recorder.markers.shards(accounts)
        return [
            counter(account, key, sums[key], shard_of(shard, shards[key]), now)
            for key, account in accounts.items()
        ]

    def _started(self, fence: int) -> _Folding:
        context = self._keeper.db.context
        checkpoints = FoldCheckpoints()
        following = Following(
            Streams(context, table, NAME),
            OnlyStreamed(table),
            checkpoints,
            Gaps(NAME, table.name, self._note_gap),
            "oldest",
            _POLLING,
        )
        return _Folding(fence, following, checkpoints)

    def _note_gap(self, gap: Gap) -> None:
        self._lost.inc()
        log.error("%s. Run `tablewright pricekeeper reconcile --fix` to count them.", gap)


@dataclass
class _Folding:
    """One start of the fold."""

    fence: int
    following: Following
    checkpoints: FoldCheckpoints


#: What stands in the text of a row that the fold has to count.
_MINE = b'"mode":{"S":"S"}'


class OnlyStreamed(Decoder):
    """Passes over everything but new rows that the fold has to count, before decoding it."""

    def read(self, text: bytes) -> Any:
        """Without keys and images if it is surely not the fold's, as nearly all."""
        end = -1 if _MINE in text else text.find(b',"Keys":')
        return orjson.loads(text if end < 0 else text[:end] + b"}")

    def change(self, record: Mapping[str, Any], shard: str = "") -> Change | None:
        image = record["dynamodb"].get("NewImage") or {}
        if record["eventName"] != "INSERT" or image.get("mode") != {"S": "S"}:
            return None
        return super().change(record, shard)


def _pieces(changes: Sequence[Change]) -> Iterable[Sequence[Change]]:
    """Changes in order, cut where a transaction has no room for another count."""
    start, counts = 0, set[UsageId]()
    for place, change in enumerate(changes):
        counts.add(usage_id(change.new))
        # One action is the checkpoint's.
        if len(counts) >= MAX_ACTIONS:
            yield changes[start:place]
            start, counts = place, {usage_id(change.new)}
    yield changes[start:]


class FoldCheckpoints:
    """How far each shard has been folded; a checkpoint is saved with what it has counted."""

    def __init__(self) -> None:
        #: What the next checkpoint counts.
        self.counts: list[UsageCounter] = []
        self._sequences: dict[str, str] = {}

    def claim(self, context: Context, consumer: str) -> Flow[Claim]:
        """Nothing to claim: the lease, and the condition of each checkpoint, keep others out."""
        yield from ()
        return Claim(consumer, 1)

    def open(
        self, context: Context, claim: Claim, shards: Iterable[str]
    ) -> Flow[Mapping[str, Position]]:
        found: dict[str, Position] = {}
        for shard in shards:
            stored = yield from flow_of(context, stream_checkpoint(shard))
            if stored is not None:
                self._sequences[shard] = stored.sequence
                found[shard] = Position(stored.sequence)
        return found

    def create(self, context: Context, claim: Claim, shard: str, position: Position) -> Flow[None]:
        """Nothing has been folded yet."""
        yield from ()

    def save(self, context: Context, claim: Claim, shard: str, position: Position) -> Flow[None]:
        before = self._sequences.get(shard)
        sequence = position.sequence
        if sequence is None or (sequence == before and not self.counts):
            return
        expires = datetime.fromtimestamp(context.clock.now(), UTC) + _KEPT
        made = StreamCheckpoint(shard_id=shard, sequence=sequence, expires_at_epoch=expires)
        try:
            yield from flow_of(context, fold(made, before, self.counts))
        except TransactionCancelled as cancelled:
            first = cancelled.failures[0] if cancelled.failures else None
            if first and first.position == 0 and isinstance(first.error, ConditionFailed):
                raise ConsumerReplaced(claim.consumer, claim.generation) from cancelled
            raise
        self._sequences[shard] = sequence
        self.counts = []

    def note(
        self, context: Context, claim: Claim, stream: str, seen_at: float | None
    ) -> Flow[None]:
        """A stream that follows another begins with its own shards."""
        yield from ()

    def forget(self, context: Context, claim: Claim, shards: Iterable[str]) -> Flow[None]:
        """Checkpoints end by themselves."""
        yield from ()
