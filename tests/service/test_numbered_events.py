"""Lasting events that one writer numbers: told in order, once each, whoever asks again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.service.kit.support import in_kit
from tests.service.streams import Told, chunks
from tests.service.test_events import request, take

from tablewright.client import AsyncDb
from tablewright.clock import ManualClock
from tablewright.service.events import Event, Events
from tablewright.service.events import lasting as lasting_module
from tablewright.service.events.lasting import Keeping, unbroken
from tablewright.service.events.positions import number_of, numbered_entry, seconds_of
from tablewright.service.kit.entities import FeedEntry
from tablewright.service.kit.patterns import add_event
from tablewright.testing import Backend

NOW = 1_800_000_000.0
TOPIC = "news"


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasting_module, "LOOK_SECS", 0.01)


def events_of(db: AsyncDb, clock: ManualClock) -> Events:
    events = Events(db, clock)
    events.keep(TOPIC, Keeping(3600.0, numbered=True))
    return events


async def write(db: AsyncDb, clock: ManualClock, *numbers: int) -> None:
    for number in numbers:
        at = datetime.fromtimestamp(clock.now(), UTC)
        entry = FeedEntry(
            topic=TOPIC,
            event_id=numbered_entry(clock.now(), number),
            kind="x",
            data={"n": number},
            at=at,
            expires_at=at + timedelta(hours=1),
        )
        await db.run(add_event(entry))


async def whole() -> dict[str, object]:
    return {"n": 0}


@asynccontextmanager
async def reading(
    events: Events, last: str | None = None, **options: Any
) -> AsyncIterator[AsyncIterator[Told]]:
    answer = events.stream(request(last), [], lasting=[TOPIC], snapshot=whole, **options)
    body: Any = answer.body_iterator
    async with aclosing(body):
        await anext(body)
        yield chunks(body)


def numbers(told: list[Told]) -> list[int]:
    return [json.loads(each.data)["n"] for each in told if each.kind == "x"]


@given(st.floats(0, 2**36), st.integers(1, 2**60))
def test_ids_hold_their_moment_and_their_number(seconds: float, number: int) -> None:
    entry = numbered_entry(seconds, number)
    assert number_of(entry) == number
    assert abs(seconds_of(entry) - seconds) <= 0.001
    assert entry < numbered_entry(seconds, number + 1)


def test_who_comes_back_goes_on_exactly(tablewright_backend: Backend) -> None:
    clock = ManualClock(NOW)

    async def main(db: AsyncDb) -> None:
        await write(db, clock, 1, 2)
        one, other = events_of(db, clock), events_of(db, clock)
        async with reading(one) as stream:
            (first,) = await take(stream, 1)
            assert first.kind == "snapshot"
            await write(db, clock, 3, 4)
            told = await take(stream, 2)
        assert numbers(told) == [3, 4]
        await write(db, clock, 5, 6)
        async with reading(other, told[0].id) as stream:
            assert numbers(await take(stream, 3)) == [4, 5, 6]
            await write(db, clock, 7)
            assert numbers(await take(stream, 1)) == [7]
        # The picture has an exact place, too.
        async with reading(one, first.id) as stream:
            assert numbers(await take(stream, 5)) == [3, 4, 5, 6, 7]

    in_kit(tablewright_backend, main, clock=clock)


def test_what_comes_after_a_missing_number_waits(tablewright_backend: Backend) -> None:
    clock = ManualClock(NOW)

    async def main(db: AsyncDb) -> None:
        await write(db, clock, 1)
        events = events_of(db, clock)
        async with reading(events) as stream:
            await take(stream, 1)
            await write(db, clock, 2, 4)
            assert numbers(await take(stream, 1)) == [2]
            await asyncio.sleep(0.05)
            await write(db, clock, 3)
            assert numbers(await take(stream, 2)) == [3, 4]
            # One that never comes holds up nobody for ever.
            await write(db, clock, 6)
            await asyncio.sleep(0.05)
            clock.advance(6)
            assert numbers(await take(stream, 1)) == [6]

    in_kit(tablewright_backend, main, clock=clock)


def test_the_first_after_all_have_ended_comes_soon(tablewright_backend: Backend) -> None:
    """The writer goes on with its numbers; who looks since then does not know the last one."""
    clock = ManualClock(NOW)

    async def main(db: AsyncDb) -> None:
        await write(db, clock, 1, 2)
        clock.advance(3700)
        async with reading(events_of(db, clock)) as stream:
            (first,) = await take(stream, 1)
            assert first.kind == "snapshot"
            # A transaction's items may appear one by one, also these.
            await write(db, clock, 4)
            await asyncio.sleep(0.1)
            await write(db, clock, 3)
            await asyncio.sleep(0.1)
            clock.advance(1.1)
            assert numbers(await take(stream, 2)) == [3, 4]
            await write(db, clock, 5)
            assert numbers(await take(stream, 1)) == [5]

    in_kit(tablewright_backend, main, clock=clock)


@pytest.mark.parametrize("reason", ["old", "too many", "gone", "of tomorrow"])
def test_who_cannot_go_on_starts_again(tablewright_backend: Backend, reason: str) -> None:
    clock = ManualClock(NOW)

    async def main(db: AsyncDb) -> None:
        monkey = pytest.MonkeyPatch()
        await write(db, clock, 1, 2, 3, 4, 5)
        entry = numbered_entry(NOW, 1)
        if reason == "old":
            clock.advance(3700)
        elif reason == "too many":
            monkey.setattr(lasting_module, "MOST_MISSED", 3)
        elif reason == "gone":
            # Five is the last that this reader knows, and six to ninety-two have ended.
            entry = numbered_entry(NOW, 5)
            await write(db, clock, 93)
        else:
            entry = numbered_entry(NOW + 86_400, 2)
        async with reading(events_of(db, clock), f"00000000.0.{entry}") as stream:
            told = await take(stream, 2)
        monkey.undo()
        assert [each.kind for each in told] == ["resync", "snapshot"]

    in_kit(tablewright_backend, main, clock=clock)


def test_who_is_too_far_behind_gets_the_picture_anew(tablewright_backend: Backend) -> None:
    clock = ManualClock(NOW)

    async def main(db: AsyncDb) -> None:
        events = events_of(db, clock)
        async with reading(events, most_waiting=3) as slow, reading(events) as quick:
            await take(slow, 1)
            await take(quick, 1)
            await write(db, clock, *range(1, 11))
            assert numbers(await take(quick, 10)) == list(range(1, 11))
            told = await take(slow, 2)
            assert [each.kind for each in told] == ["resync", "snapshot"]
            await write(db, clock, 11)
            (last,) = await take(slow, 1)
            assert numbers([last]) == [11]
        async with reading(events, told[1].id) as again:
            assert numbers(await take(again, 1)) == [11]

    in_kit(tablewright_backend, main, clock=clock)


@given(st.sets(st.integers(1, 30), max_size=30), st.integers(0, 30))
def test_only_what_follows_without_a_gap_is_told(there: set[int], last: int) -> None:
    events = [
        Event(TOPIC, "x", {}, entry=numbered_entry(NOW, n)) for n in sorted(there) if n > last
    ]
    told = [number_of(each.entry) for each in unbroken(events, numbered_entry(NOW - 1, last))]
    assert told == list(range(last + 1, last + 1 + len(told)))
    assert last + 1 + len(told) not in there
