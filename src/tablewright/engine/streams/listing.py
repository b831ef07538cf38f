"""Change streams, the reading side: which streams and shards there are, and for how long.

The records themselves are read in ``reading``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from tablewright.engine.errors import not_found, validation
from tablewright.engine.handler import Request, Response
from tablewright.engine.streams import recording as streams

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


MAX_LISTED = 100
#: How often records that are too old are removed.
PRUNE_SECONDS = 60.0

#: Added to the stored sequence, because the service's numbers have at least 21 digits.
FIRST_SEQUENCE = 10**20
_ARN = re.compile(
    r"arn:[^:]+:dynamodb:[^:]*:[^:]*:table/[a-zA-Z0-9_.-]+/stream/[0-9T:.+-]+"
).fullmatch


class Stream(NamedTuple):
    """One stream as it is kept."""

    number: int
    body: dict[str, Any]

    @property
    def arn(self) -> str:
        arn: str = self.body["StreamArn"]
        return arn

    @property
    def starts(self) -> int:
        starts: int = self.body["starts"]
        return starts

    @property
    def is_closed(self) -> bool:
        return "closed" in self.body

    def shard_ids(self) -> list[str]:
        milliseconds = int(self.body["CreationRequestDateTime"] * 1000)
        first = self.number * streams.SHARDS
        return [
            f"shardId-{milliseconds:020d}-{shard:08x}"
            for shard in range(first, first + streams.SHARDS)
        ]

    def shard(self, shard_id: str) -> int:
        """The number of the shard of that id."""
        ids = self.shard_ids()
        if shard_id not in ids:
            raise not_found(
                f"Requested resource not found: Shard: {shard_id} in Stream: {self.arn} not found"
            )
        return self.number * streams.SHARDS + ids.index(shard_id)


# --- which streams there are -------------------------------------------------------------


def list_streams(engine: Engine, request: Request, shape: object) -> Response:
    limit = check_limit(request, MAX_LISTED)
    start = request.get("ExclusiveStartStreamArn")
    if start is not None:
        _check_arn(start)
    name = request.get("TableName")
    found: list[Request] = []
    for number, blob in engine.store.rows(
        "SELECT number, body FROM streams WHERE arn > ? ORDER BY arn", (start or "",)
    ):
        stream = Stream(number, orjson.loads(blob))
        if name in (None, stream.body["TableName"]) and not _is_gone(engine, stream):
            found.append(
                {key: stream.body[key] for key in ("StreamArn", "TableName", "StreamLabel")}
            )
            if len(found) > limit:
                break
    answer: Response = {"Streams": found[:limit]}
    if len(found) > limit:
        answer["LastEvaluatedStreamArn"] = found[limit - 1]["StreamArn"]
    return answer


def describe_stream(engine: Engine, request: Request, shape: object) -> Response:
    limit = check_limit(request, MAX_LISTED)
    stream = find(engine, request["StreamArn"])
    body = stream.body
    described: Request = {
        "StreamArn": stream.arn,
        "StreamLabel": body["StreamLabel"],
        "StreamStatus": "DISABLED" if stream.is_closed else "ENABLED",
        "StreamViewType": body["StreamViewType"],
        "CreationRequestDateTime": body["CreationRequestDateTime"],
        "TableName": body["TableName"],
        "KeySchema": body["KeySchema"],
    }
    start = request.get("ExclusiveStartShardId") or ""
    ids = [shard_id for shard_id in stream.shard_ids() if shard_id > start]
    if _wanted_parent(request) is not None:
        ids = []  # shards are never split here, so none has children
    described["Shards"] = [_describe_shard(body, shard_id) for shard_id in ids[:limit]]
    if len(ids) > limit:
        described["LastEvaluatedShardId"] = ids[limit - 1]
    return {"StreamDescription": described}


def _wanted_parent(request: Request) -> str | None:
    given = request.get("ShardFilter")
    if given is None:
        return None
    for name in ("Type", "ShardId"):
        if given.get(name) is None:
            raise validation(f"ShardFilter needs a {name}")
    parent: str = given["ShardId"]
    return parent


def _describe_shard(body: dict[str, Any], shard_id: str) -> Request:
    numbers = {"StartingSequenceNumber": sequence_text(body["starts"])}
    if "ends" in body:
        numbers["EndingSequenceNumber"] = sequence_text(body["ends"])
    return {"ShardId": shard_id, "SequenceNumberRange": numbers}


def find(engine: Engine, arn: str) -> Stream:
    """The stream of that ARN."""
    _check_arn(arn)
    for number, blob in engine.store.rows("SELECT number, body FROM streams WHERE arn=?", (arn,)):
        stream = Stream(number, orjson.loads(blob))
        if not _is_gone(engine, stream):
            return stream
    raise not_found(f"Requested resource not found: Stream: {arn} not found")


def _is_gone(engine: Engine, stream: Stream) -> bool:
    closed: float | None = stream.body.get("closed")
    return closed is not None and closed < horizon_of(engine)


def horizon_of(engine: Engine) -> float:
    return engine.clock.now() - streams.RETENTION_SECONDS


def is_stream_arn(arn: str) -> bool:
    return _ARN(arn) is not None


def _check_arn(arn: str) -> None:
    if not is_stream_arn(arn):
        raise validation(f"Invalid StreamArn: {arn}")


def check_limit(request: Request, most: int) -> int:
    limit: int = request.get("Limit", most)
    if limit > most:
        raise validation(
            f"1 validation error detected: Value '{limit}' at 'limit' failed to satisfy "
            f"constraint: Member must have value less than or equal to {most}"
        )
    return limit


def sequence_text(sequence: int) -> str:
    """A sequence number as callers see it."""
    return str(FIRST_SEQUENCE + sequence)


# --- background --------------------------------------------------------------------------


def prune(engine: Engine) -> int:
    """Remove records and closed streams past their day; how many records went."""
    return sum(_prune(engine))


def _prune(engine: Engine) -> Iterator[int]:
    horizon = horizon_of(engine)
    count = streams.PRUNE_ROWS
    while count == streams.PRUNE_ROWS:
        count = engine.store.run(lambda transaction: streams.prune_slice(transaction, horizon))
        yield count


def _look(engine: Engine) -> None:
    """Have old records removed, if there are any."""
    horizon = horizon_of(engine)
    oldest = engine.store.rows("SELECT moment FROM stream_records ORDER BY sequence LIMIT 1", ())
    closed = engine.store.rows("SELECT number, body FROM streams", ())
    if (oldest and oldest[0][0] < horizon) or any(
        _is_gone(engine, Stream(number, orjson.loads(blob))) for number, blob in closed
    ):
        engine.jobs.add("stream retention", lambda: _prune(engine))


def start(engine: Engine) -> None:
    """Remove old records now and then."""
    engine.jobs.every("stream retention", PRUNE_SECONDS, lambda: _look(engine))


OPERATIONS = {
    "ListStreams": (list_streams, False),
    "DescribeStream": (describe_stream, False),
}
