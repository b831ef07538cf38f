"""Reminders: nobody is told twice of the same, whatever happens."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

import pytest
from tests.service.kit.mail_server import MailBox, mail_server
from tests.systems.ladders.plans.dying import Dead, dying
from tests.systems.ladders.plans.support import large_team, send, submitted, waiting
from tests.systems.ladders.support import (
    Crew,
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
from tablewright.model import put
from tablewright.service.workers import run_once
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.demo_items import report
from tablewright.systems.ladders.fields import GrowthAction
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.service.messages import REMINDER
from tablewright.systems.ladders.workers import reminders
from tablewright.testing.backends import Backend

WEEK = timedelta(days=7)


async def runs(company: Company, times: int = 1) -> None:
    """What the worker does, so many hours in a row."""
    for _ in range(times):
        await run_once(reminders.worker(company))


async def told(company: Company) -> Counter[tuple[str, str]]:
    """Who has got which kind of reminder, sent or not."""
    found = await waiting(company, REMINDER)
    return Counter((str(each.body["person"]), str(each.body["reminder"])) for each in found)


def everybody(crew: Crew, kind: str = "review_due") -> Counter[tuple[str, str]]:
    return Counter((f"user/{each.user_id}", kind) for each in (*crew.members, crew.manager))


def received(box: MailBox) -> Counter[str]:
    return Counter(each for _, to, _ in box.got for each in to)


def test_scenario_18_one_mail_each_a_week_before_the_end(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Clock at T-7: one mail each, also after 3 runs and an SMTP outage."""

    async def story(box: MailBox) -> None:
        async with company_on(tablewright_backend, clock) as company:
            crew = await crew_made(company, 3)
            plan = await plan_made(company, crew.team)
            url = f"smtp://127.0.0.1:{box.port}"
            clock.set((plan.end_date - WEEK).timestamp() - 1)
            await runs(company)
            assert await told(company) == Counter(), "a second too early"
            clock.advance(1)
            box.answer = "451 not now"
            await runs(company, 3)
            for _ in range(3):
                await send(company, url)
                clock.advance(3600)
                await runs(company)
            assert received(box) == Counter()
            box.answer = "250 ok"
            clock.advance(7200)
            for _ in range(3):
                await runs(company)
                await send(company, url)
            addresses = [each.user.email for each in (*crew.members, crew.manager)]
            assert received(box) == Counter(addresses)
            for _, _, mail in box.got:
                assert "ends soon" in str(mail["Subject"])
                text = mail.get_content()
                assert "29 November 2026, 09:00 (UTC)" in text
                names = (each.user.name for each in (*crew.members, crew.manager))
                assert not any(name in text for name in names)

    with mail_server() as box:
        run(story(box))


def test_each_of_the_four_days_has_its_own(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 1)
            plan = await plan_made(company, crew.team)
            expected: Counter[tuple[str, str]] = Counter()
            for days, kind in (
                (-7, "review_due"),
                (-1, "review_due"),
                (1, "review_late"),
                (7, "review_late"),
            ):
                clock.set((plan.end_date + timedelta(days=days)).timestamp())
                await runs(company, 2)
                expected += everybody(crew, kind)
                assert await told(company) == expected
            clock.advance(WEEK.total_seconds())
            await runs(company)
            assert await told(company) == expected

    run(story())


def test_who_is_done_is_left_alone(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 3)
            done, gone, late = crew.members
            plan = await plan_made(company, crew.team)
            await submitted(company, plan, done)
            await company.plans.withdraw(crew.manager, plan.plan_id, gone.user_id)
            clock.set((plan.end_date - WEEK).timestamp())
            await runs(company)
            people = {person for person, _ in await told(company)}
            assert people == {f"user/{late.user_id}", f"user/{crew.manager.user_id}"}
            (about,) = [
                each
                for each in await waiting(company, REMINDER)
                if each.body["person"] == f"user/{crew.manager.user_id}"
            ]
            assert "2 assessments that you write" in str(about.body["text"])
            await company.plans.complete(crew.manager, plan.plan_id, force=True)
            clock.advance(6 * 86400)
            before = await told(company)
            await runs(company)
            assert await told(company) == before, "a review that has ended is nobody's task"

    run(story())


def test_a_later_end_is_another_reminder(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 1)
            plan = await plan_made(company, crew.team)
            clock.set((plan.end_date - WEEK).timestamp())
            await runs(company)
            later = plan.end_date + timedelta(days=3)
            op = m.edit_active_plan(plan, plan.plan_name, None, later, company.now())
            await company.db.run(op)
            await runs(company)
            assert await told(company) == everybody(crew)
            clock.set((later - WEEK).timestamp())
            await runs(company, 2)
            assert await told(company) == everybody(crew) + everybody(crew)

    run(story())


