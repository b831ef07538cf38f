"""Operations: what has failed is queued again, sources are read and paused, files are taken."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import timedelta

import httpx2
import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.sentiment.pages.support import BASE, Office, as_role, pages_of
from tests.systems.sentiment.support import ADMIN, article, put_articles

from tablewright.client import RequestEvent
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.service.preconditions import Precondition
from tablewright.systems.sentiment.bodies.sources import SourceChange
from tablewright.systems.sentiment.config import Quota, Source
from tablewright.systems.sentiment.config_reads import (
    source,
)
from tablewright.systems.sentiment.pages.ops import requeued_text
from tablewright.systems.sentiment.pages.ops_status import SourceLine
from tablewright.systems.sentiment.rules.breaker import OPEN
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.samples import NOW
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.service.queue import Requeued
from tablewright.systems.sentiment.service.sources.quotas import Allowance
from tablewright.systems.sentiment.service.sources.sources import Standing
from tablewright.testing.backends import in_process

OPS = f"{BASE}/ops"
FEED = {
    "name": "wire",
    "source_type": "file",
    "url": "file:wire.jsonl",
    "interval_seconds": "600",
    "enabled": "1",
}


def send_file(browser: Browser, name: str, text: str, **fields: str) -> httpx2.Response:
    given = {"csrf_token": browser.token(), **fields}
    return browser.client.post(f"{OPS}/upload", data=given, files={"file": (name, text.encode())})


@pytest.fixture(scope="module")
def wire(office: Office) -> str:
    """A source that can be read; its path."""
    with as_role(office, "admin") as admin:
        made = admin.post(f"{OPS}/new-source", FEED)
        assert made.status_code == 303, text_of(made)
    return f"{OPS}/sources/wire"


# --- the queue -----------------------------------------------------------------------------------


def test_only_operators_see_operations(viewer: Browser, analyst: Browser) -> None:
    for browser in (viewer, analyst):
        assert browser.get(OPS).status_code == 403
        assert f'href="{OPS}"' not in browser.get(f"{BASE}/watch").text


def test_what_has_failed_is_queued_again(operator: Browser, office: Office) -> None:
    page = operator.get(OPS)
    shows(page, "Failed 1 no model could judge them", "Ai fails", "TIMEOUT 3")
    shown = shown_id(office.articles["ai-fails"].source_id)
    assert f'name="ids" value="{shown}"' in page.text
    done = operator.post(f"{OPS}/requeue", {"ids": shown})
    assert (done.status_code, done.headers["location"]) == (303, OPS)
    after = operator.get(OPS)
    shows(after, "One article is queued again.", "Nothing has failed")
    # Somebody has been quicker: that is no error of this one.
    assert operator.post(f"{OPS}/requeue", {"ids": shown}).status_code == 303
    shows(operator.get(OPS), "Only an article that has failed, or is stuck")
    assert operator.post(f"{OPS}/requeue", {}).status_code == 303
    shows(operator.get(OPS), "Choose articles first.")


def test_what_is_stuck_is_counted_listed_and_queued_again(
    operator: Browser, office: Office
) -> None:
    """One waits from the beginning."""
    newsroom = Newsroom(office.service.runtime)
    before = newsroom.now() - timedelta(minutes=20)
    late = [
        article(f"late-{number}", timestamp=before + timedelta(seconds=number))
        for number in range(30)
    ]
    office.service.do(put_articles(newsroom, late))
    page = operator.get(OPS)
    shows(page, "Stuck 31 the oldest waits since", "Articles that are stuck")
    assert page.text.count('name="ids"') == 25
    more = re.search(r'hx-get="(/sentiment/ops/stuck\?cursor=[^"]+)"', page.text)
    assert more is not None
    assert operator.get(more[1].replace("&amp;", "&")).text.count('name="ids"') == 6
    some = [shown_id(each.source_id) for each in late[:3]]
    sent = {"csrf_token": operator.token(), "ids": some}
    assert operator.client.post(f"{OPS}/requeue", data=sent).status_code == 303
    shows(operator.get(OPS), "3 articles are queued again.", "Stuck 28")
    assert operator.post(f"{OPS}/requeue-all", {}).status_code == 303
    shows(operator.get(OPS), "28 articles are queued again.", "Stuck 0")


def test_at_most_a_hundred_at_once(operator: Browser) -> None:
    many = [f"newsapi:{number:016}" for number in range(101)]
    sent = {"csrf_token": operator.token(), "ids": many}
    assert operator.client.post(f"{OPS}/requeue", data=sent).status_code == 303
    shows(operator.get(OPS), "At most 100 at once")


def test_what_became_of_articles_is_said_in_full() -> None:
    done = [
        Requeued("a", "requeued"),
        Requeued("b", "requeued"),
        Requeued("c", "gone"),
        Requeued("d", "not_requeueable"),
    ]
    text = "2 articles are queued again. 1 had ended. 1 neither failed nor stuck any more."
    assert requeued_text(done) == text


# --- what is fetched again -----------------------------------------------------------------------


def test_figures_and_sources_are_fetched_alone(operator: Browser, wire: str) -> None:
    page = operator.get(OPS)
    assert 'hx-get="/sentiment/ops/status" hx-trigger="every 10s"' in page.text
    part = operator.client.get(f"{OPS}/status", headers={"HX-Request": "true"})
    assert "<html" not in part.text
    assert '<div id="ops-sources" hx-swap-oob="innerHTML">' in part.text
    # Lists with boxes stay as they are: nobody loses what they have ticked.
    assert 'name="ids"' not in part.text
    # What has the focus is found again, and forms of the part can be sent.
    assert 'id="run-wire"' in part.text
    assert re.search(r'name="csrf_token" value="[^"]+"', part.text)


def test_slow_calls_are_listed(operator: Browser, office: Office) -> None:
    event = RequestEvent(
        pattern="recent_articles",
        component="dashboard",
        operation="Query",
        table="sentiment-items",
        seconds=2.5,
        attempts=3,
        index="by_sentiment",
        sent=0,
        received=0,
        error="Throttled",
    )
    hook = office.service.runtime.db.context.hook
    assert hook is not None
    hook(event)
    shows(operator.get(OPS), "recent_articles Query 2.5 s 3 Throttled")


# --- sources -------------------------------------------------------------------------------------


def test_a_source_is_read_paused_and_resumed(operator: Browser, office: Office, wire: str) -> None:
    shows(operator.get(OPS), "wire file good never no limit 10 min")
    assert operator.post(f"{wire}/run", {}).status_code == 303
    newsroom = Newsroom(office.service.runtime)
    until_read(office, newsroom)
    shows(operator.get(OPS), "wire is being read", "wire 1")
    page = operator.get(wire)
    assert re.search(r"ok 6 \d+ \d+ \d+ 0", text_of(page))
    # Its address may have a key in it: that is for who may change it.
    assert "wire.jsonl" not in text_of(page)
    assert "Edit" not in text_of(page)
    assert operator.post(f"{wire}/pause", {}).status_code == 303
    shows(operator.get(OPS), "wire is paused")
    assert 'id="run-wire"' not in operator.get(OPS).text
    # The page of another operator still has the button.
    assert operator.post(f"{wire}/run", {}).status_code == 303
    shows(operator.get(OPS), "The source is switched off.")
    assert operator.post(f"{wire}/resume", {}).status_code == 303
    assert 'id="run-wire"' in operator.get(OPS).text


def until_read(office: Office, newsroom: Newsroom) -> None:
    async def ended() -> bool:
        return all(run.state != "running" for run in await newsroom.sources.runs_of("wire"))

    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        if office.service.do(ended()):
            return
    raise AssertionError("the run does not end")


def test_only_administrators_change_sources(operator: Browser, admin: Browser, wire: str) -> None:
    for path in (f"{OPS}/new-source", f"{wire}/edit"):
        assert operator.get(path).status_code == 403
        assert path not in operator.get(OPS).text
        assert path in admin.get(OPS).text
    shows(admin.get(wire), "file:wire.jsonl")


def test_what_is_wrong_with_a_source_stands_at_its_field(admin: Browser, wire: str) -> None:
    page = admin.post(f"{OPS}/new-source", {**FEED, "name": "No!", "interval_seconds": "1"})
    assert (page.status_code, wrong_fields(page)) == (422, {"name", "interval_seconds"})
    taken = admin.post(f"{OPS}/new-source", FEED)
    assert (taken.status_code, wrong_fields(taken)) == (409, {"name"})
    inside = {**FEED, "name": "inside", "source_type": "rss", "url": "https://169.254.169.254/"}
    page = admin.post(f"{OPS}/new-source", inside)
    assert (page.status_code, wrong_fields(page)) == (422, {"url"})
    assert fields_of(page, "/new-source")["url"] == inside["url"]


def test_two_who_edit_a_source_lose_nothing(admin: Browser, office: Office, wire: str) -> None:
    form = fields_of(admin.get(f"{wire}/edit"), "/wire/edit")
    newsroom = Newsroom(office.service.runtime)

    async def other() -> None:
        known = await newsroom.db.require(source("wire"))
        body = SourceChange(url=known.url, interval_seconds=900, enabled=known.enabled)
        await newsroom.sources.save("wire", body, ADMIN, Precondition.seen(known.revision))

    office.service.do(other())
    page = admin.post(f"{wire}/edit", {**form, "daily_limit": "50"})
    assert page.status_code == 412
    shows(page, "Somebody changed it", "interval seconds")
    again = fields_of(page, "/wire/edit")
    assert (again["interval_seconds"], again["daily_limit"]) == ("900", "50")
    assert admin.post(f"{wire}/edit", again).status_code == 303
    shows(admin.get(wire), "0 of 50")


def test_a_breaker_and_a_quota_are_seen(operator: Browser, office: Office) -> None:
    newsroom = Newsroom(office.service.runtime)
    now = newsroom.now()
    broken = Source(
        name="broken",
        source_type="rss",
        url="https://broken.example/feed",
        failures=3,
        breaker_open_until=now + OPEN,
        error_code="HTTP_500",
    )
    counted = Source(
        name="counted", source_type="rss", url="https://counted.example/feed", daily_limit=10
    )
    used = Quota(
        source="counted",
        day=now.date(),
        used=10,
        limit=10,
        ttl_timestamp=now + timedelta(days=90),
    )
    for each in (broken, counted, used):
        office.service.do(newsroom.db.run(put(each)))
    page = operator.get(OPS)
    shows(page, "Breakers open 1 of", "broken feed breaker open tried again", "HTTP_500")
    shows(page, "quota used up", "10 of 10", "Fullest quota 100 %")
    for name in ("broken", "counted"):
        assert f'id="run-{name}"' not in page.text
        assert f'id="pause-{name}"' in page.text


@pytest.mark.parametrize(
    ("changes", "breaker", "quota", "configured", "state"),
    [
        ({}, "closed", Allowance(0, None), True, "good"),
        ({}, "trial", Allowance(0, None), True, "on trial"),
        ({"enabled": False}, "open", Allowance(0, 0), False, "paused"),
        ({}, "closed", Allowance(0, 100), False, "no key"),
        ({}, "open", Allowance(0, None), True, "cut off"),
        ({}, "closed", Allowance(5, 5), True, "used up"),
        ({"open_run": "1", "last_run_at": NOW}, "closed", Allowance(0, None), True, "reading"),
        # Its process has died: it can be read again.
        (
            {"open_run": "1", "last_run_at": NOW - timedelta(hours=1)},
            "closed",
            Allowance(0, None),
            True,
            "good",
        ),
    ],
)
def test_what_can_be_done_with_a_source(
    changes: dict[str, object], breaker: str, quota: Allowance, configured: bool, state: str
) -> None:
    known = Source(name="x", source_type="rss", url="file:x.xml").model_copy(update=changes)
    line = SourceLine(Standing(known, breaker, quota, 60.0), None, configured, NOW)
    assert line.state == state
    assert line.runnable == (state in ("good", "on trial"))


# --- files ---------------------------------------------------------------------------------------


def test_a_file_is_taken_and_its_bad_lines_are_named(operator: Browser) -> None:
    lines = (
        '{"title": "AI uploads itself", "url": "https://news.example/up/1", "source": "Wire"}\n'
        "not json\n"
        '{"title": "Of nothing", "url": "https://news.example/up/2", "source": "Wire"}\n'
    )
    page = send_file(operator, "some.jsonl", lines)
    assert page.status_code == 200
    shows(page, "3 records", "New 1", "No topic 1", "Rejected 1", "Bad lines", "2 ")
    shows(send_file(operator, "some.jsonl", lines), "New 0", "Duplicates 1")


def test_csv_and_what_is_no_file(operator: Browser) -> None:
    table = 'title,url,source\n"AI, by CSV",https://news.example/up/csv,Wire\n'
    shows(send_file(operator, "some.csv", table), "1 record", "New 1")
    wrong = send_file(operator, "some.exe", "MZ")
    assert (wrong.status_code, wrong_fields(wrong)) == (422, {"file"})
    nothing = operator.post(f"{OPS}/upload", {})
    assert (nothing.status_code, wrong_fields(nothing)) == (422, {"file"})


def test_a_file_may_be_larger_than_other_forms(operator: Browser, viewer: Browser) -> None:
    line = '{"title": "Nothing of interest", "url": "https://news.example/%d", "source": "W"}\n'
    text = "".join(line % number for number in range(20_000))
    assert len(text) > 1024 * 1024
    shows(send_file(operator, "large.jsonl", text), "20,000 records", "No topic 20,000")
    with_token = {"csrf_token": viewer.token()}
    files = {"file": ("some.jsonl", b"{}")}
    answer = viewer.client.post(f"{OPS}/upload", data=with_token, files=files)
    assert answer.status_code == 403
    assert operator.client.post(f"{OPS}/upload", files=files).status_code == 403


# --- nothing there -------------------------------------------------------------------------------


@pytest.fixture
def empty() -> Iterator[Office]:
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        pages_of(backend, filled=False) as made,
    ):
        yield made


def test_a_place_that_is_new_says_what_to_do(empty: Office) -> None:
    with as_role(empty, "admin") as admin:
        shows(admin.get(OPS), "Nothing has failed", "No source yet", "No run yet", "no source has")
        shows(admin.get(f"{BASE}/watch"), "No topic yet", "Follow your first topic")
        shows(admin.get(f"{BASE}/alerts"), "Nothing has fired", "No rule yet")
        shows(admin.get(f"{BASE}/models"), "No comparison yet", "v3.3.2+vader in use")
    with as_role(empty, "viewer") as viewer:
        shows(viewer.get(f"{BASE}/watch"), "An analyst makes topics.")
