"""Pricekeeper and the peer through the same burst."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import uuid4

from benchmarks.pricekeeper.burst import (
    COST_MICROS,
    PROCESSES,
    QUOTA_MICROS,
    Guard,
    Overshoot,
    burst,
)
from benchmarks.pricekeeper.check_then_record import CheckThenRecord, Database
from tablewright.client import AsyncDb, AsyncEmbedded
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.service.kit import kit_model
from tablewright.service.process import naming, runtime_of
from tablewright.service.settings import Settings
from tablewright.service.workers import run_once
from tablewright.systems.pricekeeper.bodies import Guidance
from tablewright.systems.pricekeeper.client import new_request_id
from tablewright.systems.pricekeeper.config import App, Label, Org
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.system import system
from tablewright.systems.pricekeeper.workers import aggregator

#: A Sunday noon in UTC: the day does not end within the burst.
START = 1_794_744_000.0
ORG, APP = str(uuid4()), "burst"


class Ours:
    """One process of pricekeeper, and a caller that does as the client does."""

    def __init__(self, keeper: Keeper, clock: ManualClock) -> None:
        self._keeper = keeper
        self._clock = clock
        self._label: str | None = None
        self._good_until = 0.0

    async def admits(self) -> bool:
        if self._clock.now() >= self._good_until:
            account = await self._keeper.directory.account(ORG, APP)
            selection = await self._keeper.selector.select(account)
            self._take(selection.guidance())
        return self._label == "premium"

    async def report(self) -> None:
        account = await self._keeper.directory.account(ORG, APP)
        usage = Usage(
            request_id=new_request_id(),
            label="premium",
            timestamp=int(self._clock.now()),
            cost_usd_micros=COST_MICROS,
        )
        (outcome,) = await self._keeper.recorder.record(account, [usage])
        assert outcome.result == "recorded", outcome
        self._take(await self._keeper.selector.guidance(account))

    def _take(self, guidance: Guidance) -> None:
        self._label = guidance.recommended_label
        self._good_until = self._clock.now() + guidance.cache_duration_secs


@asynccontextmanager
async def _keepers(clock: ManualClock) -> AsyncIterator[list[Keeper]]:
    with Engine.memory(clock=clock) as engine:
        db = AsyncDb(AsyncEmbedded(engine), names=naming("pricekeeper", str), clock=clock)
        await db.create_tables(system.model, kit_model)
        now = int(clock.now())
        await db.transact(*map(put, _settings(now)))
        async with AsyncExitStack() as stack:
            keepers = []
            for _ in range(PROCESSES):
                runtime = runtime_of(
                    system, AsyncEmbedded(engine), Settings(local=True), clock=clock, environ={}
                )
                keeper = Keeper(runtime)
                await stack.enter_async_context(keeper.lifespan())
                keepers.append(keeper)
            yield keepers


def _settings(now: int) -> list[Org | App | Label]:
    times = {"created_at_epoch": now, "updated_at_epoch": now}
    return [
        Org(
            org_id=ORG,
            org_name="Burst",
            timezone="UTC",
            model_ordering=["premium", "economy"],
            quotas={"premium": QUOTA_MICROS, "economy": None},
            **times,
        ),
        App(org_id=ORG, app_id=APP, app_name="Burst", **times),
        *(
            Label(label=label, bedrock_model_id=f"test.{label}", tier="standard", family="test")
            for label in ("premium", "economy")
        ),
    ]


async def ours() -> Overshoot:
    clock = ManualClock(START)
    async with _keepers(clock) as keepers:
        worker = aggregator.worker(keepers[0])
        last = clock.now()

        async def every_second() -> None:
            nonlocal last
            if clock.now() - last >= aggregator.EVERY_SECS:
                last = clock.now()
                await run_once(worker)

        guards: list[Guard] = [Ours(keeper, clock) for keeper in keepers]
        return await burst("pricekeeper", guards, clock, every_second)


async def peer() -> Overshoot:
    clock = ManualClock(START)
    database = Database()
    guards: list[Guard] = [
        CheckThenRecord(database, clock, QUOTA_MICROS, COST_MICROS) for _ in range(PROCESSES)
    ]
    return await burst("check, then record", guards, clock)


def measure() -> list[Overshoot]:
    """Both, one after the other, with the same calls."""
    return [asyncio.run(ours()), asyncio.run(peer())]
