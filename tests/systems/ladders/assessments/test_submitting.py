"""The end of the work on an assessment, and going on with it after all."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from tests.systems.ladders.assessments.reviews import (
    EVERYTHING,
    Review,
    all_at,
    change,
    review_made,
    saving,
)
from tests.systems.ladders.support import (
    again,
    api_on,
    audited,
    code_in,
    company_on,
    refused,
    run,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.model.errors import TablewrightError
from tablewright.service.kit.patterns import latest_messages_in
from tablewright.service.problems import Problem
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.fields import AssessmentType, Ladder
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.testing.backends import Backend

REASON = "A project was forgotten."


async def messages(company: Company) -> list[str]:
    """The kinds of all messages that wait."""
    places = [f"PENDING#{slot:02d}" for slot in range(4)]
    found = [await company.db.run(latest_messages_in(place), limit=100) for place in places]
    return sorted(each.kind for page in found for each in page)


def test_scenario_11_submitting(engine_backend: Backend, clock: ManualClock) -> None:
    """No evidence 422; edit after submit 403; submit never lands after completion."""

    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            mine, path = api.as_(review.member), f"/assessments/{review.id()}"
            bare = [change(*each) for each in EVERYTHING]
            tag = (await mine("GET", path)).headers["ETag"]
            await mine.done("PATCH", path, {"changes": bare}, If_Match=tag)
            answer = await mine("POST", f"{path}/submit")
            assert (answer.status_code, answer.json()["code"]) == (422, "MISSING")
            assert answer.json()["missing"] == [
                {"category": category, "competency": name, "what": "evidence"}
                for category, name in EVERYTHING
            ]
            await review.save(all_at(3))
            done = await mine.done("POST", f"{path}/submit")
            assert (done["status"], done["current_level"], done["late"]) == ("submitted", 3, False)
            assert await mine.done("POST", f"{path}/submit") == done
            body = {"changes": [change("Craft", "Coding", 5)]}
            tag = f'"{done["revision"]}"'
            locked = await mine.refused("PATCH", path, body, If_Match=tag)
            assert locked == (403, "ASSESSMENT_LOCKED")
            plan = await api.company.db.require(m.plan(review.plan.plan_id))
            theirs = f"/assessments/{review.id('manager')}/submit"
            await review.save(all_at(4), "manager")
            await api.company.db.run(m.complete_plan(plan, api.company.now()))
            ended = await api.as_(review.manager).refused("POST", theirs)
            assert ended == (409, "PLAN_NOT_ACTIVE")

    run(work())


def test_a_plan_that_ends_meanwhile_takes_nothing_more(
    engine_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read before says that it is active: the transaction knows better."""

    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.save(all_at(3))
            read = company.configs.ladder

            async def completing(plan: m.Plan) -> Ladder:
                await company.db.run(m.complete_plan(plan, company.now()))
                return await read(plan)

            monkeypatch.setattr(company.configs, "ladder", completing)
            found = company.assessments.submit(review.member, review.id())
            assert await code_in(found) == (409, "PLAN_NOT_ACTIVE")
            assert (await review.now()).status == "in_progress"

    run(work())


def test_one_per_category_is_enough_if_the_plan_says_so(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, require_all=False)
            await review.save(saving(change("Craft", "Coding", 2, evidence="Wrote it.")))
            problem = await refused(company.assessments.submit(review.member, review.id()))
            assert problem.extra["missing"] == [
                {"category": "Delivery", "competency": None, "what": "level"}
            ]
            await review.save(saving(change("Delivery", "Planning", 3, evidence="Planned it.")))
            clock.advance(timedelta(days=15).total_seconds())
            done = await company.assessments.submit(review.member, review.id())
            # Between 2 and 3 it is the even one; and the plan has ended.
            assert (done.current_level, done.late) == (2, True)

    run(work())


@pytest.mark.parametrize("kind", ["self", "manager"])
def test_only_its_author_submits(
    engine_backend: Backend, clock: ManualClock, kind: AssessmentType
) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, size=2)
            other = review.manager if kind == "self" else review.member
            assessment = review.id(kind)
            admin = await user_made(company, None, "admin")
            for by in (other, admin):
                found = company.assessments.submit(by, assessment)
                assert await code_in(found) == (403, "FORBIDDEN")
            foreign = company.assessments.submit(review.crew.members[1], assessment)
            assert await code_in(foreign) == (404, "NOT_FOUND")

    run(work())


