"""Our books against the gateway's: what differed, and comparing a day now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem, told
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.pages.asking import day_of
from tablewright.systems.kurukshetra.pages.backstage import (
    FINANCE,
    READS_PAYMENTS,
    Backstage,
    tab_path,
)
from tablewright.systems.kurukshetra.pages.jobs import latest
from tablewright.systems.kurukshetra.payments import FindingKind
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.reconciling.reconciling import KIND

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

TAB: Final = "Reconcile"
_LISTED: Final = 50
#: What a finding is, in words, and its tone.
KINDS: Final[dict[FindingKind, tuple[str, str]]] = {
    "missing_capture": ("Money that we had not heard of", "warning"),
    "amount_mismatch": ("Another amount than expected", "danger"),
    "unknown_order": ("Money for an order that is not ours", "danger"),
    "double_capture": ("Paid twice", "warning"),
    "refund_mismatch": ("A refund that we had not heard of", "warning"),
}


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/reconcile")
    reader = Depends(role_of(festival, *READS_PAYMENTS))
    finance = Depends(role_of(festival, *FINANCE))
    backstage = Backstage(festival, pages)

    @routes.get("")
    async def findings(
        request: Request,
        since: str = "",
        until: str = "",
        cursor: str | None = None,
        by: Caller = reader,
    ) -> Response:
        page = await festival.reconciling.findings(
            by, since=day_of(since), until=day_of(until), limit=_LISTED, cursor=cursor
        )
        here = tab_path(by.event_id, TAB)
        more = with_query(here, since=since, until=until, cursor=page.cursor)
        config = await festival.events.config(by.event_id)
        return await backstage.shown(
            request,
            "kurukshetra/reconcile.html",
            by,
            TAB,
            findings=list(page),
            more=more if page.cursor else "",
            since=since,
            until=until,
            kinds=KINDS,
            jobs=await latest(festival, by, KIND),
            today=festival.events.moment(config).day.isoformat(),
            path=here,
            may_run=by.has(*FINANCE),
        )

    @routes.post("")
    async def compare(request: Request, by: Caller = finance) -> Response:
        values = await typed(request)
        place = tab_path(by.event_id, TAB)
        try:
            await festival.reconciling.ask(by, day_of(values.get("day", "")))
        except Problem as problem:
            if problem.status not in (409, 422):
                raise
            return pages.done(request, place, told(problem), tone="warning")
        return pages.done(request, place, "The day is being compared with the gateway's books.")

    return routes
