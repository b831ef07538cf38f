"""``bench``: how quick it is, here and now.

An organisation of its own is made for it and deleted afterwards; its limits are so far away that
nothing is closed. What is measured are the use cases themselves: the ledger, its counters and the
database are real, with every write synced to disk; HTTP is not part of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Answer, Desk, Needs, columns, needs
from tablewright.service.typed import number
from tablewright.systems.pricekeeper.cli.given import Keeper

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.rules.account import Account
    from tablewright.systems.pricekeeper.rules.usage import Usage

LABEL, APP = "bench", "bench"
_MODEL = "bench.model"


@dataclass
class Measured:
    """One kind of call, measured."""

    name: str
    #: What one call holds.
    size: int
    seconds: float = 0.0
    #: Of each call, in seconds.
    times: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        return len(self.times) * self.size / self.seconds if self.seconds else 0.0

    def quantile(self, share: float) -> float:
        """So many calls took that many milliseconds at the most."""
        ordered = sorted(self.times)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000 if ordered else 0.0


@needs(Needs.SCRATCH)
async def bench(
    keeper: Keeper,
    desk: Desk,
    /,
    *,
    seconds: Annotated[float, Parameter(validator=Number(gt=0, lte=600))] = 3.0,
    callers: Annotated[int, Parameter(validator=Number(gte=1, lte=1000))] = 32,
    batch: Annotated[int, Parameter(validator=Number(gte=1, lte=500))] = 100,
) -> Answer:
    """Measure how quickly usage is recorded and labels are selected.

    Without a place, that is in one that is made for it and gone afterwards. In one that is named,
    the organisation that it is done with is deleted afterwards; its records end as any do.

    Parameters
    ----------
    seconds
        How long each kind of call is measured.
    callers
        Calls that are under way at the same time.
    batch
        Records of a batch.
    """
    async with keeper.lifespan():
        account = await _account(keeper, desk)
        try:
            found = await _measured(keeper, desk, account, seconds, callers, batch)
        finally:
            await keeper.orgs.delete(account.org_id, desk.by)
    head = ("what", "a second", "median ms", "p99 ms")
    rows = [
        (
            each.name,
            number(int(each.per_second)),
            f"{each.quantile(0.5):.2f}",
            f"{each.quantile(0.99):.2f}",
        )
        for each in found
    ]
    data = {
        "callers": callers,
        "seconds": seconds,
        "results": [
            {
                "name": each.name,
                "per_second": round(each.per_second, 1),
                "median_ms": round(each.quantile(0.5), 3),
                "p99_ms": round(each.quantile(0.99), 3),
            }
            for each in found
        ],
    }
    return Answer([f"{callers} callers", *columns(head, rows, set(head[1:]))], data)


async def _account(keeper: Keeper, desk: Desk) -> Account:
    from tablewright.systems.pricekeeper.bodies import AppIn, LabelIn, OrgIn, PriceIn
    from tablewright.systems.pricekeeper.rules.uuids import uuid7

    org_id = uuid7(keeper.clock.now())
    await keeper.labels.put(LABEL, LabelIn(bedrock_model_id=_MODEL), desk.by)
    price = PriceIn(
        effective_from=0,  # the same moment every time, so that it is set once
        input_price_usd_micros_per_1m=1_000,
        output_price_usd_micros_per_1m=5_000,
    )
    await keeper.prices.set(_MODEL, price, desk.by)
    settings = OrgIn(
        org_name=f"bench {keeper.now()}",
        timezone="UTC",
        model_ordering=[LABEL],
        quotas={LABEL: 10**15},
    )
    await keeper.orgs.put(org_id, settings, desk.by)
    await keeper.orgs.apps.put(org_id, APP, AppIn(app_name=APP), desk.by)
    return await keeper.directory.account(org_id, APP)


async def _measured(
    keeper: Keeper, desk: Desk, account: Account, seconds: float, callers: int, batch: int
) -> list[Measured]:
    async def record(count: int) -> None:
        outcomes = await keeper.recorder.record(account, [_usage(keeper) for _ in range(count)])
        for outcome in outcomes:
            if outcome.problem is not None:
                raise outcome.problem

    async def select() -> None:
        await keeper.selector.select(account)

    kinds: list[tuple[Measured, Callable[[], Awaitable[None]]]] = [
        (Measured("records, one by one", 1), lambda: record(1)),
        (Measured(f"records, {batch} at once", batch), lambda: record(batch)),
        (Measured("selections", 1), select),
    ]
    for measured, call in kinds:
        desk.tick(f"measuring {measured.name}")
        await _measure(measured, call, seconds, callers)
    return [measured for measured, _ in kinds]


async def _measure(
    measured: Measured, call: Callable[[], Awaitable[None]], seconds: float, callers: int
) -> None:
    began = time.perf_counter()

    async def caller() -> None:
        while (start := time.perf_counter()) < began + seconds:
            await call()
            measured.times.append(time.perf_counter() - start)
            # What costs nothing would never let the others have a turn.
            await asyncio.sleep(0)

    await asyncio.gather(*(caller() for _ in range(callers)))
    measured.seconds = time.perf_counter() - began


def _usage(keeper: Keeper) -> Usage:
    from tablewright.systems.pricekeeper.rules.usage import Usage
    from tablewright.systems.pricekeeper.rules.uuids import uuid7

    now = keeper.clock.now()
    return Usage(uuid7(now), LABEL, int(now), input_tokens=1200, output_tokens=300)
