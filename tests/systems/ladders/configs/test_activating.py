"""Which version is active: one, whoever else wants another one at the same time."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from tests.systems.ladders.configs.support import TEXT, admin, marked, pointed, text
from tests.systems.ladders.support import (
    OPERATOR,
    api_on,
    audited,
    code_in,
    company_on,
    crew_made,
    plan_made,
    run,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.realism import Fault
from tablewright.server import ServerThread
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.testing import injected
from tablewright.testing.backends import Backend, at_endpoint

CROWD = 20


def test_scenario_06_one_of_twenty_activations_at_the_same_time(clock: ManualClock) -> None:
    """20 concurrent config activations: one active, pointer agrees; rollback; old plan keeps its
    version."""
    ready = threading.Barrier(CROWD)

    async def activate(backend: Backend, version: str) -> str:
        async with company_on(backend, clock) as company:
            by = await admin(company)
            await asyncio.to_thread(ready.wait, 30)
            try:
                await company.configs.activate(by, ids.config_id(version))
            except Problem as problem:
                return f"{problem.status} {problem.code}"
            return "activated"

    async def prepared(backend: Backend) -> m.Plan:
        async with company_on(backend, clock) as company:
            by = await admin(company)
            for number in range(CROWD + 1):
                await company.configs.upload(by, f"{number}.0.0", text(str(number)))
            await company.configs.activate(by, ids.config_id("0.0.0"))
            crew = await crew_made(company, 1)
            return await plan_made(company, crew.team)

    async def check(backend: Backend, plan: m.Plan) -> None:
        async with company_on(backend, clock) as company:
            by = await admin(company)
            now = await pointed(company)
            assert now != "0.0.0"
            assert await marked(company) == [now]
            line = await company.db.require(m.active_config_line(1))
            assert line.version == now
            before = await company.db.require(m.active_config())
            back = await company.configs.rollback(by)
            assert back.config.config_id == before.previous_config_id
            assert await marked(company) == [back.config.version]
            assert await pointed(company) == back.config.version
            kept = await company.db.require(m.plan(plan.plan_id))
            assert (kept.config_version, kept.config_id) == ("0.0.0", ids.config_id("0.0.0"))

    with (
        Engine.memory(clock=clock) as engine,
        ServerThread(engine) as server,
        at_endpoint(server.url) as backend,
    ):
        plan = run(prepared(backend))
        with ThreadPoolExecutor(CROWD) as threads:
            work = [
                threads.submit(run, activate(backend, f"{number}.0.0"))
                for number in range(1, CROWD + 1)
            ]
            told = Counter(each.result(60) for each in work)
        assert told.keys() <= {"activated", "409 CONFIG_CONFLICT", "409 CONFLICT"}
        assert told["activated"] >= 1
        run(check(backend, plan))


def test_of_those_who_have_seen_the_same_one_wins(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            by = await admin(company)
            for number in range(6):
                await company.configs.upload(by, f"{number}.0.0", TEXT)
            first = await company.configs.activate(by, ids.config_id("0.0.0"))
            seen = Precondition.seen(first.pointer.revision)
            found = await asyncio.gather(
                *(
                    company.configs.activate(by, ids.config_id(f"{number}.0.0"), seen)
                    for number in range(1, 6)
                ),
                return_exceptions=True,
            )
            told = Counter(getattr(each, "code", "activated") for each in found)
            assert told["activated"] == 1
            assert told.keys() <= {"activated", "REVISION_CONFLICT", "CONFLICT"}
            assert await marked(company) == [await pointed(company)]

    run(story())


def test_what_is_active_stays_so(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            ines = api.as_(OPERATOR)
            for version in ("1.0.0", "2.0.0"):
                await ines.done("POST", "/configs", {"version": version, "content": TEXT})
            one, two = (f"/configs/{ids.config_id(each)}/activate" for each in ("1.0.0", "2.0.0"))
            first = await ines("POST", one)
            assert (first.status_code, first.headers["ETag"]) == (200, '"1"')
            again = await ines("POST", one, If_Match='"99"')
            assert again.json() == first.json()
            assert again.headers["ETag"] == '"1"'
            assert await ines.refused("POST", two, If_Match='"99"') == (412, "REVISION_CONFLICT")
            assert (await ines("POST", two, If_Match='"1"')).headers["ETag"] == '"2"'
            active = await ines("GET", "/configs/active")
            assert (active.json()["version"], active.headers["ETag"]) == ("2.0.0", '"2"')
            listed = await ines("GET", "/configs")
            assert listed.headers["ETag"] == '"2"'
            assert [each["active"] for each in listed.json()["items"]] == [True, False]
            assert listed.json()["previous_config_id"] == ids.config_id("1.0.0")
            back = await ines.done("POST", "/configs/rollback", If_Match='"2"')
            assert (back["version"], back["active"]) == ("1.0.0", True)
            stale = await ines.refused("POST", "/configs/rollback", If_Match='"2"')
            assert stale == (412, "REVISION_CONFLICT")
            actions = [each for each, _ in await audited(api.company)]
            assert actions[2:] == ["config.activate", "config.activate", "config.rollback"]
            unknown = f"/configs/{ids.config_id('9.0.0')}/activate"
            assert await ines.refused("POST", unknown) == (404, "NOT_FOUND")

    run(story())


def test_a_repeated_rollback_is_one(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            ines = api.as_(OPERATOR)
            for version in ("1.0.0", "2.0.0"):
                await ines.done("POST", "/configs", {"version": version, "content": TEXT})
                await ines.done("POST", f"/configs/{ids.config_id(version)}/activate")
            for _ in range(3):
                back = await ines.done("POST", "/configs/rollback", Idempotency_Key="back")
                assert back["version"] == "1.0.0"
            assert await pointed(api.company) == "1.0.0"

    run(story())


def test_others_in_the_way_are_waited_for_and_then_told(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    def conflict(times: int | None = None) -> Fault:
        cancelled = "TransactionCanceledException"
        reason = "TransactionConflict"
        return Fault("TransactWriteItems", error=cancelled, reason=reason, times=times)

    async def story() -> None:
        async with company_on(engine_backend, clock, quick=True) as company:
            by = await admin(company)
            for version in ("1.0.0", "2.0.0"):
                await company.configs.upload(by, version, TEXT)
            with injected(tablewright_engine, conflict(1)):
                await company.configs.activate(by, ids.config_id("1.0.0"))
            with injected(tablewright_engine, conflict()):
                work = company.configs.activate(by, ids.config_id("2.0.0"))
                assert await code_in(work) == (409, "CONFLICT")
            assert await marked(company) == ["1.0.0"]

    run(story())
