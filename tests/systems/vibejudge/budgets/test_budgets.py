"""Money for calls: never more than there is, never lost, never twice."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from tests.systems.vibejudge.budgets.support import (
    Case,
    call_of,
    case,
    check_books,
    records,
)
from tests.systems.vibejudge.support import NOW, courtroom_on, run

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import new_ulid
from tablewright.systems.vibejudge import job_reads
from tablewright.systems.vibejudge.llm.failures import BudgetRefused, Refused
from tablewright.systems.vibejudge.service.budgets import Swept
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.stand_in import Manner, StandIn, serving
from tablewright.testing.backends import Backend, over_http

THREADS, CALLERS = 8, 8
FIFTEEN = timedelta(minutes=15).total_seconds()


def test_scenario_06_no_more_is_spent_than_there_is(
    tablewright_engine: Engine, clock: ManualClock
) -> None:
    """64 callers, budget for 10: 10 pass, remaining >=0."""
    amount = "0.123456789"
    gate, outcomes = threading.Barrier(THREADS), []

    async def caller(courtroom: Courtroom, made: Case) -> bool:
        wanted = call_of(amount)
        try:
            money = await made.purse(courtroom, wanted.id.run_id).reserve(wanted)
        except BudgetRefused:
            return False
        await money.started()
        # Whoever is late finds the money set aside, not yet spent.
        await asyncio.sleep(0.05)
        await money.settle(wanted)
        return True

    async def process(backend: Backend, made: Case) -> list[bool]:
        async with courtroom_on(backend, clock) as courtroom:
            await asyncio.to_thread(gate.wait, 30)
            return await asyncio.gather(*(caller(courtroom, made) for _ in range(CALLERS)))

    async def prepared(backend: Backend) -> Case:
        async with courtroom_on(backend, clock) as courtroom:
            # For ten, and nearly for one more.
            return await case(courtroom, str(Decimal(amount) * 11 - Decimal("0.000000001")))

    async def checked(backend: Backend, made: Case) -> None:
        async with courtroom_on(backend, clock) as courtroom:
            cost = await check_books(courtroom, made)
            assert cost.budget_remaining_usd == Decimal(amount) - Decimal("0.000000001")
            assert len(await records(courtroom, made.submission)) == 10

    with over_http(tablewright_engine) as backend:
        made = run(prepared(backend))
        threads = [
            threading.Thread(target=lambda: outcomes.extend(run(process(backend, made))))
            for _ in range(THREADS)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join(60)
        assert sorted(outcomes) == [False] * 54 + [True] * 10
        run(checked(backend, made))


def test_scenario_18_a_call_that_nobody_settled_is_charged_as_estimated(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Crash between reserve and settle: charged as estimated."""

    async def check() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            made = await case(courtroom)
            called, waiting = call_of("0.25"), call_of("0.75", agent="innovation")
            money = await made.purse(courtroom, called.id.run_id).reserve(called)
            await money.started()
            clock.advance(60)
            late = await made.purse(courtroom, waiting.id.run_id).reserve(waiting)
            clock.advance(FIFTEEN - 61)
            assert await courtroom.budgets.sweep() == Swept()
            clock.advance(1)
            assert await courtroom.budgets.sweep() == Swept(charged=1)
            (record,) = await records(courtroom, made.submission)
            assert (record.total_cost_usd, record.estimated) == (Decimal("0.25"), True)
            assert (record.input_tokens, record.output_tokens) == (9000, 100)
            assert record.created_at == NOW
            clock.advance(60)
            # What was never called for is given back, and its call must not go out any more.
            assert await courtroom.budgets.sweep() == Swept(freed=1)
            with pytest.raises(Refused) as lost:
                await late.started()
            assert lost.value.code == "reservation_lost"
            # A worker that was only slow changes nothing.
            await money.settle(call_of("0.1", called.id.run_id))
            cost = await check_books(courtroom, made)
            assert cost.budget_remaining_usd == Decimal("4.75")
            assert await courtroom.budgets.sweep() == Swept()

    run(check())


