"""What has to hold whatever was asked of an engine before."""

from __future__ import annotations

import base64
import json
from decimal import Decimal
from typing import Any

from tablewright.engine import AwsError, Engine
from tablewright.engine.verify import problems
from tablewright.values import Item, item_size, normalize_item

#: Codes that no model lists, because every AWS service has them.
COMMON = {
    "ValidationException",
    "SerializationException",
    "UnknownOperationException",
    "ThrottlingException",
    "AccessDeniedException",
}


def known_errors() -> frozenset[str]:
    """Every error the services' models know."""
    from botocore.loaders import Loader

    found = set(COMMON)
    for service in ("dynamodb", "dynamodbstreams"):
        shapes = Loader().load_service_model(service, "service-2")["shapes"]
        found |= {name for name, shape in shapes.items() if shape.get("exception")}
    return frozenset(found)


def check_error(error: AwsError, known: frozenset[str]) -> None:
    """An error has to be one that AWS has, and the client's fault."""
    assert error.code in known, f"no such error on AWS: {error!r}"
    assert error.status == 400, repr(error)
    body = json.loads(json.dumps(error.body()))
    assert body["__type"].endswith("#" + error.code)
    assert isinstance(error.message, str)


def verify(engine: Engine) -> int:
    """Check what is kept, and what is answered, about every table; how many items there are."""
    engine.jobs.wait(60)
    assert problems(engine) == []
    total = 0
    for name in _pages(engine, "ListTables", {}, "TableNames"):
        description = engine.call("DescribeTable", {"TableName": name})["Table"]
        items = _pages(engine, "Scan", {"TableName": name}, "Items")
        assert description["ItemCount"] == len(items), name
        assert description["TableSizeBytes"] == sum(map(item_size, items)), name
        for item in items:
            # What is stored is what would be stored again.
            assert normalize_item(item) == (item, item_size(item))
        types = {
            a["AttributeName"]: a["AttributeType"] for a in description["AttributeDefinitions"]
        }
        schema = description["KeySchema"]
        _check_order(engine, {"TableName": name}, schema, types, items)
        base = [part["AttributeName"] for part in schema]
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for index in description.get(kind, ()):
                _check_index(engine, name, index, base, types, items)
        total += len(items)
    return total


def _pages(engine: Engine, operation: str, request: dict[str, Any], member: str) -> list[Any]:
    """Everything a reading operation gives, page by page."""
    found: list[Any] = []
    while True:
        page = engine.call(operation, dict(request))
        found += page[member]
        following = [
            (name.replace("LastEvaluated", "ExclusiveStart"), page[name])
            for name in ("LastEvaluatedKey", "LastEvaluatedTableName")
            if name in page
        ]
        if not following:
            return found
        request = {**request, **dict(following)}


def _check_index(
    engine: Engine,
    table: str,
    index: dict[str, Any],
    base: list[str],
    types: dict[str, str],
    items: list[Item],
) -> None:
    """What the index answers is what one would build from the items."""
    keys = [part["AttributeName"] for part in index["KeySchema"]]
    projection = index["Projection"]
    shown = {*base, *keys, *projection.get("NonKeyAttributes", ())}
    expected = [
        item
        if projection["ProjectionType"] == "ALL"
        else {name: value for name, value in item.items() if name in shown}
        for item in items
        if all(item.get(key, {}).get(types[key]) for key in keys)
    ]
    where = {"TableName": table, "IndexName": index["IndexName"]}
    held = _pages(engine, "Scan", where, "Items")
    assert sorted(held, key=_text) == sorted(expected, key=_text), where
    assert index["ItemCount"] == len(held), where
    assert index["IndexSizeBytes"] == sum(map(item_size, held)), where
    _check_order(engine, where, index["KeySchema"], types, held)


def _check_order(
    engine: Engine,
    where: dict[str, Any],
    schema: list[dict[str, str]],
    types: dict[str, str],
    items: list[Item],
) -> None:
    """Queries give each partition whole and in order, in both directions."""
    parts: dict[str, list[str]] = {"HASH": [], "RANGE": []}
    for element in schema:
        parts[element["KeyType"]].append(element["AttributeName"])
    partitions: dict[str, list[Item]] = {}
    for item in items:
        partitions.setdefault(_text([item[name] for name in parts["HASH"]]), []).append(item)
    for members in partitions.values():
        first = members[0]
        request = {
            **where,
            "KeyConditionExpression": " AND ".join(
                f"#{place} = :{place}" for place, _ in enumerate(parts["HASH"])
            ),
            "ExpressionAttributeNames": {f"#{p}": n for p, n in enumerate(parts["HASH"])},
            "ExpressionAttributeValues": {f":{p}": first[n] for p, n in enumerate(parts["HASH"])},
            "Limit": 3,
        }
        found = _pages(engine, "Query", request, "Items")
        assert sorted(found, key=_text) == sorted(members, key=_text), where
        order = [[_sortable(item[name], types[name]) for name in parts["RANGE"]] for item in found]
        assert order == sorted(order), where
        assert (
            _pages(engine, "Query", {**request, "ScanIndexForward": False}, "Items") == found[::-1]
        )


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _sortable(value: dict[str, str], kind: str) -> Any:
    if kind == "N":
        return Decimal(value["N"])
    return value["S"].encode() if kind == "S" else base64.b64decode(value["B"])
