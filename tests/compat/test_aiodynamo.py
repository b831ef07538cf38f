"""aiodynamo: an asynchronous client with its own signing, over aiohttp and over httpx."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from decimal import Decimal
from typing import Any

import pytest
from aiodynamo import errors
from aiodynamo.client import Client, Table
from aiodynamo.credentials import Key, StaticCredentials
from aiodynamo.expressions import F, HashKey, RangeKey
from aiodynamo.models import (
    BatchGetRequest,
    BatchWriteRequest,
    GlobalSecondaryIndex,
    KeySchema,
    KeySpec,
    KeyType,
    PayPerRequest,
    Projection,
    ProjectionType,
    ReturnValues,
    StaticDelayRetry,
    StreamSpecification,
    StreamViewType,
    TableStatus,
    TimeToLiveStatus,
)
from aiodynamo.operations import ConditionCheck, Delete, Get, Put, Update
from tests.compat.conftest import ACCESS_KEY, REGION, SECRET_KEY, Local
from yarl import URL

from tablewright.engine.realism import Fault
from tablewright.testing import injected

Run = Callable[[Callable[[Table], Awaitable[None]]], None]

KEYS = KeySchema(KeySpec("pk", KeyType.string), KeySpec("sk", KeyType.number))
BY_COLOUR = GlobalSecondaryIndex(
    name="by-colour",
    schema=KeySchema(KeySpec("colour", KeyType.string), KeySpec("sk", KeyType.number)),
    projection=Projection(ProjectionType.all),
    throughput=PayPerRequest(),
)


async def http_of(kind: str, stack: AsyncExitStack) -> Any:
    if kind == "aiohttp":
        aiohttp = pytest.importorskip("aiohttp")
        from aiodynamo.http.aiohttp import AIOHTTP

        return AIOHTTP(await stack.enter_async_context(aiohttp.ClientSession()))
    httpx = pytest.importorskip("httpx")
    from aiodynamo.http.httpx import HTTPX

    return HTTPX(await stack.enter_async_context(httpx.AsyncClient(trust_env=False)))


async def with_client(
    kind: str, url: str, work: Callable[[Client], Awaitable[None]], **more: Any
) -> None:
    async with AsyncExitStack() as stack:
        client = Client(
            await http_of(kind, stack),
            StaticCredentials(Key(ACCESS_KEY, SECRET_KEY)),
            REGION,
            URL(url),
            **{"numeric_type": Decimal, **more},
        )
        await work(client)


@pytest.fixture(params=["aiohttp", "httpx"])
def run(request: pytest.FixtureRequest, endpoint: str, name: str) -> Run:
    """Runs an async function with a table that it has for itself."""

    def run(work: Callable[[Table], Awaitable[None]]) -> None:
        async def with_table(client: Client) -> None:
            table = client.table(name)
            await table.create(PayPerRequest(), KEYS, gsis=[BY_COLOUR], wait_for_active=True)
            try:
                await work(table)
            finally:
                await table.delete(wait_for_disabled=True)

        asyncio.run(with_client(request.param, endpoint, with_table))

    return run


def test_tables(endpoint: str, name: str) -> None:
    async def work(client: Client) -> None:
        table = client.table(name)
        assert not await table.exists()
        stream = StreamSpecification(True, StreamViewType.new_and_old_images)
        await table.create(PayPerRequest(), KEYS, stream=stream, wait_for_active=True)
        assert await table.exists()
        description = await table.describe()
        assert description.status is TableStatus.active
        assert description.key_schema == KEYS
        await table.time_to_live.enable("end", wait_for_enabled=True)
        found = await table.time_to_live.describe()
        assert (found.attribute, found.status) == ("end", TimeToLiveStatus.enabled)
        with pytest.raises((errors.TableAlreadyExists, errors.ResourceInUse)):
            await table.create(PayPerRequest(), KEYS)
        await table.delete(wait_for_disabled=True)
        with pytest.raises(errors.TableNotFound):
            await table.describe()

    asyncio.run(with_client("aiohttp", endpoint, work))


def test_every_type_comes_back(run: Run) -> None:
    async def work(table: Table) -> None:
        item = {
            "pk": "Gr\u00fc\u00dfe",
            "sk": Decimal("1.5"),
            "bytes": b"\x00\xff",
            "true": True,
            "none": None,
            "strings": {"a", "b"},
            "numbers": {Decimal(1), Decimal("2.5")},
            "binaries": {b"a", b"b"},
            "list": [Decimal(1), "two", [None]],
            "map": {"deep": {"er": [Decimal("0.1")]}},
        }
        await table.put_item(item)
        assert await table.get_item({"pk": item["pk"], "sk": item["sk"]}) == item
        projected = await table.get_item(
            {"pk": item["pk"], "sk": item["sk"]},
            projection=F("map", "deep") & F("list", 1),
            consistent_read=True,
        )
        assert projected == {"map": {"deep": {"er": [Decimal("0.1")]}}, "list": ["two"]}
        with pytest.raises(errors.ItemNotFound):
            await table.get_item({"pk": "none", "sk": 1})

    run(work)


def test_updates_and_conditions(run: Run) -> None:
    async def work(table: Table) -> None:
        key = {"pk": "a", "sk": 1}
        found = await table.update_item(
            key,
            F("n").set(1) & F("tags").add({"x"}) & F("l").set(["a"]),
            return_values=ReturnValues.all_new,
        )
        assert found == {**key, "n": 1, "tags": {"x"}, "l": ["a"]}
        found = await table.update_item(
            key,
            F("n").change(4) & F("l").append(["b"]) & F("m").set_if_not_exists("new"),
            condition=F("n").equals(1) & F("tags").contains("x") & F("m").does_not_exist(),
            return_values=ReturnValues.updated_new,
        )
        assert found == {"n": 5, "l": ["a", "b"], "m": "new"}
        with pytest.raises(errors.ConditionalCheckFailed):
            await table.put_item(key, condition=F("pk").does_not_exist())
        with pytest.raises(errors.ValidationException):
            await table.update_item(key, F("l").add({"x"}))
        old = await table.delete_item(key, return_values=ReturnValues.all_old)
        assert old is not None
        assert old["n"] == 5

    run(work)


def test_queries_and_scans_in_pages(run: Run) -> None:
    async def work(table: Table) -> None:
        await asyncio.gather(
            *(
                table.put_item({"pk": "a", "sk": n, "colour": "red" if n % 3 else "blue"})
                for n in range(40)
            )
        )
        seen = [
            item["sk"]
            async for item in table.query(
                HashKey("pk", "a") & RangeKey("sk").between(5, 30),
                filter_expression=F("colour").equals("blue"),
                scan_forward=False,
            )
        ]
        assert seen == [30, 27, 24, 21, 18, 15, 12, 9, 6]
        by_index = table.query(HashKey("colour", "blue"), index="by-colour", limit=5)
        assert [item["sk"] async for item in by_index] == [0, 3, 6, 9, 12]
        page = await table.query_single_page(HashKey("pk", "a"), limit=25)
        assert not page.is_last_page
        rest = await table.query_single_page(HashKey("pk", "a"), start_key=page.last_evaluated_key)
        assert (len(page.items), len(rest.items), rest.is_last_page) == (25, 15, True)
        assert await table.count(HashKey("pk", "a")) == 40
        assert await table.scan_count() == 40
        assert len([item async for item in table.scan(projection=F("sk"))]) == 40

    run(work)


def test_batches(run: Run) -> None:
    async def work(table: Table) -> None:
        client = table.client
        left = await client.batch_write(
            {table.name: BatchWriteRequest(items_to_put=[{"pk": "a", "sk": n} for n in range(25)])}
        )
        assert left == {}
        await client.batch_write(
            {table.name: BatchWriteRequest(keys_to_delete=[{"pk": "a", "sk": 0}])}
        )
        answer = await client.batch_get(
            {table.name: BatchGetRequest(keys=[{"pk": "a", "sk": n} for n in range(25)])}
        )
        assert sorted(item["sk"] for item in answer.items[table.name]) == list(range(1, 25))
        assert answer.unprocessed_keys == {}

    run(work)


def test_transactions(run: Run) -> None:
    async def work(table: Table) -> None:
        client, name = table.client, table.name
        # aiodynamo sends the missing token as null.
        await client.transact_write_items(
            [
                Put(name, {"pk": "a", "sk": 1, "n": 1}),
                Put(name, {"pk": "a", "sk": 2}, condition=F("pk").does_not_exist()),
            ]
        )
        await client.transact_write_items(
            [
                Update(name, {"pk": "a", "sk": 1}, F("n").change(1)),
                Delete(name, {"pk": "a", "sk": 2}),
                ConditionCheck(name, {"pk": "a", "sk": 3}, F("pk").does_not_exist()),
            ],
            request_token=name[:36],
        )
        found = await client.transact_get_items([Get(name, {"pk": "a", "sk": 1})])
        assert found == [{"pk": "a", "sk": 1, "n": 2}]
        with pytest.raises(errors.TransactionCanceled) as caught:
            await client.transact_write_items(
                [Put(name, {"pk": "a", "sk": 1}, condition=F("n").equals(1))]
            )
        (reason,) = caught.value.cancellation_reasons
        assert reason.code == "ConditionalCheckFailed"

    run(work)


@pytest.mark.parametrize("kind", ["aiohttp", "httpx"])
def test_failures_are_retried(local: Local, kind: str) -> None:
    async def work(client: Client) -> None:
        table = client.table("Retried")
        await table.create(PayPerRequest(), KEYS, wait_for_active=True)
        for fault in (
            Fault("UpdateItem", error="InternalServerError", times=1),
            Fault("UpdateItem", error="ProvisionedThroughputExceededException", times=1),
            Fault("UpdateItem", drop=True, times=1),
        ):
            with injected(local.engine, fault):
                await table.update_item({"pk": "a", "sk": 1}, F("n").add(1))
        assert (await table.get_item({"pk": "a", "sk": 1}))["n"] == 3

    retries = StaticDelayRetry(time_limit_secs=5, delay=0.01)
    asyncio.run(with_client(kind, local.url, work, throttle_config=retries))
