"""Teams: new ones, their names and their end."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from uuid import uuid4

from tests.systems.ladders.support import (
    again,
    audited,
    code_in,
    company_on,
    crew_made,
    plan_made,
    run,
    team_made,
    user_made,
)

from tablewright.client import Db, RequestEvent
from tablewright.clock import ManualClock
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.service.teams.keeping import TeamChange
from tablewright.testing.backends import Backend


def test_a_manager_makes_their_own_team(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            max_ = await user_made(company, "max", "manager")
            other = await user_made(company, "mia", "manager")
            view = await company.teams.create(max_, "Platform", "What others build on.")
            assert view.team.manager_id == max_.user_id
            assert (await again(company, max_)).user.managed_team_ids == {view.team.team_id}
            work = company.teams.create(max_, "Mobile", manager_id=other.user_id)
            assert await code_in(work) == (403, "FORBIDDEN")
            lina = await user_made(company, "lina")
            assert await code_in(company.teams.create(lina, "Mine")) == (403, "FORBIDDEN")
            assert ("team.create", f"team/{view.team.team_id}") in await audited(company)

    run(story())


def test_an_admin_names_the_manager(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            max_, lina = await user_made(company, "max", "manager"), await user_made(company)
            led = await company.teams.create(ann, "Platform", manager_id=max_.user_id)
            assert led.manager is not None
            assert led.manager.user_id == max_.user_id
            bare = await company.teams.create(ann, "Mobile")
            assert (bare.manager, bare.members) == (None, ())
            for nobody in (lina.user_id, str(uuid4())):
                work = company.teams.create(ann, "Data", manager_id=nobody)
                assert await code_in(work) == (409, "NOT_A_MANAGER")
            assert len(await company.teams.list(ann, limit=10)) == 2

    run(story())


def test_who_is_nothing_to_a_team_does_not_learn_of_it(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew, other = await crew_made(company), await crew_made(company)
            teams, who = company.teams, (other.manager, other.members[0])
            for by in who:
                for team_id in (crew.team_id, str(uuid4()), "ACTIVE"):
                    for work in (
                        teams.read(by, team_id),
                        teams.edit(by, team_id, TeamChange("New"), Precondition.seen(1)),
                        teams.close(by, team_id),
                        teams.assign_manager(by, team_id, by.user_id),
                        teams.add_members(by, team_id, [by.user_id]),
                        teams.remove_members(by, team_id, [crew.members[0].user_id]),
                    ):
                        assert await code_in(work) == (404, "NOT_FOUND")
            assert await code_in(teams.list(other.manager)) == (403, "FORBIDDEN")

    run(story())


def test_a_member_reads_and_does_nothing_else(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company)
            lina, teams, team_id = crew.members[0], company.teams, crew.team_id
            view = await teams.read(lina, team_id)
            assert {each.user_id for each in view.members} == crew.team.member_ids
            assert {each.email for each in view.members} == {None}
            for work in (
                teams.edit(lina, team_id, TeamChange("New"), Precondition.seen(1)),
                teams.close(lina, team_id),
                teams.assign_manager(lina, team_id, lina.user_id),
                teams.add_members(lina, team_id, [lina.user_id]),
                teams.remove_members(lina, team_id, [lina.user_id]),
            ):
                assert await code_in(work) == (403, "FORBIDDEN")
            managed = await teams.read(crew.manager, team_id)
            assert all(each.email for each in managed.members)

    run(story())


def test_a_team_is_edited_from_what_was_seen(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company)
            edit, seen = company.teams.edit, crew.team.revision
            unsaid = edit(crew.manager, crew.team_id, TeamChange("New"), UNSAID)
            assert await code_in(unsaid) == (428, "PRECONDITION_REQUIRED")
            both = TeamChange("Tools", "For everybody.")
            view = await edit(crew.manager, crew.team_id, both, Precondition.seen(seen))
            assert (view.team.team_name, view.team.description) == ("Tools", "For everybody.")
            old = edit(crew.manager, crew.team_id, TeamChange("Old"), Precondition.seen(seen))
            assert await code_in(old) == (412, "REVISION_CONFLICT")
            bare = TeamChange(description=None)
            view = await edit(crew.manager, crew.team_id, bare, Precondition.seen(seen + 1))
            assert (view.team.team_name, view.team.description) == ("Tools", None)
            same = await edit(crew.manager, crew.team_id, bare, Precondition.seen(seen + 2))
            assert same.team == view.team

    run(story())


def test_a_team_with_an_open_plan_is_not_closed(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            ann, crew = await user_made(company, "ann", "admin"), await crew_made(company, 1)
            close = company.teams.close
            assert await code_in(close(crew.manager, crew.team_id)) == (403, "FORBIDDEN")
            plan = await plan_made(company, crew.team)
            assert await code_in(close(ann, crew.team_id)) == (409, "OPEN_PLANS")
            await company.db.run(m.complete_plan(plan, company.now()))
            stale = close(ann, crew.team_id, Precondition.seen(1))
            assert await code_in(stale) == (412, "REVISION_CONFLICT")
            closed = await close(ann, crew.team_id)
            assert not closed.is_active
            assert await close(ann, crew.team_id) == closed
            more = company.teams.add_members(ann, crew.team_id, [ann.user_id])
            assert await code_in(more) == (409, "TEAM_CLOSED")
            seen = Precondition.seen(closed.revision)
            named = company.teams.edit(ann, crew.team_id, TeamChange("New"), seen)
            assert await code_in(named) == (409, "TEAM_CLOSED")
            assert (await company.teams.read(crew.members[0], crew.team_id)).team == closed

    run(story())


def test_who_closes_a_team_that_is_changed_meanwhile_does_so(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann, crew = await user_made(company, "ann", "admin"), await crew_made(company, 1)
            other, seen = Db(engine_backend.transport()), count(1)

            def hook(event: RequestEvent) -> None:
                if event.pattern == "team" and next(seen) == 1:
                    found = other.require(m.team(crew.team_id))
                    other.run(m.edit_team(found, "Tools", None, company.now()))

            company.db.context = replace(company.db.context, hook=hook)
            before = Precondition.seen(crew.team.revision)
            closed = await company.teams.close(ann, crew.team_id)
            assert (closed.team_name, closed.is_active) == ("Tools", False)
            # Repeated, since the answer was lost: it is done.
            assert await company.teams.close(ann, crew.team_id, before) == closed
            same = company.teams.assign_manager(
                ann, crew.team_id, crew.manager.user_id, Precondition.seen(1)
            )
            assert (await same).team == closed

    run(story())


def test_mine_are_those_that_i_am_in_and_those_that_i_manage(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            max_ = await user_made(company, "max", "manager")
            led = await team_made(company, max_, team_name="beta")
            within = await team_made(company, None, max_, team_name="Alpha")
            await team_made(company, None, team_name="Gamma")
            mine = await company.teams.mine(await again(company, max_))
            assert [each.team_id for each in mine] == [within.team_id, led.team_id]
            await company.db.run(m.remove_members(within.team_id, [max_.user_id], company.now()))
            mine = await company.teams.mine(await again(company, max_))
            assert [each.team_id for each in mine] == [led.team_id]

    run(story())
