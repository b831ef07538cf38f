"""Streams over real connections: nothing missed, nothing repeated."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx2
import pytest
from tests.service.support import Running, running
from tests.systems.sentiment.live.support import API, MovedClock, Viewer, feed, key_of, looking
from tests.systems.sentiment.support import record, stored, topic, watch

from tablewright.service.events.positions import numbered_entry
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.system import system
from tablewright.testing import Backend


@pytest.fixture
def moved() -> MovedClock:
    return MovedClock()


@pytest.fixture
def service(engine_backend: Backend, moved: MovedClock) -> Iterator[Running]:
    with running(system, engine_backend, clock=moved) as found:
        yield found


def arrive(service: Running, *slugs: str) -> None:
    """Articles come in and are analysed."""
    newsroom = Newsroom(service.runtime)

    async def all_of_them() -> None:
        for slug in slugs:
            now = newsroom.now()
            await stored(newsroom, slug, said="negative", timestamp=now, queued_at=now)

    service.do(all_of_them())


def titles(viewer: Viewer) -> list[str]:
    return [each["title"] for each in viewer.data("item")]


def written(service: Running) -> list[str]:
    return [each.event_id for each in service.do(feed(Newsroom(service.runtime)))]


def test_scenario_14_who_is_cut_off_misses_and_repeats_nothing(
    service: Running, moved: MovedClock
) -> None:
    """SSE cut 30 s: no id missed or repeated; ancient id resets."""
    key, viewer = key_of(service), Viewer()
    with looking(service, key, viewer):
        viewer.until(lambda seen: "snapshot" in seen.kinds())
        for number in range(5):
            arrive(service, f"before-{number}")
        viewer.until(lambda seen: len(titles(seen)) == 5)
    cut_at = viewer.last_id
    seen_before = len(viewer.told)
    for number in range(30):
        moved.ahead += 1
        arrive(service, f"meanwhile-{number}")
    again = Viewer()
    with looking(service, key, again, cut_at):
        again.until(lambda seen: len(titles(seen)) >= 30)
        for number in range(5):
            arrive(service, f"after-{number}")
        again.until(lambda seen: len(titles(seen)) == 35)
    assert "snapshot" not in again.kinds()
    assert "resync" not in again.kinds()
    told = Viewer(viewer.told[:seen_before] + again.told)
    entries = told.entries()
    assert len(set(entries)) == len(entries)
    assert entries == sorted(entries)
    everything = [each for each in written(service) if each <= entries[-1]]
    # The first may have been written before anybody looked.
    assert everything[-len(entries) :] == entries
    # Articles lie in different shards of the stream: their order is that of none of them.
    assert sorted(titles(told)) == sorted(
        [
            *(f"Before {n}" for n in range(5)),
            *(f"Meanwhile {n}" for n in range(30)),
            *(f"After {n}" for n in range(5)),
        ]
    )
    old = numbered_entry(moved.now() - 4000, 3)
    ancient = Viewer()
    with looking(service, key, ancient, f"00000000.0.{old}"):
        ancient.until(lambda seen: "snapshot" in seen.kinds())
    assert ancient.kinds()[:2] == ["resync", "snapshot"]
    assert len(ancient.data("snapshot")[0]["items"]) == 20


def test_the_picture_is_that_of_now_though_nothing_has_happened(
    service: Running, moved: MovedClock
) -> None:
    """The day that it shows goes on, also while no event comes and somebody stays."""
    key, stays = key_of(service), Viewer()
    with looking(service, key, stays):
        stays.until(lambda seen: "snapshot" in seen.kinds())
        arrive(service, "first")
        stays.until(lambda seen: len(titles(seen)) == 1)
        pictures = []
        for hours in (0, 0, 30):
            moved.ahead += hours * 3600
            viewer = Viewer()
            with looking(service, key, viewer):
                viewer.until(lambda seen: "snapshot" in seen.kinds())
            pictures += viewer.data("snapshot")
    assert [each["totals"]["ingested"] for each in pictures] == [1, 1, 0]
    assert pictures[0]["at"] == pictures[1]["at"] < pictures[2]["at"]


def test_another_process_goes_on(engine_backend: Backend, moved: MovedClock) -> None:
    viewer = Viewer()
    with running(system, engine_backend, clock=moved) as one:
        with looking(one, key_of(one), viewer):
            viewer.until(lambda seen: "snapshot" in seen.kinds())
            arrive(one, "first", "second")
            viewer.until(lambda seen: len(titles(seen)) == 2)
        arrive(one, "third")
    last, seen = viewer.last_id, len(viewer.told)
    with running(system, engine_backend, clock=moved) as two:
        again = Viewer()
        with looking(two, key_of(two), again, last):
            arrive(two, "fourth")
            again.until(lambda seen: len(titles(seen)) == 2)
        told = Viewer(viewer.told[:seen] + again.told)
        assert sorted(titles(told)) == ["First", "Fourth", "Second", "Third"]
        entries = told.entries()
        assert len(set(entries)) == len(entries)
        between = [each for each in written(two) if entries[0] <= each <= entries[-1]]
        assert between == entries


def test_a_person_has_five_streams_and_a_process_its_number(engine_backend: Backend) -> None:
    environ = {"TABLEWRIGHT_SENTIMENT_STREAMS": "7"}
    with running(system, engine_backend, environ=environ, workers=False) as service:
        one, other = key_of(service, "one"), key_of(service, "other")
        with ExitStack() as stack:
            for _ in range(5):
                stack.enter_context(looking(service, one, Viewer()))
            for _ in range(2):
                stack.enter_context(looking(service, other, Viewer()))
            for key in (one, other):
                answer = httpx2.get(f"{service.url}{API}/stream", headers={"X-API-Key": key})
                assert (answer.status_code, answer.json()["code"]) == (429, "STREAM_LIMIT")
                assert answer.headers["Retry-After"]


def test_places_are_free_again(engine_backend: Backend) -> None:
    environ = {"TABLEWRIGHT_SENTIMENT_STREAMS_PER_USER": "1"}
    with running(system, engine_backend, environ=environ, workers=False) as service:
        head = {"X-API-Key": key_of(service)}
        url = f"{service.url}{API}/stream"
        for _ in range(3):
            with httpx2.stream("GET", url, headers=head) as answer:
                assert answer.status_code == 200
                next(answer.iter_lines())
            ends = time.monotonic() + 10
            while service.runtime.events.readers and time.monotonic() < ends:
                time.sleep(0.01)
            time.sleep(0.05)


def test_who_may_look(engine_backend: Backend) -> None:
    with running(system, engine_backend, workers=False) as service, service.client() as client:
        assert client.get(f"{API}/stream").status_code == 401
        ingest = {"X-API-Key": key_of(service, "program", "ingest")}
        assert client.get(f"{API}/stream", headers=ingest).status_code == 403
        head = {"X-API-Key": key_of(service)}
        token = client.post(f"{API}/stream-token", headers=head).json()
        assert token["expires_in"] == 60
        with client.stream("GET", f"{API}/stream?stream_token={token['stream_token']}") as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
        assert client.get(f"{API}/stream?stream_token=made-up").status_code == 401


@pytest.mark.parametrize("readers", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_an_article_is_on_the_screen_within_two_seconds(service: Running, readers: int) -> None:
    """From the moment that it is stored, through the analysis, to all who look."""
    newsroom = Newsroom(service.runtime)
    service.do(_topic(newsroom))
    viewers = [Viewer() for _ in range(readers)]
    with ExitStack() as stack:
        for place, viewer in enumerate(viewers):
            if place % 5 == 0:
                key = key_of(service, f"viewer-{place}")
            stack.enter_context(looking(service, key, viewer))
        for viewer in viewers:
            viewer.until(lambda seen: "snapshot" in seen.kinds())
        sent: dict[str, float] = {}
        for number in range(10):
            sent[f"Ai wonder {number}"] = time.monotonic()
            service.do(_take(newsroom, f"ai-wonder-{number}"))
            time.sleep(0.23)
        for viewer in viewers:
            viewer.until(lambda seen: len(titles(seen)) == len(sent))
    late = [
        at - sent[title]
        for viewer in viewers
        for title, at in zip(
            titles(viewer),
            [at for each, at in zip(viewer.told, viewer.times, strict=True) if each.kind == "item"],
            strict=True,
        )
    ]
    late.sort()
    print(f"p50 {late[len(late) // 2]:.2f} s, p95 {late[int(len(late) * 0.95)]:.2f} s")
    assert late[int(len(late) * 0.95)] <= 2.0


async def _topic(newsroom: Newsroom) -> None:
    await watch(newsroom, topic("AI"))


async def _take(newsroom: Newsroom, slug: str) -> None:
    made = record(slug, published_at=newsroom.now())
    (outcome,) = await newsroom.intake.take([made], source_type="file")
    assert outcome.result == "ingested", outcome
