"""Signing in on one's own machine, where no demo data was filled in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.console.reading import shows
from tests.console.support import Browser
from tests.systems.ladders.pages.support import BASE, Office, pages_of, signed_in

from tablewright.engine import Engine
from tablewright.systems.ladders.demo_people import DEMO_PEOPLE
from tablewright.testing.backends import in_process


@pytest.fixture
def empty() -> Iterator[Office]:
    with Engine.memory() as engine, in_process(engine) as backend:
        with pages_of(backend, invited=()) as made:
            yield made


def test_sign_in_page_without_demo_data_leaves_out_demo_people(empty: Office) -> None:
    page = Browser(empty.service).get("/sign-in").text
    assert 'value="demo-admin"' in page
    assert not any(each.name in page for each in DEMO_PEOPLE)


def test_sign_in_page_with_demo_data_offers_demo_people(office: Office) -> None:
    page = Browser(office.service).get("/sign-in").text
    assert all(each.name in page for each in DEMO_PEOPLE)


def test_invited_person_signs_in_with_their_address(empty: Office) -> None:
    with signed_in(empty, "admin") as admin:
        form = {"email": "asha@people.test", "name": "Asha Verma"}
        assert admin.post(f"{BASE}/admin/users", form).status_code == 303
    browser = Browser(empty.service)
    with browser.client:
        answer = browser.client.post("/auth/sign-in", data={"user": "asha@people.test"})
        assert answer.status_code == 303
        assert "Hello Asha" in browser.get(f"{BASE}/").text


def test_person_who_is_not_invited_is_told_how_to_go_on(empty: Office) -> None:
    browser = Browser(empty.service)
    with browser.client:
        browser.client.post("/auth/sign-in", data={"user": "nobody@people.test"})
        page = browser.get(f"{BASE}/")
        assert page.status_code == 403
        assert "administrator" in page.text
        assert "/auth/sign-out" in page.text


def test_first_page_of_an_admin_on_an_empty_folder_is_a_checklist(empty: Office) -> None:
    with signed_in(empty, "admin") as admin:
        page = admin.get(f"{BASE}/")
        shows(page, "Set up your first review", "1 of 4 done", "Invite people", "Create a team")
        assert "Nothing to do" not in page.text
