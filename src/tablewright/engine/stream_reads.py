"""Change streams, the reading side: ListStreams, DescribeStream, GetShardIterator, GetRecords.

A shard iterator is a position ("after this sequence number") with the moment it was handed out,
and nothing is kept about it here: it is good for a quarter of an hour and for any process that
opens the same data.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import md5
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from zlib import crc32

import orjson

from tablewright.engine import streams
from tablewright.engine.errors import AwsError, not_found, validation

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

Request: TypeAlias = dict[str, Any]

ITERATOR_SECONDS = 15 * 60
MAX_RECORDS = 1000
MAX_BYTES = 1024 * 1024
MAX_LISTED = 100
#: How often records that are too old are removed.
PRUNE_SECONDS = 60.0

#: Added to the stored sequence, because the service's numbers have at least 21 digits.
_FIRST_SEQUENCE = 10**20
_EVENTS = ("INSERT", "MODIFY", "REMOVE", "REMOVE")
_SERVICE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
_ARN = re.compile(
    r"arn:[^:]+:dynamodb:[^:]*:[^:]*:table/[a-zA-Z0-9_.-]+/stream/[0-9T:.+-]+"
).fullmatch
_NUMBER = re.compile(r"[0-9]{21,40}").fullmatch


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


def list_streams(engine: Engine, request: Request, shape: object) -> Request:
    limit = _limit(request, MAX_LISTED)
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
    answer: Request = {"Streams": found[:limit]}
    if len(found) > limit:
        answer["LastEvaluatedStreamArn"] = found[limit - 1]["StreamArn"]
    return answer


def describe_stream(engine: Engine, request: Request, shape: object) -> Request:
    limit = _limit(request, MAX_LISTED)
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
    return closed is not None and closed < _horizon(engine)


def _horizon(engine: Engine) -> float:
    return engine.clock.now() - streams.RETENTION_SECONDS


def _check_arn(arn: str) -> None:
    if _ARN(arn) is None:
        raise validation(f"Invalid StreamArn: {arn}")


def _limit(request: Request, most: int) -> int:
    limit: int = request.get("Limit", most)
    if limit > most:
        raise validation(
            f"1 validation error detected: Value '{limit}' at 'limit' failed to satisfy "
            f"constraint: Member must have value less than or equal to {most}"
        )
    return limit


def sequence_text(sequence: int) -> str:
    """A sequence number as callers see it."""
    return str(_FIRST_SEQUENCE + sequence)


# --- where to read from ------------------------------------------------------------------


def get_shard_iterator(engine: Engine, request: Request, shape: object) -> Request:
    kind = request["ShardIteratorType"]
    number = _given_sequence(request, kind)
    moment = _given_timestamp(request, kind)
    stream = find(engine, request["StreamArn"])
    shard = stream.shard(request["ShardId"])
    if kind == "LATEST":
        after = _last_sequence(engine)
    elif number is None:
        after = _before_moment(engine, shard, max(moment, _horizon(engine)))
    else:
        _check_readable(engine, stream, shard, number)
        after = number if kind == "AFTER_SEQUENCE_NUMBER" else number - 1
    return {"ShardIterator": _iterator(engine, stream, shard, after)}


def _given_sequence(request: Request, kind: str) -> int | None:
    text = request.get("SequenceNumber")
    if not kind.endswith("_SEQUENCE_NUMBER"):
        if text is not None:
            raise validation(f"SequenceNumber must not be given for ShardIteratorType {kind}")
        return None
    if text is None:
        raise validation(f"SequenceNumber must be given for ShardIteratorType {kind}")
    if _NUMBER(text) is None:
        raise validation(f"Invalid SequenceNumber: {text}")
    return int(text) - _FIRST_SEQUENCE


def _given_timestamp(request: Request, kind: str) -> float:
    moment: float | None = request.get("Timestamp")
    if (moment is not None) != (kind == "AT_TIMESTAMP"):
        word = "must" if moment is None else "must not"
        raise validation(f"Timestamp {word} be given for ShardIteratorType {kind}")
    return moment or 0.0


def _last_sequence(engine: Engine) -> int:
    """The last one that is committed; whatever is written from now on comes after it."""
    last: int = engine.store.rows(streams.LAST_SEQUENCE, ())[0][0]
    return last


def _before_moment(engine: Engine, shard: int, moment: float) -> int:
    """Just before the first record of the shard that is not older than ``moment``."""
    last = _last_sequence(engine)
    for (sequence,) in engine.store.rows(
        "SELECT sequence FROM stream_records WHERE shard=? AND moment>=? ORDER BY sequence LIMIT 1",
        (shard, moment),
    ):
        before: int = sequence - 1
        return before
    return last


def _check_readable(engine: Engine, stream: Stream, shard: int, number: int) -> None:
    if not stream.starts <= number <= max(_last_sequence(engine), stream.starts):
        raise validation(
            f"Invalid SequenceNumber: {sequence_text(number)} is not in the range of the shard"
        )
    trims = engine.store.rows("SELECT sequence FROM stream_trims WHERE shard=?", (shard,))
    first = engine.store.rows(
        "SELECT moment FROM stream_records WHERE shard=? AND sequence>=? ORDER BY sequence LIMIT 1",
        (shard, number),
    )
    if (trims and number <= trims[0][0]) or (first and first[0][0] < _horizon(engine)):
        raise _trimmed_error()


def _trimmed_error() -> AwsError:
    return AwsError(
        "TrimmedDataAccessException", "The data you are trying to access has been trimmed"
    )


# --- iterators ---------------------------------------------------------------------------

_TOKEN = Struct(">QQQ")


def _iterator(engine: Engine, stream: Stream, shard: int, after: int) -> str:
    packed = _TOKEN.pack(shard, after, max(0, int(engine.clock.now() * 1000)))
    token = urlsafe_b64encode(packed + crc32(packed).to_bytes(4, "big")).decode()
    return f"{stream.arn}|1|{token}"


def _parse_iterator(engine: Engine, text: str) -> tuple[Stream, int, int]:
    arn, _, rest = text.partition("|1|")
    try:
        raw = urlsafe_b64decode(rest.encode("ascii"))
        packed, check = raw[:-4], raw[-4:]
        shard, after, milliseconds = _TOKEN.unpack(packed)
    except (ValueError, StructError):
        raise validation("Invalid ShardIterator") from None
    if crc32(packed).to_bytes(4, "big") != check or _ARN(arn) is None:
        raise validation("Invalid ShardIterator")
    stream = find(engine, arn)
    if shard // streams.SHARDS != stream.number:
        raise validation("Invalid ShardIterator")
    if engine.clock.now() - milliseconds / 1000 > ITERATOR_SECONDS:
        raise AwsError(
            "ExpiredIteratorException",
            "The shard iterator has expired: it was handed out more than 15 minutes ago",
        )
    return stream, shard, after


# --- records -----------------------------------------------------------------------------


def get_records(engine: Engine, request: Request, shape: Callable[[bytes], Any]) -> Request:
    limit = _limit(request, MAX_RECORDS)
    # Whether the shard is closed is looked up before its records: a shard that was closed then
    # has all its records, so that none can follow the last one seen.
    stream, shard, after = _parse_iterator(engine, request["ShardIterator"])
    records = []
    total = 0
    at_end = True
    with engine.store.reading() as connection:
        horizon = _horizon(engine)
        for (trimmed,) in connection.execute(
            "SELECT sequence FROM stream_trims WHERE shard=?", (shard,)
        ):
            if trimmed > after:
                raise _trimmed_error()
        for sequence, moment, event, size, blob in connection.execute(
            "SELECT sequence, moment, event, size, record FROM stream_records"
            " WHERE shard=? AND sequence>? ORDER BY sequence LIMIT ?",
            (shard, after, limit + 1),
        ):
            if moment < horizon:
                raise _trimmed_error()
            total += size
            if len(records) == limit or (records and total > MAX_BYTES):
                at_end = False
                break
            after = sequence
            records.append(_record(engine, stream, sequence, moment, event, size, blob, shape))
    answer: Request = {"Records": records}
    if not (stream.is_closed and at_end):
        answer["NextShardIterator"] = _iterator(engine, stream, shard, after)
    return answer


def _record(
    engine: Engine,
    stream: Stream,
    sequence: int,
    moment: float,
    event: int,
    size: int,
    blob: bytes,
    shape: Callable[[bytes], Any],
) -> Request:
    # The stored object is opened by its first brace and the rest is taken over as it is.
    head = (
        f'{{"ApproximateCreationDateTime":{int(moment)},'
        f'"SequenceNumber":"{sequence_text(sequence)}","SizeBytes":{size},'
        f'"StreamViewType":"{stream.body["StreamViewType"]}",'
    )
    record: Request = {
        "eventID": md5(f"{stream.arn}/{sequence}".encode(), usedforsecurity=False).hexdigest(),
        "eventName": _EVENTS[event],
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": engine.region,
        "dynamodb": shape(head.encode() + blob[1:]),
    }
    if event == streams.EXPIRE:
        record["userIdentity"] = _SERVICE
    return record


# --- background --------------------------------------------------------------------------


def prune(engine: Engine) -> int:
    """Remove records and closed streams past their day; how many records went."""
    now = engine.clock.now()
    horizon = now - streams.RETENTION_SECONDS
    oldest = engine.store.rows("SELECT moment FROM stream_records ORDER BY sequence LIMIT 1", ())
    closed = engine.store.rows("SELECT body FROM streams", ())
    if (oldest and oldest[0][0] < horizon) or any(
        orjson.loads(blob).get("closed", horizon) < horizon for (blob,) in closed
    ):
        return streams.prune(engine.store.run, now)
    return 0


def start(engine: Engine) -> None:
    """Remove old records now and then."""
    engine.jobs.every("stream retention", PRUNE_SECONDS, lambda: prune(engine))


OPERATIONS = {
    "ListStreams": (list_streams, False),
    "DescribeStream": (describe_stream, False),
    "GetShardIterator": (get_shard_iterator, False),
    "GetRecords": (get_records, False),
}
