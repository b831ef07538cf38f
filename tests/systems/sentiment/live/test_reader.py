"""The reader of changes: each makes its events once, in an order that never goes back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import pytest
from tests.systems.sentiment.alerts.support import rule_of
from tests.systems.sentiment.live.support import feed
from tests.systems.sentiment.support import (
    ANALYST,
    NOW,
    VADER,
    analysis,
    article,
    hash_of,
    newsroom_on,
    stored,
)

from tablewright.client import RequestEvent
from tablewright.client.feed import ConsumerReplaced, Polling
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model.errors import TablewrightError
from tablewright.service.events.positions import number_of
from tablewright.service.kit.entities import FeedEntry
from tablewright.service.workers import Held
from tablewright.systems.sentiment import changes, writes
from tablewright.systems.sentiment.articles import Override
from tablewright.systems.sentiment.samples import alert_of
from tablewright.systems.sentiment.service.live import reader as reader_module
from tablewright.systems.sentiment.service.live.reader import LiveReader
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing import Backend, injected


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "POLLING", Polling(least=0.0, most=0.01, refresh=300.0))


def held(fence: int = 1) -> Held:
    return Held("live", "", "test", fence, float("inf"))


async def tell(reader: LiveReader, fence: int = 1) -> None:
    """Read until nothing more comes."""
    for _ in range(8):
        await reader.run(held(fence))
        await asyncio.sleep(0.012)


def numbers(events: Sequence[FeedEntry]) -> list[int]:
    return [number_of(each.event_id) for each in events]


def titles(events: Sequence[FeedEntry]) -> list[str]:
    return [str(each.data["title"]) for each in events if each.kind == "item"]


def test_what_is_told(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            reader = LiveReader(newsroom)
            await tell(reader)
            made = await stored(newsroom, "calm-seas", ("AI", "Climate"), said="positive")
            await stored(newsroom, "nobody-knows-yet")
            for _ in range(2):
                clock.advance(2)
                await tell(reader)
            events = await feed(newsroom)
            assert titles(events) == ["Calm seas"]
            (item,) = [each for each in events if each.kind == "item"]
            assert item.data["id"] == made.source_id.replace("#", ":")
            assert (item.data["sentiment"], item.data["tags"]) == ("positive", ["AI", "Climate"])
            stirred = [each.data for each in events if each.kind == "metrics"]
            assert stirred[0] == {"everything": True}
            assert {tag for each in stirred[1:] for tag in each["tags"]} == {"ai", "climate"}
            assert all(each["minutes"] == ["2026-11-20T12:00Z"] for each in stirred[1:])
            assert {each.expires_at - each.at for each in events} == {timedelta(hours=1)}
            verdict = Override(
                from_="positive", to="negative", by=ANALYST.id, at=NOW, reason="Irony"
            )
            await newsroom.db.run(changes.override(made, verdict, now=NOW))
            await tell(reader)
            last = [each for each in await feed(newsroom) if each.kind == "item"][-1]
            assert (last.data["sentiment"], last.data["overridden"]) == ("negative", True)

    asyncio.run(main())


def test_another_tag_is_told(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            reader = LiveReader(newsroom)
            await tell(reader)
            made = await stored(newsroom, "hot-chips", said="positive")
            await tell(reader)
            clock.advance(2)
            await tell(reader)
            await newsroom.db.run(changes.tag_article(made, "Energy", now=NOW))
            clock.advance(2)
            await tell(reader)
            *_, item, figures = await feed(newsroom)
            assert (item.kind, item.data["tags"]) == ("item", ["AI", "Energy"])
            assert (figures.kind, figures.data["tags"]) == ("metrics", ["ai", "energy"])

    asyncio.run(main())


def test_alerts_are_told(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            reader = LiveReader(newsroom)
            await tell(reader)
            alert = alert_of(await rule_of(newsroom), hours=1)
            await newsroom.db.run(writes.raise_alert(alert, NOW, quiet_since=NOW))
            await tell(reader)
            await newsroom.alerts.acknowledge(
                f"{alert.window_start:%Y-%m-%dT%H:%M:%S}.000Z:{alert.rule_id}", ANALYST
            )
            await tell(reader)
            told = [each.data for each in await feed(newsroom) if each.kind == "alert"]
            assert [each["acknowledged"] for each in told] == [False, True]
            assert {each["state"] for each in told} == {"firing"}

    asyncio.run(main())


def test_figures_are_told_once_a_second(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            reader = LiveReader(newsroom)
            await tell(reader)
            for number in range(6):
                await stored(newsroom, f"news-{number}", said="neutral")
                await tell(reader)
                clock.advance(0.25)
            clock.advance(1)
            await tell(reader)
            times = [each.at for each in await feed(newsroom) if each.kind == "metrics"]
            apart = [(b - a).total_seconds() for a, b in pairwise(times)]
            assert 2 <= len(times) <= 4
            assert min(apart) >= 1

    asyncio.run(main())


def test_readers_that_end_anywhere_repeat_nothing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Cut off again and again, at any await, followed by another start."""
    chance = random.Random(7)

    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await tell(LiveReader(newsroom))
            for number in range(25):
                await stored(newsroom, f"news-{number}", said="negative")
                clock.advance(1)
                work = asyncio.create_task(tell(LiveReader(newsroom), fence=number + 2))
                await asyncio.sleep(chance.uniform(0, 0.02))
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)
            await tell(LiveReader(newsroom), fence=100)
            events = await feed(newsroom)
            assert sorted(titles(events)) == sorted(f"News {number}" for number in range(25))
            assert numbers(events) == list(range(1, len(events) + 1))

    asyncio.run(main())


