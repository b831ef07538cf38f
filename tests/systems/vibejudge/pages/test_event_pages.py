"""Pages that run an event: corrections, retries, releases, and what is hidden after a release."""

from __future__ import annotations

import pytest
from tests.console.reading import shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.vibejudge.pages.support import BASE, Court
from tests.systems.vibejudge.support import moved, submission

from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.bodies.judges import JudgeIn, RoundChange, RoundIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.pages.desk import DEMO_JUDGE
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.service.submissions import reachability


def manage(one: Submission, rest: str = "/manage") -> str:
    return f"{BASE}/hackathons/{one.hack_id}/submissions/{one.sub_id}{rest}"


def page(made: HackathonDetail, rest: str) -> str:
    return f"{BASE}/hackathons/{made.hack_id}{rest}"


def test_submission_is_corrected_on_its_page(court: Court, organizer: Browser) -> None:
    made = court.planned("Correct Jam")
    one = court.do(submission(court.courtroom, made, "Owls"))
    court.do(submission(court.courtroom, made, "Bats"))
    taken = {"team_name": "bats", "repo_url": one.repo_url}
    assert wrong_fields(organizer.post(manage(one, "/correct"), taken)) == {"team_name"}
    bad = {"team_name": "Owls", "repo_url": "https://example.org/a"}
    assert wrong_fields(organizer.post(manage(one, "/correct"), bad)) == {"repo_url"}
    good = {"team_name": "O'Brien <b>", "repo_url": "git@github.com:owls/new.git"}
    assert organizer.post(manage(one, "/correct"), good).status_code == 303
    shows(organizer.get(manage(one)), "Saved: O'Brien <b>, owls/new.", "O'Brien <b>")
    stored = court.do(court.courtroom.db.require(reads.submission(one.hack_id, one.sub_id)))
    assert (stored.team_name, stored.repo_url) == ("O'Brien <b>", "https://github.com/owls/new")


def test_search_finds_submissions_beyond_the_first_page(court: Court, organizer: Browser) -> None:
    made = court.planned("Search Jam")
    for number in range(55):
        court.do(submission(court.courtroom, made, f"Team {number}"))
    court.do(submission(court.courtroom, made, "Café Zürich"))
    listed = organizer.get(page(made, "/submissions"))
    assert "Café Zürich" not in text_of(listed)
    shows(organizer.get(page(made, "/submissions?q=zurich")), "Café Zürich")
    shows(organizer.get(page(made, "/submissions?q=absent")), "No submission found")


def test_retry_buttons_start_jobs_of_only_these(court: Court, organizer: Browser) -> None:
    made = court.planned("Retry Jam")
    one = court.do(submission(court.courtroom, made, "Owls", status="failed"))
    court.do(submission(court.courtroom, made, "Bats", status="completed"))
    shows(organizer.get(page(made, "/run")), "The hackathon has not ended.", "is a trial")
    organizer.post(page(made, "/run/retry"), {})
    shows(organizer.get(page(made, "/run")), "The failed submissions are analysed again.")
    (job,) = court.do(court.courtroom.jobs.of(court.caller, made.hack_id))
    assert (job.scope, job.trial) == ("failed", True)
    # One job at a time: what is in the way is said.
    organizer.post(manage(one, "/retry"), {})
    shows(organizer.get(manage(one)), "The hackathon is being analysed.")


def test_release_with_an_open_round_asks_to_close_it(court: Court, organizer: Browser) -> None:
    made = court.planned("Closing Jam", visibility="public")
    one = court.do(submission(court.courtroom, made, "Owls"))
    judging = court.courtroom.judging
    court.do(judging.judges.invite(court.caller, made.hack_id, JudgeIn(name="Ada")))
    court.do(judging.rounds.add(court.caller, made.hack_id, RoundIn()))
    opened = RoundChange(state="open")
    court.do(judging.rounds.change(court.caller, made.hack_id, 1, opened))
    court.do(moved(court.courtroom, made, "completed"))
    board = page(made, "/leaderboard")
    shows(organizer.get(board), "Judges can still score in round 1.")
    organizer.post(f"{board}/release", {})
    shows(organizer.get(board), "Round 1 is not closed")
    organizer.post(f"{board}/release", {"close_rounds": "1", "public_ranks": "lots"})
    shows(organizer.get(board), "Enter a number from 1 to 1000, or leave it empty.")
    organizer.post(f"{board}/release", {"close_rounds": "1", "public_ranks": "3"})
    shows(organizer.get(board), "The results are released", "Scores and ranks are final.")
    released = court.do(court.courtroom.hackathons.owned(court.caller, made.hack_id))
    assert released.public_ranks == 3
    # What cannot be done any more is not offered.
    assert "Invite a judge" not in text_of(organizer.get(page(made, "/judging")))
    text = text_of(organizer.get(manage(one)))
    assert "Withdraw submission" not in text
    assert "Reopen the hackathon" in text


def test_team_is_warned_of_a_repository_that_is_not_there(
    court: Court, visitor: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(*_: object) -> None:
        raise RepoError("REPO_NOT_FOUND", "there is no such repository, or it is not public")

    monkeypatch.setattr(reachability, "head_of", absent)
    made = court.planned("Warning Jam", visibility="public")
    given = {"team_name": "Owls", "repo_url": "github.com/owls/typo"}
    answer = visitor.post(f"{BASE}/gallery/{made.hack_id}", given, token=False)
    assert answer.status_code == 201
    shows(answer, "Check your repository.", "there is no such repository", "Shown once")


def test_demo_judge_without_a_demo_is_told_so(court: Court, judge: Browser) -> None:
    assert DEMO_JUDGE == "demo-judge"
    shows(judge.get(f"{BASE}/desk"), "Judge the sample hackathon")
    judge.post(f"{BASE}/desk/demo", {})
    shows(judge.get(f"{BASE}/desk"), "The demo has no hackathon to judge yet.")


def test_pages_about_the_system_are_for_administrators(
    court: Court, organizer: Browser, admin: Browser
) -> None:
    assert "Data model" not in organizer.get(court.path("open")).text
    assert "Data model" in admin.get(court.path("open")).text


def test_budget_is_read_as_people_write_it(court: Court, organizer: Browser) -> None:
    made = court.planned("Budget Jam")
    for text, amount in (("12,50", "12.5"), ("$1,500.00", "1500"), ("7", "7")):
        organizer.post(page(made, "/costs/budget"), {"budget_limit_usd": text})
        detail = court.do(court.courtroom.hackathons.owned(court.caller, made.hack_id))
        assert f"{detail.budget_limit_usd.normalize():f}" == amount
    wrong = organizer.post(page(made, "/costs/budget"), {"budget_limit_usd": "1,500"})
    assert wrong_fields(wrong) == {"budget_limit_usd"}
