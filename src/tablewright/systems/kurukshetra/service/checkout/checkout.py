"""From a team to an order that can be paid."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.service.checkout.holding import Holding
from tablewright.systems.kurukshetra.service.checkout.ordering import Ordering
from tablewright.systems.kurukshetra.teams import Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival


@dataclass(frozen=True)
class Started:
    """A checkout: what is to pay, where, and until when. ``paid`` if nothing is left to do."""

    team: Team
    payment: Payment
    #: The gateway's; None if nothing is to pay there.
    order_id: str | None
    amount: int
    currency: str
    #: What a browser shows to the gateway.
    key_id: str | None
    #: Until when the seat is held.
    expires_at: datetime | None
    paid: bool


class Checkout:
    """Checkouts of teams."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._holding = Holding(festival)
        self._ordering = Ordering(festival)

    async def start(self, by: Caller, team_id: str, body: CheckoutIn) -> Started:
        """Hold a seat [T3], then make the order to pay for it [T3b]; or go on where it stands.

        Two tabs share a checkout. While the gateway is away the seat stays held, and a repeat goes
        on from there.
        """
        team = (await self._festival.teams.owned(by, team_id, lead=True)).team
        held = await self._holding.held(by, team, body.voucher)
        if held.team.payment_status == "paid":
            return _started(held.team, held.payment, None)
        ordered = await self._ordering.ordered(held.payment)
        return _started(held.team, ordered, self._festival.gateway.key_id)


def _started(team: Team, payment: Payment, key_id: str | None) -> Started:
    paid = team.payment_status == "paid"
    return Started(
        team=team,
        payment=payment,
        order_id=None if paid else payment.razorpay_order_id,
        amount=payment.amount,
        currency=payment.currency,
        key_id=key_id,
        expires_at=team.hold_expires_at,
        paid=paid,
    )
