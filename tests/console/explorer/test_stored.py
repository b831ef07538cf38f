"""Sample items by partition: as a database that holds them has them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.console.explorer.flawed import Customer, Order, model, shop
from tests.deploy.templates.samples import NOON, sample

from tablewright.cli.up_place import empty_database
from tablewright.client.transports import AsyncTransport, Request
from tablewright.console.explorer.practice import Practice
from tablewright.console.explorer.stored import (
    Collection,
    Side,
    collections_of,
    sides_of,
    stored_items,
)
from tablewright.model.demo import Demo
from tablewright.systems import NAMES
from tablewright.values import Item, item_size

MODELS = ["corners", "ecommerce", *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES)]


def plain(item: Item) -> list[tuple[str, str]]:
    """An item to be compared; sets have no order."""
    return sorted((name, str(_sorted(value))) for name, value in item.items())


def _sorted(value: Any) -> Any:
    ((kind, content),) = value.items()
    return {kind: sorted(content)} if kind in ("SS", "NS", "BS") else value


async def asked(transport: AsyncTransport, operation: str, body: dict[str, Any]) -> dict[str, Any]:
    return (await transport.send(Request(operation, body))).body


async def scanned(transport: AsyncTransport, side: Side) -> list[Item]:
    body: dict[str, Any] = {"TableName": side.table.name}
    if side.index is not None:
        body["IndexName"] = side.index.name
    found: list[Item] = []
    while True:
        answer = await asked(transport, "Scan", body)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        body["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


async def queried(transport: AsyncTransport, side: Side, of: Collection) -> list[Item]:
    first = of.items[0].item
    names = {f"#k{number}": part.name for number, part in enumerate(side.partition)}
    body: dict[str, Any] = {
        "TableName": side.table.name,
        "KeyConditionExpression": " AND ".join(f"{name} = :{name[1:]}" for name in names),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": {f":{name[1:]}": first[part] for name, part in names.items()},
    }
    if side.index is not None:
        body["IndexName"] = side.index.name
    return list((await asked(transport, "Query", body))["Items"])


@pytest.mark.parametrize("name", MODELS)
def test_the_database_holds_the_same_in_the_same_order(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = sample(name)
    for table in given.model.tables.values():
        # Templates may have tags that no service takes.
        monkeypatch.setattr(table, "tags", {})
    demo = Demo(given.items, given.calls, now=given.now or NOON)

    async def scene() -> None:
        practice = Practice(given.model, demo, empty_database)
        transport = await practice.transport()
        for side in sides_of(given.model):
            ours = collections_of(side, stored_items(side.table, given.items))
            entries = [side.entry(each.item) for one in ours for each in one.items]
            theirs = await scanned(transport, side)
            assert sorted(map(plain, entries)) == sorted(map(plain, theirs)), side
            for one in ours:
                found = await queried(transport, side, one)
                keys = [[each.item[part.name] for part in side.sort] for each in one.items]
                assert keys == [[each[part.name] for part in side.sort] for each in found]
                assert one.size == sum(map(item_size, found))
        await practice.close()

    asyncio.run(scene())


def test_numbers_in_keys_are_in_their_order() -> None:
    orders = [Order(email="a@example.com", number=number) for number in (10, 9, 100)]
    (one,) = collections_of(Side(shop), stored_items(shop, orders))
    shown = [each.item["SK"]["S"] for each in one.items]
    assert shown == sorted(shown)
    assert [each.item["number"]["N"] for each in one.items] == ["9", "10", "100"]


def test_of_two_snapshots_of_one_item_there_is_one() -> None:
    first = Customer(email="a@example.com", name="Ada", status="new")
    found = stored_items(shop, [first, first.model_copy(update={"status": "old"})])
    assert [each.kind for each in found] == ["Customer", "lock of customer-name"]
    assert found[0].item["status"] == {"S": "new"}


def test_an_index_holds_its_keys_and_what_it_includes() -> None:
    side = Side(shop, shop.indexes["GSI1"])
    items = stored_items(shop, [Customer(email="a@example.com", name="Ada")])
    (one,) = collections_of(side, items)
    assert one.name == "STATUS#active"
    assert set(side.entry(one.items[0].item)) == {
        "PK",
        "SK",
        "GSI1PK",
        "GSI1SK",
        "status",
        "entity_type",
    }
    assert collections_of(Side(shop, shop.indexes["GSI2"]), items) == ()


def test_the_sides_of_a_model() -> None:
    assert [each.name for each in sides_of(model)] == ["Flawed", "GSI1", "GSI2"]
