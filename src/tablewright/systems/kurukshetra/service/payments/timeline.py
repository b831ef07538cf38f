"""A payment's life, for who looks after money: what is stored, and what the gateway adds."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.service.problems import not_found
from tablewright.systems.kurukshetra import gateway, reads
from tablewright.systems.kurukshetra.gateway import GatewayFailed
from tablewright.systems.kurukshetra.payments import Payment, Refund
from tablewright.systems.kurukshetra.reads import PaymentPage
from tablewright.systems.kurukshetra.rules.ids import is_uuid
from tablewright.systems.kurukshetra.service.paid_pages import page_of
from tablewright.systems.kurukshetra.teams import Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

What: TypeAlias = Literal[
    "checkout",
    "attempt_failed",
    "attempt",
    "captured",
    "paid",
    "expired",
    "late",
    "refund_requested",
    "refund_pending",
    "refund_processed",
    "refund_failed",
]


@dataclass(frozen=True)
class Happened:
    """One thing that happened to a payment."""

    at: datetime
    what: What
    amount: int
    #: A gateway's id, an error, a refund's reason.
    detail: str = ""


@dataclass(frozen=True)
class PaymentView:
    """A payment with its refunds, its team, and its life, the oldest first."""

    payment: Payment
    refunds: tuple[Refund, ...]
    team: Team | None
    timeline: tuple[Happened, ...]
    #: Whether the gateway could be asked about attempts.
    asked: bool


class Timeline:
    """Tells the lives of payments."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def read(self, by: Caller, payment_id: str) -> PaymentView:
        """One payment of the caller's event, for who looks after money or checks who does."""
        by.require("finance", "auditor")
        if not is_uuid(payment_id):
            raise not_found("payment")
        page = await page_of(self._festival, by.event_id, payment_id)
        if page is None:
            raise not_found("payment")
        team = await self._festival.db.run(reads.team(by.event_id, page.payment.team_id))
        attempts = await self._attempts(page.payment)
        lines = _lines(page, attempts or ())
        return PaymentView(page.payment, page.refunds, team, tuple(lines), attempts is not None)

    async def _attempts(self, payment: Payment) -> tuple[gateway.Payment, ...] | None:
        """What the gateway knows; the page is there without it, too."""
        if payment.razorpay_order_id is None:
            return ()
        try:
            async with self._festival.gateway.while_waited_for():
                client = self._festival.gateway.client
                return await client.payments_of_order(payment.razorpay_order_id)
        except GatewayFailed as error:
            log.warning("no attempts are known of payment %s: %s", payment.payment_id, error)
            return None


def _lines(page: PaymentPage, attempts: tuple[gateway.Payment, ...]) -> list[Happened]:
    """In the order of time; of the same second, in the order in which things follow."""
    payment = page.payment
    begun = Happened(payment.created_at, "checkout", payment.amount, payment.voucher or "")
    found = [begun, *_told(attempts, payment), *_ended(payment), *_of_refunds(page.refunds)]
    return sorted(found, key=lambda each: each.at)


def _ended(payment: Payment) -> list[Happened]:
    if payment.paid_at is not None:
        method = payment.payment_method or ""
        return [Happened(payment.paid_at, "paid", payment.amount, method)]
    if payment.status == "expired" or payment.status == "late":
        return [Happened(payment.updated_at, payment.status, payment.amount)]
    return []


def _of_refunds(refunds: tuple[Refund, ...]) -> list[Happened]:
    found = []
    for each in refunds:
        found.append(Happened(each.created_at, "refund_requested", each.amount, each.reason))
        ends: dict[str, What] = {
            "pending": "refund_pending",
            "processed": "refund_processed",
            "failed": "refund_failed",
        }
        if each.status in ends:
            told = each.razorpay_refund_id or ""
            found.append(Happened(each.updated_at, ends[each.status], each.amount, told))
    return found


def _told(attempts: tuple[gateway.Payment, ...], payment: Payment) -> list[Happened]:
    """Attempts at the gateway; one without a time stands where the checkout begins."""
    return [
        Happened(
            datetime.fromtimestamp(each.created_at, UTC) if each.created_at else payment.created_at,
            _what(each),
            each.amount,
            _why(each),
        )
        for each in attempts
    ]


def _what(attempt: gateway.Payment) -> What:
    if attempt.status == "failed":
        return "attempt_failed"
    return "captured" if attempt.captured else "attempt"


def _why(attempt: gateway.Payment) -> str:
    if attempt.error is None:
        return attempt.id
    return f"{attempt.id}: {attempt.error.reason or attempt.error.code}"
