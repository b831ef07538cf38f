"""``admin/refund``, ``admin/reconcile``, ``admin/recon``: money back, and whose books are right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from tablewright.service.bodies import Day
from tablewright.service.kit.idempotency import Attempt
from tablewright.service.kit.idempotent_routes import idempotent
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import refusals
from tablewright.systems.kurukshetra.api.callers import EventId, TeamId, role_of
from tablewright.systems.kurukshetra.api.tickets import begun
from tablewright.systems.kurukshetra.bodies.refunds import (
    FindingOut,
    ReconcileIn,
    RefundIn,
    RefundOut,
    ReleasedOut,
    finding_out,
    refund_out,
)
from tablewright.systems.kurukshetra.bodies.tickets import JobOut
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


def router(festival: Festival) -> APIRouter:
    routes = APIRouter(
        prefix="/api/v1/events/{e}/admin",
        tags=["Refunds"],
        route_class=idempotent(festival.runtime),
    )
    finance = Depends(role_of(festival, "finance"))
    reader = Depends(role_of(festival, "finance", "auditor"))

    @routes.post(
        "/refund/{t}",
        status_code=201,
        responses=refusals(
            404,
            {
                400: "`IDEMPOTENCY_KEY_REQUIRED`: with an `amount` there has to be one. Otherwise, "
                "what was sent cannot be read; `code` says which part of it.",
                409: "`NOTHING_PAID`; `NOT_PAID`: there is no seat to give up.",
                422: "`REFUND_EXCEEDS`: no more than `refundable` is left.",
                503: "`BUSY`.",
            },
        ),
    )
    async def refund_team(
        e: EventId, t: TeamId, body: RefundIn, request: Request, by: Caller = finance
    ) -> RefundOut:
        """Pay something back, and perhaps take the seat. The gateway is asked until it is done.

        With an `amount` it takes an `Idempotency-Key`, so that a request that is repeated after a
        timeout does not pay twice.
        """
        made = await festival.refunds.refund(by, t, body, key=_key(request))
        return refund_out(made)

    @routes.post(
        "/release/{t}",
        responses=refusals(404, {409: "`NOT_PAID`: there is no seat to give up.", 503: "`BUSY`."}),
    )
    async def release_seat(e: EventId, t: TeamId, by: Caller = finance) -> ReleasedOut:
        """Take a paid team's seat, and pay nothing back."""
        team = await festival.refunds.release(by, t)
        return ReleasedOut(team_id=team.team_id, payment_status=team.payment_status)

    @routes.post("/reconcile", status_code=202, responses=refusals(404))
    async def reconcile(
        e: EventId,
        request: Request,
        response: Response,
        body: ReconcileIn | None = None,
        by: Caller = finance,
    ) -> JobOut:
        """Compare a day with the gateway's books, and put right what can be: a job."""
        day = None if body is None else body.day
        return begun(request, response, await festival.reconciling.ask(by, day))

    @routes.get("/recon", responses=refusals(404))
    async def list_findings(
        e: EventId,
        paging: Paging,
        since: Annotated[Day | None, Query(description="The first day.")] = None,
        until: Annotated[Day | None, Query(description="The last day.")] = None,
        by: Caller = reader,
    ) -> PageBody[FindingOut]:
        """Where the gateway's books and ours differed, by day, and what was done about it."""
        page = await festival.reconciling.findings(
            by, since=since, until=until, limit=paging.limit, cursor=paging.cursor
        )
        return page_body(page, [finding_out(each) for each in page])

    return routes


def _key(request: Request) -> str | None:
    """The same for a request that is repeated; None if its caller has not said so."""
    attempt = getattr(request.state, "idempotency", None)
    return attempt.record.key_hash if isinstance(attempt, Attempt) else None
