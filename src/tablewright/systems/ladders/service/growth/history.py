"""Somebody's levels over the seasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.systems.ladders.fields import CategoryLevel
from tablewright.systems.ladders.rules.seasons import order
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class Stand:
    """Where somebody stood in a season."""

    report_id: str
    plan_id: str
    team_id: str
    season: str
    config_version: str
    final_level: int
    self_assessed_level: int
    category_levels: dict[str, CategoryLevel]
    #: The final level less that of the season before; None for the first one.
    change: int | None


class Histories:
    """History."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def history(self, by: Caller, member_id: str) -> list[Stand]:
        """By season, the earliest first: of those reports that the caller may read."""
        lines = await self._company.reports.of_member(by, member_id)
        lines.sort(key=lambda each: order(each.season))
        before = [None, *(each.final_level for each in lines)]
        return [
            Stand(
                line.report_id,
                line.plan_id,
                line.team_id,
                line.season,
                line.config_version,
                line.final_level,
                line.self_assessed_level,
                line.category_levels,
                None if last is None else line.final_level - last,
            )
            for line, last in zip(lines, before, strict=False)
        ]
