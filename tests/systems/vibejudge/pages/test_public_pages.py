"""What everybody sees without signing in: the gallery, handing in, released results."""

from __future__ import annotations

import re

import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.vibejudge.pages.support import BASE, Court

GALLERY = f"{BASE}/gallery"
LINK = re.compile(rf"{BASE}/results/[\w.-]+")


def public(court: Court, which: str) -> str:
    return f"{GALLERY}/{court.hackathons[which].hack_id}"


def test_the_gallery_has_what_is_public(court: Court, visitor: Browser, judge: Browser) -> None:
    page = visitor.get(GALLERY)
    shows(page, "Open Jam", "Done Jam", "Organise one")
    for name in ("Draft Jam", "Foreign Jam"):
        assert name not in text_of(page)
    # Whoever has not signed in is led nowhere where they would have to.
    assert 'href="/vibejudge/hackathons"' not in page.text
    assert "Sign in" in page.text
    assert 'aria-label="Breadcrumb"' not in page.text
    shows(judge.get(GALLERY), "Open Jam")


@pytest.mark.parametrize("which", ["draft", "foreign"])
def test_what_is_private_or_a_draft_is_not_there(
    court: Court, visitor: Browser, organizer: Browser, which: str
) -> None:
    given = {"team_name": "Late", "repo_url": "https://github.com/l/late"}
    assert visitor.get(public(court, which)).status_code == 404
    assert organizer.get(public(court, which)).status_code == 404
    assert visitor.post(public(court, which), given, token=False).status_code == 404
    assert visitor.get(f"{GALLERY}/nothing").status_code == 404


def test_a_team_hands_in_and_sees_its_link_once(court: Court, visitor: Browser) -> None:
    here = public(court, "open")
    shows(visitor.get(here), "Hand in", "How it is judged", "AI-assisted", "25 %")
    bad = visitor.post(here, {"team_name": "--", "repo_url": ""}, token=False)
    assert (bad.status_code, wrong_fields(bad)) == (422, {"team_name", "repo_url"})
    shows(bad, "Enter a name with at least one letter or digit.")
    given = {"team_name": "Öl & <b>Co", "repo_url": "github.com/oel/co/tree/main"}
    done = visitor.post(here, given, token=False)
    assert done.status_code == 201
    shows(done, "Öl & <b>Co is submitted", "Shown once")
    link = LINK.search(done.text)
    assert link is not None
    assert link[0].startswith(f"{BASE}/results/{court.hackathons['open'].hack_id}.")
    assert not LINK.search(visitor.get(here).text)
    again = visitor.post(here, {**given, "team_name": "Others"}, token=False)
    assert (again.status_code, wrong_fields(again)) == (409, {"repo_url"})
    assert fields_of(again, here)["team_name"] == "Others"
    # The public is not told whose it is.
    assert "/submissions/" not in again.text


def test_after_the_end_nobody_hands_in(court: Court, visitor: Browser) -> None:
    made = court.planned("Short Jam", visibility="public", end_date="2100-01-01T00:00:00Z")
    here = f"{GALLERY}/{made.hack_id}"
    shows(visitor.get(here), "Hand in")
    shows(visitor.get(public(court, "completed")), "Judging", "They are being judged")
    late = {"team_name": "Late", "repo_url": "https://github.com/l/late"}
    refused = visitor.post(public(court, "completed"), late, token=False)
    assert refused.status_code == 409
    shows(refused, "The hackathon is completed")


def test_released_results_are_for_everybody(court: Court, visitor: Browser) -> None:
    here = public(court, "completed")
    page = visitor.get(here)
    assert "Alder" not in text_of(page)
    assert "<b>good" not in page.text
    shows(page, "It was <b>good</b>.")
    hack_id = court.hackathons["completed"].hack_id
    court.do(court.courtroom.releases.release(court.caller, hack_id))
    page = visitor.get(here)
    shows(page, "1 Alder 81.25", "2 Birch 70.00", "3 Cedar 45.50")
    assert "/submissions/" not in page.text
