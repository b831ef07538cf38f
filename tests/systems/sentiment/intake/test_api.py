"""``/ingest`` and ``/uploads`` as programs and people use them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.systems.sentiment.api_support import Api, api_on

from tablewright.clock import ManualClock
from tablewright.systems.sentiment.upkeep_reads import (
    every_tag_row,
)
from tablewright.testing.backends import Backend

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
JSONL = "application/jsonl"
MEGABYTE = 1024 * 1024
#: A kilobyte without a record.
EMPTY = b" " * 1023 + b"\n"


def run(backend: Backend, clock: ManualClock, test: Callable[[Api], Awaitable[None]]) -> None:
    async def go() -> None:
        async with api_on(backend, clock) as api:
            made = await api("POST", "/watch", {"tag": "AI", "any": ["AI"]})
            assert made.status_code == 201
            await test(api)

    asyncio.run(go())


def told(slug: str, **more: object) -> dict[str, object]:
    return {"title": f"AI {slug}", "url": f"https://news.example/{slug}", **more}


async def upload(api: Api, data: bytes, kind: str = JSONL, **query: Any) -> Any:
    return await api.send(
        "POST", "/uploads", headers={"Content-Type": kind}, content=data, params=query
    )


async def number_stored(api: Api) -> int:
    return len([row async for row in api.db.iterate(every_tag_row())])


# --- records -------------------------------------------------------------------------------------


def test_username_of_a_post_is_its_author(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        records = [
            told("post", username="ann_writes"),
            told("signed", username="ann_writes", author="Ann Author"),
        ]
        answer = await api.as_("ingest")("POST", "/ingest", {"records": records})
        ids = [each["article_id"] for each in answer.json()["results"]]
        authors = [(await api.get(f"/items/{each}"))["author"] for each in ids]
        assert authors == ["ann_writes", "Ann Author"]

    run(engine_backend, clock, test)


def test_each_record_is_answered(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        records = [
            told("one", published_at="2026-11-20T12:00:00+01:00", author="Ann", source="BBC"),
            told("one"),
            {"title": "Nothing"},
            {"title": "Nothing", "url": "https://news.example/x"},
            told("two", published_at="yesterday"),
            told("three", titel="x"),
            "not a record",
            {},
        ]
        answer = await api.as_("ingest")("POST", "/ingest", {"records": records})
        assert answer.status_code == 207, answer.text
        results = answer.json()["results"]
        assert [(each["status"], each["result"]) for each in results] == [
            (201, "ingested"),
            (200, "duplicate"),
            (422, "rejected"),
            (200, "unmatched"),
            (422, "rejected"),
            (422, "rejected"),
            (422, "rejected"),
            (422, "rejected"),
        ]
        assert results[0]["article_id"] == results[1]["article_id"]
        assert results[0]["article_id"].startswith("file:")
        assert "published_at" in results[4]["reason"]
        assert "titel" in results[5]["reason"]
        assert await number_stored(api) == 1

    run(engine_backend, clock, test)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"records": [told(str(number)) for number in range(101)]}, 413, "TOO_MANY_RECORDS"),
        ({"records": []}, 422, "INVALID"),
        ({"records": "x"}, 422, "INVALID"),
        ({"records": [told("one")], "extra": 1}, 422, "INVALID"),
        ({"records": [told("one")], "source_type": "config"}, 422, "INVALID"),
        ([], 422, "INVALID"),
    ],
)
def test_requests_that_are_wrong(
    body: object, status: int, code: str, engine_backend: Backend, clock: ManualClock
) -> None:
    async def test(api: Api) -> None:
        answer = await api("POST", "/ingest", body)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert await number_stored(api) == 0

    run(engine_backend, clock, test)


def test_bodies_that_are_none(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        headers = {"Content-Type": "application/json"}
        answer = await api.send("POST", "/ingest", headers=headers, content=b"{broken")
        assert (answer.status_code, answer.json()["code"]) == (400, "MALFORMED")
        answer = await api.send("POST", "/ingest", headers={"Content-Type": "text/csv"}, content="")
        assert answer.status_code == 415
        large = {"records": [told("one", text="x" * 2 * MEGABYTE)]}
        assert (await api("POST", "/ingest", large)).status_code == 413

    run(engine_backend, clock, test)


def test_who_may(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        for role, ingests, uploads in (
            ("ingest", 207, 403),
            ("operator", 403, 200),
            ("analyst", 403, 403),
            ("viewer", 403, 403),
            ("nobody", 401, 401),
        ):
            sent = await api.as_(role)("POST", "/ingest", {"records": [told("one")]})
            assert sent.status_code == ingests, role
            assert (await upload(api.as_(role), b"{}")).status_code == uploads, role

    run(engine_backend, clock, test)


def test_too_many_records_a_minute(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with api_on(engine_backend, clock, records_per_minute=5) as api:
            body = {"records": [told(str(number)) for number in range(4)]}
            first = await api("POST", "/ingest", body)
            assert (first.status_code, first.headers["RateLimit-Remaining"]) == (207, "1")
            second = await api("POST", "/ingest", body)
            assert (second.status_code, second.json()["code"]) == (429, "RATE_LIMITED")
            clock.advance(60)
            assert (await api("POST", "/ingest", body)).status_code == 207

    asyncio.run(go())


# --- files ---------------------------------------------------------------------------------------


def test_scenario_11_broken_lines(engine_backend: Backend, clock: ManualClock) -> None:
    """Broken JSONL, script title: refused or escaped."""

    async def test(api: Api) -> None:
        lines = [
            json.dumps(told("one")),
            "{broken",
            json.dumps(told("two", title="<script>alert(1)</script>AI <b>wins</b>")),
            "",
            json.dumps([1]),
            json.dumps({"title": "<script></script>", "url": "https://news.example/3"}),
            json.dumps(told("three", published_at="2026-13-01T00:00:00Z")),
            json.dumps(told("one")),
            json.dumps({"title": "Nothing", "url": "https://news.example/4"}),
            "[" * 2000,
        ]
        answer = await upload(api.as_("operator"), "\n".join(lines).encode())
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert [each["line"] for each in found.pop("errors")] == [2, 5, 6, 7, 10]
        assert found == {
            "records": 9,
            "ingested": 2,
            "duplicate": 1,
            "unmatched": 1,
            "rejected": 5,
            "tagged": 0,
            "gone": 0,
        }
        titles = {row.title async for row in api.db.iterate(every_tag_row())}
        assert titles == {"AI one", "AI wins"}
        again = (await upload(api, "\n".join(lines).encode())).json()
        assert (again["ingested"], again["duplicate"]) == (0, 3)

    run(engine_backend, clock, test)


def test_a_long_text_is_cut(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        long = told("one", text="It is about AI. " * 2000)
        (result,) = (await api("POST", "/ingest", {"records": [long]})).json()["results"]
        assert result["result"] == "ingested"
        found = await api.as_("viewer").get(f"/items/{result['article_id']}")
        assert 190 < len(found["snippet"]) <= 200

    run(engine_backend, clock, test)


def test_rows(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        data = (
            "\ufefftitle,text,url,source,published_at\r\n"
            '"AI, twice\n""quoted""",Text,https://news.example/1,BBC,2026-11-19T10:00:00Z\r\n'
            "AI,too few\r\n"
            "AI again,,https://news.example/2,,\r\n"
            "AI badly,,https://news.example/3,,soon\r\n"
        ).encode()
        found = (await upload(api, data, "text/csv; charset=utf-8")).json()
        assert (found["ingested"], found["rejected"]) == (2, 2)
        assert [each["line"] for each in found["errors"]] == [4, 6]
        titles = {row.title async for row in api.db.iterate(every_tag_row())}
        assert titles == {'AI, twice "quoted"', "AI again"}
        wrong = await upload(api, b"headline,link\na,b\n", "text/csv")
        assert (wrong.status_code, wrong.json()["code"]) == (422, "BAD_RECORD")
        assert "title" in wrong.json()["detail"]
        assert (await upload(api, b"", "text/csv")).status_code == 422
        assert (await upload(api, b"", JSONL)).json()["records"] == 0

    run(engine_backend, clock, test)


