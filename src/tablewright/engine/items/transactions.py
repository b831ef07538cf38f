"""TransactWriteItems and TransactGetItems: all or nothing.

A write transaction is one work: every member reads its row and decides, in order; if one of them
refuses, nothing is written and each member's reason is reported in its place. The client's token
is kept in the same SQLite transaction as the writes, so that a repeated request, even after a
crash, is recognised for ten minutes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from tablewright.engine.capacity import Units, read_units, report, wants_capacity, write_units
from tablewright.engine.catalog import Outdated
from tablewright.engine.errors import AwsError, validation
from tablewright.engine.handler import Request, Response, Shape
from tablewright.engine.items import changes as prepare
from tablewright.engine.items import parameters
from tablewright.engine.items.changes import Bind, Change
from tablewright.engine.items.single import collection_metrics
from tablewright.engine.items.writes import Row, loads, read_row, write
from tablewright.engine.schema import EmptyKey, Key, Table
from tablewright.engine.storage.transaction import ANSWERS, Transaction, Work
from tablewright.expressions import Condition, Projection
from tablewright.values import Item, normalize_item

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

Reason = dict[str, Any]

MAX_MEMBERS = 100
MAX_BYTES = 4 * 1024 * 1024
TOKEN_SECONDS = 600
#: Old tokens removed with each new one.
PRUNED_TOKENS = 10
NONE: Reason = {"Code": "None"}

SCHEMA = """
CREATE TABLE IF NOT EXISTS tokens
    (token TEXT PRIMARY KEY, digest BLOB NOT NULL, moment REAL NOT NULL, units BLOB) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tokens_by_moment ON tokens (moment);
"""

ACTIONS: dict[str, Callable[[Any], Bind]] = {
    "ConditionCheck": prepare.check,
    "Put": prepare.put,
    "Delete": prepare.delete,
    "Update": prepare.update,
}


def cancelled(reasons: list[Reason]) -> AwsError:
    """The error of a transaction in which at least one member refused."""
    codes = ", ".join(reason["Code"] for reason in reasons)
    return AwsError(
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        CancellationReasons=reasons,
    )


def _misfit(error: BaseException, position: int, count: int) -> AwsError:
    # AWS looks no further after the first member it cannot make sense of.
    reasons = [NONE] * count
    reasons[position] = {"Code": "ValidationError", "Message": str(error)}
    return cancelled(reasons)


# --- writing -----------------------------------------------------------------------------


def transact_write_items(engine: Engine, request: Request, shape: Shape) -> Work:
    """Put, update, delete and check up to 100 items, all or none."""
    members = [_action(each) for each in request["TransactItems"]]
    return _bound(engine, request, shape, members, [ACTIONS[name](each) for name, each in members])


def transact_plainly(
    engine: Engine, request: Request, shape: Shape, sizes: list[int | None]
) -> Work:
    """The same, of a request whose shape is right; ``sizes`` are those of puts' items."""
    members = [_action(each) for each in request["TransactItems"]]
    binds: list[Bind] = []
    like: dict[str, Any] | None = None
    condition: Condition | None = None
    for (name, action), size in zip(members, sizes, strict=True):
        if size is None:
            binds.append(ACTIONS[name](action))
            continue
        if like is None or not alike(action, like):
            parameters.refuse_mixture(action, parameters.CONDITION)
            like, condition = action, parameters.for_condition(action)
        binds.append(_plain_put(action["Item"], size, condition))
    return _bound(engine, request, shape, members, binds)


