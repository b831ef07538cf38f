"""Releases: a snapshot of the ranking that nothing changes until the hackathon is reopened."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from decimal import Decimal

import pytest
from tests.systems.vibejudge.judging.support import analysed, world
from tests.systems.vibejudge.support import (
    NOW,
    caller_of,
    courtroom_on,
    hackathon,
    moment,
    moved,
    organizer,
    refused,
    run,
    submission,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.model.errors import CursorError
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.bodies.hackathons import ReleaseIn
from tablewright.systems.vibejudge.bodies.judges import JudgeChange, JudgeIn, OverrideIn, RoundIn
from tablewright.systems.vibejudge.bodies.submissions import SubmissionPatch
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.testing import Backend

OVERRIDE = OverrideIn(score=Decimal(99), reason="Shown live on the stage")


async def ranks(courtroom: Courtroom, hack_id: str) -> list[tuple[int, str]]:
    """The public ranking."""
    hackathon = await courtroom.db.require(reads.hackathon(hack_id))
    page = await courtroom.releases.rows(hackathon, 50)
    return [(each.rank, each.team_name) for each in page]


def test_release_with_open_round_is_refused_or_closes_it(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60", "70"], judges=2, min_reviews=1)
            round_ = await court.opened()
            judge = court.judges[0]
            for sub in court.submissions:
                await court.score(judge, sub, 100 if sub is court.submissions[0] else 0)
            await moved(courtroom, court.hackathon, "completed")
            releases = courtroom.releases
            problem = await refused(releases.release(court.olga, court.hack_id))
            assert (problem.code, "Round 1" in problem.detail) == ("ROUNDS_OPEN", True)
            await court.moved(round_, "paused")
            problem = await refused(releases.release(court.olga, court.hack_id))
            assert problem.code == "ROUNDS_OPEN"
            body = ReleaseIn(close_rounds=True)
            released = await releases.release(court.olga, court.hack_id, body)
            assert released.released_at == NOW
            # What judges gave counts in what was released: nobody waits for a worker.
            first, second = court.submissions
            assert await ranks(courtroom, court.hack_id) == [
                (1, first.team_name),
                (2, second.team_name),
            ]
            late = await refused(court.score(judge, second, 100))
            assert late.code == "ROUND_CLOSED"

    run(go())


def test_nothing_changes_released_scores(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60", "70"], judges=2)
            olga, h = court.olga, court.hack_id
            rounds = courtroom.judging.rounds
            await rounds.add(olga, h, RoundIn())
            await moved(courtroom, court.hackathon, "completed")
            await courtroom.releases.release(olga, h)
            before = await ranks(courtroom, h)
            one = court.submissions[0].sub_id
            (judge, *_) = await courtroom.judging.judges.all(h)
            (round_,) = await rounds.all(h)
            conflicts = JudgeChange(conflicts=[one])
            for work in (
                courtroom.submissions.withdraw(olga, h, one),
                courtroom.submissions.disqualify(olga, h, one, "Copied"),
                courtroom.submissions.correct(olga, h, one, SubmissionPatch(team_name="Other")),
                courtroom.judging.overrides.set(olga, h, one, OVERRIDE),
                courtroom.judging.judges.invite(olga, h, JudgeIn(name="Late")),
                courtroom.judging.judges.change(olga, h, judge.judge_id, conflicts),
                rounds.add(olga, h, RoundIn()),
                court.moved(round_, "open"),
                courtroom.scorecards.rescore(olga, h),
                courtroom.jobs.start(olga, h),
            ):
                assert (await refused(work)).code == "RELEASED"
            assert await ranks(courtroom, h) == before
            reopened = await courtroom.hackathons.reopen(olga, h)
            assert (reopened.release_id, reopened.released_at) == (None, None)
            await courtroom.judging.overrides.set(olga, h, one, OVERRIDE)
            # It has to end first: it takes submissions again.
            assert (await refused(courtroom.releases.release(olga, h))).code == "WRONG_STATE"
            clock.set((NOW + timedelta(days=3)).timestamp())
            await courtroom.releases.release(olga, h)
            assert (await ranks(courtroom, h))[0] == (1, court.submissions[0].team_name)

    run(go())


def test_release_that_breaks_off_shows_nothing_and_is_finished_by_the_next(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60", "70"], judges=1)
            await moved(courtroom, court.hackathon, "completed")
            releases = courtroom.releases

            async def die(*_: object) -> None:
                raise asyncio.CancelledError

            with monkeypatch.context() as dead:
                dead.setattr(releases, "_finish", die)
                with pytest.raises(asyncio.CancelledError):
                    await releases.release(court.olga, court.hack_id)
            begun = await courtroom.db.require(reads.hackathon(court.hack_id))
            assert begun.release_id is not None
            assert begun.released_at is None
            problem = await refused(courtroom.standings.board(None, court.hack_id, 10))
            assert problem.status == 404
            # Scores are final already, so that the one who goes on writes the same.
            one = court.submissions[0].sub_id
            work = courtroom.judging.overrides.set(court.olga, court.hack_id, one, OVERRIDE)
            assert (await refused(work)).code == "RELEASED"
            released = await releases.release(court.olga, court.hack_id)
            assert (released.release_id, released.released_at) == (begun.release_id, NOW)
            assert len(await ranks(courtroom, court.hack_id)) == 2

    run(go())


def test_release_and_override_at_once_agree(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Whoever comes first: what was released is what is stored."""

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60", "70", "80"], judges=1)
            await moved(courtroom, court.hackathon, "completed")
            olga, h = court.olga, court.hack_id

            async def overridden() -> str:
                try:
                    one = court.submissions[0].sub_id
                    await courtroom.judging.overrides.set(olga, h, one, OVERRIDE)
                except Problem as problem:
                    return problem.code
                return "done"

            outcome, *_ = await asyncio.gather(
                overridden(),
                courtroom.releases.release(olga, h),
                courtroom.releases.release(olga, h),
            )
            first = (await ranks(courtroom, h))[0][1]
            expected = 0 if outcome == "done" else 2
            assert first == court.submissions[expected].team_name
            assert outcome in ("done", "RELEASED")

    run(go())


