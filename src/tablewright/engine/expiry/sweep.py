"""Time to live: switching it on and off, and removing what has expired.

Switching TTL on builds the expiry index (see ``index``); switching it off takes it down. Both are
done at once where the table is small, and otherwise by a job, in slices. The job keeps no
position: after a crash it starts again, which changes nothing that was right already.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tablewright.engine.errors import in_use, validation
from tablewright.engine.expiry import index as ttl
from tablewright.engine.handler import Request, Response
from tablewright.engine.items import writes
from tablewright.engine.jobs import SLICE_SECONDS
from tablewright.engine.schema import Body, Key, Table
from tablewright.engine.storage.transaction import Transaction, Work
from tablewright.engine.tables.listing import named_table

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


#: How often the engine looks for what has expired.
SWEEP_SECONDS = 2.0
#: Items that expired longer ago than this are left alone, as the service does.
TOO_OLD_SECONDS = 5 * 365 * 24 * 3600
#: Rows looked at between two glances at the time.
_ROWS = 100
_FIRST: Key = (b"", b"")
_REMOVE = "DELETE FROM e{} WHERE expires=? AND pk=? AND sk=?"


# --- operations --------------------------------------------------------------------------


def update_time_to_live(engine: Engine, request: Request, shape: object) -> Work:
    table = named_table(engine, request["TableName"])
    wanted = request["TimeToLiveSpecification"]
    attribute: str = wanted["AttributeName"]

    def work(transaction: Transaction) -> Response:
        engine.catalog.check_current(table)
        _check_update(table, wanted["Enabled"], attribute)
        if wanted["Enabled"]:
            _switch_on(engine, transaction, table, attribute)
        else:
            _switch_off(engine, transaction, table)
        return {
            "TimeToLiveSpecification": {"Enabled": wanted["Enabled"], "AttributeName": attribute}
        }

    return work


def describe_time_to_live(engine: Engine, request: Request, shape: object) -> Response:
    return {"TimeToLiveDescription": description(named_table(engine, request["TableName"]).body)}


def description(body: Body) -> Request:
    """What is said of a table's TTL."""
    if body.get("ttl") is None:
        return {"TimeToLiveStatus": "DISABLED"}
    return {"TimeToLiveStatus": body["ttl_status"], "AttributeName": body["ttl"]}


def _check_update(table: Table, enable: bool, attribute: str) -> None:
    if table.body["TableStatus"] in ("CREATING", "DELETING"):
        raise in_use(
            f"Attempt to change a resource which is still in use: Table: {table.name} is "
            f"{table.body['TableStatus']}"
        )
    status = description(table.body)["TimeToLiveStatus"]
    if status == "DISABLED" and not enable:
        raise validation("TimeToLive is already disabled")
    if status in ("ENABLING", "DISABLING"):
        raise validation("Time to live has been modified multiple times within a fixed interval")
    if status == "ENABLED" and table.ttl != attribute:
        raise validation(
            "TimeToLive is active on a different AttributeName: current AttributeName is "
            f"{table.ttl}"
        )
    if status == "ENABLED" and enable:
        raise validation("TimeToLive is already enabled")


# --- switching on ------------------------------------------------------------------------


def _switch_on(engine: Engine, transaction: Transaction, table: Table, attribute: str) -> None:
    body = {**table.body, "ttl": attribute, "ttl_status": "ENABLED"}
    ttl.create_storage(transaction, table.number)
    if _index_slice(transaction, Table(body), _FIRST) is not None:
        body["ttl_status"] = "ENABLING"
        transaction.after_commit(lambda: _continue(engine, table.name, table.number))
    engine.catalog.save(transaction, body)


def _index_slice(transaction: Transaction, table: Table, after: Key) -> Key | None:
    """Enter items for a short while; the last key seen, or None at the end."""
    until = time.monotonic() + SLICE_SECONDS
    rows: Any = transaction.execute(
        f"SELECT pk, sk, item FROM t{table.number} WHERE (pk, sk) > (?, ?) ORDER BY pk, sk", after
    )
    for pk, sk, blob in rows:
        moment = ttl.expires(writes.loads(blob), table.ttl)
        if moment is not None:
            ttl.add(transaction, table, (pk, sk), moment)
        if time.monotonic() > until:
            rows.close()
            return pk, sk
    return None


# --- switching off -----------------------------------------------------------------------


def _switch_off(engine: Engine, transaction: Transaction, table: Table) -> None:
    if _drop_slice(transaction, table.number):
        engine.catalog.save(transaction, _without_ttl(table.body))
        return
    # The index stays in step until it is gone: only then does the table have no TTL.
    engine.catalog.save(transaction, {**table.body, "ttl_status": "DISABLING"})
    transaction.after_commit(lambda: _continue(engine, table.name, table.number))


