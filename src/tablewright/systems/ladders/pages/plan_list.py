"""The plans of a team, as its page lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.systems.ladders.entities import Plan
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class PlanLine:
    """A plan in a list."""

    plan: Plan

    @property
    def path(self) -> str:
        return paths.plan_path(self.plan.plan_id)

    @property
    def board(self) -> str:
        return paths.board_path(self.plan.plan_id)

    @property
    def activating(self) -> bool:
        return self.plan.status == "draft" and self.plan.activation is not None


async def plan_lines(company: Company, by: Caller, team_id: str, *, runs: bool) -> list[PlanLine]:
    """The latest season first; drafts are shown to who runs the team."""
    plans = await company.plans.of_team(by, team_id)
    return [PlanLine(each) for each in plans if runs or each.status != "draft"]
