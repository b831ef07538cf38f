"""Who is in a team: the same on both sides, whatever happens."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest
from tests.systems.ladders.support import (
    again,
    audited,
    code_in,
    company_on,
    crew_made,
    refused,
    run,
    team_made,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.realism import Fault
from tablewright.model import attr, update
from tablewright.model.errors import TablewrightError
from tablewright.service.problems import Problem
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.service.company import Company
from tablewright.testing.backends import Backend
from tablewright.testing.faults import injected


async def check_both_sides(company: Company) -> None:
    """Every team has the members and the manager who have it, and nobody else."""
    users = [each async for each in company.db.iterate(m.all_users())]
    teams = [each async for each in company.db.iterate(m.all_teams())]
    in_teams = {(each.team_id, member) for each in teams for member in each.member_ids}
    assert in_teams == {(team, each.user_id) for each in users for team in each.team_ids}
    managed = {(each.team_id, each.manager_id) for each in teams if each.manager_id}
    assert managed == {(team, each.user_id) for each in users for team in each.managed_team_ids}


def test_scenario_08_an_empty_team_works(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Empty team works; injected failure leaves both sides equal."""

    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            max_, lina = await user_made(company, "max", "manager"), await user_made(company)
            teams = company.teams
            team_id = (await teams.create(max_, "Platform")).team.team_id
            by = await again(company, max_)
            assert (await teams.read(by, team_id)).members == ()
            view = await teams.add_members(by, team_id, [lina.user_id])
            assert [each.user_id for each in view.members] == [lina.user_id]
            view = await teams.remove_members(by, team_id, [lina.user_id])
            assert (view.members, view.team.member_ids) == ((), set())
            assert [each.team_id for each in await teams.mine(by)] == [team_id]
            assert (await teams.remove_members(by, team_id, [lina.user_id])).team == view.team
            await check_both_sides(company)

    run(story())


@pytest.mark.parametrize(
    "fault",
    [
        Fault("TransactWriteItems", error="InternalServerError"),
        Fault("TransactWriteItems", drop=True),
        Fault("TransactWriteItems", error="InternalServerError", after=True),
        Fault("TransactWriteItems", error="TransactionCanceledException", members=(1,)),
        Fault("TransactWriteItems", rate=0.5, error="InternalServerError", after=True),
    ],
    ids=["refused", "dropped", "done and not said", "in the way", "now and then"],
)
def test_scenario_08_a_failure_leaves_both_sides_equal(
    engine_backend: Backend, tablewright_engine: Engine, clock: ManualClock, fault: Fault
) -> None:
    """Empty team works; injected failure leaves both sides equal."""

    async def story() -> None:
        async with company_on(engine_backend, clock, quick=True) as company:
            ann = await user_made(company, "ann", "admin")
            one, other = await crew_made(company), await crew_made(company)
            new, teams = await user_made(company), company.teams
            works = (
                lambda: teams.add_members(ann, one.team_id, [new.user_id]),
                lambda: teams.remove_members(ann, one.team_id, [one.members[0].user_id]),
                lambda: teams.assign_manager(ann, one.team_id, other.manager.user_id),
                lambda: company.people.deactivate(ann, other.members[0].user_id),
            )
            failed = 0
            for work in works:
                with injected(tablewright_engine, fault):
                    try:
                        await work()
                    except (TablewrightError, Problem):
                        failed += 1
                await check_both_sides(company)
            assert failed or fault.rate < 1
            for work in works:
                await work()
            await check_both_sides(company)

    run(story())


def test_members_are_named_by_address_or_id(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 1)
            lina, nora = await user_made(company, "lina"), await user_made(company, "nora")
            add, by = company.teams.add_members, crew.manager
            view = await add(by, crew.team_id, [lina.user_id], ["Nora@people.test"])
            wanted = {lina.user_id, nora.user_id, crew.members[0].user_id}
            assert view.team.member_ids == wanted
            same = await add(by, crew.team_id, [lina.user_id], ["lina@people.test"])
            assert same.team == view.team
            told = [each for each in await audited(company) if each[0] == "team.add"]
            assert told == [("team.add", f"team/{crew.team_id}")]
            problem = await refused(
                add(by, crew.team_id, [lina.user_id, str(uuid4())], ["x@y.test", "nobody"])
            )
            fields = [each.field for each in problem.errors]
            assert fields == ["body.user_ids.1", "body.emails.0", "body.emails.1"]
            assert await code_in(add(by, crew.team_id)) == (422, "INVALID")
            many = [str(uuid4()) for _ in range(51)]
            assert await code_in(add(by, crew.team_id, many)) == (422, "INVALID")
            assert await code_in(add(by, crew.team_id, [by.user_id])) == (409, "MANAGER_IS_MEMBER")

    run(story())


def test_fifty_join_and_leave_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            team, by = await team_made(company), await user_made(company, "ann", "admin")
            many = [(await user_made(company)).user_id for _ in range(50)]
            view = await company.teams.add_members(by, team.team_id, many)
            assert len(view.members) == 50
            view = await company.teams.remove_members(by, team.team_id, many)
            assert view.members == ()
            await check_both_sides(company)

    run(story())


def test_there_is_room_for_so_many(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann, lina = await user_made(company, "ann", "admin"), await user_made(company)
            team, add = await team_made(company), company.teams.add_members
            full = {str(uuid4()) for _ in range(200)}
            members = attr(m.Team.member_ids)
            await company.db.run(update(m.Team, team.team_id).do(members.set(full)))
            work = add(ann, team.team_id, [lina.user_id])
            assert await code_in(work) == (409, "TEAM_FULL")
            await company.db.run(update(m.Team, team.team_id).do(members.remove()))
            teams = {str(uuid4()) for _ in range(20)}
            own = attr(m.User.team_ids).set(teams)
            await company.db.run(update(m.User, lina.user_id).do(own))
            work = add(ann, team.team_id, [lina.user_id])
            assert await code_in(work) == (409, "TOO_MANY_TEAMS")

    run(story())


def test_all_come_and_go_at_the_same_time(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            one, other = await crew_made(company), await crew_made(company)
            people = [await user_made(company) for _ in range(6)]
            teams = company.teams
            works = [
                *(teams.add_members(ann, one.team_id, [each.user_id]) for each in people),
                *(teams.add_members(ann, other.team_id, [each.user_id]) for each in people),
                *(company.people.deactivate(ann, each.user_id) for each in people[:3]),
                *(teams.remove_members(ann, one.team_id, [each.user_id]) for each in people[2:]),
                company.people.erase(ann, one.members[0].user_id),
            ]
            ended = await asyncio.gather(*works, return_exceptions=True)
            wrong = [each for each in ended if isinstance(each, Exception)]
            assert all(isinstance(each, Problem) for each in wrong)
            await check_both_sides(company)

    run(story())
