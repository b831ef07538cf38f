"""One description of a table, for both sides: what the model declares, and what is deployed.

The body of CreateTable and the answer of DescribeTable have nearly the same shape, so one reader
serves both, and two states can be compared field by field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from tablewright.model.table import Billing, KeyAttribute, OnDemand, Provisioned, Table
from tablewright.model.tables import create_request

Body: TypeAlias = Mapping[str, Any]

#: How far back a table can go if nobody says how far.
MAX_DAYS = 35


@dataclass(frozen=True)
class IndexState:
    """An index, as declared or as deployed."""

    name: str
    local: bool
    partition: tuple[KeyAttribute, ...]
    sort: tuple[KeyAttribute, ...]
    projection: str
    include: frozenset[str] = frozenset()
    #: None for a local index, which lives on the table's units.
    billing: Billing | None = None
    status: str = "ACTIVE"
    items: int = 0
    size: int = 0

    @property
    def keys(self) -> tuple[tuple[KeyAttribute, ...], tuple[KeyAttribute, ...]]:
        return self.partition, self.sort


@dataclass(frozen=True)
class TableState:
    """A table, as declared or as deployed."""

    name: str
    physical: str
    key: tuple[KeyAttribute, ...]
    indexes: Mapping[str, IndexState]
    billing: Billing
    status: str = "ACTIVE"
    stream: str | None = None
    table_class: str = "STANDARD"
    protected: bool = False
    ttl: str | None = None
    ttl_status: str = "DISABLED"
    #: Days to go back; None is off.
    pitr: int | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    #: Settings that this database does not know of: ``pitr``, ``tags``, ``ttl``.
    unseen: frozenset[str] = frozenset()
    arn: str = ""
    table_id: str = ""
    items: int = 0
    size: int = 0


def declared(table: Table, physical: str) -> TableState:
    """What the model says."""
    state = described(create_request(table), table.name)
    return replace(
        state,
        physical=physical,
        ttl=table.ttl,
        ttl_status="ENABLED" if table.ttl else "DISABLED",
        pitr=MAX_DAYS if table.pitr is True else table.pitr or None,
        tags=dict(table.tags),
    )


def described(body: Body, name: str) -> TableState:
    """What CreateTable is given, or DescribeTable tells."""
    types = {each["AttributeName"]: each["AttributeType"] for each in body["AttributeDefinitions"]}
    mode = body.get("BillingMode") or (body.get("BillingModeSummary") or {}).get("BillingMode")
    on_demand = mode == "PAY_PER_REQUEST"
    stream = body.get("StreamSpecification") or {}
    classes = (body.get("TableClassSummary") or {}).get("TableClass")
    partition, sort = _keys(body["KeySchema"], types)
    return TableState(
        name=name,
        physical=body["TableName"],
        key=(*partition, *sort),
        indexes={each.name: each for each in _indexes(body, types, on_demand)},
        billing=_billing(body, on_demand),
        status=body.get("TableStatus", "ACTIVE"),
        stream=stream.get("StreamViewType") if stream.get("StreamEnabled") else None,
        table_class=body.get("TableClass") or classes or "STANDARD",
        protected=bool(body.get("DeletionProtectionEnabled")),
        arn=body.get("TableArn", ""),
        table_id=body.get("TableId", ""),
        items=body.get("ItemCount", 0),
        size=body.get("TableSizeBytes", 0),
    )


def _indexes(body: Body, types: Mapping[str, str], on_demand: bool) -> list[IndexState]:
    both = (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False))
    return [
        _index(each, types, local, on_demand)
        for kind, local in both
        for each in body.get(kind) or ()
    ]


def _index(body: Body, types: Mapping[str, str], local: bool, on_demand: bool) -> IndexState:
    partition, sort = _keys(body["KeySchema"], types)
    projection = body["Projection"]
    return IndexState(
        name=body["IndexName"],
        local=local,
        partition=partition,
        sort=sort,
        projection=projection["ProjectionType"],
        include=frozenset(projection.get("NonKeyAttributes") or ()),
        billing=None if local else _billing(body, on_demand),
        status=body.get("IndexStatus", "ACTIVE"),
        items=body.get("ItemCount", 0),
        size=body.get("IndexSizeBytes", 0),
    )


def _keys(
    schema: list[dict[str, str]], types: Mapping[str, Any]
) -> tuple[tuple[KeyAttribute, ...], tuple[KeyAttribute, ...]]:
    sides: dict[str, list[KeyAttribute]] = {"HASH": [], "RANGE": []}
    for each in schema:
        name = each["AttributeName"]
        sides[each["KeyType"]].append(KeyAttribute(name, types.get(name, "S")))
    return tuple(sides["HASH"]), tuple(sides["RANGE"])


def _billing(body: Body, on_demand: bool) -> Billing:
    if on_demand:
        ceilings = body.get("OnDemandThroughput") or {}
        return OnDemand(
            _ceiling(ceilings.get("MaxReadRequestUnits")),
            _ceiling(ceilings.get("MaxWriteRequestUnits")),
        )
    units = body.get("ProvisionedThroughput") or {}
    return Provisioned(units.get("ReadCapacityUnits", 0), units.get("WriteCapacityUnits", 0))


def _ceiling(units: int | None) -> int | None:
    """The service says -1 for none."""
    return None if units is None or units < 0 else units
