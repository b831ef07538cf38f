"""The overall level that a manager sets, with a reason, in place of the calculated one."""

from __future__ import annotations

from tests.systems.ladders.assessments.reviews import Review, all_at, review_made
from tests.systems.ladders.reports.test_exports import read_pdf
from tests.systems.ladders.support import Api, api_on, run, user_made

from tablewright.clock import ManualClock
from tablewright.service.kit import audit
from tablewright.testing.backends import Backend

REASON = "Led two teams through the migration, which no competency covers."
SEEN = {"If_Match": "*"}


async def overridden(api: Api, review: Review, reason: str = REASON) -> None:
    """The manager answers with 2 everywhere, and sets 4."""
    await review.save(all_at(2), "manager")
    body = {"overall_level": 4, "overall_reason": reason}
    manager = api.as_(review.manager)
    await manager.done("PATCH", f"/assessments/{review.id('manager')}", body, **SEEN)


def test_level_set_with_a_reason_stands_in_report_and_files(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with api_on(tablewright_backend, clock) as api:
            review = await review_made(api.company)
            await overridden(api, review)
            manager = api.as_(review.manager)
            done = await manager.done("POST", f"/assessments/{review.id('manager')}/submit")
            assert done["current_level"] == 4
            await review.submitted("self", 3)
            await api.company.reports.build_ready(review.plan.plan_id, review.member.user_id)
            path = f"/reports/{review.report_id}"
            found = await manager.get(path)
            assert (found["final_level"], found["calculated_level"]) == (4, 2)
            assert found["override_reason"] == REASON
            pdf = await manager("POST", f"{path}/export?format=pdf")
            _, text = read_pdf(pdf.content)
            words = " ".join(text.split())
            assert "The manager has set the overall level to 4." in words
            assert "The ratings give level 2." in words
            assert REASON in words
            table = await manager("POST", f"{path}/export?format=csv")
            assert REASON in table.text

    run(story())


def test_submitting_another_level_without_a_reason_returns_422(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            manager = api.as_(review.manager)
            for blank in ("", "  \u200b "):
                await overridden(api, review, blank)
                path = f"/assessments/{review.id('manager')}/submit"
                answer = await manager("POST", path)
                assert answer.status_code == 422
                assert [each["field"] for each in answer.json()["errors"]] == ["Overall level"]
            await overridden(api, review)
            await manager.done("POST", path)

    run(story())


def test_level_like_the_calculated_one_needs_no_reason_and_is_no_override(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            await review.save(all_at(4), "manager")
            manager = api.as_(review.manager)
            path = f"/assessments/{review.id('manager')}"
            await manager.done("PATCH", path, {"overall_level": 4}, **SEEN)
            await manager.done("POST", f"{path}/submit")
            await review.submitted("self", 3)
            await api.company.reports.build_ready(review.plan.plan_id, review.member.user_id)
            report = await review.report()
            assert (report.final_level, report.calculated_level) == (4, None)

    run(story())


def test_override_is_the_managers_alone_and_within_the_ladder(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            member, manager = api.as_(review.member), api.as_(review.manager)
            own, managers = review.id("self"), review.id("manager")
            for body in ({"overall_level": 5}, {"overall_reason": REASON}):
                refused = await member.refused("PATCH", f"/assessments/{own}", body, **SEEN)
                assert refused == (422, "INVALID")
            answer = await manager(
                "PATCH", f"/assessments/{managers}", {"overall_level": 6}, **SEEN
            )
            assert answer.status_code == 422
            assert answer.json()["errors"][0]["field"] == "body.overall_level"
            taken = {"overall_level": None, "overall_reason": None}
            await overridden(api, review)
            back = await manager.done("PATCH", f"/assessments/{managers}", taken, **SEEN)
            assert (back["overall_level"], back["overall_reason"]) == (None, None)

    run(story())


def test_override_is_audited_without_the_level_or_the_reason(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            await overridden(api, review)
            await api.company.assessments.submit(review.manager, review.id("manager"))
            now = api.company.now().timestamp()
            page = await audit.entries(api.company.db, until=now + 10, limit=100)
            (entry,) = (each for each in page if each.action == "assessment.submit")
            assert entry.detail["overall_level_set_by_hand"] is True
            assert REASON not in str(entry.detail)

    run(story())


def test_reason_is_erased_with_the_other_texts(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            await overridden(api, review)
            await api.company.assessments.submit(review.manager, review.id("manager"))
            await review.submitted("self", 3)
            await api.company.reports.build_ready(review.plan.plan_id, review.member.user_id)
            admin = await user_made(api.company, "ines", "admin")
            await api.company.people.erase(admin, review.member.user_id)
            report = await review.report()
            assert (report.final_level, report.override_reason) == (4, None)
            assert (await review.now("manager")).overall_reason is None

    run(story())
