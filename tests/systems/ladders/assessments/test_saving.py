"""Autosave: some answers at a time, into what their author has seen."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from pydantic import ValidationError
from tests.systems.ladders.assessments.reviews import (
    EVERYTHING,
    change,
    review_made,
    saving,
)
from tests.systems.ladders.support import (
    api_on,
    assessment_new,
    code_in,
    company_on,
    config_made,
    refused,
    run,
    user_made,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.realism import Fault
from tablewright.model import definition
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import Problem
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.bodies.assessments import MOST_CHANGES, SaveIn
from tablewright.systems.ladders.fields import (
    Activation,
    AssessmentType,
    Category,
    Competency,
    Ladder,
    LadderLevel,
)
from tablewright.systems.ladders.service.callers import Caller
from tablewright.testing import injected
from tablewright.testing.backends import Backend
from tablewright.values import item_size

CODING = change("Craft", "Coding", 3, evidence="Wrote the parser.", next_level_feedback="Teach.")


def steps(*names: str, count: int = 5) -> Ladder:
    """A ladder whose categories and competencies have these names."""
    levels = [LadderLevel(level=n, description=f"Step {n}") for n in range(1, count + 1)]
    inside = [Competency(name=name, levels=levels) for name in names]
    return Ladder(categories=[Category(name=name, competencies=inside) for name in names])


def test_answers_are_saved_and_merged(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            first = await review.save(saving(CODING, goal_level=4))
            assert (first.status, first.answered, first.total) == ("in_progress", 1, 4)
            clock.advance(60)
            second = await review.save(
                saving(
                    change("Craft", "Coding", 4),
                    change("Craft", "Design", 2, evidence="Drew the boxes."),
                    {"category": "Craft", "competency": "Coding", "about": 3, "evidence": "More."},
                    way_forward="Lead.",
                )
            )
            assert second.selections["Craft"] == {"Coding": 4, "Design": 2}
            # What was said of level 3 stays with it, and is written whole.
            assert second.feedback["Craft"]["Coding"]["3"].evidence == "More."
            assert second.feedback["Craft"]["Coding"]["3"].next_level_feedback == "Teach."
            assert (second.goal_level, second.way_forward, second.answered) == (4, "Lead.", 2)
            assert second.current_level is None
            third = await review.save(saving(change("Craft", "Coding", None), way_forward=""))
            assert third.selections["Craft"] == {"Design": 2}
            assert (third.answered, third.way_forward, third.goal_level) == (1, None, 4)
            assert third == await review.now()

    run(work())


def test_scenario_10_two_tabs(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Two tabs, same revision: one 200, one 412; names "R&D | Ops", "status" save."""

    async def work() -> None:
        async with api_on(tablewright_backend, clock) as api:
            company = api.company
            await config_made(company, steps=steps("R&D | Ops", "status"))
            review = await review_made(company)
            tab, path = api.as_(review.member), f"/assessments/{review.id()}"
            tag = (await tab("GET", path)).headers["ETag"]
            one = {"changes": [change("R&D | Ops", "status", 2, evidence="One.")]}
            two = {"changes": [change("status", "R&D | Ops", 3, evidence="Two.")]}
            answers = await asyncio.gather(
                tab("PATCH", path, one, If_Match=tag), tab("PATCH", path, two, If_Match=tag)
            )
            assert sorted(each.status_code for each in answers) == [200, 412]
            lost, kept = sorted(answers, key=lambda each: -each.status_code)
            assert lost.json()["code"] == "REVISION_CONFLICT"
            again = two if lost is answers[1] else one
            await tab.done("PATCH", path, again, If_Match=kept.headers["ETag"])
            found = await tab.get(path)
            assert found["selections"] == {"R&D | Ops": {"status": 2}, "status": {"R&D | Ops": 3}}
            assert found["feedback"]["status"]["R&D | Ops"]["3"]["evidence"] == "Two."
            assert await tab.refused("PATCH", path, one) == (428, "PRECONDITION_REQUIRED")

    run(work())


