"""`audit`: books that agree, books that somebody has spoiled, and what can be put right."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal

import pytest
from tests.systems.vibejudge.cli.placed import JAM, Placed, open_jam
from tests.systems.vibejudge.support import (
    AS_ADMIN,
    NOW,
    audited,
    courtroom_on,
    hackathon,
    organizer,
    run,
    submission,
)

from tablewright.clock import ManualClock
from tablewright.model import Entity, attr, delete, put, update
from tablewright.systems.vibejudge import cost_writes, reads
from tablewright.systems.vibejudge import demo_analysis as runs
from tablewright.systems.vibejudge.analysis import HackathonCost
from tablewright.systems.vibejudge.entities import (
    HackathonDetail,
    RepoLock,
    Submission,
    TeamLock,
    repo_key,
)
from tablewright.systems.vibejudge.rules.team_names import team_key
from tablewright.systems.vibejudge.service.auditing import Audited, auditing
from tablewright.systems.vibejudge.service.auditing.held import Held, read
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.testing.backends import Backend

RUN = runs.demo_id(5, 40)
SCORED = {"status": "completed", "overall_score": Decimal(70), "rank_score": Decimal(70)}


@asynccontextmanager
async def books(
    backend: Backend, clock: ManualClock
) -> AsyncIterator[tuple[Courtroom, HackathonDetail, Submission]]:
    """A hackathon with two submissions: one was analysed for money, and a call is under way."""
    async with courtroom_on(backend, clock) as courtroom:
        made = await hackathon(courtroom, await organizer(courtroom))
        scored = await submission(courtroom, made, "Night Owls", run_id=RUN, **SCORED)
        await submission(courtroom, made, "Torches")
        await courtroom.db.run(put(runs.summary_of(scored, RUN, NOW)))
        for agent in ("innovation", "bug_hunter"):
            aside = runs.set_aside(scored, RUN, agent, "0.05", NOW)
            await courtroom.db.run(cost_writes.reserve(aside, NOW))
            if agent == "innovation":
                call = runs.paid_call(scored, RUN, agent, NOW)
                await courtroom.db.run(cost_writes.settle(aside, call, NOW))
        analysed = update(HackathonCost, made.hack_id)
        await courtroom.db.run(analysed.do(attr(HackathonCost.submissions_analyzed).add(1)))
        yield courtroom, made, scored


async def _look(courtroom: Courtroom, *, fix: bool = False) -> Audited:
    (found,) = [each async for each in courtroom.auditing.all(AS_ADMIN, fix=fix)]
    return found


async def _kinds(courtroom: Courtroom, *, fix: bool = False) -> dict[str, tuple[str, str]]:
    """What is found, or fixed, by kind."""
    found = await _look(courtroom, fix=fix)
    return {each.kind: (each.found, each.expected) for each in (found.fixed or found.findings)}


def test_what_is_spoiled_is_found_and_put_right(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with books(engine_backend, clock) as (courtroom, made, scored):
            db, hack_id = courtroom.db, made.hack_id
            clean = await _look(courtroom)
            assert (clean.submissions, clean.findings) == (2, ())
            rightly = await db.require(reads.hackathon_cost(hack_id))

            listed = await db.require(reads.hackathon_of_id(hack_id))
            await db.run(put(listed.model_copy(update={"name": "Old"})))
            count = attr(HackathonDetail.submission_count)
            await db.run(update(HackathonDetail, hack_id).do(count.add(3)))
            await db.run(delete(RepoLock, hack_id, repo_key(scored.repo_url)))
            await db.run(put(_lock(made, "ghosts", runs.demo_id(5, 77))))
            spent = attr(HackathonCost.total_cost_usd)
            await db.run(update(HackathonCost, hack_id).do(spent.add(Decimal("0.25"))))
            wrong = scored.model_copy(update={"rank_score": Decimal(99)})
            await db.run(put(wrong))

            found = await _kinds(courtroom)
            assert found["listing"] == ("Old, configured, 2", "Winter Code Jam, configured, 5")
            assert found["submission_count"] == ("5", "2")
            assert found["lock_missing"] == ("no lock", scored.sub_id)
            assert found["lock_without_submission"][0] == runs.demo_id(5, 77)
            assert found["cost"][1] == f"total_cost_usd ${rightly.total_cost_usd.normalize():f}"
            assert found["score"] == (
                "final none, ranked by 99.00",
                "final none, ranked by 70.00",
            )
            assert len(found) == 6

            assert (await _kinds(courtroom, fix=True)).keys() == found.keys()
            assert (await _look(courtroom)).findings == ()
            after = await db.require(reads.hackathon_cost(hack_id))
            assert after.total_cost_usd == rightly.total_cost_usd
            (first,) = await db.run(reads.leaderboard(hack_id))
            assert first.rank_score == 70
            lock = await db.require(reads.repo_lock(hack_id, repo_key(scored.repo_url)))
            assert lock.sub_id == scored.sub_id
            mended = [each for each in await audited(courtroom) if each[0] == "hackathon.mend"]
            # The count and the row in the list are one.
            assert len(mended) == 5

    run(scenario())


def test_what_people_have_to_decide_is_told_and_left(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with books(engine_backend, clock) as (courtroom, made, scored):
            db, hack_id = courtroom.db, made.hack_id
            await db.run(put(_lock(made, team_key(scored.team_name), runs.demo_id(5, 77))))
            summary = await db.require(reads.submission_summary(scored.sub_id))
            await db.run(put(summary.model_copy(update={"overall_score": Decimal(71)})))
            lost = attr(HackathonDetail.active_job_id).set(runs.demo_id(5, 78))
            await db.run(update(HackathonDetail, hack_id).do(lost))
            found = await _look(courtroom, fix=True)
            assert found.fixed == ()
            assert {each.kind for each in found.findings} == {"lock_of_another", "scorecard", "job"}

    run(scenario())


def test_who_writes_meanwhile_is_no_finding(
    engine_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A submission that comes between two reads makes the first look wrong, and not the second."""

    async def scenario() -> None:
        async with books(engine_backend, clock) as (courtroom, made, _):
            looks: list[Held | None] = []

            async def slow(courtroom: Courtroom, hack_id: str) -> Held | None:
                held = await read(courtroom, hack_id)
                assert held is not None
                if not looks:
                    await submission(courtroom, made, "Latecomers")
                    late = await courtroom.db.require(reads.hackathon(hack_id))
                    held = Held(**{**vars(held), "hackathon": late})
                looks.append(held)
                return held

            monkeypatch.setattr(auditing, "read", slow)
            assert (await _look(courtroom, fix=True)).findings == ()
            assert len(looks) == 2

    run(scenario())


def test_what_the_command_says(placed: Placed) -> None:
    hack_id = open_jam(placed)["hack_id"]
    assert "1 hackathon with 0 submissions: all of it agrees." in placed("audit").out

    async def spoil(courtroom: Courtroom) -> None:
        listed = await courtroom.db.require(reads.hackathon_of_id(hack_id))
        await courtroom.db.run(put(listed.model_copy(update={"name": "Old"})))

    placed.courtroom(spoil)
    wrong = placed("audit", JAM)
    assert (wrong.code, "1 finding:" in wrong.out, "--fix" in wrong.out) == (1, True, True)
    told = placed.json("audit", code=1)
    (finding,) = told["found"][0]["findings"]
    assert (told["findings"], finding["kind"]) == (1, "listing")
    fixed = placed("audit", "--fix")
    assert (fixed.code, "1 thing put right:" in fixed.out) == (0, True)
    assert placed.json("audit")["fixed"] == 0


def _lock(made: HackathonDetail, team: str, sub_id: str) -> Entity:
    return TeamLock(hack_id=made.hack_id, team=team, sub_id=sub_id, created_at=NOW)