async def many(courtroom: Courtroom, scores: list[str]) -> tuple[HackathonDetail, list[str]]:
    """A hackathon that has ended with so many scored teams."""
    olga = await organizer(courtroom, tier="enterprise")
    dates = {
        "start_date": moment(NOW - timedelta(days=3)),
        "end_date": moment(NOW - timedelta(hours=1)),
    }
    made = await hackathon(courtroom, olga, visibility="public", **dates)
    ids = [
        (
            await submission(
                courtroom,
                made,
                status="completed",
                overall_score=Decimal(score),
                rank_score=Decimal(score),
            )
        ).sub_id
        for score in scores
    ]
    return made, ids


def test_released_ranking_is_paged_and_every_rank_is_found(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(engine_backend, clock) as courtroom:
            # 230 teams; ties over the ends of pages.
            scores = [f"{90 - each // 30}.00" for each in range(230)]
            made, ids = await many(courtroom, scores)
            olga = caller_of(made.org_id)
            released = await courtroom.releases.release(olga, made.hack_id)
            found: list[tuple[int, str]] = []
            cursor: str | None = None
            while True:
                page = await courtroom.releases.rows(released, 70, cursor)
                found += [(each.rank, each.sub_id) for each in page]
                cursor = page.cursor
                if cursor is None:
                    break
            assert len({sub_id for _, sub_id in found}) == 230
            expected = {sub_id: 1 + 30 * (at // 30) for at, sub_id in enumerate(ids)}
            assert {sub_id: rank for rank, sub_id in found} == expected
            for sub_id in (ids[0], ids[99], ids[100], ids[119], ids[229]):
                one = await courtroom.db.require(reads.submission(made.hack_id, sub_id))
                assert await courtroom.releases.rank_of(released, one) == expected[sub_id]
            first = await courtroom.releases.rows(released, 70)
            other = released.model_copy(update={"release_id": made.hack_id})
            with pytest.raises(CursorError):
                await courtroom.releases.rows(other, 70, first.cursor)

    run(go())


def test_public_sees_only_the_top_ranks(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with courtroom_on(engine_backend, clock) as courtroom:
            made, ids = await many(courtroom, ["90.00", "80.00", "80.00", "70.00"])
            olga = caller_of(made.org_id)
            body = ReleaseIn(public_ranks=2)
            released = await courtroom.releases.release(olga, made.hack_id, body)
            page = await courtroom.releases.rows(released, 2)
            rest = await courtroom.releases.rows(released, 2, page.cursor)
            assert [each.rank for each in (*page, *rest)] == [1, 2, 2]
            assert rest.cursor is None
            last = await courtroom.db.require(reads.submission(made.hack_id, ids[3]))
            assert await courtroom.releases.rank_of(released, last) == 4

    run(go())


def test_public_ranking_is_two_reads(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        heard: list[RequestEvent] = []
        async with courtroom_on(engine_backend, clock, heard=heard) as courtroom:
            made, _ = await many(courtroom, ["90.00", "80.00"])
            await courtroom.releases.release(caller_of(made.org_id), made.hack_id)
            heard.clear()
            await courtroom.standings.board(None, made.hack_id, 50)
            assert [each.pattern for each in heard] == ["hackathon", "release_page"]

    run(go())


def test_team_that_judges_scored_is_ranked_without_analysis(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60"], judges=3, min_reviews=2)
            failed = await submission(
                courtroom, court.hackathon, "Unread", status="failed", error_message="Too large"
            )
            round_ = await court.opened()
            for judge in court.judges:
                await court.score(judge, failed, 90)
                await court.score(judge, court.submissions[0], 60)
            await court.moved(round_, "closed")
            await courtroom.judging.blending.work()
            stored = await court.now(failed)
            assert (stored.overall_score, stored.final_score) == (None, Decimal("90.00"))
            assert stored.rank_score == Decimal("90.00")
            assert stored.status == "failed"
            board = await courtroom.standings.leaderboard(court.hackathon)
            assert next(each.row.team_name for each in board) == "Unread"
            # Its organiser may override it, and take that back.
            olga, h = court.olga, court.hack_id
            await courtroom.judging.overrides.set(olga, h, failed.sub_id, OVERRIDE)
            assert (await court.now(failed)).rank_score == Decimal("99.00")
            await courtroom.judging.overrides.revoke(olga, h, failed.sub_id)
            assert (await court.now(failed)).rank_score == Decimal("90.00")

    run(go())


def test_blend_of_outdated_request_writes_nothing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60"], judges=1, min_reviews=1)
            round_ = await court.opened()
            await court.score(court.judges[0], court.submissions[0], 90)
            await court.moved(round_, "closed")
            blending = courtroom.judging.blending
            (old,) = await blending._due()
            later = blending.request(court.hack_id)
            await courtroom.db.run(later)
            assert not await blending.blend(old)
            assert await court.finals() == [None]
            assert await blending.blend_now(court.hack_id)
            assert await court.finals() == [Decimal("75.00")]

    run(go())


def test_two_people_who_release_at_once_release_one_snapshot(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60", "70"], judges=1)
            await analysed(courtroom, court.hackathon, "80")
            await moved(courtroom, court.hackathon, "completed")
            both = await asyncio.gather(
                *(courtroom.releases.release(court.olga, court.hack_id) for _ in range(3))
            )
            assert len({each.release_id for each in both}) == 1

    run(go())