def alike(put: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two puts have everything but their items in common."""
    if put.keys() != other.keys():
        return False
    for name, value in other.items():
        given = put[name]
        # Whoever puts many often makes the rest once. Otherwise: 1 equals True, but is none.
        if given is not value and name != "Item" and repr(given) != repr(value):
            return False
    return True


def _plain_put(item: Item, size: int, condition: Condition | None) -> Bind:
    """A put of an item as it stands."""
    return lambda table: prepare.put_into(table, item, size, condition)


def _bound(
    engine: Engine,
    request: Request,
    shape: Shape,
    members: list[tuple[str, Any]],
    binds: list[Bind],
) -> Work:
    tables = [engine.catalog.table(action["TableName"]) for _, action in members]
    bound = bind_all(binds, tables)
    return_old = [
        action.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" for _, action in members
    ]
    return transaction_work(engine, request, shape, bound, return_old)


def bind_all(binds: list[Bind], tables: list[Table]) -> list[Change]:
    """Bind every member to its table; the first that does not fit cancels the transaction."""
    changes: list[Change] = []
    for bind, table in zip(binds, tables, strict=True):
        try:
            changes.append(bind(table))
        except EmptyKey:
            raise
        except ANSWERS as error:
            raise _misfit(error, len(changes), len(binds)) from None
    refuse_repeats([(change.table.number, change.key) for change in changes])
    return changes


def refuse_repeats(places: list[tuple[int, Key]]) -> None:
    """An item, as the number of its table and its key, may be in a transaction once."""
    if len(set(places)) < len(places):
        raise validation("Transaction request cannot include multiple operations on one item")


def transaction_work(
    engine: Engine,
    request: Request,
    shape: Shape,
    changes: list[Change],
    return_old: list[bool],
) -> Work:
    """The work that decides about all members, then writes all of them or none."""
    token = request.get("ClientRequestToken")
    digest = _digest(request) if token is not None else b""
    counted = wants_capacity(request)
    tables = {change.table.name: change.table for change in changes}

    def work(transaction: Transaction) -> Response:
        for table in tables.values():
            engine.catalog.check_current(table)
        if token is not None:
            repeated = _repeated(transaction, token, digest)
            if repeated is not None:
                return _response(transaction, request, tables, repeated, changes, "Read")
        throttle = engine.throttle
        if throttle is not None:
            refusals = throttle.refused_changes(transaction, changes)
            if refusals is not None:
                raise cancelled(refusals)
        rows = [read_row(transaction, change.table, change.key) for change in changes]
        outcomes = _decide(changes, rows, return_old, shape)
        units: dict[str, Units] = {name: Units() for name in tables}
        for change, row, (item, size) in zip(changes, rows, outcomes, strict=True):
            if change.next is None:
                used = Units(float(write_units(size)))
            else:
                used = _write(transaction, changes, change, row, item, size)
            if counted:
                units[change.table.name].add_doubled(used)
            if throttle is not None:
                throttle.charge_change(change, row, item, used.doubled())
        if token is not None:
            _remember(transaction, token, digest, _read_sizes(changes, outcomes))
        return _response(transaction, request, tables, units, changes, "Write")

    return work


def _write(
    transaction: Transaction,
    changes: list[Change],
    change: Change,
    row: Row | None,
    item: Item | None,
    size: int,
) -> Units:
    try:
        return write(transaction, change.table, change.key, row, item, size)
    except AwsError as error:
        # All else is known before: the item collection is full.
        reason = {"Code": "ItemCollectionSizeLimitExceeded", "Message": error.message}
        raise cancelled([reason if each is change else NONE for each in changes]) from None


def _decide(
    changes: list[Change], rows: list[Row | None], return_old: list[bool], shape: Shape
) -> list[tuple[Item | None, int]]:
    """What every item becomes; raises the cancellation if one member refuses."""
    outcomes: list[tuple[Item | None, int]] = []
    reasons: list[Reason] = []
    total = 0
    for change, row, wants_old in zip(changes, rows, return_old, strict=True):
        if change.refused_by(row):
            reason = {
                "Code": "ConditionalCheckFailed",
                "Message": "The conditional request failed",
            }
            if wants_old and row is not None:
                reason["Item"] = shape(row.blob)
            reasons.append(reason)
            continue
        try:
            outcome = change.outcome(row)
        except (Outdated, EmptyKey):
            raise
        except ANSWERS as error:
            reasons.append({"Code": "ValidationError", "Message": str(error)})
            continue
        total += outcome[1]
        outcomes.append(outcome)
        reasons.append(NONE)
    if len(outcomes) < len(changes):
        raise cancelled(reasons)
    if total > MAX_BYTES:
        raise validation("Collective item size cannot exceed 4 MB for transaction write requests")
    return outcomes


def _action(member: dict[str, Any]) -> tuple[str, Any]:
    if len(member) == 1:
        ((name, action),) = member.items()
        if name in ACTIONS and action is not None:
            return name, action
    given = [(name, member[name]) for name in ACTIONS if member.get(name) is not None]
    if len(given) != 1:
        raise validation("TransactItems can only contain one of Check, Put, Update or Delete")
    return given[0]


def _response(
    transaction: Transaction,
    request: Request,
    tables: dict[str, Table],
    units: dict[str, Units],
    changes: list[Change],
    kind: str,
) -> Response:
    response: Response = {}
    if wants_capacity(request):
        response["ConsumedCapacity"] = [
            report(request, table, units[name], kind) for name, table in tables.items()
        ]
    if request.get("ReturnItemCollectionMetrics") == "SIZE":
        metrics: dict[str, list[Any]] = {}
        for change in changes:
            if change.table.local and change.next is not None:
                metrics.setdefault(change.table.name, []).append(
                    collection_metrics(transaction, change.table, change.key, change.key_item)
                )
        if metrics:
            response["ItemCollectionMetrics"] = metrics
    return response


# --- tokens ------------------------------------------------------------------------------


def _digest(request: Request) -> bytes:
    payload = {k: v for k, v in request.items() if k != "ReturnConsumedCapacity"}
    return hashlib.sha256(orjson.dumps(payload, option=orjson.OPT_SORT_KEYS)).digest()


def _repeated(transaction: Transaction, token: str, digest: bytes) -> dict[str, Units] | None:
    rows = transaction.execute(
        "SELECT digest, units FROM tokens WHERE token=? AND moment>?",
        (token, transaction.now - TOKEN_SECONDS),
    ).fetchall()
    if not rows:
        return None
    if rows[0][0] != digest:
        raise AwsError(
            "IdempotentParameterMismatchException",
            "A request with the same ClientRequestToken but other parameters was already made "
            "within the last 10 minutes",
        )
    return {name: Units(units) for name, units in orjson.loads(rows[0][1]).items()}


def _read_sizes(changes: list[Change], outcomes: list[tuple[Item | None, int]]) -> dict[str, float]:
    """What it costs to read all items again, by table: a repeated request is charged that."""
    sizes: dict[str, float] = {}
    for change, (_, size) in zip(changes, outcomes, strict=True):
        name = change.table.name
        sizes[name] = sizes.get(name, 0.0) + 2 * read_units(size, consistent=True)
    return sizes


def _remember(transaction: Transaction, token: str, digest: bytes, sizes: dict[str, float]) -> None:
    transaction.changes += 1
    # A few at a time: after a pause, there may be many that are too old.
    transaction.execute(
        "DELETE FROM tokens WHERE token IN"
        " (SELECT token FROM tokens WHERE moment<=? ORDER BY moment LIMIT ?)",
        (transaction.now - TOKEN_SECONDS, PRUNED_TOKENS),
    )
    transaction.execute(
        "REPLACE INTO tokens (token, digest, moment, units) VALUES (?, ?, ?, ?)",
        (
            token,
            digest,
            transaction.now,
            orjson.dumps(sizes),
        ),
    )


# --- reading -----------------------------------------------------------------------------


def transact_get_items(engine: Engine, request: Request, shape: Shape) -> Response:
    """Read up to 100 items as of one moment."""
    gets = [member["Get"] for member in request["TransactItems"]]
    for get in gets:
        parameters.refuse_mixture(get, parameters.PROJECTION)
    keys = [normalize_item(get["Key"])[0] for get in gets]
    projections = [parameters.for_projection(get) for get in gets]
    tables = [engine.catalog.table(get["TableName"]) for get in gets]
    return read_together(engine, request, shape, tables, locate_all(tables, keys), projections)


def read_together(
    engine: Engine,
    request: Request,
    shape: Shape,
    tables: list[Table],
    located: list[Key],
    projections: list[Projection | None],
) -> Response:
    """The response of a TransactGetItems whose keys have been checked."""
    throttle = engine.throttle
    if throttle is not None:
        refusals = throttle.refused_reads(tables, [key[0] for key in located])
        if refusals is not None:
            raise cancelled(refusals)
    responses: list[Any] = []
    units: dict[str, Units] = {table.name: Units() for table in tables}
    total = 0
    with engine.store.snapshot() as connection:
        for table, key, projection in zip(tables, located, projections, strict=True):
            size = 0
            entry: dict[str, Any] = {}
            rows: list[Any] = connection.execute(table.get_sql, key).fetchall()
            if rows:
                size, blob = rows[0]
                entry["Item"] = shape(blob) if projection is None else projection.apply(loads(blob))
            total += size
            responses.append(entry)
            used = Units(read_units(size, consistent=True)).doubled()
            units[table.name].add(used)
            if throttle is not None:
                throttle.charge_read(table, used, pk=key[0])
    if total > MAX_BYTES:
        raise validation("Collective item size cannot exceed 4 MB for transaction get requests")
    response: Response = {"Responses": responses}
    if wants_capacity(request):
        by_name = {table.name: table for table in tables}
        response["ConsumedCapacity"] = [
            report(request, by_name[name], used, "Read") for name, used in units.items()
        ]
    return response


def locate_all(tables: list[Table], keys: list[Item]) -> list[Key]:
    """The stored keys of all members; the first that does not fit cancels the transaction."""
    located: list[Key] = []
    for table, key in zip(tables, keys, strict=True):
        try:
            located.append(table.locate(key))
        except AwsError as error:
            raise _misfit(error, len(located), len(keys)) from None
    refuse_repeats([(table.number, key) for table, key in zip(tables, located, strict=True)])
    return located


OPERATIONS = {
    "TransactWriteItems": (transact_write_items, True),
    "TransactGetItems": (transact_get_items, False),
}
