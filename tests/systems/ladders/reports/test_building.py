"""Reports are made when both assessments are in: once, by whoever comes first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from tests.systems.ladders.assessments.reviews import (
    Review,
    all_at,
    change,
    review_made,
    saving,
)
from tests.systems.ladders.support import audited, code_in, company_on, run, user_made

from tablewright.clock import ManualClock
from tablewright.service.workers import Held, run_once
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.workers import report_builder
from tablewright.testing.backends import Backend


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run waits no longer than an engine in this process needs."""
    monkeypatch.setattr(report_builder, "_WAIT_SECS", 0.3)


@asynccontextmanager
async def builder_of(company: Company) -> AsyncIterator[report_builder.ReportBuilder]:
    building = report_builder.ReportBuilder(company)
    try:
        yield building
    finally:
        await building.close()


async def look(building: report_builder.ReportBuilder, fence: int = 1) -> None:
    """Let the worker read what has changed."""
    await building.run(Held("report-builder", "", "test", fence, 0.0))


async def of(company: Company, review: Review) -> list[m.ReportLine]:
    """All reports of the plan."""
    return await company.reports.of_plan(review.manager, review.plan.plan_id)


def test_scenario_12_both_submit_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Both submit at once: one report; 2,3 gives 2; flags at 2; unmatched listed."""

    async def work() -> None:
        async with company_on(tablewright_backend, clock) as company, builder_of(company) as worker:
            review = await review_made(company, require_all=False)
            own = [
                change("Craft", "Coding", 2, evidence="Wrote it."),
                change("Craft", "Design", 3, evidence="Drew it."),
                change("Delivery", "Planning", 3, evidence="Planned it."),
            ]
            theirs = [
                change("Craft", "Coding", 4, evidence="Saw it."),
                change("Craft", "Design", 4, evidence="Saw it."),
                change("Delivery", "Ownership", 5, evidence="Saw it."),
            ]
            await review.save(saving(*own))
            await review.save(saving(*theirs, goal_level=5, way_forward="Teach."), "manager")
            await asyncio.gather(
                company.assessments.submit(review.member, review.id()),
                company.assessments.submit(review.manager, review.id("manager")),
            )
            member_id = review.member.user_id
            await asyncio.gather(
                look(worker),
                company.reports.build(review.manager, review.plan.plan_id, member_id),
            )
            assert [each.report_id for each in await of(company, review)] == [review.report_id]
            report = await review.report()
            # Written once, whoever came first.
            assert report.revision == 1
            assert [each for each, _ in await audited(company)].count("report.build") == 1
            craft = report.category_levels["Craft"]
            assert (craft.own, craft.manager) == (2, 4)
            # The means are 8/3 and 13/3.
            assert (report.self_assessed_level, report.final_level) == (3, 4)
            differences = {name: each.difference for name, each in report.variance["Craft"].items()}
            assert differences == {"Coding": 2, "Design": 1}
            assert (report.summary.matched, report.summary.flagged) == (2, 1)
            assert [
                (each.category, each.competency, each.side, each.score) for each in report.unmatched
            ] == [("Delivery", "Ownership", "manager", 5), ("Delivery", "Planning", "self", 3)]
            assert (report.goal_level, report.way_forward) == (5, "Teach.")

    run(work())


def test_the_worker_makes_what_is_ready_and_nothing_else(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company, builder_of(company) as worker:
            review = await review_made(company, size=2)
            await review.submitted("self")
            await look(worker)
            assert await of(company, review) == []
            await review.submitted("manager", 4)
            await look(worker)
            assert [each.team_member_id for each in await of(company, review)] == [
                review.member.user_id
            ]
            first = await review.report()
            # Another start gets what was not committed, and leaves what is there.
            await look(worker, fence=2)
            async with builder_of(company) as other:
                await look(other, fence=3)
            assert await review.report() == first
            assert first.goal_level == 5

    run(work())


def test_a_report_that_is_stale_is_made_anew_by_the_worker(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company, builder_of(company) as worker:
            review = await review_made(company)
            await review.both()
            await look(worker)
            await company.assessments.reopen(review.manager, review.id(), "Something new.")
            await look(worker)
            assert (await review.report()).status == "stale"
            await review.submitted("self", 5)
            await look(worker)
            report = await review.report()
            assert (report.status, report.self_assessed_level) == ("generated", 5)

    run(work())


def test_what_was_missed_is_made_good(engine_backend: Backend, clock: ManualClock) -> None:
    """A stream keeps changes for a day; what is gone by then is looked for."""

    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, size=3)
            first, second, third = (
                replace(review, crew=replace(review.crew, members=(each,)))
                for each in review.crew.members
            )
            for each in (first, second):
                await each.submitted("self")
                await each.submitted("manager")
            await third.submitted("self")
            await company.db.run(
                m.withdraw_member(review.plan, second.member.user_id, company.now())
            )
            assert await company.reports.catch_up() == 1
            assert await company.reports.catch_up() == 0
            assert [each.team_member_id for each in await of(company, review)] == [
                first.member.user_id
            ]

    run(work())


def test_the_worker_runs_as_workers_do(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.submitted("self")
            await review.submitted("manager")
            made = report_builder.worker(company)
            assert await run_once(made) == ("",)
            assert made.close is not None
            await made.close()
            assert (await review.report()).status == "generated"

    run(work())


def test_who_is_back_gets_a_report(engine_backend: Backend, clock: ManualClock) -> None:
    """Both were submitted before a member was withdrawn, and nobody had made the report."""

    async def work() -> None:
        async with company_on(engine_backend, clock) as company, builder_of(company) as worker:
            review = await review_made(company)
            await review.submitted("self")
            await review.submitted("manager")
            plan, member_id = review.plan, review.member.user_id
            await company.db.run(m.withdraw_member(plan, member_id, company.now()))
            await look(worker)
            assert await of(company, review) == []
            found = company.reports.build(review.manager, plan.plan_id, member_id)
            assert await code_in(found) == (409, "NOT_SUBMITTED")
            await company.db.run(m.rejoin_member(plan, member_id, company.now()))
            await look(worker)
            assert len(await of(company, review)) == 1

    run(work())


def test_who_builds(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, size=2)
            plan_id, member_id = review.plan.plan_id, review.member.user_id
            admin, stranger = await user_made(company, None, "admin"), await user_made(company)
            build = company.reports.build
            assert await code_in(build(review.manager, plan_id, member_id)) == (
                409,
                "NOT_SUBMITTED",
            )
            await review.save(all_at(3))
            await company.assessments.submit(review.member, review.id())
            await review.submitted("manager")
            assert await code_in(build(review.member, plan_id, member_id)) == (403, "FORBIDDEN")
            for by in (review.crew.members[1], stranger):
                assert await code_in(build(by, plan_id, member_id)) == (404, "NOT_FOUND")
            other = ids.plan_id(review.crew.team_id, "2031")
            assert await code_in(build(admin, other, member_id)) == (404, "NOT_FOUND")
            assert await code_in(build(admin, plan_id, stranger.user_id)) == (404, "NOT_FOUND")
            assert (await build(admin, plan_id, member_id)).report.created_by == admin.user_id

    run(work())