def test_scenario_16_another_manager(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Manager changed: old one out at once, new continues draft."""

    async def work() -> None:
        async with company_on(tablewright_backend, clock) as company:
            review = await review_made(company)
            old, new = review.manager, await user_made(company, None, "manager")
            await review.save(all_at(4), "manager")
            team = await company.db.require(m.team(review.crew.team_id))
            await company.db.run(m.assign_manager(team, new.user_id, company.now()))
            before = await again(company, old)
            for by in (old, before):
                # Also with what they were at the beginning of a request.
                for work in (
                    company.assessments.read(by, review.id("manager")),
                    review.save(saving(change("Craft", "Coding", 5)), "manager", by),
                    company.assessments.submit(by, review.id("manager")),
                ):
                    assert await code_in(work) == (404, "NOT_FOUND")
            successor = await again(company, new)
            assert (await company.assessments.read(successor, review.id("manager"))).writable
            done = await company.assessments.submit(successor, review.id("manager"))
            assert (done.status, done.assessor_id) == ("submitted", new.user_id)

    run(work())


def test_a_manager_who_is_replaced_meanwhile_does_not_submit(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """What was read before says that they are the manager: the transaction knows better."""

    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.save(all_at(4), "manager")
            new = await user_made(company, None, "manager")
            team = await company.db.require(m.team(review.crew.team_id))
            stale = await review.now("manager")
            await company.db.run(m.assign_manager(team, new.user_id, company.now()))
            with pytest.raises(TablewrightError):
                await company.db.run(m.submit_assessment(stale, 4, False, company.now()))
            assert (await review.now("manager")).status == "in_progress"

    run(work())


# --- reopening -----------------------------------------------------------------------------------


def test_scenario_13_reopening(engine_backend: Backend, clock: ManualClock) -> None:
    """Reopen: no reason 422; report stale; rebuild keeps actions."""

    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            await review.released()
            manager, path = api.as_(review.manager), f"/assessments/{review.id('manager')}"
            action = {"title": "Run the review", "due_at": "2026-12-24T12:00:00Z"}
            report = f"/reports/{review.report_id}"
            made = await api.as_(review.member).done("POST", f"{report}/actions", action)
            for body in ({}, {"reason": "no"}, {"reason": "x" * 501}, {"reason": "    no"}):
                assert (await manager.refused("POST", f"{path}/reopen", body))[0] == 422
            member = api.as_(review.member)
            assert (await member.refused("POST", f"{path}/reopen", {"reason": REASON}))[0] == 403
            opened = await manager.done("POST", f"{path}/reopen", {"reason": REASON})
            assert (opened["status"], opened["current_level"]) == ("in_progress", None)
            assert [each["reason"] for each in opened["reopens"]] == [REASON]
            again = await manager.done("POST", f"{path}/reopen", {"reason": REASON})
            assert again == opened
            assert (await review.report()).status == "stale"
            assert await member.refused("GET", report) == (403, "REPORT_NOT_RELEASED")
            build = f"/plans/{review.plan.plan_id}/reports/{review.member.user_id}"
            assert await manager.refused("POST", build) == (409, "NOT_SUBMITTED")
            await review.save(all_at(5), "manager")
            await manager.done("POST", f"{path}/submit")
            built = await manager.done("POST", build)
            assert (built["status"], built["final_level"]) == ("generated", 5)
            assert [each["action_id"] for each in built["actions"]] == [made["action_id"]]
            assert (built["open_actions"], built["released_at"]) == (1, None)
            assert await manager.done("POST", build) == built

    run(work())


def test_reopening_is_told_and_noted_without_texts(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.submitted("self")
            before = await messages(company)
            await company.assessments.reopen(review.manager, review.id(), REASON)
            noted = [action for action, _ in await audited(company)]
            assert sorted(noted)[:2] == ["assessment.reopen", "assessment.submit"]
            assert len(await messages(company)) == len(before) + 1
            assert await company.db.run(m.report(review.report_id)) is None

    run(work())


def test_what_was_acknowledged_is_reopened_by_admins(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.released()
            await company.reports.acknowledge(review.member, review.report_id, "Thank you.")
            found = company.assessments.reopen(review.manager, review.id(), REASON)
            assert await code_in(found) == (403, "FORBIDDEN")
            admin = await user_made(company, None, "admin")
            await company.assessments.reopen(admin, review.id(), REASON)
            assert (await review.report()).status == "stale"
            await review.submitted("self", 4)
            await company.reports.build(review.manager, review.plan.plan_id, review.member.user_id)
            report = await review.report()
            assert (report.status, report.self_assessed_level) == ("generated", 4)
            assert (report.acknowledged_at, report.ack_comment) == (None, None)

    run(work())


def test_reopening_again_does_not_show_what_is_written_now(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.submitted("self")
            await review.submitted("manager")
            admin = await user_made(company, None, "admin")
            reopen, private = company.assessments.reopen, "Not for your eyes yet."
            await reopen(review.manager, review.id(), REASON)
            await review.save(saving(change("Craft", "Coding", 2, evidence=private)))
            for by in (review.manager, admin):
                again = await reopen(by, review.id(), REASON)
                assert (again.status, again.feedback, again.selections) == ("in_progress", {}, {})
            await reopen(admin, review.id("manager"), REASON)
            mine = await reopen(review.manager, review.id("manager"), REASON)
            assert mine.selections["Craft"]["Coding"] == 3

    run(work())


def test_reopening_has_its_time(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            early = company.assessments.reopen(review.manager, review.id(), REASON)
            assert await code_in(early) == (409, "BAD_STATE")
            await review.submitted("self")
            plan = await company.db.require(m.plan(review.plan.plan_id))
            await company.db.run(m.complete_plan(plan, company.now()))
            late = company.assessments.reopen(review.manager, review.id(), REASON)
            assert await code_in(late) == (409, "PLAN_NOT_ACTIVE")

    run(work())


def test_a_reopening_races_the_report(engine_backend: Backend, clock: ManualClock) -> None:
    """Whoever is first: there is never a report that says it is up to date and is not."""

    async def one(company: Company, wait: int) -> None:
        review = await review_made(company)
        await review.submitted("self")
        await review.submitted("manager")

        async def reopened() -> None:
            for _ in range(wait):
                await asyncio.sleep(0)
            await company.assessments.reopen(review.manager, review.id(), REASON)

        built, _ = await asyncio.gather(
            company.reports.build_ready(review.plan.plan_id, review.member.user_id), reopened()
        )
        report = await company.db.run(m.report(review.report_id))
        assert (report.status if report else None) == ("stale" if built else None)

    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            for wait in (0, 5, 10, 20):
                await one(company, wait)

    run(work())


# --- reading -------------------------------------------------------------------------------------


async def readers(review: Review) -> dict[str, Caller]:
    return {
        "member": review.member,
        "manager": review.manager,
        "admin": await user_made(review.company, None, "admin"),
        "colleague": review.crew.members[1],
        "stranger": await user_made(review.company),
    }


async def read_codes(
    review: Review, who: dict[str, Caller], kind: AssessmentType
) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, by in who.items():
        try:
            await review.company.assessments.read(by, review.id(kind))
            found[name] = "read"
        except Problem as problem:
            found[name] = problem.code
    return found


def test_who_reads_what_and_when(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, size=2)
            who = await readers(review)
            nobody = {"colleague": "NOT_FOUND", "stranger": "NOT_FOUND"}
            own = {"member": "read", "manager": "FORBIDDEN", "admin": "FORBIDDEN", **nobody}
            theirs = {"member": "REPORT_NOT_RELEASED", "manager": "read", "admin": "FORBIDDEN"}
            assert await read_codes(review, who, "self") == own
            assert await read_codes(review, who, "manager") == {**theirs, **nobody}
            await review.both()
            everybody = {"member": "read", "manager": "read", "admin": "read", **nobody}
            assert await read_codes(review, who, "self") == everybody
            assert await read_codes(review, who, "manager") == {
                **everybody,
                "member": "REPORT_NOT_RELEASED",
            }
            await company.reports.release(review.manager, review.report_id)
            assert await read_codes(review, who, "manager") == everybody

    run(work())


def test_lists_tell_no_level_too_early(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, size=2)
            await review.submitted("self", 3)
            await review.submitted("manager", 4)
            plan_id, member_id = review.plan.plan_id, review.member.user_id
            found = await company.assessments.of_plan(review.manager, plan_id)
            levels = {
                (each.line.team_member_id == member_id, each.line.assessment_type): (
                    each.line.current_level
                )
                for each in found
            }
            assert levels == {
                (True, "self"): 3,
                (True, "manager"): 4,
                (False, "self"): None,
                (False, "manager"): None,
            }
            own = await company.assessments.of_member(review.member, member_id)
            assert {each.line.assessment_type: each.line.current_level for each in own} == {
                "self": 3,
                "manager": None,
            }
            for by in (review.crew.members[1], await user_made(company)):
                hidden = company.assessments.of_member(by, member_id)
                assert await code_in(hidden) == (404, "NOT_FOUND")
            listing = company.assessments.of_plan(review.member, plan_id)
            assert await code_in(listing) == (403, "FORBIDDEN")
            managers = await company.assessments.of_member(review.manager, member_id)
            assert len(managers) == 2

    run(work())
