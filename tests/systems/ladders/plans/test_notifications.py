"""Who is notified: exactly those whom the page names, each once."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from tests.systems.ladders.plans.support import draft, drafted, large_team, waiting
from tests.systems.ladders.support import (
    api_on,
    code_in,
    company_on,
    config_made,
    crew_made,
    plan_made,
    run,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.service.notifications import recipients_of
from tablewright.service.workers import run_once
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.fields import Activation
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.service.messages import INVITED, OPENED, YOUR_REVIEW
from tablewright.systems.ladders.workers import activation_resumer
from tablewright.testing.backends import Backend


async def queued(company: Company) -> Counter[tuple[str, str]]:
    """Kind and person of every message that waits."""
    return Counter((each.kind, str(each.body["person"])) for each in await waiting(company))


def test_activation_notifies_the_manager_and_each_member(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            crew = await crew_made(company, 3)
            plan = await drafted(company, crew)
            view = await company.plans.activate(crew.manager, plan.plan_id)
            members = [each.user_id for each in crew.members]
            assert await queued(company) == Counter(
                {
                    (OPENED, f"manager/{crew.team_id}"): 1,
                    **{(YOUR_REVIEW, f"user/{each}"): 1 for each in members},
                }
            )
            assert recipients_of(view.messages) == {
                f"manager/{crew.team_id}",
                *(f"user/{each}" for each in members),
            }
            addresses = [await company.messages.address_of(f"user/{each}") for each in members]
            assert addresses == [each.user.email for each in crew.members]
            # Repeated, nobody gets a second one.
            again_ = await company.plans.activate(crew.manager, plan.plan_id)
            assert again_.messages == ()
            assert len(await waiting(company)) == 4

    run(story())


def test_activation_of_two_hundred_notifies_each_once(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            manager = await user_made(company, "omar", "manager")
            await config_made(company)
            team = await large_team(company, manager, 200)
            plan = (await company.plans.draft(manager, team.team_id, draft(company))).plan
            view = await company.plans.activate(manager, plan.plan_id)
            assert len(view.messages) == 201
            counted = await queued(company)
            assert len(counted) == 201
            assert set(counted.values()) == {1}

    run(story())


def test_members_are_notified_by_the_worker_if_the_process_dies_after_opening(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 2)
            plan = await drafted(company, crew)
            begun = Activation(by=crew.manager.user_id, at=company.now())
            team = await company.db.require(m.team(crew.team_id))
            await company.db.run(m.begin_activation(plan, team, begun))
            prepared = await company.db.require(m.plan(plan.plan_id))
            await company.plans._make_assessments(prepared, begun)
            await company.db.run(m.finish_activation(prepared, company.now()))
            assert await waiting(company) == []
            clock.advance(60)
            for _ in range(2):
                await run_once(activation_resumer.worker(company))
            counted = await queued(company)
            assert counted == Counter(
                {(YOUR_REVIEW, f"user/{each.user_id}"): 1 for each in crew.members}
            )
            found = await company.db.require(m.plan(plan.plan_id))
            assert (found.status, found.activation) == ("active", None)

    run(story())


def test_enrolled_member_is_notified(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company)
            plan, late = await plan_made(company, crew.team), await user_made(company)
            await company.teams.add_members(crew.manager, crew.team_id, [late.user_id])
            view = await company.plans.enrol(crew.manager, plan.plan_id, late.user_id)
            assert recipients_of(view.messages) == {f"user/{late.user_id}"}
            assert await queued(company) == Counter({(YOUR_REVIEW, f"user/{late.user_id}"): 1})

    run(story())


def test_invited_person_is_notified_at_their_address(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            admin = await user_made(company, "ines", "admin")
            made = await company.people.create(admin, "asha@people.test", "Asha Verma")
            (entry,) = await waiting(company, INVITED)
            person = str(entry.body["person"])
            assert await company.messages.address_of(person) == "asha@people.test"
            assert "Asha" not in str(entry.body), "a message is stored, and names nobody"
            assert made.email == "asha@people.test"

    run(story())


# --- dates ---------------------------------------------------------------------------------------


def test_activation_before_the_first_day_returns_409(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew, now = await crew_made(company), company.now()
            dates = {"start_date": now + timedelta(days=2), "end_date": now + timedelta(days=9)}
            plan = await drafted(company, crew, **dates)
            work = company.plans.activate(crew.manager, plan.plan_id)
            assert await code_in(work) == (409, "PLAN_NOT_BEGUN")
            work = company.plans.activate(crew.manager, plan.plan_id, after_end=True)
            assert await code_in(work) == (409, "PLAN_NOT_BEGUN")
            assert await waiting(company) == []
            clock.advance(timedelta(days=2).total_seconds())
            view = await company.plans.activate(crew.manager, plan.plan_id)
            assert view.plan.status == "active"

    run(story())


def test_activation_after_the_last_day_needs_confirmation(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            crew = await crew_made(api.company)
            plan = await drafted(api.company, crew)
            clock.advance(timedelta(days=15).total_seconds())
            manager = api.as_(crew.manager)
            path = f"/plans/{plan.plan_id}/activate"
            answer = await manager("POST", path)
            assert (answer.status_code, answer.json()["code"]) == (409, "PLAN_ENDED")
            assert "last day" in answer.json()["detail"]
            done = await manager.done("POST", path, {"after_end": True})
            assert (done["status"], done["activating"]) == ("active", False)

    run(story())
