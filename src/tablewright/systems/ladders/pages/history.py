"""Somebody's way up the ladder, season by season."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.pages import Pages
from tablewright.systems.ladders.api.callers import UserId, caller_of
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.framing import shown
from tablewright.systems.ladders.pages.names import names_of
from tablewright.systems.ladders.reads import ReportLine
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.growth import Stand

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/history")
    somebody = Depends(caller_of(company))

    async def read(by: Caller, member_id: str) -> tuple[list[Stand], list[ReportLine]]:
        if by.operator and member_id == by.user_id:
            return [], []
        return await asyncio.gather(
            company.growth.history(by, member_id), company.reports.of_member(by, member_id)
        )

    async def page(request: Request, by: Caller, member_id: str) -> Response:
        own = member_id == by.user_id
        stands, lines = await read(by, member_id)
        name = "" if own else (await names_of(company, [member_id])).of(member_id)
        return shown(
            pages,
            request,
            "ladders/history.html",
            by,
            heading="Your history" if own else f"History of {name}",
            own=own,
            stands=stands,
            lines={each.report_id: each for each in lines},
            latest=(latest := latest_ladder(stands)),
            seasons=[each.season for each in latest],
            overall=overall(latest),
            by_category=by_category(latest),
            report_path=paths.report_path,
            growth_path=paths.GROWTH,
            home_path=paths.HOME,
        )

    @routes.get("")
    async def mine(request: Request, by: Caller = somebody) -> Response:
        return await page(request, by, by.user_id)

    @routes.get("/{u}")
    async def of_member(request: Request, u: UserId, by: Caller = somebody) -> Response:
        if u == by.user_id:
            return RedirectResponse(paths.HISTORY, 303)
        return await page(request, by, u)

    return routes


def latest_ladder(stands: list[Stand]) -> list[Stand]:
    """Return the seasons since the ladder was last replaced: their levels can be compared."""
    first = max((place for place, each in enumerate(stands) if each.new_ladder), default=0)
    return stands[first:]


def overall(stands: list[Stand]) -> list[dict[str, object]]:
    """Both views of the whole, as a chart has them."""
    return [
        {"name": "Level", "values": [each.final_level for each in stands]},
        {"name": "Self-assessed", "values": [each.self_assessed_level for each in stands]},
    ]


def by_category(stands: list[Stand]) -> list[dict[str, object]]:
    """The manager's view of each category; a ladder may have had others before."""
    names = dict.fromkeys(name for each in stands for name in each.category_levels)
    return [
        {"name": name, "values": [_manager_level(each, name) for each in stands]} for name in names
    ]


def _manager_level(stand: Stand, category: str) -> int | None:
    found = stand.category_levels.get(category)
    return None if found is None else found.manager
