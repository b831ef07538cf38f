"""``/items`` and ``/export`` over HTTP."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from tests.systems.sentiment.api_support import Api, api_on
from tests.systems.sentiment.support import NOW, analysis, newsroom_on, stored

from tablewright.clock import ManualClock
from tablewright.systems.sentiment import changes
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.testing.backends import Backend

HOUR = timedelta(hours=1)
Test = Callable[[Api, Article, Article], Awaitable[None]]
OTHER = "v1.0.0+linear"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def run(engine_backend: Backend, clock: ManualClock) -> Callable[[Test], None]:
    """With an article that has a tone, two results and two tags, and one that waits."""

    async def opened(test: Test) -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            told = await stored(
                newsroom, "great-ai-success", ("AI", "Climate"), said="positive", compound="0.6"
            )
            result = analysis("neutral", "0.01", NOW, OTHER)
            await newsroom.db.run(changes.save_result(told, result))
            waiting = await stored(newsroom, "late-one", timestamp=NOW - HOUR)
        async with api_on(engine_backend, clock) as api:
            await test(api.as_("analyst"), told, waiting)

    return lambda test: asyncio.run(opened(test))


def test_lists(run: Callable[[Test], None]) -> None:
    async def test(api: Api, told: Article, waiting: Article) -> None:
        (row,) = (await api.get("/items"))["items"]
        assert (row["id"], row["sentiment"]) == (shown_id(told.source_id), "positive")
        assert (row["tags"], row["overridden"]) == (["AI", "Climate"], False)
        first = await api.get("/items?tag=ai&limit=1")
        assert [each["title"] for each in first["items"]] == ["Great ai success"]
        second = await api.get(f"/items?tag=ai&limit=1&cursor={first['next_cursor']}")
        assert [each["sentiment"] for each in second["items"]] == [None]
        (late,) = (await api.get("/items?status=pending&q=late"))["items"]
        assert late["id"] == shown_id(waiting.source_id)
        assert (await api.get("/items?to=2026-11-20T11:30:00Z"))["items"] == []

    run(test)


def test_all_moments_have_one_form(run: Callable[[Test], None]) -> None:
    """With milliseconds, whether there are any or not: so texts sort as moments do."""

    async def test(api: Api, told: Article, waiting: Article) -> None:
        admin = api.as_("admin")
        one = f"/items/{shown_id(told.source_id)}"
        for path in ("/items", one, "/overview", "/timeseries", "/share", "/ops", "/models"):
            found = re.findall(r'"(\d{4}-\d\d-\d\dT[^"]*)"', (await admin("GET", path)).text)
            assert found, path
            assert [each for each in found if _MOMENT.fullmatch(each) is None] == [], path

    run(test)


def test_what_is_refused(run: Callable[[Test], None]) -> None:
    async def test(api: Api, told: Article, waiting: Article) -> None:
        bad = await api("GET", "/items?cursor=nonsense")
        assert (bad.status_code, bad.json()["code"]) == (400, "BAD_CURSOR")
        bad = await api("GET", "/items?from=2026-11-20T11:00:00")
        assert (bad.status_code, bad.json()["code"]) == (422, "BAD_RANGE")
        for path in ("/items/none", "/items/rss:none", "/items/config:settings", "/items/a%23b"):
            assert (await api("GET", path)).status_code == 404

    run(test)


def test_one_article(run: Callable[[Test], None]) -> None:
    async def test(api: Api, told: Article, waiting: Article) -> None:
        answer = await api("GET", f"/items/{shown_id(told.source_id)}")
        assert answer.headers["ETag"] == f'"{told.version}"'
        found = answer.json()
        assert [(each["model_version"], each["in_use"]) for each in found["results"]] == [
            (told.model_version, True),
            (OTHER, False),
        ]
        assert found["override"] is None
        assert found["ends_at"] == "2026-12-20T12:00:00.000Z"

    run(test)


def test_an_explanation(run: Callable[[Test], None]) -> None:
    async def test(api: Api, told: Article, waiting: Article) -> None:
        found = await api.get(f"/items/{shown_id(told.source_id)}/explanation")
        words = {term["word"].casefold(): term["weight"] for term in found["terms"]}
        assert words["success"] > 0
        for term in found["terms"]:
            assert found["text"][term["start"] : term["end"]] == term["word"]
        none = await api("GET", f"/items/{shown_id(waiting.source_id)}/explanation")
        assert (none.status_code, none.json()["code"]) == (409, "NOT_ANALYZED")

    run(test)


def test_a_verdict(run: Callable[[Test], None]) -> None:
    async def test(api: Api, told: Article, waiting: Article) -> None:
        path = f"/items/{shown_id(told.source_id)}/override"
        body = {"sentiment": "negative", "reason": " Irony "}
        assert (await api("PUT", path, body)).status_code == 428
        answer = await api("PUT", path, body, If_Match=f'"{told.version}"')
        assert answer.status_code == 200, answer.text
        verdict = answer.json()["override"]
        assert (verdict["from"], verdict["to"], verdict["reason"]) == (
            "positive",
            "negative",
            "Irony",
        )
        assert answer.headers["ETag"] == f'"{told.version + 1}"'
        stale = await api("PUT", path, body, If_Match=f'"{told.version}"')
        assert (stale.status_code, stale.json()["code"]) == (412, "STALE_VERSION")
        totals = (await api.get("/overview?from=2026-11-20T11:00:00Z"))["totals"]
        assert totals["positive"] == 0
        cleared = await api("DELETE", path)
        assert (cleared.status_code, cleared.json()["override"]) == (200, None)
        assert (await api("DELETE", path)).status_code == 200
        assert [action for _, action, _ in await api.audited()] == [
            "article.override",
            "article.clear_override",
        ]

    run(test)


def test_a_verdict_that_is_refused(run: Callable[[Test], None]) -> None:
    async def test(api: Api, told: Article, waiting: Article) -> None:
        path = f"/items/{shown_id(waiting.source_id)}/override"
        seen = {"If_Match": f'"{waiting.version}"'}
        none = await api("PUT", path, {"sentiment": "neutral"}, **seen)
        assert (none.status_code, none.json()["code"]) == (409, "NOT_ANALYZED")
        for body in (
            {"sentiment": "sad"},
            {},
            {"sentiment": "neutral", "reason": "x" * 501},
            {"sentiment": "neutral", "by": "somebody"},
        ):
            assert (await api("PUT", path, body, **seen)).status_code == 422
        for role in ("viewer", "operator", "ingest"):
            answer = await api.as_(role)("PUT", path, {"sentiment": "neutral"}, **seen)
            assert answer.status_code == 403
            assert (await api.as_(role)("DELETE", path)).status_code == 403

    run(test)


def test_files(run: Callable[[Test], None]) -> None:
    async def test(api: Api, told: Article, waiting: Article) -> None:
        times = "from=2026-11-20T00:00:00Z&to=2026-11-20T18:00:00Z"
        # An article of this very moment is not before it.
        answer = await api("GET", f"/export?{times}")
        assert answer.headers["Content-Type"].startswith("text/csv")
        assert answer.headers["Content-Disposition"] == 'attachment; filename="articles.csv"'
        assert answer.text.startswith("id,timestamp,")
        waits = await api.get(f"/export?format=json&status=pending&{times}")
        assert [each["id"] for each in waits] == [shown_id(waiting.source_id)]
        assert "author" not in waits[0]
        lines = await api("GET", f"/export?format=jsonl&status=pending&authors=true&{times}")
        assert lines.headers["Content-Type"] == "application/x-ndjson"
        assert '"author":"Unknown"' in lines.text
        assert (await api("GET", "/export?format=xml")).status_code == 422

    run(test)
