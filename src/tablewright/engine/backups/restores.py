"""Bringing a table back: from a backup, or from a moment in the past.

A restore makes a new table, which is CREATING until a job has filled it. What it is filled from
is kept in the table's body under ``restore``; a restore that a crash has cut short is found there
when the engine is opened, and begins again: writing an item twice changes nothing.

A source is either a backup file, or a table's rows together with its recovery log (see
``history``), which also serves for tables that have been deleted and are kept as a backup.
"""

from __future__ import annotations

import logging
import time
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tablewright.engine.backups import files as backup_files
from tablewright.engine.backups import history
from tablewright.engine.catalog import create_table_storage
from tablewright.engine.errors import AwsError, invalid, validation
from tablewright.engine.handler import Request
from tablewright.engine.items import writes
from tablewright.engine.jobs import SLICE_SECONDS
from tablewright.engine.schema import Body, Table
from tablewright.engine.storage.transaction import Transaction
from tablewright.engine.tables import create, throughput
from tablewright.engine.tables.describe import describe_body
from tablewright.engine.tables.listing import remove_table
from tablewright.values import Item, item_size

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


log = logging.getLogger("tablewright.engine")

#: Items read at a time.
BATCH = 200
_INDEXES = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
_OVERRIDES = {
    "LocalSecondaryIndexes": "LocalSecondaryIndexOverride",
    "GlobalSecondaryIndexes": "GlobalSecondaryIndexOverride",
}


# --- the new table -----------------------------------------------------------------------


def definition(source: Body, request: Request) -> Request:
    """The CreateTable request for the table that ``request`` wants to get out of ``source``."""
    mode = request.get("BillingModeOverride") or source["BillingMode"]
    wanted: Request = {"KeySchema": source["KeySchema"], "BillingMode": mode}
    units = request.get("ProvisionedThroughputOverride")
    if units is None and mode == throughput.PROVISIONED:
        units = _kept_units(source)
    if units is not None:
        wanted["ProvisionedThroughput"] = units
    if request.get("OnDemandThroughputOverride"):
        wanted["OnDemandThroughput"] = request["OnDemandThroughputOverride"]
    encryption = request.get("SSESpecificationOverride") or source.get("SSESpecification")
    if encryption is not None:
        wanted["SSESpecification"] = encryption
    for kind in _INDEXES:
        indexes = [_index(index, mode) for index in _chosen(source, request, kind)]
        if indexes:
            wanted[kind] = indexes
    wanted["AttributeDefinitions"] = _used_attributes(source, wanted)
    create.check_create(wanted)
    return wanted


def _chosen(source: Body, request: Request, kind: str) -> list[Body]:
    """The indexes to restore: all, or those the request names, which must be as they were."""
    existing = [_without_bounds(index) for index in source.get(kind) or ()]
    override: list[Body] | None = request.get(_OVERRIDES[kind])
    if override is None:
        return existing
    known = {index["IndexName"]: index for index in existing}
    chosen = []
    for index in override:
        was = known.get(index["IndexName"])
        if was is None or _shape(was) != _shape(index):
            raise invalid(
                f"{_OVERRIDES[kind]}: index {index['IndexName']} does not match any index of the "
                "source table; indexes can be left out of a restore, but not changed or added"
            )
        chosen.append({**was, **index})
    return chosen


def _without_bounds(index: Body) -> Body:
    # Like those of the table, a restore takes them from the request alone.
    return {name: value for name, value in index.items() if name != "OnDemandThroughput"}


def _shape(index: Body) -> tuple[Any, ...]:
    projection = index["Projection"]
    return (
        index["KeySchema"],
        projection.get("ProjectionType"),
        sorted(projection.get("NonKeyAttributes") or ()),
    )


def _index(index: Body, mode: str) -> Request:
    wanted = {part: index[part] for part in ("IndexName", "KeySchema", "Projection")}
    if "ProvisionedThroughput" in index and mode == throughput.PROVISIONED:
        wanted["ProvisionedThroughput"] = _kept_units(index)
    if "OnDemandThroughput" in index:
        wanted["OnDemandThroughput"] = index["OnDemandThroughput"]
    return wanted


def _kept_units(body: Body) -> Request | None:
    units = {name: body["ProvisionedThroughput"][name] for name in throughput.UNITS}
    # An on-demand table has no units to take over: the request must then name some.
    return units if all(units.values()) else None


def _used_attributes(source: Body, wanted: Request) -> list[Body]:
    schemas = [wanted["KeySchema"]]
    schemas += [index["KeySchema"] for kind in _INDEXES for index in wanted.get(kind) or ()]
    used = {element["AttributeName"] for schema in schemas for element in schema}
    return [each for each in source["AttributeDefinitions"] if each["AttributeName"] in used]


