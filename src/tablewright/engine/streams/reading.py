"""Change streams, reading their records: GetShardIterator and GetRecords.

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
from typing import TYPE_CHECKING, Any
from zlib import crc32

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.handler import Request, Response
from tablewright.engine.streams import recording as streams
from tablewright.engine.streams.listing import (
    FIRST_SEQUENCE,
    Stream,
    check_limit,
    find,
    horizon_of,
    is_stream_arn,
    sequence_text,
)

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


ITERATOR_SECONDS = 15 * 60
MAX_RECORDS = 1000
MAX_BYTES = 1024 * 1024

_EVENTS = ("INSERT", "MODIFY", "REMOVE", "REMOVE")
_SERVICE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
_NUMBER = re.compile(r"[0-9]{21,40}").fullmatch


# --- where to read from ------------------------------------------------------------------


def get_shard_iterator(engine: Engine, request: Request, shape: object) -> Response:
    kind = request["ShardIteratorType"]
    number = _given_sequence(request, kind)
    moment = _given_timestamp(request, kind)
    stream = find(engine, request["StreamArn"])
    shard = stream.shard(request["ShardId"])
    if kind == "LATEST":
        after = _last_sequence(engine)
    elif number is None:
        after = _before_moment(engine, shard, max(moment, horizon_of(engine)))
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
    return int(text) - FIRST_SEQUENCE


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
    if (trims and number <= trims[0][0]) or (first and first[0][0] < horizon_of(engine)):
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
    if crc32(packed).to_bytes(4, "big") != check or not is_stream_arn(arn):
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


def get_records(engine: Engine, request: Request, shape: Callable[[bytes], Any]) -> Response:
    limit = check_limit(request, MAX_RECORDS)
    # Whether the shard is closed is looked up before its records: a shard that was closed then
    # has all its records, so that none can follow the last one seen.
    stream, shard, after = _parse_iterator(engine, request["ShardIterator"])
    records: list[Request] = []
    total = 0
    at_end = True
    with engine.store.reading() as connection:
        horizon = horizon_of(engine)
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
    answer: Response = {"Records": records}
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


OPERATIONS = {
    "GetShardIterator": (get_shard_iterator, False),
    "GetRecords": (get_records, False),
}
