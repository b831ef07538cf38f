"""What managers have: teams, plans, the board, the heat map."""

from __future__ import annotations

import csv
import io

import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.ladders.pages.support import BASE, HOSTILE, Office, Review, done, review_made

from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.pages.heatmap import HeatView
from tablewright.systems.ladders.service.growth import HeatMap, HeatRow

TEAMS = f"{BASE}/teams"


def team_at(office: Office, team_id: str) -> m.Team:
    return office.do(office.company.db.require(m.team(team_id)))


def plan_at(review: Review) -> m.Plan:
    return review.office.do(review.office.company.db.require(m.plan(review.plan.plan_id)))


def plan_page(review: Review, rest: str = "") -> str:
    return f"{BASE}/plans/{review.plan.plan_id}{rest}"


@pytest.fixture(scope="module")
def review(office: Office) -> Review:
    """Lina is done, Mateo has begun nothing."""
    made = review_made(office, "omar", "lina", "mateo")
    made.reported("lina", "omar", coding=5)
    return made


# --- teams ---------------------------------------------------------------------------------------


def test_a_manager_makes_a_team_and_fills_it(office: Office, omar: Browser) -> None:
    wrong = omar.post(TEAMS, {"team_name": ""})
    assert wrong_fields(wrong) == {"team_name"}
    answer = done(omar.post(TEAMS, {"team_name": HOSTILE, "description": "Builds."}))
    path = answer.headers["location"]
    shows(omar.get(path), HOSTILE, "No member yet", "No plan yet")
    assert "<img src=x" not in omar.get(TEAMS).text + omar.get(path).text
    unknown = omar.post(f"{path}/members", {"emails": "lina@example.org\nnobody@example.org"})
    assert unknown.status_code == 422
    shows(unknown, "There is no active person with the address nobody@example.org.")
    done(omar.post(f"{path}/members", {"emails": "lina@example.org, nora@example.org"}), path)
    shows(omar.get(path), "2 new members.", "Lina Moreau", "lina@example.org")
    done(omar.post(f"{path}/members/remove", {"user_id": office.people["nora"]}), path)
    assert team_at(office, path.rpartition("/")[2]).member_ids == {office.people["lina"]}


def test_name_and_description_change_at_the_revision_that_was_shown(
    office: Office, omar: Browser
) -> None:
    team = office.team("omar", team_name="Before")
    path = f"{TEAMS}/{team.team_id}"
    form = fields_of(omar.get(path), path)
    done(omar.post(path, {**form, "team_name": "After"}), path)
    shows(omar.get(path), "The team is saved.", "After")
    assert omar.post(path, {**form, "team_name": "Third"}).status_code == 412
    assert team_at(office, team.team_id).team_name == "After"


def test_a_member_reads_and_others_do_not_know_of_it(
    review: Review, lina: Browser, judith: Browser
) -> None:
    path = f"{TEAMS}/{review.team.team_id}"
    page = lina.get(path)
    shows(page, "Mateo Silva", "Review 2026-H2")
    assert "mateo@example.org" not in page.text
    assert "Add members" not in page.text
    assert lina.post(f"{path}/members", {"emails": "nora@example.org"}).status_code == 403
    for each in (path, f"{path}/heatmap", plan_page(review), plan_page(review, "/board")):
        assert judith.get(each).status_code == 404
    for each in (f"{path}/heatmap", plan_page(review, "/board"), f"{path}/plans/new"):
        assert lina.get(each).status_code == 403


def test_an_administrator_gives_a_team_to_another_manager_and_closes_it(
    office: Office, ines: Browser, omar: Browser, judith: Browser
) -> None:
    path = f"{TEAMS}/{office.team('omar', team_name='Handed over').team_id}"
    form = fields_of(ines.get(path), "/manager")
    assert omar.post(f"{path}/manager", form).status_code == 403
    done(ines.post(f"{path}/manager", {**form, "manager_id": office.people["judith"]}), path)
    assert judith.get(path).status_code == 200
    assert omar.get(path).status_code == 404
    stale = ines.post(f"{path}/manager", form)
    done(stale, path)
    shows(ines.get(path), "Somebody has changed it since you read it.")
    done(ines.post(f"{path}/close", {}), path)
    shows(ines.get(path), "The team is closed.")
    assert "Add members" not in ines.get(path).text


# --- plans ---------------------------------------------------------------------------------------


