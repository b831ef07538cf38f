"""ExecuteStatement: one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablewright.engine.errors import AwsError
from tablewright.engine.handler import Request, Response, Shape
from tablewright.engine.items.changes import Change
from tablewright.engine.items.single import change_work
from tablewright.engine.partiql.selects import Selection, select
from tablewright.engine.partiql.statements import prepare, refuse_exists
from tablewright.engine.partiql.syntax import Delete, Update
from tablewright.engine.partiql.writing import (
    RETURNS,
    Alteration,
    Insertion,
    duplicate_item,
)
from tablewright.engine.storage.transaction import Transaction, Work

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


def execute_statement(engine: Engine, request: Request, shape: Shape) -> Response | Work:
    """Answer a SELECT; return the work of anything else."""
    prepared = prepare(engine, request)
    refuse_exists(prepared)
    if isinstance(prepared, Selection):
        return select(engine, request, shape, prepared)
    table = engine.catalog.table(prepared.statement.target.table)
    change = writing_work(engine, request, shape, prepared, prepared.bind(table))

    def work(transaction: Transaction) -> Response:
        response = change(transaction)
        attributes = response.pop("Attributes", None)
        return {"Items": [] if attributes is None else [attributes], **response}

    return work


def writing_work(
    engine: Engine,
    request: dict[str, Any],
    shape: Shape,
    prepared: Insertion | Alteration,
    change: Change,
) -> Work:
    """The work of one INSERT, UPDATE or DELETE: that of the operation it stands for."""
    statement = prepared.statement
    returning = statement.returning if isinstance(statement, Update | Delete) else None
    wanted = {
        "ReturnValues": RETURNS[returning],
        "ReturnConsumedCapacity": request.get("ReturnConsumedCapacity", "NONE"),
        "ReturnValuesOnConditionCheckFailure": request.get("ReturnValuesOnConditionCheckFailure"),
    }
    work = change_work(engine, wanted, shape, change)
    if not isinstance(prepared, Insertion):
        return work

    def insert(transaction: Transaction) -> Response:
        try:
            response: Response = work(transaction)
            return response
        except AwsError as error:
            if error.code == "ConditionalCheckFailedException":
                raise duplicate_item() from None
            raise

    return insert
