"""DescribeTable, ListTables, DeleteTable, and what is asked about the account as a whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from tablewright.engine.catalog import table_name
from tablewright.engine.describe import describe, describe_deleted
from tablewright.engine.errors import not_found, validation
from tablewright.engine.schema import Table
from tablewright.engine.store import Transaction

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

Request: TypeAlias = dict[str, Any]
Work: TypeAlias = Callable[[Transaction], Request]

PAGE = 100


def named_table(engine: Engine, name: str) -> Table:
    """The table of that name or ARN, or the error that names it."""
    plain = table_name(name)
    table = engine.catalog.find(plain)
    if table is None:
        raise not_found(f"Requested resource not found: Table: {plain} not found")
    return table


def describe_table(engine: Engine, request: Request, shape: object) -> Request:
    return {"Table": describe(engine, named_table(engine, request["TableName"]))}


def list_tables(engine: Engine, request: Request, shape: object) -> Request:
    names = engine.catalog.names()
    after = request.get("ExclusiveStartTableName")
    start = 0 if after is None else bisect_right(names, after)
    limit = request.get("Limit") or PAGE
    page = names[start : start + limit]
    answer: Request = {"TableNames": page}
    if start + limit < len(names):
        answer["LastEvaluatedTableName"] = page[-1]
    return answer


def delete_table(engine: Engine, request: Request, shape: object) -> Work:
    """Answers DELETING; the table is gone with the commit, its rows go in the background."""
    table = named_table(engine, request["TableName"])

    def work(transaction: Transaction) -> Request:
        engine.catalog.check_current(table)
        if table.body.get("DeletionProtectionEnabled"):
            raise validation(
                "Resource cannot be deleted as it is currently protected against deletion. "
                "Disable deletion protection first."
            )
        answer = {"TableDescription": describe_deleted(engine, table)}
        engine.catalog.drop(transaction, table)
        return answer

    return work


OPERATIONS = {
    "DescribeTable": (describe_table, False),
    "ListTables": (list_tables, False),
    "DeleteTable": (delete_table, True),
}
