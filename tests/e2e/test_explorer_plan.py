"""The plan's sliders and the heat of partitions in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.console import gallery
from tests.console.explorer.workbench import MODEL, workbench
from tests.e2e.support import LOOKS, browsing, too_wide, violations
from tests.service.support import Running

pytestmark = pytest.mark.e2e

ADMIN = "Demo admin"


@pytest.fixture(scope="module")
def service(browser: Browser) -> Iterator[Running]:
    with workbench(None, practice=False) as running:
        yield running


@pytest.mark.parametrize(("theme", "width"), LOOKS)
@pytest.mark.slow
def test_a_slider_is_moved_with_keys_and_the_address_follows(
    browser: Browser, service: Running, theme: str, width: int
) -> None:
    with browsing(browser, service.url, user=ADMIN, theme=theme, width=width) as page:
        page.goto(f"{MODEL}/plan")
        expect(page.get_by_text("Nothing is called")).to_be_visible()
        slider = page.get_by_role("slider", name="hang")
        slider.focus()
        slider.press("End")
        expect(page.get_by_label("hang").first).to_have_value("10000")
        # Ten thousand units a second, for 730 hours.
        expect(page.locator("#plan-sum")).to_contain_text("$16,425.00")
        expect(slider).to_be_focused()
        expect(slider).to_have_attribute("aria-valuetext", "10000 a second")
        page.wait_for_url("**/plan?rate.hang=10000")
        expect(page.get_by_text("Partitions of Gallery")).to_be_visible()
        found = _wrong(page)
        page.reload()
        expect(page.get_by_label("hang").first).to_have_value("10000")
        page.get_by_role("link", name="Reset").click()
        expect(page.get_by_text("Nothing is called")).to_be_visible()
    assert found == []


@pytest.mark.slow
def test_a_figure_that_makes_no_sense_is_told(browser: Browser, service: Running) -> None:
    with browsing(browser, service.url, user=ADMIN) as page:
        page.goto(f"{MODEL}/plan")
        figure = page.get_by_label("hang").first
        figure.fill("-5")
        expect(page.get_by_role("alert")).to_contain_text("A number from 0")
        expect(figure).to_have_attribute("aria-invalid", "true")
        found = _wrong(page)
        figure.fill("240")
        expect(page.locator("#plan-sum")).to_contain_text("$394.20")
        expect(page.get_by_role("alert")).to_have_count(0)
    assert found == []


@pytest.mark.slow
def test_hot_partitions_appear_while_one_looks(browser: Browser, service: Running) -> None:
    with browsing(browser, service.url, user=ADMIN) as page:
        page.goto("/console/gallery/capacity")
        expect(page.get_by_text("Nothing is measured yet")).to_be_visible()
        expect(page.locator("[data-live=on]")).to_be_attached()
        service.do(service.runtime.db.run(gallery.painting("north", "number01")))
        hot = page.get_by_role("row", name="WALL#north")
        expect(hot).to_be_visible(timeout=10_000)
        found = _wrong(page)
    assert found == []


def _wrong(page: Page) -> list[str]:
    return [*violations(page), *([f"{page.url} is too wide"] if too_wide(page) else [])]
