"""A stream whose shards split and end, and whose requests fail, as the test says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.client.feed.shop import EAGER, app, order

from tablewright.client import Db
from tablewright.client.feed import Checkpoints, MemoryCheckpoints, Polling
from tablewright.client.feed.following import Following
from tablewright.client.feed.gaps import Gaps, OnGap
from tablewright.client.feed.records import decoder
from tablewright.client.feed.streams import Streams
from tablewright.client.transports.wire import Failure, Request, Response
from tablewright.clock import ManualClock
from tablewright.model import definition

ARN = "arn:aws:dynamodb:us-east-1:1:table/Shop/stream/2026-01-01T00:00:00.000"
LISTED = 2  # shards on one page of DescribeStream


@dataclass
class FakeShard:
    id: str
    parent: str | None = None
    records: list[dict[str, Any]] = field(default_factory=list)
    closed: bool = False
    listed: bool = True
    #: Records before this place are gone.
    trimmed: int = 0


class FakeStream:
    """Stands for the service; a transport too."""

    def __init__(self, clock: ManualClock | None = None) -> None:
        self.clock = clock or ManualClock(1_800_000_000.0)
        self.shards: dict[str, FakeShard] = {}
        self.requests: list[tuple[str, dict[str, Any]]] = []
        #: By operation: errors that come instead of the next answers.
        self.failures: dict[str, list[str]] = {}
        #: Pages without a record that come before the next one with some.
        self.empty_pages = 0
        self._sequence = 10**21

    # --- what happens at the table ---------------------------------------------------

    def shard(self, name: str, parent: str | None = None) -> FakeShard:
        """A new shard; its parent is closed."""
        if parent is not None and parent in self.shards:
            self.shards[parent].closed = True
        self.shards[name] = FakeShard(name, parent)
        return self.shards[name]

    def change(self, shard: str, number: int, customer: str = "ada") -> str:
        """An order is placed; the sequence number of the change."""
        entity = order(number, customer)
        item = definition(entity).encode(entity)
        self._sequence += 1
        self.shards[shard].records.append(
            {
                "eventID": f"event-{self._sequence}",
                "eventName": "INSERT",
                "dynamodb": {
                    "ApproximateCreationDateTime": int(self.clock.now()),
                    "Keys": {name: item[name] for name in ("PK", "SK")},
                    "NewImage": item,
                    "SequenceNumber": str(self._sequence),
                },
            }
        )
        return str(self._sequence)

    # --- what clients see --------------------------------------------------------------

    def send(self, request: Request) -> Response:
        body: dict[str, Any] = dict(request.body)
        self.requests.append((request.operation, body))
        waiting = self.failures.get(request.operation)
        if waiting:
            raise Failure(waiting.pop(0), "as the test says")
        answer: Callable[[dict[str, Any]], dict[str, Any]] = getattr(self, f"_{request.operation}")
        return Response(answer(body), 0, 0)

    def close(self) -> None: ...

    def count(self) -> Counter[str]:
        return Counter(operation for operation, _ in self.requests)

    def _DescribeTable(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"Table": {"LatestStreamArn": ARN}}

    def _DescribeStream(self, body: dict[str, Any]) -> dict[str, Any]:
        found = [shard for shard in self.shards.values() if shard.listed]
        start = body.get("ExclusiveStartShardId")
        if start is not None:
            names = [shard.id for shard in found]
            found = found[names.index(start) + 1 :]
        described: dict[str, Any] = {"StreamStatus": "ENABLED", "Shards": []}
        for shard in found[:LISTED]:
            numbers = {"StartingSequenceNumber": "1"}
            if shard.closed:
                numbers["EndingSequenceNumber"] = "2"
            each: dict[str, Any] = {"ShardId": shard.id, "SequenceNumberRange": numbers}
            if shard.parent is not None:
                each["ParentShardId"] = shard.parent
            described["Shards"].append(each)
        if len(found) > LISTED:
            described["LastEvaluatedShardId"] = found[LISTED - 1].id
        return {"StreamDescription": described}

    def _GetShardIterator(self, body: dict[str, Any]) -> dict[str, Any]:
        shard = self._listed(body["ShardId"])
        kind, place = body["ShardIteratorType"], shard.trimmed
        if kind == "LATEST":
            place = len(shard.records)
        elif kind == "AFTER_SEQUENCE_NUMBER":
            sequences = [each["dynamodb"]["SequenceNumber"] for each in shard.records]
            place = sequences.index(body["SequenceNumber"]) + 1
            if place <= shard.trimmed:
                raise Failure("TrimmedDataAccessException", "trimmed")
        return {"ShardIterator": f"{shard.id}/{place}"}

    def _GetRecords(self, body: dict[str, Any]) -> dict[str, Any]:
        name, _, text = body["ShardIterator"].rpartition("/")
        shard, place = self._listed(name), int(text)
        if place < shard.trimmed:
            raise Failure("TrimmedDataAccessException", "trimmed")
        if self.empty_pages:
            self.empty_pages -= 1
            return {"Records": [], "NextShardIterator": body["ShardIterator"]}
        end = place + body["Limit"]
        answer: dict[str, Any] = {"Records": shard.records[place:end]}
        if not shard.closed or end < len(shard.records):
            answer["NextShardIterator"] = f"{name}/{min(end, len(shard.records))}"
        return answer

    def _listed(self, name: str) -> FakeShard:
        if not self.shards[name].listed:
            raise Failure("ResourceNotFoundException", "no such shard")
        return self.shards[name]


class Reader:
    """A feed of a fake stream, on a timer that moves only with its own waits."""

    def __init__(
        self,
        stream: FakeStream,
        checkpoints: Checkpoints | None = None,
        polling: Polling = EAGER,
        on_gap: OnGap = "raise",
        start: Any = "oldest",
    ) -> None:
        self.now = 1000.0
        self.db = Db(stream, clock=stream.clock)
        self.following = Following(
            Streams(self.db.context, app),
            decoder(app),
            checkpoints or MemoryCheckpoints(),
            Gaps("tests", app.name, on_gap),
            start,
            polling,
            lambda: self.now,
        )

    def poll(self) -> list[str]:
        """The numbers of the orders that the next page tells of."""
        return [change.new.order_id for change in self.db.drive(self.following.poll())]

    def commit(self) -> None:
        self.db.drive(self.following.commit())

    def drain(self, commit: bool = True) -> list[str]:
        found: list[str] = []
        empty = 0
        while empty < 4:
            page = self.poll()
            found += page
            if commit:
                self.commit()
            empty = 0 if page else empty + 1
            self.now += self.following.idle()
        return found
