"""Rules about articles: when they fire, who is told, and when it is over."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from decimal import Decimal

import pytest
from tests.service.kit.hook_server import hook_server
from tests.systems.sentiment.alerts.support import (
    HOUR,
    MINUTE,
    USUAL,
    Tones,
    counted,
    fired,
    history,
    now_of,
    rule_of,
    send,
    waiting,
)
from tests.systems.sentiment.support import NOW, newsroom_on, stored

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model.errors import TablewrightError
from tablewright.service.kit.outbox.signing import HEADER, is_signed
from tablewright.systems.sentiment.service.alerts.telling import alert_id
from tablewright.testing import Backend, injected


def test_scenario_16_a_tenfold_spike_is_told_once(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """10x negative spike: one alert, one webhook; sparse series: none."""

    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            with hook_server() as hook:
                last = NOW - HOUR
                await history(newsroom, "tag#ai", last, HOUR, [USUAL, (9, 8, 3), (7, 8, 5)] * 8)
                await history(newsroom, "tag#energy", last, HOUR, [(0, 1, 0)] * 11)
                for number in range(40):
                    tags = ("AI", "Energy") if number < 15 else ("AI",)
                    when = last + number * MINUTE
                    await stored(newsroom, f"bad-{number}", tags, said="negative", timestamp=when)
                await rule_of(newsroom, channel=hook.url)
                await rule_of(newsroom, "sparse", watch_tag="energy", channel=hook.url)
                await rule_of(newsroom, "volume", metric="volume", watch_tag="climate")
                for _ in range(5):
                    await newsroom.alerts.evaluate()
                    clock.advance(60)
                    await send(newsroom)
                (alert,) = await fired(newsroom)
                assert (alert.rule_id, alert.window_start) == ("bad-news", last)
                assert alert.value == 1
                assert alert.mean == Decimal("0.2")
                assert alert.z is not None
                assert alert.z >= 3
                (body,) = [json.loads(raw) for _, raw in hook.got]
                assert (body["kind"], body["body"]["alert_id"]) == ("alert.fired", alert_id(alert))
                head, raw = hook.got[0]
                secret = await newsroom.alerts.secret("bad-news")
                assert is_signed(secret, head[HEADER.lower()], raw, clock.now())
                assert await waiting(newsroom) == []

    asyncio.run(main())


def test_crisis_on_a_quiet_topic_fires(engine_backend: Backend, clock: ManualClock) -> None:
    """Two articles in two days; then fifteen within an hour."""

    async def main() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            for hours in (40, 9):
                await counted(newsroom, "tag#ai", NOW - hours * HOUR, (0, 1, 0))
            await counted(newsroom, "tag#ai", NOW - HOUR, (0, 0, 15))
            for metric in ("volume", "negative_share"):
                await rule_of(newsroom, metric, metric=metric)
            await rule_of(newsroom, "deaf", metric="negative_share", threshold=Decimal(10))
            await newsroom.alerts.evaluate()
            assert {each.rule_id for each in await fired(newsroom)} == {"volume", "negative_share"}

    asyncio.run(main())


@pytest.mark.parametrize("window", ["15m", "1h"])
def test_every_morning_is_like_other_mornings(
    engine_backend: Backend, clock: ManualClock, window: str
) -> None:
    """Four weeks of two articles an hour at night, and forty from noon on; and one worse noon."""
    length = {"15m": 15 * MINUTE, "1h": HOUR}[window]

    async def main() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            for days in range(29):
                noon = NOW - timedelta(days=days)
                for hours in range(-12, 0):
                    await counted(newsroom, "tag#ai", noon + hours * HOUR, (1, 1, 0))
                if days:
                    await counted(newsroom, "tag#ai", noon, (20, 20, 0))
            await rule_of(newsroom, metric="volume", window=window)
            parts = int(HOUR / length)
            await counted(newsroom, "tag#ai", NOW, (20 // parts, 20 // parts, 0))
            clock.set((NOW + length + MINUTE).timestamp())
            await newsroom.alerts.evaluate()
            assert await fired(newsroom) == []
            await counted(newsroom, "tag#ai", NOW + MINUTE, (40, 40, 0))
            await newsroom.alerts.evaluate()
            (alert,) = await fired(newsroom)
            assert (alert.window_start, alert.threshold) == (NOW, 3)
            _, points = await newsroom.alerts.chart("bad-news")
            assert points[-1].deviation is not None
            assert points[-1].deviation.kind == "weeks"
            assert float(alert.z or 0) == pytest.approx(points[-1].deviation.z, abs=1e-4)

    asyncio.run(main())


@pytest.mark.parametrize("window", ["15m", "1h", "6h"])
@pytest.mark.parametrize(("metric", "spike"), [("volume", (90, 90, 0)), ("index", (0, 1, 19))])
def test_all_windows_and_metrics(
    tablewright_backend: Backend, clock: ManualClock, window: str, metric: str, spike: Tones
) -> None:
    length = {"15m": 15 * MINUTE, "1h": HOUR, "6h": 6 * HOUR}[window]

    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            direction = "down" if metric == "index" else "up"
            await rule_of(newsroom, metric=metric, window=window, direction=direction)
            await history(newsroom, "tag#ai", NOW, length, [USUAL] * 25)
            await newsroom.alerts.evaluate()
            assert await fired(newsroom) == []
            clock.advance(length.total_seconds())
            await counted(newsroom, "tag#ai", NOW + length - MINUTE, spike)
            await newsroom.alerts.evaluate()
            (alert,) = await fired(newsroom)
            assert (alert.window_start, alert.window) == (NOW, window)

    asyncio.run(main())


def test_two_processes_at_once_raise_one_alert(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with (
            newsroom_on(tablewright_backend, clock) as one,
            newsroom_on(tablewright_backend, clock) as other,
        ):
            await history(one, "tag#ai", NOW, HOUR, [*[USUAL] * 24, (2, 2, 40)])
            for number in range(5):
                await rule_of(one, f"rule-{number}")
            both = [newsroom.alerts.evaluate() for newsroom in (one, other) * 3]
            await asyncio.gather(*both)
            assert len(await fired(one)) == 5
            assert len(await waiting(one)) == 5

    asyncio.run(main())


def test_an_alert_ends_after_two_calm_windows_and_rests(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    spike = (2, 2, 40)

    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await rule_of(newsroom, window="15m")
            length = 15 * MINUTE
            await history(newsroom, "tag#ai", NOW, length, [*[USUAL] * 24, spike])
            states: list[tuple[bool, int]] = []
            # The spike lasts one window, there are two calm ones, then it comes back.
            for number, tones in enumerate((None, USUAL, USUAL, spike, USUAL)):
                if tones is not None:
                    start = NOW + (number - 1) * length
                    await counted(newsroom, "tag#ai", start, tones)
                for _ in range(3):
                    await newsroom.alerts.evaluate()
                rule = await now_of(newsroom)
                states.append((rule.firing, rule.calm_windows))
                clock.advance(length.total_seconds())
            # 45 minutes after the first alert it rests; a quarter of an hour later it may fire,
            # but then the window that is judged is calm.
            assert states == [(True, 0), (True, 1), (False, 0), (False, 0), (False, 0)]
            (alert,) = await fired(newsroom)
            assert (alert.state, alert.cleared_at) == ("cleared", NOW + 2 * length)

    asyncio.run(main())


def test_a_rule_comes_to_rest_though_its_alert_has_ended(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """It fired for longer than an alert is kept: it is over all the same, and can fire again."""
    spike = (2, 2, 40)
    later = NOW + timedelta(days=91)

    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await rule_of(newsroom)
            await history(newsroom, "tag#ai", NOW, HOUR, [*[USUAL] * 24, spike])
            await newsroom.alerts.evaluate()
            clock.set(later.timestamp())
            await history(newsroom, "tag#ai", later, HOUR, [*[USUAL] * 24, USUAL])
            await newsroom.alerts.evaluate()
            assert (await now_of(newsroom)).calm_windows == 1
            for tones, firing in ((USUAL, False), (spike, True)):
                await counted(newsroom, "tag#ai", newsroom.now(), tones)
                clock.advance(HOUR.total_seconds())
                await newsroom.alerts.evaluate()
                assert (await now_of(newsroom)).firing is firing
            (alert,) = await fired(newsroom)
            assert alert.window_start == later + HOUR

    asyncio.run(main())


def test_late_articles_still_count(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await rule_of(newsroom)
            await history(newsroom, "tag#ai", NOW, HOUR, [USUAL] * 25)
            await newsroom.alerts.evaluate()
            clock.advance(120)
            await counted(newsroom, "tag#ai", NOW - HOUR + MINUTE, (0, 0, 60))
            await newsroom.alerts.evaluate()
            assert len(await fired(newsroom)) == 1

    asyncio.run(main())


def test_rules_that_are_off_say_nothing(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await rule_of(newsroom, enabled=False)
            await history(newsroom, "tag#ai", NOW, HOUR, [*[USUAL] * 24, (0, 0, 60)])
            await newsroom.alerts.evaluate()
            assert await fired(newsroom) == []

    asyncio.run(main())


def test_only_the_last_window_is_read_again(engine_backend: Backend, clock: ManualClock) -> None:
    heard: list[RequestEvent] = []

    async def main() -> None:
        async with newsroom_on(engine_backend, clock, heard=heard) as newsroom:
            await rule_of(newsroom, window="15m")
            await history(newsroom, "tag#ai", NOW, MINUTE, [(1, 1, 0)] * 375)
            heard.clear()
            await newsroom.alerts.evaluate()
            first = _judged(heard)
            heard.clear()
            clock.advance(60)
            await newsroom.alerts.evaluate()
            assert _judged(heard) <= first / 2
            assert sum(event.pattern == "series_to_judge" for event in heard) == 16

    asyncio.run(main())


def _judged(heard: list[RequestEvent]) -> float:
    return sum(event.read_units for event in heard if event.pattern == "series_to_judge")


def test_an_alert_and_its_message_are_there_together_or_not_at_all(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await rule_of(newsroom)
            await history(newsroom, "tag#ai", NOW, HOUR, [*[USUAL] * 24, (0, 0, 60)])
            work = asyncio.create_task(newsroom.alerts.evaluate())
            # Whenever it is cut off, the next run makes up for it.
            await asyncio.sleep(0.001)
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            assert len(await fired(newsroom)) == len(await waiting(newsroom))
            await newsroom.alerts.evaluate()
            assert len(await fired(newsroom)) == len(await waiting(newsroom)) == 1

    asyncio.run(main())


@pytest.mark.parametrize("after", [False, True])
def test_a_lost_answer_is_no_second_alert(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock, after: bool
) -> None:
    async def main() -> None:
        async with newsroom_on(engine_backend, clock, quick=True) as newsroom:
            await rule_of(newsroom)
            await history(newsroom, "tag#ai", NOW, HOUR, [*[USUAL] * 24, (0, 0, 60)])
            lost = Fault("TransactWriteItems", drop=True, after=after)
            with injected(tablewright_engine, lost), pytest.raises(TablewrightError):
                await newsroom.alerts.evaluate()
            for _ in range(2):
                await newsroom.alerts.evaluate()
            assert len(await fired(newsroom)) == len(await waiting(newsroom)) == 1

    asyncio.run(main())


# --- digests -------------------------------------------------------------------------------------


def test_a_digest_tells_an_hour_together(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with (
            newsroom_on(tablewright_backend, clock) as newsroom,
            newsroom_on(tablewright_backend, clock) as other,
        ):
            for name in ("one", "two"):
                await rule_of(newsroom, name, delivery="hourly", channel="desk@example.com")
            await rule_of(newsroom, "now", channel="desk@example.com")
            await history(newsroom, "tag#ai", NOW, HOUR, [*[USUAL] * 24, (0, 0, 60)])
            await newsroom.alerts.evaluate()
            assert [each.subject for each in await waiting(newsroom)] == ["alert-rule/now"]
            clock.advance(timedelta(minutes=61).total_seconds())
            await newsroom.alerts.evaluate()
            assert len(await waiting(newsroom)) == 1
            clock.advance(timedelta(minutes=2).total_seconds())
            await asyncio.gather(newsroom.alerts.evaluate(), other.alerts.evaluate())
            await newsroom.alerts.evaluate()
            digests = [each for each in await waiting(newsroom) if each.kind == "alert.digest"]
            (digest,) = digests
            assert digest.body["to"] == "desk@example.com"
            told = digest.body["alerts"]
            assert isinstance(told, list)
            assert {each["rule_id"] for each in told} == {"one", "two"}  # type: ignore[index,call-overload]
            clock.advance(HOUR.total_seconds())
            await newsroom.alerts.evaluate()
            assert len([e for e in await waiting(newsroom) if e.kind == "alert.digest"]) == 1

    asyncio.run(main())
