"""An assessment in the browser: saved while it is typed, in two tabs, and without a connection."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.e2e.support import PHONE, browsing, too_wide, violations
from tests.systems.ladders.pages.support import Review, pages_of, review_made

from tablewright.engine import Engine
from tablewright.systems.ladders.demo_items import COMPETENCIES
from tablewright.testing.backends import in_process

FIRST, NAMES = next(iter(COMPETENCIES.items()))


@pytest.fixture
def review() -> Iterator[Review]:
    with Engine.memory() as engine, in_process(engine) as backend, pages_of(backend) as office:
        yield review_made(office, "omar", "lina")


def _says(page: Page, state: str) -> None:
    expect(page.locator("[data-save]")).to_have_attribute("data-save", state)


def _level(page: Page, competency: int, level: int) -> None:
    page.locator(f'#c{competency} .level:has([value="{level}"])').click()


@pytest.mark.slow  # the season of test_ladders goes the same way
def test_an_assessment_is_saved_while_it_is_filled_in(browser: Browser, review: Review) -> None:
    url, here = review.office.service.url, review.assessment("lina")
    with browsing(browser, url, user="Lina Moreau") as page:
        page.goto(here)
        evidence = page.locator("#c0").get_by_label("Evidence")
        expect(evidence).to_be_hidden()
        page.locator('#c0 [name="c0.level"][value="1"]').focus()
        page.keyboard.press("3")
        evidence.fill("Led it.")
        _says(page, "saved")
        expect(page.get_by_role("link", name=f"{FIRST} , 1/2 answered")).to_be_visible()
        assert violations(page) == []
        # The text goes along to a level without one, and the other level keeps its own.
        _level(page, 0, 4)
        expect(evidence).to_have_value("Led it.")
        evidence.fill("Taught it.")
        _level(page, 0, 3)
        expect(evidence).to_have_value("Led it.")
        # What is typed last is saved before the next step is shown.
        page.get_by_role("button", name="Save, then").click()
        page.wait_for_url("**step=2")
        stored = review.stored("lina")
        assert stored.selections[FIRST] == {NAMES[0]: 3}
        assert stored.feedback[FIRST][NAMES[0]]["3"].evidence == "Led it."
        page.set_viewport_size({"width": PHONE, "height": 800})
        assert not too_wide(page)


@pytest.mark.slow
def test_two_tabs_and_no_connection(browser: Browser, review: Review) -> None:
    url, here = review.office.service.url, review.assessment("lina")
    wanted = ("412", "ERR_INTERNET_DISCONNECTED")
    with browsing(browser, url, user="Lina Moreau", allowed=wanted) as page:
        page.goto(here)
        other = page.context.new_page()
        other.goto(here)
        _level(other, 0, 2)
        _says(other, "saved")
        _level(page, 1, 5)
        _says(page, "conflict")
        assert violations(page) == []
        page.get_by_role("button", name="Keep what I typed").click()
        expect(page.locator('#c0 [value="2"]')).to_be_checked()
        expect(page.locator('#c1 [value="5"]')).to_be_checked()
        assert review.stored("lina").selections[FIRST] == dict(zip(NAMES, (2, 5), strict=True))
        page.context.set_offline(True)
        _level(page, 1, 4)
        _says(page, "failed")
        page.context.set_offline(False)
        _says(page, "saved")
        assert review.stored("lina").selections[FIRST][NAMES[1]] == 4