def test_a_season_is_planned_changed_and_activated(office: Office, omar: Browser) -> None:
    team = office.team("omar", "nora")
    new = f"{TEAMS}/{team.team_id}/plans/new"
    form = fields_of(omar.get(new), new)
    wrong = omar.post(new, {**form, "season": "spring", "end_date": "", "flag_threshold": "12"})
    assert wrong_fields(wrong) == {"season", "end_date", "flag_threshold"}
    early = omar.post(new, {**form, "end_date": "2020-01-01"})
    assert wrong_fields(early) == {"end_date"}
    path = done(omar.post(new, {**form, "season": "H1-2027"})).headers["location"]
    taken = omar.post(new, {**form, "season": "2027-H1"})
    assert wrong_fields(taken) == {"season"}

    draft = fields_of(omar.get(path), path)
    done(omar.post(path, {**draft, "plan_name": HOSTILE, "require_all": ""}), path)
    page = omar.get(path)
    shows(page, HOSTILE, "Who would take part", "Nora Haddad")
    assert "<img src=x" not in page.text
    done(omar.post(f"{path}/activate", fields_of(page, "/activate")), path)
    shows(omar.get(path), "The review is under way", "Who takes part", "1 member")
    plan = office.do(office.company.db.require(m.plan(path.rpartition("/")[2])))
    assert (plan.status, plan.require_all) == ("active", False)
    done(omar.post(f"{path}/delete", {}), path)
    shows(omar.get(path), "Only a draft can be changed or deleted")


def test_what_is_under_way_can_only_end_later(review: Review, omar: Browser) -> None:
    path = plan_page(review)
    form = fields_of(omar.get(path), path)
    earlier = omar.post(path, {**form, "end_date": "2026-11-16"})
    assert earlier.status_code == 409
    done(omar.post(path, {**form, "end_date": "2026-12-20", "plan_name": "Longer"}), path)
    shows(omar.get(path), "Longer", "20 Dec 2026")


def test_a_draft_is_deleted_and_only_shown_to_who_runs_the_team(
    office: Office, omar: Browser, lina: Browser
) -> None:
    made = review_made(office, "omar", "lina", season="2028", status="draft", plan_name="Far off")
    team = f"{TEAMS}/{made.team.team_id}"
    assert "Far off" not in lina.get(team).text
    shows(omar.get(team), "Far off")
    done(omar.post(plan_page(made, "/delete"), {}), team)
    assert omar.get(plan_page(made)).status_code == 404


def test_late_joiners_are_enrolled_and_leavers_withdrawn(office: Office, omar: Browser) -> None:
    made = review_made(office, "omar", "mateo")
    team, path = f"{TEAMS}/{made.team.team_id}", plan_page(made)
    done(omar.post(f"{team}/members", {"emails": "nora@example.org"}), team)
    shows(omar.get(path), "Joined later", "Nora Haddad")
    done(omar.post(f"{path}/members", {"user_id": office.people["nora"]}), path)
    done(omar.post(f"{path}/members/withdraw", {"user_id": office.people["mateo"]}), path)
    assert plan_at(made).member_ids == {office.people["nora"]}
    done(omar.post(f"{path}/members", {"user_id": office.people["lina"]}), path)
    shows(omar.get(path), "Only a member of the team takes part in its review.")


def test_completing_tells_what_is_open_and_takes_a_second_word(
    office: Office, omar: Browser, ines: Browser
) -> None:
    made = review_made(office, "omar", "nora", season="2026-Q4")
    path = plan_page(made)
    asked = omar.post(f"{path}/complete", {})
    assert asked.status_code == 409
    shows(asked, "2 assessments are not submitted.", "Complete it all the same")
    assert plan_at(made).status == "active"
    done(omar.post(f"{path}/complete", {"force": "1"}), path)
    assert omar.post(f"{path}/reopen", {"reason": "A project was forgotten."}).status_code == 403
    assert wrong_fields(ines.post(f"{path}/reopen", {"reason": "no"})) == {"reason"}
    done(ines.post(f"{path}/reopen", {"reason": "A project was forgotten."}), path)
    assert plan_at(made).status == "active"
    done(omar.post(f"{path}/complete", {"force": "1"}), path)
    done(omar.post(f"{path}/archive", {}), path)
    shows(omar.get(path), "Archived")


# --- the board -----------------------------------------------------------------------------------


def test_the_board_says_how_far_everybody_is(review: Review, omar: Browser, ines: Browser) -> None:
    path = plan_page(review, "/board")
    page = omar.get(path)
    shows(page, "2 of 4", "1 of 2", "Lina Moreau", "Ready to release", "Not started")
    assert f'href="{review.report("lina")}"' in page.text
    # A self-assessment that is not submitted is its author's alone.
    assert f'href="{review.assessment("mateo")}"' not in page.text
    assert f'href="{review.assessment("mateo", "manager")}"' in page.text
    assert f'href="{review.assessment("mateo", "manager")}"' not in ines.get(path).text
    part = omar.get(f"{path}/part")
    assert "<html" not in part.text
    assert "Lina Moreau" in part.text


def test_who_has_something_open_is_reminded_once_a_day(review: Review, omar: Browser) -> None:
    path = plan_page(review, "/board")
    done(omar.post(f"{path}/remind", {}), path)
    assert "a mail." in text_of(omar.get(path))
    done(omar.post(f"{path}/remind", {}), path)
    shows(omar.get(path), "All were told today already.")


