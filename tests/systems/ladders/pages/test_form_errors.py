"""Bad values in every form: the page names its own labels and says how to mend each of them."""

from __future__ import annotations

import re

import httpx2
import pytest
from tests.console.reading import fields_of, text_of
from tests.console.support import Browser
from tests.systems.ladders.pages.support import BASE, Office, Review, review_made, typed_into

BELL = "Planning \x07 review"
#: Names of fields, parts of patterns, and words of the validation library.
INTERNAL = re.compile(
    r"\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w*|\bbody\b|\bpattern\b|\\x|\^\[|\[\^|\[a-z"
    r"|String should|Input should|Value error"
)

TEAM_FORM = [
    ("team_name", "", "Name: Is missing. Enter 2 to 100 characters, for example “Platform”."),
    ("team_name", "x" * 101, "Name: At most 100 characters."),
    ("team_name", BELL, "Name: Must be one line without control characters."),
    ("description", "x" * 1001, "What it is about: At most 1000 characters."),
    ("description", BELL, "What it is about: Must not contain control characters."),
]
PLAN_FORM = [
    ("plan_name", "", "Name: Is missing. Enter 2 to 100 characters, for example “Autumn review”."),
    ("plan_name", BELL, "Name: Must be one line without control characters."),
    ("end_date", "soon", "Last day: Choose a day, for example 2026-11-30."),
    ("end_date", "", "Choose a day, for example 2026-11-30."),
    ("end_date", "2020-01-01", "Last day: The last day has to be after the first day."),
    ("description", BELL, "What members should know: Must not contain control characters."),
]
DRAFT_FORM = [
    *PLAN_FORM,
    ("start_date", "31.12.2026", "First day: Choose a day, for example 2026-11-30."),
    ("config_version", "newest", "Ladder: Choose one of the versions, for example 1.0.0."),
    ("config_version", "9.9.9", "Ladder: There is no such version of the ladder."),
    ("flag_threshold", "many", "Flag a difference of: Enter a whole number from 1 to 9"),
    ("flag_threshold", "10", "Flag a difference of: Enter a whole number from 1 to 9"),
]
NEW_PLAN_FORM = [
    *DRAFT_FORM,
    ("season", "", "Season: Is missing. Use a year from 2000 to 2100"),
    ("season", "autumn", "Season: Use a year from 2000 to 2100, a half or a quarter: 2026"),
]


@pytest.fixture(scope="module")
def review(office: Office) -> Review:
    made = review_made(office, "omar", "lina", "mateo", season="2033")
    made.reported("lina", "omar")
    by, report_id = office.caller("omar"), made.report("lina").rpartition("/")[2]
    office.do(office.company.reports.release(by, report_id))
    return made


def assert_plain(text: str, *expected: str) -> None:
    """Require the messages, and nothing that only programmers know."""
    for each in expected:
        assert each in text, f"{each!r} is not on the page: {text}"
    found = INTERNAL.search(text)
    assert found is None, f"{found[0]!r} is on the page: {text}"


def refused(browser: Browser, page: str, form: str, field: str, value: str) -> httpx2.Response:
    """Post the form of a page as it is, with one other value, and follow where it leads."""
    values = typed_into(browser.get(page), form)
    answer = browser.post(form, {**values, field: value})
    if answer.status_code == 303:
        return browser.get(answer.headers["location"])
    assert answer.status_code in (409, 422), answer.status_code
    return answer


@pytest.mark.parametrize(("field", "value", "message"), TEAM_FORM)
def test_bad_value_in_the_forms_of_a_team(
    office: Office, omar: Browser, ines: Browser, field: str, value: str, message: str
) -> None:
    path = f"{BASE}/teams/{office.team('omar').team_id}"
    for browser, page, form in (
        (omar, f"{BASE}/teams", f"{BASE}/teams"),
        (ines, f"{BASE}/admin/teams", f"{BASE}/admin/teams"),
        (omar, path, path),
    ):
        values = {**fields_of(browser.get(page), form), "team_name": "Tools", field: value}
        assert_plain(text_of(browser.post(form, values)), message)


