"""The demo of a running system: whole, true and repeatable."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.ladders.support import START, audited, company_on, config_made

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.kit.entities import pending_in
from tablewright.service.kit.patterns import messages_in
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.demo_people import DEMO_PEOPLE
from tablewright.systems.ladders.live_demo import cast, fill, is_there
from tablewright.systems.ladders.live_demo.cast import LINA, MATEO, NORA, OMAR, Someone
from tablewright.systems.ladders.service.assessments import Assessments
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.service.configs import Configs
from tablewright.systems.ladders.service.growth import Growth
from tablewright.systems.ladders.service.people import People
from tablewright.systems.ladders.service.plans import Plans
from tablewright.systems.ladders.service.reports import Reports
from tablewright.systems.ladders.service.teams import Teams
from tablewright.testing.backends import in_process


@asynccontextmanager
async def empty(clock: ManualClock) -> AsyncIterator[Company]:
    """A place without anything, and nobody at work in it."""
    with Engine.memory(clock=clock) as engine, in_process(engine) as backend:
        async with company_on(backend, clock) as company:
            yield company


async def caller(company: Company, someone: Someone) -> Caller:
    return await company.people.caller(someone.principal)


async def state(company: Company) -> dict[str, object]:
    """All that could be there twice, or be another."""
    db = company.db
    plans = [each for name in ("draft", "active", "completed") for each in await _plans(db, name)]
    boards = [
        each.model_dump_json() for plan in plans async for each in db.iterate(m.board(plan.plan_id))
    ]
    reports = [
        each.model_dump_json()
        for plan in plans
        async for each in db.iterate(m.reports_of_plan(plan.plan_id))
    ]
    return {
        "users": sorted([each.model_dump_json() async for each in db.iterate(m.all_users())]),
        "teams": sorted([each.model_dump_json() async for each in db.iterate(m.all_teams())]),
        "plans": sorted(each.model_dump_json() for each in plans),
        "assessments": sorted(boards),
        "reports": sorted(reports),
        "audited": Counter(await audited(company)),
    }


async def _plans(db: Any, status: Any) -> list[m.Plan]:
    return [each async for each in db.iterate(m.plans_by_status(status))]


# --- all of it -----------------------------------------------------------------------------------


def test_it_is_whole_and_a_second_attempt_adds_nothing() -> None:
    async def scenario() -> None:
        clock = ManualClock(START)
        async with empty(clock) as company:
            await fill(company)
            await _check_company(company)
            await _check_the_review(company)
            await _check_people(company)
            first = await state(company)
            clock.advance(3600)
            await fill(company)
            assert await state(company) == first

    asyncio.run(scenario())


async def _check_company(company: Company) -> None:
    ines = await caller(company, cast.INES)
    assert {each.email for each in DEMO_PEOPLE} <= {
        each.email for each in await company.people.list(ines)
    }
    assert {each.team_name for each in await company.teams.list(ines)} == {
        each.name for each in cast.CREWS
    }
    versions = await company.configs.list(ines)
    assert [each.version for each in versions.configs] == ["2.0.0", "1.0.0"]
    assert versions.pointer is not None
    assert versions.pointer.version == "2.0.0"
    old, new = (each.config_id for each in reversed(versions.configs))
    found = await company.configs.diff(ines, old, new)
    assert found.added
    assert found.reworded
    db = company.db
    seen = {name: len(await _plans(db, name)) for name in ("draft", "active", "completed")}
    assert seen == {"draft": 2, "active": 1, "completed": 3}
    # What people were told then does not go out now.
    subject = f"user/{(await caller(company, LINA)).user_id}"
    assert not list(await db.run(messages_in(pending_in(subject))))


async def _check_the_review(company: Company) -> None:
    """One of each."""
    (plan,) = await _plans(company.db, "active")
    assert plan.start_date < company.now() < plan.end_date
    lines = [each async for each in company.db.iterate(m.board(plan.plan_id))]
    assert Counter(each.status for each in lines) == {
        "submitted": 8,
        "in_progress": 3,
        "not_started": 3,
    }
    reports = [each async for each in company.db.iterate(m.reports_of_plan(plan.plan_id))]
    by_status = {each.status: each for each in reports}
    assert set(by_status) == {"generated", "released", "acknowledged", "stale"}
    for status in ("generated", "released"):
        assert by_status[status].summary.flagged >= 1  # type: ignore[index]
    made = await company.db.require(m.report(by_status["generated"].report_id))
    assert {each.side for each in made.unmatched} == {"self", "manager"}
    omar = await caller(company, OMAR)
    both = await company.reports.side_by_side(omar, by_status["released"].report_id)
    texts = [row.self_evidence for row in both.rows if row.self_level is not None]
    assert all(len(each) > 40 and "{" not in each for each in texts)
    assert len(set(texts)) == len(texts)
    pdf = await company.exports.export(omar, by_status["released"].report_id, "csv")
    assert pdf.content


async def _check_people(company: Company) -> None:
    """Everybody whom one can sign in as has something to do, or to look at."""
    kinds = {}
    for each in (LINA, MATEO, NORA, OMAR, cast.JUDITH):
        by = await caller(company, each)
        kinds[each.name.split()[0]] = {task.kind for task in await company.tasks.of(by)}
    assert kinds == {
        "Lina": {"acknowledge", "action"},
        "Mateo": {"assess_self", "action"},
        "Nora": {"action"},
        "Omar": {"assess_member", "release_report"},
        "Judith": {"release_report"},
    }
    lina = await caller(company, LINA)
    history = await company.growth.history(lina, lina.user_id)
    assert len(history) == 2
    nora = await caller(company, NORA)
    (report,) = await company.reports.of_member(nora, nora.user_id)
    assert report.next_action_due is not None
    assert report.next_action_due - company.now() < timedelta(days=7)


# --- in parts ------------------------------------------------------------------------------------


class Killed(BaseException):
    """Nothing catches it, as nothing catches the end of a process."""


#: Where it is killed, one after the other, and at which call.
KILLS: tuple[tuple[type, str, int], ...] = (
    (Configs, "activate", 1),
    (People, "create", 4),
    (Teams, "add_members", 1),
    (Plans, "_resumed", 1),
    (Assessments, "submit", 2),
    (Reports, "acknowledge", 1),
    (Growth, "change_action", 2),
    (Plans, "complete", 1),
    (Reports, "release", 1),
    (Assessments, "reopen", 1),
)


def test_attempts_that_were_killed_are_finished_by_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        clock = ManualClock(START)
        async with empty(clock) as company:
            for owner, act, number in KILLS:
                await _stopped_at(company, owner, act, number, monkeypatch)
                assert not await is_there(company)
                clock.advance(40)
            await fill(company)
            await _check_company(company)
            await _check_the_review(company)
            await _check_people(company)

    asyncio.run(scenario())


async def _stopped_at(
    company: Company, owner: type, act: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = getattr(owner, act), Counter[str]()

    async def killed(*args: Any, **named: Any) -> Any:
        calls[act] += 1
        if calls[act] == number:
            raise Killed
        return await real(*args, **named)

    with monkeypatch.context() as patched:
        patched.setattr(owner, act, killed)
        with pytest.raises(Killed):
            await fill(company)


def test_a_company_of_somebody_s_own_is_left_alone() -> None:
    async def scenario() -> None:
        clock = ManualClock(START)
        async with empty(clock) as company:
            await config_made(company)
            await fill(company)
            assert not [each async for each in company.db.iterate(m.all_users())]

    asyncio.run(scenario())
