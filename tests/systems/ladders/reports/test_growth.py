"""What follows from reports: growth actions, history, heat maps, tasks."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from tests.systems.ladders.assessments.reviews import Review, change, review_made, saving
from tests.systems.ladders.support import (
    Crew,
    again,
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
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.bodies.growth import ActionChange, ActionIn
from tablewright.systems.ladders.demo_items import NOW, ladder
from tablewright.systems.ladders.fields import Category, Competency, Ladder, LadderLevel
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.testing.backends import Backend


def action(days: int = 30, **said: Any) -> ActionIn:
    wanted = {"title": "Run the review", "due_at": NOW + timedelta(days=days), **said}
    return ActionIn.model_validate(wanted)


def test_actions_are_added_changed_and_dropped(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.released()
            growth, report_id = company.growth, review.report_id
            late = await growth.add_action(review.member, report_id, action(60))
            soon = await growth.add_action(review.manager, report_id, action(30, note="Ask Ines."))
            report = await review.report()
            assert (report.open_actions, report.next_action_due) == (2, soon.action.due_at)
            done = ActionChange.model_validate({"status": "done"})
            changed = await growth.change_action(review.member, report_id, soon.action_id, done)
            assert (changed.action.status, changed.action.note) == ("done", "Ask Ines.")
            same = await growth.change_action(review.member, report_id, soon.action_id, done)
            assert same.report.revision == changed.report.revision
            report = await review.report()
            assert (report.open_actions, report.next_action_due) == (1, late.action.due_at)
            await growth.drop_action(review.member, report_id, late.action_id)
            report = await review.report()
            assert (list(report.actions), report.open_actions) == ([soon.action_id], 0)
            assert report.next_action_due is None
            gone = growth.drop_action(review.member, report_id, late.action_id)
            assert await code_in(gone) == (404, "NOT_FOUND")

    run(work())


def test_many_at_once_have_room_for_twenty(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.released()
            for _ in range(17):
                await company.growth.add_action(review.member, review.report_id, action())

            async def one() -> str:
                try:
                    await company.growth.add_action(review.manager, review.report_id, action())
                except Problem as problem:
                    return problem.code
                return "added"

            found = await asyncio.gather(*(one() for _ in range(6)))
            added = found.count("added")
            assert len((await review.report()).actions) == 17 + added <= 20
            assert set(found) <= {"added", "TOO_MANY", "CONFLICT"}
            for _ in range(3 - added):
                await company.growth.add_action(review.member, review.report_id, action())
            full = company.growth.add_action(review.member, review.report_id, action())
            assert await code_in(full) == (409, "TOO_MANY")

    run(work())


def test_who_changes_actions_and_when(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, size=2)
            await review.both()
            add, report_id = company.growth.add_action, review.report_id
            for by in (review.member, review.manager):
                assert await code_in(add(by, report_id, action())) == (403, "REPORT_NOT_RELEASED")
            await company.reports.release(review.manager, report_id)
            admin = await user_made(company, None, "admin")
            assert await code_in(add(admin, report_id, action())) == (403, "FORBIDDEN")
            other = review.crew.members[1]
            assert await code_in(add(other, report_id, action())) == (404, "NOT_FOUND")
            await company.reports.acknowledge(review.member, report_id, None)
            assert (await add(review.member, report_id, action())).report.open_actions == 1

    run(work())


def test_actions_over_http(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            await review.released()
            member, path = api.as_(review.member), f"/reports/{review.report_id}/actions"
            body = {"title": "  Run the   review ", "due_at": "2026-12-24T12:00:00+01:00"}
            key = {"Idempotency_Key": "once"}
            made = await member.done("POST", path, body, **key)
            assert (made["title"], made["due_at"]) == ("Run the review", "2026-12-24T11:00:00Z")
            assert await member.done("POST", path, body, **key) == made
            one = f"{path}/{made['action_id']}"
            stale = await member.refused("PATCH", one, {"note": "x"}, If_Match='"1"')
            assert stale == (412, "REVISION_CONFLICT")
            assert (await member.done("PATCH", one, {"status": "dropped"}))["status"] == "dropped"
            for wrong in ({"status": "late"}, {"due_at": 5}, {"title": ""}, {"by": "x"}):
                assert (await member.refused("PATCH", one, wrong))[0] == 422
            assert (await member("DELETE", one)).status_code == 204
            found = await member.get(f"/reports/{review.report_id}")
            assert found["actions"] == []

    run(work())


# --- history and heat maps -----------------------------------------------------------------------


async def season(review: Review, name: str, own: int, manager: int) -> Review:
    """Another review of the same people, released."""
    plan = await plan_made(review.company, review.crew.team, name)
    other = Review(review.company, review.crew, plan)
    await other.both(own, manager)
    await review.company.reports.release(review.manager, other.report_id)
    return other


def test_history_does_not_compare_levels_of_different_ladders(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """5 of 7 on one ladder, then 3 of 5 on another, is no fall."""
    seven = Ladder(categories=[category_of("Making", 7, "Designing", "Building")])

    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            await config_made(company, "1.0.0", seven)
            crew = await crew_made(company)
            await rated(company, crew, "2025-H2", seven, 5)
            reworded = ladder()
            await config_made(company, "1.1.0", reworded)
            await rated(company, crew, "2026-H1", reworded, 3)
            reworded.categories[0].competencies[0].levels[0].description = "Begins otherwise."
            await config_made(company, "2.0.0", reworded)
            await rated(company, crew, "2026-H2", reworded, 4)
            member = crew.members[0]
            found = await company.growth.history(member, member.user_id)
            assert [(each.final_level, each.levels, each.change) for each in found] == [
                (5, 7, None),
                (3, 5, None),
                (4, 5, 1),
            ]
            assert [each.new_ladder for each in found] == [False, True, False]

    run(work())


def category_of(name: str, levels: int, *competencies: str) -> Category:
    steps = [LadderLevel(level=each, description=f"Level {each}.") for each in range(1, levels + 1)]
    return Category(
        name=name, competencies=[Competency(name=each, levels=steps) for each in competencies]
    )


async def rated(company: Company, crew: Crew, name: str, steps: Ladder, level: int) -> None:
    """A review on the ladder that is active, released."""
    review = Review(company, crew, await plan_made(company, crew.team, name))
    changes = [
        change(category.name, each.name, level, evidence="Did it.")
        for category in steps.categories
        for each in category.competencies
    ]
    for kind, by in (("self", review.member), ("manager", review.manager)):
        await review.save(saving(*changes), kind)
        await company.assessments.submit(by, review.id(kind))
    await company.reports.build_ready(review.plan.plan_id, review.member.user_id)
    await company.reports.release(review.manager, review.report_id)


def test_history_is_in_the_order_of_seasons(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, season="2027")
            for name, level in (("2027-Q1", 3), ("2026-H2", 2), ("2027-H1", 4)):
                await season(review, name, 3, level)
            await review.both(4, 5)
            member_id = review.member.user_id
            own = await company.growth.history(review.member, member_id)
            # That of 2027 is not released.
            assert [(each.season, each.final_level, each.change) for each in own] == [
                ("2026-H2", 2, None),
                ("2027-Q1", 3, 1),
                ("2027-H1", 4, 1),
            ]
            theirs = await company.growth.history(review.manager, member_id)
            assert [each.season for each in theirs][-1] == "2027"

    run(work())


def test_a_heat_map_shows_what_may_be_seen(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company, size=2)
            await review.submitted("self", 3, Coding=2)
            await review.submitted("manager", 4)
            other = review.crew.members[1]
            save, seen = api.company.assessments.save, Precondition.seen(1)
            body = saving(change("Craft", "Coding", 5))
            await save(other, review.id("self", other), body, seen)
            await save(review.manager, review.id("manager", other), body, seen)
            path = f"/teams/{review.crew.team_id}/heatmap?plan_id={review.plan.plan_id}"
            manager = api.as_(review.manager)
            own = await manager.get(f"{path}&source=self")
            rows = {row["team_member_id"]: row for row in own["rows"]}
            assert rows[review.member.user_id]["levels"]["Craft"] == {"Coding": 2, "Design": 3}
            # A draft of somebody else's is not shown, but that there is one.
            assert rows[other.user_id]["levels"] == {}
            assert rows[other.user_id]["status"] == "in_progress"
            drafts = await manager.get(path)
            rows = {row["team_member_id"]: row for row in drafts["rows"]}
            assert rows[other.user_id]["levels"]["Craft"] == {"Coding": 5}
            admin = await user_made(api.company, None, "admin")
            rows = {row["team_member_id"]: row for row in (await api.as_(admin).get(path))["rows"]}
            assert rows[other.user_id]["levels"] == {}
            assert rows[review.member.user_id]["current_level"] == 4
            assert await api.as_(review.member).refused("GET", path) == (403, "FORBIDDEN")
            stranger = await user_made(api.company)
            assert await api.as_(stranger).refused("GET", path) == (404, "NOT_FOUND")
            as_planned = f"/teams/{review.crew.team_id}/heatmap?planId={review.plan.plan_id}"
            assert (await manager.get(as_planned))["plan_id"] == review.plan.plan_id
            nothing = f"/teams/{review.crew.team_id}/heatmap"
            assert await manager.refused("GET", nothing) == (422, "INVALID")
            foreign = await review_made(api.company)
            other_plan = f"/teams/{review.crew.team_id}/heatmap?plan_id={foreign.plan.plan_id}"
            assert await manager.refused("GET", other_plan) == (404, "NOT_FOUND")

    run(work())


# --- tasks ---------------------------------------------------------------------------------------


async def kinds(company: Company, by: Caller) -> list[tuple[str, str]]:
    now = await again(company, by)
    return [(each.kind, each.item_id) for each in await company.tasks.of(now)]


def test_tasks_follow_the_review(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, size=2)
            other = review.crew.members[1]
            assert await kinds(company, review.member) == [("assess_self", review.id())]
            assert set(await kinds(company, review.manager)) == {
                ("assess_member", review.id("manager")),
                ("assess_member", review.id("manager", other)),
            }
            await review.both()
            assert await kinds(company, review.member) == []
            assert ("release_report", review.report_id) in await kinds(company, review.manager)
            await company.reports.release(review.manager, review.report_id)
            assert await kinds(company, review.member) == [("acknowledge", review.report_id)]
            await company.growth.add_action(review.member, review.report_id, action(3))
            await company.reports.acknowledge(review.member, review.report_id, None)
            assert await kinds(company, review.member) == [("action", review.report_id)]
            assert await kinds(company, review.manager) == [
                ("assess_member", review.id("manager", other))
            ]
            (task,) = await company.tasks.of(await again(company, other))
            assert (task.due_at, task.overdue) == (review.plan.end_date, False)
            assert (task.team_name, task.answered, task.total) == (
                review.crew.team.team_name,
                0,
                4,
            )
            clock.advance(timedelta(days=15).total_seconds())
            assert all(each.overdue for each in await company.tasks.of(await again(company, other)))

    run(work())


def test_who_has_left_the_team_goes_on_with_the_review(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """Until they are withdrawn from it: that is said, and does not happen by itself."""

    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            team_id, member_id = review.crew.team_id, review.member.user_id
            await company.teams.remove_members(review.manager, team_id, [member_id])
            (task,) = await company.tasks.of(await again(company, review.member))
            assert (task.kind, task.item_id) == ("assess_self", review.id())
            assert task.team_name == review.crew.team.team_name
            await company.plans.withdraw(review.manager, review.plan.plan_id, member_id)
            assert await kinds(company, review.member) == []

    run(work())


def test_reports_are_released_after_the_plan_is_complete_too(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.both()
            plan = await company.db.require(m.plan(review.plan.plan_id))
            await company.db.run(m.complete_plan(plan, company.now()))
            assert await kinds(company, review.manager) == [("release_report", review.report_id)]
            assert await kinds(company, review.member) == []
            nobody = await user_made(company)
            assert await kinds(company, nobody) == []

    run(work())


def test_tasks_over_http(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            (task,) = (await api.as_(review.member).get("/me/tasks"))["items"]
            assert (task["kind"], task["assessment_id"]) == ("assess_self", review.id())
            assert (task["report_id"], task["status"]) == (None, "not_started")

    run(work())
