"""The model explorer in a real browser: the picture, items by partition, findings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.console.explorer import flawed
from tests.e2e.support import LOOKS, PHONE, browsing, good, reach
from tests.service.support import Running, running

from tablewright.console.front import Console
from tablewright.engine import Engine
from tablewright.service.runtime import Runtime
from tablewright.service.system import System
from tablewright.systems import NAMES, load
from tablewright.testing.backends import in_process

pytestmark = pytest.mark.e2e


@contextmanager
def explored(system: System) -> Iterator[Running]:
    def front(runtime: Runtime) -> Console:
        return Console({system: (runtime, system.build(runtime))}, runtime.settings)

    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        running(system, backend, front=front, workers=False) as service,
    ):
        yield service


@pytest.fixture(scope="module")
def service(browser: Browser) -> Iterator[Running]:
    with explored(flawed.system) as running:
        yield running


def paths_of(system: System) -> list[str]:
    """All pages of the picture, the items and the review, and one entity."""
    base = f"/console/{system.name}/model"
    paths = [base, f"{base}?picture=relations", f"{base}/review"]
    for table in system.model.tables.values():
        paths.append(f"{base}/items?table={table.name}")
        paths += [f"{base}/items?table={table.name}&index={name}" for name in table.indexes]
    return [*paths, f"{base}/entities/{next(iter(system.model.entities))}"]


def look_at(page: Page, system: System) -> None:
    for path in paths_of(system):
        page.goto(path)
        good(page)


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_a_model_without_a_demo_can_be_looked_at_by_everybody(
    browser: Browser, service: Running, theme: str, width: int
) -> None:
    with browsing(browser, service.url, user="Demo admin", theme=theme, width=width) as page:
        look_at(page, flawed.system)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_system_can_be_looked_at_by_everybody(browser: Browser, name: str) -> None:
    system = load(name)
    looks = (("light", 1280), ("dark", PHONE))
    with explored(system) as running:
        for theme, width in looks:
            user = f"Demo {system.roles[0]}"
            with browsing(browser, running.url, user=user, theme=theme, width=width) as page:
                look_at(page, system)


@pytest.mark.slow
def test_the_picture_can_be_scrolled_and_followed_with_the_keyboard(
    browser: Browser, service: Running
) -> None:
    with browsing(browser, service.url, user="Demo admin", width=PHONE) as page:
        page.goto("/console/flawed/model")
        good(page)
        reach(page, page.get_by_role("link", name="Skip the picture"))
        picture = page.get_by_role("region", name="The picture, which can be scrolled")
        reach(page, picture)
        page.keyboard.press("ArrowRight")
        expect(picture).not_to_have_js_property("scrollLeft", 0)
        reach(page, picture.get_by_role("link", name="Customer", exact=True))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Customer")


@pytest.mark.slow
def test_a_finding_stays_in_sight_while_its_table_is_scrolled(
    browser: Browser, service: Running
) -> None:
    with browsing(browser, service.url, user="Demo admin", width=PHONE) as page:
        page.goto("/console/flawed/model/entities/Order")
        good(page)
        keys = page.get_by_role("region", name="Keys of Order")
        keys.evaluate("(each) => each.scrollTo(each.scrollWidth, 0)")
        box = keys.get_by_text("Fix:").locator("xpath=..").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE
