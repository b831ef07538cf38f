"""Scenario 5. Whatever happens, in whatever order: ledger = counters = totals, to the pico."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sampling import many
from tests.systems.pricekeeper.access.support import ADMIN, QUICK
from tests.systems.pricekeeper.recording.support import (
    BATCH,
    ORG,
    START,
    WEB,
    account_of,
    check_books,
    org_with,
    results,
    rows_of,
    usage,
)
from tests.systems.pricekeeper.recording.support import settings as settings_of

from tablewright.client import AsyncEmbedded
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model import put
from tablewright.model.errors import TablewrightError
from tablewright.service.kit import kit_model
from tablewright.service.problems import Problem
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.service.workers import run_once
from tablewright.systems.pricekeeper.reads import total_of_period
from tablewright.systems.pricekeeper.rules.corrections import Correction
from tablewright.systems.pricekeeper.rules.rows import sums_of
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.ledger import reconciling
from tablewright.systems.pricekeeper.service.recording import flushing, lane
from tablewright.systems.pricekeeper.shapes import ALL, scope_of
from tablewright.systems.pricekeeper.spend import AMOUNTS, Ledger
from tablewright.systems.pricekeeper.system import system
from tablewright.systems.pricekeeper.workers import aggregator, fold
from tablewright.testing import injected

#: Few ids, so that they meet again and again.
IDS = [str(uuid.uuid5(uuid.NAMESPACE_DNS, f"report-{number}")) for number in range(30)]
HOUR, DAY = 3600, 86_400

reports = st.builds(
    dict,
    request_id=st.sampled_from(IDS),
    label=st.sampled_from(["premium", "standard", "nobody"]),
    status=st.sampled_from(["OK", "OK", "ERROR"]),
    input_tokens=st.sampled_from([0, 20, 1200]),
    output_tokens=st.integers(0, 3),
    ago=st.sampled_from([0, 0, 13 * HOUR, 40 * HOUR, 60 * HOUR]),
    bedrock_model_id=st.sampled_from([None, None, "unknown-model"]),
)
apps = st.sampled_from([WEB, BATCH])
batches = st.lists(reports, min_size=1, max_size=12)
faults = st.sampled_from(
    [
        Fault("TransactWriteItems", drop=True, after=True, times=1),
        Fault("TransactWriteItems", error="InternalServerError", times=2),
        Fault("PutItem", drop=True, after=True, times=1),
        Fault("UpdateItem", error="ThrottlingException", times=2),
        Fault(
            "TransactWriteItems",
            error="TransactionCanceledException",
            reason="TransactionConflict",
            members=[0],
            times=2,
        ),
        # Longer than anybody waits: some callers never hear whether they were counted.
        Fault("TransactWriteItems", drop=True, after=True, times=60),
    ]
)
steps = st.one_of(
    st.tuples(st.just("record"), apps, batches),
    st.tuples(st.just("record"), apps, batches),
    st.tuples(st.just("side_by_side"), st.lists(st.tuples(apps, batches), min_size=2, max_size=4)),
    st.tuples(
        st.just("correct"), apps, st.integers(0, 50), st.integers(-5, 5), st.sampled_from(IDS)
    ),
    st.tuples(st.just("fault"), faults),
    st.tuples(st.just("crash"), apps, batches, st.integers(0, 12)),
    st.tuples(st.just("wait"), st.sampled_from([1, 61, 26 * HOUR])),
    st.tuples(st.just("back"), st.sampled_from([5, 600])),
    st.tuples(st.just("sum")),
    st.tuples(st.just("fold")),
)


@dataclass
class World:
    """One store, and one process at a time."""

    engine: Engine
    clock: ManualClock
    mode: str
    keeper: Keeper = field(init=False)
    faults: list[Fault] = field(default_factory=list)
    waited: int = 0

    async def start(self) -> None:
        """A new process; what the last one had in mind is gone."""
        runtime = runtime_of(
            system, AsyncEmbedded(self.engine), Settings(), clock=self.clock, environ={}
        )
        runtime.db.context = replace(runtime.db.context, retries=QUICK)
        self.keeper = Keeper(runtime)

    async def prepare(self) -> None:
        await self.keeper.db.create_tables(system.model, kit_model)
        for each in settings_of(org_with(write_mode=self.mode)):
            await self.keeper.db.run(put(each))

    async def take(self, name: str, *arguments: Any) -> None:
        """A step, with what goes wrong in it; workers that fail try again another time."""
        faults, self.faults = self.faults, []
        with injected(self.engine, *faults):
            try:
                await getattr(self, name)(*arguments)
            except TablewrightError:
                if not faults or name not in ("sum", "fold", "correct"):
                    raise

    def usages(self, batch: Sequence[dict[str, Any]]) -> list[Usage]:
        now = int(self.clock.now())
        said = [{**report, "timestamp": now - report["ago"]} for report in batch]
        return [usage(**{name: each[name] for name in each if name != "ago"}) for each in said]

    async def record(self, app_id: str, batch: Sequence[dict[str, Any]]) -> None:
        account = await account_of(self.keeper, app_id)
        told = await self.keeper.recorder.record(account, self.usages(batch))
        assert len(told) == len(batch)
        assert "INTERNAL" not in results(told)

    async def side_by_side(self, requests: Sequence[tuple[str, Any]]) -> None:
        await asyncio.gather(*(self.record(*each) for each in requests))

    async def correct(self, app_id: str, place: int, tokens: int, own_id: str) -> None:
        rows = [row for row in await rows_of(self.keeper, app_id) if row.kind == "USAGE"]
        if not rows:
            return
        row = sorted(rows, key=lambda each: each.request_id)[place % len(rows)]
        change = Correction(own_id, "wrong", output_tokens=tokens, cost_picos=tokens * 10**6)
        account = await account_of(self.keeper, app_id)
        with suppress(Problem):
            await self.keeper.corrections.correct(account, row.request_id, change, ADMIN)

    async def fault(self, fault: Fault) -> None:
        self.faults.append(fault)

    async def crash(self, app_id: str, batch: Sequence[dict[str, Any]], turns: int) -> None:
        """The process ends in the middle of a request, without a word."""
        going = asyncio.ensure_future(self.record(app_id, batch))
        for _ in range(turns):
            await asyncio.sleep(0)
        await self.die()
        await asyncio.gather(going, return_exceptions=True)
        await self.start()

    async def die(self) -> None:
        keeping = self.keeper.recorder._flushing.slot._keeping
        if keeping is not None:
            keeping.lost.set()  # the dead give no lease back
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)
        self.waited += seconds

    async def back(self, seconds: int) -> None:
        self.clock.advance(-seconds)

    async def sum(self) -> None:
        await run_once(aggregator.worker(self.keeper))

    async def fold(self) -> None:
        await run_once(fold.worker(self.keeper))


lives = given(
    steps=st.lists(steps, max_size=14), mode=st.sampled_from(["exact", "exact", "stream"])
)
UNHURRIED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


@lives
@settings(max_examples=20, deadline=None, suppress_health_check=UNHURRIED)
def test_books_always_balance(
    steps: list[tuple[Any, ...]], mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(steps, mode, monkeypatch)


@pytest.mark.slow
@lives
@settings(max_examples=many(200), deadline=None, suppress_health_check=UNHURRIED)
def test_books_balance_for_long(
    steps: list[tuple[Any, ...]], mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(steps, mode, monkeypatch)


def live(steps: list[tuple[Any, ...]], mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take all steps, then look at the books."""
    monkeypatch.setattr(flushing, "PATIENCE_SECS", 0.1)
    monkeypatch.setattr(lane, "PATIENCE_SECS", 0.1)
    monkeypatch.setattr(reconciling, "SETTLE_SECS", 0.0)
    clock = ManualClock(START)

    async def go() -> None:
        with Engine.memory(clock=clock) as engine:
            world = World(engine, clock, mode)
            await world.start()
            await world.prepare()
            try:
                for name, *arguments in steps:
                    await world.take(name, *arguments)
                world.faults = []
                await check_all(world)
            finally:
                await world.die()

    asyncio.run(go())


async def check_all(world: World) -> None:
    if world.mode == "stream":
        await world.take("fold")
    if world.waited >= DAY:
        # The stream has dropped what the fold did not come to.
        world.clock.advance(26 * HOUR)
        assert (await world.keeper.ledger.reconcile(ORG, fix=True)).clean
    await check_books(world.keeper)
    # Totals follow, once their marks have ended.
    world.clock.advance(200)
    await world.take("sum")
    await check_totals(world.keeper)


async def check_totals(keeper: Keeper) -> None:
    """The totals of days, of apps and of the organisation, are the sum of the ledger."""
    rows = await rows_of(keeper)
    for day in {row.day for row in rows}:
        for app_id in (WEB, BATCH, None):
            for label in {row.label for row in rows} | {ALL}:
                mine = [row for row in rows if _is_in(row, app_id, label, day)]
                scope = scope_of(ORG, app_id)
                total = await keeper.db.run(total_of_period(scope, label, f"DAY#{day}"))
                told = {name: getattr(total, name) if total else 0 for name in AMOUNTS}
                assert told == _amounts(mine), (scope, label, day)


def _is_in(row: Ledger, app_id: str | None, label: str, day: str) -> bool:
    return row.day == day and app_id in (None, row.app_id) and label in (ALL, row.label)


def _amounts(rows: Sequence[Ledger]) -> dict[str, int]:
    found = [sums.values() for sums in sums_of(rows).values()]
    return {name: sum(each[name] for each in found) for name in AMOUNTS}
