"""Where somebody wants to be, what the ladder asks for there, and what they do about it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.systems.ladders.api.callers import caller_of
from tablewright.systems.ladders.fields import Ladder, LadderLevel
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.framing import shown
from tablewright.systems.ladders.pages.rendered import line_html
from tablewright.systems.ladders.pages.report_parts import ActionLine, ReportView, action_lines
from tablewright.systems.ladders.rules.report_rows import Row
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.reports import FoundReport

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Reports whose actions are shown; who has more has done those long ago.
_LATEST: Final = 8


@dataclass(frozen=True)
class Gap:
    """A competency below the goal, and what its next level is."""

    row: Row
    level: int
    following: LadderLevel


@dataclass(frozen=True)
class Agreed:
    """The actions of one report."""

    found: FoundReport
    lines: list[ActionLine]

    @property
    def path(self) -> str:
        return paths.report_path(self.found.report.report_id)


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/growth")
    somebody, zone = Depends(caller_of(company)), company.options.zone

    async def agreed(by: Caller) -> list[Agreed]:
        """Reports of oneself, the latest first, with what was agreed on."""
        if by.operator:
            return []
        lines = (await company.reports.of_member(by, by.user_id))[:_LATEST]
        found = await asyncio.gather(*(company.reports.read(by, x.report_id) for x in lines))
        return [Agreed(each, action_lines(each.report, company.now(), zone)) for each in found]

    @routes.get("")
    async def growth(request: Request, by: Caller = somebody) -> Response:
        mine = await agreed(by)
        context: dict[str, object] = {
            "home_path": paths.HOME,
            "ladder_path": paths.LADDER,
            "history_path": paths.HISTORY,
            "today": company.now().date().isoformat(),
            "line_html": line_html,
        }
        if not mine:
            return shown(pages, request, "ladders/no_growth.html", by, **context)
        latest = mine[0].found.report
        both = await company.reports.side_by_side(by, latest.report_id)
        return shown(
            pages,
            request,
            "ladders/growth.html",
            by,
            view=ReportView(both, company.now(), zone),
            agreed=mine[0],
            earlier=[each for each in mine[1:] if each.lines],
            gaps=gaps_of(both.rows, both.ladder, latest.goal_level),
            **context,
        )

    return routes


def gaps_of(rows: list[Row], ladder: Ladder, goal: int) -> list[Gap]:
    """What is below the goal by the manager's view, the widest gap first."""
    known = {
        (category.name, each.name): each.levels
        for category in ladder.categories
        for each in category.competencies
    }
    found = []
    for row in rows:
        level = row.manager_level or row.self_level
        steps = known.get((row.category, row.competency), [])
        if level is not None and level < min(goal, len(steps)):
            found.append(Gap(row, level, steps[level]))
    return sorted(found, key=lambda gap: gap.level)
