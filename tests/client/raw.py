"""Looking at a table as it is, past the model."""

from __future__ import annotations

from typing import Any

from tablewright.client import Db
from tablewright.client.transports import Request
from tablewright.model import Entity, Table, definition

Item = dict[str, dict[str, Any]]


def call(db: Db, operation: str, body: dict[str, Any]) -> dict[str, Any]:
    """One request as it stands, but for the table's name."""
    if "TableName" in body:
        body = {**body, "TableName": db.context.physical(body["TableName"])}
    return db._transport.send(Request(operation, body)).body


def items(db: Db, table: Table, index: str | None = None) -> list[Item]:
    """Everything in a table or index."""
    found: list[Item] = []
    body: dict[str, Any] = {"TableName": table.name}
    if index is not None:
        body["IndexName"] = index
    else:
        body["ConsistentRead"] = True
    while True:
        answer = call(db, "Scan", body)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        body["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def item(db: Db, entity: Entity) -> Item | None:
    """The stored item of an entity."""
    known = definition(entity)
    body = {"TableName": known.table.name, "Key": known.key_of(entity), "ConsistentRead": True}
    return call(db, "GetItem", body).get("Item")


def locks(db: Db, table: Table) -> dict[str, dict[str, Any]]:
    """Lock key to owner fields, of all locks in a table with a discriminator."""
    tag = table.discriminator or ""
    return {
        each[table.pk.name]["S"]: {
            name: value for name, value in each["owner"]["M"].items() if name != tag
        }
        for each in items(db, table)
        if each.get(tag, {}).get("S", "").startswith("Unique:")
    }


def store(db: Db, table: Table, stored: Item) -> None:
    """Put an item that no entity made."""
    call(db, "PutItem", {"TableName": table.name, "Item": stored})
