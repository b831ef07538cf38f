"""A browser, as people have one: Chromium, driven by playwright, with axe for accessibility.

::

    with browsing(browser, url, theme="dark") as page:
        page.goto(f"{url}/gallery/")
        assert violations(page) == []

A page that logs an error, or runs into the content security policy, fails its test at the end.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from tablewright.console.assets import Assets

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
#: WCAG 2.2, levels A and AA.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
THEMES = ("light", "dark")
PHONE = 390
#: How pages are looked at; all but the first only with all the tests, because each takes long.
LOOKS = (
    ("light", 1280),
    pytest.param("dark", 1280, marks=pytest.mark.slow),
    pytest.param("light", PHONE, marks=pytest.mark.slow),
)

#: So many elements, at most, has somebody to pass who has no mouse.
_STEPS = 40
#: Milliseconds that a busy machine may take for anything. Playwright's ``wait_for_function`` is not
#: for these pages: it evaluates its text in them, which their policy forbids.
_PATIENCE = 20_000

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """A Chromium of this machine; TABLEWRIGHT_CHROMIUM names another one."""
    given = os.environ.get("TABLEWRIGHT_CHROMIUM")
    return given or next((path for name in _NAMES if (path := shutil.which(name))), None)


def missing() -> str:
    """Why there can be no test with a browser here; "" if there can."""
    if chromium() is None:
        return "there is no Chromium (install it, or set TABLEWRIGHT_CHROMIUM)"
    if lacking := Assets().missing:
        return f"the console's assets are missing ({', '.join(lacking)}): make assets"
    return "" if AXE.exists() else "axe-core is missing: make assets"


class Complaints:
    """What the browser did not like about a page."""

    #: Who leaves a page, or filters it anew, does not wait for what is on its way.
    _LEFT = ("htmx:sendAbort", "htmx:afterRequest")

    def __init__(self, allowed: Sequence[str] = ()) -> None:
        self.found: list[str] = []
        self._allowed = (*allowed, *self._LEFT)

    def watch(self, page: Page) -> None:
        page.on("console", self._logged)
        page.on("pageerror", lambda error: self.found.append(f"{page.url}: {error}"))

    def _logged(self, message: ConsoleMessage) -> None:
        text = message.text
        if message.type in ("error", "warning") and not any(each in text for each in self._allowed):
            self.found.append(f"{message.location.get('url')}: {text}")


@contextmanager
def browsing(
    browser: Browser,
    url: str,
    *,
    user: str | None = None,
    theme: str = "light",
    width: int = 1280,
    allowed: Sequence[str] = (),
    **options: Any,
) -> Iterator[Page]:
    """A fresh window, in which ``user`` has signed in. ``allowed``: errors that are wanted."""
    context = browser.new_context(
        base_url=url, viewport={"width": width, "height": 900}, color_scheme=theme, **options
    )
    context.set_default_timeout(_PATIENCE)
    try:
        page = context.new_page()
        complaints = Complaints(allowed)
        complaints.watch(page)
        if user is not None:
            sign_in(page, user)
        yield page
        assert complaints.found == [], complaints.found
    finally:
        context.close()


def sign_in(page: Page, user: str) -> None:
    """As a demo user, by the page that is for it."""
    page.goto("/sign-in")
    page.get_by_role("button", name=user).click()
    page.wait_for_url(lambda found: "/sign-in" not in found)


def settled(page: Page) -> None:
    """Wait until everything is loaded and all charts are drawn."""
    page.wait_for_load_state("load")
    expect(page.locator(".chart-space:not(:has(svg))")).to_have_count(0, timeout=_PATIENCE)


def violations(page: Page) -> list[str]:
    """What axe finds wrong with the page as it is now, by rule and place."""
    page.evaluate(AXE.read_text())
    script = "(tags) => axe.run(document, {runOnly: {type: 'tag', values: tags}})"
    found = page.evaluate(script, TAGS)
    return [
        f"{page.url}: {each['id']}: {node['target']}: {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


def too_wide(page: Page) -> bool:
    """Whether people have to scroll sideways to read the page."""
    script = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    return bool(page.evaluate(script))


# --- hands ---------------------------------------------------------------------------------------


def good(page: Page) -> None:
    """Everybody can use the page as it is now."""
    settled(page)
    assert violations(page) == []
    assert not too_wide(page)


def reach(page: Page, wanted: Locator) -> None:
    """Go to something with the Tab key alone; on a new page, past what is on all of them."""
    # Found once: to look for it after each key takes longer than all the rest.
    found = wanted.element_handle()
    assert found is not None
    # A link to a part of a page begins there.
    if "#" not in page.url and page.evaluate("document.activeElement === document.body"):
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**#content")
    for _ in range(_STEPS):
        if found.evaluate("(each) => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not lead to {wanted}")


def press(page: Page, role: str, name: str, key: str = "Enter") -> None:
    reach(page, page.get_by_role(role, name=name).first)  # type: ignore[arg-type]
    page.keyboard.press(key)


def write(page: Page, label: str, text: str) -> None:
    reach(page, page.get_by_role("textbox", name=re.compile(f"^{label}")))
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)


def agree(page: Page, button: str, answer: str) -> None:
    """Press a button, and say yes to what it asks."""
    page.get_by_role("button", name=button, exact=True).first.click()
    page.locator("dialog[open]").get_by_role("button", name=answer, exact=True).click()
