"""A team at a glance: members by competencies, as one side sees them in a season."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service import csv_cells
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.systems.ladders import ids
from tablewright.systems.ladders.api.callers import TeamId, caller_of
from tablewright.systems.ladders.entities import Plan
from tablewright.systems.ladders.fields import AssessmentType
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.framing import shown
from tablewright.systems.ladders.rules.scores import mean_level
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.growth import HeatMap, HeatRow

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

SOURCES: Final[tuple[tuple[AssessmentType, str], ...]] = (
    ("manager", "Manager's assessment"),
    ("self", "Self-assessment"),
)
SORTS: Final = (("name", "Name"), ("average", "Average, highest first"))
#: Steps from pale to dark.
SHADES: Final = 7


@dataclass(frozen=True)
class HeatView:
    """The grid, column by column."""

    map: HeatMap

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Category and competency, in the order of the ladder."""
        return [
            (category.name, competency.name)
            for category in self.map.ladder.categories
            for competency in category.competencies
        ]

    @property
    def most(self) -> int:
        """The highest level that there is."""
        return max(
            (
                each.level
                for category in self.map.ladder.categories
                for competency in category.competencies
                for each in competency.levels
            ),
            default=1,
        )

    @property
    def empty(self) -> bool:
        return not any(map(self.told, self.map.rows))

    def told(self, row: HeatRow) -> bool:
        """Whether anything can be seen of them."""
        return any(row.levels.values())

    def is_draft(self, row: HeatRow) -> bool:
        """Whether these are levels that the reader has not submitted yet."""
        return self.told(row) and row.status != "submitted"

    def level(self, row: HeatRow, column: tuple[str, str]) -> int | None:
        category, competency = column
        return row.levels.get(category, {}).get(competency)

    def shade(self, level: int) -> int:
        """From 1, pale, to the darkest one."""
        if self.most < 2:
            return 1
        return 1 + round((level - 1) / (self.most - 1) * (SHADES - 1))

    def mean(self, column: tuple[str, str]) -> float | None:
        """Return the mean of the team for one competency."""
        mean = mean_level(self._all(column))
        return None if mean is None else float(mean)

    def average(self, row: HeatRow) -> float | None:
        """Return the mean of all levels of a member."""
        mean = mean_level(each for inside in row.levels.values() for each in inside.values())
        return None if mean is None else float(mean)

    def sorted_rows(self, sort: str) -> list[HeatRow]:
        """Return the rows by name, or the highest averages first and those without at the end."""
        if sort != "average":
            return self.map.rows
        return sorted(self.map.rows, key=lambda row: -(self.average(row) or 0))

    def to_csv(self, sort: str = "") -> bytes:
        """Return what the page shows as CSV, which no spreadsheet takes for formulas."""
        named = [f"{category}: {competency}" for category, competency in self.columns]
        rows: list[list[object]] = [["Member", "Status", *named, "Overall level", "Average"]]
        for row in self.sorted_rows(sort):
            levels = [self.level(row, column) for column in self.columns]
            average = self.average(row)
            shown = None if average is None else f"{average:.2f}"
            rows.append([row.name, row.status, *levels, row.current_level, shown])
        return csv_cells.lines(rows)

    def _all(self, column: tuple[str, str]) -> Iterator[int]:
        for row in self.map.rows:
            level = self.level(row, column)
            if level is not None:
                yield level


def source_of(text: str) -> AssessmentType:
    return "self" if text == "self" else "manager"


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/teams/{team_id}/heatmap")
    caller = Depends(caller_of(company))

    async def plans_of(by: Caller, team_id: str) -> list[Plan]:
        found = await company.plans.of_team(by, team_id)
        return [each for each in found if each.status != "draft"]

    @routes.get("/csv")
    async def download(
        team_id: TeamId, plan: str = "", source: str = "", sort: str = "", by: Caller = caller
    ) -> Response:
        """The same as a file; rights are those of the page."""
        side = source_of(source)
        view = HeatView(await company.growth.heatmap(by, team_id, plan, side))
        name = f"heatmap-{view.map.plan.season.lower()}-{side}.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(view.to_csv(sort), media_type="text/csv; charset=utf-8", headers=headers)

    @routes.get("")
    async def heatmap(
        request: Request,
        team_id: TeamId,
        plan: str = "",
        source: str = "",
        sort: str = "",
        by: Caller = caller,
    ) -> Response:
        standing = await company.people.seen(by, team_id)
        standing.require("read_heatmap")
        plans = await plans_of(by, team_id)
        side = source_of(source)
        chosen = plan if ids.is_uuid(plan) else plans[0].plan_id if plans else ""
        view = None
        if chosen:
            view = HeatView(await company.growth.heatmap(by, team_id, chosen, side))
        return shown(
            pages,
            request,
            "ladders/heatmap.html",
            by,
            team=standing.team,
            view=view,
            plans=[(each.plan_id, f"{each.season}: {each.plan_name}") for each in plans],
            chosen=chosen,
            rows=[] if view is None else view.sorted_rows(sort),
            sort="average" if sort == "average" else "name",
            sorts=SORTS,
            download=with_query(
                paths.team_path(team_id, "/heatmap/csv"), plan=chosen, source=side, sort=sort[:20]
            ),
            source=side,
            sources=[(text, paths.heatmap_path(team_id, chosen, name)) for name, text in SOURCES],
            source_name=dict(SOURCES)[side],
            here=paths.heatmap_path(team_id),
            history=paths.history_path,
            assessment=lambda row: paths.assessment_path(
                ids.assessment_id(chosen, row.member_id, side)
            ),
            team_path=paths.team_path(team_id),
            crumbs=[
                ("Teams", paths.TEAMS),
                (standing.team.team_name, paths.team_path(team_id)),
            ],
        )

    return routes
