"""BatchExecuteStatement: up to 25 statements, each about one item and each by itself.

All of them read or all of them write; whatever goes wrong with one is reported in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tablewright.engine.capacity import wants_capacity, write_units
from tablewright.engine.catalog import Outdated
from tablewright.engine.errors import AwsError, as_aws_error, validation
from tablewright.engine.handler import Request, Response, Shape
from tablewright.engine.items.batches import DUPLICATES
from tablewright.engine.items.changes import Change
from tablewright.engine.items.single import read_item
from tablewright.engine.items.writes import read_row
from tablewright.engine.partiql.execute import writing_work
from tablewright.engine.partiql.selects import Selection, add_report, single_item
from tablewright.engine.partiql.statements import (
    Prepared,
    is_write,
    prepare,
    refuse_exists,
    statement_of,
)
from tablewright.engine.partiql.syntax import Select
from tablewright.engine.schema import Key, Table
from tablewright.engine.storage.transaction import ANSWERS, Transaction, Work

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

_CODES = {
    "ValidationException": "ValidationError",
    "ConditionalCheckFailedException": "ConditionalCheckFailed",
    "DuplicateItemException": "DuplicateItem",
    "ResourceNotFoundException": "ResourceNotFound",
    "ProvisionedThroughputExceededException": "ProvisionedThroughputExceeded",
    "ItemCollectionSizeLimitExceededException": "ItemCollectionSizeLimitExceeded",
    "RequestLimitExceeded": "RequestLimitExceeded",
    "ThrottlingException": "ThrottlingError",
    "TransactionConflictException": "TransactionConflict",
    "AccessDeniedException": "AccessDenied",
}


@dataclass(slots=True)
class Member:
    """One statement of a batch: what it became, or why it did not."""

    request: dict[str, Any]
    prepared: Prepared | None = None
    table: Table | None = None
    key: Key | None = None
    error: AwsError | None = None
    change: Change | None = None
    work: Work | None = None


@dataclass(slots=True)
class Capacity:
    """What a batch has used: by table, and by failures, which no table or index counts."""

    used: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: dict[str, float] = field(default_factory=dict)

    def add(self, response: Response, table: Table) -> None:
        entry = response.get("ConsumedCapacity")
        if entry is not None:
            add_report(self.used.setdefault(table.name, {}), entry)

    def entries(self) -> list[dict[str, object]]:
        for name, units in self.failed.items():
            if name in self.used:
                self.used[name]["CapacityUnits"] += units
        return list(self.used.values())


def writes_batch(request: Request) -> bool:
    """Whether any of the statements changes something."""
    return any(is_write(statement) for statement in request["Statements"])


def batch_execute_statement(engine: Engine, request: Request, shape: Shape) -> Response | Work:
    """Read or write up to 25 items."""
    members = [_member(engine, each) for each in request["Statements"]]
    writing = writes_batch(request)
    if writing and any(isinstance(statement_of(member.request), Select) for member in members):
        raise validation("Read and write requests together in the same batch is not supported.")
    mode = request.get("ReturnConsumedCapacity", "NONE")
    for member in members:
        if member.error is None:
            _try(member, lambda member: _bind(engine, member, mode, shape))
    places = [(m.table.number, m.key) for m in members if m.table is not None and m.key is not None]
    if len(set(places)) < len(places):
        raise validation(DUPLICATES)
    if writing:
        return _writing(engine, request, members, shape)
    capacity = Capacity()
    responses = [_read(engine, member, mode, shape, capacity) for member in members]
    return _response(request, responses, capacity)


def _member(engine: Engine, request: dict[str, Any]) -> Member:
    member = Member(request)
    _try(member, lambda member: _prepare(engine, member))
    return member


def _prepare(engine: Engine, member: Member) -> None:
    prepared = prepare(engine, member.request)
    refuse_exists(prepared)
    member.prepared = prepared


def _bind(engine: Engine, member: Member, mode: str, shape: Shape) -> None:
    prepared = member.prepared
    assert prepared is not None
    table = engine.catalog.table(prepared.statement.target.table)
    if isinstance(prepared, Selection):
        item = _single_item(prepared, table)
        member.key = table.locate(item)
    else:
        change = prepared.bind(table)
        request = {**member.request, "ReturnConsumedCapacity": mode}
        member.work = writing_work(engine, request, shape, prepared, change)
        member.key, member.change = change.key, change
    member.table = table


def _single_item(selection: Selection, table: Table) -> Any:
    if selection.statement.target.index is not None:
        raise validation(
            "Select statements within BatchExecuteStatement must specify the primary key in the "
            "where clause."
        )
    return single_item(selection, table, "BatchExecuteStatement")


def _try(member: Member, step: Callable[[Member], None]) -> None:
    try:
        step(member)
    except ANSWERS as error:
        member.error = as_aws_error(error)


# --- running -----------------------------------------------------------------------------


def _read(
    engine: Engine, member: Member, mode: str, shape: Shape, capacity: Capacity
) -> dict[str, Any]:
    if member.error is not None or member.table is None or member.key is None:
        return _failed(member)
    selection = member.prepared
    assert isinstance(selection, Selection)
    request = {**member.request, "ReturnConsumedCapacity": mode}
    try:
        found = read_item(engine, request, shape, member.table, member.key, selection.columns)
    except AwsError as error:
        member.error = error
        return _failed(member)
    capacity.add(found, member.table)
    entry = {"TableName": member.table.name}
    return {**entry, "Item": found["Item"]} if "Item" in found else entry


def _writing(engine: Engine, request: Request, members: list[Member], shape: Shape) -> Work:
    tables = {m.table.name: m.table for m in members if m.table is not None}

    def work(transaction: Transaction) -> Response:
        for table in tables.values():
            engine.catalog.check_current(table)
        capacity = Capacity()
        responses = [_write(transaction, member, shape, capacity) for member in members]
        return _response(request, responses, capacity)

    return work


def _write(
    transaction: Transaction, member: Member, shape: Shape, capacity: Capacity
) -> dict[str, Any]:
    if member.error is not None or member.table is None or member.work is None:
        return _failed(member)
    try:
        response = member.work(transaction)
    except Outdated:
        raise
    except ANSWERS as error:
        _charge_failure(transaction, member, capacity)
        return _failed(Member(member.request, table=member.table, error=as_aws_error(error)))
    capacity.add(response, member.table)
    entry: dict[str, Any] = {"TableName": member.table.name}
    attributes = response.get("Attributes")
    return entry if attributes is None else {**entry, "Item": attributes}


def _charge_failure(transaction: Transaction, member: Member, capacity: Capacity) -> None:
    """A write that its condition stops costs what it would have cost."""
    change = member.change
    if change is None:
        return
    row = read_row(transaction, change.table, change.key)
    try:
        size = change.outcome(row)[1]
    except ANSWERS:
        size = 0
    units = write_units(max(size, row.size if row is not None else 0))
    name = change.table.name
    capacity.failed[name] = capacity.failed.get(name, 0.0) + units


def _failed(member: Member) -> dict[str, Any]:
    """The entry of a statement that went wrong; the table is named once it had been found."""
    error = member.error
    assert error is not None
    entry: dict[str, Any] = {
        "Error": {
            "Code": _CODES.get(error.code, "InternalServerError"),
            "Message": error.message,
        }
    }
    if "Item" in error.extra:
        entry["Error"]["Item"] = error.extra["Item"]
    if member.table is not None:
        entry["TableName"] = member.table.name
    elif error.code == "ResourceNotFoundException" and member.prepared is not None:
        entry["TableName"] = member.prepared.statement.target.table
    return entry


def _response(request: Request, responses: list[Any], capacity: Capacity) -> Response:
    response: Response = {"Responses": responses}
    if wants_capacity(request) and capacity.used:
        response["ConsumedCapacity"] = capacity.entries()
    return response
