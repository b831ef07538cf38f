"""Flows of the requests to DynamoDB Streams: which stream, which shards, which records.

The errors that a feed does something about have classes of their own here; whatever it leaves is
still a :class:`ServiceError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.client.attempts import Body, Call, backoff, send
from tablewright.client.context import Context
from tablewright.client.feed.checkpoints import Position
from tablewright.client.steps import Flow, Pause
from tablewright.client.transports.wire import Failure, Read
from tablewright.model.errors import RequestError, ServiceError
from tablewright.model.table import Table


class Trimmed(ServiceError):
    """What was asked for is past the 24 hours that a stream keeps."""


class Gone(ServiceError):
    """There is no such table, stream or shard any more."""


class IteratorExpired(ServiceError):
    """An iterator is good for 15 minutes."""


class TooFast(ServiceError):
    """More reads than the shard allows."""


_SIGNALS: dict[str, type[ServiceError]] = {
    "TrimmedDataAccessException": Trimmed,
    "ResourceNotFoundException": Gone,
    "ExpiredIteratorException": IteratorExpired,
    "LimitExceededException": TooFast,
}
_TOO_FAST = "LimitExceededException"
#: Attempts of a request that is refused as one too many. Reads of records are not held up here:
#: other shards can be read meanwhile.
_PATIENCE = 8


@dataclass(frozen=True)
class Shard:
    """One shard as the service lists it."""

    id: str
    parent: str | None
    #: No record will be added to it.
    closed: bool


@dataclass(frozen=True)
class Listing:
    """The shards of a stream at some moment."""

    shards: tuple[Shard, ...]
    #: Nothing will be added to any shard: the stream was switched off.
    ended: bool


@dataclass(frozen=True)
class RecordPage:
    records: list[Mapping[str, Any]]
    #: None at the end of a closed shard.
    next: str | None


@dataclass(frozen=True)
class Streams:
    """The requests about the streams of one table."""

    context: Context
    table: Table
    component: str | None = None

    def latest(self) -> Flow[str]:
        """The stream that the table has now."""
        name = self.context.physical(self.table.name)
        try:
            body = yield from self._ask("DescribeTable", {"TableName": name})
        except Gone:
            raise RequestError(f"there is no table {name}: create it first") from None
        arn: str | None = body["Table"].get("LatestStreamArn")
        if arn is None:
            raise RequestError(
                f"table {self.table.name} has no stream: declare it with "
                'stream="NEW_AND_OLD_IMAGES" and switch the stream on'
            )
        return arn

    def following(self, arn: str) -> Flow[str | None]:
        """The stream that the table had next, after this one was switched off."""
        asked: Body = {"TableName": self.context.physical(self.table.name)}
        later: list[str] = []
        while True:
            body = yield from self._ask("ListStreams", dict(asked))
            found = (each["StreamArn"] for each in body.get("Streams", ()))
            later += (each for each in found if _label(each) > _label(arn))
            if "LastEvaluatedStreamArn" not in body:
                return min(later, key=_label, default=None)
            asked["ExclusiveStartStreamArn"] = body["LastEvaluatedStreamArn"]

    def has(self, arn: str) -> bool:
        """Whether a stream is this table's: what was restored may remember another table's."""
        table = arn.partition(":table/")[2].partition("/")[0]
        return table == self.context.physical(self.table.name)

    def listing(self, arn: str) -> Flow[Listing]:
        """All shards; raises :class:`Gone` if the stream is."""
        asked: Body = {"StreamArn": arn}
        shards: list[Shard] = []
        while True:
            body = yield from self._ask("DescribeStream", dict(asked))
            described = body["StreamDescription"]
            for each in described.get("Shards", ()):
                closed = "EndingSequenceNumber" in each.get("SequenceNumberRange", {})
                shards.append(Shard(each["ShardId"], each.get("ParentShardId"), closed))
            if "LastEvaluatedShardId" not in described:
                return Listing(tuple(shards), described.get("StreamStatus") == "DISABLED")
            asked["ExclusiveStartShardId"] = described["LastEvaluatedShardId"]

    def iterator(self, arn: str, shard: str, position: Position) -> Flow[str]:
        """An iterator at a position that is not done."""
        asked: Body = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        if position.sequence is not None:
            asked["ShardIteratorType"] = "AFTER_SEQUENCE_NUMBER"
            asked["SequenceNumber"] = position.sequence
        return (yield from self._iterator(asked))

    def newest(self, arn: str, shard: str) -> Flow[str]:
        """An iterator after everything that is there now."""
        asked: Body = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "LATEST"}
        return (yield from self._iterator(asked))

    def _iterator(self, asked: Body) -> Flow[str]:
        body = yield from self._ask("GetShardIterator", asked)
        iterator: str = body["ShardIterator"]
        return iterator

    def records(self, iterator: str, limit: int, read: Read | None = None) -> Flow[RecordPage]:
        asked: Body = {"ShardIterator": iterator, "Limit": limit}
        body = yield from self._ask("GetRecords", asked, read)
        return RecordPage(body.get("Records", []), body.get("NextShardIterator"))

    def _ask(self, operation: str, body: Body, read: Read | None = None) -> Flow[dict[str, Any]]:
        call = Call("feed", self.component, self.table.name)
        for attempt in range(1, _PATIENCE + 1):
            try:
                response = yield from send(self.context, call, operation, body, read=read)
            except Failure as failure:
                if failure.code == _TOO_FAST and operation != "GetRecords" and attempt < _PATIENCE:
                    yield Pause(backoff(self.context, attempt))
                    continue
                signal = _SIGNALS.get(failure.code, ServiceError)
                raise signal(failure.code, failure.message, failure.status) from None
            return response.body
        raise AssertionError("the loop returns or raises")


def _label(arn: str) -> str:
    """The moment a stream was switched on, which is the last part of its name."""
    return arn.rpartition("/")[2]
