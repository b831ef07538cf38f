"""Payments: listed by state and day, one with its life, and paying back."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.client import Page
from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages, Tone
from tablewright.service.paths import with_query
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.kurukshetra.api.callers import PaymentId, role_of
from tablewright.systems.kurukshetra.bodies.refunds import RefundIn
from tablewright.systems.kurukshetra.fields import PAYMENT_STATUSES, PaymentStatus
from tablewright.systems.kurukshetra.pages import writing
from tablewright.systems.kurukshetra.pages.asking import Asked, amount_text, day_of
from tablewright.systems.kurukshetra.pages.backstage import (
    BOOKS,
    FINANCE,
    READS_PAYMENTS,
    Backstage,
    tab_path,
)
from tablewright.systems.kurukshetra.pages.paths import payment_path, run_team_path
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

TAB: Final = "Payments"
_LISTED: Final = 50
STATUSES: Final[tuple[tuple[PaymentStatus, str], ...]] = (
    ("paid", "Paid"),
    ("partially_refunded", "Partly refunded"),
    ("refunded", "Refunded"),
    ("late", "Came too late"),
    ("created", "Begun"),
    ("authorized", "Authorised"),
    ("failed", "Failed"),
    ("expired", "Expired"),
)
#: What happened, in words; and its sign and tone.
HAPPENED: Final = {
    "checkout": ("Checkout begun, a seat held", "hourglass", ""),
    "attempt": ("Attempt at the gateway", "progress", "info"),
    "attempt_failed": ("Attempt failed", "circle-x", "danger"),
    "captured": ("Money taken by the gateway", "credit-card", "info"),
    "paid": ("Paid: the team has its seat", "circle-check", "success"),
    "expired": ("The hold ran out", "clock", "warning"),
    "late": ("Came too late, and goes back", "alert-triangle", "danger"),
    "refund_requested": ("Refund asked for", "receipt-refund", "info"),
    "refund_pending": ("Refund with the bank", "progress", "info"),
    "refund_processed": ("Paid back", "circle-check", "success"),
    "refund_failed": ("Refund failed", "circle-x", "danger"),
}


def status_of(text: str) -> PaymentStatus | None:
    return next((each for each in PAYMENT_STATUSES if each == text), None)


def read_refund(values: Typed, payment: Payment) -> RefundIn:
    """The body that a form makes, or a problem at its fields; no amount is all that is left."""
    asked = Asked(values)
    said = {
        "amount": asked.amount("amount", payment.currency),
        "reason": values.get("reason", ""),
        "release": asked.ticked("release"),
        "payment_id": payment.payment_id,
    }
    return built(RefundIn, said, asked.errors)


def at_its_field(problem: Problem, payment: Payment) -> Problem:
    """In the currency itself, where the amount was typed."""
    if problem.code != "REFUND_EXCEEDS":
        return problem
    left = writing.money(payment.refundable, payment.currency)
    text = f"At most {left} can go back." if payment.refundable else "Nothing is left to pay back."
    return Problem(422, problem.code, text, errors=[FieldError("body.amount", text)])


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/payments")
    reader = Depends(role_of(festival, *BOOKS))
    keeper = Depends(role_of(festival, *READS_PAYMENTS))
    finance = Depends(role_of(festival, *FINANCE))
    backstage = Backstage(festival, pages)

    @routes.get("")
    async def payments(
        request: Request,
        status: str = "",
        since: str = "",
        until: str = "",
        q: str = "",
        cursor: str | None = None,
        by: Caller = reader,
    ) -> Response:
        if q.strip():
            page = Page(tuple(await festival.lists.find_payments(by, q)))
        else:
            page = await festival.lists.payments(
                by,
                status=status_of(status),
                since=day_of(since),
                until=day_of(until),
                limit=_LISTED,
                cursor=cursor,
            )
        teams = await festival.lists.teams_of(by, list(page))
        here = tab_path(by.event_id, TAB)
        more = with_query(here, status=status, since=since, until=until, cursor=page.cursor)
        return await backstage.shown(
            request,
            "kurukshetra/payments.html",
            by,
            TAB,
            payments=list(page),
            teams={
                each: (team.name, run_team_path(by.event_id, each)) for each, team in teams.items()
            },
            more=more if page.cursor else "",
            chosen={"status": status, "since": since, "until": until, "q": q},
            filtered=bool(status or since or until or q.strip()),
            statuses=STATUSES,
            path=here,
            opens=by.has(*READS_PAYMENTS),
        )

    async def shown(
        request: Request, by: Caller, payment_id: str, key: str = "", **context: object
    ) -> Response:
        view = await festival.payments.read(by, payment_id)
        payment, team = view.payment, view.team
        seated = (
            team is not None
            and team.payment_status == "paid"
            and team.payment_id == payment.payment_id
        )
        return await backstage.shown(
            request,
            "kurukshetra/payment.html",
            by,
            TAB,
            heading=f"Payment {payment.payment_id[:8]}",
            view=view,
            payment=payment,
            happened=HAPPENED,
            team_path="" if team is None else run_team_path(payment.event_id, team.team_id),
            path=payment_path(payment.event_id, payment.payment_id),
            left=amount_text(payment.refundable, payment.currency),
            may_refund=by.has(*FINANCE) and payment.refundable > 0,
            seated=seated,
            key=key or secrets.token_urlsafe(16),
            **context,
        )

    @routes.get("/{payment_id}")
    async def payment(request: Request, payment_id: PaymentId, by: Caller = keeper) -> Response:
        return await shown(request, by, payment_id)

    @routes.post("/{payment_id}/refund")
    async def refund(request: Request, payment_id: PaymentId, by: Caller = finance) -> Response:
        """The form has a key of its own: sent twice, it is one refund."""
        values = await typed(request)
        found = (await festival.payments.read(by, payment_id)).payment
        key = values.get("key", "")
        try:
            body = read_refund(values, found)
            made = await festival.refunds.refund(by, found.team_id, body, key=key)
        except Problem as problem:
            if problem.status not in (409, 422):
                raise
            told = at_its_field(problem, found)
            return await shown(request, by, payment_id, problem=told, values=values, key=key)
        amount = writing.money(made.amount, found.currency)
        said = {
            "processed": f"{amount} was paid back.",
            "pending": f"{amount} is on its way back: the bank takes some days.",
            "failed": f"The gateway has refused to pay {amount} back.",
        }
        message = said.get(made.status, f"{amount} goes back as soon as the gateway answers.")
        tone: Tone = "danger" if made.status == "failed" else "success"
        return pages.done(request, payment_path(by.event_id, payment_id), message, tone=tone)

    return routes
