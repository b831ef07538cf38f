"""Corrections and withdrawals: what is free again, under concurrency and with a job under way."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from tests.systems.vibejudge.api_support import api_on, code_of
from tests.systems.vibejudge.support import (
    AS_ADMIN,
    NOW,
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

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge import demo_analysis, reads, writes
from tablewright.systems.vibejudge.bodies.submissions import (
    PublicSubmissionIn,
    SubmissionIn,
    SubmissionPatch,
)
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.service.submissions import reachability
from tablewright.testing import Backend

OWLS = {"team_name": "Owls", "repo_url": "https://github.com/owls/app"}


async def scored(courtroom: Courtroom, made: Any, team: str = "Owls") -> Submission:
    """A submission with a scorecard, counted as analysed."""
    one = await submission(
        courtroom,
        made,
        team,
        "https://github.com/owls/app",
        status="completed",
        overall_score=Decimal("70.00"),
        rank_score=Decimal("70.00"),
        run_id=demo_analysis.demo_id(20, 77),
        frozen_sha="a" * 40,
    )
    summary = demo_analysis.summary_of(one, one.run_id or "", courtroom.now())
    await courtroom.db.run(put(summary))
    cost = await courtroom.db.require(reads.hackathon_cost(made.hack_id))
    await courtroom.db.run(put(cost.model_copy(update={"submissions_analyzed": 1})).replace())
    return one


def test_correct_repository_of_analysed_submission_makes_it_pending(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            one = await scored(courtroom, made)
            body = SubmissionPatch(team_name="O'Brien", repo_url="github.com/owls/other/tree/x")
            after = await courtroom.submissions.correct(olga, made.hack_id, one.sub_id, body)
            assert (after.team_name, after.repo_url) == (
                "O'Brien",
                "https://github.com/owls/other",
            )
            assert (after.status, after.overall_score, after.rank_score) == ("pending", None, None)
            assert (after.run_id, after.frozen_sha) == (None, None)
            assert not await courtroom.db.run(reads.leaderboard(made.hack_id))
            assert await courtroom.db.run(reads.submission_summary(one.sub_id)) is None
            # The old name and repository are free, the new ones are not.
            again = SubmissionIn(**OWLS)
            taken = SubmissionIn(team_name="o'brien", repo_url="https://github.com/a/b")
            results = await courtroom.submissions.submit(olga, made.hack_id, [again, taken])
            codes = [each.problem and each.problem.code for each in results]
            assert codes == [None, "DUPLICATE_TEAM"]
            assert ("submission.correct", f"submission/{one.sub_id}") in await audited(courtroom)
            found = await courtroom.auditing.one(AS_ADMIN, made.hack_id)
            assert found is not None
            assert found.findings == ()

    run(go())


def test_correct_to_taken_name_or_repository_returns_409(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            one = await submission(courtroom, made, "Owls")
            await submission(courtroom, made, "Bats", "https://github.com/bats/app")
            for body, code in (
                (SubmissionPatch(team_name="BATS"), "DUPLICATE_TEAM"),
                (SubmissionPatch(repo_url="https://github.com/Bats/App.git"), "DUPLICATE_REPO"),
                (SubmissionPatch(repo_url="https://example.org/a/b"), "BAD_REPO_URL"),
            ):
                work = courtroom.submissions.correct(olga, made.hack_id, one.sub_id, body)
                assert (await refused(work)).code == code
            same = SubmissionPatch(team_name="OWLS")
            after = await courtroom.submissions.correct(olga, made.hack_id, one.sub_id, same)
            assert (after.team_name, after.status) == ("OWLS", "pending")

    run(go())


def test_correct_while_it_is_analysed_returns_409(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            one = await submission(courtroom, made, "Owls", status="analyzing")
            body = SubmissionPatch(repo_url="https://github.com/a/b")
            work = courtroom.submissions.correct(olga, made.hack_id, one.sub_id, body)
            assert (await refused(work)).code == "IN_WORK"

    run(go())


def test_two_corrections_to_one_name_give_it_to_one_team(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            teams = [await submission(courtroom, made) for _ in range(4)]
            body = SubmissionPatch(team_name="Owls")

            async def corrected(one: Submission) -> str:
                try:
                    await courtroom.submissions.correct(olga, made.hack_id, one.sub_id, body)
                except Problem as problem:
                    return problem.code
                return "done"

            outcomes = await asyncio.gather(*map(corrected, teams))
            assert sorted(outcomes) == [*["DUPLICATE_TEAM"] * 3, "done"]

    run(go())


def test_withdrawn_submission_frees_its_place_name_and_repository(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom, tier="free")
            made = await hackathon(courtroom, olga)
            many = [
                SubmissionIn(team_name=f"T{n}", repo_url=f"https://github.com/t/{n}")
                for n in range(49)
            ]
            first, *_ = await courtroom.submissions.submit(
                olga, made.hack_id, [SubmissionIn(**OWLS), *many]
            )
            late = SubmissionIn(team_name="Late", repo_url="https://github.com/late/app")
            (full,) = await courtroom.submissions.submit(olga, made.hack_id, [late])
            assert full.problem is not None
            assert full.problem.code == "HACKATHON_FULL"
            sub_id = str(first.sub_id)
            # Two who withdraw it at once free one place.
            both = [courtroom.submissions.withdraw(olga, made.hack_id, sub_id) for _ in range(2)]
            outcomes = await asyncio.gather(*both, return_exceptions=True)
            codes = [each.code for each in outcomes if isinstance(each, Problem)]
            assert codes == ["WITHDRAWN"]
            detail = await courtroom.hackathons.owned(olga, made.hack_id)
            listed = await courtroom.db.require(reads.hackathon_of_id(made.hack_id))
            assert (detail.submission_count, listed.submission_count) == (49, 49)
            (again,) = await courtroom.submissions.submit(
                olga, made.hack_id, [SubmissionIn(**OWLS)]
            )
            assert (again.status, again.sub_id != sub_id) == (201, True)
            found = await courtroom.auditing.one(AS_ADMIN, made.hack_id)
            assert found is not None
            assert found.findings == ()

    run(go())


def test_audit_frees_locks_of_submissions_withdrawn_before(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            one = await submission(courtroom, made, "Owls", OWLS["repo_url"])
            await courtroom.db.run(put(one.model_copy(update={"status": "withdrawn"})).replace())
            found = await courtroom.auditing.one(AS_ADMIN, made.hack_id, fix=True)
            assert found is not None
            assert found.findings == ()
            (again,) = await courtroom.submissions.submit(
                olga, made.hack_id, [SubmissionIn(**OWLS)]
            )
            assert again.status == 201

    run(go())


def test_teams_submit_while_a_trial_run_goes_on(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga, visibility="public")
            await moved(courtroom, made, "analyzing")
            body = PublicSubmissionIn(**OWLS)
            assert (await courtroom.submissions.submit_public(made.hack_id, body)).status == 201
            clock.set((NOW + timedelta(days=2)).timestamp())
            late = PublicSubmissionIn(team_name="Late", repo_url="https://github.com/l/l")
            problem = await refused(courtroom.submissions.submit_public(made.hack_id, late))
            assert problem.code == "HACKATHON_ENDED"

    run(go())


def test_submission_of_repository_that_is_not_there_is_stored_with_a_warning(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(*_: object) -> None:
        raise RepoError("REPO_NOT_FOUND", "there is no such repository, or it is not public")

    monkeypatch.setattr(reachability, "head_of", absent)

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga, visibility="public")
            body = PublicSubmissionIn(**OWLS)
            result = await courtroom.submissions.submit_public(made.hack_id, body)
            assert result.status == 201
            assert "could not be reached: there is no such repository" in (result.note or "")
            stored = await courtroom.submissions.read(olga, made.hack_id, str(result.sub_id))
            assert stored.error_message == result.note
            # Once a commit is frozen the note is gone.
            await courtroom.db.run(writes.freeze_submission(stored, "a" * 40, NOW))
            stored = await courtroom.submissions.read(olga, made.hack_id, str(result.sub_id))
            assert stored.error_message is None

    run(go())


def test_fifty_anonymous_submissions_do_not_fill_a_hackathon(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with api_on(engine_backend, clock) as api:
            made = await hackathon(api.courtroom, await _olga(api), visibility="public")
            path = f"/public/hackathons/{made.hack_id}/submissions"
            nobody, codes = api.as_("nobody"), []
            for number in range(50):
                body = {"team_name": f"T{number}", "repo_url": f"https://github.com/t/{number}"}
                codes.append((await nobody("POST", path, body)).status_code)
            assert codes.count(201) == 10
            assert set(codes[10:]) == {429}

    run(go())


def test_patch_and_search_by_api(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with api_on(engine_backend, clock) as api:
            made = await hackathon(api.courtroom, await _olga(api))
            path = f"/hackathons/{made.hack_id}/submissions"
            rows = [
                {"team_name": f"Team {n}", "repo_url": f"https://github.com/t/{n}"}
                for n in range(60)
            ]
            rows.append({"team_name": "Café Müller", "repo_url": "git@github.com:late/zebra.git"})
            done = await api.done("POST", path, {"submissions": rows})
            sub_id = done["results"][-1]["sub_id"]
            for words in ("cafe muller", "ZEBRA", "late muller"):
                found = await api.get(f"{path}?q={words}")
                assert [each["sub_id"] for each in found["items"]] == [sub_id]
            assert (await api.get(f"{path}?q=absent"))["items"] == []
            one = f"{path}/{sub_id}"
            corrected = await api.done("PATCH", one, {"team_name": "Team #1"})
            assert corrected["team_name"] == "Team #1"
            for body in ({}, {"team_name": "x", "disqualified": True}, {"disqualified": True}):
                assert code_of(await api("PATCH", one, body)) == (422, "INVALID")

    run(go())


async def _olga(api: Any) -> Any:
    principal = await api.get("/organizers/me")
    return caller_of(principal["org_id"])
