"""What a manager sees beside their own choice: the self-assessment, and last season's level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Assessment, Report
from tablewright.systems.ladders.fields import Feedback
from tablewright.systems.ladders.rules.lineage import is_same_ladder
from tablewright.systems.ladders.rules.seasons import order
from tablewright.systems.ladders.service.assessments import FoundAssessment
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_NOTHING = Feedback()


@dataclass(frozen=True)
class Beside:
    """The self-assessment once it is submitted, and the levels of the season before."""

    own: Assessment | None = None
    last_season: str = ""
    #: By category and competency, as the manager saw it then.
    last_levels: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def own_path_id(self) -> str:
        return "" if self.own is None else self.own.assessment_id

    def self_level(self, category: str, competency: str) -> int | None:
        if self.own is None:
            return None
        return self.own.selections.get(category, {}).get(competency)

    def self_feedback(self, category: str, competency: str) -> Feedback:
        if self.own is None:
            return _NOTHING
        level = self.self_level(category, competency)
        return self.own.feedback.get(category, {}).get(competency, {}).get(str(level), _NOTHING)

    def last_level(self, category: str, competency: str) -> int | None:
        return self.last_levels.get((category, competency))


async def read_beside(company: Company, by: Caller, found: FoundAssessment) -> Beside:
    """Read what the caller may see at this stage; nothing for who assesses themselves."""
    about = found.assessment
    if about.assessment_type == "self" or "manager" not in found.who:
        return Beside()
    own_id = ids.assessment_id(about.plan_id, about.team_member_id, "self")
    own = await company.db.run(reads.assessment(own_id))
    if own is not None and own.status != "submitted":
        own = None
    last = await _last_report(company, by, found)
    if last is None:
        return Beside(own)
    return Beside(own, last.season, _manager_levels(last))


async def _last_report(company: Company, by: Caller, found: FoundAssessment) -> Report | None:
    """Find the report of the season before, if the caller may read it and its levels compare."""
    season = found.plan.season
    lines = await company.reports.of_member(by, found.assessment.team_member_id)
    before = [each for each in lines if order(each.season) < order(season)]
    if not before:
        return None
    line = max(before, key=lambda each: order(each.season))
    if line.config_version != found.plan.config_version:
        old = await company.configs.ladder_of(line.config_version)
        if old is None or not is_same_ladder(old, await company.configs.ladder(found.plan)):
            return None
    return await company.db.run(reads.report(line.report_id))


def _manager_levels(report: Report) -> dict[tuple[str, str], int]:
    levels = {
        (category, competency): each.manager_score
        for category, inside in report.variance.items()
        for competency, each in inside.items()
    }
    alone = (each for each in report.unmatched if each.side == "manager")
    return levels | {(each.category, each.competency): each.score for each in alone}
