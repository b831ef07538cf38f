"""Who manages a team: somebody who is active, has the role, and is no member."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from tests.systems.ladders.support import (
    again,
    audited,
    code_in,
    company_on,
    crew_made,
    run,
    team_made,
    user_made,
)
from tests.systems.ladders.teams.test_roster import check_both_sides

from tablewright.clock import ManualClock
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.service.people.users import UserChange
from tablewright.testing.backends import Backend

NOBODY = UserChange(roles=frozenset())


def test_another_manager_sees_the_team_at_once(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            ann, crew = await user_made(company, "ann", "admin"), await crew_made(company)
            mia, teams = await user_made(company, "mia", "manager"), company.teams
            assert await code_in(teams.read(mia, crew.team_id)) == (404, "NOT_FOUND")
            view = await teams.assign_manager(ann, crew.team_id, mia.user_id)
            assert view.team.manager_id == mia.user_id
            assert "manager" in (await teams.read(mia, crew.team_id)).who
            assert await code_in(teams.read(crew.manager, crew.team_id)) == (404, "NOT_FOUND")
            same = await teams.assign_manager(ann, crew.team_id, mia.user_id)
            assert same.team == view.team
            old = teams.assign_manager(ann, crew.team_id, None, Precondition.seen(1))
            assert await code_in(old) == (412, "REVISION_CONFLICT")
            bare = await teams.assign_manager(ann, crew.team_id, None)
            assert bare.manager is None
            assert (await again(company, mia)).user.managed_team_ids == set()
            told = [each for each in await audited(company) if each[0] == "team.manager"]
            assert len(told) == 2
            await check_both_sides(company)

    run(story())


def test_who_does_not_become_a_manager(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann, crew = await user_made(company, "ann", "admin"), await crew_made(company)
            assign = company.teams.assign_manager
            lina, gone = crew.members[0], await user_made(company, "gus", "manager")
            plain = await user_made(company)
            await company.people.deactivate(ann, gone.user_id)
            for nobody in (plain.user_id, gone.user_id, str(uuid4())):
                work = assign(ann, crew.team_id, nobody)
                assert await code_in(work) == (409, "NOT_A_MANAGER")
            work = assign(ann, crew.team_id, lina.user_id)
            assert await code_in(work) == (409, "MANAGER_IS_MEMBER")
            work = assign(crew.manager, crew.team_id, crew.manager.user_id)
            assert await code_in(work) == (403, "FORBIDDEN")
            assert (await company.db.require(m.team(crew.team_id))).manager_id == (
                crew.manager.user_id
            )

    run(story())


def test_scenario_17_a_manager_is_never_inactive(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Assign manager racing deactivate: never an inactive manager."""

    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            ann, ends = await user_made(company, "ann", "admin"), set()
            for number in range(12):
                mia = await user_made(company, f"mia-{number}", "manager")
                team = await team_made(company)
                works = [
                    company.teams.assign_manager(ann, team.team_id, mia.user_id),
                    company.people.deactivate(ann, mia.user_id),
                ]
                turned = works if number % 2 else works[::-1]
                ended = await asyncio.gather(*turned, return_exceptions=True)
                codes = [each.code for each in ended if isinstance(each, Problem)]
                assert len(codes) == sum(isinstance(each, Exception) for each in ended) <= 1
                ends.update(codes)
                led = await company.db.require(m.team(team.team_id))
                user = await company.db.require(m.user(mia.user_id))
                assert led.manager_id is None or user.is_active
            assert ends <= {"NOT_A_MANAGER", "USER_IS_MANAGER"}
            await check_both_sides(company)

    run(story())


def test_scenario_17_nor_without_the_role(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Assign manager racing deactivate: never an inactive manager."""

    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            for number in range(6):
                mia = await user_made(company, f"mia-{number}", "manager")
                team = await team_made(company)
                seen = Precondition.seen(mia.user.revision)
                await asyncio.gather(
                    company.teams.assign_manager(ann, team.team_id, mia.user_id),
                    company.people.change(ann, mia.user_id, NOBODY, seen),
                    return_exceptions=True,
                )
                led = await company.db.require(m.team(team.team_id))
                user = await company.db.require(m.user(mia.user_id))
                assert led.manager_id is None or "manager" in user.roles
            await check_both_sides(company)

    run(story())


def test_of_two_managers_one_is_left(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            ann, team = await user_made(company, "ann", "admin"), await team_made(company)
            many = [await user_made(company, f"mia-{n}", "manager") for n in range(4)]
            works = (company.teams.assign_manager(ann, team.team_id, e.user_id) for e in many)
            await asyncio.gather(*works, return_exceptions=True)
            await check_both_sides(company)
            led = await company.db.require(m.team(team.team_id))
            assert led.manager_id in {each.user_id for each in many}

    run(story())
