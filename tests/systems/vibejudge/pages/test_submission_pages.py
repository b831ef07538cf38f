"""Submissions: listed, added in three ways, frozen, disqualified, withdrawn; new result links."""

from __future__ import annotations

import re

import httpx2
import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.vibejudge.pages.support import BASE, SHA, Court

from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.pages.adding import read_pasted
from tablewright.systems.vibejudge.pages.submissions import told
from tablewright.systems.vibejudge.service.freezing import Frozen, Unfrozen

LINK = re.compile(rf"{BASE}/results/[\w.-]+")


@pytest.fixture
def jam(court: Court) -> HackathonDetail:
    return court.planned("Adding Jam")


def path_of(jam: HackathonDetail, rest: str = "") -> str:
    return f"{BASE}/hackathons/{jam.hack_id}/submissions{rest}"


def sent(browser: Browser, path: str, data: str, name: str = "teams.csv") -> httpx2.Response:
    return browser.client.post(
        path,
        data={"way": "file", "csrf_token": browser.token()},
        files={"file": (name, data.encode(), "text/csv")},
    )


def test_the_list_has_states_commits_and_scores(court: Court, organizer: Browser) -> None:
    page = organizer.get(court.path("completed", "/submissions"))
    shows(page, f"Completed {SHA[:7]} frozen 81.25")
    assert court.team("Alder") in page.text
    assert court.team("Alder", "/manage") in page.text
    shows(organizer.get(court.path("open", "/submissions")), "Night Owls", "Pending", "Freeze")
    none = organizer.get(court.path("open", "/submissions?status=failed"))
    shows(none, "No submission found")
    assert "Night Owls" not in text_of(none)
    shows(organizer.get(court.path("draft", "/submissions")), "Not open yet")


def test_one_is_added_by_the_form(organizer: Browser, jam: HackathonDetail) -> None:
    add = path_of(jam, "/add")
    bad = organizer.post(add, {"way": "one", "team_name": "--", "repo_url": "http://x.test/a/b"})
    assert (bad.status_code, wrong_fields(bad)) == (422, {"team_name"})
    assert fields_of(bad, "/add")["team_name"] == "--"
    given = {"way": "one", "team_name": "Owls", "repo_url": "https://example.com/a/b"}
    elsewhere = organizer.post(add, given)
    assert wrong_fields(elsewhere) == {"repo_url"}
    added = organizer.post(add, {**given, "repo_url": "https://github.com/owls/lantern"})
    shows(added, "Added 1", "Shown once")
    assert len(LINK.findall(added.text)) == 1
    again = organizer.post(add, {**given, "repo_url": "https://github.com/owls/other"})
    assert (again.status_code, wrong_fields(again)) == (409, {"team_name"})


def test_lines_are_pasted_from_anywhere(organizer: Browser, jam: HackathonDetail) -> None:
    text = "Owls, https://github.com/o/owls\n\nBee Hive\thttps://github.com/b/hive.git\nnothing"
    page = organizer.post(path_of(jam, "/add"), {"way": "pasted", "pasted": text})
    shows(page, "Added 2", "Refused 1", "3 Bee Hive Added", "The line has no team and address")
    table = "repo_url;team_name\nhttps://github.com/c/sea;Cee\n"
    shows(organizer.post(path_of(jam, "/add"), {"way": "pasted", "pasted": table}), "2 Cee Added")
    empty = organizer.post(path_of(jam, "/add"), {"way": "pasted", "pasted": " "})
    assert wrong_fields(empty) == {"pasted"}


def test_a_pasted_line_is_read_in_no_time() -> None:
    rows = read_pasted("a" * 200_000 + " https://x\n" + "a ," * 50_000 + "://")
    assert [each.status for each in rows.given if hasattr(each, "status")] == [422, 422]


def test_a_file_is_uploaded_and_each_row_told(organizer: Browser, jam: HackathonDetail) -> None:
    file = (
        "team_name,repo_url\nDee,https://gitlab.com/d/dee\nDee Two,https://gitlab.com/D/dee.git\n"
    )
    page = sent(organizer, path_of(jam, "/add"), file)
    shows(page, "Added 1", "2 Dee Added", "3 Dee Two Refused This repository takes part")
    wrong = sent(organizer, path_of(jam, "/add"), "no,columns\n1,2\n")
    assert wrong.status_code == 422
    nothing = sent(organizer, path_of(jam, "/add"), "", name="")
    assert wrong_fields(nothing) == {"file"}


