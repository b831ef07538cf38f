"""One act of a team, done if it is not done yet.

A demo that was killed is told again from its beginning. What is stored says how far it had come;
where somebody else has taken a team further meanwhile, it is left alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from tablewright.systems.kurukshetra import gateway, reads
from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.bodies.refunds import RefundIn
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.bodies.teams import TeamIn
from tablewright.systems.kurukshetra.fields import slug_of
from tablewright.systems.kurukshetra.live_demo.cast import FINANCE, principal_of, profile
from tablewright.systems.kurukshetra.live_demo.names import Someone
from tablewright.systems.kurukshetra.live_demo.plans import Kind, Plan
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.teams import TeamView

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: A payment that can still be paid.
_OPEN: Final = ("created", "failed", "authorized", "expired")
_METHODS: Final = ("upi", "upi", "card", "netbanking")


class Acting:
    """A team at an event, at one moment."""

    def __init__(self, festival: Festival, event_id: str, plan: Plan, number: int) -> None:
        self._festival = festival
        self._event_id = event_id
        self._plan = plan
        self._number = number
        self._acts: dict[Kind, Callable[[Caller, TeamView], Awaitable[None]]] = {
            "checkout": self._checkout,
            "expire": self._expire,
            "pay": self._pay,
            "fail": self._fail,
            "wait": self._wait,
            "refund": self._refund,
            "part": self._part,
            "repository": self._repository,
            "invite": self._invite,
        }

    async def do(self, kind: Kind) -> None:
        if kind == "found":
            await self._found()
            return
        leader = await self._caller(self._plan.people[0])
        if leader.team_id is not None:
            view = await self._festival.teams.read(leader, leader.team_id)
            await self._acts[kind](leader, view)

    # --- people ----------------------------------------------------------------------------------

    async def _found(self) -> None:
        """The leader with the team, then its members; who is there already stays as they are."""
        leader, *others = self._plan.people
        by = await self._caller(leader)
        if by.team_id is None:
            body = TeamIn(name=self._plan.name, track=self._plan.track)
            await self._festival.teams.register_team(by, self._form(leader, 0), body)
            by = await self._caller(leader)
        assert by.team_id is not None
        code = (await self._festival.teams.read(by, by.team_id)).invite_code
        for place, each in enumerate(others, 1):
            member = await self._caller(each)
            if member.team_id is None and code is not None:
                await self._festival.people.register(member, self._form(each, place))
                await self._festival.teams.join(await self._caller(each), code)

    async def _caller(self, someone: Someone) -> Caller:
        return await self._festival.access.now(principal_of(someone), self._event_id)

    def _form(self, someone: Someone, place: int) -> RegistrationIn:
        return RegistrationIn.model_validate(profile(someone, self._number * 3 + place))

    async def _repository(self, leader: Caller, view: TeamView) -> None:
        if view.submission is None:
            name = slug_of(self._plan.name)
            url = f"https://github.com/demo-{name}/{self._plan.track}-project"
            await self._festival.teams.repository(leader, view.team.team_id, url)

    async def _invite(self, leader: Caller, view: TeamView) -> None:
        if not view.invited:
            await self._festival.teams.invite(leader, view.team.team_id, self._plan.invites)

    # --- seats -----------------------------------------------------------------------------------

    async def _checkout(self, leader: Caller, view: TeamView) -> None:
        state = view.team.payment_status
        if state == "offered" or (state == "unpaid" and not view.payments):
            body = CheckoutIn(voucher=self._plan.voucher)
            await self._festival.checkout.start(leader, view.team.team_id, body)

    async def _expire(self, leader: Caller, view: TeamView) -> None:
        await self._festival.seats.expire(view.team)

    async def _wait(self, leader: Caller, view: TeamView) -> None:
        if view.team.payment_status == "unpaid":
            await self._festival.seats.enter(leader, view.team.team_id)

    # --- money -----------------------------------------------------------------------------------

    async def _pay(self, leader: Caller, view: TeamView) -> None:
        payment = await self._payment(view)
        if payment is None or payment.status not in _OPEN or payment.razorpay_order_id is None:
            return
        captured = await self._captured(payment.razorpay_order_id)
        if captured is None:
            method = _METHODS[self._number % len(_METHODS)]
            await self._at_gateway("succeed", payment.razorpay_order_id, method)
            captured = await self._captured(payment.razorpay_order_id)
        if captured is not None:
            await self._festival.payments.apply_told(captured)
            # What came too late goes back at once.
            await self._festival.refunds.send_due()

    async def _fail(self, leader: Caller, view: TeamView) -> None:
        payment = await self._payment(view)
        if payment is None or payment.status != "created" or payment.razorpay_order_id is None:
            return
        client = self._festival.gateway.client
        if not await client.payments_of_order(payment.razorpay_order_id):
            await self._at_gateway("fail", payment.razorpay_order_id, "card")

    async def _refund(self, leader: Caller, view: TeamView) -> None:
        if view.team.payment_status == "paid":
            body = RefundIn(reason="The team cannot come after all.", release=True)
            await self._returned(view, body)

    async def _part(self, leader: Caller, view: TeamView) -> None:
        amount = view.team.amount // 4
        await self._returned(view, RefundIn(amount=amount, reason="One member cannot come."))

    async def _returned(self, view: TeamView, body: RefundIn) -> None:
        finance = await self._festival.access.caller(FINANCE, self._event_id)
        await self._festival.refunds.refund(finance, view.team.team_id, body, key="demo")

    async def _payment(self, view: TeamView) -> Payment | None:
        if not view.payments:
            return None
        latest = max(view.payments, key=lambda each: each.created_at)
        return await self._festival.db.run(reads.payment(self._event_id, latest.payment_id))

    async def _captured(self, order_id: str) -> gateway.Payment | None:
        told = await self._festival.gateway.client.payments_of_order(order_id)
        return next((each for each in told if each.captured), None)

    async def _at_gateway(self, act: str, order_id: str, method: str) -> None:
        """What a payer does; at our own sandbox without the way through the network."""
        own = self._festival.gateway.sandbox
        if own is not None:
            bank = own.bank
            await asyncio.to_thread(
                bank.succeed if act == "succeed" else bank.fail, order_id, method
            )
        elif act == "succeed":
            await self._festival.gateway.pretend(order_id, "succeed", method=method)
        else:
            await self._festival.gateway.pretend(order_id, "fail", method=method)
