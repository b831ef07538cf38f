"""Creating tables: for tests, tutorials and first starts."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.client.attempts import Body, Call, as_service_error, send
from tablewright.client.context import Context
from tablewright.client.steps import Flow, Pause
from tablewright.client.transports.wire import Failure, Response
from tablewright.model.errors import Unavailable
from tablewright.model.model import Model
from tablewright.model.table import Table
from tablewright.model.tables import create_request, pitr_request, ttl_request

_POLL = 0.5
_PATIENCE = 600


def create_tables(context: Context, given: Sequence[Table | Model]) -> Flow[list[str]]:
    """Create what is missing, wait until it can be used, then set what CreateTable cannot."""
    created: list[str] = []
    for table in _tables(given):
        made = yield from _create(context, table)
        if made:
            created.append(table.name)
    for table in _tables(given):
        yield from _active(context, table)
        yield from _set_ttl(context, table)
        yield from _set_pitr(context, table)
    return created


def _set_ttl(context: Context, table: Table) -> Flow[None]:
    wanted = ttl_request(table)
    if wanted is None:
        return
    response = yield from _ask(context, table, "DescribeTimeToLive", {})
    if response.body["TimeToLiveDescription"]["TimeToLiveStatus"] in ("DISABLED", "DISABLING"):
        yield from _ask(context, table, "UpdateTimeToLive", wanted)


def _set_pitr(context: Context, table: Table) -> Flow[None]:
    wanted = pitr_request(table)
    if wanted is None:
        return
    try:
        yield from _send(context, table, "UpdateContinuousBackups", wanted)
    except Failure as failure:
        # Emulators without backups are still good for everything else.
        if failure.code != "UnknownOperationException":
            raise as_service_error(failure) from None


def _create(context: Context, table: Table) -> Flow[bool]:
    try:
        yield from _send(context, table, "CreateTable", create_request(table))
    except Failure as failure:
        if failure.code == "ResourceInUseException":
            return False
        raise as_service_error(failure) from None
    return True


def _active(context: Context, table: Table) -> Flow[None]:
    for _ in range(_PATIENCE):
        response = yield from _ask(context, table, "DescribeTable", {})
        described = response.body["Table"]
        indexes = described.get("GlobalSecondaryIndexes", ())
        states = {described["TableStatus"], *(each["IndexStatus"] for each in indexes)}
        if states == {"ACTIVE"}:
            return
        yield Pause(_POLL)
    raise Unavailable(f"table {table.name} did not become ACTIVE in {_PATIENCE * _POLL:.0f} s")


def _ask(context: Context, table: Table, operation: str, body: Body) -> Flow[Response]:
    try:
        return (yield from _send(context, table, operation, body))
    except Failure as failure:
        raise as_service_error(failure) from None


def _send(context: Context, table: Table, operation: str, body: Body) -> Flow[Response]:
    body = {**body, "TableName": context.physical(table.name)}
    return (yield from send(context, Call("setup", None, table.name), operation, body))


def _tables(given: Sequence[Table | Model]) -> list[Table]:
    found: dict[str, Table] = {}
    for each in given:
        for table in each.tables.values() if isinstance(each, Model) else (each,):
            found.setdefault(table.name, table)
    return list(found.values())
