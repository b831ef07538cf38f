"""The explorer of a model of one's own, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.cli.own_shop import DEMO, write_shop
from tests.cli.test_explore import exploring
from tests.e2e.support import LOOKS, browsing, settled, too_wide, violations

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

MODEL = "/console/my-shop/model"
PAGES = ("", "/items", "/patterns", "/patterns/add", "/review", "/plan", "/browse", "/partiql")


@pytest.fixture(scope="module")
def link(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("explore")
    with exploring(write_shop(folder, "ownshop", demo=DEMO), cwd=folder) as (facts, _):
        yield str(facts["link"])


def url_of(link: str) -> str:
    return link.partition("/enter")[0]


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_every_page_can_be_used_by_everybody(
    browser: Browser, link: str, theme: str, width: int
) -> None:
    found: list[str] = []
    with browsing(browser, url_of(link), theme=theme, width=width) as page:
        page.goto(link)
        for path in PAGES:
            page.goto(MODEL + path)
            settled(page)
            found += violations(page)
            found += [f"{path}: too wide"] if too_wide(page) else []
    assert found == []


def test_without_the_link_one_is_told_about_it(browser: Browser, link: str) -> None:
    with browsing(browser, url_of(link), allowed=["401"]) as page:
        page.goto(MODEL)
        expect(page.get_by_role("heading", level=1)).to_have_text("Open the link that was printed")
        assert violations(page) == []


def test_a_pattern_is_tried(browser: Browser, link: str) -> None:
    with browsing(browser, url_of(link)) as page:
        page.goto(link)
        page.get_by_role("link", name="Access patterns").click()
        page.get_by_role("link", name="thing", exact=True).first.click()
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_role("main")).to_contain_text("spoon")
