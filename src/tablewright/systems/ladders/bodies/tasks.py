"""Tasks, as programs get them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import BaseModel

from tablewright.systems.ladders.fields import AssessmentStatus
from tablewright.systems.ladders.service.tasks import Kind

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.tasks import Task


class TaskOut(BaseModel):
    """Something to do."""

    kind: Kind
    due_at: datetime | None
    overdue: bool
    plan_id: str
    plan_name: str
    season: str
    team_id: str
    team_name: str
    team_member_id: str
    member_name: str
    assessment_id: str | None
    report_id: str | None
    status: AssessmentStatus | None
    answered: int
    total: int


def task_out(task: Task) -> TaskOut:
    assessing = task.kind in ("assess_self", "assess_member")
    return TaskOut(
        kind=task.kind,
        due_at=task.due_at,
        overdue=task.overdue,
        plan_id=task.plan_id,
        plan_name=task.plan_name,
        season=task.season,
        team_id=task.team_id,
        team_name=task.team_name,
        team_member_id=task.member_id,
        member_name=task.member_name,
        assessment_id=task.item_id if assessing else None,
        report_id=None if assessing else task.item_id,
        status=task.status,
        answered=task.answered,
        total=task.total,
    )