@pytest.mark.parametrize(("field", "value", "message"), NEW_PLAN_FORM)
def test_bad_value_in_the_form_of_a_new_plan(
    review: Review, omar: Browser, field: str, value: str, message: str
) -> None:
    form = f"{BASE}/teams/{review.team.team_id}/plans/new"
    assert_plain(text_of(refused(omar, form, form, field, value)), message)


@pytest.mark.parametrize(("field", "value", "message"), DRAFT_FORM)
def test_bad_value_in_the_form_of_a_draft(
    office: Office, review: Review, omar: Browser, field: str, value: str, message: str
) -> None:
    new = f"{BASE}/teams/{review.team.team_id}/plans/new"
    values = {**fields_of(omar.get(new), "/new"), "season": "2040"}
    answer = omar.post(new, values)
    path = answer.headers["location"]
    try:
        assert_plain(text_of(refused(omar, path, path, field, value)), message)
    finally:
        omar.post(f"{path}/delete", {})


@pytest.mark.parametrize(("field", "value", "message"), PLAN_FORM)
def test_bad_value_in_the_form_of_a_running_plan(
    review: Review, omar: Browser, field: str, value: str, message: str
) -> None:
    if value == "2020-01-01":
        message = "only name and description change"
    path = f"{BASE}/plans/{review.plan.plan_id}"
    assert_plain(text_of(refused(omar, path, path, field, value)), message)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("email", "", "E-mail address: Is missing. Enter one, for example asha@example.org."),
        (
            "email",
            "lina at work",
            "E-mail address: Enter an e-mail address such as asha@example.org.",
        ),
        ("email", "lina@example.org", "Somebody has this address already."),
        ("name", "", "Name: Is missing. Enter 1 to 100 characters, for example “Lina Moreau”."),
        ("name", BELL, "Name: Must be one line without control characters."),
    ],
)
def test_bad_value_in_an_invitation(ines: Browser, field: str, value: str, message: str) -> None:
    form = f"{BASE}/admin/users"
    answer = ines.post(form, {"email": "x@example.org", "name": "X", field: value})
    assert_plain(text_of(answer), message)


def test_bad_value_in_the_forms_of_a_person(office: Office, ines: Browser) -> None:
    path = f"{BASE}/admin/users/{office.people['nora']}"
    assert_plain(text_of(refused(ines, path, path, "name", BELL)), "Name: Must be one line")
    erase = refused(ines, path, f"{path}/erase", "confirm", "someone")
    assert_plain(text_of(erase), "Type their address to confirm: This is not their address.")


def test_bad_value_in_the_forms_about_members(
    office: Office, review: Review, omar: Browser, ines: Browser
) -> None:
    path = f"{BASE}/teams/{review.team.team_id}"
    added = refused(omar, path, f"{path}/members", "emails", "not an address")
    assert_plain(
        text_of(added), "E-mail addresses: There is no active person with the address not."
    )
    for browser, form, field in (
        (omar, f"{path}/members", "emails"),
        (omar, f"{path}/members/remove", "user_id"),
        (ines, f"{path}/manager", "manager_id"),
        (omar, f"{BASE}/plans/{review.plan.plan_id}/members", "user_id"),
        (omar, f"{BASE}/plans/{review.plan.plan_id}/members/withdraw", "user_id"),
    ):
        for value in ("", "nobody-there"):
            if field == "manager_id" and not value:
                continue
            answer = browser.post(form, {field: value})
            if answer.status_code == 303:
                answer = browser.get(answer.headers["location"])
            assert answer.status_code < 500
            assert_plain(text_of(answer))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("title", "", "What: Is missing. Say what is to be done"),
        ("title", BELL, "What: Must be one line without control characters."),
        ("due", "tomorrow", "Until: Choose a day, for example 2026-11-30."),
        ("note", "x" * 1001, "Note: At most 1000 characters."),
        ("note", BELL, "Note: Must not contain control characters."),
    ],
)
def test_bad_value_in_a_growth_action(
    review: Review, omar: Browser, field: str, value: str, message: str
) -> None:
    form = f"{review.report('lina')}/actions"
    given = {"title": "Speak", "due": "2026-12-24", "note": "", field: value}
    page = omar.get(omar.post(form, given).headers["location"].partition("#")[0])
    assert_plain(text_of(page), message)