def test_forms_of_browsers(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        data = json.dumps(told("one")).encode()
        sent = await api.send("POST", "/uploads", files={"file": ("x.JSONL", data)})
        assert sent.json()["ingested"] == 1
        sent = await api.send("POST", "/uploads", files={"file": ("x.exe", data, "image/png")})
        assert sent.status_code == 422
        sent = await api.send("POST", "/uploads", files={"file": ("x", b"title,url\n", "text/csv")})
        assert sent.status_code == 200
        sent = await api.send("POST", "/uploads", data={"a": "b"})
        assert sent.status_code == 415
        assert (await upload(api, data, "text/plain")).status_code == 415

    run(engine_backend, clock, test)


def test_twenty_megabytes_and_no_more(engine_backend: Backend, clock: ManualClock) -> None:
    """Files may be larger than other bodies. Whether they say how long they are or not, they are
    refused beyond 20 MB."""

    async def pieces(number: int) -> AsyncIterator[bytes]:
        for _ in range(number):
            yield EMPTY * 1024

    async def test(api: Api) -> None:
        good = json.dumps(told("one")).encode() + b"\n"
        large = await upload(api, good + EMPTY * 3 * 1024)
        assert large.json()["ingested"] == 1
        for number, status in ((20, 200), (21, 413)):
            for data in (EMPTY * 1024 * number, pieces(number)):
                answer = await upload(api, data)  # type: ignore[arg-type]
                assert answer.status_code == status, answer.text
                if status == 413:
                    assert answer.json()["code"] == "TOO_LARGE"

    run(engine_backend, clock, test)


def test_many_errors_are_counted_and_some_are_told(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def test(api: Api) -> None:
        found = (await upload(api, b"x\n" * 5000)).json()
        assert (found["rejected"], found["records"]) == (5000, 5000)
        assert [each["line"] for each in found["errors"]] == list(range(1, 101))

    run(engine_backend, clock, test)


def test_files_of_the_past(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        at = (NOW - timedelta(days=3)).isoformat()
        data = json.dumps(told("one", published_at=at)).encode()
        found = (await upload(api, data, as_published=True)).json()
        assert found["ingested"] == 1, found
        (row,) = [row async for row in api.db.iterate(every_tag_row())]
        assert row.ingested_at == NOW - timedelta(days=3)
        assert row.tag_sentiment is not None

    run(engine_backend, clock, test)
