"""The dashboard: what it shows of a view, for whom, and how it leads on."""

from __future__ import annotations

import html
import json
import re

import httpx2
import pytest
from tests.console.reading import shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.sentiment.pages.support import BASE, Office, as_role, pages_of

from tablewright.engine import Engine
from tablewright.testing.backends import in_process


def links(page: httpx2.Response) -> list[str]:
    return [html.unescape(each) for each in re.findall(r'href="([^"]+)"', page.text)]


def charts(page: httpx2.Response) -> list[dict[str, object]]:
    found = re.findall(r'<script type="application/json">(.*?)</script>', page.text, re.S)
    return [json.loads(each) for each in found]


def titles(page: httpx2.Response) -> list[str]:
    found = re.findall(r'class="article-text"><a href="[^"]+">([^<]+)</a>', page.text)
    return [html.unescape(each) for each in found]


def test_the_dashboard_shows_everything_that_was_said(viewer: Browser) -> None:
    page = viewer.get(f"{BASE}/")
    assert page.status_code == 200
    shows(page, "Articles 6", "Judged 4", "Index \N{MINUS SIGN}0.25", "Negative share 50.0 %")
    shows(page, "Waiting 2", "Share of voice", "Publishers", "BBC News", "Orbit Weekly")
    assert titles(page) == [
        "Ai wins a prize",
        "Grid fails badly",
        "Ai eats the grid",
        "Climate talks go on",
    ]
    volume, tones, course = charts(page)
    assert volume["kind"] == "stack"
    assert tones["kind"] == "donut"
    assert course["unit"] == "index"
    assert tones["series"] == [{"name": "Tones", "values": [1, 1, 2]}]


def test_all_panels_follow_the_filters(viewer: Browser) -> None:
    page = viewer.get(f"{BASE}/?tag=ai&sentiment=negative")
    shows(page, "Negative articles 1", "Negative share 50.0 %", "Topic ai", "Tone negative")
    assert titles(page) == ["Ai eats the grid"]
    assert [each["name"] for each in charts(page)[0]["series"]] == ["Negative"]  # type: ignore[attr-defined]
    # Every control keeps what the others say.
    assert f"{BASE}/?tag=ai&source=bbc-news&sentiment=negative" in links(page)
    assert f"{BASE}/?span=7d&tag=ai&sentiment=negative" in links(page)
    assert f"{BASE}/?sentiment=negative" in links(page)


def test_publishers_of_a_topic_and_topics_of_a_publisher(viewer: Browser) -> None:
    by_topic = viewer.get(f"{BASE}/figures?tag=Climate").text
    assert 'id="source-orbit-weekly"' in by_topic
    assert 'id="source-bbc-news"' not in by_topic
    by_publisher = viewer.get(f"{BASE}/figures?source=orbit-weekly").text
    assert 'id="tag-climate"' in by_publisher
    assert 'id="tag-ai"' not in by_publisher
    # One goes from a topic to another: the others are there, too.
    assert 'id="tag-energy"' in by_topic


def test_words_find_articles_and_their_figures(viewer: Browser) -> None:
    page = viewer.get(f"{BASE}/?q=GRID")
    assert titles(page) == ["Grid fails badly", "Ai eats the grid"]
    shows(page, "Articles 2", "Negative share 100.0 %")


def test_who_asks_for_too_much_is_told(viewer: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    from tablewright.systems.sentiment.service import counts, voices

    monkeypatch.setattr(counts, "MOST_READ", 4)
    monkeypatch.setattr(voices, "MOST_READ", 4)
    page = viewer.get(f"{BASE}/?q=told+by")
    shows(page, "These figures are partial.", "Of the latest 5,000 articles.")
    shows(page, "no comparison: not all articles were read", "The charts have gaps there.")
    series = viewer.get("/sentiment/api/v1/timeseries?q=told+by&interval=1h").json()
    assert series["read_from"] is not None
    unread = [point for point in series["points"] if point["analysed"] is None]
    assert unread
    assert all(point["start"] <= series["read_from"] for point in unread)
    # What is counted is never partial.
    assert "partial" not in text_of(viewer.get(f"{BASE}/?source=bbc-news&span=30d"))


def test_an_address_without_empty_fields(viewer: Browser) -> None:
    answer = viewer.get(f"{BASE}/?tag=AI&source=&sentiment=&q=&from=&to=", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{BASE}/?tag=AI")


def test_a_wrong_filter_is_told_at_its_field(viewer: Browser) -> None:
    page = viewer.get(f"{BASE}/?from=then&q=grid")
    assert page.status_code == 422
    assert wrong_fields(page) == {"from"}
    assert 'value="grid"' in page.text
    # A part of a page is refused as a problem.
    assert viewer.get(f"{BASE}/figures?from=then").status_code == 422


def test_nothing_fits_and_what_to_do(viewer: Browser) -> None:
    page = viewer.get(f"{BASE}/?q=unicorn&tag=AI")
    shows(page, "No article fits", "A longer time or fewer filters may find some.")
    assert f"{BASE}/" in links(page)
    assert f"{BASE}/?span=30d&tag=AI&q=unicorn" in links(page)


def test_a_place_without_articles_says_where_to_begin() -> None:
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        pages_of(backend, filled=False) as office,
        as_role(office, "viewer") as browser,
    ):
        page = browser.get(f"{BASE}/")
        shows(page, "No articles yet", "1. Follow a topic", "2. Add a source")
        assert f"{BASE}/watch/new" in links(page)
        assert f"{BASE}/ops/new-source" in links(page)


def test_exports_are_of_the_same_filters(viewer: Browser) -> None:
    page = viewer.get(f"{BASE}/?tag=AI&sentiment=negative")
    (csv,) = [each for each in links(page) if "format=csv" in each]
    answer = viewer.get(csv)
    assert answer.headers["content-type"].startswith("text/csv")
    assert "Ai eats the grid" in answer.text
    assert "Ai wins a prize" not in answer.text


def test_a_list_goes_on(viewer: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    from tablewright.systems.sentiment.pages import dashboard

    monkeypatch.setattr(dashboard, "_SHOWN", 3)
    page = viewer.get(f"{BASE}/")
    assert len(titles(page)) == 3
    (more,) = [each for each in links(page) if "cursor=" in each]
    assert titles(viewer.get(more)) == ["Climate talks go on"]
    assert viewer.get(f"{BASE}/recent?cursor=forged").status_code == 400


def test_headlines_cannot_write_pages(office: Office, viewer: Browser) -> None:
    page = viewer.get(f"{BASE}/", params={"q": "<script>alert(1)</script>", "tag": "AI"})
    assert "<script>alert" not in page.text
    shows(page, "Words <script>alert(1)</script>")


def test_who_may_look(office: Office) -> None:
    stranger = Browser(office.service)
    with stranger.client:
        assert stranger.get(f"{BASE}/", follow_redirects=False).status_code == 303
        assert stranger.get(f"{BASE}/figures").status_code in (401, 303)
    for role in ("viewer", "analyst", "operator", "admin"):
        with as_role(office, role) as browser:
            assert browser.get(f"{BASE}/").status_code == 200


def test_no_author_is_on_the_dashboard(viewer: Browser) -> None:
    assert "Unknown" not in text_of(viewer.get(f"{BASE}/"))
