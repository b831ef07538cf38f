"""What DescribeTable says of a table: AWS's TableDescription, made from the kept body.

The body holds more than anybody is shown (storage numbers, tags, the policy), so every field that
goes out is named here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablewright.engine.schema import Body, Table

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

#: What an on-demand table can serve at once without having been warmed up.
BASE_READ_UNITS = 12_000
BASE_WRITE_UNITS = 4_000

_ALWAYS = ("AttributeDefinitions", "TableName", "KeySchema")
_IF_KEPT = (
    "StreamSpecification",
    "LatestStreamLabel",
    "LatestStreamArn",
    "RestoreSummary",
    "OnDemandThroughput",
)
_INDEX_FIELDS = ("IndexName", "KeySchema", "Projection")


def describe(engine: Engine, table: Table, status: str | None = None) -> Body:
    """The TableDescription; ``status`` is what the table and its new indexes are said to be in."""
    body = table.body
    items, size = counts(engine, table.number)
    state = status or table_status(body)
    described: Body = {name: body[name] for name in _ALWAYS}
    described["TableStatus"] = state
    described["CreationDateTime"] = body["CreationDateTime"]
    described["ProvisionedThroughput"] = body["ProvisionedThroughput"]
    described["TableSizeBytes"] = size
    described["ItemCount"] = items
    described["TableArn"] = body["TableArn"]
    described["TableId"] = body["TableId"]
    described.update(_billing(body))
    local = body.get("LocalSecondaryIndexes")
    if local:
        described["LocalSecondaryIndexes"] = [_local_index(engine, index) for index in local]
    indexes = body.get("GlobalSecondaryIndexes")
    if indexes:
        described["GlobalSecondaryIndexes"] = [
            _global_index(engine, body, index, status) for index in indexes
        ]
    described.update({name: body[name] for name in _IF_KEPT if name in body})
    described.update(_protection(body))
    described["WarmThroughput"] = {**warm_throughput(body, body), "Status": state}
    return described


def describe_deleted(engine: Engine, table: Table) -> Body:
    """What DeleteTable answers: no schema, no indexes, no creation time."""
    described = describe(engine, table, "DELETING")
    for name in (
        "AttributeDefinitions",
        "KeySchema",
        "CreationDateTime",
        "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
        "WarmThroughput",
    ):
        described.pop(name, None)
    return described


def table_status(body: Body) -> str:
    """A table is UPDATING for as long as one of its indexes is not settled."""
    kept: str = body["TableStatus"]
    if kept == "ACTIVE":
        for index in body.get("GlobalSecondaryIndexes") or ():
            if index["IndexStatus"] != "ACTIVE":
                return "UPDATING"
    return kept


def counts(engine: Engine, number: int) -> tuple[int, int]:
    """Items and bytes of a table or index."""
    items, size = engine.store.counts.get(number, (0, 0))
    return items, size


def warm_throughput(body: Body, owner: Body) -> dict[str, int]:
    """What a table or index (``owner``) can serve at once."""
    given = owner.get("WarmThroughput")
    if given:
        return dict(given)
    if body["BillingMode"] == "PAY_PER_REQUEST":
        return {"ReadUnitsPerSecond": BASE_READ_UNITS, "WriteUnitsPerSecond": BASE_WRITE_UNITS}
    units = owner["ProvisionedThroughput"]
    return {
        "ReadUnitsPerSecond": units["ReadCapacityUnits"],
        "WriteUnitsPerSecond": units["WriteCapacityUnits"],
    }


def _billing(body: Body) -> dict[str, Any]:
    summary = body.get("BillingModeSummary")
    if summary is None:
        return {}
    # The service sends the same under an older name, which no SDK shows but some clients read.
    older = {"TableThroughputMode": summary["BillingMode"], **summary}
    del older["BillingMode"]
    return {"BillingModeSummary": dict(summary), "TableThroughputModeSummary": older}


def _protection(body: Body) -> dict[str, Any]:
    protection: dict[str, Any] = {}
    if "SSEDescription" in body:
        protection["SSEDescription"] = body["SSEDescription"]
    if "TableClassSummary" in body:
        protection["TableClassSummary"] = body["TableClassSummary"]
    protection["DeletionProtectionEnabled"] = bool(body.get("DeletionProtectionEnabled"))
    return protection


def _local_index(engine: Engine, index: Body) -> Body:
    items, size = counts(engine, index["number"])
    described = {name: index[name] for name in _INDEX_FIELDS}
    return {
        **described,
        "IndexSizeBytes": size,
        "ItemCount": items,
        "IndexArn": index["IndexArn"],
    }


def _global_index(engine: Engine, body: Body, index: Body, status: str | None) -> Body:
    items, size = counts(engine, index["number"])
    state = "CREATING" if status == "CREATING" else index["IndexStatus"]
    described = {name: index[name] for name in _INDEX_FIELDS}
    described["IndexStatus"] = state
    if index.get("Backfilling") is not None:
        described["Backfilling"] = index["Backfilling"]
    described["ProvisionedThroughput"] = index["ProvisionedThroughput"]
    described["IndexSizeBytes"] = size
    described["ItemCount"] = items
    described["IndexArn"] = index["IndexArn"]
    if "OnDemandThroughput" in index:
        described["OnDemandThroughput"] = index["OnDemandThroughput"]
    if state != "DELETING":
        described["WarmThroughput"] = {**warm_throughput(body, index), "Status": state}
    return described