def check_target(engine: Engine, name: str) -> None:
    """Refuse a target that exists."""
    target = engine.catalog.find(name)
    if target is None:
        return
    if target.body["TableStatus"] == "CREATING":
        raise AwsError("TableInUseException", f"Table is being created: {name}")
    raise AwsError("TableAlreadyExistsException", f"Table already exists: {name}")


def begin(
    engine: Engine,
    transaction: Transaction,
    name: str,
    wanted: Request,
    source: Request,
    summary: Request,
) -> Request:
    """Make the table and have it filled in the background; the response to the caller."""
    check_target(engine, name)
    table = make_table(
        engine,
        transaction,
        name,
        wanted,
        {"RestoreSummary": {**summary, "RestoreInProgress": True}, "restore": source},
    )
    transaction.after_commit(lambda: _add_job(engine, table))
    return {"TableDescription": describe_body(engine, table.body, "CREATING")}


def make_table(
    engine: Engine, transaction: Transaction, name: str, wanted: Request, more: Body
) -> Table:
    """A new table that is CREATING until somebody has filled it."""
    body = create.new_body(engine, transaction, name, wanted)
    body.update(more)
    body["TableStatus"] = "CREATING"
    table = engine.catalog.save(transaction, body)
    create_table_storage(transaction, table)
    return table


# --- filling it --------------------------------------------------------------------------


def _add_job(engine: Engine, table: Table) -> None:
    engine.jobs.add(f"restore of {table.name}", lambda: _restore(engine, table))


def _restore(engine: Engine, table: Table) -> Iterator[object]:
    source = table.body["restore"]
    try:
        yield from fill(engine, table, items_of(engine, source))
    except (OSError, EOFError, ValueError, zlib.error) as error:
        log.error("the restore of %s has failed, the table is removed: %s", table.name, error)
        engine.store.run(lambda transaction: _give_up(engine, transaction, table))
        return
    engine.store.run(lambda transaction: _finish(engine, transaction, table))


def fill(engine: Engine, table: Table, items: Iterator[Item]) -> Iterator[object]:
    """Write items into a table nobody else writes to yet, in slices."""
    while batch := _batch(items):
        done = 0
        while done < len(batch):
            done += engine.store.run(_writer(engine, table, batch[done:]))
            yield None


def _batch(items: Iterator[Item]) -> list[tuple[Item, int]]:
    """The next few items with their sizes, not too many and not too large together."""
    batch: list[tuple[Item, int]] = []
    total = 0
    for item in items:
        size = item_size(item)
        total += size
        batch.append((item, size))
        if len(batch) == BATCH or total > history.SLICE_BYTES:
            break
    return batch


def _writer(
    engine: Engine, table: Table, batch: list[tuple[Item, int]]
) -> Callable[[Transaction], int]:
    def work(transaction: Transaction) -> int:
        # Meanwhile it may have been given tags, a policy, or protection.
        current = engine.catalog.find(table.name)
        if current is None or current.number != table.number:
            raise ValueError(f"{table.name} was deleted while it was being filled")
        until = time.monotonic() + SLICE_SECONDS
        for count, (item, size) in enumerate(batch, 1):
            key = current.key_of(item)
            row = writes.read_row(transaction, current, key)
            writes.write(transaction, current, key, row, item, size)
            if time.monotonic() > until:
                return count
        return len(batch)

    return work


def items_of(engine: Engine, source: Request) -> Iterator[Item]:
    """All items of a source."""
    if "file" in source:
        yield from backup_files.read(backup_files.path_of(engine, source["file"]))
        return
    number, sequence = source["number"], source["sequence"]
    for rows in history.slices(engine.store, number, sequence, BATCH):
        for _, blob in rows:
            yield writes.loads(blob)


def _finish(engine: Engine, transaction: Transaction, table: Table) -> None:
    current = engine.catalog.find(table.name)
    if current is None or current.number != table.number:
        return
    body = {name: value for name, value in current.body.items() if name != "restore"}
    body["TableStatus"] = "ACTIVE"
    body["RestoreSummary"] = {**body["RestoreSummary"], "RestoreInProgress": False}
    engine.catalog.save(transaction, body)


def _give_up(engine: Engine, transaction: Transaction, table: Table) -> None:
    current = engine.catalog.find(table.name)
    if current is not None and current.number == table.number:
        remove_table(engine, transaction, current)


def uses(engine: Engine, **source: Any) -> bool:
    """True while a restore is under way from such a source."""
    return any(
        all(table.body["restore"].get(name) == value for name, value in source.items())
        for table in engine.catalog
        if "restore" in table.body
    )


def start(engine: Engine) -> None:
    """Begin again what a crash has cut short."""
    for table in engine.catalog:
        if "restore" in table.body:
            _add_job(engine, table)


def only_one(request: Request, *names: str) -> None:
    """Refuse a request that does not have exactly one of these members."""
    if sum(bool(request.get(name)) for name in names) != 1:
        raise validation(f"Exactly one of {' and '.join(names)} must be given")
