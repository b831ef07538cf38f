"""The receipt of a team's payment, to be printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.pages import Pages
from tablewright.service.problems import not_found
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.api.callers import EventId, caller_of
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.framing import EventFrame, crumbs_of, shown
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_METHODS: Final = {"card": "Card", "upi": "UPI", "netbanking": "Net banking", "wallet": "Wallet"}
_PAID: Final = frozenset({"paid", "partially_refunded", "refunded"})


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}")
    somebody = Depends(caller_of(festival))

    @routes.get("/receipt")
    async def receipt(request: Request, e: EventId, by: Caller = somebody) -> Response:
        """Of the payment that the seat was paid with, for everybody in the team."""
        by = await festival.access.now(by.principal, e)
        if by.team_id is None:
            return RedirectResponse(paths.team_path(e), 303)
        team = (await festival.teams.owned(by, by.team_id)).team
        if team.payment_id is None:
            raise not_found("receipt")
        found = await festival.db.run(reads.payment_page(e, team.payment_id))
        if found is None or found.payment.status not in _PAID:
            raise not_found("receipt")
        config = await festival.events.config(e)
        event, method = EventFrame(config), found.payment.payment_method or ""
        return shown(
            pages,
            request,
            "kurukshetra/receipt.html",
            config,
            heading="Receipt",
            crumbs=crumbs_of(event, (team.name, paths.team_path(e))),
            team=team,
            payment=found.payment,
            refunds=found.refunds,
            method=_METHODS.get(method, method),
        )

    return routes
