"""ExecuteTransaction: up to 100 statements, all or nothing, all reading or all writing.

Once the statements are changes or keys, the transaction is that of ``transactions``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.handler import Request, Response, Shape
from tablewright.engine.items.transactions import (
    NONE,
    Reason,
    cancelled,
    locate_all,
    read_together,
    refuse_repeats,
    transaction_work,
)
from tablewright.engine.partiql.literals import parameters
from tablewright.engine.partiql.selects import Selection, single_item
from tablewright.engine.partiql.statements import Prepared, is_write, prepare_with, statement_of
from tablewright.engine.partiql.syntax import Delete, Exists, Update
from tablewright.engine.partiql.writing import Alteration, Insertion, duplicate_item
from tablewright.engine.schema import EmptyKey, Table
from tablewright.engine.storage.transaction import ANSWERS, Transaction, Work
from tablewright.values import Item

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

_NOT_FOUND: Reason = {"Code": "ResourceNotFound", "Message": "Requested resource not found"}


def writes_transaction(request: Request) -> bool:
    """Whether any of the statements changes or checks something."""
    return any(
        is_write(each) or isinstance(statement_of(each), Exists)
        for each in request["TransactStatements"]
    )


def execute_transaction(engine: Engine, request: Request, shape: Shape) -> Response | Work:
    """Read or change up to 100 items as of one moment."""
    statements = request["TransactStatements"]
    values = [parameters(each) for each in statements]
    prepared: list[Prepared] = []
    for number, each in enumerate(statements):
        try:
            prepared.append(prepare_with(engine, each, values[number]))
        except ANSWERS as error:
            raise _misplaced(number, error) from None
    if len({isinstance(each, Selection) for each in prepared}) > 1:
        raise validation(
            "ExecuteTransaction API does not support both read and write operations in the same "
            "request."
        )
    tables, keys = _find_tables(engine, prepared)
    if not writes_transaction(request):
        columns = [each.columns for each in prepared if isinstance(each, Selection)]
        located = locate_all(tables, keys)
        return read_together(engine, request, shape, tables, located, list(columns))
    return _writing(engine, request, shape, prepared, tables)


def _find_tables(engine: Engine, prepared: list[Prepared]) -> tuple[list[Table], list[Item]]:
    """Every statement's table, and the keys that the reads are about."""
    tables: list[Table] = []
    keys: list[Item] = []
    reasons: list[Reason] = []
    for number, each in enumerate(prepared):
        try:
            table = engine.catalog.table(each.statement.target.table)
        except AwsError:
            reasons.append(_NOT_FOUND)
            continue
        try:
            _check_member(each, table)
            if isinstance(each, Selection):
                keys.append(single_item(each, table, "ExecuteTransaction"))
        except ANSWERS as error:
            raise _misplaced(number, error) from None
        tables.append(table)
        reasons.append(NONE)
    if len(tables) < len(prepared):
        raise cancelled(reasons)
    return tables, keys


def _check_member(prepared: Prepared, table: Table) -> None:
    """Refuse what a statement may not have within a transaction."""
    statement = prepared.statement
    if isinstance(statement, Update | Delete) and statement.returning is not None:
        raise validation("RETURNING clause is not supported in ExecuteTransaction.")
    if isinstance(prepared, Selection) and statement.target.index is not None:
        raise validation("Reads on indices are not supported within transactions.")
    if isinstance(prepared, Alteration) and isinstance(statement, Exists):
        prepared.check_exists(table)


def _misplaced(number: int, error: BaseException) -> AwsError:
    return validation(f"Validation failed in TransactStatements[{number}]: {error}")


# --- writing -----------------------------------------------------------------------------


def _writing(
    engine: Engine,
    request: Request,
    shape: Shape,
    prepared: list[Prepared],
    tables: list[Table],
) -> Work:
    changes = []
    reasons: list[Reason] = []
    for each, table in zip(prepared, tables, strict=True):
        assert not isinstance(each, Selection)
        try:
            changes.append(each.bind_in_transaction(table))
            reasons.append(NONE)
        except EmptyKey:
            raise
        except ANSWERS as error:
            reasons.append({"Code": "ValidationError", "Message": str(error)})
    if len(changes) < len(reasons):
        raise cancelled(reasons)
    refuse_repeats([(change.table.number, change.key) for change in changes])
    return_old = [
        each.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        for each in request["TransactStatements"]
    ]
    change_all = transaction_work(engine, _own_token(request), shape, changes, return_old)
    insertions = [isinstance(each, Insertion) for each in prepared]

    def work(transaction: Transaction) -> Response:
        try:
            return {"Responses": [], **change_all(transaction)}
        except AwsError as error:
            raise _with_duplicates(error, insertions) from None

    return work


def _own_token(request: dict[str, Any]) -> dict[str, Any]:
    """The request with its token marked: a token is known to one operation only."""
    token = request.get("ClientRequestToken")
    if token is None:
        return request
    return {**request, "ClientRequestToken": f"ExecuteTransaction {token}"}


def _with_duplicates(error: AwsError, insertions: list[bool]) -> AwsError:
    """An INSERT of what is there is reported as such, not as a condition that failed."""
    reasons: list[Reason] | None = error.extra.get("CancellationReasons")
    if reasons is None:
        return error
    duplicate = {"Code": "DuplicateItem", "Message": duplicate_item().message}
    return cancelled(
        [
            duplicate if inserts and reason["Code"] == "ConditionalCheckFailed" else reason
            for reason, inserts in zip(reasons, insertions, strict=True)
        ]
    )
