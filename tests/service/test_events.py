"""Server-sent events: what happened, to whoever is looking, and what they missed."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request
from tests.service.kit.support import in_kit
from tests.service.streams import SEEN, Told, blocks, chunks, system
from tests.service.support import running

from tablewright.client import AsyncDb
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model import put
from tablewright.service.events import Event, Events
from tablewright.service.events import lasting as lasting_module
from tablewright.service.events.positions import Position, first_entry, parse, seconds_of
from tablewright.service.events.wire import lines
from tablewright.service.problems import Problem
from tablewright.testing import Backend, injected

NOW = 1_800_000_000.0


def request(last: str | None = None, query: str = "") -> Request:
    head = [] if last is None else [(b"last-event-id", last.encode())]
    return Request({"type": "http", "headers": head, "query_string": query.encode()})


@asynccontextmanager
async def reading(
    events: Events, *topics: str, last: str | None = None, **options: Any
) -> AsyncIterator[AsyncIterator[Told]]:
    """A reader whose stream has begun."""
    body: Any = events.stream(request(last), topics, **options).body_iterator
    async with aclosing(body):
        await anext(body)  # the time to wait: from now on it is listening
        yield chunks(body)


async def take(stream: AsyncIterator[Told], count: int) -> list[Told]:
    async with asyncio.timeout(10):
        return [await anext(stream) for _ in range(count)]


async def rest(stream: AsyncIterator[Told]) -> list[Told]:
    async with asyncio.timeout(10):
        return [each async for each in stream]


def numbers(told: list[Told]) -> list[int]:
    return [json.loads(each.data)["n"] for each in told]


# --- in memory -----------------------------------------------------------------------------------


def test_readers_get_their_topics() -> None:
    async def main() -> None:
        events = Events()
        events.publish("a", "before", {"n": 0})
        async with reading(events, "a", "b") as both, reading(events, "b") as one:
            events.publish("a", "x", {"n": 1})
            events.publish("c", "x", {"n": 2})
            events.publish("b", "y", {"n": 3, "text": "two\nlines, ü"})
            first, second = await take(both, 2)
            assert (first.kind, json.loads(first.data)) == ("x", {"n": 1})
            assert json.loads(second.data)["text"] == "two\nlines, ü"
            assert numbers(await take(one, 1)) == [3]
            assert first.id != second.id
            assert events.readers == 2
        assert events.readers == 0

    asyncio.run(main())


def test_who_was_cut_off_goes_on() -> None:
    async def main() -> None:
        events = Events(ring=10)
        async with reading(events, "a") as stream:
            events.publish("a", "x", {"n": 1})
            (last,) = await take(stream, 1)
        events.publish("a", "x", {"n": 2})
        events.publish("b", "x", {"n": 3})
        events.publish("a", "x", {"n": 4})
        async with reading(events, "a", last=last.id, snapshot=never) as stream:
            events.publish("a", "x", {"n": 5})
            again = await take(stream, 3)
        assert numbers(again) == [2, 4, 5]
        async with reading(events, "a", last=again[0].id) as stream:
            assert numbers(await take(stream, 2)) == [4, 5]

    asyncio.run(main())


async def never() -> dict[str, object]:
    raise AssertionError("nobody needs the whole picture")


@pytest.mark.parametrize("reason", ["too much was missed", "another process"])
def test_who_missed_too_much_starts_again(reason: str) -> None:
    async def main() -> None:
        events = Events(ring=10)
        async with reading(events, "a") as stream:
            events.publish("a", "x", {"n": 1})
            (last,) = await take(stream, 1)
        if reason == "another process":
            events = Events(ring=10)
        else:
            for number in range(2, 13):
                events.publish("a", "x", {"n": number})

        async def whole() -> dict[str, object]:
            # Nothing may be lost between the picture and what comes after it.
            events.publish("a", "x", {"n": 100})
            return {"n": 99}

        async with reading(events, "a", last=last.id, snapshot=whole) as stream:
            told = await take(stream, 3)
        assert [each.kind for each in told] == ["resync", "snapshot", "x"]
        assert numbers(told[1:]) == [99, 100]
        # The picture has a position too: who is cut off after it gets the rest.
        async with reading(events, "a", last=told[1].id, snapshot=never) as stream:
            assert numbers(await take(stream, 1)) == [100]

    asyncio.run(main())


@pytest.mark.parametrize("last", ["", "x", "1.2.3", "0" * 8 + ".1.é", "9" * 5000])
def test_ids_that_somebody_made_up(last: str) -> None:
    async def main() -> None:
        async def whole() -> dict[str, object]:
            return {"n": 7}

        body: Any = (
            Events()
            .stream(request(query=f"last_event_id={last}"), ["a"], snapshot=whole)
            .body_iterator
        )
        async with aclosing(body):
            (first,) = await take(chunks(body), 1)
        assert (first.kind, numbers([first])) == ("snapshot", [7])

    asyncio.run(main())


def test_who_is_too_slow_is_sent_away() -> None:
    async def main() -> None:
        events = Events()
        async with reading(events, "a") as slow, reading(events, "a") as quick:
            for number in range(1000):
                events.publish("a", "x", {"n": number})
                assert numbers(await take(quick, 1)) == [number]
            (only,) = await rest(slow)
            assert (only.kind, only.id) == ("resync", None)

    asyncio.run(main())


def test_silence_is_filled_and_streams_end() -> None:
    async def main() -> None:
        events = Events(heartbeat_secs=0.05, lifetime_secs=0.3)
        began = time.monotonic()
        async with reading(events, "a") as stream:
            told = await rest(stream)
        assert 0.25 < time.monotonic() - began < 5
        assert {each.kind for each in told} == {""}
        assert len(told) >= 3

    asyncio.run(main())


def test_closing_ends_every_stream() -> None:
    async def main() -> None:
        events = Events()
        async with reading(events, "a") as one, reading(events, "b") as other:
            events.publish("a", "x", {"n": 1})
            events.close()
            assert numbers(await rest(one)) == [1]
            assert await rest(other) == []
        with pytest.raises(Problem) as refused:
            events.stream(request(), ["a"])
        assert (refused.value.status, refused.value.code) == (503, "TOO_MANY_STREAMS")

    asyncio.run(main())


def test_there_may_not_be_any_number_of_streams() -> None:
    async def main() -> None:
        events = Events(most_readers=2)
        async with reading(events, "a"), reading(events, "a"):
            with pytest.raises(Problem, match="too many"):
                events.stream(request(), ["a"])
        async with reading(events, "a"):
            pass

    asyncio.run(main())


def test_data_as_a_piece_of_a_page() -> None:
    def render(event: Event) -> str:
        return f"<p>\n{event.data['n']}\n</p>"

    async def main() -> None:
        events = Events()
        async with reading(events, "a", render=render) as stream:
            events.publish("a", "x", {"n": 1})
            (told,) = await take(stream, 1)
        assert told.data == "<p>\n1\n</p>"

    asyncio.run(main())


@pytest.mark.parametrize("break_", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_only_what_ends_a_line_for_readers_does(break_: str) -> None:
    assert lines("x", f"a{break_}b") == f"event: x\ndata: a{break_}b\n\n".encode()


@pytest.mark.parametrize("break_", ["\n", "\r", "\r\n"])
def test_every_end_of_a_line_begins_another(break_: str) -> None:
    assert lines("x", f"a{break_}b") == b"event: x\ndata: a\ndata: b\n\n"
    assert lines("x", "") == b"event: x\ndata: \n\n"


@pytest.mark.parametrize("name", ["", "a b", "a\nevent: b", "é"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        Events().publish("a", name, {})
    with pytest.raises(ValueError, match="no name"):
        Events().publish(name, "x", {})


def test_topics_are_a_list() -> None:
    with pytest.raises(TypeError, match="as a list"):
        Events().stream(request(), "posts")


def test_positions() -> None:
    entry = first_entry(NOW)
    assert seconds_of(entry) == NOW
    assert len(entry) == 26
    assert first_entry(NOW + 0.001) > entry
    position = Position("0123abcd", 17, entry)
    assert parse(position.text) == position
    assert parse(None) is None
    assert parse(position.text + "x") is None


# --- lasting -------------------------------------------------------------------------------------


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasting_module, "LOOK_SECS", 0.02)


@pytest.mark.usefixtures("quick_looks")
def test_lasting_events_reach_every_process(tablewright_backend: Backend) -> None:
    async def work(db: AsyncDb) -> None:
        here, there = Events(db), Events(db)
        now = time.time()
        await db.run(here.entry("t", "x", {"n": 0}, at=now))
        async with (
            reading(here, lasting=["t"], snapshot=empty) as one,
            reading(there, "other", lasting=["t"], snapshot=empty) as other,
        ):
            await take(one, 1)
            await take(other, 1)
            await db.run(here.entry("t", "x", {"n": 1}, at=now))
            here.wake()
            there.publish("other", "x", {"n": 2})
            assert numbers(await take(one, 1)) == [1]
            assert sorted(numbers(await take(other, 2))) == [1, 2]
            for number in range(3, 40):
                await db.run(there.entry("t", "x", {"n": number}, at=now))
            assert numbers(await take(one, 37)) == list(range(3, 40))
        # Nobody reads any more, so nobody looks.
        assert here._lookouts == {}

    in_kit(tablewright_backend, work)


async def empty() -> dict[str, object]:
    return {}


@pytest.mark.usefixtures("quick_looks")
def test_lasting_events_survive_a_restart(tablewright_backend: Backend) -> None:
    async def work(db: AsyncDb) -> None:
        before = Events(db)
        async with reading(before, lasting=["t"], snapshot=empty) as stream:
            await take(stream, 1)
            await db.run(before.entry("t", "x", {"n": 1}, at=time.time()))
            (last,) = await take(stream, 1)
        await db.run(before.entry("t", "x", {"n": 2}, at=time.time()))
        after = Events(db)
        await db.run(after.entry("t", "x", {"n": 3}, at=time.time()))
        async with reading(after, lasting=["t"], last=last.id, snapshot=never) as stream:
            assert numbers(await take(stream, 2)) == [2, 3]
            await db.run(after.entry("t", "x", {"n": 4}, at=time.time()))
            assert numbers(await take(stream, 1)) == [4]

    in_kit(tablewright_backend, work)


@pytest.mark.usefixtures("quick_looks")
def test_an_event_may_appear_after_later_ones(tablewright_backend: Backend) -> None:
    """Its id was made first, its transaction took longer."""

    async def work(db: AsyncDb) -> None:
        events = Events(db)
        late = events.entry("t", "x", {"n": 1}, at=time.time())
        async with reading(events, lasting=["t"], snapshot=empty) as stream:
            await take(stream, 1)
            await db.run(events.entry("t", "x", {"n": 2}, at=time.time()))
            assert numbers(await take(stream, 1)) == [2]
            await db.run(late)
            (told,) = await take(stream, 1)
            assert numbers([told]) == [1]
            await db.run(events.entry("t", "x", {"n": 3}, at=time.time()))
            assert numbers(await take(stream, 1)) == [3]  # and none of them again

    in_kit(tablewright_backend, work)


@pytest.mark.usefixtures("quick_looks")
def test_lasting_events_are_told_once_the_store_is_back(
    tablewright_engine: Engine, memory: Backend
) -> None:

    async def work(db: AsyncDb) -> None:
        events = Events(db)
        async with reading(events, lasting=["t"], snapshot=empty) as stream:
            await take(stream, 1)
            fault = Fault("Query", error="InternalServerError")
            with injected(tablewright_engine, fault):
                await db.run(events.entry("t", "x", {"n": 1}, at=time.time()))
                await asyncio.sleep(0.2)
            assert numbers(await take(stream, 1)) == [1]

    in_kit(memory, work)


def test_what_is_too_long_ago(tablewright_backend: Backend) -> None:
    clock = ManualClock(NOW)

    async def work(db: AsyncDb) -> None:
        events = Events(db, clock)
        old = Position(events._process, 0, first_entry(NOW)).text
        for _ in range(2):
            clock.advance(86_000)
            async with reading(events, lasting=["t"], last=old, snapshot=empty) as stream:
                if clock.now() < NOW + 86_300:
                    await put_one(db, events, clock)
                    assert (await take(stream, 1))[0].kind == "x"
                else:
                    assert [each.kind for each in await take(stream, 2)] == ["resync", "snapshot"]

    in_kit(tablewright_backend, work, clock=clock)


async def put_one(db: AsyncDb, events: Events, clock: ManualClock) -> None:
    made = events.entry("t", "x", {"n": 1}, at=clock.now()).entity
    await db.run(put(made.model_copy(update={"event_id": first_entry(clock.now())})))
    events.wake()


def test_a_store_that_is_away_when_a_reader_comes(
    tablewright_engine: Engine, memory: Backend
) -> None:

    async def work(db: AsyncDb) -> None:
        events = Events(db)
        position = Position(events._process, 0, first_entry(time.time())).text
        with injected(tablewright_engine, Fault("Query", error="InternalServerError")):
            async with reading(events, lasting=["t"], last=position) as stream:
                (only,) = await rest(stream)
        assert only.kind == "resync"
        assert events._lookouts == {}

    in_kit(memory, work)


# --- over HTTP -----------------------------------------------------------------------------------


@pytest.mark.e2e
def test_a_browser_reads(tablewright_backend: Backend) -> None:
    SEEN.posts = 0
    with running(system, tablewright_backend) as service, service.client() as client:
        with client.stream("GET", "/board/events") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert answer.headers["cache-control"] == "no-store"
            stream = blocks(answer.iter_lines())
            assert next(stream).kind == "snapshot"
            with service.client() as other:
                assert other.post("/board/posts?text=hello").status_code == 201
                assert other.post("/board/kept?text=lasting").status_code == 204
            told = [next(stream), next(stream)]
            assert sorted(each.kind for each in told) == ["added", "kept"]
            post = next(each for each in told if each.kind == "added")
            assert json.loads(post.data) == {"number": 1, "text": "hello"}
        with client.stream(
            "GET", "/board/events", headers={"Last-Event-ID": told[0].id or ""}
        ) as answer:
            assert next(blocks(answer.iter_lines())) == told[1]


@pytest.mark.e2e
def test_a_process_that_stops_does_not_wait_for_its_readers(tablewright_backend: Backend) -> None:
    ended: list[str] = []
    with running(system, tablewright_backend) as service, service.client() as client:
        with client.stream("GET", "/board/events") as answer:
            lines = answer.iter_lines()
            assert next(blocks(lines)).kind == "snapshot"
            began = time.monotonic()
            service.server.should_exit = True
            thread = threading.Thread(target=lambda: ended.extend(lines))
            thread.start()
            thread.join(10)
            assert not thread.is_alive()
            assert time.monotonic() - began < 5


@pytest.mark.e2e
@pytest.mark.parametrize("reads", [False, True])
def test_who_does_not_read_any_more_is_cut_off(
    memory: Backend, monkeypatch: pytest.MonkeyPatch, reads: bool
) -> None:
    """More is told than buffers hold, so that only a reader lets the stream go on."""
    monkeypatch.setattr("tablewright.service.connection.STALLED_SECS", 0.5)
    with running(system, memory, workers=False) as service, socket.socket() as reader:
        place = urlsplit(service.url)
        reader.connect((place.hostname, place.port))
        reader.sendall(b"GET /board/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 200 " in reader.recv(1024).split(b"\r\n")[0]

        async def tell() -> int:
            service.runtime.events.publish("posts", "added", {"text": "x" * 100_000})
            return service.runtime.events.readers

        ends = time.monotonic() + (2 if reads else 20)
        while (left := service.do(tell())) and time.monotonic() < ends:
            if reads:
                reader.recv(1_000_000)
            else:
                time.sleep(0.01)
        assert left == (1 if reads else 0)
