"""The receipt of a team's payment, to be printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.model.errors import Incomplete
from tablewright.service.pages import Pages
from tablewright.service.problems import not_found
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.api.callers import EventId, caller_of
from tablewright.systems.kurukshetra.fields import TAKEN
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.framing import EventFrame, crumbs_of, shown
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.reads import PaymentPage
from tablewright.systems.kurukshetra.rules.ids import is_uuid
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.teams import Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Money has come for it, whether it is still there or not.


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}")
    somebody = Depends(caller_of(festival))

    async def paid(team: Team, payment_id: str) -> PaymentPage | None:
        """A payment with its refunds, if it is the team's and money has come."""
        if not is_uuid(payment_id):
            return None
        try:
            found = await festival.db.run(reads.payment_page(team.event_id, payment_id))
        except Incomplete:
            return None
        own = found is not None and found.payment.team_id == team.team_id
        return found if own and found.payment.status in TAKEN else None

    @routes.get("/receipt")
    async def receipt(
        request: Request, e: EventId, payment: str = "", by: Caller = somebody
    ) -> Response:
        """Of a payment of the team's, for everybody in it; usually the one that the seat has."""
        by = await festival.access.now(by.principal, e)
        if by.team_id is None:
            return RedirectResponse(paths.team_path(e), 303)
        team = (await festival.teams.owned(by, by.team_id)).team
        found = await paid(team, payment or team.payment_id or "")
        if found is None:
            raise not_found("receipt")
        config = await festival.events.config(e)
        event = EventFrame(config)
        return shown(
            pages,
            request,
            "kurukshetra/receipt.html",
            config,
            heading="Receipt",
            crumbs=crumbs_of(event, (team.name, paths.team_path(e))),
            payment=found.payment,
            refunds=found.refunds,
            facts=facts_of(event, team, found.payment),
        )

    return routes


def facts_of(event: EventFrame, team: Team, payment: Payment) -> list[tuple[str, str]]:
    """What was paid for, and how it is found again; what is not known is left out."""
    said = (
        ("Paid", event.local(payment.paid_at or payment.created_at)),
        ("For", f"Team fee of {event.name}, {event.dates}"),
        ("Team", f"{team.name}, {event.track(team.track)}"),
        ("Method", event.method(payment.payment_method)),
        ("Voucher", payment.voucher),
        ("Receipt number", payment.payment_id),
        ("Gateway\N{RIGHT SINGLE QUOTATION MARK}s payment", payment.razorpay_payment_id),
        ("Gateway\N{RIGHT SINGLE QUOTATION MARK}s order", payment.razorpay_order_id),
    )
    return [(name, value) for name, value in said if value]
