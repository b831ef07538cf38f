"""A team at a glance: members by competencies, as one side sees them in a season."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.pages import Pages
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

    @routes.get("")
    async def heatmap(
        request: Request, team_id: TeamId, plan: str = "", source: str = "", by: Caller = caller
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
