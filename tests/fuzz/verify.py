"""What has to hold whatever was asked of an engine before."""

from __future__ import annotations

import json
from typing import Any

from tablewright.engine import AwsError, Engine
from tablewright.engine import ttl as ttl_module
from tablewright.engine.schema import Index, Table
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
    """Check everything that is kept about every table against its items; how many there are."""
    engine.jobs.wait(60)
    total = 0
    for table in engine.catalog:
        items = _check_items(engine, table)
        for index in table.indexes.values():
            _check_index(engine, table, index, items)
        _check_collections(engine, table, items)
        _check_expiry(engine, table, items)
        total += len(items)
    return total


def _rows(engine: Engine, sql: str) -> list[Any]:
    return engine.store.rows(sql, ())


def _check_items(engine: Engine, table: Table) -> dict[tuple[bytes, bytes], Item]:
    items: dict[tuple[bytes, bytes], Item] = {}
    bytes_ = 0
    for pk, sk, size, blob in _rows(engine, f"SELECT pk, sk, size, item FROM t{table.number}"):
        item = json.loads(blob)
        canonical, counted = normalize_item(item)
        assert canonical == item, "an item is not stored in its canonical form"
        assert size == counted == item_size(item) <= 400 * 1024
        table.check_item_keys(item)
        assert table.key_of(item) == (pk, sk)
        items[pk, sk] = item
        bytes_ += size
    counts = engine.store.counts.get(table.number, [0, 0])
    assert counts == [len(items), bytes_], (table.name, counts, len(items), bytes_)
    answer = engine.call("DescribeTable", {"TableName": table.name})["Table"]
    assert answer["ItemCount"] == len(items)
    assert _scanned(engine, table.name) == len(items)
    return items


def _scanned(engine: Engine, table: str) -> int:
    count, request = 0, {"TableName": table, "Select": "COUNT"}
    while True:
        page = engine.call("Scan", request)
        count += page["Count"]
        if "LastEvaluatedKey" not in page:
            return count
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _check_index(engine: Engine, table: Table, index: Index, items: dict[Any, Item]) -> None:
    """What the index holds is what one would build from the items."""
    expected = {}
    for key, item in items.items():
        place = index.key_of(item)
        if place is not None:
            projected = index.project(item)
            expected[(*place, *key)] = (item_size(projected), projected)
    sql = f"SELECT pk, sk, base_pk, base_sk, size, item FROM x{index.number}"
    held = {row[:4]: (row[4], json.loads(row[5])) for row in _rows(engine, sql)}
    assert held == expected, f"{table.name}.{index.name} is not what a rebuild gives"
    counts = engine.store.counts.get(index.number, [0, 0])
    assert counts == [len(held), sum(size for size, _ in held.values())], (table.name, index.name)


def _check_collections(engine: Engine, table: Table, items: dict[Any, Item]) -> None:
    if not table.local:
        return
    expected: dict[bytes, int] = {}
    for (pk, _), item in items.items():
        expected[pk] = expected.get(pk, 0) + item_size(item)
        for index in table.indexes.values():
            if not index.is_global and index.key_of(item) is not None:
                expected[pk] += item_size(index.project(item))
    held = dict(_rows(engine, f"SELECT pk, bytes FROM c{table.number} WHERE bytes <> 0"))
    assert held == expected, table.name


def _check_expiry(engine: Engine, table: Table, items: dict[Any, Item]) -> None:
    if table.ttl is None or table.body["ttl_status"] != "ENABLED":
        return
    expected = {
        (moment, *key)
        for key, item in items.items()
        if (moment := ttl_module.expires(item, table.ttl)) is not None
    }
    assert set(_rows(engine, f"SELECT expires, pk, sk FROM e{table.number}")) == expected
