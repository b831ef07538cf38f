"""Requests of reads: what an op becomes on the wire, with logical table names.

Pure functions; the flows of :mod:`tablewright.client` send what these make, and ``op.explain()``
prints it. Writes are made in :mod:`tablewright.model.writes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from tablewright.model.definition import EntityDef
from tablewright.model.expressions.conditions import render
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.keys import KeyCondition
from tablewright.model.ops import Get, Selection
from tablewright.model.tables import include_of
from tablewright.values import Item

Body: TypeAlias = dict[str, Any]


def get_request(op: Get[Any]) -> Body:
    """The body of GetItem; also a member's ``Get`` of TransactGetItems, which is consistent."""
    body: Body = {"TableName": op.reader.table.name, "Key": op.key}
    if op.consistent:
        body["ConsistentRead"] = True
    wanted = op.reader.projection
    if wanted is not None:
        holders = Placeholders()
        body["ProjectionExpression"] = ", ".join(map(holders.name, wanted))
        body["ExpressionAttributeNames"] = holders.names
    return body


def selection_request(
    selection: Selection,
    *,
    limit: int | None = None,
    start: Item | None = None,
    count_at: float | None = None,
) -> tuple[str, Body]:
    """The operation (Query or Scan) and its body.

    ``count_at`` asks for a number only. Strangers and the expired are not seen then, so the service
    has to leave them out, as far as the index tells. A count with a projection reads that instead.
    """
    holders = Placeholders()
    body: Body = {"TableName": selection.table.name}
    if selection.index is not None:
        body["IndexName"] = selection.index.name
    if selection.condition is not None:
        body["KeyConditionExpression"] = key_expression(selection.condition, holders)
        if not selection.forward:
            body["ScanIndexForward"] = False
    terms = [] if selection.filter is None else [render(selection.filter, holders)]
    if selection.projection is not None:
        count_at = None
    if count_at is not None:
        terms += _living(selection, count_at, holders)
    if terms:
        grouped = " AND ".join(f"({term})" for term in terms)
        body["FilterExpression"] = terms[0] if len(terms) == 1 else grouped
    if selection.consistent:
        body["ConsistentRead"] = True
    if count_at is not None:
        body["Select"] = "COUNT"
    elif selection.projection is not None:
        body["ProjectionExpression"] = ", ".join(map(holders.name, selection.projection))
    if limit is not None:
        body["Limit"] = limit
    if start is not None:
        body["ExclusiveStartKey"] = start
    if holders.names:
        body["ExpressionAttributeNames"] = holders.names
    if holders.values:
        body["ExpressionAttributeValues"] = holders.values
    return ("Scan" if selection.condition is None else "Query"), body


def _living(selection: Selection, now: float, holders: Placeholders) -> list[str]:
    """What only the entities that are counted meet: their discriminator, and a time to live."""
    table, index = selection.table, selection.index
    held: set[str] | None = None
    if index is not None and index.projection != "ALL":
        held = set(include_of(table, index)) if index.projection == "INCLUDE" else set()
    keys = {each.name for each in (() if index is None else (*index.partition, *index.sort))}
    keys.update(each.name for each in table.primary())

    def is_held(name: str | None) -> bool:
        # A filter may not name a key, and cannot see what the index does not hold.
        return name is not None and name not in keys and (held is None or name in held)

    terms: list[str] = []
    entities = [reader for reader in selection.readers if isinstance(reader, EntityDef)]
    tags = [each.tag for each in entities if each.tag is not None]
    if len(tags) == 1 and is_held(table.discriminator):
        terms.append(f"{holders.name(table.discriminator or '')} = {holders.value(tags[0])}")
    if any(each.ttl is not None for each in entities) and is_held(table.ttl):
        name = holders.name(table.ttl or "")
        end = holders.value({"N": str(int(now))})
        terms.append(f"attribute_not_exists({name}) OR {name} > {end}")
    return terms


def key_expression(condition: KeyCondition, holders: Placeholders) -> str:
    """The text of a KeyConditionExpression."""
    parts = [f"{holders.name(name)} = {holders.value(value)}" for name, value in condition.equal]
    if condition.sort is not None:
        name = holders.name(condition.sort.attribute)
        values = [holders.value(value) for value in condition.sort.values]
        operator = condition.sort.operator
        if operator == "begins_with":
            parts.append(f"begins_with({name}, {values[0]})")
        elif operator == "between":
            parts.append(f"{name} BETWEEN {values[0]} AND {values[1]}")
        else:
            parts.append(f"{name} {operator} {values[0]}")
    return " AND ".join(parts)


def start_key(selection: Selection, item: Item) -> Item:
    """Where a read goes on after ``item``: what DynamoDB would call the last evaluated key."""
    attributes = list(selection.table.primary())
    if selection.index is not None:
        attributes += (*selection.index.partition, *selection.index.sort)
    return {each.name: item[each.name] for each in attributes}


def batch_get_requests(
    gets: Sequence[tuple[str, Item, bool, tuple[str, ...] | None]],
) -> Body:
    """The ``RequestItems`` of BatchGetItem: table, key, consistent, projection of each."""
    tables: Body = {}
    for table, key, consistent, wanted in gets:
        asked = tables.setdefault(table, {"Keys": []})
        asked["Keys"].append(key)
        if consistent:
            asked["ConsistentRead"] = True
        if wanted is not None:
            holders = Placeholders()
            asked["ProjectionExpression"] = ", ".join(map(holders.name, wanted))
            asked["ExpressionAttributeNames"] = holders.names
    return tables
