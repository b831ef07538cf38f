"""A report of two assessments that are both submitted."""

from __future__ import annotations

from datetime import datetime

from tablewright.systems.ladders.entities import Assessment, Plan, Report
from tablewright.systems.ladders.fields import Ladder, Revisions
from tablewright.systems.ladders.rules import scores
from tablewright.systems.ladders.rules.variance import compared


def is_ready(own: Assessment, manager: Assessment) -> bool:
    """Whether a report can be made: both are done, and the member still takes part."""
    return all(each.status == "submitted" and each.withdrawn_at is None for each in (own, manager))


def made(
    plan: Plan,
    ladder: Ladder,
    own: Assessment,
    manager: Assessment,
    *,
    before: Report | None,
    by: str,
    at: datetime,
) -> Report:
    """A report that nobody but the manager has seen. Of one before, its actions are kept.

    Where the manager names no goal it is the member's own, or the next level.
    """
    found = compared(own.selections, manager.selections, plan.flag_threshold)
    own_level = scores.calculated_level(own.selections)
    final = scores.current_level(manager)
    overridden = scores.is_overridden(manager)
    if own_level is None or final is None:
        raise ValueError("what is submitted has levels")
    goal = manager.goal_level or own.goal_level
    return Report(
        plan_id=plan.plan_id,
        team_member_id=own.team_member_id,
        team_id=plan.team_id,
        season=plan.season,
        config_version=plan.config_version,
        self_assessment_id=own.assessment_id,
        manager_assessment_id=manager.assessment_id,
        source_revisions=Revisions(own=own.revision, manager=manager.revision),
        final_level=final,
        calculated_level=scores.calculated_level(manager.selections) if overridden else None,
        override_reason=manager.overall_reason if overridden else None,
        self_assessed_level=own_level,
        category_levels=found.category_levels,
        variance=found.variance,
        unmatched=found.unmatched,
        summary=found.summary,
        flag_threshold=plan.flag_threshold,
        goal_level=goal or scores.goal_level(final, scores.level_count(ladder)),
        way_forward=manager.way_forward or own.way_forward,
        generated_at=at,
        actions={} if before is None else before.actions,
        open_actions=0 if before is None else before.open_actions,
        next_action_due=None if before is None else before.next_action_due,
        created_by=by if before is None else before.created_by,
        created_at=at if before is None else before.created_at,
        updated_at=at,
        revision=0 if before is None else before.revision,
    )
