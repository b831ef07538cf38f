"""The service's own words for a table: the bodies of CreateTable and what follows it."""

from __future__ import annotations

from typing import Any, TypeAlias

from tablewright.model.table import Billing, Index, KeyAttribute, OnDemand, Provisioned, Table

Body: TypeAlias = dict[str, Any]


def create_request(table: Table) -> Body:
    """The body of CreateTable, with the table's logical name."""
    attributes = {each.name: each.type for each in table.key_attributes()}
    body: Body = {
        "TableName": table.name,
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in attributes.items()
        ],
        "KeySchema": key_schema((table.pk,), () if table.sk is None else (table.sk,)),
        **_billing(table.billing),
    }
    local = [_index(table, each) for each in table.indexes.values() if each.local]
    everywhere = [_index(table, each) for each in table.indexes.values() if not each.local]
    if local:
        body["LocalSecondaryIndexes"] = local
    if everywhere:
        body["GlobalSecondaryIndexes"] = everywhere
    if table.stream is not None:
        body["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": table.stream}
    if table.tags:
        body["Tags"] = [{"Key": key, "Value": value} for key, value in table.tags.items()]
    if table.table_class != "STANDARD":
        body["TableClass"] = table.table_class
    if table.deletion_protection:
        body["DeletionProtectionEnabled"] = True
    return body


def ttl_request(table: Table) -> Body | None:
    """The body of UpdateTimeToLive, for a table that has one."""
    if table.ttl is None:
        return None
    return {
        "TableName": table.name,
        "TimeToLiveSpecification": {"AttributeName": table.ttl, "Enabled": True},
    }


def pitr_request(table: Table) -> Body | None:
    """The body of UpdateContinuousBackups, for a table that can go back in time."""
    if not table.pitr:
        return None
    settings: Body = {"PointInTimeRecoveryEnabled": True}
    if table.pitr is not True:
        settings["RecoveryPeriodInDays"] = table.pitr
    return {"TableName": table.name, "PointInTimeRecoverySpecification": settings}


def include_of(table: Table, index: Index) -> tuple[str, ...]:
    """What an INCLUDE index holds beside the keys: the discriminator is always among it."""
    held = dict.fromkeys(index.include or ())
    keys = {each.name for each in (*table.primary(), *index.partition, *index.sort)}
    if table.discriminator is not None and table.discriminator not in keys:
        held[table.discriminator] = None
    return tuple(held)


def _index(table: Table, index: Index) -> Body:
    projection: Body = {"ProjectionType": index.projection}
    if index.projection == "INCLUDE":
        projection["NonKeyAttributes"] = list(include_of(table, index))
    body: Body = {
        "IndexName": index.name,
        "KeySchema": key_schema(index.partition, index.sort),
        "Projection": projection,
    }
    if not index.local and isinstance(table.billing, Provisioned):
        body |= _billing(index.billing or table.billing, mode=False)
    elif not index.local and index.billing is not None:
        body |= _billing(index.billing, mode=False)
    return body


def key_schema(partition: tuple[KeyAttribute, ...], sort: tuple[KeyAttribute, ...]) -> list[Body]:
    """A key in the service's words."""
    return [
        *({"AttributeName": each.name, "KeyType": "HASH"} for each in partition),
        *({"AttributeName": each.name, "KeyType": "RANGE"} for each in sort),
    ]


def _billing(billing: Billing, mode: bool = True) -> Body:
    body: Body = {}
    if isinstance(billing, OnDemand):
        if mode:
            body["BillingMode"] = "PAY_PER_REQUEST"
        ceilings = {
            "MaxReadRequestUnits": billing.max_read_units,
            "MaxWriteRequestUnits": billing.max_write_units,
        }
        given = {name: units for name, units in ceilings.items() if units is not None}
        if given:
            body["OnDemandThroughput"] = given
        return body
    if mode:
        body["BillingMode"] = "PROVISIONED"
    body["ProvisionedThroughput"] = {
        "ReadCapacityUnits": billing.read_units,
        "WriteCapacityUnits": billing.write_units,
    }
    return body
