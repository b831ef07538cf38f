"""A person moves to another team: their reviews go with them, to the manager there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from tests.systems.ladders.assessments.reviews import Review, all_at, review_made
from tests.systems.ladders.support import (
    Crew,
    again,
    code_in,
    company_on,
    crew_made,
    run,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.bodies.growth import ActionIn
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.testing.backends import Backend

GONE = (404, "NOT_FOUND")


@dataclass
class Move:
    """A review in one team, and another team to which its member goes."""

    company: Company
    admin: Caller
    review: Review
    there: Crew

    @property
    def old(self) -> Caller:
        return self.review.manager

    @property
    def new(self) -> Caller:
        return self.there.manager

    @property
    def person(self) -> str:
        return self.review.member.user_id

    async def to_the_other_team(self) -> None:
        await self._go(self.review.crew.team_id, self.there.team_id)

    async def back(self) -> None:
        await self._go(self.there.team_id, self.review.crew.team_id)

    async def _go(self, before: str, after: str) -> None:
        teams = self.company.teams
        await teams.remove_members(self.admin, before, [self.person])
        await teams.add_members(self.admin, after, [self.person])

    def action(self) -> ActionIn:
        return ActionIn(title="Lead a project", due_at=self.company.now() + timedelta(days=30))


@asynccontextmanager
async def moving(backend: Backend, clock: ManualClock) -> AsyncIterator[Move]:
    async with company_on(backend, clock) as company:
        admin = await user_made(company, "ann", "admin")
        review, there = await review_made(company, 2), await crew_made(company)
        yield Move(company, admin, review, there)


async def attempts(move: Move, by: Caller) -> dict[str, object]:
    """What somebody is answered who does everything that a manager can."""
    review, reports = move.review, move.company.reports
    report_id, own = review.report_id, review.id("self")
    done: dict[str, object] = {}
    for name, work in (
        ("history", move.company.growth.history(by, move.person)),
        ("reports", reports.of_member(by, move.person)),
        ("assessments", move.company.assessments.of_member(by, move.person)),
        ("report", reports.read(by, report_id)),
        ("own", move.company.assessments.read(by, own)),
        ("managers", move.company.assessments.read(by, review.id("manager"))),
        ("export", move.company.exports.export(by, report_id, "csv")),
        ("action", move.company.growth.add_action(by, report_id, move.action())),
        ("withdraw", reports.withdraw(by, report_id)),
        ("release", reports.release(by, report_id)),
        ("build", reports.build(by, review.plan.plan_id, move.person)),
        ("reopen", move.company.assessments.reopen(by, own, "Something was forgotten.")),
    ):
        try:
            found = await work
        except Problem as problem:
            done[name] = problem.status
        else:
            done[name] = len(found) if isinstance(found, list) else 200
    return done


def test_released_report_after_a_move_is_the_new_managers_alone(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with moving(tablewright_backend, clock) as move:
            await move.review.released()
            before = await attempts(move, move.new)
            assert set(before.values()) == {404}
            await move.to_the_other_team()
            assert set((await attempts(move, move.old)).values()) == {404}
            after = await attempts(move, move.new)
            lists = {"history": 1, "reports": 1, "assessments": 2}
            assert after == {**dict.fromkeys(after, 200), **lists}
            # The member still reads their own, and a mate does not.
            assert (await move.company.assessments.of_member(move.review.member, move.person)) != []
            mate = await attempts(move, move.review.crew.members[1])
            assert set(mate.values()) == {404}

    run(story())


def test_move_back_gives_the_review_back(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with moving(engine_backend, clock) as move:
            await move.review.released()
            await move.to_the_other_team()
            await move.back()
            assert set((await attempts(move, move.new)).values()) == {404}
            assert 404 not in (await attempts(move, move.old)).values()

    run(story())


def test_person_in_no_team_stays_with_the_last_manager(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with moving(engine_backend, clock) as move:
            await move.review.released()
            here = move.review.crew.team_id
            await move.company.teams.remove_members(move.admin, here, [move.person])
            assert set((await attempts(move, move.new)).values()) == {404}
            assert 404 not in (await attempts(move, move.old)).values()

    run(story())


def test_open_assessment_after_a_move_is_continued_by_the_new_manager(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with moving(tablewright_backend, clock) as move:
            company, review = move.company, move.review
            await review.save(all_at(2), "manager")
            await move.to_the_other_team()
            fresh = await again(company, move.new)
            tasks = [each for each in await company.tasks.of(fresh) if each.kind == "assess_member"]
            assert [(each.member_id, each.item_id) for each in tasks] == [
                (move.person, review.id("manager"))
            ]
            others = await company.tasks.of(await again(company, move.old))
            assert move.person not in {each.member_id for each in others}
            seen = Precondition.seen((await review.now("manager")).revision)
            saving = company.assessments.save(move.old, review.id("manager"), all_at(5), seen)
            assert await code_in(saving) == GONE
            assert await code_in(company.assessments.submit(move.old, review.id("manager"))) == GONE
            await review.save(all_at(4), "manager", by=fresh)
            done = await company.assessments.submit(fresh, review.id("manager"))
            assert (done.assessor_id, done.current_level) == (fresh.user_id, 4)
            await review.submitted("self")
            assert await company.reports.build_ready(review.plan.plan_id, move.person)
            tasks = await company.tasks.of(fresh)
            assert [each.kind for each in tasks] == ["release_report"]
            assert (
                await company.messages.address_of(f"manager/{review.crew.team_id}/{move.person}")
                == fresh.user.email
            )
            await company.reports.release(fresh, review.report_id)

    run(story())


def test_reminder_after_a_move_goes_to_the_new_manager(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with moving(engine_backend, clock) as move:
            await move.to_the_other_team()
            told = await move.company.boards.remind(move.old, move.review.plan.plan_id)
            # Both members about themselves, the old manager about one, the new one about the other.
            assert told.told == 4

    run(story())


# --- at the same time ----------------------------------------------------------------------------


def test_write_that_a_move_overtakes_is_refused(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """The right was there when it was read, and is not any more when the write arrives."""

    async def story() -> None:
        async with moving(tablewright_backend, clock) as move:
            await move.review.released()
            reports, growth = move.company.reports, move.company.growth
            added = await growth.add_action(move.old, move.review.report_id, move.action())
            found, report_id = reports.found, move.review.report_id

            async def overtaken(by: Caller, report_id: str, action: str):
                answer = await found(by, report_id, action)
                if by is move.old and not moved:
                    moved.append(True)
                    await move.to_the_other_team()
                return answer

            for work in (
                lambda: reports.withdraw(move.old, report_id),
                lambda: growth.add_action(move.old, report_id, move.action()),
                lambda: growth.drop_action(move.old, report_id, added.action_id),
            ):
                moved: list[bool] = []
                reports.found = overtaken
                before = await move.review.report()
                assert await code_in(work()) == GONE
                reports.found = found
                assert await move.review.report() == before
                await move.back()

    run(story())


def test_submission_that_a_move_overtakes_is_refused(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with moving(tablewright_backend, clock) as move:
            review, assessments = move.review, move.company.assessments
            await review.save(all_at(4), "manager")
            found, moved = assessments._found, []

            async def overtaken(by: Caller, assessment_id: str, **more: bool):
                answer = await found(by, assessment_id, **more)
                if not moved:
                    moved.append(True)
                    await move.to_the_other_team()
                return answer

            assessments._found = overtaken
            assert await code_in(assessments.submit(move.old, review.id("manager"))) == GONE
            assert (await review.now("manager")).status == "in_progress"

    run(story())


def test_withdrawing_while_a_person_moves_leaves_one_of_both_orders(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Whatever comes first: after the move, nothing that the old manager does has an effect."""

    async def story() -> None:
        async with moving(tablewright_backend, clock) as move:
            await move.review.released()
            for _ in range(6):
                results = await asyncio.gather(
                    move.company.reports.withdraw(move.old, move.review.report_id),
                    move.to_the_other_team(),
                    return_exceptions=True,
                )
                withdrawn = not isinstance(results[0], Problem)
                assert withdrawn or results[0].status in (404, 409)
                status = (await move.review.report()).status
                assert status == ("generated" if withdrawn else "released")
                assert (
                    await code_in(move.company.reports.withdraw(move.old, move.review.report_id))
                    == GONE
                )
                await move.company.reports.release(move.new, move.review.report_id)
                await move.back()

    run(story())


def test_stored_report_of_somebody_who_moved_is_not_rewritten(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with moving(engine_backend, clock) as move:
            before = await move.review.released()
            await move.to_the_other_team()
            assert await move.company.db.require(m.report(before.report_id)) == before

    run(story())