def test_what_the_ladder_does_not_have(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            wrong = saving(
                change("Magic", "Coding"),
                change("Craft", "Magic"),
                change("Craft", "Coding", 6),
                {"category": "Craft", "competency": "Design", "evidence": "Of what level?"},
                {"category": "Craft", "competency": "Design", "about": 9, "evidence": "x"},
                goal_level=9,
            )
            problem = await refused(review.save(wrong))
            assert (problem.status, problem.code) == (422, "INVALID")
            assert [each.field for each in problem.errors] == [
                "body.changes.0.category",
                "body.changes.1.competency",
                "body.changes.2.level",
                "body.changes.3.about",
                "body.changes.4.about",
                "body.goal_level",
            ]
            assert (await review.now()).status == "not_started"

    run(work())


@pytest.mark.parametrize(
    "body",
    [
        {"changes": [change("Craft", "Coding")] * (MOST_CHANGES + 1)},
        {"status": "submitted"},
        {"assessor_id": "00000001-0000-4000-8000-000000000001"},
        {"changes": [{**change("Craft", "Coding"), "current_level": 5}]},
        {"changes": [{"category": "Craft", "competency": "Coding"}]},
        {"changes": [change("Craft", "Coding", evidence="x" * 4001)]},
        {"way_forward": "x" * 8001},
        {"changes": [change("Craft", "Coding", evidence="\x07")]},
    ],
)
def test_bodies_that_are_refused(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SaveIn.model_validate(body)


def test_nobody_else_saves_it(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, size=2)
            admin = await user_made(company, None, "admin")
            colleague, stranger = review.crew.members[1], await user_made(company)
            body = saving(CODING)
            tries: list[tuple[Caller, AssessmentType, tuple[int, str]]] = [
                (review.manager, "self", (403, "FORBIDDEN")),
                (admin, "self", (403, "FORBIDDEN")),
                (admin, "manager", (403, "FORBIDDEN")),
                (review.member, "manager", (403, "FORBIDDEN")),
                (colleague, "self", (404, "NOT_FOUND")),
                (stranger, "self", (404, "NOT_FOUND")),
            ]
            for by, kind, code in tries:
                assert await code_in(review.save(body, kind, by)) == code
            for known in ("EMAIL#a@b.c", "x", review.plan.plan_id):
                found = company.assessments.save(review.member, known, body, UNSAID)
                assert await code_in(found) == (404, "NOT_FOUND")

    run(work())


def test_nothing_is_saved_outside_of_a_review(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, size=2)
            gone = replace(review, crew=replace(review.crew, members=review.crew.members[1:]))
            now = company.now()
            await company.db.run(m.withdraw_member(review.plan, gone.member.user_id, now))
            assert await code_in(gone.save(saving(CODING))) == (403, "ASSESSMENT_LOCKED")
            plan = await company.db.require(m.plan(review.plan.plan_id))
            await company.db.run(m.complete_plan(plan, now))
            assert await code_in(review.save(saving(CODING))) == (409, "PLAN_NOT_ACTIVE")

    run(work())


def test_nothing_shows_before_a_plan_is_active(engine_backend: Backend, clock: ManualClock) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company, status="draft")
            plan, team = review.plan, review.crew.team
            now = company.now()
            begun = Activation(by=review.manager.user_id, at=now)
            await company.db.run(m.begin_activation(plan, team, begun))
            config = await company.db.require(m.config(plan.config_id))
            member = review.member.user_id
            made = assessment_new(plan, team, member, "self", config.parsed_config)
            await company.db.run(m.start_assessment(made))
            read = company.assessments.read(review.member, review.id())
            assert await code_in(read) == (404, "NOT_FOUND")
            assert await company.assessments.of_member(review.member, member) == []
            assert await company.assessments.of_plan(review.manager, plan.plan_id) == []

    run(work())


def test_an_assessment_has_an_end(engine_backend: Backend, clock: ManualClock) -> None:
    """More text than an item may have is refused, and nothing is lost."""

    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            await config_made(company, steps=steps(*(f"C{n}" for n in range(6)), count=10))
            review = await review_made(company)
            places = [(f"C{a}", f"C{b}", n) for a in range(6) for b in range(6) for n in (1, 2)]
            codes: list[str] = []
            for start in range(0, len(places), MOST_CHANGES):
                some = places[start : start + MOST_CHANGES]
                texts = {"evidence": "x" * 4000, "next_level_feedback": "y" * 4000}
                body = saving(
                    *({"category": a, "competency": b, "about": n, **texts} for a, b, n in some)
                )
                try:
                    await review.save(body)
                except Problem as problem:
                    codes.append(problem.code)
            # 256 KB fit, 512 do not, 320 do.
            assert codes == ["TOO_LARGE"]
            await review.save(saving(change("C0", "C0")))

    run(work())


def test_an_autosave_of_15_kb_costs_at_most_17_write_units(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        heard: list[RequestEvent] = []
        async with company_on(engine_backend, clock, heard=heard) as company:
            review = await review_made(company)
            texts = [change(*each, evidence="x" * 3500) for each in EVERYTHING]
            large = await review.save(saving(*texts))
            assert 14_000 < item_size(definition(large).encode(large)) < 15 * 1024
            heard.clear()
            seen = Precondition.seen(large.revision)
            body = saving(change("Craft", "Coding", 4, about=3, evidence="z" * 3500))
            await company.assessments.save(review.member, review.id(), body, seen)
            assert sum(event.write_units for event in heard) <= 17
            # The assessment, its plan and its team; the ladder is known.
            assert len(heard) == 4

    run(work())


def test_a_save_whose_answer_is_lost_is_no_conflict(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with company_on(engine_backend, clock) as company:
            review = await review_made(company)
            await review.save(saving(change("Craft", "Design")))
            lost = Fault("UpdateItem", error="InternalServerError", after=True, times=1)
            with injected(tablewright_engine, lost):
                saved = await review.save(saving(CODING))
            assert saved.selections["Craft"] == {"Design": 3, "Coding": 3}
            assert saved == await review.now()

    run(work())
