"""What the gateway says about a refund: on its way, back at the payer, or failed.

The webhook and the sender both come here. A refund that has come to its end stays there.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from tablewright.model import Op, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import busy, refused, refused_at, settled
from tablewright.systems.kurukshetra import gateway, paying, refunding
from tablewright.systems.kurukshetra.payments import Finding, GatewayEvent, Payment, Refund
from tablewright.systems.kurukshetra.reads import PaymentPage
from tablewright.systems.kurukshetra.rules.derived_ids import uuid_of
from tablewright.systems.kurukshetra.rules.refunds import ends_whole
from tablewright.systems.kurukshetra.service.paid_pages import page_of, refund_in

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

OPEN: Final = ("requested", "pending")
_TRIES: Final = 8


class Ending:
    """Writes down what becomes of refunds."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def became(
        self,
        page: PaymentPage,
        refund: Refund,
        told: gateway.Refund,
        notice: GatewayEvent | None = None,
    ) -> str:
        """``refund_pending``, ``refund_processed``, ``refund_failed``; ``logged`` if it is no news.

        One transaction, on condition that the refund is open: of the refund alone; or, at its end,
        with the payment.
        """
        for _ in range(_TRIES):
            if refund.status not in OPEN or (told.status, refund.status) == ("pending", "pending"):
                return "logged"
            try:
                await self._write(await self._op(page, refund, told), told, notice)
            except (TransactionCancelled, ConditionFailed) as error:
                if not refused(error):
                    raise
                if isinstance(error, TransactionCancelled) and refused_at(error, GatewayEvent):
                    notice = None
                page, refund = await self._again(page, refund)
                continue
            if told.status == "failed":
                await self._report(page.payment, refund)
            return f"refund_{told.status}"
        raise busy("BUSY")

    async def fail(self, page: PaymentPage, refund: Refund) -> None:
        """The gateway refuses: what was to go back can be asked for again."""
        config = await self._festival.events.config(refund.event_id)

        def made() -> Op[object]:
            now = self._festival.events.moment(config)
            return refunding.fail_refund(page.payment, refund, now)

        try:
            await settled(self._festival.db, made, code="BUSY")
        except TransactionCancelled as error:
            if not refused(error):
                raise
            return
        await self._report(page.payment, refund)

    # --- inside ----------------------------------------------------------------------------------

    async def _op(self, page: PaymentPage, refund: Refund, told: gateway.Refund) -> Op[object]:
        payment, now = page.payment, self._festival.now()
        if told.status == "pending":
            return refunding.send_refund(refund, told.id, now)
        if told.status == "failed":
            config = await self._festival.events.config(refund.event_id)
            return refunding.fail_refund(payment, refund, self._festival.events.moment(config))
        ended = refund.model_copy(update={"razorpay_refund_id": told.id})
        whole = ends_whole(payment, page.refunds, refund)
        return refunding.settle_refund(payment, ended, whole, now)

    async def _write(
        self, op: Op[object], told: gateway.Refund, notice: GatewayEvent | None
    ) -> None:
        if notice is not None:
            result = f"refund_{told.status}"
            op = together(op, paying.note_delivery(notice.model_copy(update={"result": result})))
        await settled(self._festival.db, lambda: op, code="BUSY")

    async def _again(self, page: PaymentPage, refund: Refund) -> tuple[PaymentPage, Refund]:
        latest = await page_of(self._festival, refund.event_id, refund.payment_id)
        found = refund_in(latest, refund.refund_id)
        if latest is None or found is None:
            raise busy("BUSY")
        return latest, found

    async def _report(self, payment: Payment, refund: Refund) -> None:
        """Somebody has to see to it."""
        config = await self._festival.events.config(payment.event_id)
        now = self._festival.events.moment(config)
        log.warning("refund %s of payment %s has failed", refund.refund_id, refund.payment_id)
        finding = Finding(
            event_id=payment.event_id,
            day=now.day,
            finding_id=uuid_of("failed", refund.refund_id),
            kind="refund_mismatch",
            payment_id=payment.payment_id,
            razorpay_payment_id=refund.razorpay_payment_id or payment.razorpay_payment_id,
            expected=refund.amount,
            found=0,
            outcome="the gateway could not pay it back; it can be asked for again",
            created_at=now.at,
        )
        await self._festival.db.run(paying.note_finding(finding))
