"""What the service says of a table: the TableDescription, made from the kept body.

The body holds more than anybody is shown (storage numbers, tags, the policy), so every field that
goes out is named here. Three answers differ from DescribeTable's: CreateTable knows less yet,
DeleteTable no longer tells the schema, and UpdateTable answers before it has done its work (see
``update``).
"""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tablewright.engine.schema import Body, Table

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

#: What an on-demand table can serve at once without having been warmed up.
BASE_READ_UNITS = 12_000
BASE_WRITE_UNITS = 4_000

_FIRST = ("AttributeDefinitions", "TableName", "KeySchema")
_IF_KEPT = (
    "StreamSpecification",
    "LatestStreamLabel",
    "LatestStreamArn",
    "RestoreSummary",
    "SSEDescription",
    "TableClassSummary",
    "OnDemandThroughput",
)
_INDEX_FIELDS = ("IndexName", "KeySchema", "Projection")
_NOT_OF_DELETED = (
    "AttributeDefinitions",
    "KeySchema",
    "CreationDateTime",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "WarmThroughput",
)


def describe(engine: Engine, table: Table, status: str | None = None) -> Body:
    """The TableDescription of a table, in the status it is in or is said to be in."""
    return describe_body(engine, table.body, status or _shown_status(engine, table))


def describe_created(engine: Engine, table: Table, warmed: bool) -> Body:
    """What CreateTable answers; only if it was asked for warm throughput, it speaks of it."""
    described = describe_body(engine, table.body, "CREATING")
    warm = described.pop("WarmThroughput")
    if warmed:
        described["WarmThroughput"] = {**warm, "Status": "UPDATING"}
    for summary in ("BillingModeSummary", "TableThroughputModeSummary"):
        described.get(summary, {}).pop("LastUpdateToPayPerRequestDateTime", None)
    for index in described.get("GlobalSecondaryIndexes", ()):
        del index["WarmThroughput"]
    return described


def describe_deleted(engine: Engine, table: Table) -> Body:
    """What DeleteTable answers: no schema, no indexes, no creation time."""
    described = describe_body(engine, table.body, "DELETING")
    for name in _NOT_OF_DELETED:
        described.pop(name, None)
    return described


def describe_body(engine: Engine, body: Body, status: str) -> Body:
    """The TableDescription of a body, said to be in ``status``; the caller's to change."""
    items, size = counts(engine, body["number"])
    described: Body = {name: body[name] for name in _FIRST}
    described["TableStatus"] = status
    described["CreationDateTime"] = body["CreationDateTime"]
    described["ProvisionedThroughput"] = _units(engine, body)
    described["TableSizeBytes"] = size
    described["ItemCount"] = items
    described["TableArn"] = body["TableArn"]
    described["TableId"] = body["TableId"]
    described.update(_billing(body))
    if body.get("LocalSecondaryIndexes"):
        described["LocalSecondaryIndexes"] = [
            _local_index(engine, index) for index in body["LocalSecondaryIndexes"]
        ]
    if body.get("GlobalSecondaryIndexes"):
        described["GlobalSecondaryIndexes"] = [
            _global_index(engine, body, index, status) for index in body["GlobalSecondaryIndexes"]
        ]
    described.update({name: body[name] for name in _IF_KEPT if name in body})
    described["DeletionProtectionEnabled"] = bool(body.get("DeletionProtectionEnabled"))
    described["WarmThroughput"] = {**warm_throughput(body, body), "Status": "ACTIVE"}
    return deepcopy(described)


def _shown_status(engine: Engine, table: Table) -> str:
    is_creating = table.being_filled and not engine.catalog.has_settled(table)
    return "CREATING" if is_creating else table_status(table.body)


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


def moment(now: float) -> float:
    """A time as the service reports it: to the millisecond."""
    return round(now, 3)


def same_day(one: float, other: float) -> bool:
    """Whether two moments are on the same day, in UTC."""
    return datetime.fromtimestamp(one, UTC).date() == datetime.fromtimestamp(other, UTC).date()


def warm_throughput(body: Body, owner: Body) -> dict[str, int]:
    """What a table or one of its indexes (``owner``) can serve at once."""
    kept = owner.get("WarmThroughput")
    if kept:
        return dict(kept)
    if body["BillingMode"] == "PAY_PER_REQUEST":
        return {"ReadUnitsPerSecond": BASE_READ_UNITS, "WriteUnitsPerSecond": BASE_WRITE_UNITS}
    units = owner["ProvisionedThroughput"]
    return {
        "ReadUnitsPerSecond": units["ReadCapacityUnits"],
        "WriteUnitsPerSecond": units["WriteCapacityUnits"],
    }


def _units(engine: Engine, owner: Body) -> Body:
    kept: Body = dict(owner["ProvisionedThroughput"])
    last = kept.get("LastDecreaseDateTime")
    if last is not None and not same_day(last, engine.clock.now()):
        kept["NumberOfDecreasesToday"] = 0
    return kept


def _billing(body: Body) -> dict[str, Any]:
    summary = body.get("BillingModeSummary")
    if summary is None:
        return {}
    # The service sends the same under an older name, which no SDK shows but some clients read.
    older = {"TableThroughputMode": summary["BillingMode"], **summary}
    del older["BillingMode"]
    return {"BillingModeSummary": dict(summary), "TableThroughputModeSummary": older}


def _local_index(engine: Engine, index: Body) -> Body:
    items, size = counts(engine, index["number"])
    described: Body = {name: index[name] for name in _INDEX_FIELDS}
    described["IndexSizeBytes"] = size
    described["ItemCount"] = items
    described["IndexArn"] = index["IndexArn"]
    return described


def _global_index(engine: Engine, body: Body, index: Body, status: str) -> Body:
    items, size = counts(engine, index["number"])
    described: Body = {name: index[name] for name in _INDEX_FIELDS}
    # The indexes of a table that is being created are being created with it.
    described["IndexStatus"] = status if status == "CREATING" else index["IndexStatus"]
    if "Backfilling" in index:
        described["Backfilling"] = index["Backfilling"]
    described["ProvisionedThroughput"] = _units(engine, index)
    described["IndexSizeBytes"] = size
    described["ItemCount"] = items
    described["IndexArn"] = index["IndexArn"]
    if "OnDemandThroughput" in index:
        described["OnDemandThroughput"] = index["OnDemandThroughput"]
    settled = described["IndexStatus"] == "ACTIVE"
    described["WarmThroughput"] = {
        **warm_throughput(body, index),
        "Status": "ACTIVE" if settled else "UPDATING",
    }
    return described
