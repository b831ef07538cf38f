"""Paying: a seat is held, the gateway is paid, and what it says is checked.

At the sandbox a page of ours stands in for the gateway's. At Razorpay its own script asks for the
money; only then, and only on that page, it may run.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.forms import built, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem, not_found
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.api.callers import EventId, caller_of
from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.bodies.payments import VerifyIn
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.framing import EventFrame, crumbs_of, shown
from tablewright.systems.kurukshetra.pages.registration_form import at_its_field
from tablewright.systems.kurukshetra.pages.team_parts import Ways, state_of
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.rules import windows
from tablewright.systems.kurukshetra.rules.captures import is_spent
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.teams import Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival
    from tablewright.systems.kurukshetra.service.people import PersonView

#: What Razorpay's checkout needs: its script, its frames, its pictures and its styles.
RAZORPAY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' https://checkout.razorpay.com https://cdn.razorpay.com",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: https://*.razorpay.com",
        "connect-src 'self' https://*.razorpay.com",
        "frame-src https://*.razorpay.com",
        "form-action 'self' https://*.razorpay.com",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_REFUSED: Final = (400, 402, 403, 404, 409, 422, 429, 503)


@dataclass(frozen=True)
class Paying:
    """A team on its way to its seat."""

    ways: Ways
    #: What the seat is held with, while it is.
    payment: Payment | None

    @property
    def team(self) -> Team:
        return self.ways.team

    @property
    def held(self) -> datetime | None:
        """Until when a seat is held or offered; None if not, or not any more."""
        until = self.team.hold_expires_at
        if until is None or self.team.payment_status not in ("pending", "offered"):
            return None
        return until if until > windows.cut(self.ways.config, self.ways.now) else None

    @property
    def order_id(self) -> str:
        """The gateway's order, if there is one to pay."""
        if self.payment is None or self.held is None or is_spent(self.payment):
            return ""
        return self.payment.razorpay_order_id or ""

    @property
    def blocked(self) -> tuple[str, str] | None:
        """Why nobody pays now."""
        if not self.ways.view.leads:
            return "Your leader pays", "One fee for the whole team, by the one who leads it."
        if self.ways.can_pay:
            return None
        if self.ways.lacking:
            size = EventFrame(self.ways.config).size
            return "The team is too small", f"A team has {size}. Invite the others first."
        if self.team.payment_status == "waitlisted":
            return "You are on the waitlist", "We write to you when there is a seat."
        if not self.ways.window_open:
            return "Registration is closed", "Nobody can pay at the moment."
        return "All seats are taken", "The team can wait for the next one that is free."


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/pay")
    somebody = Depends(caller_of(festival))
    gateway = festival.gateway

    async def paying(by: Caller) -> Paying | None:
        """None for who is in no team."""
        if by.team_id is None or by.participant_id is None:
            return None
        e = by.event_id
        config, seats = await festival.events.config(e), await festival.seats.of(e)
        view = await festival.teams.read(by, by.team_id)
        ways = Ways(view, config, seats, festival.now(), by.participant_id)
        payment = None
        if view.team.payment_id is not None and view.team.payment_status == "pending":
            payment = await festival.db.run(reads.payment(e, view.team.payment_id))
        return Paying(ways, payment)

    async def latest(by: Caller) -> Caller:
        return await festival.access.now(by.principal, by.event_id)

    async def page(
        request: Request, by: Caller, at: Paying, template: str = "pay", **said: object
    ) -> Response:
        who = await festival.people.read(by, by.participant())
        config, problem = at.ways.config, said.get("problem")
        amount = config.team_fee if at.payment is None else at.payment.amount
        context: dict[str, object] = {
            "heading": "Pay",
            "here": paths.pay_path(by.event_id),
            "team_path": paths.team_path(by.event_id),
            "at": at,
            "team": at.team,
            "held": at.held,
            "now": at.ways.now,
            "total": amount,
            "discount": config.team_fee - amount,
            "sandbox": gateway.is_sandbox,
            "watched": state_of(at.team) if at.order_id else "",
            "razorpay": {} if gateway.is_sandbox else _checkout_options(at, gateway.key_id, who),
        }
        answer = shown(
            pages,
            request,
            f"kurukshetra/{template}.html",
            config,
            status=problem.status if isinstance(problem, Problem) else 200,
            **{**context, **said},
        )
        return answer if gateway.is_sandbox or not at.order_id else _for_razorpay(answer)

    @routes.get("")
    async def pay(request: Request, e: EventId, by: Caller = somebody) -> Response:
        by = await latest(by)
        at = await paying(by)
        if at is None or at.team.payment_status in ("paid", "refunded", "cancelled"):
            return RedirectResponse(paths.team_path(e), 303)
        return await page(request, by, at)

    @routes.post("")
    async def start(request: Request, e: EventId, by: Caller = somebody) -> Response:
        """Hold a seat, and make the order to pay for it."""
        by, values = await latest(by), await typed(request)
        at = await paying(by)
        here = paths.team_path(e)
        if at is None:
            return RedirectResponse(here, 303)
        try:
            body = built(CheckoutIn, {"voucher": values.get("voucher") or None})
            started = await festival.checkout.start(by, at.team.team_id, body)
        except Problem as problem:
            if problem.status not in _REFUSED:
                raise
            if problem.code in ("SOLD_OUT", "REGISTRATION_CLOSED", "TEAM_ENDED"):
                return pages.done(request, here, problem.detail, tone="warning")
            again = await paying(by) or at
            return await page(request, by, again, problem=at_its_field(problem), values=values)
        if started.paid:
            return pages.done(request, here, "Nothing was left to pay: the seat is yours.")
        return RedirectResponse(paths.pay_path(e), 303)

    # --- what the gateway says -------------------------------------------------------------------

    async def verified(request: Request, by: Caller, given: dict[str, object]) -> Response:
        """What the gateway gave to the browser is proved, and has its effect."""
        here, back = paths.team_path(by.event_id), paths.pay_path(by.event_id)
        try:
            payment = await festival.payments.verify(by, built(VerifyIn, given))
        except Problem as problem:
            if problem.status not in _REFUSED:
                raise
            tone = "warning" if problem.status == 503 else "danger"
            return pages.done(request, back, problem.detail, tone=tone)  # type: ignore[arg-type]
        if payment.status == "paid":
            return pages.done(request, here, "Paid. The seat is yours, and tickets are ready.")
        if payment.status in ("late", "refunded"):
            team = await festival.db.run(reads.team(by.event_id, payment.team_id))
            if team is not None and team.payment_status == "pending":
                message = (
                    "The amount was wrong, and goes back to you. Your seat is held: pay again."
                )
                return pages.done(request, back, message, tone="warning")
            message = "The payment came too late: the seat is gone, and the money goes back to you."
            return pages.done(request, here, message, tone="warning")
        message = "The payment is on its way. This page changes as soon as it has come."
        return pages.done(request, here, message, tone="info")

    @routes.post("/verify")
    async def verify(request: Request, e: EventId, by: Caller = somebody) -> Response:
        """What Razorpay's script has given to the page."""
        values = await typed(request)
        given: dict[str, object] = {name: values.get(name, "") for name in _SIGNED}
        return await verified(request, await latest(by), given)

    # --- the sandbox -----------------------------------------------------------------------------

    async def at_the_bank(by: Caller) -> Paying | None:
        """Somebody with an order to pay; where money is real, there is no such page."""
        if not gateway.is_sandbox:
            raise not_found("page")
        at = await paying(by)
        return at if at is not None and at.order_id else None

    @routes.get("/sandbox")
    async def bank(request: Request, e: EventId, by: Caller = somebody) -> Response:
        by = await latest(by)
        at = await at_the_bank(by)
        if at is None:
            return RedirectResponse(paths.pay_path(e), 303)
        crumbs = crumbs_of(EventFrame(at.ways.config), ("Pay", paths.pay_path(e)))
        here = f"{paths.pay_path(e)}/sandbox"
        return await page(
            request, by, at, "sandbox", heading="Sandbox bank", here=here, crumbs=crumbs
        )

    @routes.post("/sandbox")
    async def act(request: Request, e: EventId, by: Caller = somebody) -> Response:
        """What a payer does at the gateway, and then what its script does for them."""
        by, values = await latest(by), await typed(request)
        at = await at_the_bank(by)
        here, back = paths.team_path(e), paths.pay_path(e)
        if at is None:
            return RedirectResponse(back, 303)
        chosen, method = values.get("act", "close"), values.get("method", "card")
        if chosen == "succeed":
            status, told = await gateway.pretend(at.order_id, "succeed", method=method)
            if status == 200:
                return await verified(request, by, told)
        elif chosen == "fail":
            _, told = await gateway.pretend(at.order_id, "fail", method=method)
        elif chosen == "late":
            after = _LATER.get(values.get("after", ""), 15)
            status, told = await gateway.pretend(
                at.order_id, "late", method=method, after_secs=after
            )
            if status == 202:
                message = "The bank takes its time. This page changes as soon as it has paid."
                return pages.done(request, here, message, tone="info")
        else:
            message = "Nothing was paid. Your seat is still held."
            return pages.done(request, back, message, tone="info")
        return pages.done(request, back, _told(told), tone="danger")

    return routes


