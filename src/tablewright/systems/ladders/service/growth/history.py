"""Somebody's levels over the seasons."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.systems.ladders.fields import CategoryLevel, Ladder
from tablewright.systems.ladders.reads import ReportLine
from tablewright.systems.ladders.rules.lineage import is_same_ladder
from tablewright.systems.ladders.rules.scores import level_count
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
    #: The final level minus that of the season before; None for the first one, and if the season
    #: before was on another ladder.
    change: int | None
    #: How many levels its ladder has.
    levels: int
    #: Whether the season before was on another ladder, whose levels mean something else.
    new_ladder: bool


class Histories:
    """History."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def history(self, by: Caller, member_id: str) -> list[Stand]:
        """By season, the earliest first: of those reports that the caller may read."""
        lines = await self._company.reports.of_member(by, member_id)
        lines.sort(key=lambda each: order(each.season))
        ladders = await self._ladders({each.config_version for each in lines})
        before: list[ReportLine | None] = [None, *lines]
        return [_stand(line, last, ladders) for line, last in zip(lines, before, strict=False)]

    async def _ladders(self, versions: set[str]) -> dict[str, Ladder]:
        """Read each ladder that the seasons go by: there are never many."""
        found = await asyncio.gather(
            *(self._company.configs.ladder_of(each) for each in sorted(versions))
        )
        return {
            version: ladder
            for version, ladder in zip(sorted(versions), found, strict=True)
            if ladder is not None
        }


def _stand(line: ReportLine, last: ReportLine | None, ladders: Mapping[str, Ladder]) -> Stand:
    same = last is not None and _is_comparable(last, line, ladders)
    ladder = ladders.get(line.config_version)
    return Stand(
        line.report_id,
        line.plan_id,
        line.team_id,
        line.season,
        line.config_version,
        line.final_level,
        line.self_assessed_level,
        line.category_levels,
        line.final_level - last.final_level if last is not None and same else None,
        0 if ladder is None else level_count(ladder),
        last is not None and not same,
    )


def _is_comparable(last: ReportLine, line: ReportLine, ladders: Mapping[str, Ladder]) -> bool:
    if last.config_version == line.config_version:
        return True
    old, new = ladders.get(last.config_version), ladders.get(line.config_version)
    return old is not None and new is not None and is_same_ladder(old, new)