@pytest.mark.parametrize("after", [False, True])
def test_a_lost_answer_repeats_nothing(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock, after: bool
) -> None:
    """Whether the events were written or not, the next start finds out."""

    async def main() -> None:
        async with newsroom_on(engine_backend, clock, quick=True) as newsroom:
            reader = LiveReader(newsroom)
            await tell(reader)
            await stored(newsroom, "one", said="neutral")
            lost = Fault("TransactWriteItems", drop=True, after=after)
            with injected(tablewright_engine, lost), pytest.raises(TablewrightError):
                await tell(reader)
            await stored(newsroom, "two", said="neutral")
            await tell(reader)
            events = await feed(newsroom)
            assert sorted(titles(events)) == ["One", "Two"]
            assert numbers(events) == list(range(1, len(events) + 1))

    asyncio.run(main())


def test_a_reader_that_has_lost_its_lease_writes_nothing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with (
            newsroom_on(tablewright_backend, clock) as one,
            newsroom_on(tablewright_backend, clock) as other,
        ):
            old, new = LiveReader(one), LiveReader(other)
            await tell(old, 1)
            await tell(new, 2)
            await stored(one, "who-tells-it", said="positive")
            with pytest.raises(ConsumerReplaced):
                await tell(old, 1)
            await tell(new, 2)
            events = await feed(one)
            assert titles(events) == ["Who tells it"]
            assert numbers(events) == list(range(1, len(events) + 1))

    asyncio.run(main())


def test_ids_never_go_back_with_the_clock(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            reader = LiveReader(newsroom)
            await tell(reader)
            made = await stored(newsroom, "a-matter-of-taste", said="positive")
            await tell(reader)
            for fence, step in enumerate((-40, 15, -3), 2):
                clock.advance(step)
                reader = LiveReader(newsroom)
                await tell(reader, fence)
                verdict = Override(from_="positive", to="neutral", by="x", at=NOW, reason="y")
                verdict = verdict.model_copy(update={"reason": f"For the {fence}th time"})
                await newsroom.db.run(changes.override(made, verdict, now=NOW))
                made = made.model_copy(update={"version": made.version + 1})
                await tell(reader, fence)
            events = await feed(newsroom)
            assert len(titles(events)) == 4
            assert numbers(events) == list(range(1, len(events) + 1))

    asyncio.run(main())


def test_many_changes_at_once(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of a shard may make more events than a transaction holds."""
    monkeypatch.setattr(reader_module, "_TOGETHER", 3)

    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            reader = LiveReader(newsroom)
            await tell(reader)
            for number in range(30):
                await stored(newsroom, f"news-{number}", said="neutral")
            await tell(reader)
            events = await feed(newsroom)
            assert len(titles(events)) == len(set(titles(events))) == 30
            assert numbers(events) == list(range(1, len(events) + 1))

    asyncio.run(main())


def test_with_nothing_new_nothing_is_written(engine_backend: Backend, clock: ManualClock) -> None:
    heard: list[RequestEvent] = []

    async def main() -> None:
        async with newsroom_on(engine_backend, clock, heard=heard) as newsroom:
            reader = LiveReader(newsroom)
            await tell(reader)
            await stored(newsroom, "one", said="neutral")
            await tell(reader)
            clock.advance(5)
            await tell(reader)
            heard.clear()
            for _ in range(5):
                clock.advance(1)
                await tell(reader)
            assert {event.operation for event in heard} == {"GetRecords"}

    asyncio.run(main())


def test_old_articles_are_no_news(tablewright_backend: Backend, clock: ManualClock) -> None:
    """What is filled in from a file changes figures, and no list of what is new."""

    async def main() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            reader = LiveReader(newsroom)
            await tell(reader)
            await _backfilled(newsroom)
            clock.advance(2)
            await tell(reader)
            events = await feed(newsroom)
            assert titles(events) == []
            assert any(each.kind == "metrics" and "tags" in each.data for each in events)

    asyncio.run(main())


async def _backfilled(newsroom: Newsroom) -> None:
    said = analysis("neutral", "0", NOW)
    made = article("old-hat", timestamp=NOW - timedelta(days=3)).model_copy(
        update={
            "status": "analyzed",
            "sentiment": "neutral",
            "model_sentiment": "neutral",
            "score": said.score,
            "polarity": said.polarity,
            "model_version": VADER,
            "analyzed_at": NOW,
        }
    )
    await newsroom.db.run(changes.backfill(made, hash_of("old-hat"), now=NOW))
