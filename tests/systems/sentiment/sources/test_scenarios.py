"""The acceptance scenarios of sources, against real servers of this machine."""

from __future__ import annotations

import asyncio
import logging

import pytest
from tests.systems.sentiment.sources.support import (
    KEY,
    asking,
    create,
    feed_server,
    news,
    read,
    rss,
    source_of,
    told,
)
from tests.systems.sentiment.support import ADMIN, OPERATOR, START, all_articles, refused

from tablewright.clock import ManualClock
from tablewright.service.kit import audit
from tablewright.service.kit.entities import pending_in
from tablewright.service.kit.patterns import latest_messages_in
from tablewright.systems.sentiment.stand_in import Fault, StandIn, serving
from tablewright.testing.backends import Backend

BILLION_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">'
    + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)).replace(
        "&l0;", "&lol;"
    )
    + "]>"
)


def test_scenario_10_newsapi_fails_and_the_breaker_opens(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Fake NewsAPI 500, 429, 401: breaker, wait, disable; state survives restart."""
    stand_in = StandIn([news(1)], key=KEY)
    stand_in.always = Fault(status=500)

    async def first_process(url: str) -> None:
        async with asking(tablewright_backend, clock, url) as (newsroom, sleeps):
            await create(newsroom)
            for failures in (1, 2, 3):
                run = await read(newsroom)
                assert told(run) == {"state": "failed", "error_code": "UPSTREAM_ERROR"}
                assert (await source_of(newsroom, "press")).failures == failures
            # Three tries each, and no pause after the last.
            assert len(stand_in.asked) == 9
            assert sleeps.seconds == [1.0, 2.0] * 3

    async def second_process(url: str) -> None:
        """Knows what the first has seen: nobody is asked while the breaker is open."""
        async with asking(tablewright_backend, clock, url) as (newsroom, _):
            source = await source_of(newsroom, "press")
            assert source.breaker_open_until is not None
            left = source.breaker_open_until.timestamp() - clock.now()
            assert left == pytest.approx(300)
            clock.advance(299.5)
            problem = await refused(newsroom.sources.run_now("press", OPERATOR))
            assert (problem.status, problem.code) == (409, "BREAKER_OPEN")
            assert await newsroom.sources.runs.start_due() == []
            assert len(stand_in.asked) == 9
            clock.advance(0.5)
            # One trial: it fails, and the breaker is open at once.
            await read(newsroom)
            assert len(stand_in.asked) == 12
            assert (await newsroom.sources.get("press")).breaker == "open"

    async def third_process(url: str) -> None:
        """The trial goes well, and all is forgotten."""
        stand_in.always = None
        async with asking(tablewright_backend, clock, url) as (newsroom, _):
            clock.advance(300)
            assert (await newsroom.sources.get("press")).breaker == "trial"
            assert told(await read(newsroom)) == {"state": "ok", "fetched": 1, "ingested": 1}
            source = await source_of(newsroom, "press")
            assert (source.failures, source.breaker_open_until, source.error_code) == (
                0,
                None,
                None,
            )

    with serving(stand_in) as url:
        for process in (first_process, second_process, third_process):
            asyncio.run(process(url))


def test_scenario_10_newsapi_asks_to_wait(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Fake NewsAPI 500, 429, 401: breaker, wait, disable; state survives restart."""
    stand_in = StandIn([news(1)], key=KEY)
    stand_in.faults = [Fault(status=429, retry_after="120")]

    async def told_to_wait(url: str) -> None:
        async with asking(tablewright_backend, clock, url) as (newsroom, sleeps):
            await create(newsroom)
            assert told(await read(newsroom)) == {"state": "failed", "error_code": "RATE_LIMITED"}
            assert (len(stand_in.asked), sleeps.seconds) == (1, [])

    async def waits(url: str) -> None:
        async with asking(tablewright_backend, clock, url) as (newsroom, _):
            clock.advance(119)
            assert (await refused(newsroom.sources.run_now("press", OPERATOR))).code == (
                "BREAKER_OPEN"
            )
            clock.advance(1)
            assert told(await read(newsroom))["state"] == "ok"

    with serving(stand_in) as url:
        asyncio.run(told_to_wait(url))
        asyncio.run(waits(url))


def test_scenario_10_newsapi_refuses_the_key(
    tablewright_backend: Backend, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Fake NewsAPI 500, 429, 401: breaker, wait, disable; state survives restart."""
    stand_in = StandIn([news(1)], key="another key")
    caplog.set_level(logging.DEBUG)

    async def refuses(url: str) -> None:
        async with asking(tablewright_backend, clock, url) as (newsroom, _):
            await create(newsroom)
            assert told(await read(newsroom)) == {"state": "failed", "error_code": "KEY_REFUSED"}
            assert len(stand_in.asked) == 1

    async def is_off(url: str) -> None:
        async with asking(tablewright_backend, clock, url) as (newsroom, _):
            clock.advance(86_400)
            assert await newsroom.sources.runs.start_due() == []
            assert (await refused(newsroom.sources.run_now("press", OPERATOR))).code == (
                "SOURCE_DISABLED"
            )
            found = await audit.entries(newsroom.db, until=START + 10**6, subject="source/press")
            assert [each.action for each in found] == ["source.disable", "source.create"]
            told_of = await newsroom.db.run(latest_messages_in(pending_in("source/press")))
            assert [each.kind for each in told_of] == ["source.disabled"]
            # Somebody has seen to the key.
            stand_in.key = KEY
            await newsroom.sources.resume("press", ADMIN)
            assert told(await read(newsroom)) == {"state": "ok", "fetched": 1, "ingested": 1}

    with serving(stand_in) as url:
        asyncio.run(refuses(url))
        asyncio.run(is_off(url))
    assert KEY not in caplog.text
    assert not any("apikey" in name.lower() for asked in stand_in.asked for name in asked)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_scenario_11_an_xml_bomb_is_refused(
    engine_backend: Backend, clock: ManualClock, encoding: str
) -> None:
    """Broken JSONL, XML bomb, feed at 169.254.169.254, script title: refused or escaped."""
    bomb = BILLION_LAUGHS + rss("AI &l9;").decode()
    body = bomb.replace('version="1.0"', f'version="1.0" encoding="{encoding}"').encode(encoding)

    async def test(url: str) -> None:
        async with asking(engine_backend, clock, url, allow_local_feeds=True) as (newsroom, _):
            await create(newsroom, source_type="rss", url=f"{url}/feed.xml")
            run = await read(newsroom)
            assert told(run) == {"state": "failed", "error_code": "UNSAFE_FEED"}
            assert await all_articles(newsroom) == []

    with feed_server(lambda path, headers: (200, {"Content-Type": "text/xml"}, body)) as url:
        asyncio.run(test(url))


def test_scenario_11_a_feed_at_the_metadata_address_is_refused(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """Broken JSONL, XML bomb, feed at 169.254.169.254, script title: refused or escaped."""
    metadata = "http://169.254.169.254/latest/meta-data/"

    async def test(url: str) -> None:
        async with asking(engine_backend, clock, url, allow_local_feeds=True) as (newsroom, _):
            for bad in (metadata, metadata.replace("http:", "https:"), "https://[fd00::1]/feed"):
                problem = await refused(create(newsroom, source_type="rss", url=bad))
                assert (problem.status, problem.code) == (422, "UNSAFE_URL")
            # A place that may be asked, and that sends us to one that may not.
            await create(newsroom, source_type="rss", url=f"{url}/feed.xml")
            run = await read(newsroom)
            assert told(run) == {"state": "failed", "error_code": "UNSAFE_URL"}

    with feed_server(lambda path, headers: (302, {"Location": metadata}, b"")) as url:
        asyncio.run(test(url))


def test_scenario_11_script_in_a_title_is_text(engine_backend: Backend, clock: ManualClock) -> None:
    """Broken JSONL, XML bomb, feed at 169.254.169.254, script title: refused or escaped."""
    body = rss("AI &lt;script&gt;alert(1)&lt;/script&gt; wins")

    async def test(url: str) -> None:
        async with asking(engine_backend, clock, url, allow_local_feeds=True) as (newsroom, _):
            await create(newsroom, source_type="rss", url=f"{url}/feed.xml")
            assert told(await read(newsroom))["ingested"] == 1
            (article,) = await all_articles(newsroom)
            assert "<script" not in article.metadata.title + article.text_snippet

    with feed_server(lambda path, headers: (200, {"Content-Type": "text/xml"}, body)) as url:
        asyncio.run(test(url))
