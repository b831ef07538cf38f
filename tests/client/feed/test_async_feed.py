"""The same with ``await``."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from tests.client.feed.shop import EAGER, Balance, app, ids, kit, order

from tablewright.client import AsyncDb, AsyncEmbedded, Db
from tablewright.client.feed import (
    AsyncChangeFeed,
    Change,
    ConsumerReplaced,
    HandlerFailed,
    Polling,
    TableCheckpoints,
    apply_once,
)
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import attr, put, update


@pytest.fixture
def adb(db: Db, engine: Engine, clock: ManualClock) -> AsyncDb:
    return AsyncDb(AsyncEmbedded(engine), clock=clock)


def feed_of(adb: AsyncDb, **settings: Any) -> AsyncChangeFeed:
    settings = {"consumer": "tests", "polling": EAGER, **settings}
    return AsyncChangeFeed(adb, app, checkpoints=TableCheckpoints(kit), **settings)


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, 30))


def test_batches(db: Db, adb: AsyncDb) -> None:
    async def main() -> None:
        db.run(put(order(1)))
        feed = feed_of(adb)
        await feed.start()
        with pytest.raises(ZeroDivisionError):
            async with feed.batch(wait=5):
                raise ZeroDivisionError
        async with feed.batch(wait=5) as changes:
            assert ids(changes) == ["0001"]
        db.run(put(order(2)))
        async with feed_of(adb) as again:
            assert ids(await again.poll(wait=5)) == ["0002"]

    run(main())


def test_commits(db: Db, adb: AsyncDb) -> None:
    async def main() -> None:
        for number in (1, 2, 3):
            db.run(put(order(number)))
        early = feed_of(adb)
        changes = await early.poll(wait=5)
        await early.commit(changes[0])
        late = feed_of(adb)
        assert ids(await late.poll(wait=5)) == ["0002", "0003"]
        with pytest.raises(ConsumerReplaced):
            await early.commit()
        late.rewind()
        assert ids(await late.poll(wait=5)) == ["0002", "0003"]
        await late.commit()
        assert await feed_of(adb).poll() == []

    run(main())


def test_run(db: Db, adb: AsyncDb) -> None:
    async def main() -> None:
        stop, seen = asyncio.Event(), []

        async def handle(change: Change) -> None:
            seen.append(change.new.order_id)
            if len(seen) == 3:
                stop.set()

        db.run(put(order(1)))
        running = asyncio.create_task(feed_of(adb, polling=None).run(handle, stop))
        await asyncio.sleep(0.05)
        await adb.run(put(order(2)))
        await adb.run(put(order(3)))
        await running
        assert seen == ["0001", "0002", "0003"]
        assert await feed_of(adb).poll() == []

    run(main())


def test_stop_while_there_is_nothing(adb: AsyncDb) -> None:
    async def main() -> None:
        async def handle(change: Change) -> None: ...

        stop = asyncio.Event()
        slow = Polling(least=60, most=60, relist=60)
        running = asyncio.create_task(feed_of(adb, polling=slow).run(handle, stop))
        await asyncio.sleep(0.05)
        assert not running.done()
        stop.set()
        assert await asyncio.wait_for(running, 5) is None

    run(main())


def test_a_handler_that_raises(db: Db, adb: AsyncDb) -> None:
    async def main() -> None:
        async def handle(change: Change) -> None:
            if change.new.order_id == "0002":
                raise ZeroDivisionError

        for number in (1, 2, 3):
            db.run(put(order(number)))
        with pytest.raises(HandlerFailed, match="ORDER#0002"):
            await feed_of(adb).run(handle)
        assert ids(await feed_of(adb).poll()) == ["0002", "0003"]

    run(main())


def test_run_again_after_it_was_cancelled(db: Db, adb: AsyncDb) -> None:
    async def main() -> None:
        stop, seen, held = asyncio.Event(), [], asyncio.Event()
        feed = feed_of(adb, polling=Polling(page=2, least=0, most=0, relist=0))

        async def handle(change: Change) -> None:
            seen.append(change.new.order_id)
            if len(seen) == 2:
                held.set()
                await asyncio.sleep(60)
            if change.new.order_id == "0004":
                stop.set()

        for number in (1, 2, 3, 4):
            db.run(put(order(number)))
        running = asyncio.create_task(feed.run(handle, stop))
        await held.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await feed.run(handle, stop)
        assert seen == ["0001", "0002", "0001", "0002", "0003", "0004"]
        assert await feed_of(adb).poll() == []

    run(main())


def test_iteration(db: Db, adb: AsyncDb) -> None:
    async def main() -> None:
        seen = []
        db.run(put(order(1)))
        async for change in feed_of(adb):
            seen.append(change.new.order_id)
            if len(seen) == 3:
                break
            await adb.run(put(order(len(seen) + 1)))
        assert seen == ["0001", "0002", "0003"]
        assert ids(await feed_of(adb).poll()) == ["0003"]

    run(main())


def test_effects(db: Db, adb: AsyncDb) -> None:
    async def main() -> None:
        db.run(put(order(1)))
        (change,) = await feed_of(adb).poll(wait=5)
        effect = update(Balance, "ada").do(attr(Balance.spent).add(5)).upsert()
        assert await apply_once(adb, "tests", change, effect, marks=kit)
        assert not await apply_once(adb, "tests", change, effect, marks=kit)

    run(main())
