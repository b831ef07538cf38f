"""Pages about a model without a demo: the picture, findings at their places, items, the review."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.console.explorer.flawed import system
from tests.console.reading import shows, text_of
from tests.console.support import Browser, signed_in
from tests.service.support import Running, running

from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.document import svg
from tablewright.engine import Engine
from tablewright.service.runtime import Runtime
from tablewright.testing.backends import in_process

BASE = "/console/flawed/model"


@pytest.fixture(scope="module")
def flawed(assets: Assets) -> Iterator[Running]:
    def front(runtime: Runtime) -> Console:
        return Console({system: (runtime, system.build(runtime))}, runtime.settings, assets)

    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        running(system, backend, front=front, workers=False) as service,
    ):
        yield service


@pytest.fixture
def admin(flawed: Running) -> Iterator[Browser]:
    with signed_in(flawed, "demo-admin") as browser:
        yield browser


def test_nobody_sees_them_without_a_role(flawed: Running) -> None:
    browser = Browser(flawed)
    with browser.client:
        for path in ("", "/picture.svg", "/items", "/review"):
            answer = browser.get(BASE + path)
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/sign-in")


def test_the_picture_leads_to_pages_that_are_there(admin: Browser) -> None:
    for kind in ("keys", "relations"):
        page = admin.get(f"{BASE}?picture={kind}")
        drawing = re.search(r"<svg class=\"picture\".*?</svg>", page.text, re.DOTALL)
        assert drawing is not None
        for link in set(re.findall(r'href="([^"]+)"', drawing[0])):
            assert admin.get(link).status_code == 200, link


def test_the_picture_can_be_taken_along(admin: Browser) -> None:
    answer = admin.get(f"{BASE}/picture.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["content-disposition"] == 'attachment; filename="flawed-model.svg"'
    assert answer.text == svg(system.model)


def test_findings_of_an_index_stand_below_it(admin: Browser) -> None:
    page = admin.get(BASE)
    shows(page, "2 findings", "No pattern reads index GSI2.", "Fix: Remove the index")
    index = page.text.index("<code>GSI2</code>")
    assert page.text.index("<code>GSI1</code>") < index < page.text.index("No pattern reads index")


def test_findings_of_a_key_stand_below_it(admin: Browser) -> None:
    text = text_of(admin.get(f"{BASE}/entities/Customer"))
    primary = text.index("email of a person stands in CUSTOMER#{email}")
    assert text.index("primary") < primary < text.index("by_status GSI1")
    assert "Customer keeps email of a person" in text


def test_patterns_are_marked_and_say_what_is_wrong(admin: Browser) -> None:
    shows(admin.get(f"{BASE}/patterns"), "all_orders 1 finding")
    shows(admin.get(f"{BASE}/patterns/all_orders"), "It reads Order, which nothing writes.", "Fix:")


def test_all_findings_and_those_that_are_asked_for(admin: Browser) -> None:
    page = admin.get(f"{BASE}/review")
    shows(page, "Errors 1", "email of a person", "There is no demo")
    for anchor in re.findall(r'href="([^"]*/model(?:#|/entities|/patterns)[^"]*)"', page.text):
        assert admin.get(anchor).status_code == 200, anchor
    some = admin.get(f"{BASE}/review?family=indexes&severity=error")
    shows(some, "An index that nothing enters", "All findings")
    assert "email of a person" not in text_of(some)
    shows(admin.get(f"{BASE}/review?family=heat"), "No finding is like that")


def test_items_without_a_demo(admin: Browser) -> None:
    for path in ("/items", "/items?index=GSI1", "/items?entity=Order"):
        shows(admin.get(BASE + path), "No items to show", "The model has no demo")


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("?picture=x", 422, "picture"),
        ("/items?table=Nowhere", 404, "There is nothing here"),
        ("/items?page=0", 422, "page"),
        ("/items?page=x", 422, "page"),
        ("/items?page=2", 404, "There is nothing here"),
        ("/items?entity=x", 422, "Table Flawed has no such entity."),
        ("/items?partition=x", 404, "There is nothing here"),
        ("/review?severity=bad", 422, "One of error, warning, note."),
        ("/review?kind=%00", 422, "One of"),
        ("/entities/Nobody", 404, "There is nothing here"),
    ],
)
def test_what_cannot_be_meant_is_told(admin: Browser, path: str, status: int, told: str) -> None:
    page = admin.get(BASE + path)
    assert page.status_code == status
    shows(page, told)
