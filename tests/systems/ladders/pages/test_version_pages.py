"""Versions of the ladder: written with faults beside the text, compared, activated, rolled back."""

from __future__ import annotations

import re
from datetime import date

import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.ladders.pages.support import BASE, Office, done

from tablewright.systems.ladders.pages import plan_form
from tablewright.systems.ladders.pages.rewording import Piece, pieces_of

VERSIONS = f"{BASE}/admin/ladders"
NEW = f"{VERSIONS}/new"
FAULTY = "# Craft\n\n## Coding\n\n1. Writes <b>code</b>.\n3. Skips one.\n\n## Coding\n\n1. Twice.\n"


def active(office: Office) -> str:
    pointer = office.do(office.company.configs.pointer())
    assert pointer is not None
    return pointer.version


def lines_told(text: str) -> list[int]:
    return [int(each) for each in re.findall(r'data-line="([0-9]+)"', text)]


def test_a_new_version_begins_as_the_active_one(ines: Browser) -> None:
    page = ines.get(NEW)
    form = fields_of(page, "/new")
    assert form["version"] == "1.1.0"
    assert form["content"].lstrip().startswith(("1. ", "# "))
    shows(page, "Valid", "nothing is different")


def test_faults_stand_beside_their_lines_and_nothing_is_stored(
    office: Office, ines: Browser
) -> None:
    form = fields_of(ines.get(NEW), "/new")
    told = ines.post(f"{VERSIONS}/check", {**form, "content": FAULTY})
    assert told.status_code == 200
    assert "<html" not in told.text
    assert lines_told(told.text) == sorted(lines_told(told.text))
    assert {5, 6, 8} <= set(lines_told(told.text))
    refused = ines.post(NEW, {**form, "content": FAULTY})
    assert refused.status_code == 422
    shows(refused, "The text has faults. Nothing was stored.")
    assert fields_of(refused, "/new")["content"] == FAULTY
    assert "<b>code</b>" not in refused.text
    by = office.caller("ines")
    assert len(office.do(office.company.configs.list(by)).configs) == 1
    checked = ines.post(NEW, {**form, "content": FAULTY, "act": "check"})
    assert checked.status_code == 200
    assert lines_told(checked.text) == lines_told(told.text)


def test_a_version_is_stored_compared_activated_and_rolled_back(
    office: Office, ines: Browser
) -> None:
    form = fields_of(ines.get(NEW), "/new")
    taken = ines.post(NEW, {**form, "version": "1.0.0"})
    assert wrong_fields(taken) == {"version"}
    unreadable = ines.post(NEW, {**form, "version": "two"})
    assert wrong_fields(unreadable) == {"version"}
    head, mark, tail = form["content"].partition("## ")
    content = head + mark + tail.replace("1. ", "1. Gladly ", 1)
    path = done(ines.post(NEW, {**form, "content": content})).headers["location"]
    shows(ines.get(path), "Ladder 1.1.0", "Not active")

    choice = fields_of(ines.get(VERSIONS), "/compare")
    answer = ines.get(f"{VERSIONS}/compare", params=choice, follow_redirects=True)
    shows(answer, "From 1.0.0 to 1.1.0", "1 reworded")
    assert "<ins>Gladly" in answer.text

    stale = fields_of(ines.get(path), "/activate")
    done(ines.post(f"{path}/activate", stale), VERSIONS)
    assert active(office) == "1.1.0"
    page = ines.get(VERSIONS)
    shows(page, "Version 1.1.0 is active.", "Roll back to 1.0.0")
    done(ines.post(f"{VERSIONS}/rollback", fields_of(page, "/rollback")), VERSIONS)
    assert active(office) == "1.0.0"
    # A page that was opened before all that does not change what it has not shown.
    done(ines.post(f"{path}/activate", {"revision": stale["revision"]}), VERSIONS)
    assert active(office) == "1.0.0"
    shows(ines.get(VERSIONS), "Somebody has changed it since you read it.")


def test_what_is_not_there_is_told(ines: Browser) -> None:
    other = "00000000-0000-4000-8000-000000000000"
    for rest in (f"/{other}", f"/{other}/diff/{other}", "/EMAIL"):
        assert ines.get(f"{VERSIONS}{rest}").status_code == 404
    assert "No ladder yet" not in text_of(ines.get(VERSIONS))


def test_words_that_stay_go_and_come() -> None:
    assert pieces_of("writes small code", "writes clear code") == [
        Piece("same", "writes "),
        Piece("gone", "small"),
        Piece("new", "clear"),
        Piece("same", " code"),
    ]
    # Of what is said quite otherwise nobody wants to read the words that happen to stay.
    before, after = "Takes part in talks and writes notes", "Meets people in a friendly way"
    assert pieces_of(before, after) == [Piece("gone", before), Piece("new", after)]
    assert pieces_of("one two three four", "one 2 3 four")[1:3] == [
        Piece("gone", "two three"),
        Piece("new", "2 3"),
    ]
    long = "word " * 700
    assert [each.kind for each in pieces_of(long, "short")] == ["gone", "new"]


def test_a_day_begins_and_ends_by_the_companys_clock() -> None:
    zone, day = "America/New_York", date(2026, 11, 16)
    assert plan_form.begins(day, zone).isoformat() == "2026-11-16T05:00:00+00:00"
    assert plan_form.ends(day, zone).isoformat() == "2026-11-17T04:59:59+00:00"
    assert plan_form.day_of(plan_form.ends(day, zone), zone) == "2026-11-16"
    assert plan_form.seasons_near(date(2026, 6, 30))[:2] == ["2026-H1", "2026-H2"]
    assert plan_form.seasons_near(day)[:4] == ["2026-H2", "2027-H1", "2026-Q4", "2027-Q1"]


@pytest.mark.parametrize("name", ["ladder.csv", "ladder.md"])
def test_ladder_is_loaded_from_a_file(ines: Browser, name: str) -> None:
    text = "category,competency,1,2\nCraft,Baking,Mixes.,Bakes.\n"
    if name.endswith(".md"):
        text = "# Craft\n\n## Baking\n\n1. Mixes.\n2. Bakes.\n"
    form = {"csrf_token": ines.token(), "act": "load", "version": "7.0.0", "base": ""}
    files = {"file": (name, text.encode(), "text/plain")}
    page = ines.client.post(f"{BASE}/admin/ladders/load", data=form, files=files)
    assert page.status_code == 200
    shows(page, "Valid", "Baking")
    assert "1. Mixes." in page.text


def test_file_with_faults_is_refused_by_row(ines: Browser) -> None:
    form = {"csrf_token": ines.token(), "act": "load", "version": "7.0.0", "base": ""}
    files = {"file": ("a.csv", b"category,competency,level,description\nA,b,x,y\n", "text/csv")}
    page = ines.client.post(f"{BASE}/admin/ladders/load", data=form, files=files)
    shows(page, "The file was not loaded.", "Row 2: level has to be a number from 1 to 10.")


def test_text_below_a_category_is_noted_beside_the_text(ines: Browser) -> None:
    text = "# Craft\n\nHow we build.\n\n## Baking\n1. Mixes.\n2. Bakes.\n"
    form = fields_of(ines.get(NEW), "/new")
    page = ines.post(f"{VERSIONS}/check", {**form, "content": text})
    assert page.status_code == 200
    assert "Valid" in page.text
    assert "Line 3 is left out: a category has a name only." in page.text
    assert lines_told(page.text) == [3]
