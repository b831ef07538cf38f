"""Who gets where: registering, one's own hackathons, other people's, and the way without a role."""

from __future__ import annotations

import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.vibejudge.pages.support import BASE, Court, as_role, pages_of

from tablewright.testing.backends import Backend

HACKATHONS = f"{BASE}/hackathons"
#: Pages of a hackathon that are told apart here; others are tested where they are made.
OWN = ("", "/edit", "/submissions", "/submissions/add")


def test_an_organizer_registers_first_and_is_led_to_it(engine_backend: Backend) -> None:
    with pages_of(engine_backend, filled=False) as court, as_role(court, "organizer") as browser:
        assert browser.get(f"{BASE}/").headers["location"] == HACKATHONS
        for path in (HACKATHONS, f"{HACKATHONS}/new", f"{BASE}/settings"):
            led = browser.get(path)
            assert (led.status_code, led.headers["location"]) == (303, f"{BASE}/register")
        refused = browser.post(f"{BASE}/register", {"name": "Ada", "email": "no address"})
        assert (refused.status_code, wrong_fields(refused)) == (422, {"email"})
        assert fields_of(refused, "/register")["name"] == "Ada"
        made = browser.post(f"{BASE}/register", {"name": "Ada", "email": "ada@people.test"})
        assert made.status_code == 201
        shows(made, "Welcome, Ada", "Shown once", "twk_", "Plan your first hackathon")
        shows(browser.get(HACKATHONS), "0 of 3 made", "Plan your first hackathon")
        assert browser.get(f"{BASE}/register").headers["location"] == HACKATHONS
        with as_role(court, "admin") as admin:
            taken = admin.post(f"{BASE}/register", {"name": "Eve", "email": "ADA@people.test"})
            assert (taken.status_code, wrong_fields(taken)) == (409, {"email"})


def test_the_list_has_ones_own_with_their_states(court: Court, organizer: Browser) -> None:
    page = organizer.get(HACKATHONS)
    shows(page, "Open Jam Open 2", "Done Jam Completed 3", "Draft Jam Draft 0", "3 of 24 made")
    assert "Foreign Jam" not in text_of(page)


def test_an_administrator_reaches_all_by_their_ids(court: Court, admin: Browser) -> None:
    shows(admin.get(HACKATHONS), "You have no hackathons of your own", "Somebody else's")
    hack_id = court.hackathons["foreign"].hack_id
    found = admin.get(f"{HACKATHONS}/find", params={"hack_id": f" {hack_id.lower()} "})
    assert found.headers["location"] == court.path("foreign")
    shows(admin.get(court.path("foreign")), "Foreign Jam")
    missing = admin.get(f"{HACKATHONS}/find", params={"hack_id": "<b>"})
    assert missing.status_code == 404
    assert "&lt;b&gt;" in missing.text


@pytest.mark.parametrize("rest", OWN)
def test_pages_of_a_hackathon_are_its_organizers(
    court: Court, organizer: Browser, judge: Browser, visitor: Browser, rest: str
) -> None:
    assert organizer.get(court.path("open", rest)).status_code == 200
    assert organizer.get(court.path("foreign", rest)).status_code == 404
    assert organizer.get(f"{HACKATHONS}/nothing{rest}").status_code == 404
    assert judge.get(court.path("open", rest)).status_code == 403
    away = visitor.get(court.path("open", rest))
    assert away.headers["location"].startswith("/sign-in?next=")


def test_forms_without_their_token_do_nothing(court: Court, organizer: Browser) -> None:
    for rest in ("/archive", "/activate", "/submissions/freeze", "/erase"):
        answer = organizer.post(court.path("draft", rest), {}, token=False)
        assert answer.status_code == 403, rest
    assert court.hackathon("draft").status == "draft"


def test_the_overview_shows_the_way_and_what_counts(court: Court, organizer: Browser) -> None:
    page = organizer.get(court.path("open"))
    shows(page, "Collect now", "All-round", "25 %", "Page for teams", "Analyse")
    assert f"{BASE}/gallery/{court.hackathons['open'].hack_id}" in page.text
    shows(organizer.get(court.path("draft")), "Set the dates", "no dates yet")
