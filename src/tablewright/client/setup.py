"""Creating tables: for tests, tutorials and first starts, and the steps that deployment shares.

Every step here may be repeated: after a crash at any point, doing all of them again ends in the
same state. None alters the keys or the indexes of a table that is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tablewright.client.attempts import Body, Call, as_service_error, send
from tablewright.client.context import Context
from tablewright.client.steps import Flow, Pause
from tablewright.client.transports.wire import Failure, Response
from tablewright.model.errors import ServiceError, Unavailable
from tablewright.model.model import Model
from tablewright.model.table import Table
from tablewright.model.tables import create_request, pitr_request, ttl_request

#: Seconds that tables get to become ACTIVE.
PATIENCE = 300.0
_FIRST_WAIT = 0.05
_LONGEST_WAIT = 2.0

#: Told about a table and the status it is in now.
Tell: TypeAlias = Callable[[Table, str], object]


def create_tables(context: Context, given: Sequence[Table | Model]) -> Flow[list[str]]:
    """Create what is missing, wait until it can be used, then set what CreateTable cannot.

    Tables that exist stay as they are. That includes one of a start that crashed before it had set
    its time to live: ``tablewright tables setup`` completes it.
    """
    tables = tables_of(given)
    created: list[Table] = []
    for table in tables:
        made = yield from create_table(context, table)
        if made:
            created.append(table)
    yield from until_active(context, tables)
    for table in created:
        yield from enable_ttl(context, table)
        yield from enable_pitr(context, table)
    return [table.name for table in created]


def tables_of(given: Sequence[Table | Model]) -> list[Table]:
    """Every table once, in the order of declaration."""
    found: dict[str, Table] = {}
    for each in given:
        for table in each.tables.values() if isinstance(each, Model) else (each,):
            found.setdefault(table.name, table)
    return list(found.values())


def create_table(context: Context, table: Table) -> Flow[bool]:
    """Create a table; False if there is one of its name."""
    try:
        yield from ask(context, table, "CreateTable", create_request(table))
    except ServiceError as error:
        if error.aws_code == "ResourceInUseException":
            return False
        raise
    return True


def until_active(
    context: Context,
    tables: Sequence[Table],
    tell: Tell = lambda table, status: None,
    patience: float = PATIENCE,
) -> Flow[None]:
    """Wait for all of the tables together, their indexes included."""
    waiting, waited, wait = list(tables), 0.0, _FIRST_WAIT
    while True:
        statuses = []
        for table in waiting:
            statuses.append((yield from status_of(context, table)))
            tell(table, statuses[-1])
        both = zip(waiting, statuses, strict=True)
        waiting = [table for table, status in both if status != "ACTIVE"]
        if not waiting:
            return
        if waited >= patience:
            names = ", ".join(table.name for table in waiting)
            raise Unavailable(f"not ACTIVE after {patience:.0f} s: {names}")
        yield Pause(wait)
        waited, wait = waited + wait, min(2 * wait, _LONGEST_WAIT)


def status_of(context: Context, table: Table) -> Flow[str]:
    """ACTIVE if the table and all of its indexes are; else what it waits for."""
    try:
        response = yield from ask(context, table, "DescribeTable", {})
    except ServiceError as error:
        # For a moment after it was created, a table may not be seen yet.
        if error.aws_code == "ResourceNotFoundException":
            return "CREATING"
        raise
    described = response.body["Table"]
    status: str = described["TableStatus"]
    for index in described.get("GlobalSecondaryIndexes") or ():
        if index.get("IndexStatus", "ACTIVE") != "ACTIVE":
            return f"index {index['IndexName']} {index['IndexStatus']}"
    return status


def enable_ttl(context: Context, table: Table) -> Flow[bool]:
    """Switch time to live on where it is off; whether that was needed."""
    wanted = ttl_request(table)
    if wanted is None:
        return False
    response = yield from ask(context, table, "DescribeTimeToLive", {})
    if response.body["TimeToLiveDescription"]["TimeToLiveStatus"] not in ("DISABLED", "DISABLING"):
        return False
    yield from ask(context, table, "UpdateTimeToLive", wanted)
    return True


def enable_pitr(context: Context, table: Table) -> Flow[bool]:
    """Switch recovery on where it is off; whether that was needed, and can be done there."""
    wanted = pitr_request(table)
    if wanted is None:
        return False
    try:
        response = yield from ask(context, table, "DescribeContinuousBackups", {})
        described = response.body["ContinuousBackupsDescription"]
        recovery = described.get("PointInTimeRecoveryDescription") or {}
        if recovery.get("PointInTimeRecoveryStatus") == "ENABLED":
            return False
        yield from _update_pitr(context, table, wanted)
    except ServiceError as error:
        # Emulators without backups are still good for everything else.
        if error.aws_code != "UnknownOperationException":
            raise
        return False
    return True


def _update_pitr(context: Context, table: Table, wanted: Body) -> Flow[None]:
    waited, wait = 0.0, 1.0
    while True:
        try:
            yield from ask(context, table, "UpdateContinuousBackups", wanted)
            return
        except ServiceError as error:
            # Backups of a new table are being prepared for a while after it is ACTIVE.
            preparing = error.aws_code == "ContinuousBackupsUnavailableException"
            if not preparing or waited >= PATIENCE / 5:
                raise
        yield Pause(wait)
        waited, wait = waited + wait, 2 * wait


def ask(context: Context, table: Table, operation: str, body: Body) -> Flow[Response]:
    """Send one request about a table; raises :class:`ServiceError` if it is refused."""
    body = {**body, "TableName": context.physical(table.name)}
    try:
        return (yield from send(context, Call("setup", None, table.name), operation, body))
    except Failure as failure:
        raise as_service_error(failure) from None
