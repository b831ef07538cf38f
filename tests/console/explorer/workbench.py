"""The gallery with practice tables and an admin, as it really runs."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tests.console import gallery
from tests.console.support import Browser
from tests.service.support import Running, running

from tablewright.cli.up_place import empty_database
from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.engine import Engine
from tablewright.service.runtime import Runtime
from tablewright.testing.backends import in_process

system = replace(gallery.system, roles=(*gallery.system.roles, "admin"))
MODEL = "/console/gallery/model"


@contextmanager
def workbench(
    assets: Assets | None, *, practice: bool = True, **settings: Any
) -> Iterator[Running]:
    """Thirty paintings hang on the live north wall; there is none to practise on."""

    async def opened(runtime: Runtime) -> None:
        for number in range(30):
            made = gallery.Painting(wall="north", name=f"number{number:02}", price=number)
            await runtime.db.run(gallery.hang(made))

    def front(runtime: Runtime) -> Console:
        parts = {system: (runtime, system.build(runtime))}
        return Console(parts, runtime.settings, assets, empty_database if practice else None)

    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        running(system, backend, front=front, opened=opened, **settings) as service,
    ):
        yield service


def run(browser: Browser, pattern: str, *, ground: str = "practice", **typed: str) -> str:
    """What the page of a run says, without its tags."""
    return said(run_page(browser, pattern, ground=ground, **typed))


def run_page(browser: Browser, pattern: str, *, ground: str = "practice", **typed: str) -> str:
    answer = browser.post(f"{MODEL}/patterns/{pattern}/run", {"run-ground": ground, **typed})
    assert answer.status_code == 200, answer.text
    return answer.text


def said(page: str) -> str:
    text = re.sub(r"<[^>]+>", " ", page[page.index("<main") : page.index("</main")])
    return re.sub(r"\s+", " ", html.unescape(text))
