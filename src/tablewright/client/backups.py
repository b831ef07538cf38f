"""On-demand backups of tables: taken, listed, deleted. ``db.drive(create_backup(...))``."""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.client.attempts import Body, Call, Repeat, as_service_error, send
from tablewright.client.context import Context
from tablewright.client.steps import Flow
from tablewright.client.transports.wire import Failure, Response
from tablewright.model.table import Table


@dataclass(frozen=True)
class Backup:
    """A table as it was at one moment."""

    arn: str
    name: str
    #: Seconds since the epoch.
    created_at: float
    #: CREATING, AVAILABLE or DELETED.
    status: str


def create_backup(context: Context, table: Table, name: str) -> Flow[Backup]:
    """Take one. Names need not be unique: who repeats a request may have two."""
    body = {"TableName": context.physical(table.name), "BackupName": name}
    response = yield from _ask(context, table, "CreateBackup", body, Repeat.NEVER)
    return _backup(response.body["BackupDetails"])


def backups_of(context: Context, table: Table) -> Flow[list[Backup]]:
    """Those of a table that somebody has asked for, the oldest first."""
    asked: Body = {"TableName": context.physical(table.name), "BackupType": "USER"}
    found: list[Backup] = []
    while True:
        response = yield from _ask(context, table, "ListBackups", dict(asked), Repeat.SAFE)
        found += map(_backup, response.body["BackupSummaries"])
        last = response.body.get("LastEvaluatedBackupArn")
        if last is None:
            return sorted(found, key=lambda each: (each.created_at, each.arn))
        asked["ExclusiveStartBackupArn"] = last


def delete_backup(context: Context, table: Table, backup: Backup) -> Flow[None]:
    yield from _ask(context, table, "DeleteBackup", {"BackupArn": backup.arn}, Repeat.SAFE)


def _ask(
    context: Context, table: Table, operation: str, body: Body, repeat: Repeat
) -> Flow[Response]:
    try:
        return (yield from send(context, Call("backup", None, table.name), operation, body, repeat))
    except Failure as failure:
        raise as_service_error(failure) from None


def _backup(told: Body) -> Backup:
    return Backup(
        told["BackupArn"],
        told["BackupName"],
        float(told["BackupCreationDateTime"]),
        told["BackupStatus"],
    )