_SIGNED: Final = ("razorpay_order_id", "razorpay_payment_id", "razorpay_signature")
#: Seconds until a payment that takes its time has come.
_LATER: Final = {"soon": 15, "minutes": 120, "hour": 3600}


def _told(document: dict[str, object]) -> str:
    """Why the bank did not pay."""
    error = document.get("error")
    detail = error.get("description") if isinstance(error, dict) else None
    return str(detail or "The payment has failed.")[:300]


def _checkout_options(at: Paying, key_id: str, who: PersonView) -> dict[str, object]:
    """The options of Razorpay's checkout, with what it would ask the payer to type."""
    config = at.ways.config
    if at.payment is None:
        return {}
    return {
        "key": key_id,
        "order_id": at.order_id,
        "amount": at.payment.amount,
        "currency": at.payment.currency,
        "name": config.event_name,
        "description": f"Team {at.team.name}",
        "prefill": {
            "name": f"{who.first_name} {who.last_name}".strip(),
            "email": who.email or "",
            "contact": who.phone or "",
        },
        "theme": {"color": "#0f7a72"},
    }


def _for_razorpay(answer: Response) -> Response:
    """Banks open windows of their own, which tell the checkout when they are done."""
    answer.headers["Content-Security-Policy"] = RAZORPAY_POLICY
    answer.headers["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    # Its account names the sites that may ask for money: it has to learn which one this is.
    answer.headers["Referrer-Policy"] = "strict-origin-when-cross-origin"
    answer.headers["Permissions-Policy"] = 'payment=(self "https://api.razorpay.com")'
    return answer
