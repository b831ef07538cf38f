"""The change feed: what happened to a table's items, typed, in order, at least once.

``ChangeFeed`` and ``AsyncChangeFeed`` (``feed``) drive one core (``following``), which reads the
shards (``streams``, ``tracks``), makes changes of records (``records``, ``change``) and keeps
checkpoints (``checkpoints``; in a table: ``table_checkpoints``, ``entities``). ``gaps`` says what
happens when changes are lost, ``effects`` makes effects exactly once.
"""

from tablewright.client.feed.change import Change, TypedChange
from tablewright.client.feed.checkpoints import Checkpoints, Claim, MemoryCheckpoints, Position
from tablewright.client.feed.effects import apply_once, once
from tablewright.client.feed.entities import Checkpoint, Consumer, Done, FeedEntities, feed_entities
from tablewright.client.feed.errors import (
    ChangesLost,
    ConsumerReplaced,
    FeedError,
    Gap,
    HandlerFailed,
)
from tablewright.client.feed.feed import AsyncChangeFeed, ChangeFeed
from tablewright.client.feed.records import Decoder, decoder
from tablewright.client.feed.table_checkpoints import TableCheckpoints
from tablewright.client.feed.tracks import Polling

__all__ = [
    "AsyncChangeFeed",
    "Change",
    "ChangeFeed",
    "ChangesLost",
    "Checkpoint",
    "Checkpoints",
    "Claim",
    "Consumer",
    "ConsumerReplaced",
    "Decoder",
    "Done",
    "FeedEntities",
    "FeedError",
    "Gap",
    "HandlerFailed",
    "MemoryCheckpoints",
    "Polling",
    "Position",
    "TableCheckpoints",
    "TypedChange",
    "apply_once",
    "decoder",
    "feed_entities",
    "once",
]
