"""Scorecards and runs; scoring again by another rubric, while others write as well."""

from __future__ import annotations

import csv
import io
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import pytest
from tests.systems.vibejudge.api_support import OTTO, api_on, code_of
from tests.systems.vibejudge.standings.support import (
    GIVEN,
    SHA,
    Scored,
    analysed,
    score_of,
    scored,
)
from tests.systems.vibejudge.support import (
    audited,
    caller_of,
    courtroom_on,
    hackathon,
    moved,
    organizer,
    refused,
    run,
    submission,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.model import new_ulid, put
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import RunStatus
from tablewright.systems.vibejudge.bodies.scorecards import scorecard_out
from tablewright.systems.vibejudge.entities import HackathonDetail, Rubric, SubmissionStatus
from tablewright.systems.vibejudge.pages.scorecard_lines import picture_of
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.testing import Backend


def only(hackathon: HackathonDetail, agent: str) -> Rubric:
    """A rubric with all weight on one agent."""
    (dimension,) = (each for each in hackathon.rubric.dimensions if each.agent == agent)
    heavy = dimension.model_copy(update={"weight": Decimal(1)})
    return hackathon.rubric.model_copy(update={"dimensions": [heavy], "name": "Another"})


# --- looking -------------------------------------------------------------------------------------


def test_a_scorecard_over_http(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            olga = caller_of((await api.get("/organizers/me"))["org_id"])
            made = await hackathon(api.courtroom, olga)
            best = await scored(api.courtroom, made, flags=("commits_outside_dates:2",))
            part = {agent: text for agent, text in GIVEN.items() if agent != "innovation"}
            second = await scored(api.courtroom, made, part)
            waiting = await submission(api.courtroom, made)
            base = f"/hackathons/{made.hack_id}/submissions"
            card = await api.get(f"{base}/{best.submission.sub_id}/scorecard")
            assert (card["rank"], card["score"], card["commit_sha"]) == (1, 76.82, SHA)
            assert [each["agent"] for each in card["agents"]] == list(GIVEN)
            assert card["agents"][0]["overall_score"] == 67.75
            assert card["agents"][0]["evidence"][0]["link"].endswith(f"/blob/{SHA}/app/main.py#L3")
            assert card["flags"][0]["said"] == "Commits outside the dates of the hackathon: 2."
            assert sum(each["weight"] for each in card["dimensions"]) == pytest.approx(1)
            other = await api.get(f"{base}/{second.submission.sub_id}/scorecard")
            assert (other["rank"], other["partial"]) == (2, True)
            absent = [each for each in other["dimensions"] if each["raw"] is None]
            assert [each["name"] for each in absent] == ["innovation"]
            answer = await api("GET", f"{base}/{waiting.sub_id}/scorecard")
            assert code_of(answer) == (404, "NOT_SCORED")
            for path in ("scorecard", "runs", f"runs/{best.run.run_id}"):
                place = f"{base}/{best.submission.sub_id}/{path}"
                assert code_of(await api.as_(OTTO)("GET", place)) == (404, "NOT_FOUND")
                assert code_of(await api.as_("nobody")("GET", place))[0] == 401

    run(main())


def test_an_earlier_run_stays_readable(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            olga = caller_of((await api.get("/organizers/me"))["org_id"])
            made = await hackathon(api.courtroom, olga)
            first = await scored(api.courtroom, made)
            lower = dict.fromkeys(GIVEN, "5 5 5 5 4")
            second = await analysed(api.courtroom, made, first.submission, lower)
            base = f"/hackathons/{made.hack_id}/submissions/{first.submission.sub_id}"
            card = await api.get(f"{base}/scorecard")
            assert (card["run_id"], card["score"]) == (second.run.run_id, 49.2)
            runs = (await api.get(f"{base}/runs"))["items"]
            assert [each["run_id"] for each in runs] == [second.run.run_id, first.run.run_id]
            old = await api.get(f"{base}/runs/{first.run.run_id}")
            assert (old["counts"], old["commit_sha"]) == (False, SHA)
            assert old["agents"][0]["scores"]["code_quality"] == 7.5
            assert (await api.get(f"{base}/runs/{second.run.run_id}"))["counts"] is True
            for wrong in (new_ulid(), "nonsense"):
                answer = await api("GET", f"{base}/runs/{wrong}")
                assert code_of(answer) == (404, "NOT_FOUND")

    run(main())


@pytest.mark.parametrize("status", ["running", "failed", "timeout", "cancelled"])
def test_what_was_never_published_is_not_shown(
    tablewright_backend: Backend, clock: ManualClock, status: RunStatus
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            one = await scored(courtroom, made)
            given = {"run_id": new_ulid(), "status": status}
            other = one.run.model_copy(update=given)
            await courtroom.db.run(put(other))
            found = score_of(one.submission, other, "bug_hunter", GIVEN["bug_hunter"])
            await courtroom.db.run(put(found))
            place = (olga, made.hack_id, one.submission.sub_id)
            shown = await courtroom.scorecards.run(*place, other.run_id)
            assert (shown.run.status, shown.agents, shown.counts) == (status, (), False)
            assert len((await courtroom.scorecards.run(*place, one.run.run_id)).agents) == 4

    run(main())


def test_a_score_is_the_same_wherever_it_is_shown(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """8.225 is 8.23, half up, for programs, on pages and in spreadsheets."""

    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            olga = caller_of((await api.get("/organizers/me"))["org_id"])
            made = await hackathon(api.courtroom, olga)
            one = await scored(api.courtroom, made)
            base = f"/hackathons/{made.hack_id}"
            card = await api.get(f"{base}/submissions/{one.submission.sub_id}/scorecard")
            (told,) = (each for each in card["dimensions"] if each["name"] == "innovation")
            text = (await api("GET", f"{base}/export.csv")).text
            (row,) = csv.DictReader(io.StringIO(text, newline=""))
            assert (told["raw"], row["innovation"]) == (8.23, "8.23")
            page = scorecard_out(
                await api.courtroom.scorecards.scorecard(olga, made.hack_id, one.submission.sub_id)
            )
            (line,) = (each for each in page.dimensions if each.name == "innovation")
            assert (str(line.raw), str(line.points)) == ("8.23", "24.68")
            (drawn,) = picture_of(page).series
            assert 8.23 in drawn["values"]  # type: ignore[operator]

    run(main())


# --- scoring again -------------------------------------------------------------------------------


def test_another_rubric_and_nobody_is_asked(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        heard: list[RequestEvent] = []
        async with courtroom_on(tablewright_backend, clock, heard=heard) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            flag = "commits_outside_dates:2"
            plain = await scored(courtroom, made, flags=(flag,))
            out = {"disqualified_reason": "Begun before the start", "rank_score": None}
            gone = await scored(courtroom, made, **out)
            judged = await scored(
                courtroom, made, human_score=Decimal(90), human_share=Decimal("0.5")
            )
            waiting = await submission(courtroom, made)
            await moved(courtroom, made, "completed", rubric=only(made, "bug_hunter"))
            heard.clear()
            done = await courtroom.scorecards.rescore(olga, made.hack_id)
            assert (done.total, done.rescored, done.left) == (3, 3, 0)
            assert {each.pattern for each in heard} == {
                "hackathon",
                "submissions",
                "submission",
                "submission_summary",
                "agent_scores",
                "rescore",
                "write_audit",
            }
            card = await courtroom.scorecards.scorecard(olga, made.hack_id, plain.submission.sub_id)
            assert card.summary.overall_score == card.submission.rank_score == Decimal("67.75")
            assert card.submission.overall_score == Decimal("67.75")
            assert list(card.summary.weighted_scores) == ["code_quality"]
            assert (card.summary.run_id, card.summary.flags) == (plain.run.run_id, [flag])
            assert card.summary.total_cost_usd == Decimal("0.25")
            after = await courtroom.db.require(
                reads.submission(made.hack_id, gone.submission.sub_id)
            )
            assert (after.overall_score, after.rank_score) == (Decimal("67.75"), None)
            blended = await courtroom.db.require(
                reads.submission(made.hack_id, judged.submission.sub_id)
            )
            # Half of what agents say now, half of what judges said.
            assert blended.final_score == blended.rank_score == Decimal("78.88")
            still = await courtroom.db.require(reads.submission(made.hack_id, waiting.sub_id))
            assert still == waiting
            assert ("hackathon.rescore", f"hackathon/{made.hack_id}") in await audited(courtroom)
            heard.clear()
            again = await courtroom.scorecards.rescore(olga, made.hack_id)
            assert (again.rescored, again.unchanged) == (0, 3)
            assert not any(each.write_units for each in heard)

    run(main())


@pytest.mark.parametrize("status", ["failed", "timeout", "pending"])
def test_what_is_ranked_by_an_earlier_run_is_scored_again(
    tablewright_backend: Backend, clock: ManualClock, status: SubmissionStatus
) -> None:
    """A later run has come to nothing; one ranking has one rubric."""

    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            one = await scored(courtroom, made, status=status)
            await scored(courtroom, made, status="withdrawn", rank_score=None)
            await submission(courtroom, made, status="failed")
            await moved(courtroom, made, "completed", rubric=only(made, "bug_hunter"))
            done = await courtroom.scorecards.rescore(olga, made.hack_id)
            assert (done.total, done.rescored) == (1, 1)
            after = await courtroom.db.require(
                reads.submission(made.hack_id, one.submission.sub_id)
            )
            assert (after.status, after.rank_score) == (status, Decimal("67.75"))

    run(main())


def test_a_policy_decides_which_sub_scores_count(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            one = await scored(courtroom, made)
            await moved(courtroom, made, "completed", ai_policy_mode="traditional")
            await courtroom.scorecards.rescore(olga, made.hack_id)
            card = await courtroom.scorecards.scorecard(olga, made.hack_id, one.submission.sub_id)
            assert card.summary.overall_score == Decimal("75.88")
            assert card.summary.agent_scores["ai_detection"] == Decimal("76.5")

    run(main())


Meanwhile = Callable[[Courtroom, HackathonDetail, Scored], Awaitable[Any]]


async def _published(courtroom: Courtroom, made: HackathonDetail, one: Scored) -> None:
    """An analysis by the new rubric ends while this one is being scored again."""
    latest = await courtroom.db.require(reads.hackathon(made.hack_id))
    await analysed(courtroom, latest, one.submission, dict.fromkeys(GIVEN, "4 5 5 5 5"))


async def _disqualified(courtroom: Courtroom, made: HackathonDetail, one: Scored) -> None:
    olga = caller_of(made.org_id)
    await courtroom.submissions.disqualify(olga, made.hack_id, one.submission.sub_id, "Copied")


async def _withdrawn(courtroom: Courtroom, made: HackathonDetail, one: Scored) -> None:
    await courtroom.submissions.withdraw(
        caller_of(made.org_id), made.hack_id, one.submission.sub_id
    )


@pytest.mark.parametrize(
    ("meanwhile", "rescored", "overall", "rank"),
    [
        (_published, 0, "47.00", "47.00"),
        (_disqualified, 1, "67.75", None),
        (_withdrawn, 0, "76.82", None),
    ],
)
def test_whoever_writes_meanwhile_is_not_written_over(
    tablewright_backend: Backend,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
    meanwhile: Meanwhile,
    rescored: int,
    overall: str,
    rank: str | None,
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            one = await scored(courtroom, made)
            await moved(courtroom, made, "completed", rubric=only(made, "bug_hunter"))
            cards, once = courtroom.scorecards, [True]
            measured = cards._measured

            async def slowly(*given: Any) -> Any:
                found = await measured(*given)
                if once and once.pop():
                    await meanwhile(courtroom, made, one)
                return found

            monkeypatch.setattr(cards, "_measured", slowly)
            done = await cards.rescore(olga, made.hack_id)
            assert (done.rescored, done.skipped) == (rescored, 1 - rescored)
            after = await courtroom.db.require(
                reads.submission(made.hack_id, one.submission.sub_id)
            )
            assert after.overall_score == Decimal(overall)
            assert after.rank_score == (None if rank is None else Decimal(rank))

    run(main())


def test_when_it_cannot_be_scored_again(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga, otto = await organizer(courtroom), await organizer(courtroom, "otto")
            made = await hackathon(courtroom, olga, "draft")
            again = courtroom.scorecards.rescore

            async def code() -> str:
                return (await refused(again(olga, made.hack_id))).code

            assert (await refused(again(otto, made.hack_id))).status == 404
            assert await code() == "WRONG_STATE"
            made = await moved(courtroom, made, "analyzing")
            assert await code() == "ANALYZING"
            made = await moved(courtroom, made, "completed")
            assert (await again(olga, made.hack_id)).total == 0
            await courtroom.releases.release(olga, made.hack_id)
            assert await code() == "RELEASED"

    run(main())


def test_what_there_is_no_time_for_is_left(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tablewright.systems.vibejudge.service import scorecards

    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            for _ in range(3):
                await scored(courtroom, made)
            await moved(courtroom, made, "completed", rubric=only(made, "bug_hunter"))
            with monkeypatch.context() as patched:
                patched.setattr(scorecards, "_TIME_SHARE", -1)
                done = await courtroom.scorecards.rescore(olga, made.hack_id)
                assert (done.rescored, done.left) == (0, 3)
            done = await courtroom.scorecards.rescore(olga, made.hack_id)
            assert (done.rescored, done.left) == (3, 0)

    run(main())