def test_many_rows_are_stored_beside_the_page(
    court: Court, organizer: Browser, jam: HackathonDetail, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(court.courtroom.submissions)
    monkeypatch.setattr(kind, "takes_long", lambda self, rows: True)
    file = "team_name,repo_url\n" + "".join(f"T{n},https://github.com/t/t{n}\n" for n in range(25))
    begun = sent(organizer, path_of(jam, "/add"), file)
    assert begun.status_code == 303
    for _ in range(100):
        page = organizer.get(begun.headers["location"])
        if "goes on by itself" not in text_of(page):
            break
    shows(page, "Added 25", "26 T24 Added")
    part = organizer.get(begun.headers["location"], headers={"HX-Request": "true"})
    assert "<html" not in part.text


def test_a_hackathon_that_is_closed_takes_none(court: Court, organizer: Browser) -> None:
    given = {"way": "one", "team_name": "Late", "repo_url": "https://github.com/l/late"}
    page = organizer.post(court.path("completed", "/submissions/add"), given)
    assert page.status_code == 409
    shows(page, "The hackathon takes no submissions now")


def test_a_team_is_disqualified_with_a_reason_and_reinstated(
    court: Court, organizer: Browser
) -> None:
    manage = court.team("Cedar", "/manage")
    without = organizer.post(court.team("Cedar", "/disqualify"), {"reason": " "})
    assert (without.status_code, wrong_fields(without)) == (422, {"reason"})
    organizer.post(court.team("Cedar", "/disqualify"), {"reason": "Begun <i>before</i>"})
    page = organizer.get(manage)
    shows(page, "Disqualified because Begun <i>before</i>", "Reinstate")
    assert "<i>before" not in page.text
    shows(organizer.get(court.path("completed", "/submissions")), "Disqualified")
    organizer.post(court.team("Cedar", "/reinstate"), {})
    shows(organizer.get(manage), "Cedar takes part again", "45.50")
    organizer.post(court.team("Cedar", "/reinstate"), {})
    shows(organizer.get(manage), "The submission is not disqualified")


def test_a_team_is_withdrawn_once(court: Court, organizer: Browser) -> None:
    organizer.post(court.team("Larks", "/withdraw"), {})
    shows(organizer.get(court.team("Larks", "/manage")), "Withdrawn", "are free again")
    organizer.post(court.team("Larks", "/withdraw"), {})
    shows(organizer.get(court.team("Larks", "/manage")), "The submission was withdrawn")


def test_a_new_result_link_is_shown_once(court: Court, organizer: Browser) -> None:
    page = organizer.post(court.team("Alder", "/link"), {})
    link = LINK.search(page.text)
    assert link is not None
    assert link[0] not in organizer.get(court.team("Alder", "/manage")).text
    token = link[0].rpartition("/")[2]
    assert token.startswith(court.submissions["Alder"].hack_id)


def test_submissions_of_others_are_not_there(court: Court, organizer: Browser) -> None:
    assert organizer.get(court.team("Foreigners", "/manage")).status_code == 404
    for rest in ("/disqualify", "/reinstate", "/withdraw", "/link"):
        answer = organizer.post(court.team("Foreigners", rest), {"reason": "Because."})
        assert answer.status_code == 404, rest
    assert organizer.post(court.path("foreign", "/submissions/freeze"), {}).status_code == 404
    given = {"way": "one", "team_name": "A", "repo_url": "https://github.com/a/a"}
    assert organizer.post(court.path("foreign", "/submissions/add"), given).status_code == 404


def test_freezing_says_what_became_of_it(court: Court) -> None:
    away = Unfrozen(court.submissions["Alder"], "REPO_UNREACHABLE", "the host does not answer")
    assert told(Frozen(frozen=1)) == ("1 commit is frozen now.", "success")
    text, tone = told(Frozen(frozen=3, before=2, unfrozen=[away]))
    assert tone == "warning"
    assert text == (
        "3 commits are frozen now, 2 before. Not frozen: Alder (the host does not answer)."
        " 1 will be tried again."
    )


def test_a_draft_cannot_be_frozen(court: Court, organizer: Browser) -> None:
    organizer.post(court.path("draft", "/submissions/freeze"), {})
    page = organizer.get(court.path("draft", "/submissions"))
    shows(page, "it can be frozen while it is open")
