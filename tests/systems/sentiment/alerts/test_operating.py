"""Rules about the system itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.sentiment.alerts.support import MINUTE, fired, now_of, waiting
from tests.systems.sentiment.support import NOW, newsroom_on, put_articles, stored
from tests.systems.sentiment.support import article as article_of

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model import put
from tablewright.model.errors import TablewrightError
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.config import OpsRule, Quota, Source
from tablewright.systems.sentiment.rules.ops_rules import (
    MINUTES,
    WATCHED,
    Counted,
    Recent,
    built_in,
    rule_id_of,
)
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing import Backend, injected


async def _stuck(newsroom: Newsroom) -> None:
    old = NOW - timedelta(minutes=6)
    waits = [article_of(f"stuck-{n}", timestamp=old, queued_at=old) for n in range(11)]
    await put_articles(newsroom, waits)


async def _failed(newsroom: Newsroom) -> None:
    await put_articles(newsroom, [article_of("bad", status="failed", timestamp=NOW - MINUTE)])


async def _quota(newsroom: Newsroom) -> None:
    await newsroom.db.run(put(Source(name="main", source_type="newsapi", query="x")))
    used = Quota(
        source="main", day=NOW.date(), used=90, limit=100, ttl_timestamp=NOW + timedelta(days=90)
    )
    await newsroom.db.run(put(used))


async def _feed_quota(newsroom: Newsroom) -> None:
    feed = {"name": "main", "source_type": "rss", "url": "https://x.example/", "daily_limit": 10}
    await newsroom.db.run(put(Source(**feed)))
    for _ in range(9):
        ends = NOW + timedelta(days=90)
        await newsroom.db.run(writes.take_quota("main", NOW.date(), 10, ends))


async def _breaker(newsroom: Newsroom) -> None:
    source = Source(
        name="main", source_type="rss", url="https://x.example/", breaker_open_until=NOW + MINUTE
    )
    await newsroom.db.run(put(source))


async def _silence(newsroom: Newsroom) -> None:
    await newsroom.db.run(put(Source(name="main", source_type="rss", url="https://x.example/")))


TROUBLES: list[tuple[OpsRule, Callable[[Newsroom], Awaitable[None]]]] = [
    ("stuck", _stuck),
    ("failed", _failed),
    ("quota", _quota),
    ("quota", _feed_quota),
    ("breaker", _breaker),
]


@pytest.mark.parametrize(("ops", "trouble"), TROUBLES)
def test_trouble_in_the_table_is_told_once(
    tablewright_backend: Backend,
    clock: ManualClock,
    ops: OpsRule,
    trouble: Callable[[Newsroom], Awaitable[None]],
) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await newsroom.alerts.operating.install()
            await newsroom.alerts.evaluate()
            assert await fired(newsroom) == []
            await trouble(newsroom)
            for _ in range(3):
                await newsroom.alerts.evaluate()
                clock.advance(15)
            (alert,) = await fired(newsroom)
            assert (alert.ops, alert.metric, alert.window_start) == (ops, "ops", NOW)
            assert alert.threshold is not None
            assert alert.value >= alert.threshold
            (message,) = await waiting(newsroom)
            assert message.kind == "alert.fired"
            assert (await now_of(newsroom, rule_id_of(ops))).firing

    asyncio.run(main())


def test_trouble_that_ends_is_over_after_two_minutes(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await newsroom.alerts.operating.install()
            await _breaker(newsroom)
            await newsroom.alerts.evaluate()
            states = []
            for _ in range(3):
                clock.advance(61)
                await newsroom.alerts.evaluate()
                states.append((await now_of(newsroom, "ops-breaker")).firing)
            assert states == [True, False, False]
            (alert,) = await fired(newsroom)
            assert alert.state == "cleared"

    asyncio.run(main())


def test_silence_counts_from_the_start_and_only_with_sources(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await newsroom.alerts.operating.install()
            clock.advance(3700)
            await newsroom.alerts.evaluate()
            assert await fired(newsroom) == []
            await _silence(newsroom)
            await stored(newsroom, "something-new", timestamp=newsroom.now())
            clock.advance(3500)
            await newsroom.alerts.evaluate()
            assert await fired(newsroom) == []
            clock.advance(200)
            await newsroom.alerts.evaluate()
            assert [each.ops for each in await fired(newsroom)] == ["silence"]

    asyncio.run(main())


def test_a_process_tells_what_it_alone_sees(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """One process is throttled; the other, which judges the rest, does not end its alert."""

    async def main() -> None:
        async with (
            newsroom_on(engine_backend, clock, quick=True) as one,
            newsroom_on(engine_backend, clock) as other,
        ):
            await other.alerts.operating.install()
            await one.alerts.operating.look()
            throttle = Fault("GetItem", error="ProvisionedThroughputExceededException")
            with injected(tablewright_engine, throttle):
                for _ in range(4):
                    with pytest.raises(TablewrightError):
                        await one.db.run(config_reads.settings())
            for minute in range(5):
                clock.advance(60)
                await one.alerts.operating.look()
                await other.alerts.operating.look()
                await other.alerts.evaluate()
                assert (await now_of(other, "ops-throttled")).firing, minute
            (alert,) = await fired(other)
            assert (alert.ops, len(await waiting(other))) == ("throttled", 1)
            for _ in range(4):
                clock.advance(60)
                await one.alerts.operating.look()
                await other.alerts.evaluate()
            assert not (await now_of(other, "ops-throttled")).firing

    asyncio.run(main())


def test_rejected_records_are_counted(engine_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            await newsroom.alerts.operating.install()
            records = newsroom.runtime.metrics.counter(
                "sentiment_records", "Records that came in, by what became of them.", ("result",)
            )
            await newsroom.alerts.operating.look()
            records.labels("rejected").inc(10)
            clock.advance(60)
            await newsroom.alerts.operating.look()
            assert await fired(newsroom) == []
            records.labels("rejected").inc()
            clock.advance(60)
            await newsroom.alerts.operating.look()
            assert [each.ops for each in await fired(newsroom)] == ["rejected"]

    asyncio.run(main())


def test_the_rules_of_the_system_stay_as_people_want_them(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await newsroom.alerts.operating.install()
            rule = await now_of(newsroom, "ops-failed")
            await newsroom.db.run(
                writes.save_alert_rule(rule.model_copy(update={"enabled": False}))
            )
            await newsroom.alerts.operating.install()
            assert not (await now_of(newsroom, "ops-failed")).enabled
            assert len(await newsroom.alerts.rules()) == len(WATCHED) == len(built_in())

    asyncio.run(main())


# --- the last minutes of a process ---------------------------------------------------------------

START = datetime(2026, 11, 20, 12, tzinfo=UTC)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=20))
def test_what_was_counted_in_the_last_five_minutes(steps: list[int]) -> None:
    recent, total = Recent(1.0), 0.0
    recent.add(START, Counted())
    for minute, step in enumerate(steps, 1):
        total += step
        recent.add(START + minute * MINUTE, Counted(throttled=total, rejected=2 * total))
    found = recent.values()
    assert found["throttled"] == sum(steps[-MINUTES:])
    assert found["rejected"] == 2 * sum(steps[-MINUTES:])


def test_a_burst_is_no_trend() -> None:
    def after(*units: float) -> float | None:
        recent, total = Recent(40.0), 0.0
        recent.add(START, Counted())
        for minute, step in enumerate(units, 1):
            total += step
            recent.add(START + minute * MINUTE, Counted(write_units=total))
        return recent.values().get("write_units")

    assert after(40_000, 0, 0, 0, 0) == 0
    assert after(9000, 9000, 9000, 9000) is None
    steady = after(*[9000] * 5)
    assert steady == pytest.approx(9000 / 60 / 40)
    assert WATCHED["write_units"].breached(steady)


def test_a_clock_that_is_set_back_starts_again() -> None:
    recent = Recent(1.0)
    recent.add(START, Counted())
    recent.add(START - MINUTE, Counted(throttled=50))
    assert recent.values() == {}
