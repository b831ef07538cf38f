"""From a draft to a review that is under way, whatever happens in between."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from tests.systems.ladders.plans.dying import Dead, dying
from tests.systems.ladders.plans.support import all_of, draft, drafted, large_team, waiting
from tests.systems.ladders.support import (
    audited,
    code_in,
    company_on,
    config_made,
    crew_made,
    person,
    plan_made,
    run,
    team_made,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.server import ServerThread
from tablewright.service.preconditions import Precondition
from tablewright.service.workers import run_once
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.service.messages import OPENED
from tablewright.systems.ladders.service.plans import PlanEdit
from tablewright.systems.ladders.workers import activation_resumer
from tablewright.testing.backends import Backend, at_endpoint

MANY = 200


async def resumed(company: Company) -> None:
    """What the worker does after a while."""
    await run_once(activation_resumer.worker(company))


def test_scenario_09_a_killed_activation_is_gone_on_with(clock: ManualClock) -> None:
    """Activation of 200 killed midway resumes to exactly 400 assessments."""

    async def prepared(backend: Backend) -> m.Plan:
        async with company_on(backend, clock) as company:
            manager = await user_made(company, "omar", "manager")
            await config_made(company)
            team = await large_team(company, manager, MANY)
            view = await company.plans.draft(manager, team.team_id, draft(company))
            return view.plan

    async def check(backend: Backend, plan: m.Plan) -> None:
        async with company_on(backend, clock) as company:
            manager = await company.people.caller(person("omar"))
            await check_half_way(company, manager, plan)
            await resumed(company)
            assert (await company.db.require(m.plan(plan.plan_id))).status == "draft", "too early"
            clock.advance(60)
            await resumed(company)
            await check_whole(company, manager, plan)
            await resumed(company)
            await check_whole(company, manager, plan)

    with (
        Engine.memory(clock=clock) as engine,
        ServerThread(engine) as server,
        at_endpoint(server.url) as backend,
    ):
        plan = run(prepared(backend))
        program = "tests.systems.ladders.plans.killed"
        killed = subprocess.run(
            [sys.executable, "-m", program, server.url, "omar", plan.plan_id, "137"],
            timeout=120,
            check=False,
        )
        assert killed.returncode == -signal.SIGKILL
        run(check(backend, plan))


async def check_half_way(company: Company, manager: Caller, plan: m.Plan) -> None:
    """Some of it is there, and nobody sees any of it."""
    found = await company.db.require(m.plan(plan.plan_id))
    assert (found.status, found.activation is not None) == ("draft", True)
    assert 0 < len(await all_of(company, plan)) < 2 * MANY
    assert await company.plans.active(manager) == ()
    board = await company.boards.board(manager, plan.plan_id)
    assert (board.progress.members, board.rows) == (0, ())
    assert await waiting(company) == []
    seen = Precondition.seen(found.revision)
    edit = PlanEdit("Other", found.end_date)
    work = company.plans.edit(manager, plan.plan_id, edit, seen)
    assert await code_in(work) == (409, "NOT_DRAFT")
    assert await code_in(company.plans.delete(manager, plan.plan_id)) == (409, "NOT_DRAFT")


async def check_whole(company: Company, manager: Caller, plan: m.Plan) -> None:
    found = await company.db.require(m.plan(plan.plan_id))
    assert (found.status, found.activation) == ("active", None)
    lines = await all_of(company, plan)
    assert len(lines) == 2 * MANY
    pairs = {(each.team_member_id, each.assessment_type) for each in lines}
    assert pairs == {(each, kind) for each in found.member_ids for kind in ids.ASSESSMENT_KINDS}
    assert [each.plan_id for each in await company.plans.active(manager)] == [plan.plan_id]
    assert len(await waiting(company, OPENED)) == 1
    actions = [each for each, _ in await audited(company) if each.startswith("plan.")]
    assert actions == ["plan.draft", "plan.activate"]


def test_two_hundred_members_take_less_than_five_seconds(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """And the board of all of them four requests."""

    async def story() -> None:
        heard: list[object] = []
        async with company_on(engine_backend, clock, heard=heard) as company:  # type: ignore[arg-type]
            manager = await user_made(company, "omar", "manager")
            await config_made(company)
            team = await large_team(company, manager, MANY)
            plan = (await company.plans.draft(manager, team.team_id, draft(company))).plan
            began = time.process_time()
            await company.plans.activate(manager, plan.plan_id)
            # The engine is in this process: its work is counted, that of other programs is not.
            assert time.process_time() - began < 5
            assert len(await all_of(company, plan)) == 2 * MANY
            heard.clear()
            board = await company.boards.board(manager, plan.plan_id)
            assert len(heard) <= 4
            assert (board.progress.members, board.progress.not_started) == (MANY, 2 * MANY)
            heard.clear()
            rest = await company.boards.board(manager, plan.plan_id, cursor=board.cursor)
            assert len(heard) <= 4
            shown = {each.user_id for each in (*board.rows, *rest.rows)}
            assert (shown, rest.cursor) == (team.member_ids, None)

    run(story())


def test_an_activation_begins_with_everything_in_place(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 2)
            plan = await drafted(company, crew)
            view = await company.plans.activate(crew.manager, plan.plan_id)
            assert (view.plan.status, view.plan.activation) == ("active", None)
            assert view.plan.member_ids == {each.user_id for each in crew.members}
            assert view.team.open_plan_ids == {plan.plan_id}
            for each in await all_of(company, plan):
                own = each.assessment_type == "self"
                assessor = each.team_member_id if own else crew.manager.user_id
                assert (each.assessor_id, each.status, each.total) == (assessor, "not_started", 4)
                whole = await company.db.require(m.assessment(each.assessment_id))
                assert whole.selections == {"Craft": {}, "Delivery": {}}
                assert whole.feedback["Craft"] == {"Coding": {}, "Design": {}}
            before = await audited(company)
            repeated = await company.plans.activate(crew.manager, plan.plan_id)
            assert repeated.plan == view.plan
            assert await audited(company) == before
            (told,) = await waiting(company, OPENED)
            assert told.body["person"] == f"manager/{crew.team_id}"
            address = await company.messages.address_of(str(told.body["person"]))
            assert address == crew.manager.user.email

    run(story())


def test_many_who_activate_at_the_same_time_do_it_once(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 3)
            plan = await drafted(company, crew)
            views = await asyncio.gather(
                *(company.plans.activate(crew.manager, plan.plan_id) for _ in range(8))
            )
            assert {each.plan.status for each in views} == {"active"}
            assert len(await all_of(company, plan)) == 6
            assert len(await waiting(company, OPENED)) == 1
            actions = Counter(each for each, _ in await audited(company))
            assert actions["plan.activate"] == 1

    run(story())


#: The first transaction, six assessments, the last transaction.
STEPS = range(1, 9)


@pytest.mark.parametrize("step", STEPS)
def test_an_activation_goes_on_from_wherever_it_stopped(
    engine_backend: Backend, clock: ManualClock, step: int
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 3)
            plan = await drafted(company, crew)
            async with company_on(dying(engine_backend, step), clock) as other:
                with pytest.raises(Dead):
                    await other.plans.activate(crew.manager, plan.plan_id)
            half = await company.db.require(m.plan(plan.plan_id))
            assert half.status == "draft"
            assert (half.activation is None) == (step == 1)
            clock.advance(60)
            await resumed(company)
            if step == 1:
                await company.plans.activate(crew.manager, plan.plan_id)
            assert (await company.db.require(m.plan(plan.plan_id))).status == "active"
            assert len(await all_of(company, plan)) == 6
            assert len(await waiting(company, OPENED)) == 1

    run(story())


def test_a_team_has_to_be_ready(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            await config_made(company)
            admin = await user_made(company, None, "admin")
            crew = await crew_made(company, 1)
            empty, alone = await team_made(company, crew.manager), await team_made(company)
            for team in (empty, alone):
                view = await company.plans.draft(admin, team.team_id, draft(company))
                work = company.plans.activate(admin, view.plan.plan_id)
                assert await code_in(work) == (409, "TEAM_NOT_READY")
            ended = await plan_made(company, crew.team, "2026-H1", "completed")
            work = company.plans.activate(crew.manager, ended.plan_id)
            assert await code_in(work) == (409, "BAD_STATE")

    run(story())


def test_the_roster_is_that_of_the_moment(
    engine_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody joins between the look at the team and the first step: they take part."""

    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew, late = await crew_made(company, 1), await user_made(company)
            plan = await drafted(company, crew)
            begin, joined = m.begin_activation, False

            from tablewright.systems.ladders import reviewing

            def slow(*args: object) -> object:
                nonlocal joined
                if not joined:
                    joined = True
                    other = engine_backend.db()
                    other.run(m.add_members(crew.team_id, [late.user_id], company.now()))
                return begin(*args)  # type: ignore[arg-type]

            monkeypatch.setattr(reviewing, "begin_activation", slow)
            view = await company.plans.activate(crew.manager, plan.plan_id)
            everybody = {crew.members[0].user_id, late.user_id}
            assert view.plan.member_ids == everybody
            assert len(await all_of(company, plan)) == 4

    run(story())
