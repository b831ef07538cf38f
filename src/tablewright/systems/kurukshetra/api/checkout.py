"""``../seats``, ``../team/{t}/checkout`` and ``../waitlist``: having a seat, or waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request, Response

from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import refusals
from tablewright.systems.kurukshetra.api.callers import (
    EventId,
    TeamId,
    caller_of,
    role_of,
    visitor_of,
)
from tablewright.systems.kurukshetra.bodies.checkout import (
    CheckoutIn,
    CheckoutOut,
    QueuedOut,
    SeatsOut,
    WaitOut,
    checkout_out,
    queued_out,
    seats_out,
    wait_out,
)
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_BUSY: Final = "`BUSY`: too many at once; try again."
_CLOSED: Final = "`REGISTRATION_CLOSED`: not the time for it"
_ENDED: Final = "`TEAM_ENDED`: it was disbanded, or has its money back"


def router(festival: Festival) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/events/{e}", tags=["Seats and checkout"])
    caller, visitor = Depends(caller_of(festival)), Depends(visitor_of(festival))
    runs = Depends(role_of(festival, "organizer", "auditor"))

    @routes.get("/seats", dependencies=[visitor], responses=refusals(404, 429))
    async def get_seats(e: EventId) -> SeatsOut:
        """What is left."""
        await festival.events.check_published(e)
        return seats_out(await festival.seats.of(e), festival.now())

    @routes.get(
        "/seats/stream",
        dependencies=[visitor],
        response_class=Response,
        responses={
            200: {"content": {"text/event-stream": {}}, "description": "Events, without an end."},
            **refusals(404, {429: "`STREAM_LIMIT`: too many follow."}),
        },
    )
    async def follow_seats(e: EventId, request: Request) -> Response:
        """What is left, as it goes: `snapshot`, then `seats` whenever something is different."""
        await festival.events.check_published(e)
        return await festival.watching.stream(request, e)

    @routes.post(
        "/team/{t}/checkout",
        responses=refusals(
            404,
            {
                409: f"`SOLD_OUT`; {_CLOSED}; {_ENDED}; `CHECKOUT_OPEN`: at another price.",
                422: "`INVALID_TEAM_SIZE`: too few members; `VOUCHER_INVALID`; `INVALID`.",
                429: "`RATE_LIMITED`: also after too many vouchers that are none.",
                503: f"`GATEWAY_UNAVAILABLE`: the seat stays held, try again; {_BUSY}",
            },
        ),
    )
    async def start_checkout(
        e: EventId, t: TeamId, body: CheckoutIn | None = None, by: Caller = caller
    ) -> CheckoutOut:
        """Hold a seat for the team, and make the order to pay for it; for its leader.

        Sent again, it answers the same checkout while the seat is held. Where a voucher leaves
        nothing to pay, the team is paid at once.
        """
        return checkout_out(await festival.checkout.start(by, t, body or CheckoutIn()))

    @routes.post(
        "/team/{t}/waitlist",
        responses=refusals(
            404,
            {
                409: f"`NOT_SOLD_OUT`: there is a seat; `HAS_SEAT`; `WAITLIST_FULL`; {_CLOSED}; "
                f"{_ENDED}.",
                503: _BUSY,
            },
        ),
    )
    async def enter_waitlist(e: EventId, t: TeamId, by: Caller = caller) -> WaitOut:
        """Wait for a seat; for the team's leader. Sent again, it answers the same place."""
        return wait_out(await festival.seats.enter(by, t))

    @routes.delete(
        "/team/{t}/waitlist",
        status_code=204,
        responses=refusals(404, {409: "`NOT_WAITING`: it has a seat, or has ended.", 503: _BUSY}),
    )
    async def leave_waitlist(e: EventId, t: TeamId, by: Caller = caller) -> None:
        """Wait no longer; for the team's leader."""
        await festival.seats.leave(by, t)

    @routes.get("/admin/waitlist", responses=refusals(404))
    async def list_waitlist(e: EventId, paging: Paging, by: Caller = runs) -> PageBody[QueuedOut]:
        """Everybody who waits for a seat, in their order; for who runs the event."""
        page = await festival.seats.queue(by, paging.limit, paging.cursor)
        return page_body(page, [queued_out(each) for each in page])

    return routes
