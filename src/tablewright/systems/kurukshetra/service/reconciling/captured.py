"""What the gateway captured: does everything have its effect here?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.systems.kurukshetra import gateway, reads, refunding
from tablewright.systems.kurukshetra.payments import FindingKind, OrderLink, Refund
from tablewright.systems.kurukshetra.reads import PaymentPage
from tablewright.systems.kurukshetra.rules.derived_ids import uuid_of
from tablewright.systems.kurukshetra.service.paid_pages import page_of_capture
from tablewright.systems.kurukshetra.service.payments.captures import Result
from tablewright.systems.kurukshetra.service.reconciling.found import Found, of_amounts
from tablewright.systems.kurukshetra.service.refunds.adopting import ours

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_APPLIED: Final[dict[Result, tuple[FindingKind, str]]] = {
    "paid": ("missing_capture", "applied: the team is paid"),
    "late": ("missing_capture", "applied: too late, it goes back"),
    "double": ("double_capture", "it goes back"),
}


class CapturedThere:
    """Compares one payment of the gateway with what is stored."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def compare(self, event_id: str, told: gateway.Payment) -> list[Found]:
        """What differed, and what was done; nothing if it is another event's."""
        if told.order_id is None:
            return []
        link = await self._festival.db.run(reads.order_link(told.order_id))
        if link is None:
            return await self._unknown(event_id, told)
        if link.event_id != event_id:
            return []
        found = await self._effect(link, told)
        page = await page_of_capture(self._festival, link, told.id)
        found += of_amounts(page.payment, told)
        found += await self._second(page, told)
        found += await self._refunds(link, page, told)
        return found

    async def _unknown(self, event_id: str, told: gateway.Payment) -> list[Found]:
        """Of an order that is none of ours; the order says which event it was made for."""
        order = await self._festival.gateway.client.order(told.order_id or "")
        if order.notes.get("event", event_id) != event_id:
            return []
        outcome = "no payment here has this order; see to it at the gateway"
        return [Found("unknown_order", told.id, None, None, told.amount, outcome)]

    async def _effect(self, link: OrderLink, told: gateway.Payment) -> list[Found]:
        lock = await self._festival.db.run(reads.payment_lock(told.id))
        if lock is not None:
            return []
        applied = await self._festival.payments.apply_told(told)
        if applied is None or applied.result not in _APPLIED:
            return []
        kind, outcome = _APPLIED[applied.result]
        payment = await self._festival.db.require(reads.payment(link.event_id, link.payment_id))
        if kind == "missing_capture" and payment.amount != told.amount:
            kind, outcome = "amount_mismatch", "it goes back"
        return [Found(kind, told.id, payment.payment_id, payment.amount, told.amount, outcome)]

    # --- second captures -------------------------------------------------------------------------

    async def _second(self, page: PaymentPage, told: gateway.Payment) -> list[Found]:
        """One whose refund has failed is paid back once more."""
        payment = page.payment
        tried = [each for each in page.refunds if each.razorpay_payment_id == told.id]
        failed = [each for each in tried if each.status == "failed"]
        if payment.razorpay_payment_id == told.id or len(failed) != len(tried) or not failed:
            return []
        await self._again(max(failed, key=lambda each: each.created_at), len(tried))
        outcome = "the refund had failed; it goes back once more"
        return [Found("double_capture", told.id, payment.payment_id, 0, told.amount, outcome)]

    async def _again(self, failed: Refund, number: int) -> None:
        """On condition that the refund before has failed, and that this one is new."""
        now = self._festival.now()
        fresh = {
            "refund_id": uuid_of("again", failed.razorpay_payment_id or "", str(number)),
            "status": "requested",
            "razorpay_refund_id": None,
            "created_at": now,
            "updated_at": now,
            "version": 0,
        }
        op = refunding.refund_again(failed, failed.model_copy(update=fresh))
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as error:
            if not refused(error):
                raise

    # --- refunds ---------------------------------------------------------------------------------

    async def _refunds(
        self, link: OrderLink, page: PaymentPage, told: gateway.Payment
    ) -> list[Found]:
        here = sum(each.amount for each in _sent(page, told.id))
        if here == told.amount_refunded:
            return []
        there = await self._festival.gateway.client.refunds_of_payment(told.id)
        adopted = set(await self._festival.refunds.adopt_all(link, told.id))
        y = page.payment.payment_id
        found = [
            Found("refund_mismatch", told.id, y, 0, each.amount, _outcome(each, adopted))
            for each in there
            if each.status != "failed" and ours(page, each) is None
        ]
        known = {each.id for each in there if each.status != "failed"}
        found += [
            Found("refund_mismatch", told.id, y, each.amount, 0, "the gateway has no such refund")
            for each in _sent(page, told.id)
            if each.razorpay_refund_id not in known
        ]
        return found


def _outcome(told: gateway.Refund, adopted: set[str]) -> str:
    return "adopted" if told.id in adopted else "not adopted: no such amount is left here"


def _sent(page: PaymentPage, razorpay_payment_id: str) -> Iterator[Refund]:
    """What the gateway must know of, too."""
    for each in page.refunds:
        captured = each.razorpay_payment_id or page.payment.razorpay_payment_id
        if captured == razorpay_payment_id and each.status in ("pending", "processed"):
            yield each