def test_bad_value_in_an_acknowledgement_and_a_reason(
    review: Review, lina: Browser, omar: Browser
) -> None:
    path = review.report("lina")
    answer = lina.post(f"{path}/acknowledge", {"comment": BELL})
    assert_plain(text_of(answer), "Comment: Must not contain control characters.")
    expected = "Give a reason of 5 to 500 characters, for example “A project was forgotten.”"
    for form in (
        f"{review.assessment('lina')}/reopen",
        f"{BASE}/plans/{review.plan.plan_id}/reopen",
    ):
        for value in ("no", BELL, "x" * 501):
            answer = omar.post(form, {"reason": value})
            if answer.status_code == 303:
                answer = omar.get(answer.headers["location"])
            assert_plain(text_of(answer), expected)


def test_bad_value_in_an_assessment(review: Review, mateo: Browser, omar: Browser) -> None:
    path = review.assessment("mateo")
    first = review.ladder.categories[0].competencies[0].name
    for field, value, message in (
        ("c0.level", "high", f"{first}, level: Choose one of the levels."),
        ("c0.level", "9", f"{first}, level: Must be from 1 to"),
        ("c0.evidence", BELL, f"{first}, evidence: Must not contain control characters."),
        ("c0.next", "x" * 4001, f"{first}, next step: At most 4000 characters."),
    ):
        values = {**typed_into(mateo.get(f"{path}?step=1"), path), "c0.level": "2", field: value}
        answer = mateo.post(path, values)
        assert answer.status_code == 422
        assert_plain(text_of(answer), message)
        saved = mateo.post(f"{path}/autosave", values)
        assert saved.status_code == 422
        assert_plain(saved.json()["detail"], message)
        assert saved.json()["errors"][0]["field"] == f"body.{field}"
    step = len(review.ladder.categories) + 1
    own = review.assessment("mateo", "manager")
    for browser, page, field, value, message in (
        (mateo, path, "goal_level", "top", "Goal: Choose one of the levels."),
        (mateo, path, "goal_level", "10", "Goal: Must be from 1 to"),
        (mateo, path, "way_forward", BELL, "Way forward: Must not contain control characters."),
        (omar, own, "overall_level", "10", "Overall level: Must be from 1 to"),
        (omar, own, "overall_reason", BELL, "Reason for another overall level: Must not contain"),
    ):
        values = {**typed_into(browser.get(f"{page}?step={step}"), page), field: value}
        answer = browser.post(page, values)
        assert answer.status_code == 422
        assert_plain(text_of(answer), message)


@pytest.mark.parametrize("value", ["", "two", "1.0", "01.0.0", "1.0.0" + "0" * 40])
def test_bad_version_of_a_ladder(ines: Browser, value: str) -> None:
    form = f"{BASE}/admin/ladders/new"
    page = refused(ines, form, form, "version", value)
    section = text_of(page).partition("Markdown:")[0] + text_of(page).partition("Version")[2][:300]
    assert_plain(section, "Version: Must be three numbers, for example 1.1.0.")


def test_bad_value_in_a_filter(review: Review, ines: Browser, omar: Browser) -> None:
    for path in (
        f"{BASE}/admin/users?page=last",
        f"{BASE}/admin/teams?page=last",
        f"{BASE}/admin/audit?day=someday&actor=nobody&action=none",
        f"{BASE}/teams/{review.team.team_id}/heatmap?plan=none&source=none&sort=none",
        f"{BASE}/plans/{review.plan.plan_id}/board?page=last",
    ):
        browser = omar if "/plans/" in path or "/heatmap" in path else ines
        answer = browser.get(path)
        assert answer.status_code < 500
        text = text_of(answer)
        found = re.search(r"Input should|String should|pattern|Value error", text)
        assert found is None, text