def test_reports_are_made_and_released_from_the_board(office: Office, omar: Browser) -> None:
    made = review_made(office, "omar", "mateo", season="2029")
    made.answer("mateo", "mateo")
    made.answer("mateo", "omar")
    path = plan_page(made, "/board")
    shows(omar.get(path), "Make the report")
    done(omar.post(f"{path}/build", {"user_id": office.people["mateo"]}), made.report("mateo"))
    shows(omar.get(path), "Release 1 report")
    done(omar.post(f"{path}/release", {}), path)
    shows(omar.get(path), "1 report is released", "Released")
    report = m.report(made.report("mateo").rpartition("/")[2])
    assert office.do(office.company.db.require(report)).status == "released"


def test_who_follows_the_board_is_told_of_changes(office: Office, omar: Browser) -> None:
    made = review_made(office, "omar", "nora", season="2030")
    with omar.client.stream("GET", plan_page(made, "/board/live")) as stream:
        lines = stream.iter_lines()
        assert next(each for each in lines if each.startswith("event:")) == "event: snapshot"
        made.answer("nora", "nora")
        told = next(each for each in lines if each == "event: progress")
    assert told


# --- the heat map --------------------------------------------------------------------------------


def test_the_heat_map_shows_one_side_in_a_season(review: Review, omar: Browser) -> None:
    path = f"{TEAMS}/{review.team.team_id}/heatmap"
    page = omar.get(path)
    shows(page, "Manager's assessment", "Lina Moreau", "Mean", "Not started")
    own = omar.get(path, params={"source": "self", "plan": review.plan.plan_id})
    shows(own, "Self-assessment", "Lina Moreau")
    # The manager sees more in one competency than Lina does.
    seen = 'title="Lina Moreau: Coding, level {}"'
    assert seen.format(5) in page.text
    assert seen.format(3) in own.text
    assert seen.format(5) not in own.text


def test_a_team_without_a_review_has_no_heat_map_yet(office: Office, omar: Browser) -> None:
    team = office.team("omar")
    shows(omar.get(f"{TEAMS}/{team.team_id}/heatmap"), "No review yet")
    other = review_made(office, "omar", "nora", season="2031")
    foreign = omar.get(f"{TEAMS}/{team.team_id}/heatmap", params={"plan": other.plan.plan_id})
    assert foreign.status_code == 404


def test_heat_map_is_downloaded_as_csv(office: Office, omar: Browser, lina: Browser) -> None:
    made = review_made(office, "omar", "lina", "mateo", season="2034")
    made.answer("lina", "omar", 2, coding=4)
    made.answer("mateo", "omar", 3)
    asked = [
        f"{category.name}: {each.name}"
        for category in made.ladder.categories
        for each in category.competencies
    ]
    path = f"{TEAMS}/{made.team.team_id}/heatmap/csv"
    answer = omar.get(path, params={"plan": made.plan.plan_id})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/csv")
    assert 'filename="heatmap-' in answer.headers["content-disposition"]
    head, *rows = list(csv.reader(io.StringIO(answer.text)))
    assert head == ["Member", "Status", *asked, "Overall level", "Average"]
    assert [row[:2] for row in rows] == [["Lina Moreau", "submitted"], ["Mateo Silva", "submitted"]]
    levels = [int(each) for each in rows[0][2:-2]]
    assert sorted(levels, reverse=True) == [4, *[2] * (len(asked) - 1)]
    assert float(rows[0][-1]) == pytest.approx(sum(levels) / len(levels), abs=0.005)
    assert rows[1][-1] == "3.00"
    assert lina.get(path, params={"plan": made.plan.plan_id}).status_code == 403


def test_heat_map_in_csv_has_no_formulas(office: Office, omar: Browser) -> None:
    made = review_made(office, "omar", "mateo", season="2035")
    made.answer("mateo", "omar", 3)
    user = office.do(office.company.db.require(m.user(office.people["mateo"])))
    row = HeatRow(user.user_id, "=HYPERLINK(1)", "not_started", {}, None)
    ladder, plan = made.ladder, made.plan
    text = HeatView(HeatMap(plan, "manager", ladder, [row])).to_csv().decode()
    assert "\n'=HYPERLINK(1),not_started," in text.replace("\r", "")


def test_heat_map_is_sorted_by_name_or_average(office: Office, omar: Browser) -> None:
    made = review_made(office, "omar", "lina", "mateo", "nora", season="2036")
    made.answer("lina", "omar", 2)
    made.answer("mateo", "omar", 4)
    path = f"{TEAMS}/{made.team.team_id}/heatmap"
    for sort, names in (
        ("", ["Lina", "Mateo", "Nora"]),
        ("name", ["Lina", "Mateo", "Nora"]),
        ("average", ["Mateo", "Lina", "Nora"]),
        ("nonsense", ["Lina", "Mateo", "Nora"]),
    ):
        given = {"plan": made.plan.plan_id, "sort": sort}
        text = text_of(omar.get(path, params=given)).partition("Overall level")[0]
        page = text_of(omar.get(path, params=given))
        assert sorted(names, key=page.rindex) == names, text
        rows = list(csv.reader(io.StringIO(omar.get(f"{path}/csv", params=given).text)))[1:]
        assert [row[0].split()[0] for row in rows] == names
