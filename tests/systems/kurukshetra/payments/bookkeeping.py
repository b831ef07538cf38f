"""A small event that lives through whatever happens to it, and whose books are looked at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal
from uuid import uuid4

from tests.systems.kurukshetra.checkout.support import check_seats, checkout, leader, ready
from tests.systems.kurukshetra.payments.support import Inbox, Till, impatient, proof
from tests.systems.kurukshetra.sandbox.support import HOOK, all_of
from tests.systems.kurukshetra.support import EVENT, FINANCE, START, caller, event_made, festival_on

from tablewright.client.transports.wire import AsyncTransport, Request, Response
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.refunds import RefundIn
from tablewright.systems.kurukshetra.gateway import GatewayFailed
from tablewright.systems.kurukshetra.refunding import of_own_capture
from tablewright.systems.kurukshetra.rules.local_time import local_day
from tablewright.systems.kurukshetra.sandbox import Misbehaviour, SandboxSettings, sandbox
from tablewright.systems.kurukshetra.sandbox.refusals import Refusal
from tablewright.systems.kurukshetra.service.messages import PAID
from tablewright.testing.backends import Backend, in_process

TEAMS, SEATS = 4, 2
_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"})

#: What people are told; the store is never to blame here.
_TOLD = (402, 404, 409, 422, 503)

Act = Literal[
    "checkout",
    "buy",
    "succeed",
    "fail",
    "late",
    "verify",
    "deliver",
    "wait",
    "sweep",
    "queue",
    "refund",
    "foreign",
    "send",
    "poll",
    "reconcile",
]


class Crash(BaseException):
    """The process ends here."""


@dataclass
class Fuse:
    """Ends the process at its so-many-th write: before it reaches the store, or after."""

    left: int | None = None
    after: bool = False

    def on(self, backend: Backend) -> Backend:
        inner = backend.async_transport
        return replace(backend, async_transport=lambda: _Fused(inner(), self))

    def burns(self) -> bool:
        if self.left is None:
            return False
        self.left -= 1
        return self.left < 0


class _Fused:
    def __init__(self, inner: AsyncTransport, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse

    async def send(self, request: Request) -> Response:
        burns = request.operation in _WRITES and self._fuse.burns()
        if burns and not self._fuse.after:
            raise Crash
        response = await self._inner.send(request)
        if burns:
            raise Crash
        return response

    async def close(self) -> None:
        await self._inner.close()


@dataclass(frozen=True)
class Step:
    """One thing that happens, to one of the teams; perhaps the process ends in the middle."""

    act: Act
    team: int = 0
    #: Minutes, or a part of the money.
    size: int = 1
    #: Writes that still go through, and whether the last one does.
    crash: tuple[int, bool] | None = None


@dataclass
class World:
    at: Till
    clock: ManualClock
    backend: Backend
    fuse: Fuse
    teams: list[m.Team]
    stack: AsyncExitStack
    #: What browsers got of the checkout.
    brought: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    crashes: int = 0

    # --- what happens ----------------------------------------------------------------------------

    async def happen(self, step: Step) -> None:
        self.fuse.left, self.fuse.after = step.crash or (None, False)
        try:
            await self._acted(step)
        except Problem as problem:
            if problem.status not in _TOLD or problem.code == "BUSY":
                raise
        except Refusal:
            pass  # the gateway does not let a payer do that
        except Crash:
            self.crashes += 1
            self.fuse.left = None
            await self._restarted()
        self.fuse.left = None
        await check_seats(self.at.festival)

    async def _acted(self, step: Step) -> None:
        festival, team = self.at.festival, self.teams[step.team]
        match step.act:
            case "checkout":
                await checkout(festival, team)
            case "buy":
                await checkout(festival, team)
                await self._paid("succeed", team, step.size)
            case "succeed" | "fail" | "late":
                await self._paid(step.act, team, step.size)
            case "verify":
                if team.team_id in self.brought:
                    person = leader(festival, team)
                    await festival.payments.verify(person, proof(self.brought[team.team_id]))
            case "deliver":
                await self.at.deliver()
            case "wait":
                self.clock.advance(step.size * 60)
            case "sweep":
                await festival.seats.sweep()
                await festival.seats.offer()
            case "queue":
                await festival.seats.enter(leader(festival, team), team.team_id)
            case "refund":
                await self._refunded(team, step.size)
            case "foreign":
                await self._foreign(team, step.size)
            case "send":
                await self._asked(festival.refunds.send_due())
            case "poll":
                await self._asked(festival.payments.poll())
            case "reconcile":
                await self._asked(self._reconciled())

    async def _paid(self, act: Act, team: m.Team, size: int) -> None:
        payment = await self._payment(team)
        bank = self.at.gateway.bank
        if payment is None or payment.razorpay_order_id is None:
            return
        if act == "succeed":
            self.brought[team.team_id] = bank.succeed(payment.razorpay_order_id)
        elif act == "fail":
            bank.fail(payment.razorpay_order_id)
        else:
            bank.late(payment.razorpay_order_id, after_secs=size * 60.0)

    async def _refunded(self, team: m.Team, size: int) -> None:
        by = await caller(self.at.festival, FINANCE)
        amount = None if size > 30 else size * 1000
        body = RefundIn(amount=amount, reason="as it happens", release=size % 2 == 0)
        await self.at.festival.refunds.refund(by, team.team_id, body, key=uuid4().hex)

    async def _foreign(self, team: m.Team, size: int) -> None:
        payment = await self._payment(team)
        if payment is not None and payment.razorpay_payment_id is not None:
            request = {"amount": size * 1000}
            self.at.gateway.bank.create_refund(payment.razorpay_payment_id, request)

    async def _reconciled(self) -> None:
        today = local_day(self.at.festival.now(), "Asia/Kolkata")
        await self.at.festival.reconciling.run(EVENT, today)

    async def _asked(self, work: Any) -> None:
        """The gateway may be away: a worker comes again."""
        with suppress(GatewayFailed):
            await work

    async def _payment(self, team: m.Team) -> m.Payment | None:
        lines = await self.at.festival.db.run(m.payments_of_team(EVENT, team.team_id))
        if not lines:
            return None
        latest = max(lines, key=lambda each: (each.created_at, each.payment_id))
        return await self.at.festival.db.run(m.payment(EVENT, latest.payment_id))

    async def _restarted(self) -> None:
        """Another process, which remembers nothing."""
        await self.stack.aclose()
        self.at.festival = await self.stack.enter_async_context(
            festival_on(self.fuse.on(self.backend), self.clock, sandbox_url=self.at.gateway.url)
        )
        self.at.inbox.festival = self.at.festival
        impatient(self.at.festival, self.at.gateway)

    # --- in the end ------------------------------------------------------------------------------

    async def settle(self) -> None:
        """All is told, found and sent, over some days in which nothing new happens."""
        self.at.gateway.faults._share = 0.0
        # Reconciliation begins refunds anew that have failed: they have to come to their end, too.
        found: list[Act] = ["deliver", "poll", "sweep", "reconcile", "send", "deliver"]
        for acts in (found, found, ["send", "deliver"], ["send", "deliver", "send"]):
            for act in acts:
                await self.happen(Step(act))
            self.clock.advance(timedelta(hours=7).total_seconds())

    async def check(self) -> None:
        """Seats were looked at all the time; here are money and mails."""
        pages = await self._pages()
        bank = self.at.gateway.bank
        captured = {p: a for kind, p, a in self.at.journal() if kind == "captured"}
        owner = {each.payment.razorpay_payment_id: each for each in pages}
        for gateway_id, amount in captured.items():
            document = bank.payment(gateway_id)
            # Whoever it was for, it had its effect.
            lock = await self.at.festival.db.run(m.payment_lock(gateway_id))
            assert lock is not None
            page = owner.get(gateway_id)
            if page is None:
                self._check_second(pages, gateway_id, amount)
            else:
                assert page.payment.status in ("late", "paid", "partially_refunded", "refunded")
                # Every rupee is still to be paid back, or was.
                assert page.payment.refundable == amount - document["amount_refunded"]
                assert page.payment.refunded == document["amount_refunded"]
        assert all(each in captured for each in owner if each is not None)
        self._check_asked_once(pages)
        await self._check_sums(pages)
        await self._check_mails(pages)

    def _check_second(self, pages: list[m.PaymentPage], gateway_id: str, amount: int) -> None:
        """The money of a second capture is back, or it is tried again every day."""
        tried = [
            refund
            for page in pages
            for refund in page.refunds
            if refund.razorpay_payment_id == gateway_id and not of_own_capture(page.payment, refund)
        ]
        back = sum(each.amount for each in tried if each.status == "processed")
        there = self.at.gateway.bank.payment(gateway_id)["amount_refunded"]
        assert tried
        assert back == there
        assert back in (0, amount)

    def _check_asked_once(self, pages: list[m.PaymentPage]) -> None:
        """What the gateway was asked to pay back is what we know of, each once."""
        asked = [each["receipt"] for each in all_of(self.at.gateway.bank, "refunds")]
        receipts = [each for each in asked if each is not None]
        ours = {refund.refund_id for page in pages for refund in page.refunds}
        assert len(receipts) == len(set(receipts))
        assert set(receipts) <= ours

    async def _check_sums(self, pages: list[m.PaymentPage]) -> None:
        revenue = [each.payment for each in pages if each.payment.paid_at is not None]
        sums = await self.at.sums()
        assert sums.get("paid", 0) == len(revenue)
        assert sums.get("revenue", 0) == sum(each.amount for each in revenue)
        gone = sum(each.amount - each.refundable for each in revenue)
        assert sums.get("refunded", 0) == gone

    async def _check_mails(self, pages: list[m.PaymentPage]) -> None:
        """Each team that was ever paid has been told so once."""
        paid = {each.payment.team_id for each in pages if each.payment.paid_at is not None}
        mails = await self.at.mails()
        told = {team: count for (kind, team), count in mails.items() if kind == PAID}
        assert told == dict.fromkeys(paid, 1)

    async def _pages(self) -> list[m.PaymentPage]:
        db, found = self.at.festival.db, []
        async for each in db.iterate(m.every_payment()):
            page = await db.run(m.payment_page(EVENT, each.payment_id))
            assert page is not None
            assert all(refund.status in ("processed", "failed") for refund in page.refunds)
            found.append(page)
        return found


@asynccontextmanager
async def world(seed: int, misbehaviour: Misbehaviour) -> AsyncIterator[World]:
    """Two seats for four teams, and a gateway that behaves as badly as it is told to."""
    clock, fuse = ManualClock(START), Fuse()
    inbox = Inbox(asyncio.get_running_loop())
    settings = SandboxSettings(
        webhook_url=HOOK, seed=seed, misbehaviour=misbehaviour, refund_secs=60.0
    )
    with (
        Engine.memory(clock=clock) as engine,
        in_process(engine) as backend,
        sandbox(settings, clock=clock, deliver=False, post=inbox) as gateway,
    ):
        async with AsyncExitStack() as stack:
            festival = await stack.enter_async_context(
                festival_on(fuse.on(backend), clock, sandbox_url=gateway.url)
            )
            inbox.festival = festival
            impatient(festival, gateway)
            await event_made(festival, max_teams=SEATS)
            teams = await ready(festival, TEAMS)
            for team in teams:
                await festival.db.run(put(_member(team)))
            yield World(Till(festival, gateway, inbox), clock, backend, fuse, teams, stack)


def _member(team: m.Team) -> m.Participant:
    """Who leads it, so that they can bring a proof."""
    return m.Participant.model_validate(
        {
            "event_id": team.event_id,
            "participant_id": team.leader_participant_id,
            "team_id": team.team_id,
            "college": "Example University",
            "year": "3",
            "student_status": True,
            "registration_type": "team_member",
            "firebase_uid": "0" * 32,
            "created_at": team.created_at,
            "updated_at": team.updated_at,
        }
    )
