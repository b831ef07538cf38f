"""An administrator who is reviewed: about their own review they are a member like any other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.systems.ladders.assessments.reviews import Review
from tests.systems.ladders.support import (
    Api,
    Crew,
    again,
    api_on,
    plan_made,
    run,
    team_made,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.systems.ladders import ids
from tablewright.testing.backends import Backend

REASON = {"reason": "Something was forgotten."}


@dataclass
class Own:
    """A review of an administrator, and of a colleague in the same team."""

    api: Api
    review: Review
    mate: Review

    @property
    def admin(self) -> Api:
        return self.api.as_(self.review.member)


@asynccontextmanager
async def own_review(backend: Backend, clock: ManualClock) -> AsyncIterator[Own]:
    async with api_on(backend, clock) as api:
        company = api.company
        manager = await user_made(company, "mona", "manager")
        admin, mate = await user_made(company, "ines", "admin"), await user_made(company, "lina")
        team = await team_made(company, manager, admin, mate)
        plan = await plan_made(company, team)
        manager, admin, mate = [await again(company, each) for each in (manager, admin, mate)]
        yield Own(
            api,
            Review(company, Crew(team, manager, (admin,)), plan),
            Review(company, Crew(team, manager, (mate,)), plan),
        )


def test_before_release_an_admin_reads_and_does_nothing_about_themselves(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with own_review(engine_backend, clock) as own:
            await own.review.both(3, 2)
            review, ask = own.review, own.admin
            mine, managers = review.id("self"), review.id("manager")
            report, plan = f"/reports/{review.report_id}", f"/plans/{review.plan.plan_id}"
            assert await ask.refused("GET", f"/assessments/{managers}") == (
                403,
                "REPORT_NOT_RELEASED",
            )
            assert await ask.refused("GET", report) == (403, "REPORT_NOT_RELEASED")
            export = await ask.refused("POST", f"{report}/export?format=csv")
            assert export == (403, "REPORT_NOT_RELEASED")
            for path, body in (
                (f"/assessments/{mine}/reopen", REASON),
                (f"/assessments/{managers}/reopen", REASON),
                (f"{report}/release", None),
                (f"{report}/withdraw", None),
                (f"{plan}/reports/{review.member.user_id}", None),
                (f"{plan}/members", {"user_id": review.member.user_id}),
                (f"{plan}/complete", {"force": True}),
            ):
                assert (await ask("POST", path, body)).status_code == 403, path
            gone = await ask.refused("DELETE", f"{plan}/members/{review.member.user_id}")
            assert gone == (403, "OWN_REVIEW")

    run(story())


def test_lists_show_an_admin_no_level_of_their_own_before_release(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with own_review(engine_backend, clock) as own:
            await own.review.both(3, 2)
            await own.mate.both(3, 2)
            ask, me = own.admin, own.review.member.user_id
            plan_id, team_id = own.review.plan.plan_id, own.review.crew.team_id
            reports = (await ask.get(f"/plans/{plan_id}/reports"))["items"]
            assert {each["team_member_id"] for each in reports} == {own.mate.member.user_id}
            assert (await ask.get(f"/members/{me}/reports"))["items"] == []
            assert (await ask.get(f"/members/{me}/history"))["items"] == []
            for path in (f"/plans/{plan_id}/assessments", f"/members/{me}/assessments"):
                lines = (await ask.get(path))["items"]
                levels = {
                    each["assessment_type"]: each["current_level"]
                    for each in lines
                    if each["team_member_id"] == me
                }
                assert levels == {"self": 3, "manager": None}, path
            query = f"/teams/{team_id}/heatmap?plan_id={plan_id}"
            rows = {each["team_member_id"]: each for each in (await ask.get(query))["rows"]}
            assert (rows[me]["levels"], rows[me]["current_level"]) == ({}, None)
            assert rows[own.mate.member.user_id]["current_level"] == 2
            exported = await ask.get("/me/export")
            assert [each["assessment_type"] for each in exported["assessments"]] == ["self"]
            assert exported["reports"] == []

    run(story())


def test_after_release_an_admin_reads_their_own_report_as_a_member(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with own_review(engine_backend, clock) as own:
            await own.review.released()
            ask, report_id = own.admin, own.review.report_id
            assert (await ask.get(f"/reports/{report_id}"))["status"] == "released"
            withdrawn = await ask.refused("POST", f"/reports/{report_id}/withdraw")
            assert withdrawn == (403, "FORBIDDEN")
            await ask.done("POST", f"/reports/{report_id}/acknowledge", {"comment": "Thank you."})
            # Once acknowledged, an admin decides on going on with it; not one about themselves.
            mine = ids.assessment_id(own.review.plan.plan_id, own.review.member.user_id, "self")
            assert await ask.refused("POST", f"/assessments/{mine}/reopen", REASON) == (
                403,
                "FORBIDDEN",
            )

    run(story())


def test_another_admin_still_administers_the_review(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with own_review(engine_backend, clock) as own:
            await own.review.both()
            other = own.api.as_(await user_made(own.api.company, "alma", "admin"))
            assert (await other.get(f"/reports/{own.review.report_id}"))["status"] == "generated"
            await other.done("POST", f"/reports/{own.review.report_id}/release")

    run(story())
