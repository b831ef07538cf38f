"""One browser for all tests of a module; without one they are skipped, and say why.

Not for longer: while playwright runs, the thread has an event loop that runs, and tests of other
modules could not use ``asyncio.run``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from tests.cli.up_support import Up, started
from tests.e2e.support import chromium, missing

#: Other tests run beside these: what comes a little later has come.
expect.set_options(timeout=15_000)


@pytest.fixture(scope="module")
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


@pytest.fixture(scope="module")
def up(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """Everything as `make run` starts it: all systems, with demo data, in a process of its own."""
    folder = tmp_path_factory.mktemp("up")
    with started("--data", str(folder / "data"), "--demo", cwd=folder) as running:
        yield running