def test_scenario_18_after_kill_9_during_a_call(
    tablewright_engine: Engine, clock: ManualClock
) -> None:
    """Crash between reserve and settle: charged as estimated. The process is really killed."""
    stand_in = StandIn()
    stand_in.always = Manner(slow=30)

    async def prepared(backend: Backend) -> Case:
        async with courtroom_on(backend, clock) as courtroom:
            return await case(courtroom)

    async def started(backend: Backend, made: Case) -> None:
        async with courtroom_on(backend, clock) as courtroom, asyncio.timeout(30):
            while True:
                found = await courtroom.db.run(job_reads.reservations(made.hackathon.hack_id))
                if any(each.call_started_at for each in found):
                    return
                await asyncio.sleep(0.05)

    async def checked(backend: Backend, made: Case) -> None:
        async with courtroom_on(backend, clock) as courtroom:
            (left,) = await courtroom.db.run(job_reads.reservations(made.hackathon.hack_id))
            assert await courtroom.budgets.sweep() == Swept(charged=1)
            (record,) = await records(courtroom, made.submission)
            assert record.estimated
            assert record.total_cost_usd == left.amount_usd > 0
            await check_books(courtroom, made)

    with over_http(tablewright_engine) as backend, serving(stand_in) as models:
        made = run(prepared(backend))
        child = _dying(backend, f"{models}/v1", stand_in.key, made)
        try:
            run(started(backend, made))
        finally:
            os.kill(child.pid, signal.SIGKILL)
            child.wait(10)
        clock.advance(FIFTEEN)
        run(checked(backend, made))


def _dying(backend: Backend, models: str, key: str, made: Case) -> subprocess.Popen[bytes]:
    """Another process, in the middle of a call to a model that takes half a minute."""
    assert backend.url is not None
    ids = [made.hackathon.hack_id, made.submission.sub_id, new_ulid()]
    program = "tests.systems.vibejudge.budgets.dying"
    command = [sys.executable, "-m", program, backend.url, backend.prefix, models, *ids]
    environ = {**os.environ, "VIBEJUDGE_OPENAI_KEY": key}
    return subprocess.Popen(command, cwd=Path(__file__).parents[4], env=environ)


def test_a_call_is_reserved_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            made = await case(courtroom)
            wanted = call_of("0.25")
            purse = made.purse(courtroom, wanted.id.run_id)
            await purse.reserve(wanted)
            with pytest.raises(Refused) as repeated:
                await purse.reserve(wanted)
            assert repeated.value.code == "call_repeated"
            cost = await check_books(courtroom, made)
            assert cost.budget_remaining_usd == Decimal("4.75")
            with pytest.raises(BudgetRefused, match=r"\$4\.750000001.* \$4\.75"):
                await purse.reserve(call_of("4.750000001"))

    run(check())


def test_what_was_under_way_is_in_the_books_after_erasing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def check() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            made = await case(courtroom)
            called = call_of("0.25")
            purse = made.purse(courtroom, called.id.run_id)
            await (await purse.reserve(called)).started()
            await purse.reserve(call_of("0.5"))
            await courtroom.erasing.begin_hackathon(made.caller, made.hackathon.hack_id)
            assert await courtroom.erasing.work() == 1
            (record,) = await records(courtroom, made.submission)
            assert record.estimated
            cost = await check_books(courtroom, made)
            assert cost.budget_remaining_usd == Decimal("4.75")

    run(check())


def test_who_is_stopped_while_settling_leaves_the_books_right(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def check() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            made = await case(courtroom)
            wanted = call_of("0.25")
            money = await made.purse(courtroom, wanted.id.run_id).reserve(wanted)
            await money.started()
            settling = asyncio.ensure_future(money.settle(call_of("0.1", wanted.id.run_id)))
            await asyncio.sleep(0)
            settling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await settling
            await courtroom.budgets.close()
            cost = await check_books(courtroom, made)
            assert cost.total_cost_usd == Decimal("0.1")

    run(check())
