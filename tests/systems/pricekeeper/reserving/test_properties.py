"""Whatever happens in whatever order: a gate is the day's spend and the open reservations."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.systems.pricekeeper.reserving.support import (
    CENT,
    OTHER,
    PICOS,
    START,
    account_of,
    gate,
    open_reservations,
    org_with,
    record,
    reserving,
    rows,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.rules import gates
from tablewright.systems.pricekeeper.rules.gates import GateKey
from tablewright.systems.pricekeeper.samples import WEB
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.shapes import ALL
from tablewright.testing import injected
from tablewright.testing.backends import in_process

APPS = (WEB, OTHER)
LABELS = ("premium", "standard")

apps, labels = st.sampled_from(APPS), st.sampled_from(LABELS)
costs = st.integers(0, 30 * CENT)
#: Which of the reservations so far.
which = st.integers(0, 40)
steps = st.one_of(
    st.tuples(st.just("reserve"), apps, labels, costs, st.integers(1, 900)),
    st.tuples(st.just("record"), apps, labels, costs, st.none() | which),
    st.tuples(st.just("late"), apps, labels, costs, which),
    st.tuples(st.just("release"), which),
    st.tuples(st.just("wait"), st.integers(1, 400)),
    st.tuples(st.just("night"), st.just(0)),
    st.tuples(st.just("sweep"), st.just(0)),
    st.tuples(st.just("conflict"), st.integers(1, 2)),
    st.tuples(st.just("lost"), st.integers(1, 2)),
)


@dataclass
class World:
    keeper: Keeper
    clock: ManualClock
    engine: Engine
    #: Those that were handed out, with the app that has them.
    handed_out: list[tuple[str, str]] = field(default_factory=list)
    days: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)

    async def take(self, name: str, *args: object) -> None:
        with injected(self.engine, *self.faults):
            self.faults = []
            try:
                await getattr(self, name)(*args)
            except Problem as problem:
                if problem.status not in (404, 409):
                    raise
        account = await account_of(self.keeper)
        self.days.add(account.calendar.day(self.clock.now()))

    async def reserve(self, app_id: str, label: str, cost: int, ttl: int) -> None:
        account = await account_of(self.keeper, app_id)
        made = await self.keeper.reservations.reserve(account, label, cost, ttl)
        self.handed_out.append((app_id, made.reservation_id))

    async def record(self, app_id: str, label: str, cost: int, which: int | None) -> None:
        given = None if which is None else self.pick(which)
        if given is not None:
            app_id = given[0]
        reservation_id = given and given[1]
        await record(self.keeper, cost, app_id=app_id, label=label, reservation_id=reservation_id)

    async def late(self, app_id: str, label: str, cost: int, which: int) -> None:
        """A record of yesterday, with a promise of today if there is one."""
        at = self.keeper.now() - 86_400
        given = self.pick(which)
        await record(
            self.keeper,
            cost,
            app_id=given[0] if given else app_id,
            label=label,
            reservation_id=given and given[1],
            at=at,
        )
        self.days.add((await account_of(self.keeper)).calendar.day(at))

    async def release(self, which: int) -> None:
        given = self.pick(which)
        if given is not None:
            account = await account_of(self.keeper, given[0])
            await self.keeper.reservations.release(account, given[1])

    async def wait(self, secs: int) -> None:
        self.clock.advance(secs)

    async def night(self, _: int) -> None:
        """On to a little before midnight, or over it; the sweeper was at work all day."""
        account = await account_of(self.keeper)
        now = self.clock.now()
        self.clock.set(account.calendar.end(account.calendar.day(now)) + (-60 if now % 2 else 30))
        await self.sweep(0)

    async def sweep(self, _: int) -> None:
        for slot in range(16):
            await self.keeper.reservations.sweep(slot)

    async def conflict(self, times: int) -> None:
        """The next transactions meet others."""
        self.faults.append(
            Fault(
                "TransactWriteItems",
                error="TransactionCanceledException",
                reason="TransactionConflict",
                times=times,
            )
        )

    async def lost(self, times: int) -> None:
        """The answers of the next transactions are lost."""
        self.faults.append(
            Fault("TransactWriteItems", error="InternalServerError", after=True, times=times)
        )

    def pick(self, which: int) -> tuple[str, str] | None:
        return self.handed_out[which % len(self.handed_out)] if self.handed_out else None

    async def check(self) -> None:
        """Every gate is what the ledger and the open reservations say, to the pico."""
        expected: Counter[GateKey] = Counter()
        for row in await rows(self.keeper):
            account = await account_of(self.keeper, row.app_id)
            for limit in gates.gated(account, row.label):
                expected[GateKey(limit.scope, row.day, limit.label)] += row.cost_usd_picos
        for reservation in await open_reservations(self.keeper):
            for key in gates.through(reservation):
                expected[key] += reservation.reserved_picos
        now = self.clock.now()
        for key in await self.all_gates():
            if not gates.lasts(key.day, now):
                del expected[key]
                continue
            found = await self.keeper.db.run(gate(key.scope, key.day, key.label))
            assert (found.granted_picos if found else 0) == expected.pop(key, 0), key
        assert not +expected

    async def all_gates(self) -> list[GateKey]:
        accounts = [await account_of(self.keeper, app_id) for app_id in APPS]
        scopes = {scope for account in accounts for scope in account.levels}
        return [
            GateKey(scope, day, label)
            for scope in scopes
            for day in self.days
            for label in (*LABELS, ALL)
        ]

    async def no_overrun(self) -> None:
        """Promises alone never go over a limit."""
        account = await account_of(self.keeper)
        for limit in gates.gated(account, "premium"):
            for day in self.days:
                found = await self.keeper.db.run(gate(limit.scope, day, limit.label))
                promised = sum(
                    each.reserved_picos
                    for each in await open_reservations(self.keeper)
                    if GateKey(limit.scope, day, limit.label) in set(gates.through(each))
                )
                assert found is None or promised <= (limit.quota_micros or 0) * PICOS


@given(st.lists(steps, min_size=5, max_size=40))
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
)
def test_gates_are_spend_and_open_reservations(steps: list[tuple[str, ...]]) -> None:
    async def scenario() -> None:
        clock = ManualClock(START)
        org = org_with(quota_scope="BOTH")
        quotas = {"premium": 80 * CENT, ALL: 90 * CENT}
        with Engine.memory(clock=clock) as engine, in_process(engine) as backend:
            async with reserving(backend, clock, org, quotas=quotas) as keeper:
                world = World(keeper, clock, engine)
                for name, *args in steps:
                    await world.take(name, *args)
                    await world.no_overrun()
                await world.check()
                # And when everything has ended, spend alone is left.
                clock.advance(901)
                await world.sweep(0)
                assert await open_reservations(keeper) == []
                await world.check()

    asyncio.run(scenario())
