"""Backups: a table's items as they were at one moment, to make new tables from.

CreateBackup fixes the moment: right after its commit, and before anybody else's, a reading
connection is put into a transaction, and a job writes what that connection sees to a compressed
file (see ``files``). If the process dies before the file is whole, the backup is taken
again when the engine is opened. An engine in memory copies the rows at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import apsw

from tablewright.engine.backups import files as backup_files
from tablewright.engine.backups import restores
from tablewright.engine.backups.kept import all_backups, find, in_turn, new_backup, remove, save
from tablewright.engine.backups.transfers import exporting
from tablewright.engine.catalog import table_name
from tablewright.engine.errors import AwsError, validation
from tablewright.engine.expiry.sweep import description as ttl_description
from tablewright.engine.handler import Request, Response
from tablewright.engine.schema import Body, Table
from tablewright.engine.storage.transaction import Transaction, Work

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


log = logging.getLogger("tablewright.engine")

MAX_LISTED = 100

_SOURCE_FIELDS = ("TableName", "TableId", "TableArn", "KeySchema", "BillingMode")
_INDEX_FIELDS = ("IndexName", "KeySchema", "Projection")


# --- making one --------------------------------------------------------------------------


def source_table(engine: Engine, name: str) -> Table:
    """The table of that name or ARN; the backup operations have an error of their own."""
    plain = table_name(name)
    table = engine.catalog.find(plain)
    if table is None:
        raise AwsError("TableNotFoundException", f"Table not found: {plain}")
    return table


def create_backup(engine: Engine, request: Request, shape: object) -> Work:
    table = source_table(engine, request["TableName"])

    def work(transaction: Transaction) -> Response:
        engine.catalog.check_current(table)
        if table.body["TableStatus"] == "CREATING":
            raise AwsError("TableInUseException", f"Table is being created: {table.name}")
        number = engine.catalog.next_number(transaction)
        body = new_backup(engine, transaction, table, request["BackupName"], "USER", number)
        if engine.folder is None:
            _copy_rows(transaction, table, number)
            body["source"] = {"number": number, "sequence": None}
            body["BackupStatus"] = "AVAILABLE"
        else:
            body["source"] = {"file": f"{number}.gz"}
            transaction.after_commit(lambda: _add_job(engine, body["BackupArn"], pinned=True))
        save(transaction, body)
        return {"BackupDetails": {**_details(body), "BackupStatus": "CREATING"}}

    return work


def _copy_rows(transaction: Transaction, table: Table, number: int) -> None:
    transaction.execute(
        f"CREATE TABLE t{number} (pk BLOB, sk BLOB, size INTEGER, item BLOB,"
        " PRIMARY KEY (pk, sk)) WITHOUT ROWID"
    )
    transaction.execute(f"INSERT INTO t{number} SELECT * FROM t{table.number}")


# --- the job that writes the file --------------------------------------------------------


def _add_job(engine: Engine, arn: str, pinned: bool) -> None:
    view = ExitStack()
    connection = _pin(engine, view) if pinned else None
    engine.jobs.add(f"backup {arn}", lambda: _write(engine, arn, view, connection))


def _pin(engine: Engine, view: ExitStack) -> apsw.Connection | None:
    """A connection that sees what is committed now, and nothing later."""
    try:
        connection = view.enter_context(engine.store.snapshot())
        connection.execute("SELECT 1 FROM catalog").fetchall()
    except (apsw.Error, OSError):
        # The commit stands, so this must not fail: the job will open a view of its own.
        view.close()
        return None
    return connection


def _write(
    engine: Engine, arn: str, view: ExitStack, connection: apsw.Connection | None
) -> Iterator[object]:
    with view:
        body = find(engine, arn)
        table = engine.catalog.find(body["table"]["TableName"])
        if connection is None:
            if table is None or table.number != body["table"]["number"]:
                engine.store.run(lambda transaction: remove(engine, transaction, body))
                return
            connection = view.enter_context(engine.store.snapshot())
        rows = backup_files.rows_of(connection, body["table"]["number"])
        path = backup_files.path_of(engine, body["source"]["file"])
        try:
            yield from backup_files.write(path, {"backup": arn, "table": body["table"]}, rows)
        except (OSError, apsw.Error) as error:
            log.error("the backup %s could not be written and is given up: %s", arn, error)
            engine.store.run(lambda transaction: remove(engine, transaction, body))
            return
    engine.store.run(lambda transaction: save(transaction, {**body, "BackupStatus": "AVAILABLE"}))


# --- looking them up ---------------------------------------------------------------------


def describe_backup(engine: Engine, request: Request, shape: object) -> Response:
    return {"BackupDescription": _description(find(engine, request["BackupArn"]))}


def list_backups(engine: Engine, request: Request, shape: object) -> Response:
    wanted = [body for body in all_backups(engine) if _is_wanted(body, request)]
    start = request.get("ExclusiveStartBackupArn")
    if start is not None:
        arns = [body["BackupArn"] for body in wanted]
        if start not in arns:
            raise validation(f"Invalid ExclusiveStartBackupArn: {start}")
        wanted = wanted[arns.index(start) + 1 :]
    limit = request.get("Limit", MAX_LISTED)
    answer: Response = {"BackupSummaries": [_summary(body) for body in wanted[:limit]]}
    if len(wanted) > limit:
        answer["LastEvaluatedBackupArn"] = wanted[limit - 1]["BackupArn"]
    return answer


def _is_wanted(body: Body, request: Request) -> bool:
    name = request.get("TableName")
    kind = request.get("BackupType", "USER")
    moment = body["BackupCreationDateTime"]
    return bool(
        (name is None or body["table"]["TableName"] == table_name(name))
        and kind in ("ALL", body["BackupType"])
        and moment >= request.get("TimeRangeLowerBound", moment)
        and moment < request.get("TimeRangeUpperBound", moment + 1)
    )


def _details(body: Body) -> Request:
    names = (
        "BackupArn",
        "BackupName",
        "BackupSizeBytes",
        "BackupStatus",
        "BackupType",
        "BackupCreationDateTime",
        "BackupExpiryDateTime",
    )
    return {name: body[name] for name in names if name in body}


def _summary(body: Body) -> Request:
    table = {name: body["table"][name] for name in ("TableName", "TableId", "TableArn")}
    return {**table, **_details(body)}


def _description(body: Body) -> Request:
    table = body["table"]
    source = {name: table[name] for name in _SOURCE_FIELDS}
    source["TableSizeBytes"] = body["BackupSizeBytes"]
    source["ItemCount"] = body["items"]
    source["TableCreationDateTime"] = table["CreationDateTime"]
    source["ProvisionedThroughput"] = _units(table)
    features: Request = {}
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if table.get(kind):
            features[kind] = [_index(index) for index in table[kind]]
    if "StreamSpecification" in table:
        features["StreamDescription"] = table["StreamSpecification"]
    features["TimeToLiveDescription"] = ttl_description(table)
    if "SSEDescription" in table:
        features["SSEDescription"] = table["SSEDescription"]
    return {
        "BackupDetails": _details(body),
        "SourceTableDetails": source,
        "SourceTableFeatureDetails": features,
    }


def _index(index: Body) -> Request:
    described = {name: index[name] for name in _INDEX_FIELDS}
    if "ProvisionedThroughput" in index:
        described["ProvisionedThroughput"] = _units(index)
    return described


def _units(body: Body) -> Request:
    units = body["ProvisionedThroughput"]
    return {name: units[name] for name in ("ReadCapacityUnits", "WriteCapacityUnits")}


# --- deleting, restoring -----------------------------------------------------------------


def delete_backup(engine: Engine, request: Request, shape: object) -> Work:
    arn = request["BackupArn"]

    def work(transaction: Transaction) -> Response:
        body = in_turn(transaction, arn)
        if body["BackupType"] == "SYSTEM":
            raise validation("A SYSTEM backup cannot be deleted; it expires by itself")
        _check_unused(engine, body)
        remove(engine, transaction, body)
        return {"BackupDescription": _description({**body, "BackupStatus": "DELETED"})}

    return work


def _check_unused(engine: Engine, body: Body) -> None:
    arn = body["BackupArn"]
    if body["BackupStatus"] == "CREATING":
        raise AwsError("BackupInUseException", f"Backup is being created: {arn}")
    if restores.uses(engine, **body["source"]):
        raise AwsError("BackupInUseException", f"Backup is being restored: {arn}")


def restore_table_from_backup(engine: Engine, request: Request, shape: object) -> Work:
    name = request["TargetTableName"]
    found = find(engine, request["BackupArn"])
    wanted = restores.definition(found["table"], request)

    def work(transaction: Transaction) -> Response:
        body = in_turn(transaction, request["BackupArn"])
        if body["BackupStatus"] == "CREATING":
            raise AwsError("BackupInUseException", f"Backup is being created: {body['BackupArn']}")
        summary = {
            "SourceBackupArn": body["BackupArn"],
            "SourceTableArn": body["table"]["TableArn"],
            "RestoreDateTime": body["BackupCreationDateTime"],
        }
        return restores.begin(engine, transaction, name, wanted, body["source"], summary)

    return work


def expire(engine: Engine) -> None:
    """Remove SYSTEM backups past their 35 days."""
    now = engine.clock.now()
    for body in all_backups(engine):
        if body.get("BackupExpiryDateTime", now) < now:
            engine.store.run(_expirer(engine, body))


def _expirer(engine: Engine, body: Body) -> Callable[[Transaction], None]:
    def work(transaction: Transaction) -> None:
        number = body["source"]["number"]
        if not (restores.uses(engine, number=number) or exporting(engine, number)):
            remove(engine, transaction, body)

    return work


def start(engine: Engine) -> None:
    """Take unfinished backups again, and remove files that belong to no backup."""
    backup_files.clean(
        engine, {body["source"]["file"] for body in all_backups(engine) if "file" in body["source"]}
    )
    for body in all_backups(engine):
        if body["BackupStatus"] == "CREATING":
            _add_job(engine, body["BackupArn"], pinned=False)


OPERATIONS = {
    "CreateBackup": (create_backup, True),
    "ListBackups": (list_backups, False),
    "DescribeBackup": (describe_backup, False),
    "DeleteBackup": (delete_backup, True),
    "RestoreTableFromBackup": (restore_table_from_backup, True),
}
