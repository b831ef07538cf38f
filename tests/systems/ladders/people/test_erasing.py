"""Erasing: what was written about somebody goes, and a crash in the middle does not matter."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from itertools import count
from typing import Any

from tests.systems.ladders.assessments.reviews import review_made
from tests.systems.ladders.support import (
    Crew,
    assessment_of,
    code_in,
    company_on,
    crew_made,
    plan_made,
    run,
    user_made,
)

from tablewright.client import Db, RequestEvent
from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.bodies.growth import ActionIn
from tablewright.systems.ladders.demo_items import action, report, uuid
from tablewright.systems.ladders.fields import Activation, AssessmentType, Feedback, Reopening
from tablewright.systems.ladders.service.company import Company
from tablewright.testing.backends import Backend

SAID = "Said about Lina."
KINDS: tuple[AssessmentType, ...] = ("self", "manager")


async def written(company: Company) -> tuple[Crew, m.Plan]:
    """A plan in which both have written about the first member, and a report with an action."""
    crew = await crew_made(company)
    plan, now = await plan_made(company, crew.team), company.now()
    lina = crew.members[0]
    for kind in KINDS:
        found = await assessment_of(company, plan, lina, kind)
        said = {("Craft", "Coding", 3): Feedback(evidence=SAID)}
        levels = {("Craft", "Coding"): 3}
        saved = await company.db.run(m.save_answers(found, levels, said, 1, found.assessor_id, now))
        again = Reopening(by=crew.manager.user_id, at=now, reason=SAID)
        more = {"way_forward": SAID, "reopens": [again]}
        await company.db.run(put(saved.model_copy(update=more)))
    told = report(plan, 1, "released").model_copy(
        update={
            "team_member_id": lina.user_id,
            "report_id": ids.report_id(plan.plan_id, lina.user_id),
            "way_forward": SAID,
            "ack_comment": SAID,
            "actions": {uuid(3, 1): action(5)},
            "open_actions": 1,
            "next_action_due": action(5).due_at,
        }
    )
    await company.db.run(put(told))
    return crew, plan


async def texts_left(company: Company, plan: m.Plan, user_id: str) -> int:
    """How many items about somebody still hold what was said."""
    found: list[m.Assessment | m.Report] = [
        await company.db.require(m.assessment(ids.assessment_id(plan.plan_id, user_id, kind)))
        for kind in KINDS
    ]
    found.append(await company.db.require(m.report(ids.report_id(plan.plan_id, user_id))))
    return sum(SAID in each.model_dump_json() for each in found)


def test_all_texts_about_somebody_go(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            crew, plan = await written(company)
            lina, other = crew.members
            assert await texts_left(company, plan, lina.user_id) == 3
            await company.people.erase(ann, lina.user_id)
            assert await texts_left(company, plan, lina.user_id) == 0
            own = await assessment_of(company, plan, lina)
            assert own.selections["Craft"] == {"Coding": 3}
            assert own.withdrawn_at is not None
            stored = await company.db.require(m.plan(plan.plan_id))
            assert stored.member_ids == {other.user_id}
            team = await company.db.require(m.team(crew.team_id))
            assert team.member_ids == {other.user_id}
            made = await company.db.require(m.report(ids.report_id(plan.plan_id, lina.user_id)))
            assert (made.actions, made.open_actions, made.next_action_due) == ({}, 0, None)

    run(story())


async def cut_off(company: Company, work: Coroutine[Any, Any, object], after: int) -> bool:
    """Whether something was ended as a process is that dies, after so many requests."""
    task = asyncio.ensure_future(work)
    before, seen = company.db.context, count(1)

    def hook(event: RequestEvent) -> None:
        if next(seen) == after:
            task.cancel()

    company.db.context = replace(before, hook=hook)
    try:
        await asyncio.wait([task])
    finally:
        company.db.context = before
    return task.cancelled()


def test_a_crash_in_the_middle_is_gone_on_from(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            for after in range(1, 100, 3):
                crew, plan = await written(company)
                lina = crew.members[0]
                cut = await cut_off(company, company.people.erase(ann, lina.user_id), after)
                user = await company.db.require(m.user(lina.user_id))
                left = await texts_left(company, plan, lina.user_id)
                # Nobody is called erased of whom there is something left.
                assert user.email is not None or not left
                gone = await company.people.erase(ann, lina.user_id)
                assert gone.email is None
                assert await texts_left(company, plan, lina.user_id) == 0
                if not cut:
                    assert after > 15
                    return
        raise AssertionError("it never came to an end")

    run(story())


def test_who_writes_at_the_same_time_leaves_nothing(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            crew, plan = await written(company)
            lina = crew.members[0]

            async def write(number: int) -> None:
                found = await assessment_of(company, plan, lina, "manager")
                said = {("Craft", "Coding", 3): Feedback(evidence=f"{SAID} {number}")}
                op = m.save_answers(found, {}, said, 1, found.assessor_id, company.now())
                await company.db.run(op)

            writers = (write(number) for number in range(10))
            erasing = company.people.erase(ann, lina.user_id)
            await asyncio.gather(erasing, *writers, return_exceptions=True)
            assert await texts_left(company, plan, lina.user_id) == 0

    run(story())


def test_what_is_written_during_a_pass_goes_in_the_next_one(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            crew, plan = await written(company)
            lina, now = crew.members[0], company.now()
            report_id = ids.report_id(plan.plan_id, lina.user_id)
            other = Db(engine_backend.transport())
            seen = count(1)

            def hook(event: RequestEvent) -> None:
                # Just after it was read, and before it is written.
                if event.pattern == "report" and next(seen) == 1:
                    found = other.require(m.report(report_id))
                    other.run(m.save_action(found, uuid(3, 2), action(9), now))

            company.db.context = replace(company.db.context, hook=hook)
            await company.people.erase(ann, lina.user_id)
            assert next(seen) > 2
            assert (await company.db.require(m.report(report_id))).actions == {}
            assert await texts_left(company, plan, lina.user_id) == 0

    run(story())


def test_what_is_written_after_the_last_pass_goes_too(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            crew, plan = await written(company)
            lina, now = crew.members[0], company.now()
            report_id = ids.report_id(plan.plan_id, lina.user_id)
            other = Db(engine_backend.transport())
            seen = count(1)

            def hook(event: RequestEvent) -> None:
                # Read without any text, which is why it is not looked at again.
                if event.pattern == "report" and next(seen) == 2:
                    found = other.require(m.report(report_id))
                    other.run(m.save_action(found, uuid(3, 2), action(9), now))

            company.db.context = replace(company.db.context, hook=hook)
            await company.people.erase(ann, lina.user_id)
            assert next(seen) > 3
            assert (await company.db.require(m.report(report_id))).actions == {}

    run(story())


def test_nothing_more_is_written_about_who_was_erased(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            review = await review_made(company)
            await review.released()
            plan_id, manager = review.plan.plan_id, review.manager
            await company.plans.complete(manager, plan_id)
            await company.people.erase(ann, review.member.user_id)
            wanted = ActionIn(title=SAID, due_at=company.now())
            work = company.growth.add_action(manager, review.report_id, wanted)
            assert await code_in(work) == (409, "USER_ERASED")
            # Nor if the review goes on.
            await company.plans.reopen(ann, plan_id, "Some are not done.")
            work = company.assessments.reopen(manager, review.id("manager"), SAID)
            assert await code_in(work) == (403, "ASSESSMENT_LOCKED")
            assert (await review.now("manager")).reopens is None
            assert (await company.reminders.ask(manager, plan_id)).open == 0
            view = await company.plans.withdraw(manager, plan_id, review.member.user_id)
            assert view.plan.member_ids == set()

    run(story())


def test_an_action_for_who_is_erased_meanwhile_is_refused(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.released()
            other, seen = Db(engine_backend.transport()), count(1)
            member_id = review.member.user_id

            def hook(event: RequestEvent) -> None:
                if event.pattern == "user" and next(seen) == 1:
                    other.run(m.erase_user(other.require(m.user(member_id)), company.now()))

            company.db.context = replace(company.db.context, hook=hook)
            wanted = ActionIn(title=SAID, due_at=company.now())
            work = company.growth.add_action(review.manager, review.report_id, wanted)
            assert await code_in(work) == (409, "USER_ERASED")
            assert (await review.report()).actions == {}

    run(story())


def test_who_is_erased_while_a_review_begins_has_no_part_in_it(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            crew = await crew_made(company)
            plan = await plan_made(company, crew.team, status="draft")
            begun = Activation(by=crew.manager.user_id, at=company.now())
            await company.db.run(m.begin_activation(plan, crew.team, begun))
            lina, other = crew.members
            assert (await company.people.export(lina)).assessments == ()
            await company.people.erase(ann, lina.user_id)
            found = await company.db.require(m.plan(plan.plan_id))
            assert (found.status, found.member_ids) == ("active", {other.user_id})
            for kind in KINDS:
                assert (await assessment_of(company, plan, lina, kind)).withdrawn_at is not None
                assert (await assessment_of(company, plan, other, kind)).withdrawn_at is None

    run(story())


def test_one_takes_along_what_was_released(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew, plan = await written(company)
            lina, other = crew.members
            mine = await company.people.export(lina)
            assert [each.team_id for each in mine.teams] == [crew.team_id]
            assert {each.assessment_type for each in mine.assessments} == {"self", "manager"}
            assert [each.plan_id for each in mine.reports] == [plan.plan_id]
            theirs = await company.people.export(other)
            assert [each.assessment_type for each in theirs.assessments] == ["self"]
            assert theirs.reports == ()
            found = await company.db.require(m.report(ids.report_id(plan.plan_id, lina.user_id)))
            await company.db.run(m.withdraw_report(found, company.now()))
            withdrawn = await company.people.export(lina)
            assert [each.assessment_type for each in withdrawn.assessments] == ["self"]
            assert withdrawn.reports == ()

    run(story())


def test_nobody_is_erased_by_who_may_not(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew, plan = await written(company)
            lina = crew.members[0]
            work = company.people.erase(crew.manager, lina.user_id)
            assert await code_in(work) == (404, "NOT_FOUND")
            assert await texts_left(company, plan, lina.user_id) == 3

    run(story())
