"""One's own settings: profile, usage, keys; and being erased, but only on purpose."""

from __future__ import annotations

import re

from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.vibejudge.pages.support import BASE, Court

SETTINGS = f"{BASE}/settings"


def test_the_profile_is_changed(court: Court, organizer: Browser) -> None:
    page = organizer.get(SETTINGS)
    shows(page, "Harriet Moor", "3 of 24", "up to 500", "First key", "Your tier is premium")
    fields = fields_of(page, "/profile")
    bad = organizer.post(f"{SETTINGS}/profile", {**fields, "email": "nowhere"})
    assert (bad.status_code, wrong_fields(bad)) == (422, {"email"})
    taken = organizer.post(f"{SETTINGS}/profile", {**fields, "email": "otto@people.test"})
    assert (taken.status_code, wrong_fields(taken)) == (409, {"email"})
    changed = {**fields, "name": "H. <i>Moor</i>", "organization": ""}
    assert organizer.post(f"{SETTINGS}/profile", changed).status_code == 303
    page = organizer.get(SETTINGS)
    shows(page, "Your profile is saved", "H. <i>Moor</i>")
    assert "<i>Moor" not in page.text
    # It was saved since: the form that was seen before is too old.
    assert organizer.post(f"{SETTINGS}/profile", fields).status_code == 412


def test_keys_are_made_shown_once_and_revoked(court: Court, organizer: Browser) -> None:
    assert wrong_fields(organizer.post(f"{SETTINGS}/keys", {"key_name": " "})) == {"key_name"}
    made = organizer.post(f"{SETTINGS}/keys", {"key_name": "Nightly"})
    assert made.status_code == 201
    text = re.search(r"twk_[\w-]+", made.text)
    assert text is not None
    api = f"{BASE}/api/v1/hackathons"
    with court.service.client(headers={"X-API-Key": text[0]}) as program:
        assert program.get(api).status_code == 200
        page = organizer.get(SETTINGS)
        assert text[0] not in page.text
        key_id = re.search(r"<th scope=\"row\">Nightly</th><td><code>(\w+)</code>", page.text)
        assert key_id is not None
        assert organizer.post(f"{SETTINGS}/keys/{key_id[1]}/revoke", {}).status_code == 303
        assert program.get(api).status_code == 401
    shows(organizer.get(SETTINGS), "The key Nightly is revoked", "Revoked")
    assert organizer.post(f"{SETTINGS}/keys/somebodyelses000/revoke", {}).status_code == 404


def test_administrators_see_the_keys_of_all(admin: Browser, organizer: Browser) -> None:
    shows(admin.get(f"{BASE}/access"), "First key", "organizer")
    assert organizer.get(f"{BASE}/access").status_code == 403


def test_erasing_needs_ones_own_address(court: Court, organizer: Browser) -> None:
    organizer.post(f"{SETTINGS}/erase", {"confirmation": "otto@people.test"})
    shows(organizer.get(SETTINGS), "Nothing is erased")
    gone = organizer.post(f"{SETTINGS}/erase", {"confirmation": "Harriet@People.test "})
    assert gone.headers["location"] == f"{BASE}/gallery"
    page = organizer.get(f"{BASE}/gallery")
    shows(page, "You are erased")
    assert "Open Jam" not in text_of(page)
    assert organizer.get(SETTINGS).headers["location"] == f"{BASE}/register"
