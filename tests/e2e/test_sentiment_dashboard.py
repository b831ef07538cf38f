"""Sentiment's dashboard and articles in a real browser: looking closer, what arrives, verdicts."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, Locator, Page, TimeoutError, expect
from tests.e2e.support import PHONE, THEMES, browsing, settled, too_wide, violations
from tests.service.support import Running, running
from tests.systems.sentiment.pages.support import fill
from tests.systems.sentiment.support import ADMIN, TOPICS, stored, watch

from tablewright.console.front import Console
from tablewright.engine import Engine
from tablewright.service.runtime import Runtime
from tablewright.systems.sentiment.pages.paths import item_path
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.system import system
from tablewright.testing.backends import in_process

pytestmark = pytest.mark.e2e

ANALYST, VIEWER = "Demo analyst", "Demo viewer"
BASE = "/sentiment"
#: Where the last bucket of a chart is, from its left edge.
LAST_BUCKET = """(space) => {
  const chart = window.echarts.getInstanceByDom(space);
  const last = chart.getOption().series[0].data.length - 1;
  return chart.convertToPixel({ seriesIndex: 0 }, [last, 0])[0];
}"""
#: Everything that comes in is on the screen of whoever looks by then.
SOON = 10_000


@contextmanager
def served(*, workers: bool = True) -> Iterator[Running]:
    async def opened(runtime: Runtime) -> None:
        newsroom = Newsroom(runtime)
        async with newsroom.lifespan():
            await watch(newsroom, *TOPICS)
            await fill(newsroom)

    def front(runtime: Runtime) -> Console:
        return Console({system: (runtime, system.build(runtime))}, runtime.settings)

    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        running(system, backend, front=front, opened=opened, workers=workers) as service,
    ):
        yield service


@pytest.fixture(scope="module")
def desk(browser: Browser) -> Iterator[Running]:
    with served() as service:
        yield service


class Sender:
    """A program that may only send articles."""

    def __init__(self, service: Running) -> None:
        made = service.runtime.auth.api_keys.create(ADMIN, name="wire", roles=["ingest"])
        self._key = service.do(made)[1]
        self._service = service

    def send(self, title: str) -> None:
        record = {
            "title": title,
            "text": "As told by those who were there.",
            "url": f"https://wire.example/{time.time_ns()}",
            "source": "Wire",
            "published_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        with self._service.client(headers={"X-API-Key": self._key}) as client:
            answer = client.post(f"{BASE}/api/v1/ingest", json={"records": [record]})
        assert answer.status_code == 207, answer.text
        assert answer.json()["results"][0]["result"] == "ingested", answer.text


@pytest.fixture(scope="module")
def sender(desk: Running) -> Sender:
    return Sender(desk)


def card(page: Page, title: str) -> Locator:
    return page.locator(".stat").filter(has_text=title).locator(".stat-value")


def number(page: Page, title: str) -> int:
    return int(card(page, title).inner_text().replace(",", ""))


# --- looking closer ------------------------------------------------------------------------------


def test_a_click_on_a_part_of_a_chart_filters_by_it(browser: Browser, desk: Running) -> None:
    with browsing(browser, desk.url, user=VIEWER) as page:
        page.goto(f"{BASE}/")
        settled(page)
        page.evaluate("window.stays = true")
        # A slice: the second half of the ring is negative.
        space = page.locator("#tones-chart")
        box = space.bounding_box()
        assert box is not None
        ring = min(box["width"], box["height"]) / 2 * 0.75
        space.click(position={"x": box["width"] / 2 - ring, "y": box["height"] / 2})
        expect(page).to_have_url(re.compile(r"\?sentiment=negative$"))
        expect(page.get_by_role("heading", name="Negative articles over time")).to_be_visible()
        expect(page.locator(".article", has_text="Climate talks go on")).to_have_count(0)
        # A bar: a topic. What is drawn anew meanwhile would swallow the click.
        settled(page)
        page.locator("#tag-energy").click()
        expect(page).to_have_url(re.compile(r"\?tag=Energy&sentiment=negative$"))
        expect(page.locator("#tag-energy")).to_have_attribute("aria-current", "true")
        # A publisher.
        settled(page)
        page.locator("#source-bbc-news").click()
        expect(page).to_have_url(re.compile("source=bbc-news"))
        # A bucket: the last one is this hour.
        settled(page)
        bars = page.locator("#volume-chart")
        x = bars.evaluate(LAST_BUCKET)
        bars.click(position={"x": x, "y": 120})
        expect(page).to_have_url(re.compile(r"from=[^&]+&to="))
        assert page.evaluate("window.stays"), "the page was loaded anew"
        # And back, one by one.
        for chip in ("Time", "Topic", "Publisher", "Tone"):
            page.get_by_role("link", name=re.compile(f"^{chip} .*take this filter away")).click()
            expect(page.locator(".chip", has_text=chip)).to_have_count(0)
        expect(page).to_have_url(re.compile(f"{BASE}/$"))
        page.go_back()
        expect(page.locator(".chip", has_text="Tone")).to_be_visible()
        settled(page)


def test_filters_by_keys_alone(browser: Browser, desk: Running) -> None:
    with browsing(browser, desk.url, user=VIEWER) as page:
        page.goto(f"{BASE}/")
        settled(page)
        page.locator("#tone-negative").focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("sentiment=negative"))
        # The place is kept, so that one goes on from there.
        expect(page.locator("#tone-negative")).to_be_focused()
        _first_time_by_keys(page)
        # The search is a key away.
        page.locator("#dashboard").focus()
        page.keyboard.press("/")
        page.keyboard.type("grid")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("q=grid"))
        page.get_by_role("link", name=re.compile("^Words grid")).focus()
        page.keyboard.press("Enter")
        expect(page).not_to_have_url(re.compile("q=grid"))
        expect(page.locator("#dashboard")).to_be_focused()


def _first_time_by_keys(page: Page) -> None:
    """Times of a chart are in the table below it. Figures that come in just then may take its place
    between two keys; one presses them again, as people do.
    """
    for last in (False, False, True):
        if not page.locator("#volume-chart-part-0").is_visible():
            page.locator("#volume-chart-figures > summary").press("Enter")
        page.locator("#volume-chart-part-0").press("Enter")
        try:
            page.wait_for_url(re.compile("from=.*to=.*sentiment=negative"), timeout=5_000)
        except TimeoutError:
            if last:
                raise
        else:
            return


def test_the_form_says_what_the_address_says(browser: Browser, desk: Running) -> None:
    with browsing(browser, desk.url, user=VIEWER, allowed=["422"]) as page:
        page.goto(f"{BASE}/?span=7d")
        page.get_by_label("Topic").select_option("AI")
        page.get_by_role("button", name="Show").click()
        expect(page).to_have_url(re.compile(r"\?span=7d&tag=AI$"))
        page.get_by_text("Other times").click()
        page.get_by_label("From (UTC)").fill("2030-01-01T00:00")
        page.get_by_role("button", name="Show").click()
        expect(page.get_by_label("From (UTC)")).to_have_attribute("aria-invalid", "true")
        expect(page.get_by_label("Topic")).to_have_value("AI")
        assert violations(page) == []


# --- what arrives --------------------------------------------------------------------------------


def test_what_comes_in_is_seen_without_a_reload(
    browser: Browser, desk: Running, sender: Sender
) -> None:
    with browsing(browser, desk.url, user=VIEWER) as page:
        page.goto(f"{BASE}/")
        state = page.locator("[data-live-state]")
        expect(state).to_have_text("Live")
        settled(page)
        page.evaluate("window.stays = true")
        before = number(page, "Judged")
        sender.send("AI triumphs with a wonderful success")
        first = page.locator(".articles > .article").first
        expect(first).to_contain_text("AI triumphs with a wonderful success", timeout=SOON)
        expect(first).to_contain_text("Positive")
        expect(first).to_contain_text("ago")
        expect(card(page, "Judged")).to_have_text(str(before + 1), timeout=SOON)
        assert page.evaluate("window.stays")
        expect(page.locator("#volume-chart svg")).to_be_visible()


def test_what_does_not_fit_stays_away(browser: Browser, desk: Running, sender: Sender) -> None:
    with browsing(browser, desk.url, user=VIEWER) as page:
        page.goto(f"{BASE}/?tag=Climate&sentiment=negative")
        expect(page.locator("[data-live-state]")).to_have_text("Live")
        # Nothing is there yet, and the list says so.
        expect(page.get_by_text("As soon as one comes that fits, it is here.")).to_be_visible()
        sender.send("AI is lovely")
        sender.send("Climate disaster kills terrible numbers")
        first = page.locator(".articles > .article").first
        expect(first).to_contain_text("Climate disaster", timeout=SOON)
        expect(page.locator(".article")).to_have_count(1)
        expect(page.get_by_text("As soon as one comes that fits, it is here.")).to_be_hidden()


@pytest.mark.slow
def test_who_pauses_sees_nothing_move_until_it_goes_on(
    browser: Browser, desk: Running, sender: Sender
) -> None:
    with browsing(browser, desk.url, user=VIEWER) as page:
        page.goto(f"{BASE}/")
        state = page.locator("[data-live-state]")
        expect(state).to_have_text("Live")
        page.get_by_role("button", name="Pause").click()
        expect(state).to_have_text("Paused")
        sender.send("Grid operator is proud and happy")
        arrived = page.locator(".article", has_text="Grid operator is proud and happy")
        page.wait_for_timeout(3000)
        expect(arrived).to_have_count(0)
        page.get_by_role("button", name="Resume").click()
        expect(state).to_have_text("Live")
        expect(arrived).to_have_count(1, timeout=SOON)
        expect(page.get_by_role("button", name="Pause")).to_be_visible()


@pytest.mark.slow
def test_who_looks_at_what_waits_sees_its_tone_come(browser: Browser) -> None:
    with served(workers=False) as service:
        newsroom = Newsroom(service.runtime)
        waiting = service.do(
            stored(newsroom, "grid-is-happy", ("Energy",), timestamp=newsroom.now())
        )
        with browsing(browser, service.url, user=VIEWER) as page:
            page.goto(item_path(waiting.source_id))
            expect(page.get_by_text("It has no tone yet.")).to_be_visible()
            judged = newsroom.analyst.analyse(waiting.source_id, waiting.timestamp)
            assert service.do(judged) == "analyzed"
            expect(page.locator("#terms mark").first).to_be_visible(timeout=SOON)
            expect(page.get_by_text("It has no tone yet.")).to_have_count(0)


# --- verdicts ------------------------------------------------------------------------------------


def test_a_verdict_changes_the_tone_and_the_totals(browser: Browser, desk: Running) -> None:
    with (
        browsing(browser, desk.url, user=ANALYST) as page,
        browsing(browser, desk.url, user=VIEWER) as other,
    ):
        other.goto(f"{BASE}/?sentiment=neutral")
        expect(other.locator("[data-live-state]")).to_have_text("Live")
        line = other.locator(".article", has_text="Climate talks go on")
        expect(line).to_be_visible()
        before = number(other, "Neutral articles")
        page.goto(f"{BASE}/")
        page.get_by_role("link", name="Climate talks go on").click()
        expect(page.locator("#terms")).to_contain_text("Climate talks go on")
        page.get_by_role("radio", name="Positive").check()
        page.get_by_label("Reason").fill("They go on, which is good.")
        page.get_by_role("button", name="Save the verdict").click()
        expect(page.get_by_text("The article is positive now")).to_be_visible()
        expect(page.get_by_text("Decided: positive instead of neutral")).to_be_visible()
        assert violations(page) == []
        # Who looks at neutral ones sees it go, and the figures follow.
        expect(line).to_have_count(0, timeout=SOON)
        expect(card(other, "Neutral articles")).to_have_text(str(before - 1), timeout=SOON)
        page.get_by_role("button", name="Take the verdict back").click()
        page.get_by_role("dialog").get_by_role("button", name="Take it back").click()
        expect(page.get_by_text("The model's own tone counts again: neutral.")).to_be_visible()
        expect(line).to_have_count(1, timeout=SOON)


@pytest.mark.slow
def test_two_who_decide_at_once_are_told(browser: Browser, desk: Running) -> None:
    with (
        browsing(browser, desk.url, user=ANALYST, allowed=["412"]) as first,
        browsing(browser, desk.url, user=ANALYST) as second,
    ):
        for page in (first, second):
            page.goto(f"{BASE}/?q=badly")
            page.get_by_role("link", name="Grid fails badly").click()
        second.get_by_role("radio", name="Neutral").check()
        second.get_by_role("button", name="Save the verdict").click()
        expect(second.get_by_text("The article is neutral now")).to_be_visible()
        first.get_by_role("radio", name="Positive").check()
        first.get_by_label("Reason").fill("Mine.")
        first.get_by_role("button", name="Save the verdict").click()
        expect(first.get_by_text("Somebody was quicker")).to_be_visible()
        expect(first.get_by_role("radio", name="Positive")).to_be_checked()
        expect(first.get_by_label("Reason")).to_have_value("Mine.")
        assert violations(first) == []
        first.get_by_role("button", name="Save the verdict").click()
        expect(first.get_by_text("The article is positive now")).to_be_visible()


# --- for everybody -------------------------------------------------------------------------------

VIEWS = ("/", "/?span=7d&tag=AI&sentiment=negative", "/?q=unicorn", "/?q=grid&source=bbc-news")


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [1280, PHONE])
def test_pages_can_be_read_by_everybody(
    browser: Browser, desk: Running, theme: str, width: int
) -> None:
    assert theme in THEMES
    with browsing(browser, desk.url, user=ANALYST, theme=theme, width=width) as page:
        for view in VIEWS:
            page.goto(f"{BASE}{view}")
            settled(page)
            assert violations(page) == []
            assert not too_wide(page), view
        page.goto(f"{BASE}/")
        page.get_by_role("link", name="Ai wins a prize").click()
        expect(page.locator("#terms mark").first).to_be_visible()
        assert violations(page) == []
        assert not too_wide(page)
