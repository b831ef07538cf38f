"""DescribeTable, ListTables, DeleteTable, and what is asked about the account as a whole."""

from __future__ import annotations

from bisect import bisect_right
from copy import deepcopy
from typing import TYPE_CHECKING

from tablewright.engine.backups import kept as backup_store
from tablewright.engine.catalog import table_name
from tablewright.engine.errors import in_use, not_found, validation
from tablewright.engine.handler import Request, Response
from tablewright.engine.schema import Table
from tablewright.engine.storage.transaction import Transaction, Work
from tablewright.engine.streams import recording as streams
from tablewright.engine.tables import backfill
from tablewright.engine.tables.describe import describe, describe_deleted

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


#: Names in one answer of ListTables.
PAGE = 100
#: The quotas of a new account.
ACCOUNT_UNITS = 80_000
TABLE_UNITS = 40_000
STILL_IN_USE = "Attempt to change a resource which is still in use: "


def named_table(engine: Engine, name: str) -> Table:
    """The table of that name or ARN, or the error that names it."""
    plain = table_name(name)
    table = engine.catalog.find(plain)
    if table is None:
        check_not_deleting(engine, plain)
        raise not_found(f"Requested resource not found: Table: {plain} not found")
    return table


def check_not_deleting(engine: Engine, name: str) -> None:
    """Refuse to use the name of a table that is still being deleted."""
    delays = engine.catalog.delays
    if delays is not None and delays.deleted_table(name) is not None:
        raise in_use(f"{STILL_IN_USE}Table is being deleted: {name}")


def check_created(engine: Engine, table: Table) -> None:
    """Refuse to change a table that is still being created, or filled by a restore or an import."""
    if table.being_filled and not engine.catalog.has_settled(table):
        raise in_use(f"{STILL_IN_USE}Table is being created: {table.name}")


def describe_table(engine: Engine, request: Request, shape: object) -> Response:
    name = table_name(request["TableName"])
    delays = engine.catalog.delays
    if delays is not None and engine.catalog.find(name) is None:
        deleted = delays.deleted_table(name)
        if deleted is not None:
            return {"Table": deleted}
    return {"Table": describe(engine, named_table(engine, name))}


def list_tables(engine: Engine, request: Request, shape: object) -> Response:
    names = engine.catalog.names()
    after = request.get("ExclusiveStartTableName")
    start = 0 if after is None else bisect_right(names, after)
    limit = request.get("Limit") or PAGE
    page = names[start : start + limit]
    answer: Response = {"TableNames": page}
    if start + limit < len(names):
        answer["LastEvaluatedTableName"] = page[-1]
    return answer


def delete_table(engine: Engine, request: Request, shape: object) -> Work:
    """Answers DELETING; the table is gone with the commit, its rows go in the background."""
    table = named_table(engine, request["TableName"])

    def work(transaction: Transaction) -> Response:
        engine.catalog.check_current(table)
        check_created(engine, table)
        _check_deletable(table)
        answer = {"TableDescription": describe_deleted(engine, table)}
        described = describe(engine, table, "DELETING")
        remove_table(engine, transaction, table)
        delays = engine.catalog.delays
        if delays is not None:
            transaction.after_commit(
                lambda: delays.start_deletion(table.name, lambda: deepcopy(described))
            )
        return answer

    return work


def _check_deletable(table: Table) -> None:
    if table.body.get("DeletionProtectionEnabled"):
        raise validation(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    if any(index.status != "ACTIVE" for index in table.indexes.values()):
        raise in_use(
            f"{STILL_IN_USE}Cannot delete table while indexes are being created, updated, "
            "or deleted."
        )


def remove_table(engine: Engine, transaction: Transaction, table: Table) -> None:
    """Drop the table; its stream closes, and its rows become garbage that goes by and by."""
    streams.disable(transaction, dict(table.body))
    engine.catalog.drop(transaction, table)
    backup_store.keep_deleted(engine, transaction, table)
    transaction.after_commit(lambda: backfill.clear_garbage(engine))


# --- the account -------------------------------------------------------------------------


def describe_limits(engine: Engine, request: Request, shape: object) -> Response:
    return {
        "AccountMaxReadCapacityUnits": ACCOUNT_UNITS,
        "AccountMaxWriteCapacityUnits": ACCOUNT_UNITS,
        "TableMaxReadCapacityUnits": TABLE_UNITS,
        "TableMaxWriteCapacityUnits": TABLE_UNITS,
    }


def describe_endpoints(engine: Engine, request: Request, shape: object) -> Response:
    """Name this machine, which a client that follows does not leave; the server knows better."""
    return {"Endpoints": [{"Address": "localhost", "CachePeriodInMinutes": 1440}]}


def describe_kinesis_streaming_destination(
    engine: Engine, request: Request, shape: object
) -> Response:
    table = named_table(engine, request["TableName"])
    return {"TableName": table.name, "KinesisDataStreamDestinations": []}


def describe_contributor_insights(engine: Engine, request: Request, shape: object) -> Response:
    table = named_table(engine, request["TableName"])
    answer: Response = {"TableName": table.name, "ContributorInsightsStatus": "DISABLED"}
    name = request.get("IndexName")
    if name is not None:
        if name not in table.indexes:
            raise not_found(
                f"Requested resource not found: Index: {name} not found for table: {table.name}"
            )
        answer["IndexName"] = name
    return answer


def list_contributor_insights(engine: Engine, request: Request, shape: object) -> Response:
    """Answer that no table has them enabled."""
    if request.get("TableName") is not None:
        named_table(engine, request["TableName"])
    return {"ContributorInsightsSummaries": []}


OPERATIONS = {
    "DescribeTable": (describe_table, False),
    "ListTables": (list_tables, False),
    "DeleteTable": (delete_table, True),
    "DescribeLimits": (describe_limits, False),
    "DescribeEndpoints": (describe_endpoints, False),
    "DescribeKinesisStreamingDestination": (describe_kinesis_streaming_destination, False),
    "DescribeContributorInsights": (describe_contributor_insights, False),
    "ListContributorInsights": (list_contributor_insights, False),
}
