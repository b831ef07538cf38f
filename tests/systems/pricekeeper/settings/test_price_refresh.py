"""The worker that looks at prices once a day, and the client of the price list by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.systems.pricekeeper.access.support import keeping
from tests.systems.pricekeeper.rules.test_price_list import full_book
from tests.systems.pricekeeper.settings.price_list import Book, published

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.kit import audit
from tablewright.service.problems import Problem
from tablewright.service.workers import run_once
from tablewright.systems.pricekeeper.rules.price_list import MARKETPLACE, OWN, PriceListError
from tablewright.systems.pricekeeper.samples import NOW
from tablewright.systems.pricekeeper.service import price_list
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.price_list import PriceList
from tablewright.systems.pricekeeper.workers.price_refresh import worker
from tablewright.testing.backends import in_process

NOVA = "amazon.nova-lite-v1:0"


def with_keeper(
    engine: Engine,
    clock: ManualClock,
    test: Callable[[Keeper], Coroutine[Any, Any, None]],
    **options: object,
) -> None:
    clock.set(NOW.timestamp())

    async def run() -> None:
        with in_process(engine) as backend:
            async with keeping(backend, clock, **options) as keeper:
                await test(keeper)

    asyncio.run(run())


def test_the_worker_follows_the_list(
    tablewright_engine: Engine, tablewright_clock: ManualClock
) -> None:
    async def test(keeper: Keeper) -> None:
        await run_once(worker(keeper))
        price = await keeper.prices.at(NOVA, "region", "flex", keeper.now())
        assert price is not None
        assert price.source == "PRICE_LIST"
        page = await audit.entries(keeper.db, until=NOW.timestamp() + 1, limit=100)
        assert {entry.actor for entry in page} == {"system:pricekeeper/price-refresh"}

    with published(full_book()) as url:
        options = {"prices_source": "aws", "prices_url": url}
        with_keeper(tablewright_engine, tablewright_clock, test, **options)


def test_without_a_list_the_worker_sees_to_the_bundled_prices(
    tablewright_engine: Engine, tablewright_clock: ManualClock
) -> None:
    async def test(keeper: Keeper) -> None:
        assert await keeper.prices.at(NOVA, "region", "standard", keeper.now()) is None
        await run_once(worker(keeper))
        keeper.prices.forget(NOVA)
        price = await keeper.prices.at(NOVA, "region", "standard", keeper.now())
        assert price is not None
        assert price.source == "BUNDLED"

    with_keeper(tablewright_engine, tablewright_clock, test)


def test_two_processes_that_refresh_at_once_save_a_price_once(
    tablewright_engine: Engine, tablewright_clock: ManualClock
) -> None:
    book = full_book()

    async def test(keeper: Keeper) -> None:
        with in_process(tablewright_engine) as backend:
            async with keeping(backend, tablewright_clock, **options) as other:
                await asyncio.gather(run_once(worker(keeper)), run_once(worker(other)))
        timeline = await keeper.prices.timeline(NOVA)
        keys = [(p.region_class, p.service_tier, p.effective_from) for p in timeline.prices]
        assert len(keys) == len(set(keys)) == 6
        page = await audit.entries(keeper.db, until=NOW.timestamp() + 1, limit=100)
        assert len(page) == 12

    with published(book) as url:
        options = {"prices_source": "aws", "prices_url": url}
        with_keeper(tablewright_engine, tablewright_clock, test, **options)


def test_a_worker_that_cannot_read_the_list_says_so_and_changes_nothing(
    tablewright_engine: Engine, tablewright_clock: ManualClock
) -> None:
    async def test(keeper: Keeper) -> None:
        with pytest.raises(Problem) as caught:
            await run_once(worker(keeper))
        assert caught.value.code == "PRICE_LIST_UNAVAILABLE"
        assert not await keeper.prices.timeline(NOVA)

    options = {"prices_source": "aws", "prices_url": "ftp://prices.example"}
    with_keeper(tablewright_engine, tablewright_clock, test, **options)


# --- the client ----------------------------------------------------------------------------------


def offers(url: str, region: str = "us-east-1", **settings: Any) -> dict[str, Any]:
    return dict(asyncio.run(PriceList(url, region, pause=0.001, **settings).offers()))


def test_the_documents_of_the_offers_that_there_are() -> None:
    book = full_book()
    with published(book) as url:
        found = offers(url)
    assert list(found) == [OWN, MARKETPLACE]
    assert found[OWN] == book.documents[OWN]
    assert book.asked[1].endswith("/us-east-1/index.json")


@pytest.mark.parametrize("url", ["http://prices.example", "ftp://127.0.0.1", "prices"])
def test_nothing_is_asked_in_the_clear(url: str) -> None:
    with pytest.raises(PriceListError, match="https"):
        PriceList(url, "us-east-1")


def test_a_list_that_takes_too_long_or_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    book = full_book()
    with published(book) as url:
        book.faults = 3 * ["slow"]
        with pytest.raises(PriceListError):
            offers(url, timeout=0.05)
        book.faults = []
        monkeypatch.setattr(price_list, "MOST_BYTES", 1000)
        with pytest.raises(PriceListError, match="more than 1000 bytes"):
            offers(url)


def test_a_region_that_has_none() -> None:
    with published(full_book()) as url, pytest.raises(PriceListError, match="eu-north-1"):
        offers(url, "eu-north-1")


def test_an_index_that_leads_elsewhere_is_not_followed() -> None:
    class Elsewhere(Book):
        def answer(self, path: str) -> tuple[int, bytes]:
            status, body = super().answer(path)
            return status, body.replace(b'"/offers/', b'"http://169.254.169.254/')

    book = Elsewhere()
    book.documents = full_book().documents
    with published(book) as url, pytest.raises(PriceListError, match="names no document"):
        offers(url)
    assert len(book.asked) == 1