def test_workers_at_the_same_time_tell_everybody_once(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with (
            company_on(engine_backend, clock) as one,
            company_on(engine_backend, clock) as two,
        ):
            crew = await crew_made(one, 3)
            plan = await plan_made(one, crew.team)
            clock.set((plan.end_date - WEEK).timestamp())
            await asyncio.gather(*(runs(each) for each in (one, two, one, two)))
            assert await told(one) == everybody(crew)

    run(story())


@pytest.mark.parametrize("step", [1, 2])
def test_whoever_dies_on_the_way_is_followed_by_who_goes_on(
    engine_backend: Backend, clock: ManualClock, step: int
) -> None:
    """More people than fit into a transaction: each is told once."""

    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            manager = await user_made(company, None, "manager")
            await config_made(company)
            team = await large_team(company, manager, 70)
            plan = await plan_made(company, team)
            clock.set((plan.end_date - WEEK).timestamp())
            async with company_on(dying(engine_backend, step), clock) as other:
                with pytest.raises(Dead):
                    await runs(other)
            assert sum((await told(company)).values()) == (step - 1) * 50
            await runs(company, 2)
            found = await told(company)
            assert len(found) == 71
            assert set(found.values()) == {1}

    run(story())


def test_a_manager_asks_once_a_day(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(tablewright_backend, clock) as api:
            company = api.company
            crew = await crew_made(company, 2)
            plan = await plan_made(company, crew.team)
            omar, path = api.as_(crew.manager), f"/plans/{plan.plan_id}/remind"
            first, second = crew.members
            only = {"user_ids": [first.user_id]}
            assert await omar.done("POST", path, only) == {"reminded": 1, "open": 1}
            assert await omar.done("POST", path, only) == {"reminded": 0, "open": 1}
            assert await omar.done("POST", path) == {"reminded": 2, "open": 3}
            assert await told(company) == everybody(crew, "asked")
            clock.advance(86400)
            await submitted(company, plan, second)
            assert await omar.done("POST", path) == {"reminded": 2, "open": 2}
            assert await api.as_(first).refused("POST", path) == (403, "FORBIDDEN")
            await company.plans.complete(crew.manager, plan.plan_id, force=True)
            assert await omar.refused("POST", path) == (409, "BAD_STATE")

    run(story())


def test_impatient_managers_ask_once(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 2)
            plan = await plan_made(company, crew.team)
            found = await asyncio.gather(
                *(company.boards.remind(crew.manager, plan.plan_id) for _ in range(3))
            )
            assert sorted(each.told for each in found) == [0, 0, 3]
            assert await told(company) == everybody(crew, "asked")

    run(story())


def growing(company: Company, crew: Crew, plan: m.Plan, *days: int, **fields: Any) -> m.Report:
    """A report of the first member, with actions that are due in so many days."""
    due = [company.now() + timedelta(days=each) for each in days]
    actions = {str(uuid4()): GrowthAction(title="Teach", due_at=each) for each in due}
    member = crew.members[0].user_id
    wanted = {
        "plan_id": plan.plan_id,
        "team_id": plan.team_id,
        "team_member_id": member,
        "report_id": ids.report_id(plan.plan_id, member),
        "status": "released",
        "actions": actions,
        "open_actions": len(actions),
        "next_action_due": min(due, default=None),
        **fields,
    }
    return report(plan, 4).model_copy(update=wanted)


def test_growth_actions_are_told_a_week_before(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 1)
            plan = await plan_made(company, crew.team, status="completed")
            await company.db.run(put(growing(company, crew, plan, 10, 20)))
            me = (f"user/{crew.members[0].user_id}", "action_due")
            start = company.now()
            for days, expected in ((0, 0), (3, 1), (9, 1), (13, 2), (25, 2)):
                clock.set((start + timedelta(days=days)).timestamp())
                await runs(company, 2)
                assert (await told(company))[me] == expected, days
            keys = [str(each.body["key"]) for each in await waiting(company, REMINDER)]
            assert [date.fromisoformat(each.split("/")[-1]) for each in keys] == [
                (start + timedelta(days=each)).date() for each in (3, 13)
            ]
            assert "Teach" not in "".join(
                str(each.body) for each in await waiting(company, REMINDER)
            )

    run(story())


@pytest.mark.parametrize("status", ["generated", "stale"])
def test_what_a_member_may_not_read_is_no_reason_for_a_mail(
    engine_backend: Backend, clock: ManualClock, status: str
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 1)
            plan = await plan_made(company, crew.team, status="archived")
            hidden = growing(company, crew, plan, 3, status=status)
            await company.db.run(put(hidden))
            await runs(company)
            assert await told(company) == Counter()
            shown = hidden.model_copy(update={"status": "acknowledged", "revision": 1})
            await company.db.run(put(shown).replace())
            await runs(company)
            assert len(await told(company)) == 1

    run(story())


def test_addresses_are_those_of_the_moment(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 1)
            member, address_of = crew.members[0], company.messages.address_of
            assert await address_of(f"user/{member.user_id}") == member.user.email
            assert await address_of(f"manager/{crew.team_id}") == crew.manager.user.email
            await company.db.run(m.assign_manager(crew.team, None, company.now()))
            assert await address_of(f"manager/{crew.team_id}") is None
            gone = await company.db.require(m.user(member.user_id))
            await company.db.run(m.deactivate_user(gone, company.now()))
            assert await address_of(f"user/{member.user_id}") is None
            for odd in ("user/EMAIL#a@b.c", "user/", "team/x", f"user/{uuid4()}", ""):
                assert await address_of(odd) is None

    run(story())


def test_reminders_of_a_plan_need_somebody_who_runs_it(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew, stranger = await crew_made(company, 1), await user_made(company, None, "manager")
            plan = await plan_made(company, crew.team)
            work = company.boards.remind(stranger, plan.plan_id)
            assert await code_in(work) == (404, "NOT_FOUND")
            look = company.boards.board(stranger, plan.plan_id)
            assert await code_in(look) == (404, "NOT_FOUND")

    run(story())
