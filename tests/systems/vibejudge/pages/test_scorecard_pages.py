"""Scorecards: what they rest on, hostile repositories, runs, judges, and overriding."""

from __future__ import annotations

from decimal import Decimal

from tests.console.support import Browser
from tests.systems.vibejudge.pages.support import Court
from tests.systems.vibejudge.standings.support import GIVEN, SHA, Scored, analysed, scored
from tests.systems.vibejudge.support import moved, submission

from tablewright.model import put
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import CostRecord, Evidence
from tablewright.systems.vibejudge.judging import HumanScore, Judge

HOSTILE = "<script>alert(1)</script>"


def _card(found: Scored, rest: str = "") -> str:
    one = found.submission
    return f"/vibejudge/hackathons/{one.hack_id}/submissions/{one.sub_id}{rest}"


def test_a_scorecard_shows_what_it_rests_on(court: Court, organizer: Browser) -> None:
    made = court.planned("Card Jam")
    flags = (
        "commits_outside_dates:2",
        "far_from_static:bug_hunter.security",
        "far_from_static:innovation.readme_quality",
    )
    found = court.do(scored(court.courtroom, made, flags=flags))
    text = organizer.get(_card(found)).text
    assert "76.82" in text
    assert "Rank 1" in text
    assert "Solid submission" in text
    owner, name = found.submission.repo_owner, found.submission.repo_name
    link = f"https://github.com/{owner}/{name}/blob/{SHA}/app/main.py#L3"
    assert text.count(link) == 4
    assert "app/main.py:3" in text
    assert "Commits outside the dates of the hackathon: 2." in text
    assert "4 points: security (bug hunter), readme quality (innovation)." in text
    for words in ("Bug hunter", "67.75", "82.25", "Technical novelty", "does not count under"):
        assert words in text
    assert 'class="radar-1"' in text
    assert "Show the figures" in text


def test_what_repositories_say_is_text(court: Court, organizer: Browser) -> None:
    made = court.planned("Hostile Jam")
    found = court.do(scored(court.courtroom, made, flags=(f"injection:told:{HOSTILE}",)))
    bad = Evidence(
        file=f"a/{HOSTILE}.py", line=1, severity="critical", message=HOSTILE, excerpt=HOSTILE
    )
    score = found.scores["bug_hunter"].model_copy(update={"evidence": [bad], "summary": HOSTILE})
    court.do(court.courtroom.db.run(put(score).replace()))
    text = organizer.get(_card(found)).text
    assert HOSTILE not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "%3Cscript%3E" in text


def test_what_is_not_scored_says_why(court: Court, organizer: Browser) -> None:
    text = organizer.get(court.team("Larks")).text
    assert "Not analysed yet" in text
    assert court.path("open", "/run") in text
    made = court.planned("Failed Jam")
    failed = court.do(
        submission(
            court.courtroom, made, "Losers", status="failed", error_message="It is not public."
        )
    )
    path = f"/vibejudge/hackathons/{made.hack_id}/submissions/{failed.sub_id}"
    assert "It is not public." in organizer.get(path).text


def test_foreign_scorecards_are_not_there(court: Court, organizer: Browser, judge: Browser) -> None:
    assert organizer.get(court.team("Foreigners")).status_code == 404
    assert organizer.get(court.path("open", "/submissions/none")).status_code == 404
    assert judge.get(court.team("Larks")).status_code == 403
    fields = {"score": "1", "reason": "Because I want it so."}
    assert organizer.post(court.team("Foreigners", "/override"), fields).status_code == 404
    assert organizer.post(court.team("Foreigners", "/override/revoke"), {}).status_code == 404


def test_earlier_runs_and_costs_stay_readable(court: Court, organizer: Browser) -> None:
    made = court.planned("Again Jam")
    first = court.do(scored(court.courtroom, made))
    again = {**GIVEN, "bug_hunter": "9 9 9 9 9"}
    court.do(analysed(court.courtroom, made, first.submission, again))
    cost = CostRecord(
        sub_id=first.submission.sub_id,
        run_id=first.run.run_id,
        agent_name="innovation",
        attempt=1,
        call=1,
        hack_id=made.hack_id,
        model_id="gpt-4.1",
        input_tokens=1000,
        output_tokens=20,
        total_tokens=1020,
        input_cost_usd=Decimal("0.4"),
        output_cost_usd=Decimal("0.1"),
        total_cost_usd=Decimal("0.5"),
        latency_ms=2000,
        estimated=True,
        created_at=court.courtroom.now(),
    )
    court.do(court.courtroom.db.run(put(cost)))
    text = organizer.get(_card(first)).text
    assert "gpt-4.1" in text
    assert "$0.50" in text
    assert "estimated" in text
    old = organizer.get(_card(first, f"/runs/{first.run.run_id}"))
    assert "Another one counts by now" in old.text
    assert "67.75" in old.text
    assert organizer.get(_card(first, "/runs/none")).status_code == 404


def test_what_judges_gave_is_told_by_name(court: Court, organizer: Browser) -> None:
    made = court.planned("Judged Jam")
    found = court.do(scored(court.courtroom, made, human_score=Decimal(80)))
    now = court.courtroom.now()
    judge = Judge(hack_id=made.hack_id, name=HOSTILE, created_at=now, updated_at=now)
    given = HumanScore(
        sub_id=found.submission.sub_id,
        round_number=1,
        judge_id=judge.judge_id,
        hack_id=made.hack_id,
        scores={"innovation": Decimal("8.5")},
        comment="Worth a look.",
        created_at=now,
    )
    for each in (judge, given):
        court.do(court.courtroom.db.run(put(each)))
    text = organizer.get(_card(found)).text
    assert "Innovation 8.5" in text
    assert "Worth a look." in text
    assert HOSTILE not in text
    assert "too few have judged it" in text


def test_a_score_is_overridden_and_that_is_revoked(court: Court, organizer: Browser) -> None:
    made = court.planned("Override Jam")
    found = court.do(scored(court.courtroom, made))
    court.do(moved(court.courtroom, made, "completed"))
    path = _card(found)

    def score() -> Decimal | None:
        key = (made.hack_id, found.submission.sub_id)
        return court.do(court.courtroom.db.require(reads.submission(*key))).rank_score

    short = organizer.post(f"{path}/override", {"score": "101", "reason": "Too short"})
    assert short.status_code == 422
    assert "At least 10 characters." in short.text
    assert "Too short" in short.text
    assert "At most 100" in short.text
    answer = organizer.post(f"{path}/override", {"score": "91.5", "reason": "Shown live."})
    assert answer.status_code == 303
    assert score() == Decimal("91.5")
    text = organizer.get(path).text
    assert "91.50 counts, by your decision." in text
    assert "Shown live." in text
    organizer.post(f"{path}/override/revoke", {})
    assert score() == Decimal("76.82")
    text = organizer.get(path).text
    assert "What agents and judges say counts again." in text
    assert "revoked" in text
    organizer.post(f"{path}/override/revoke", {})
    assert "There is no override to revoke." in organizer.get(path).text
