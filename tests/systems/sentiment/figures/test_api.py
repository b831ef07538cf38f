"""``/overview``, ``/timeseries``, ``/share`` over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from tests.systems.sentiment.api_support import Api, api_on
from tests.systems.sentiment.support import NOW, newsroom_on, stored

from tablewright.clock import ManualClock
from tablewright.testing.backends import Backend

HOUR = timedelta(hours=1)
Test = Callable[[Api], Awaitable[None]]
READERS = ("viewer", "analyst", "operator", "admin")


@pytest.fixture
def run(engine_backend: Backend, clock: ManualClock) -> Callable[[Test], None]:
    async def opened(test: Test) -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            await stored(newsroom, "one", said="positive", timestamp=NOW - 2 * HOUR)
            await stored(newsroom, "two", ("Climate",), said="negative", timestamp=NOW - HOUR)
            await stored(newsroom, "three", ("AI",), timestamp=NOW - HOUR)
        async with api_on(engine_backend, clock) as api:
            await test(api.as_("viewer"))

    return lambda test: asyncio.run(opened(test))


def test_an_overview(run: Callable[[Test], None]) -> None:
    async def test(api: Api) -> None:
        found = await api.get("/overview")
        assert (found["from"], found["to"]) == (
            "2026-11-19T12:00:00.000Z",
            "2026-11-20T12:00:00.000Z",
        )
        assert (found["ingested"], found["pending"]) == (3, 1)
        assert found["totals"] == {
            "articles": 2,
            "unjudged": 0,
            "analysed": 2,
            "positive": 1,
            "neutral": 0,
            "negative": 1,
            "index": 0.0,
        }
        assert (found["per_hour"], found["partial"]) == (0.125, False)
        assert found["change"]["volume_percent"] is None
        assert found["change"]["before_from"] == "2026-11-18T12:00:00.000Z"
        topic = await api.get("/overview?tag=AI")
        assert (topic["tag"], topic["ingested"], topic["totals"]["index"]) == ("ai", None, 1.0)
        words = await api.get("/overview?q=TWO")
        assert (words["totals"]["analysed"], words["pending"]) == (1, None)

    run(test)


def test_figures_end_at_the_whole_minute_that_is_asked_for(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def test() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            await stored(newsroom, "before", said="positive", timestamp=NOW - timedelta(minutes=3))
            await stored(newsroom, "after", said="negative", timestamp=NOW + timedelta(seconds=5))
            clock.advance(20)
            async with api_on(engine_backend, clock) as opened:
                api = opened.as_("viewer")
                times = "from=2026-11-20T11:30:00Z&to=2026-11-20T12:00:00Z"
                overview = await api.get(f"/overview?{times}")
                assert overview["to"] == "2026-11-20T12:00:00.000Z"
                assert overview["totals"]["analysed"] == 1
                assert overview["change"]["analysed"] == 1
                series = await api.get(f"/timeseries?interval=5m&{times}")
                assert sum(each["analysed"] for each in series["points"]) == 1
                # Half past eleven to two minutes past, and on to the end that is not given.
                clock.advance(120)
                later = await api.get(f"/overview?{times.replace('12:00:00', '12:02:00')}")
                assert (later["to"], later["totals"]["analysed"]) == (
                    "2026-11-20T12:02:00.000Z",
                    2,
                )

    asyncio.run(test())


def test_a_series_and_its_default_interval(run: Callable[[Test], None]) -> None:
    async def test(api: Api) -> None:
        found = await api.get("/timeseries?interval=1h&from=2026-11-20T09:30:00Z")
        starts = [point["start"][11:16] for point in found["points"]]
        assert starts == ["09:00", "10:00", "11:00"]
        assert [point["partial"] for point in found["points"]] == [True, False, False]
        assert [point["ingested"] for point in found["points"]] == [0, 1, 2]
        assert [point["index"] for point in found["points"]] == [None, 1.0, -1.0]
        assert (await api.get("/timeseries"))["interval"] == "1h"
        assert (await api.get("/timeseries?source=bbc-news"))["interval"] == "1h"

    run(test)


REFUSED = [
    ("/overview?from=2026-11-20T12:00:00Z&to=2026-11-20T11:00:00Z", "BAD_RANGE"),
    ("/overview?from=2026-11-20T11:00:00", "BAD_RANGE"),
    ("/overview?to=2027-11-20T11:00:00Z", "BAD_RANGE"),
    ("/overview?from=2024-01-01T00:00:00Z", "BAD_RANGE"),
    ("/overview?to=0001-01-01T00:00:00Z", "BAD_RANGE"),
    ("/overview?from=0001-01-01T00:00:00%2B10:00", "BAD_RANGE"),
    ("/overview?to=9999-12-31T23:59:59-10:00", "BAD_RANGE"),
    ("/items?to=0001-01-01T00:00:00Z", "BAD_RANGE"),
    ("/overview?from=yesterday", "INVALID"),
    ("/overview?from=1700000000", "INVALID"),
    ("/overview?tag=a%23b", "INVALID"),
    ("/overview?source=BBC", "INVALID"),
    ("/timeseries?interval=2h", "INVALID"),
    ("/timeseries?interval=1m", "TOO_MANY_BUCKETS"),
    ("/timeseries?interval=5m&source=bbc-news", "BAD_RANGE"),
    ("/timeseries?interval=15m&from=2026-11-17T00:00:00Z", "BAD_RANGE"),
    ("/share?by=author", "INVALID"),
]


def test_what_is_refused(run: Callable[[Test], None]) -> None:
    async def test(api: Api) -> None:
        for query, code in REFUSED:
            answer = await api("GET", query)
            assert (answer.status_code, answer.json()["code"]) == (422, code), query
            if code == "TOO_MANY_BUCKETS":
                assert answer.json()["smallest_interval"] == "5m"

    run(test)


def test_shares(run: Callable[[Test], None]) -> None:
    async def test(api: Api) -> None:
        found = await api.get("/share")
        shares = {each["label"]: each["share"] for each in found["items"]}
        assert shares == {"AI": 0.5, "Climate": 0.5, "Energy": 0.0}
        sources = await api.get("/share?by=source")
        assert [each["key"] for each in sources["items"]] == ["other"]

    run(test)


def test_everybody_who_may_read_reads(run: Callable[[Test], None]) -> None:
    async def test(api: Api) -> None:
        for path in ("/overview", "/timeseries", "/share", "/items", "/export"):
            for role in READERS:
                assert (await api.as_(role)("GET", path)).status_code == 200
            assert (await api.as_("ingest")("GET", path)).status_code == 403
            assert (await api.as_("nobody")("GET", path)).status_code == 401

    run(test)
