"""Sentiment's topics, alerts, operations and models in a real browser: used, and by everybody."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.e2e.support import PHONE, THEMES, browsing, settled, too_wide, violations
from tests.service.support import Running, running
from tests.systems.sentiment.pages.support import fill as fill_some
from tests.systems.sentiment.support import TOPICS, watch

from tablewright.console.front import Console
from tablewright.engine import Engine
from tablewright.service.kit import kit_model
from tablewright.service.process import runtime_of
from tablewright.service.runtime import Runtime
from tablewright.service.settings import Settings
from tablewright.systems.sentiment.live_demo import fill
from tablewright.systems.sentiment.live_demo.cast import POISON
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.system import system
from tablewright.testing.backends import Backend, in_process

pytestmark = pytest.mark.e2e

ADMIN, OPERATOR, ANALYST, VIEWER = (
    f"Demo {role}" for role in ("admin", "operator", "analyst", "viewer")
)
BASE = "/sentiment"
VADER, LINEAR = "v3.3.2+vader", "v1.0.0+linear"
#: Workers look every few seconds.
SOON = 60_000


@contextmanager
def served(filled: Callable[[Newsroom], Awaitable[object]]) -> Iterator[Running]:
    """With everybody at work. It is filled before anybody is, so that it may take its time."""

    def front(runtime: Runtime) -> Console:
        return Console({system: (runtime, system.build(runtime))}, runtime.settings)

    environ = {"TABLEWRIGHT_SENTIMENT_PROMOTE_SLACK_SECS": "0"}
    with Engine.memory() as engine, in_process(engine) as backend:
        # The browser's own loop runs in this thread.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _filled(backend, filled)).result(180)
        with running(system, backend, front=front, environ=environ) as service:
            yield service


async def _filled(backend: Backend, filled: Callable[[Newsroom], Awaitable[object]]) -> None:
    transport = backend.async_transport()
    try:
        runtime = runtime_of(system, transport, Settings())
        await runtime.db.create_tables(system.model, kit_model)
        newsroom = Newsroom(runtime)
        async with newsroom.lifespan():
            await filled(newsroom)
    finally:
        await transport.close()


@pytest.fixture(scope="module")
def demo(browser: Browser) -> Iterator[Running]:
    """A month of news, and two articles that have failed."""
    with served(fill) as service:
        yield service


async def _few(newsroom: Newsroom) -> None:
    """A handful of articles: all of them are gone through in no time."""
    await watch(newsroom, *TOPICS)
    await fill_some(newsroom)


# --- for everybody -------------------------------------------------------------------------------


def paths_of(service: Running) -> list[str]:
    """Every page of these, as an administrator sees it."""

    async def ids() -> tuple[str, str]:
        newsroom = Newsroom(service.runtime)
        rules = [each for each in await newsroom.alerts.rules() if each.name == "Much about Space"]
        return rules[0].rule_id, list(await newsroom.jobs.list())[-1].job_id

    rule, job = service.do(ids())
    return [
        "/watch",
        "/watch/new",
        "/watch/climate/edit",
        "/alerts",
        f"/alerts/rules/{rule}",
        f"/alerts/rules/{rule}/edit",
        "/alerts/rules/ops-stuck",
        "/alerts/rules/new",
        "/ops",
        "/ops/failed",
        "/ops/new-source",
        "/ops/sources/saltmarsh-gazette",
        "/ops/sources/newsapi/edit",
        "/models",
        "/models/register",
        "/access",
        "/access/new",
        f"/models/jobs/{job}",
    ]


#: Colours that are on their way from one theme to the other have no contrast to speak of.
_THEME = """async (theme) => {
  document.documentElement.dataset.bsTheme = theme;
  document.dispatchEvent(new CustomEvent("tw:theme"));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => null)));
}"""


@pytest.mark.slow
def test_every_page_can_be_used_by_everybody(browser: Browser, demo: Running) -> None:
    """Light and dark in turn; both of each take long."""
    shown = [(path, THEMES[number % 2]) for number, path in enumerate(paths_of(demo))]
    assert _wrong(browser, demo, shown) == []


@pytest.mark.slow
def test_every_page_is_good_in_both_themes(browser: Browser, demo: Running) -> None:
    shown = [(path, theme) for path in paths_of(demo) for theme in THEMES]
    assert _wrong(browser, demo, shown) == []


def _wrong(browser: Browser, demo: Running, shown: list[tuple[str, str]]) -> list[str]:
    found: list[str] = []
    with browsing(browser, demo.url, user=ADMIN, reduced_motion="reduce") as page:
        for path, theme in shown:
            answer = page.goto(BASE + path)
            assert answer is not None
            assert answer.status == 200, path
            page.evaluate(_THEME, theme)
            settled(page)
            found += [f"{theme}: {each}" for each in violations(page)]
    return found


@pytest.mark.slow
def test_on_a_phone_nothing_is_too_wide(browser: Browser, demo: Running) -> None:
    wide: list[str] = []
    with browsing(browser, demo.url, user=ADMIN, width=PHONE) as page:
        for path in paths_of(demo):
            page.goto(BASE + path)
            settled(page)
            wide += [path] if too_wide(page) else []
    assert wide == []


@pytest.mark.parametrize(
    "user",
    [
        VIEWER,
        pytest.param(ANALYST, marks=pytest.mark.slow),
        pytest.param(OPERATOR, marks=pytest.mark.slow),
    ],
)
def test_nobody_sees_what_would_be_refused(browser: Browser, demo: Running, user: str) -> None:
    with browsing(browser, demo.url, user=user) as page:
        for path in ("/watch", "/alerts", "/alerts/rules/ops-stuck"):
            page.goto(BASE + path)
            changes = page.locator(
                "main form[method=post], main a[href*='/edit'], main a[href*='/new']"
            )
            assert (changes.count() > 0) == (user == ANALYST), path
        navigation = page.get_by_role("navigation", name="Sentiment")
        expect(navigation.get_by_role("link", name="Operations")).to_have_count(
            1 if user == OPERATOR else 0
        )
        expect(navigation.get_by_role("link", name="Models")).to_have_count(0)
        if user == OPERATOR:
            page.goto(f"{BASE}/ops")
            expect(page.get_by_role("button", name="Run now").first).to_be_visible()
            expect(page.locator("main a[href$='/edit'], main a[href*='/new-']")).to_have_count(0)


# --- topics --------------------------------------------------------------------------------------


def test_a_topic_is_tried_and_followed(browser: Browser, demo: Running) -> None:
    with browsing(browser, demo.url, user=ANALYST, allowed=["409"]) as page:
        page.goto(f"{BASE}/watch")
        page.get_by_role("link", name="New topic").click()
        page.get_by_label("Name").fill("Oceans")
        page.get_by_label("One of these is enough").fill("reef\nocean\nsea level")
        page.evaluate("window.stayed = true")
        page.get_by_role("button", name="Try it").click()
        trial = page.locator("#trial")
        expect(trial).to_contain_text("of the latest 500 articles")
        assert {each.lower() for each in trial.locator("mark").all_inner_texts()} <= {
            "reef",
            "ocean",
            "sea level",
        }
        assert trial.locator("li").count() == trial.locator("li:has(mark)").count() > 0
        assert violations(page) == []
        # Fewer are left with another rule, and what was typed stays.
        before = _found(page)
        page.get_by_label("None of these may be there").fill("reef")
        page.get_by_role("button", name="Try it").click()
        expect(trial).not_to_contain_text(f"{before} of the latest")
        assert _found(page) < before
        assert page.evaluate("window.stayed") is True
        page.get_by_role("button", name="Follow it").click()
        expect(page.get_by_text("Oceans is followed from now on.")).to_be_visible()
        row = page.get_by_role("row", name=re.compile("^Oceans"))
        expect(row).to_contain_text("with none of reef")
        row.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("row", name=re.compile("^Oceans"))).to_contain_text("paused")
        page.goto(f"{BASE}/watch/oceans/edit")
        page.get_by_role("button", name="Delete Oceans").click()
        page.get_by_role("button", name="Delete it").click()
        expect(page.get_by_text("Oceans is followed no more.")).to_be_visible()


def _found(page: Page) -> int:
    return int(page.locator("#trial strong").first.inner_text())


@pytest.mark.slow
def test_two_who_edit_a_topic_are_told(browser: Browser, demo: Running) -> None:
    path = f"{BASE}/watch/markets/edit"
    with (
        browsing(browser, demo.url, user=ANALYST, allowed=["412"]) as first,
        browsing(browser, demo.url, user=ADMIN) as second,
    ):
        first.goto(path)
        second.goto(path)
        second.get_by_label("Priority").fill("55")
        second.get_by_role("button", name="Save").click()
        expect(second.get_by_text("Markets is saved.")).to_be_visible()
        first.get_by_label("None of these may be there").fill("flea market")
        first.get_by_role("button", name="Save").click()
        expect(first.get_by_text("Somebody changed it while you were editing.")).to_be_visible()
        expect(first.get_by_label("Priority")).to_have_value("55")
        expect(first.get_by_label("None of these may be there")).to_have_value("flea market")
        assert violations(first) == []
        first.get_by_role("button", name="Save").click()
        expect(first.get_by_text("Markets is saved.")).to_be_visible()


# --- alerts --------------------------------------------------------------------------------------


def test_an_alert_is_acknowledged(browser: Browser, demo: Running) -> None:
    with browsing(browser, demo.url, user=ANALYST) as page:
        page.goto(f"{BASE}/alerts")
        log = page.get_by_role("region", name="Log").first
        row = log.get_by_role("row").filter(has=page.get_by_role("button", name="Acknowledge"))
        left = row.count()
        assert left
        # Which rule has fired depends on the time of day.
        rule = row.first.get_by_role("link").first.inner_text()
        row.first.get_by_role("button", name="Acknowledge").click()
        expect(page.get_by_text(f"You have seen: {rule}.")).to_be_visible()
        expect(row).to_have_count(left - 1)
        expect(log.get_by_text("demo-analyst").first).to_be_visible()
        page.get_by_role("link", name="Much about Space").last.click()
        settled(page)
        drawing = page.locator(".chart-space").first
        expect(drawing.get_by_text("fires at 3", exact=True)).to_be_visible()
        expect(drawing.get_by_text("calm within 1.5", exact=True)).to_be_visible()
        page.get_by_text("Show the figures").first.click()
        assert page.locator(".chart").first.locator("tbody tr").count() == 48


# --- operations ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_failed_article_is_queued_again_and_leaves(browser: Browser, demo: Running) -> None:
    """Somebody else looks on: figures follow, and nothing that they have begun is taken away."""
    turbine, comet = (each.title for each in POISON)
    with (
        browsing(browser, demo.url, user=OPERATOR) as page,
        browsing(browser, demo.url, user=ADMIN) as other,
    ):
        other.goto(f"{BASE}/ops")
        figures = other.locator("#ops-figures")
        expect(figures).to_contain_text("no model could judge them")
        before = _failed(other)
        other.get_by_label(f"Choose {comet}").check()
        pause = other.get_by_role("button", name="Pause saltmarsh-gazette")
        pause.focus()
        other.evaluate("document.querySelector('#ops-sources > *').dataset.old = 'yes'")
        page.goto(f"{BASE}/ops")
        page.get_by_label(f"Choose {turbine}").check()
        page.get_by_role("button", name="Requeue selected").click()
        expect(page.get_by_text("One article is queued again.")).to_be_visible()
        expect(page.get_by_role("link", name=turbine)).to_have_count(0)
        expect(page.get_by_role("link", name=comet)).to_be_visible()
        # Ten seconds later, at most, the other page has come after.
        expect(other.locator("#ops-sources > [data-old]")).to_have_count(0, timeout=20_000)
        assert _failed(other) == before - 1
        expect(pause).to_be_focused()
        expect(other.get_by_label(f"Choose {comet}")).to_be_checked()
        # Somebody analyses: it is judged now.
        page.goto(f"{BASE}/?q=turbine+hall")
        expect(page.get_by_role("link", name=turbine).first).to_be_visible(timeout=SOON)


def _failed(page: Page) -> int:
    return int(
        page.locator("#ops-figures .stat", has_text="Failed").locator(".stat-value").inner_text()
    )


def test_a_source_is_read_and_a_file_is_taken(browser: Browser, demo: Running) -> None:
    with browsing(browser, demo.url, user=OPERATOR) as page:
        page.goto(f"{BASE}/ops")
        page.get_by_role("button", name="Run now saltmarsh-gazette").click()
        expect(page.get_by_text("saltmarsh-gazette is being read")).to_be_visible()
        page.goto(f"{BASE}/ops/sources/saltmarsh-gazette")
        expect(page.get_by_role("row").nth(1)).to_contain_text(re.compile("ok|running"))
        page.goto(f"{BASE}/ops")
        lines = (
            '{"title": "AI takes a file", "url": "https://news.example/file", "source": "Wire"}\n'
            "this is no record\n"
        )
        page.get_by_label("File").set_input_files(
            {"name": "two.jsonl", "mimeType": "application/jsonl", "buffer": lines.encode()}
        )
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Uploaded")
        expect(page.locator(".stat", has_text="New")).to_contain_text("1")
        expect(page.get_by_role("region", name="Bad lines").first).to_contain_text("2")
        assert violations(page) == []


# --- models --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_model_is_compared_promoted_and_rolled_back(browser: Browser) -> None:
    with served(_few) as service, browsing(browser, service.url, user=ADMIN) as page:
        page.goto(f"{BASE}/models")
        page.get_by_label("Model", exact=True).select_option(LINEAR)
        page.get_by_role("button", name="Compare").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"{LINEAR} instead of {VADER}")
        # The page follows the job by itself, up to the report.
        promote = page.get_by_role("button", name="Promote")
        expect(promote).to_be_visible(timeout=SOON)
        cells = page.locator(".matrix tbody td:not(:last-child)")
        assert cells.count() == 9
        numbers = [int(each.split()[0].replace(",", "")) for each in cells.all_inner_texts()]
        agreed = sum(numbers[::4]) / sum(numbers)
        stat = page.locator(".stat", has=page.get_by_text("Agreement", exact=True))
        shown = stat.locator(".stat-value").inner_text()
        assert float(shown.split()[0]) == pytest.approx(100 * agreed, abs=0.06)
        link = page.get_by_role("region", name="Changed articles").first.get_by_role("link").first
        assert re.search(
            r"/sentiment/items/newsapi:[0-9a-f]{16}$", link.get_attribute("href") or ""
        )
        _confirmed(page, "Promote", "Promote it")
        expect(page.get_by_text(f"{LINEAR} is the model in use from now on")).to_be_visible()
        expect(page.get_by_text("promoted", exact=True)).to_be_visible(timeout=SOON)
        _in_use(page, LINEAR)
        page.go_back()
        _confirmed(page, "Roll back", "Roll back")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"{VADER} instead of {LINEAR}")
        expect(page.get_by_text("promoted", exact=True)).to_be_visible(timeout=SOON)
        _in_use(page, VADER)


def _confirmed(page: Page, button: str, answer: str) -> None:
    page.get_by_role("main").get_by_role("button", name=button).click()
    dialog = page.get_by_role("dialog", name="Are you sure?")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name=answer).click()


def _in_use(page: Page, version: str) -> None:
    page.goto(f"{BASE}/models")
    row = page.get_by_role("region", name="Versions").first.get_by_role("row", name=version)
    expect(row).to_contain_text("in use")
