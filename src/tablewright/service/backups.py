"""A backup of a system's tables each day, and the end of old ones.

Nothing is remembered but the backups themselves: which of them exist says what there is to do, so
it may be stopped, run again, and run by another process at any time. A night that was missed is
made up for. Backups that people have taken by hand are left alone.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from tablewright.client.backups import Backup, backups_of, create_backup, delete_backup
from tablewright.model.errors import ServiceError
from tablewright.model.table import Table
from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.service.runtime import Runtime

log = logging.getLogger("tablewright.backups")

NAME: Final = "backup"
EVERY_SECS: Final = 900.0
#: When a day's backup is due, in UTC.
HOUR: Final = 2
_OURS = re.compile(r"daily-[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch
#: What databases say that take no backups, such as DynamoDB Local.
_CANNOT = frozenset({"UnknownOperationException", "UnsupportedOperationException"})


class DailyBackups:
    """Of some tables, under one lease."""

    def __init__(
        self, runtime: Runtime, tables: Sequence[Table], *, hour: int = HOUR, keep_days: int = 7
    ) -> None:
        self._runtime = runtime
        self._tables = tables
        self._hour = hour
        self._kept = timedelta(days=keep_days)
        self._can = True
        self._last = runtime.metrics.gauge(
            "tablewright_last_backup_timestamp_seconds",
            "When the latest daily backup of a table was taken.",
            ("system", "table"),
        )

    async def run(self) -> None:
        """Take what is due, and delete what is too old."""
        for table in self._tables if self._can else ():
            try:
                await self._look_after(table)
            except ServiceError as error:
                if error.aws_code not in _CANNOT:
                    raise
                self._can = False
                log.info("this database takes no backups: %s", error)
                return

    async def _look_after(self, table: Table) -> None:
        db = self._runtime.db
        now = datetime.fromtimestamp(self._runtime.clock.now(), UTC)
        found = [each for each in await db.drive(backups_of(db.context, table)) if _OURS(each.name)]
        name = f"daily-{self._due(now):%Y-%m-%d}"
        if name not in {each.name for each in found}:
            found.append(await db.drive(create_backup(db.context, table, name)))
            log.info("took the backup %s of %s", name, table.name)
        latest = max(each.created_at for each in found)
        self._last.labels(self._runtime.system, table.name).set(latest)
        for each in found:
            await self._end(table, each, now)

    def _due(self, now: datetime) -> datetime:
        """The last time that a backup was due."""
        today = now.replace(hour=self._hour, minute=0, second=0, microsecond=0)
        return today if today <= now else today - timedelta(days=1)

    async def _end(self, table: Table, backup: Backup, now: datetime) -> None:
        if backup.created_at > (now - self._kept).timestamp() or backup.status == "CREATING":
            return
        db = self._runtime.db
        try:
            await db.drive(delete_backup(db.context, table, backup))
        except ServiceError as error:
            # Another process was quicker, or somebody restores from it just now.
            if error.aws_code not in ("BackupNotFoundException", "BackupInUseException"):
                raise
            return
        log.info("deleted the backup %s of %s", backup.name, table.name)


def worker(runtime: Runtime, tables: Sequence[Table], *, keep_days: int = 7) -> Worker:
    """Looks every quarter of an hour whether there is something to do."""
    daily = DailyBackups(runtime, tables, keep_days=keep_days)

    async def run(held: Held) -> None:
        await daily.run()

    return Worker(NAME, EVERY_SECS, run)
