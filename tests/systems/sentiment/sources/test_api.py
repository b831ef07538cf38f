"""``/sources`` over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest
from tests.systems.sentiment.api_support import Api, api_on
from tests.systems.sentiment.sources.support import KEY, asking, create, feed_folder, rss
from tests.systems.sentiment.support import START

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.outbound import Outbound
from tablewright.testing.backends import Backend, in_process

Test = Callable[[Api], Coroutine[Any, Any, None]]
Run = Callable[[Test], None]
FEED = {"name": "one", "source_type": "rss", "url": "file:one.xml"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Run]]:
    """One system for all tests, since making all its routes takes a while."""
    folder = feed_folder(
        tmp_path_factory.mktemp("api"), one_xml=rss("AI wins"), two_xml=rss("AI loses")
    )
    options = {"feed_folder": folder, "newsapi_key": KEY}
    with Engine.memory(clock=ManualClock(START)) as engine, in_process(engine) as backend:
        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            entering = stack.enter_async_context(api_on(backend, ManualClock(START), **options))
            api = runner.run(entering)
            yield engine, lambda test: runner.run(test(api))
            runner.run(stack.aclose())


@pytest.fixture
def run(shared: tuple[Engine, Run]) -> Run:
    """Each test begins without sources."""
    engine, run_it = shared
    for item in engine.call("Scan", {"TableName": "sentiment-items"})["Items"]:
        if item["source_id"]["S"] == "config#source" or item["source_id"]["S"].startswith("run#"):
            key = {name: item[name] for name in ("source_id", "timestamp")}
            engine.call("DeleteItem", {"TableName": "sentiment-items", "Key": key})
    return run_it


async def created(api: Api, **said: Any) -> str:
    """A source; its ETag."""
    answer = await api("POST", "/sources", {**FEED, **said})
    assert answer.status_code == 201, answer.text
    return str(answer.headers["ETag"])


def test_source_is_deleted_by_who_has_seen_it(run: Run) -> None:
    async def test(api: Api) -> None:
        seen = await created(api)
        answer = await api("DELETE", "/sources/one", If_Match='"7"')
        assert answer.status_code == 412
        answer = await api("DELETE", "/sources/one", If_Match=seen)
        assert answer.status_code == 204
        assert (await api("GET", "/sources/one")).status_code == 404
        assert (await api("DELETE", "/sources/one")).status_code == 404
        # The name is free again.
        await created(api)

    run(test)


@pytest.mark.parametrize(
    ("pasted", "stored"),
    [
        ("www.bbc.co.uk", "https://www.bbc.co.uk"),
        (" feeds.bbci.co.uk/news/rss.xml ", "https://feeds.bbci.co.uk/news/rss.xml"),
    ],
)
def test_address_without_https_is_stored_with_it(
    engine_backend: Backend, clock: ManualClock, pasted: str, stored: str
) -> None:
    asked = []

    async def resolve(host: str, port: int) -> Sequence[str]:
        asked.append((host, port))
        return ["151.101.0.81"]

    async def test() -> None:
        async with asking(engine_backend, clock, "https://newsapi.example") as (newsroom, _):
            newsroom.sources.fetchers.outbound = Outbound(resolver=resolve)
            source = await create(newsroom, "bbc", source_type="rss", url=pasted)
            assert source.url is not None
            assert source.url.rstrip("/") == stored

    asyncio.run(test())
    assert set(asked) == {(stored.split("/")[2], 443)}


def test_address_is_taken_as_it_is_pasted(run: Run) -> None:
    async def test(api: Api) -> None:
        answer = await api("POST", "/sources", {**FEED, "url": "no address"})
        assert answer.status_code == 422
        (error,) = answer.json()["errors"]
        assert error["field"] == "body.url"
        assert "https://example.org" in error["message"]

    run(test)


def test_a_source_is_created_shown_and_changed(run: Run) -> None:
    async def test(api: Api) -> None:
        seen = await created(api)
        shown = await api("GET", "/sources/one")
        assert shown.headers["ETag"] == seen
        body = shown.json()
        assert body["breaker"] == {"state": "closed", "failures": 0, "open_until": None}
        assert body["quota"] == {"used": 0, "limit": None}
        assert (body["running"], body["enabled"], body["interval_seconds"]) == (False, True, 300)
        change = {"url": "file:two.xml", "interval_seconds": 60, "enabled": False}
        answer = await api("PUT", "/sources/one", change, If_Match=seen)
        assert answer.status_code == 200, answer.text
        assert answer.headers["ETag"] != seen
        assert {name: answer.json()[name] for name in change} == change
        stale = await api("PUT", "/sources/one", change, If_Match=seen)
        assert (stale.status_code, stale.json()["code"]) == (412, "STALE_VERSION")
        unsaid = await api("PUT", "/sources/one", change)
        assert (unsaid.status_code, unsaid.json()["code"]) == (428, "PRECONDITION_REQUIRED")
        listed = (await api.get("/sources"))["items"]
        assert [each["name"] for each in listed] == ["one"]
        noted = {each[1:] for each in await api.audited()}
        assert {("source.create", "source/one"), ("source.change", "source/one")} <= noted

    run(test)


def test_a_run_is_begun_and_its_end_can_be_seen(run: Run) -> None:
    async def test(api: Api) -> None:
        await created(api)
        operator = api.as_("operator")
        begun = await operator("POST", "/sources/one/run")
        assert begun.status_code == 202, begun.text
        assert begun.json()["state"] == "running"
        for _ in range(200):
            (latest,) = (await operator.get("/sources/one/runs"))["items"]
            if latest["state"] != "running":
                break
            await asyncio.sleep(0.02)
        assert (latest["run_id"], latest["state"]) == (begun.json()["run_id"], "ok")
        # Nobody follows a topic yet.
        assert (latest["fetched"], latest["unmatched"], latest["error_code"]) == (1, 1, None)

    run(test)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"url": "http://news.example/feed"}, "UNSAFE_URL"),
    ({"url": "https://169.254.169.254/latest"}, "UNSAFE_URL"),
    ({"url": "https://127.0.0.1/"}, "UNSAFE_URL"),
    ({"url": "file:../one.xml"}, "UNSAFE_URL"),
    ({"url": "file:one.jsonl"}, "UNSAFE_URL"),
    ({"source_type": "file", "url": "https://news.example/x.csv"}, "UNSAFE_URL"),
    ({"url": None}, "INVALID"),
    ({"source_type": "newsapi"}, "INVALID"),
    ({"query": "AI"}, "INVALID"),
    ({"source_type": "twitter"}, "INVALID"),
    ({"name": "Bad Name"}, "INVALID"),
    ({"name": "a#b"}, "INVALID"),
    ({"interval_seconds": 1}, "INVALID"),
    ({"daily_limit": 0}, "INVALID"),
    ({"cursor": "x"}, "INVALID"),
]


def test_bad_sources_are_refused(run: Run) -> None:
    async def test(api: Api) -> None:
        for said, code in BAD:
            answer = await api("POST", "/sources", {**FEED, **said})
            assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
        assert (await api.get("/sources"))["items"] == []

    run(test)


def test_a_name_is_taken_once(run: Run) -> None:
    async def test(api: Api) -> None:
        await created(api)
        again = await api("POST", "/sources", FEED)
        assert (again.status_code, again.json()["code"]) == (409, "ALREADY_EXISTS")
        unsafe = {"url": "https://10.0.0.1/"}
        changed = await api("PUT", "/sources/one", unsafe, If_Match='"0"')
        assert (changed.status_code, changed.json()["code"]) == (422, "UNSAFE_URL")

    run(test)


def test_what_is_not_there_is_not_found(run: Run) -> None:
    async def test(api: Api) -> None:
        for method, path, body in (
            ("GET", "/sources/none", None),
            ("PUT", "/sources/none", {"url": "file:one.xml"}),
            ("POST", "/sources/none/run", None),
            ("GET", "/sources/none/runs", None),
        ):
            answer = await api(method, path, body, If_Match='"0"')
            assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND"), path

    run(test)


def test_who_may_do_what(run: Run) -> None:
    async def test(api: Api) -> None:
        await created(api)
        allowed = {
            ("GET", "/sources"): {"admin"},
            ("GET", "/sources/one"): {"admin"},
            ("POST", "/sources"): {"admin"},
            ("PUT", "/sources/one"): {"admin"},
            ("POST", "/sources/one/run"): {"admin", "operator"},
            ("GET", "/sources/one/runs"): {"admin", "operator"},
        }
        for (method, path), roles in allowed.items():
            for role in ("admin", "operator", "analyst", "viewer", "ingest"):
                answer = await api.as_(role)(method, path)
                assert (answer.status_code != 403) is (role in roles), (method, path, role)
            assert (await api.as_("nobody")(method, path)).status_code == 401

    run(test)


def test_the_key_of_newsapi_is_in_no_answer(run: Run) -> None:
    async def test(api: Api) -> None:
        body = {"name": "press", "source_type": "newsapi", "query": "AI"}
        made = await api("POST", "/sources", body)
        assert made.status_code == 201, made.text
        assert made.json()["quota"] == {"used": 0, "limit": 100}
        assert made.json()["effective_interval_seconds"] == pytest.approx(960)
        shown = [made, await api("GET", "/sources"), await api("GET", "/sources/press")]
        shown += [await api("GET", "/ops"), await api.http.get("/metrics")]
        assert not any(KEY in answer.text for answer in shown)

    run(test)
