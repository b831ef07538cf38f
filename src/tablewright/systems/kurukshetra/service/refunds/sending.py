"""Asking the gateway, until a refund has come to its end."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from tablewright.model.errors import NotFound, TablewrightError, TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.in_turn import in_turn
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import gateway, lists, refunding
from tablewright.systems.kurukshetra.gateway import GatewayFailed, KeyRefused, Refused
from tablewright.systems.kurukshetra.payments import OrderLink, Refund, RefundDue
from tablewright.systems.kurukshetra.reads import PaymentPage
from tablewright.systems.kurukshetra.rules.refunds import pause
from tablewright.systems.kurukshetra.service.paid_pages import page_of, refund_in
from tablewright.systems.kurukshetra.service.refunds.adopting import Adopting
from tablewright.systems.kurukshetra.service.refunds.ending import OPEN, Ending

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

#: In one round; the rest is still due in the next.
_AT_ONCE: Final = 100
#: Somebody waits for the answer: after that the worker does it.
_PATIENCE_SECS: Final = 8.0


class Sending:
    """Asks the gateway to pay back, under the refund's id: once, however often it is asked."""

    def __init__(self, festival: Festival, ending: Ending, adopting: Adopting) -> None:
        self._festival = festival
        self._ending = ending
        self._adopting = adopting

    async def send_due(self) -> int:
        """Ask about all refunds whose time has come; how many there were."""
        due = lists.due_refunds(self._festival.now())
        page = await self._festival.db.run(due, limit=_AT_ONCE)
        await in_turn(page, self._one, lambda each: f"refund {each.refund_id}")
        return len(page)

    async def try_now(self, refund: Refund) -> None:
        """Ask at once; what does not come of it now comes of it with the worker."""
        due = RefundDue(
            due_at=refund.created_at,
            refund_id=refund.refund_id,
            event_id=refund.event_id,
            payment_id=refund.payment_id,
            created_at=refund.created_at,
        )
        try:
            async with asyncio.timeout(_PATIENCE_SECS):
                await self._one(due)
        except (TimeoutError, TablewrightError, Problem) as error:
            log.warning("refund %s is sent later: %s", refund.refund_id, error)

    # --- one -------------------------------------------------------------------------------------

    async def _one(self, due: RefundDue) -> None:
        page = await page_of(self._festival, due.event_id, due.payment_id)
        refund = refund_in(page, due.refund_id)
        if page is None or refund is None or refund.status not in OPEN:
            await self._festival.db.run(refunding.drop_refund_due(due))
            return
        try:
            told = await self._asked(page, refund)
        except GatewayFailed as error:
            await self._unanswered(due, page, refund, error)
            return
        await self._ending.became(page, refund, told)
        if told.status != "pending":
            await self._festival.db.run(refunding.drop_refund_due(due))
        else:
            await self._later(due, sent=True)

    async def _asked(self, page: PaymentPage, refund: Refund) -> gateway.Refund:
        client = self._festival.gateway.client
        if refund.razorpay_refund_id is not None:
            return await client.refund(refund.razorpay_refund_id)
        captured = refund.razorpay_payment_id or page.payment.razorpay_payment_id or ""
        try:
            return await client.create_refund(captured, refund.amount, key=refund.refund_id)
        except KeyRefused:
            raise
        except Refused:
            # Before that is believed: perhaps it was made, and only its key is forgotten.
            made = await client.refunds_of_payment(captured)
            for each in made:
                if each.receipt == refund.refund_id:
                    return each
            raise

    async def _unanswered(
        self, due: RefundDue, page: PaymentPage, refund: Refund, error: GatewayFailed
    ) -> None:
        final = isinstance(error, Refused) and not isinstance(error, KeyRefused)
        if not final:
            log.warning("refund %s has to wait: %s", refund.refund_id, error)
            await self._later(due, sent=refund.status == "pending")
            return
        log.error("the gateway refuses refund %s: %s", refund.refund_id, error)
        await self._ending.fail(page, refund)
        await self._festival.db.run(refunding.drop_refund_due(due))
        # Mostly because somebody has paid it back over there.
        await self._look(page, refund)

    async def _look(self, page: PaymentPage, refund: Refund) -> None:
        payment = page.payment
        captured = refund.razorpay_payment_id or payment.razorpay_payment_id
        if captured is None or payment.razorpay_order_id is None:
            return
        link = OrderLink(
            order_id=payment.razorpay_order_id,
            event_id=payment.event_id,
            team_id=payment.team_id,
            payment_id=payment.payment_id,
            created_at=payment.created_at,
        )
        try:
            await self._adopting.adopt_all(link, captured)
        except GatewayFailed as error:
            log.warning("reconciliation has to look at payment %s: %s", payment.payment_id, error)

    async def _later(self, due: RefundDue, *, sent: bool) -> None:
        """Put off; if somebody else has done so, that is as good."""
        at = self._festival.now() + pause(due.tries, sent=sent)
        op = refunding.postpone_refund(due, at, due.tries + 1)
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except (TransactionCancelled, NotFound) as error:
            if not refused(error):
                raise
