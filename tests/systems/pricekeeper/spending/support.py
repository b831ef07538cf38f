"""Keepers on one database, each as a process of its own would be, and spending money with them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from tests.systems.pricekeeper.access.support import QUICK

from tablewright.client import RequestEvent
from tablewright.clock import Clock
from tablewright.model import Entity, put
from tablewright.service.kit import kit_model
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.service.workers import Held
from tablewright.systems.pricekeeper.config import App, Label, Org, OrgIndex
from tablewright.systems.pricekeeper.reads import total_of_period
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.calendar import periods_of
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.recording import Outcome
from tablewright.systems.pricekeeper.service.selection import Selection
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, scope_of, slot_of
from tablewright.systems.pricekeeper.spend import Total
from tablewright.systems.pricekeeper.system import system
from tablewright.systems.pricekeeper.workers.aggregator import Aggregator
from tablewright.testing.backends import Backend

ORG = "550e8400-e29b-41d4-a716-446655440000"
#: Friday, seven in the morning in New York.
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
START = NOW.timestamp()
TODAY = "20261120"
USD = 1_000_000


@asynccontextmanager
async def keeping(
    backend: Backend, clock: Clock, count: int = 1, *, quick: bool = False
) -> AsyncIterator[list[Keeper]]:
    """The use cases of several processes, which share nothing but the database."""
    async with AsyncExitStack() as stack:
        found: list[Keeper] = []
        for _ in range(count):
            transport = backend.async_transport()
            stack.push_async_callback(transport.close)
            names = backend.physical if backend.prefix else None
            runtime = runtime_of(
                system, transport, Settings(), clock=clock, environ={}, names=names
            )
            await runtime.db.create_tables(system.model, kit_model)
            if quick:
                runtime.db.context = replace(runtime.db.context, retries=QUICK)
            keeper = Keeper(runtime)
            await stack.enter_async_context(keeper.lifespan())
            found.append(keeper)
        yield found


def org_of(**settings: Any) -> Org:
    """In New York, with a limit of 10 dollars a day for the best of three labels."""
    given = {
        "org_id": ORG,
        "org_name": "Sample",
        "timezone": "America/New_York",
        "model_ordering": ["premium", "standard", "economy"],
        "quotas": {"premium": 10 * USD, "standard": 5 * USD, "economy": 2 * USD},
        "created_at_epoch": NOW,
        "updated_at_epoch": NOW,
    }
    return Org(**{**given, **settings})


def app_of(app_id: str = "web", **settings: Any) -> App:
    given = {"app_name": app_id, "created_at_epoch": NOW, "updated_at_epoch": NOW}
    return App(org_id=ORG, app_id=app_id, **{**given, **settings})


def label_of(name: str) -> Label:
    """A label without a price: records say themselves what they cost."""
    return Label(label=name, bedrock_model_id=f"test.{name}", tier="test", family="test")


async def set_up(keeper: Keeper, *entities: Entity, **settings: Any) -> Org:
    """An organisation, its apps (one called web, if none is given), and three labels."""
    org = org_of(**settings)
    listed = OrgIndex(org_id=org.org_id, org_name=org.org_name, status=org.status)
    labels = map(label_of, ("premium", "standard", "economy"))
    for entity in (org, listed, *labels, *(entities or (app_of(),))):
        await keeper.db.run(put(entity))
    return org


async def change(keeper: Keeper, **settings: Any) -> None:
    """An administrator edits the organisation; only this process knows at once."""
    keeper.directory.forget(ORG)
    org = await keeper.directory.org(ORG)
    assert org is not None
    await keeper.db.run(put(org.model_copy(update=settings)))
    keeper.directory.forget(ORG)


async def account_of(keeper: Keeper, app_id: str = "web") -> Account:
    return await keeper.directory.account(ORG, app_id)


def used(label: str, micros: int, at: float) -> Usage:
    """A call that cost so many micro-USD."""
    return Usage(str(uuid4()), label, int(at), input_tokens=100, cost_usd_micros=micros)


async def spend(
    keeper: Keeper,
    label: str,
    *micros: int,
    app_id: str = "web",
    at: float | None = None,
) -> Sequence[Outcome]:
    """Record calls."""
    when = keeper.clock.now() if at is None else at
    usages = [used(label, each, when) for each in micros]
    outcomes = await keeper.recorder.record(await account_of(keeper, app_id), usages)
    assert {outcome.result for outcome in outcomes} == {"recorded"}
    return outcomes


async def select(keeper: Keeper, app_id: str = "web", *, force: bool = False) -> Selection:
    return await keeper.selector.select(await account_of(keeper, app_id), force)


async def aggregate(keeper: Keeper, fence: int = 1, aggregator: Aggregator | None = None) -> None:
    """One run of the aggregator over the organisation."""
    partition = f"{slot_of(ORG):02d}"
    held = Held("aggregator", partition, "test", fence, float("inf"))
    await (aggregator or Aggregator(keeper)).run(held)


async def stored(
    keeper: Keeper,
    label: str = ALL,
    app_id: str | None = None,
    window: str = "DAY",
    day: str = TODAY,
) -> Total | None:
    """A total as it is in the store."""
    key = TotalKey(scope_of(ORG, app_id), label, periods_of(day).of(window))
    return await keeper.db.run(total_of_period(*key))


class Meter:
    """What a keeper's requests use while it is attached."""

    def __init__(self, keeper: Keeper) -> None:
        self.events: list[RequestEvent] = []
        context = keeper.db.context
        keeper.db.context = replace(context, hook=self.events.append)

    def patterns(self) -> list[str]:
        return [event.pattern for event in self.events]

    @property
    def units(self) -> tuple[float, float]:
        """Read and write units."""
        return (
            sum(event.read_units for event in self.events),
            sum(event.write_units for event in self.events),
        )
