"""Reports reach those whom they are about."""

from __future__ import annotations

import asyncio

from tests.systems.ladders.assessments.reviews import review_made
from tests.systems.ladders.support import again, api_on, code_in, company_on, run, user_made

from tablewright.clock import ManualClock
from tablewright.service.kit.patterns import latest_messages_in
from tablewright.service.preconditions import Precondition
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.service.company import Company
from tablewright.testing.backends import Backend


async def told(company: Company) -> list[str]:
    """The last word of the kinds of all messages that wait."""
    places = [f"PENDING#{slot:02d}" for slot in range(4)]
    found = [await company.db.run(latest_messages_in(place), limit=100) for place in places]
    return sorted(each.kind.rpartition(".")[2] for page in found for each in page)


def test_scenario_14_release(engine_backend: Backend, clock: ManualClock) -> None:
    """Before release 403, after 200; second acknowledge harmless."""

    async def work() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            await review.both()
            member, manager = api.as_(review.member), api.as_(review.manager)
            path = f"/reports/{review.report_id}"
            waiting = (403, "REPORT_NOT_RELEASED")
            assert await member.refused("GET", path) == waiting
            assert await member.refused("POST", f"{path}/acknowledge", {}) == waiting
            assert await member.refused("POST", f"{path}/export?format=csv") == waiting
            assert await member.get(f"/members/{review.member.user_id}/reports") == {
                "items": [],
                "next_cursor": None,
            }
            assert await member.refused("POST", f"{path}/release") == (403, "FORBIDDEN")
            released = await manager.done("POST", f"{path}/release")
            assert released["status"] == "released"
            assert await manager.done("POST", f"{path}/release") == released
            assert await member.get(path) == released
            listed = await member.get(f"/members/{review.member.user_id}/reports")
            assert [each["report_id"] for each in listed["items"]] == [review.report_id]
            assert await manager.refused("POST", f"{path}/acknowledge", {}) == (403, "FORBIDDEN")
            seen = await member.done("POST", f"{path}/acknowledge", {"comment": "Thank you."})
            assert (seen["status"], seen["ack_comment"]) == ("acknowledged", "Thank you.")
            twice = {"comment": "Twice."}
            refused = await member.refused("POST", f"{path}/acknowledge", twice)
            assert refused == (409, "ALREADY_ACKNOWLEDGED")
            again = await member.done("POST", f"{path}/acknowledge", {"comment": "Thank you."})
            assert again == seen
            assert await member.done("POST", f"{path}/acknowledge") == seen
            assert await manager.refused("POST", f"{path}/withdraw") == (409, "BAD_STATE")

    run(work())


def test_a_report_is_withdrawn(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.released()
            reports, report_id = company.reports, review.report_id
            withdrawn = await reports.withdraw(review.manager, report_id)
            assert (withdrawn.report.status, withdrawn.report.released_at) == ("generated", None)
            assert (await reports.withdraw(review.manager, report_id)).report == withdrawn.report
            read = reports.read(review.member, report_id)
            assert await code_in(read) == (403, "REPORT_NOT_RELEASED")
            seen = Precondition.seen(1)
            late = reports.release(review.manager, report_id, seen)
            assert await code_in(late) == (412, "REVISION_CONFLICT")
            assert await told(company) == ["generated", "released"]

    run(work())


def test_who_reads_a_report(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, size=2)
            await review.both()
            reports, report_id = company.reports, review.report_id
            admin, stranger = await user_made(company, None, "admin"), await user_made(company)
            assert (await reports.read(admin, report_id)).report.final_level == 4
            for by in (review.crew.members[1], stranger):
                for found in (
                    reports.read(by, report_id),
                    reports.release(by, report_id),
                    reports.of_member(by, review.member.user_id),
                    company.growth.history(by, review.member.user_id),
                    company.exports.export(by, report_id, "csv"),
                ):
                    assert await code_in(found) == (404, "NOT_FOUND")
            listing = reports.of_plan(review.member, review.plan.plan_id)
            assert await code_in(listing) == (403, "FORBIDDEN")
            assert await code_in(reports.of_plan(stranger, review.plan.plan_id)) == (
                404,
                "NOT_FOUND",
            )
            for unknown in ("x", "EMAIL#a@b.c", review.plan.plan_id):
                assert await code_in(reports.read(admin, unknown)) == (404, "NOT_FOUND")
            # While it is worked on again, admins read neither side of it.
            await company.assessments.reopen(review.manager, review.id(), "Something new.")
            assert await code_in(reports.read(admin, report_id)) == (403, "FORBIDDEN")

    run(work())


def test_a_draft_is_not_read_through_its_stale_report(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """The texts of an assessment that is worked on again are its author's alone."""

    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.released()
            before = await company.reports.side_by_side(review.manager, review.report_id)
            assert {row.self_evidence for row in before.rows} != {""}
            await company.assessments.reopen(review.manager, review.id(), "Something new.")
            both = await company.reports.side_by_side(review.manager, review.report_id)
            assert {row.self_evidence for row in both.rows} == {""}
            assert {row.self_level for row in both.rows} == {3}
            assert {row.manager_evidence for row in both.rows} != {""}

    run(work())


def test_release_races_a_reopening(engine_backend: Backend, clock: ManualClock) -> None:
    """A report that is stale is never released."""

    async def one(company: Company, wait: int) -> str:
        review = await review_made(company)
        await review.both()

        async def reopened() -> None:
            for _ in range(wait):
                await asyncio.sleep(0)
            await company.assessments.reopen(review.manager, review.id(), "Something new.")

        released = company.reports.release(review.manager, review.report_id)
        await asyncio.gather(released, reopened(), return_exceptions=True)
        return (await review.report()).status

    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            assert {await one(company, wait) for wait in (0, 5, 15, 40)} == {"stale"}

    run(work())


def test_a_new_manager_sees_what_there_is_of_the_team(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.released()
            new = await user_made(company, None, "manager")
            team = await company.db.require(m.team(review.crew.team_id))
            await company.db.run(m.assign_manager(team, new.user_id, company.now()))
            old, new = await again(company, review.manager), await again(company, new)
            member_id = review.member.user_id
            assert len(await company.reports.of_member(new, member_id)) == 1
            assert (await company.reports.read(new, review.report_id)).may("release_report")
            for found in (
                company.reports.of_member(old, member_id),
                company.reports.read(old, review.report_id),
                company.reports.release(old, review.report_id),
            ):
                assert await code_in(found) == (404, "NOT_FOUND")
            # A member who has moved on reads what is theirs.
            await company.db.run(m.remove_members(team.team_id, [member_id], company.now()))
            gone = await again(company, review.member)
            assert (await company.reports.read(gone, review.report_id)).report.final_level == 4
            assert len(await company.reports.of_member(gone, member_id)) == 1

    run(work())
