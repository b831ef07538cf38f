"""Leaderboard and costs: what they show, to whom, and what organisers do there."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from tests.console.support import Browser
from tests.systems.vibejudge.pages.support import Court
from tests.systems.vibejudge.standings.support import Scored, analysed, scored
from tests.systems.vibejudge.support import moved, submission

from tablewright.model import put
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import Fingerprint, Reservation
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.rules.minhash import minhash
from tablewright.systems.vibejudge.table import Agent

STRONG: dict[Agent, str] = {
    "bug_hunter": "9 9 8 9 9",
    "performance": "9 9 9 9 9",
    "innovation": "9 8.5 9 9 8",
    "ai_detection": "9 8 9 8 9",
}


async def _held(court: Court, made: HackathonDetail, sub_id: str) -> None:
    now = court.courtroom.now()
    await court.courtroom.db.run(
        put(
            Reservation(
                hack_id=made.hack_id,
                run_id="01KAGM5W00000000000000000A",
                agent_name="innovation",
                attempt=1,
                call=1,
                sub_id=sub_id,
                org_id=made.org_id,
                model_id="gpt-4.1",
                label="x",
                input_tokens=10,
                output_tokens=10,
                input_cost_usd=Decimal("0.5"),
                output_cost_usd=Decimal("0.25"),
                amount_usd=Decimal("0.75"),
                created_at=now,
            )
        )
    )


async def _tied(court: Court, made: HackathonDetail) -> list[Scored]:
    """Two that are equal, one that is better and flagged; the equal ones have the same code."""
    courtroom = court.courtroom
    first = await scored(courtroom, made, STRONG, flags=("injection:instruction:README.md",))
    equal = [await scored(courtroom, made) for _ in range(2)]
    for each in equal:
        await courtroom.db.run(
            put(
                Fingerprint(
                    hack_id=made.hack_id,
                    sub_id=each.submission.sub_id,
                    minhash=minhash(each * 0x9E3779B97F4A7C15 % 2**64 for each in range(1000)),
                    created_at=courtroom.now(),
                )
            )
        )
    await courtroom.jobs.comparing.compare(made.hack_id)
    await moved(courtroom, made, "completed")
    return [first, *equal]


def _ranks(text: str) -> list[tuple[str, str]]:
    """Ranks and teams, from the top."""
    found = re.findall(r'class="rank[^"]*">(\d+)</span>.*?<a href="[^"]+">([^<]+)</a>', text, re.S)
    return [(rank, team) for rank, team in found]


def test_ranks_are_shared_and_filters_leave_them(court: Court, organizer: Browser) -> None:
    made = court.planned("Tied Jam")
    best, second, third = court.do(_tied(court, made))
    path = f"/vibejudge/hackathons/{made.hack_id}/leaderboard"
    text = organizer.get(path).text
    teams = {each.submission.team_name for each in (second, third)}
    ranks = _ranks(text)
    assert ranks[0] == ("1", best.submission.team_name)
    assert [rank for rank, _ in ranks] == ["1", "2", "2"]
    assert {team for _, team in ranks[1:]} == teams
    assert "Text that speaks to the grader: instruction in README.md." in text
    assert text.count("Code that is the same as another submission&#39;s by 100 %.") == 2
    alike = _ranks(organizer.get(f"{path}?flag=similar").text)
    assert {team for _, team in alike} == teams
    assert {rank for rank, _ in alike} == {"2"}
    assert _ranks(organizer.get(f"{path}?recommendation=strong_contender").text) == ranks[:1]
    assert _ranks(organizer.get(f"{path}?least=70").text) == ranks[1:]
    named = third.submission.team_name.upper()
    assert _ranks(organizer.get(path, params={"team": named}).text)[0][1].upper() == named
    assert "Nothing fits" in organizer.get(f"{path}?team=nobody").text
    assert organizer.get(f"{path}?least=71").status_code == 422


def test_results_are_rescored_and_released(court: Court, organizer: Browser) -> None:
    made = court.planned("Release Jam", visibility="public")
    court.do(scored(court.courtroom, made))
    path = f"/vibejudge/hackathons/{made.hack_id}/leaderboard"
    early = organizer.post(f"{path}/release", {})
    assert early.status_code == 303
    assert "once the hackathon has ended" in organizer.get(path).text
    court.do(moved(court.courtroom, made, "completed"))
    organizer.post(f"{path}/rescore", {})
    assert "0 of 1 have another score by the rubric of now." in organizer.get(path).text
    organizer.post(f"{path}/release", {})
    text = organizer.get(path).text
    assert "The results are released" in text
    assert f"/vibejudge/gallery/{made.hack_id}" in text
    assert "Release results" not in text
    assert "Rescore" not in text
    assert f"/vibejudge/api/v1/hackathons/{made.hack_id}/export.csv" in text
    assert court.do(court.courtroom.hackathons.owned(court.caller, made.hack_id)).released_at


def test_an_empty_leaderboard_says_what_to_do(court: Court, organizer: Browser) -> None:
    text = organizer.get(court.path("open", "/leaderboard")).text
    assert "No score yet" in text
    assert court.path("open", "/run") in text


@pytest.mark.parametrize("page", ["/leaderboard", "/costs", "/run"])
def test_pages_are_the_owners_and_the_administrators(
    court: Court, organizer: Browser, admin: Browser, judge: Browser, visitor: Browser, page: str
) -> None:
    assert admin.get(court.path("open", page)).status_code == 200
    assert organizer.get(court.path("foreign", page)).status_code == 404
    assert organizer.get(f"/vibejudge/hackathons/none{page}").status_code == 404
    assert judge.get(court.path("open", page)).status_code == 403
    assert visitor.get(court.path("open", page)).status_code in (303, 401)


# --- costs ---------------------------------------------------------------------------------------


def test_costs_are_told_and_the_budget_is_raised(court: Court, organizer: Browser) -> None:
    made = court.planned("Dear Jam")
    team = court.do(submission(court.courtroom, made, "Spenders"))
    court.do(analysed(court.courtroom, made, team, total_cost_usd=Decimal("0.25")))
    court.do(_held(court, made, team.sub_id))
    path = f"/vibejudge/hackathons/{made.hack_id}/costs"
    text = organizer.get(path).text
    assert "Spenders" in text
    assert "$0.25" in text
    assert "$0.75" in text
    assert "1 call under way" in text
    assert "not yet made" in text
    assert organizer.post(f"{path}/budget", {"budget_limit_usd": "12.5"}).status_code == 303
    assert "The budget is $12.50 now." in organizer.get(path).text
    after = court.do(court.courtroom.db.run(reads.hackathon(made.hack_id)))
    assert after is not None
    assert after.budget_limit_usd == Decimal("12.5")
    assert after.rubric == made.rubric
    assert after.end_date == made.end_date
    cost = court.do(court.courtroom.db.run(reads.hackathon_cost(made.hack_id)))
    assert cost is not None
    assert cost.budget_remaining_usd == Decimal("12.5")


def test_a_wrong_budget_stays_in_the_form(court: Court, organizer: Browser) -> None:
    path = court.path("open", "/costs")
    for typed in ("much", "-1", "10001", ""):
        answer = organizer.post(f"{path}/budget", {"budget_limit_usd": typed})
        assert answer.status_code == 422
        assert 'aria-invalid="true"' in answer.text
        assert f'value="{typed}"' in answer.text
    assert organizer.post(f"{path}/budget", {"budget_limit_usd": "7"}, token=False).status_code in (
        400,
        403,
    )