def _drop_slice(transaction: Transaction, number: int) -> bool:
    """Take a slice of the index down; True if nothing of it is left."""
    transaction.changes += 1
    until = time.monotonic() + SLICE_SECONDS
    while True:
        rows = transaction.execute(
            f"SELECT expires, pk, sk FROM e{number} LIMIT ?", (_ROWS,)
        ).fetchall()
        for row in rows:
            transaction.execute(_REMOVE.format(number), row)
        if len(rows) < _ROWS:
            transaction.execute(f"DROP TABLE e{number}")
            return True
        if time.monotonic() > until:
            return False


def _without_ttl(body: Body) -> Body:
    return {name: value for name, value in body.items() if name not in ("ttl", "ttl_status")}


# --- in the background -------------------------------------------------------------------


def _continue(engine: Engine, name: str, number: int) -> None:
    engine.jobs.add(f"time to live of {name}", lambda: _steps(engine, name, number))


def _steps(engine: Engine, name: str, number: int) -> Iterator[object]:
    """Finish what switching on or off has begun; each step is a committed slice."""
    after: Key | None = _FIRST
    while after is not None:
        after = engine.store.run(_step(engine, name, number, after))
        yield None


def _step(
    engine: Engine, name: str, number: int, after: Key
) -> Callable[[Transaction], Key | None]:
    """The next slice, as a work that says where to go on; None at the end.

    It keeps no position itself: a work is run again if the group it was in fails.
    """

    def work(transaction: Transaction) -> Key | None:
        table = engine.catalog.find(name)
        if table is None or table.number != number:
            return None
        if table.body.get("ttl_status") == "ENABLING":
            last = _index_slice(transaction, table, after)
            if last is None:
                engine.catalog.save(transaction, {**table.body, "ttl_status": "ENABLED"})
            return last
        if table.body.get("ttl_status") == "DISABLING":
            if not _drop_slice(transaction, number):
                return after
            engine.catalog.save(transaction, _without_ttl(table.body))
        return None

    return work


def sweep(engine: Engine) -> int:
    """Remove the items that have expired by the engine's clock; how many there were."""
    return sum(_sweep(engine))


def _sweep(engine: Engine) -> Iterator[int]:
    for table in engine.catalog:
        while _is_due(engine, table):
            yield engine.store.run(_sweeper(engine, table))


def _look(engine: Engine) -> None:
    if any(_is_due(engine, table) for table in engine.catalog):
        engine.jobs.add("time to live", lambda: _sweep(engine))


def _due(number: int) -> str:
    return f"SELECT expires, pk, sk FROM e{number} WHERE expires>? AND expires<? LIMIT ?"


def _is_due(engine: Engine, table: Table) -> bool:
    """A glance that does not keep writers waiting."""
    if table.ttl is None or table.body["ttl_status"] == "DISABLING":
        return False
    if engine.catalog.find(table.name) is not table:
        return False  # altered or deleted meanwhile: the next sweep sees what it is now
    now = engine.clock.now()
    return bool(engine.store.rows(_due(table.number), (now - TOO_OLD_SECONDS, now, 1)))


def _sweeper(engine: Engine, table: Table) -> Callable[[Transaction], int]:
    return lambda transaction: _sweep_slice(engine, transaction, table)


def _sweep_slice(engine: Engine, transaction: Transaction, table: Table) -> int:
    if engine.catalog.find(table.name) is not table:
        return 0
    until = time.monotonic() + SLICE_SECONDS
    now = transaction.now
    rows: list[Any] = transaction.execute(
        _due(table.number), (now - TOO_OLD_SECONDS, now, _ROWS)
    ).fetchall()
    removed = 0
    for moment, pk, sk in rows:
        row = writes.read_row(transaction, table, (pk, sk))
        if row is not None and ttl.expires(row.item, table.ttl) == moment:
            writes.write(transaction, table, (pk, sk), row, None, by_service=True)
            removed += 1
        else:
            transaction.changes += 1
            transaction.execute(_REMOVE.format(table.number), (moment, pk, sk))
        if time.monotonic() > until:
            break
    return removed


def start(engine: Engine) -> None:
    """Take up what was left unfinished, and sweep regularly."""
    for table in engine.catalog:
        if table.body.get("ttl_status") in ("ENABLING", "DISABLING"):
            _continue(engine, table.name, table.number)
    engine.jobs.every("time to live", SWEEP_SECONDS, lambda: _look(engine))


OPERATIONS = {
    "UpdateTimeToLive": (update_time_to_live, True),
    "DescribeTimeToLive": (describe_time_to_live, False),
}
