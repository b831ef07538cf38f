"""A till: use cases with a sandbox as their gateway, whose deliveries come when a test says so."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.systems.kurukshetra.checkout.support import checkout, leader, ready
from tests.systems.kurukshetra.sandbox.support import HOOK
from tests.systems.kurukshetra.support import EVENT, event_made, festival_on

from tablewright.clock import Clock
from tablewright.service.kit.entities import OUTBOX_SLOTS, OutboxEntry
from tablewright.service.kit.patterns import messages_in
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.payments import VerifyIn
from tablewright.systems.kurukshetra.gateway import Razorpay
from tablewright.systems.kurukshetra.sandbox import (
    Misbehaviour,
    Running,
    SandboxSettings,
    sandbox,
)
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend

#: Body and headers.
Delivery = tuple[bytes, Mapping[str, str]]


@dataclass
class Inbox:
    """Where the sandbox delivers to: the use case, in its own loop; and all that came."""

    loop: asyncio.AbstractEventLoop
    festival: Festival | None = None
    came: list[Delivery] = field(default_factory=list)
    answers: Counter[int | str] = field(default_factory=Counter)

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> int | None:
        self.came.append((body, headers))
        assert self.festival is not None
        taken = asyncio.run_coroutine_threadsafe(self.taken(body, headers), self.loop)
        return taken.result(30)

    async def taken(self, body: bytes, headers: Mapping[str, str]) -> int:
        assert self.festival is not None
        try:
            answer = await self.festival.payments.webhook(body, headers)
        except Problem as problem:
            self.answers[problem.status] += 1
            return problem.status
        self.answers[answer.result] += 1
        return 200


@dataclass
class Till:
    festival: Festival
    gateway: Running
    inbox: Inbox

    async def deliver(self) -> int:
        """What the sandbox has to tell by now."""
        return await asyncio.to_thread(self.gateway.deliver)

    async def team(self, **said: object) -> m.Team:
        """One that only lacks a seat."""
        return (await ready(self.festival, 1, **said))[0]

    async def ordered(self, team: m.Team, voucher: str | None = None) -> str:
        """The order of a team that checks out."""
        started = await checkout(self.festival, team, voucher)
        assert started.order_id is not None
        return started.order_id

    async def paid(self, team: m.Team | None = None) -> m.Team:
        """A team that has paid, and is known to have."""
        made = await self.team() if team is None else team
        self.gateway.bank.succeed(await self.ordered(made))
        await self.deliver()
        return await self.stored(made)

    async def stored(self, team: m.Team) -> m.Team:
        return await self.festival.db.require(m.team(team.event_id, team.team_id))

    async def payment(self, team: m.Team) -> m.PaymentPage:
        """The team's latest, with its refunds."""
        lines = await self.festival.db.run(m.payments_of_team(team.event_id, team.team_id))
        latest = max(lines, key=lambda each: each.created_at)
        page = await self.festival.db.run(m.payment_page(team.event_id, latest.payment_id))
        assert page is not None
        return page

    async def mails(self) -> Counter[tuple[str, str]]:
        """Kind and team of all that waits to be told."""
        found: list[OutboxEntry] = []
        for slot in range(OUTBOX_SLOTS):
            op = messages_in(f"PENDING#{slot:02d}")
            found += [each async for each in self.festival.db.iterate(op)]
        return Counter((each.kind, str(each.body.get("team_id", ""))) for each in found)

    async def sums(self) -> dict[str, int]:
        """The statistics of all days."""
        found: Counter[str] = Counter()
        day = self.festival.now().date()
        op = m.statistics(EVENT, day.replace(year=day.year - 1), day.replace(year=day.year + 1))
        async for each in self.festival.db.iterate(op):
            named = each.model_dump(exclude={"event_id", "day", "shard", "created_at"})
            found.update({name: value for name, value in named.items() if value})
        return dict(found)

    def journal(self) -> list[tuple[str, str, int]]:
        """Kind, payment and amount of all money that moved at the gateway."""
        rows = self.gateway.bank.store.rows("SELECT kind, payment_id, amount FROM journal")
        return [(each["kind"], each["payment_id"], each["amount"]) for each in rows]


async def at_once(_: float) -> None:
    """Instead of pauses between tries."""


@asynccontextmanager
async def till(
    backend: Backend,
    clock: Clock,
    misbehaviour: Misbehaviour | None = None,
    *,
    seed: int = 1,
    refund_secs: float = 0.0,
    event: Mapping[str, Any] | None = None,
    **options: Any,
) -> AsyncIterator[Till]:
    """With an event that has ten seats, unless it is said otherwise."""
    inbox = Inbox(asyncio.get_running_loop())
    settings = SandboxSettings(
        webhook_url=HOOK,
        seed=seed,
        misbehaviour=misbehaviour or Misbehaviour(),
        refund_secs=refund_secs,
    )
    with sandbox(settings, clock=clock, deliver=False, post=inbox) as gateway:
        async with festival_on(backend, clock, sandbox_url=gateway.url, **options) as festival:
            inbox.festival = festival
            impatient(festival, gateway)
            await event_made(festival, **{"max_teams": 10, **(event or {})})
            yield Till(festival, gateway, inbox)


def impatient(festival: Festival, gateway: Running) -> None:
    """Its client tries again at once."""
    festival.gateway._client = Razorpay(
        gateway.credentials, base_url=gateway.url, clock=festival.runtime.clock, sleep=at_once
    )


def proof(told: Mapping[str, Any]) -> VerifyIn:
    """What a browser sends after a checkout."""
    return VerifyIn.model_validate(dict(told))


__all__ = ["Till", "checkout", "impatient", "leader", "proof", "ready", "till"]
