"""What AWS checks ahead of the constraints of the shape, alone and in other words.

Who may do what depends on the table, so the table's name is looked at before anything else:
while it is missing or malformed, AWS says nothing about the rest of the request. A few older
operations check their names by hand. Each rule here only words differently what the shape
forbids as well: a request that satisfies its shape satisfies all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablewright.engine.shapes.constraints import member_violations, told
from tablewright.engine.shapes.model import Shape

_DATA_PLANE = frozenset(
    {"DeleteItem", "GetItem", "PutItem", "Query", "Scan", "SearchVectors", "UpdateItem"}
)
_REQUIRED = "The parameter 'TableName' is required but was not present in the request"
#: Of requests about items; other operations have the constraints of the shape.
EMPTY_NAME = (
    "Value '' at 'tableName' failed to satisfy constraint: "
    "Member must have length greater than or equal to 1"
)

Rule = Callable[[dict[str, Any]], str | None]


def complaint(operation: str, shape: Shape, request: dict[str, Any]) -> str | None:
    """The message AWS answers with before it looks at the shape's constraints, else None."""
    message = None
    if "TableName" in shape.required:
        message = _table_name(operation, shape, request.get("TableName"))
    if message is None and (rule := _RULES.get(operation)):
        message = rule(request)
    return message


def _table_name(operation: str, shape: Shape, name: str | None) -> str | None:
    if operation in _DATA_PLANE:
        if name == "":
            return told([EMPTY_NAME])
    elif name is None:
        return _REQUIRED
    return told(member_violations(shape, "TableName", name))


def _request_items(operation: str) -> Rule:
    text = f"The requestItems parameter is required for {operation}"
    return lambda request: None if request.get("RequestItems") else text


def _resource_arn(request: dict[str, Any]) -> str | None:
    return "Invalid TableArn" if request.get("ResourceArn") is None else None


def _backup_arn(request: dict[str, Any]) -> str | None:
    arn = request.get("BackupArn")
    return "Invalid Backup ARN" if arn is not None and not 37 <= len(arn) <= 1024 else None


def _name(member: str, called: str) -> Rule:
    text = f"{called} must be at least 3 characters long and at most 255 characters long"

    def rule(request: dict[str, Any]) -> str | None:
        name = request.get(member)
        return text if name is not None and not 3 <= len(name) <= 255 else None

    return rule


def _restore_from_backup(request: dict[str, Any]) -> str | None:
    return _name("TargetTableName", "TableName")(request) or _backup_arn(request)


_RULES: dict[str, Rule] = {
    "BatchGetItem": _request_items("BatchGetItem"),
    "BatchWriteItem": _request_items("BatchWriteItem"),
    "CreateGlobalTable": _name("GlobalTableName", "TableName"),
    "DeleteBackup": _backup_arn,
    "DescribeBackup": _backup_arn,
    "DescribeContributorInsights": _name("IndexName", "IndexName"),
    "DescribeGlobalTable": _name("GlobalTableName", "TableName"),
    "DescribeGlobalTableSettings": _name("GlobalTableName", "TableName"),
    "ListTagsOfResource": _resource_arn,
    "RestoreTableFromBackup": _restore_from_backup,
    "RestoreTableToPointInTime": _name("TargetTableName", "TableName"),
    "TagResource": _resource_arn,
    "UntagResource": _resource_arn,
    "UpdateContributorInsights": _name("IndexName", "IndexName"),
    "UpdateGlobalTable": _name("GlobalTableName", "TableName"),
    "UpdateGlobalTableSettings": _name("GlobalTableName", "TableName"),
}
