"""One browser for all tests of a process; without one they are skipped, and say why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.e2e.support import chromium, missing


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    reason = missing()
    if reason:
        pytest.skip(reason)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        found = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        try:
            yield found
        finally:
            found.close()
