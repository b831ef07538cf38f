"""Oneself: details that change, data to take along, and being erased."""

from __future__ import annotations

import json

from tests.console.reading import fields_of, shows, wrong_fields
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.support import BASE, Ground, done, register, team_up

ME = f"{BASE}/me"


def test_details_are_changed_from_what_was_seen(ground: Ground, asha: Browser) -> None:
    event = ground.event("detail-day")
    here = f"{event}/details"
    assert asha.get(here).headers["location"] == f"{event}/register/you"
    register(asha, event, "Asha", mode="later")
    values = fields_of(asha.get(here), "/details")
    assert (values["first_name"], values["student_status"]) == ("Asha", "1")
    bad = asha.post(here, {**values, "first_name": "", "phone": "+1"})
    assert (bad.status_code, wrong_fields(bad)) == (422, {"first_name", "phone"})
    changed = {**values, "last_name": "Verma", "college": "Example <b>"}
    del changed["student_status"]
    done(asha.post(here, changed), f"{event}/team")
    again = fields_of(asha.get(here), "/details")
    assert (again["last_name"], again["college"]) == ("Verma", "Example <b>")
    assert "student_status" not in again
    assert asha.post(here, values).status_code == 412


def test_who_has_registered_takes_along_or_erases_everything(
    ground: Ground, asha: Browser, ravi: Browser, visitor: Browser
) -> None:
    event = ground.event("my-day")
    team_up(asha, ravi, event, "Mine")
    asha.post(f"{ground.event('other-day')}/register/draft", {"first_name": "Drafty"})
    page = asha.get(ME)
    shows(page, "asha@example.org", "My Day", "Asha, leader", "Mine No seat yet")
    shows(page, "Other Day not registered yet", "Go on registering")
    export = asha.get(f"{ME}/export")
    assert export.headers["content-disposition"].startswith("attachment")
    told = json.loads(export.text)
    names = {each["event_id"]: each["person"] for each in told["events"]}
    assert names["my-day"]["first_name"] == "Asha"
    assert "Ravi" not in export.text
    done(asha.post(f"{ME}/erase", {"confirmation": "ravi@example.org"}), ME)
    shows(asha.get(ME), "Nothing is erased", "My Day")
    done(asha.post(f"{ME}/erase", {"confirmation": "ASHA@example.org "}), f"{BASE}/")
    shows(asha.get(ME), "You take part nowhere yet")
    # Who is left leads the team.
    shows(ravi.get(f"{event}/team"), "Ravi (you)", "1 person is missing", "Send invitations")
    assert visitor.get(ME).headers["location"].startswith("/sign-in?next=")
