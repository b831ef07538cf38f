"""The console's frame in a real browser: looks, keys, dialogs, live parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.console.gallery import WALL, Painting, hang
from tests.console.support import gallery
from tests.e2e.support import LOOKS, PHONE, browsing, settled, too_wide, violations
from tests.service.support import Running

from tablewright.engine import Engine
from tablewright.testing.backends import in_process

pytestmark = pytest.mark.e2e

PAGES = [
    "/",
    "/gallery/",
    "/gallery/paintings",
    "/gallery/paintings/new",
    "/console/gallery/model",
    "/console/gallery/model/entities/Painting",
    "/console/gallery/model/patterns",
    "/console/gallery/model/patterns/hang",
    "/console/gallery/capacity",
    "/console/gallery/api",
    "/gallery/nowhere",
]
KEEPER = "Demo keeper"


@pytest.fixture(scope="module")
def service(browser: Browser) -> Iterator[Running]:
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        gallery(backend, paintings=7) as running,
    ):
        yield running


@pytest.fixture
def page(browser: Browser, service: Running) -> Iterator[Page]:
    with browsing(browser, service.url, user=KEEPER) as page:
        yield page


# --- looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_every_page_can_be_used_by_everybody(
    browser: Browser, service: Running, theme: str, width: int
) -> None:
    found: list[str] = []
    wide: list[str] = []
    look = {"theme": theme, "width": width}
    with browsing(browser, service.url, **look) as page:
        for path in ("/", "/sign-in"):
            page.goto(path)
            found += violations(page)
            wide += [path] if too_wide(page) else []
    with browsing(browser, service.url, user=KEEPER, allowed=["404"], **look) as page:
        for path in PAGES:
            page.goto(path)
            settled(page)
            found += violations(page)
            wide += [path] if too_wide(page) else []
    assert found == []
    assert wide == []


@pytest.mark.slow
def test_what_opens_can_be_used_by_everybody(browser: Browser, service: Running) -> None:
    with browsing(browser, service.url, user=KEEPER, allowed=["422"]) as page:
        assert list(_opened(page)) == []


def _opened(page: Page) -> Iterator[str]:
    """What is wrong with menus, dialogs, folds and refused forms."""
    page.goto("/gallery/")
    for name in ("System: Gallery", "Theme", "Account"):
        page.locator("summary", has_text=name).click()
        yield from violations(page)
        page.keyboard.press("Escape")
    page.keyboard.press("?")
    yield from violations(page)
    page.goto("/console/gallery/api")
    for fold in page.locator("details.fold > summary").all():
        fold.click()
    yield from violations(page)
    page.goto("/gallery/paintings/new")
    page.get_by_role("button", name="Hang it").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield from violations(page)


def test_on_a_phone_the_navigation_opens(browser: Browser, service: Running) -> None:
    with browsing(browser, service.url, user=KEEPER, width=PHONE) as page:
        page.goto("/gallery/")
        link = page.get_by_role("link", name="Paintings")
        expect(link).to_be_hidden()
        button = page.get_by_role("button", name="Navigation")
        expect(button).to_have_attribute("aria-expanded", "false")
        button.click()
        expect(button).to_have_attribute("aria-expanded", "true")
        link.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Paintings")


def test_the_theme_is_kept_and_charts_follow_it(page: Page) -> None:
    def looks() -> tuple[str, str]:
        body = page.evaluate("getComputedStyle(document.body).backgroundColor")
        bar = page.locator(".chart-space path[fill^='rgb']").first.get_attribute("fill")
        return body, str(bar)

    page.goto("/gallery/")
    settled(page)
    light = looks()
    page.locator("summary", has_text="Theme").click()
    page.get_by_role("button", name="Dark").click()
    dark = looks()
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    page.reload()
    settled(page)
    assert looks() == dark


# --- keys ----------------------------------------------------------------------------------


def test_the_first_key_leads_past_the_frame(page: Page) -> None:
    page.goto("/gallery/paintings")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_everything_can_be_reached_by_keys(page: Page) -> None:
    page.goto("/gallery/paintings")
    wanted = page.locator("a:visible, button:visible, summary:visible").count()
    reached = set()
    for _ in range(wanted + 20):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(_PLACE))
    assert len(reached - {""}) >= wanted


_PLACE = """() => {
  const all = [...document.querySelectorAll('a, button, summary, input, [tabindex]')];
  const found = all.indexOf(document.activeElement);
  return found < 0 ? '' : String(found);
}"""


def test_slash_searches_and_question_mark_shows_the_keys(page: Page) -> None:
    page.goto("/console/gallery/model/patterns")
    page.keyboard.press("/")
    search = page.get_by_role("searchbox")
    expect(search).to_be_focused()
    page.keyboard.type("wall without")
    expect(page.get_by_role("status").filter(has_text="found")).to_have_text("1 found")
    expect(page.get_by_role("link", name="take_down")).to_be_visible()
    expect(page.get_by_role("link", name="hang", exact=True)).to_be_hidden()
    page.keyboard.type("?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.locator("h1").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_single_keys_can_be_switched_off(page: Page) -> None:
    page.goto("/gallery/")
    page.keyboard.press("?")
    page.get_by_label("Use single-key shortcuts").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.reload()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_escape_closes_a_menu_and_goes_back_to_its_button(page: Page) -> None:
    page.goto("/gallery/")
    button = page.locator("summary", has_text="Account")
    button.click()
    out = page.get_by_role("button", name="Sign out")
    expect(out).to_be_visible()
    page.keyboard.press("Tab")
    expect(out).to_be_focused()
    page.keyboard.press("Escape")
    expect(out).to_be_hidden()
    expect(button).to_be_focused()


# --- tables, forms, dialogs ----------------------------------------------------------------


def names(page: Page) -> list[str]:
    return page.locator("table tbody th").all_inner_texts()


def test_more_rows_are_fetched_and_sorted_with_the_rest(page: Page) -> None:
    page.goto("/gallery/paintings")
    assert len(names(page)) == 3
    page.get_by_role("link", name="Show more").click()
    expect(page.locator("tbody th")).to_have_count(6)
    page.get_by_role("link", name="Show more").click()
    expect(page.locator("tbody th")).to_have_count(7)
    expect(page.get_by_role("link", name="Show more")).to_have_count(0)
    price = page.get_by_role("columnheader", name="Price")
    page.get_by_role("button", name="Price").click()
    expect(price).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("button", name="Price").click()
    expect(price).to_have_attribute("aria-sort", "descending")
    assert names(page) == [f"number{number:02}" for number in reversed(range(7))]


def test_what_cannot_be_undone_is_asked_first(page: Page, service: Running) -> None:
    extra = Painting(wall=WALL, name="aaa")
    service.do(service.runtime.db.run(hang(extra)))
    page.goto("/gallery/paintings")
    take_down = page.get_by_role("row", name="aaa").get_by_role("button")
    take_down.click()
    dialog = page.get_by_role("dialog", name="Are you sure?")
    expect(dialog).to_contain_text("Take aaa down?")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(take_down).to_be_focused()
    take_down.click()
    dialog.get_by_role("button", name="Take it down").click()
    expect(page.get_by_text("aaa is taken down.")).to_be_visible()
    assert "aaa" not in names(page)


def test_a_form_keeps_what_was_typed_and_shows_what_is_wrong(
    browser: Browser, service: Running
) -> None:
    with browsing(browser, service.url, user=KEEPER, allowed=["422"]) as page:
        page.goto("/gallery/paintings/new")
        page.get_by_label("Name").fill("two words")
        page.get_by_label("Price in dollars").fill("12")
        page.get_by_label("It has a frame").uncheck()
        page.get_by_role("button", name="Hang it").click()
        name = page.get_by_label("Name")
        expect(name).to_have_value("two words")
        expect(name).to_be_focused()
        expect(name).to_have_accessible_description(
            re.compile("Letters and digits only.*Letters and digits", re.DOTALL)
        )
        expect(page.get_by_label("It has a frame")).not_to_be_checked()


# --- live ----------------------------------------------------------------------------------


def test_a_change_elsewhere_is_seen_here(page: Page, service: Running) -> None:
    page.goto("/gallery/")
    expect(page.locator("[data-live-state]")).to_have_text("Live")
    expect(page.locator("#count")).to_have_text("Nothing counted yet.")

    async def tell() -> None:
        service.runtime.events.publish("gallery", "painting", {})

    service.do(tell())
    expect(page.locator("#count")).to_have_text("7 paintings on the wall.")


def test_a_lost_connection_is_told_and_what_was_missed_is_fetched(
    browser: Browser, service: Running
) -> None:
    with browsing(browser, service.url, user=KEEPER, allowed=["ERR_", "503"]) as page:
        page.route("**/gallery/live", lambda route: route.abort())
        page.goto("/gallery/")
        state = page.locator("[data-live-state]")
        expect(state).to_have_text("Reconnecting…")
        page.unroute("**/gallery/live")
        expect(state).to_have_text("Live")
        expect(page.locator("[sse-connect]")).to_have_attribute("data-live", "on")


def test_capacity_moves_and_keeps_what_somebody_opened(page: Page) -> None:
    page.goto("/console/gallery/capacity")
    settled(page)
    page.get_by_text("Show the figures").click()
    page.get_by_role("button", name="Requests").click()
    before = page.locator(".stat-value").first.inner_text()
    page.evaluate("fetch('/gallery/api/v1/paintings/number00')")
    expect(page.locator(".stat-value").first).not_to_have_text(before)
    expect(page.locator("#capacity-chart-figures")).to_have_attribute("open", "")
    header = page.get_by_role("columnheader", name="Requests")
    expect(header).to_have_attribute("aria-sort", "ascending")
    expect(page.locator("#capacity-chart svg")).to_be_visible()


# --- times -----------------------------------------------------------------------------------


def test_times_are_shown_in_the_zone_of_the_browser_with_its_name(
    browser: Browser, service: Running
) -> None:
    with browsing(browser, service.url, user=KEEPER, timezone_id="Asia/Kolkata") as page:
        page.goto("/gallery/")
        shown = page.evaluate(
            """() => {
                const time = document.createElement("time");
                time.dateTime = "2026-11-15T18:45:00Z";
                time.dataset.local = "";
                time.textContent = "15 Nov 2026, 18:45 UTC";
                const day = document.createElement("time");
                day.dateTime = "2026-11-15";
                day.dataset.local = "";
                day.textContent = "15 Nov 2026";
                document.getElementById("content").append(time, day);
                const detail = { elt: document.getElementById("content") };
                document.dispatchEvent(new CustomEvent("htmx:load", { detail }));
                return new Promise((done) => setTimeout(() =>
                    done([time.textContent, time.title, day.textContent]), 500));
            }"""
        )
    assert shown == ["16 Nov 2026, 00:15 GMT+5:30", "15 Nov 2026, 18:45 UTC", "15 Nov 2026"]
