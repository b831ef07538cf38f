"""What is kept about backups: one row each, and the table or file that holds the items.

A table with point-in-time recovery that is deleted becomes a SYSTEM backup: its rows and its log
stay where they are for 35 days. How backups are taken and used is in ``requests``.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import orjson

from tablewright.engine.backups import files as backup_files
from tablewright.engine.errors import AwsError
from tablewright.engine.schema import Body, Table
from tablewright.engine.storage.transaction import Transaction
from tablewright.engine.tables import backfill
from tablewright.engine.tables.describe import counts

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

log = logging.getLogger("tablewright.engine")

SYSTEM_SECONDS = 35 * 24 * 3600

SCHEMA = """
CREATE TABLE IF NOT EXISTS backups (arn TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
"""


def new_backup(
    engine: Engine, transaction: Transaction, table: Table, name: str, kind: str, number: int
) -> Body:
    """What is kept about a backup."""
    items, size = counts(engine, table.number)
    pending = transaction.counts.get(table.number, (0, 0))
    return {
        "BackupArn": f"{table.arn}/backup/{int(transaction.now * 1000):014d}-{number:08x}",
        "BackupName": name,
        "BackupStatus": "CREATING",
        "BackupType": kind,
        "BackupCreationDateTime": transaction.now,
        "BackupSizeBytes": size + pending[1],
        "items": items + pending[0],
        "table": table.body,
    }


def save(transaction: Transaction, body: Body) -> None:
    transaction.changes += 1
    transaction.execute(
        "REPLACE INTO backups (arn, body) VALUES (?, ?)", (body["BackupArn"], orjson.dumps(body))
    )


def find(engine: Engine, arn: str) -> Body:
    """The backup of that ARN."""
    for (blob,) in engine.store.rows("SELECT body FROM backups WHERE arn=?", (arn,)):
        body: Body = orjson.loads(blob)
        return body
    raise _not_found(arn)


def _not_found(arn: str) -> AwsError:
    return AwsError("BackupNotFoundException", f"Backup not found: {arn}")


def all_backups(engine: Engine) -> list[Body]:
    """Every backup, oldest first."""
    bodies = [orjson.loads(blob) for (blob,) in engine.store.rows("SELECT body FROM backups", ())]
    return sorted(bodies, key=lambda body: (body["BackupCreationDateTime"], body["BackupArn"]))


def in_turn(transaction: Transaction, arn: str) -> Body:
    """The same, as the works before this one have left it."""
    rows: list[Any] = transaction.execute("SELECT body FROM backups WHERE arn=?", (arn,)).fetchall()
    if not rows:
        raise _not_found(arn)
    body: Body = orjson.loads(rows[0][0])
    return body


def remove(engine: Engine, transaction: Transaction, body: Body) -> None:
    """Forget a backup, and with it what it was made of."""
    transaction.changes += 1
    transaction.execute("DELETE FROM backups WHERE arn=?", (body["BackupArn"],))
    source = body["source"]
    if "file" in source:
        transaction.after_commit(lambda: _unlink(engine, source["file"]))
    else:
        transaction.execute(
            "INSERT OR IGNORE INTO garbage (name) VALUES (?)", (f"t{source['number']}",)
        )
        transaction.after_commit(lambda: backfill.clear_garbage(engine))


def _unlink(engine: Engine, name: str) -> None:
    try:
        backup_files.path_of(engine, name).unlink(missing_ok=True)
    except OSError as error:
        # The next opening finds a file that belongs to no backup, and tries again.
        log.warning("the backup file %s could not be removed: %s", name, error)


# --- deleted tables ----------------------------------------------------------------------


def keep_deleted(engine: Engine, transaction: Transaction, table: Table) -> None:
    """Keep a table with point-in-time recovery that has just been dropped."""
    if not table.recovery:
        return
    transaction.execute("DELETE FROM garbage WHERE name=?", (f"t{table.number}",))
    number = engine.catalog.next_number(transaction)
    name = f"{table.name}$DeletedTableBackup"
    body = new_backup(engine, transaction, table, name, "SYSTEM", number)
    body["BackupStatus"] = "AVAILABLE"
    body["BackupExpiryDateTime"] = transaction.now + SYSTEM_SECONDS
    body["source"] = {"number": table.number, "sequence": None}
    save(transaction, body)


def deleted_table(engine: Engine, name: str) -> Body | None:
    """The newest SYSTEM backup of a deleted table of that name."""
    found = [
        body
        for body in all_backups(engine)
        if body["BackupType"] == "SYSTEM" and body["table"]["TableName"] == name
    ]
    return found[-1] if found else None
