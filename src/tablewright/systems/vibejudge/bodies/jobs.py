"""Jobs and their tasks, in answers and events."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from tablewright.service.bodies import shown
from tablewright.systems.vibejudge.analysis import (
    AnalysisJob,
    HackathonCost,
    JobScope,
    JobStatus,
    Task,
    TaskState,
)
from tablewright.systems.vibejudge.bodies.common import UsdOut
from tablewright.systems.vibejudge.rules.job_states import state_of


class AnalyzeIn(BaseModel):
    """What to analyse: all submissions if nothing is said."""

    model_config = shown(scope="all")

    scope: Literal["all", "failed"] = Field(
        default="all", description="`failed` analyses only what failed before, and pays only that."
    )
    sub_id: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="Analyse only this submission."
    )


class JobOut(BaseModel):
    """An analysis of submissions of a hackathon."""

    job_id: str
    hack_id: str
    status: JobStatus
    scope: JobScope = Field(description="`failed` and `one` are retries of only these.")
    sub_id: str | None = Field(description="The submission of a retry of one.")
    trial: bool = Field(
        description="Begun before the end: the hackathon goes on taking submissions, and is not "
        "completed by it."
    )
    cancelling: bool = Field(description="It is to end, and does once nothing is in work.")
    total_submissions: int = Field(description="0 until all are counted.")
    completed_submissions: int
    failed_submissions: int = Field(description="Those whose repository could not be judged.")
    blocked_submissions: int = Field(description="Those the budget did not allow.")
    cancelled_submissions: int
    left: int = Field(description="How many wait or are in work.")
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None


class TaskOut(BaseModel):
    """One submission of a job."""

    sub_id: str
    state: TaskState
    attempt: int
    run_id: str | None
    error_code: str | None = Field(description="Why it failed or was blocked.")
    updated_at: datetime


class SpendOut(BaseModel):
    """What the hackathon has cost so far."""

    total_cost_usd: UsdOut
    budget_remaining_usd: UsdOut


def job_out(job: AnalysisJob) -> JobOut:
    state = state_of(job)
    own = job.model_dump(include=set(JobOut.model_fields))
    return JobOut(**own, left=state.left, cancelling=state.cancelling)


def task_out(task: Task) -> TaskOut:
    return TaskOut(**task.model_dump(include=set(TaskOut.model_fields)))


def spend_out(cost: HackathonCost) -> SpendOut:
    return SpendOut(
        total_cost_usd=cost.total_cost_usd, budget_remaining_usd=cost.budget_remaining_usd
    )
