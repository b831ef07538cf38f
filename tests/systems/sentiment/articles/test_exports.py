"""Articles as files: CSV that is no formula, JSON that parses, authors only on request."""

from __future__ import annotations

import asyncio
import csv
import io
from datetime import timedelta
from typing import Any

import orjson
import pytest
from tests.systems.sentiment.support import NOW, newsroom_on, refused, stored

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.service.csv_cells import lines, text_cell
from tablewright.systems.sentiment.articles import Metadata
from tablewright.systems.sentiment.rules.filters import ArticleFilter
from tablewright.systems.sentiment.rules.spans import Span
from tablewright.systems.sentiment.service import exports as exports_module
from tablewright.systems.sentiment.service.exports import Format
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing.backends import Backend

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SPAN = Span(NOW - DAY, NOW + HOUR)


async def file_of(
    newsroom: Newsroom, form: Format, span: Span = SPAN, authors: bool = False, **filters: Any
) -> bytes:
    pieces = await newsroom.exports.export(span, ArticleFilter(**filters), form, authors=authors)
    return b"".join([piece async for piece in pieces])


def said(title: str) -> Metadata:
    return Metadata(title=title, author="Ada Writer", published_at=NOW - DAY, source_name="=BBC")


async def fill(newsroom: Newsroom) -> None:
    await stored(newsroom, "one", said="positive", metadata=said('=HYPERLINK("x")'))
    earlier = NOW - 3 * HOUR
    await stored(
        newsroom, "two", ("AI", "Climate"), said="negative", timestamp=earlier, metadata=said("a,b")
    )
    await stored(newsroom, "three", timestamp=earlier, metadata=said("waits"))
    await stored(newsroom, "four", ("Energy",), said="neutral", timestamp=NOW - 3 * DAY)


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "  =1+1", "plain"]
)
def test_no_cell_is_a_formula(text: str) -> None:
    (cells,) = csv.reader(io.StringIO(lines([[text_cell(text), "x"]]).decode(), newline=""))
    assert cells[0].lstrip("'") == text
    assert not cells[0].lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


def test_csv(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await fill(newsroom)
            text = (await file_of(newsroom, "csv")).decode()
            assert text.count("\r\n") == 3
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            # The oldest first; what waits, and what lies before, is not there.
            assert [row["title"] for row in rows] == ["a,b", '\'=HYPERLINK("x")']
            assert [row["source_name"] for row in rows] == ["'=BBC", "'=BBC"]
            assert (rows[0]["tags"], rows[0]["overridden"]) == ("AI Climate", "no")
            assert "author" not in rows[0]
            assert "Ada" not in text
            with_authors = (await file_of(newsroom, "csv", authors=True)).decode()
            assert with_authors.count("Ada Writer") == 2

    asyncio.run(go())


def test_json(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            assert orjson.loads(await file_of(newsroom, "json")) == []
            assert await file_of(newsroom, "jsonl") == b""
            # Nobody had counted anything a moment ago.
            newsroom.counts.forget()
            await fill(newsroom)
            found = orjson.loads(await file_of(newsroom, "json"))
            assert [each["sentiment"] for each in found] == ["negative", "positive"]
            assert found[0]["tags"] == ["AI", "Climate"]
            assert found[0]["timestamp"] == "2026-11-20T09:00:00.000Z"
            each_line = (await file_of(newsroom, "jsonl", authors=True)).splitlines()
            assert [orjson.loads(line)["author"] for line in each_line] == ["Ada Writer"] * 2

    asyncio.run(go())


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        ({"tag": "climate"}, ["a,b"]),
        ({"tag": "energy"}, []),
        ({"sentiment": "positive"}, ['=HYPERLINK("x")']),
        ({"source": "bbc-news", "tag": "ai"}, ["a,b", '=HYPERLINK("x")']),
        ({"source": "other"}, []),
        ({"words": ("hyperlink",)}, ['=HYPERLINK("x")']),
        ({"status": "pending"}, ["waits"]),
        ({"status": "failed"}, []),
    ],
)
def test_the_same_filters_as_lists(
    tablewright_backend: Backend, clock: ManualClock, filters: dict[str, Any], titles: list[str]
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await fill(newsroom)
            found = orjson.loads(await file_of(newsroom, "json", **filters))
            assert [each["title"] for each in found] == titles

    asyncio.run(go())


def test_too_many_rows_are_refused_before_any_is_read(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports_module, "MOST_ROWS", 1)
    heard: list[RequestEvent] = []

    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock, heard=heard) as newsroom:
            await fill(newsroom)
            problem = await refused(newsroom.exports.export(SPAN, ArticleFilter(), "csv"))
            assert (problem.status, problem.code) == (422, "TOO_MANY_ROWS")
            assert problem.extra == {"rows": 2}
            assert not [event for event in heard if event.pattern == "export_slice"]
            assert len(orjson.loads(await file_of(newsroom, "json", tag="climate"))) == 1
            # Only the hour in which something was counted has been read.
            slices = [event for event in heard if event.pattern == "export_slice"]
            assert len(slices) == 3

    asyncio.run(go())


def test_ends_within_an_hour_are_kept_to(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            for minute in (5, 10, 20):
                at = NOW - HOUR + timedelta(minutes=minute)
                await stored(newsroom, f"a-{minute}", said="neutral", timestamp=at)
            start = NOW - HOUR + timedelta(minutes=10)
            span = Span(start, start + timedelta(minutes=10))
            found = orjson.loads(await file_of(newsroom, "json", span))
            assert [each["title"] for each in found] == ["A 10"]

    asyncio.run(go())
