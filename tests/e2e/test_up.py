"""Everything as `make run` starts it, in a real browser: every page of the console there is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.cli.up_support import Up
from tests.e2e.support import LOOKS, browsing, settled, too_wide, violations

from tablewright.systems import available, load

# Slow, all of it: tests/cli/test_up.py starts the same, and other tests here open such pages.
pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ADMIN = "Demo admin"


def tool_pages(name: str) -> list[str]:
    """The console's pages about a system; of entities and patterns, one each is enough."""
    model = load(name).model
    base = f"/console/{name}"
    return [
        f"{base}/model",
        f"{base}/model/entities/{next(iter(model.entities))}",
        f"{base}/model/patterns",
        f"{base}/model/patterns/{next(iter(model.patterns))}",
        f"{base}/capacity",
        f"{base}/api",
    ]


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_every_page_of_the_console_can_be_used_by_everybody(
    browser: Browser, up: Up, theme: str, width: int
) -> None:
    found: list[str] = []
    with browsing(browser, up.url, user=ADMIN, theme=theme, width=width) as page:
        for path in ["/", *(each for name in available() for each in tool_pages(name))]:
            page.goto(path)
            settled(page)
            found += violations(page)
            found += [f"{path}: too wide"] if too_wide(page) else []
    assert found == []


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_the_first_page_is_for_who_has_not_signed_in(
    browser: Browser, up: Up, theme: str, width: int
) -> None:
    with browsing(browser, up.url, theme=theme, width=width) as page:
        page.goto("/")
        settled(page)
        assert violations(page) == []
        assert not too_wide(page)
        page.get_by_role("link", name=re.compile("Ladders ?, Items")).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
        page.get_by_role("button", name=ADMIN).click()
        expect(page).to_have_url(f"{up.url}/console/ladders/model/items")


def test_looking_around_takes_one_press(browser: Browser, up: Up) -> None:
    with browsing(browser, up.url) as page:
        page.goto("/")
        page.get_by_role("button", name="Look around as").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your systems")


def test_signing_in_and_out(browser: Browser, up: Up) -> None:
    with browsing(browser, up.url) as page:
        page.goto("/console/pricekeeper/capacity")
        expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
        page.get_by_role("button", name=ADMIN).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Capacity")
        expect(page.locator("[data-live-state]")).to_have_text("Live")
        page.locator("summary", has_text="Account").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page).to_have_url(f"{up.url}/")
        page.goto("/console/pricekeeper/capacity")
        expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_the_reference_shows_the_whole_api(browser: Browser, up: Up) -> None:
    with browsing(browser, up.url, user=ADMIN) as page:
        page.goto("/console/pricekeeper/api")
        document = page.request.get("/pricekeeper/openapi.json").json()
        operations = sum(len(each) for each in document["paths"].values())
        expect(page.locator("details.fold")).to_have_count(operations)
        page.keyboard.press("/")
        page.keyboard.type("model-selection")
        fold = _only_fold(page)
        fold.locator("summary").first.click()
        expect(fold).to_contain_text("force_check")
        expect(fold).to_contain_text(f"{up.url}/pricekeeper/api/v1/orgs/")


def _only_fold(page: Page) -> Locator:
    shown = page.locator("details.fold:visible")
    expect(shown).to_have_count(1)
    return shown
