"""Running patterns, browsing tables and PartiQL in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.console.explorer.workbench import MODEL, workbench
from tests.e2e.support import LOOKS, browsing, too_wide, violations
from tests.service.support import Running

pytestmark = pytest.mark.e2e

ADMIN = "Demo admin"


@pytest.fixture(scope="module")
def service(browser: Browser) -> Iterator[Running]:
    with workbench(None) as running:
        yield running


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_a_pattern_is_run_a_table_browsed_and_a_statement_sent(
    browser: Browser, service: Running, theme: str, width: int
) -> None:
    with browsing(browser, service.url, user=ADMIN, theme=theme, width=width) as page:
        found = [*_running(page), *_browsing(page), *_stating(page)]
    assert found == []


def _running(page: Page) -> Iterator[str]:
    """What was wrong is focused; then it works, and the outcome is."""
    page.goto(f"{MODEL}/patterns/hang")
    painting = page.get_by_label("painting")
    painting.fill('{"wall": "south"}')
    page.get_by_role("button", name="Run").click()
    expect(painting).to_have_attribute("aria-invalid", "true")
    expect(painting).to_be_focused()
    yield from _wrong(page)
    painting.fill('{"wall": "south", "name": "one", "price": 5}')
    page.get_by_role("button", name="Run").click()
    outcome = page.locator("#outcome")
    expect(outcome).to_be_focused()
    expect(outcome).to_contain_text("On the practice tables")
    expect(page.get_by_label("Request 1")).to_contain_text('"S": "WALL#south"')
    yield from _wrong(page)


def _browsing(page: Page) -> Iterator[str]:
    page.goto(f"{MODEL}/browse")
    expect(page.locator("summary", has_text="PAINTING#one")).to_contain_text("Painting")
    page.get_by_label("Where").select_option("live")
    place = page.get_by_label("Table or index")
    expect(place.get_by_role("option", name="kit")).to_be_attached()
    place.select_option("Gallery")
    page.get_by_label("Partition key PK").fill("WALL#north")
    page.get_by_label("Partition key PK").press("Control+Enter")
    expect(page.get_by_text("A query of Gallery on the live tables")).to_be_visible()
    page.locator("details.fold > summary").first.click()
    expect(page.get_by_label("Item 1 as stored")).to_contain_text("number00")
    yield from _wrong(page)
    page.get_by_role("link", name="Next page").click()
    expect(page.locator("summary", has_text="number29")).to_be_visible()


def _stating(page: Page) -> Iterator[str]:
    """Who types goes on typing, and is told what came of it."""
    page.goto(f"{MODEL}/partiql")
    statement = page.get_by_label("PartiQL")
    statement.fill('SELECT * FROM "Gallery"')
    statement.press("Control+Enter")
    expect(page.locator("#run-said")).to_have_text("1 row.")
    expect(statement).to_be_focused()
    yield from _wrong(page)
    page.get_by_role("button", name="Fill anew").click()
    expect(page.get_by_text("hold the demo items again")).to_be_visible()


def _wrong(page: Page) -> list[str]:
    return [*violations(page), *([f"{page.url} is too wide"] if too_wide(page) else [])]
