"""Continuous backups: point-in-time recovery on and off, and going back to a moment.

Here a change can be restored the instant it is made; the service needs about five minutes for
that. A table that was deleted can be brought back to any moment of its window as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from tablewright.engine.backups import kept as backup_store
from tablewright.engine.backups import recovery, restores
from tablewright.engine.backups import requests as backups
from tablewright.engine.backups.transfers import exporting
from tablewright.engine.catalog import table_name
from tablewright.engine.errors import AwsError
from tablewright.engine.handler import Request, Response
from tablewright.engine.schema import Body
from tablewright.engine.storage.transaction import Transaction, Work

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


DAY = 24 * 3600
MAX_DAYS = 35
#: How much longer the log is kept than it is offered, for restores that are under way.
SPARE_SECONDS = DAY
#: How often the log is shortened, and how many rows at a time.
PRUNE_SECONDS = 60.0
PRUNE_ROWS = 100


# --- on and off --------------------------------------------------------------------------


def update_continuous_backups(engine: Engine, request: Request, shape: object) -> Work:
    table = backups.source_table(engine, request["TableName"])
    wanted = request["PointInTimeRecoverySpecification"]

    def work(transaction: Transaction) -> Response:
        engine.catalog.check_current(table)
        if table.body["TableStatus"] == "CREATING":
            raise _unavailable(f"Table is being created: {table.name}")
        if wanted["PointInTimeRecoveryEnabled"]:
            body = _switched_on(transaction, table.body, wanted.get("RecoveryPeriodInDays"))
        else:
            if restores.uses(engine, number=table.number) or exporting(engine, table.number):
                raise _unavailable(f"A restore or export is under way: {table.name}")
            body = {name: value for name, value in table.body.items() if name != "recovery"}
        engine.catalog.save(transaction, body)
        return _description(engine, body)

    return work


def _switched_on(transaction: Transaction, body: Body, days: int | None) -> Body:
    kept = body.get("recovery") or {
        "since": transaction.now,
        "first": recovery.last_sequence(transaction.execute, body["number"]) + 1,
    }
    # The longest period unless another is given, also if another was given before.
    return {**body, "recovery": {**kept, "days": days or MAX_DAYS}}


def _unavailable(message: str) -> AwsError:
    return AwsError("ContinuousBackupsUnavailableException", message)


def describe_continuous_backups(engine: Engine, request: Request, shape: object) -> Response:
    return _description(engine, backups.source_table(engine, request["TableName"]).body)


def _description(engine: Engine, body: Body) -> Request:
    described: Request = {"PointInTimeRecoveryStatus": "DISABLED"}
    if body.get("recovery"):
        window = Window(body, engine.clock.now())
        described = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": body["recovery"]["days"],
            "EarliestRestorableDateTime": window.earliest,
            "LatestRestorableDateTime": window.latest,
        }
    # Backups can be taken of every table, so this status is never DISABLED.
    return {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "ENABLED",
            "PointInTimeRecoveryDescription": described,
        }
    }


# --- the past ----------------------------------------------------------------------------


class Window(NamedTuple):
    """A table with point-in-time recovery, and the last moment that can be restored."""

    body: Body
    latest: float

    @property
    def earliest(self) -> float:
        kept = self.body["recovery"]
        # A clock that was set back must not make the window end before it begins.
        earliest: float = max(kept["since"], self.latest - kept["days"] * DAY)
        return min(self.latest, earliest)

    def holds(self, moment: float) -> bool:
        # Callers speak in whole seconds: the second in which the window begins counts as within.
        return int(self.earliest) <= moment <= self.latest

    def sequence(self, engine: Engine, moment: float | None, *, inclusive: bool = True) -> int:
        """The last change made by ``moment``; None stands for the latest moment."""
        number = self.body["number"]
        with engine.store.reading() as connection:
            if moment is None:
                return recovery.last_sequence(connection.execute, number)
            first = self.body["recovery"]["first"]
            return recovery.sequence_at(
                connection.execute, number, first, moment, inclusive=inclusive
            )


def window(engine: Engine, name: str) -> Window:
    """The recovery window of a table, which may have been deleted."""
    table = engine.catalog.find(name)
    if table is not None:
        if not table.recovery:
            raise recovery_unavailable(name)
        return Window(table.body, engine.clock.now())
    deleted = backup_store.deleted_table(engine, name)
    if deleted is None:
        raise AwsError("TableNotFoundException", f"Table not found: {name}")
    return Window(deleted["table"], deleted["BackupCreationDateTime"])


def recovery_unavailable(name: str) -> AwsError:
    return AwsError(
        "PointInTimeRecoveryUnavailableException",
        f"Point in time recovery is not enabled for table '{name}'",
    )


def restore_table_to_point_in_time(engine: Engine, request: Request, shape: object) -> Work:
    restores.only_one(request, "SourceTableName", "SourceTableArn")
    restores.only_one(request, "RestoreDateTime", "UseLatestRestorableTime")
    name = table_name(request.get("SourceTableName") or request["SourceTableArn"])
    past = window(engine, name)
    moment: float | None = request.get("RestoreDateTime")
    if moment is not None and not past.holds(moment):
        raise AwsError(
            "InvalidRestoreTimeException",
            "An invalid restore time was specified. RestoreDateTime must be between "
            "EarliestRestorableDateTime and LatestRestorableDateTime.",
        )
    wanted = restores.definition(past.body, request)
    source = {"number": past.body["number"], "sequence": past.sequence(engine, moment)}
    summary = {
        "SourceTableArn": past.body["TableArn"],
        "RestoreDateTime": past.latest if moment is None else moment,
    }

    def work(transaction: Transaction) -> Response:
        # The source may have been deleted meanwhile (it is kept), or its log given up.
        if window(engine, name).body["number"] != source["number"]:
            raise recovery_unavailable(name)
        return restores.begin(
            engine, transaction, request["TargetTableName"], wanted, source, summary
        )

    return work


# --- retention ---------------------------------------------------------------------------


def prune(engine: Engine) -> None:
    """Remove what is older than the window from the log, and logs nobody needs."""
    for _ in _prune(engine):
        pass


def _prune(engine: Engine) -> Iterator[object]:
    backups.expire(engine)
    horizon = engine.clock.now() - MAX_DAYS * DAY - SPARE_SECONDS
    with engine.store.reading() as connection:
        logged = recovery.logged_tables(connection.execute)
    for number in logged:
        first = _first_needed(engine, number)
        if first is None:
            work = _forgetter(engine, number)
        elif _is_old(engine, number, first, horizon):
            work = _pruner(number, first, horizon)
        else:
            continue
        while engine.store.run(work):
            yield None


def _first_needed(engine: Engine, number: int) -> int | None:
    """The first change of a table that may still be asked for; None if its log is not needed."""
    bodies = [table.body for table in engine.catalog]
    bodies += [
        body["table"] for body in backup_store.all_backups(engine) if body["BackupType"] == "SYSTEM"
    ]
    for body in bodies:
        if body["number"] == number and body.get("recovery"):
            first: int = body["recovery"]["first"]
            return first
    return None


def _is_old(engine: Engine, number: int, first: int, horizon: float) -> bool:
    """A glance at the oldest row, which does not keep writers waiting."""
    rows = engine.store.rows(
        "SELECT sequence, moment FROM recovery_log WHERE number=? ORDER BY sequence LIMIT 1",
        (number,),
    )
    return bool(rows) and (rows[0][0] < first or rows[0][1] < horizon)


def _pruner(number: int, first: int, horizon: float) -> Callable[[Transaction], bool]:
    return lambda transaction: recovery.prune_slice(transaction, number, first, horizon, PRUNE_ROWS)


def _forgetter(engine: Engine, number: int) -> Callable[[Transaction], bool]:
    def work(transaction: Transaction) -> bool:
        if _first_needed(engine, number) is not None:
            return False  # switched on again meanwhile
        return recovery.forget_slice(transaction, number, PRUNE_ROWS)

    return work


def start(engine: Engine) -> None:
    """Shorten the log now and then."""

    def look() -> None:
        engine.jobs.add("recovery log", lambda: _prune(engine))

    engine.jobs.every("recovery log", PRUNE_SECONDS, look)


OPERATIONS = {
    "UpdateContinuousBackups": (update_continuous_backups, True),
    "DescribeContinuousBackups": (describe_continuous_backups, False),
    "RestoreTableToPointInTime": (restore_table_to_point_in_time, True),
}
