"""Change streams, the writing side: which streams there are, and what enters them.

A stream belongs to a table from the moment it is switched on until it is switched off (or the
table is deleted); after that it can be read for another day. It has :data:`SHARDS` shards; a
partition's records all go to one of them, chosen by the partition's hash, so that the records of
one item stay in order. Records of all streams share one SQL table and one growing sequence, which
is why "after what is committed now" is a single number. Reading is in ``listing`` and ``reading``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from tablewright.engine.errors import not_found
from tablewright.values import Item, equal, item_size

if TYPE_CHECKING:
    from tablewright.engine.catalog import Catalog
    from tablewright.engine.schema import Body, Key, Table
    from tablewright.engine.storage.transaction import Transaction

#: Shards of one stream.
SHARDS = 4
#: How long records, and streams that were switched off, can be read.
RETENTION_SECONDS = 24 * 3600
#: Records removed in one go once they are too old.
PRUNE_ROWS = 100

SCHEMA = """
CREATE TABLE IF NOT EXISTS streams (number INTEGER PRIMARY KEY, arn TEXT UNIQUE NOT NULL,
 body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS stream_records (sequence INTEGER PRIMARY KEY AUTOINCREMENT,
 shard INTEGER NOT NULL, moment REAL NOT NULL, event INTEGER NOT NULL, size INTEGER NOT NULL,
 record BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS stream_records_by_shard ON stream_records (shard);
CREATE TABLE IF NOT EXISTS stream_trims (shard INTEGER PRIMARY KEY, sequence INTEGER NOT NULL);
"""

#: The kinds of events, as the column ``event`` holds them.
INSERT, MODIFY, REMOVE, EXPIRE = range(4)

LAST_SEQUENCE = "SELECT IFNULL((SELECT seq FROM sqlite_sequence WHERE name='stream_records'), 0)"

_APPEND = "INSERT INTO stream_records (shard, moment, event, size, record) VALUES (?, ?, ?, ?, ?)"
_HOLDS_NEW = ("NEW_IMAGE", "NEW_AND_OLD_IMAGES")
_HOLDS_OLD = ("OLD_IMAGE", "NEW_AND_OLD_IMAGES")


# --- records -----------------------------------------------------------------------------


def append(
    transaction: Transaction,
    table: Table,
    key: Key,
    old: Item | None,
    new: Item | None,
    stored: tuple[int, bytes] | None,
    by_service: bool,
) -> None:
    """Record one change of an item; nothing if the item stays what it was.

    ``stored`` is the new item's size and blob, which need not be made again.
    """
    if old is not None and new is not None and _same(old, new):
        return
    present = new if new is not None else old
    if present is None:
        return
    keys = table.key_from(present)
    change: dict[str, Any] = {"Keys": keys}
    size = item_size(keys)
    if stored is not None and table.stream_view in _HOLDS_NEW:
        change["NewImage"] = orjson.Fragment(stored[1])
        size += stored[0]
    if old is not None and table.stream_view in _HOLDS_OLD:
        change["OldImage"] = old
        size += item_size(old)
    gone = EXPIRE if by_service else REMOVE
    event = gone if new is None else INSERT if old is None else MODIFY
    shard = table.body["stream"] * SHARDS + (key[0][0] * SHARDS >> 8)
    transaction.changes += 1
    transaction.at_once(_APPEND, (shard, transaction.now, event, size, orjson.dumps(change)))


def _same(old: Item, new: Item) -> bool:
    return old.keys() == new.keys() and all(equal(av, new[name]) for name, av in old.items())


# --- streams -----------------------------------------------------------------------------


def enable(transaction: Transaction, catalog: Catalog, body: Body, view: str) -> None:
    """Give the table of ``body`` a new stream; the caller saves the body."""
    number = catalog.next_number(transaction)
    moment, arn = _unused_arn(transaction, body["TableArn"])
    label = arn.rpartition("/")[2]
    body["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view}
    body["LatestStreamLabel"] = label
    body["LatestStreamArn"] = arn
    body["stream"] = number
    stream = {
        "StreamArn": arn,
        "StreamLabel": label,
        "StreamViewType": view,
        "CreationRequestDateTime": moment,
        "TableName": body["TableName"],
        "KeySchema": body["KeySchema"],
        "starts": _last_sequence(transaction) + 1,
    }
    transaction.execute(
        "INSERT INTO streams (number, arn, body) VALUES (?, ?, ?)",
        (number, arn, orjson.dumps(stream)),
    )


def disable(transaction: Transaction, body: Body) -> None:
    """Close the table's stream, if it has one; it stays readable for a day.

    Also to be called when the table is deleted. The caller saves the body.
    """
    body.pop("StreamSpecification", None)
    number = body.pop("stream", None)
    if number is None:
        return
    stream = stored(transaction, number)
    stream["ends"] = max(stream["starts"], _last_sequence(transaction))
    stream["closed"] = transaction.now
    save(transaction, number, stream)


def stored(transaction: Transaction, number: int) -> Body:
    """What is kept of a stream."""
    rows: list[Any] = transaction.execute(
        "SELECT body FROM streams WHERE number=?", (number,)
    ).fetchall()
    if not rows:
        raise not_found()
    body: Body = orjson.loads(rows[0][0])
    return body


def save(transaction: Transaction, number: int, body: Body) -> None:
    """Keep what has become of a stream."""
    transaction.changes += 1
    transaction.execute("UPDATE streams SET body=? WHERE number=?", (orjson.dumps(body), number))


def _unused_arn(transaction: Transaction, table_arn: str) -> tuple[float, str]:
    # The label is a millisecond: a stream that follows another at once takes the next free one.
    milliseconds = int(transaction.now * 1000)
    while True:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
        label = moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}"
        arn = f"{table_arn}/stream/{label}"
        if not transaction.execute("SELECT 1 FROM streams WHERE arn=?", (arn,)).fetchall():
            return milliseconds / 1000, arn
        milliseconds += 1


def _last_sequence(transaction: Transaction) -> int:
    rows: list[Any] = transaction.execute(LAST_SEQUENCE).fetchall()
    last: int = rows[0][0]
    return last


# --- retention ---------------------------------------------------------------------------


def prune_slice(transaction: Transaction, horizon: float) -> int:
    """Remove some of the oldest records, as long as they are past the horizon; how many.

    Fewer than :data:`PRUNE_ROWS` means that nothing is left to remove.
    """
    trimmed: dict[int, int] = {}
    count = 0
    for sequence, shard, moment in transaction.execute(
        "SELECT sequence, shard, moment FROM stream_records ORDER BY sequence LIMIT ?",
        (PRUNE_ROWS,),
    ):
        if moment >= horizon:
            break
        trimmed[shard] = sequence
        count += 1
    if trimmed:
        transaction.changes += 1
        transaction.execute(
            "DELETE FROM stream_records WHERE sequence <= ?", (max(trimmed.values()),)
        )
        for shard, sequence in trimmed.items():
            transaction.execute(
                "REPLACE INTO stream_trims (shard, sequence) VALUES (?, ?)", (shard, sequence)
            )
    if count < PRUNE_ROWS:
        _forget_closed(transaction, horizon)
    return count


def _forget_closed(transaction: Transaction, horizon: float) -> None:
    rows: list[Any] = transaction.execute("SELECT number, body FROM streams").fetchall()
    for number, blob in rows:
        if orjson.loads(blob).get("closed", horizon) < horizon:
            transaction.changes += 1
            transaction.execute("DELETE FROM streams WHERE number=?", (number,))
            first = number * SHARDS
            transaction.execute(
                "DELETE FROM stream_trims WHERE shard BETWEEN ? AND ?", (first, first + SHARDS - 1)
            )
