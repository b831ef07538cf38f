"""What is asked about global tables, of an engine with one region: there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.engine.errors import AwsError
from tablewright.engine.handler import Request, Response
from tablewright.engine.tables.describe import describe
from tablewright.engine.tables.listing import named_table

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


def list_global_tables(engine: Engine, request: Request, shape: object) -> Response:
    """Answer that no table has replicas in other regions."""
    return {"GlobalTables": []}


def describe_global_table(engine: Engine, request: Request, shape: object) -> Response:
    """Refuse every name: no table is a global one."""
    name = request["GlobalTableName"]
    raise AwsError(
        "GlobalTableNotFoundException",
        f"Global table not found: Global table with name: '{name}' does not exist.",
    )


def describe_table_replica_auto_scaling(
    engine: Engine, request: Request, shape: object
) -> Response:
    """Answer that the table has no replicas, so that nothing of them scales."""
    table = named_table(engine, request["TableName"])
    status = describe(engine, table)["TableStatus"]
    description = {"TableName": table.name, "TableStatus": status, "Replicas": []}
    return {"TableAutoScalingDescription": description}


OPERATIONS = {
    "ListGlobalTables": (list_global_tables, False),
    "DescribeGlobalTable": (describe_global_table, False),
    "DescribeGlobalTableSettings": (describe_global_table, False),
    "DescribeTableReplicaAutoScaling": (describe_table_replica_auto_scaling, False),
}
