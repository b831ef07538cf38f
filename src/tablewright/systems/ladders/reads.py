"""What is asked. What has a computed id is read by it, consistently: ``plan(ids.plan_id(...))``.

The indexes are for lists; they are eventually consistent, and hold what a list shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from tablewright.model import (
    EpochMillis,
    Get,
    Projection,
    Rate,
    Uuid,
    attr,
    batch,
    find,
    get,
    param,
    query,
    scan,
)
from tablewright.systems.ladders import ids
from tablewright.systems.ladders.entities import (
    ActiveConfig,
    Assessment,
    ConfigVersion,
    EmailLock,
    Plan,
    Report,
    SubjectLink,
    Team,
    User,
)
from tablewright.systems.ladders.fields import (
    AssessmentStatus,
    AssessmentType,
    CategoryLevel,
    PlanStatus,
    ReportStatus,
    Summary,
)

# --- users ---------------------------------------------------------------------------------------


@get(User, consistent=True, component="api", rate=Rate(0.5, peak=20))
def user(user_id: Uuid) -> None:
    """One user; who may do what is read with every request. [U1]"""


@scan(User, admin=True, component="api", rate=Rate(0.001), expect=100)
def all_users() -> None:
    """Every user, without the locks and links beside them. [U2]"""


@get(EmailLock, consistent=True, component="api", rate=Rate(0.01))
def email_lock(email: str) -> None:
    """Whose address it is. [U3]"""


@get(SubjectLink, consistent=True, component="api", rate=Rate(0.5, peak=20))
def subject_link(subject_hash: str) -> None:
    """Whose sign-in it is. [U4]"""


@batch(component="api", rate=Rate(0.05), expect=10)
def users(user_ids: Iterable[Uuid]) -> list[Get[User]]:
    """Many users, such as the members of a team. [T1]"""
    return [user(each) for each in user_ids]


# --- teams ---------------------------------------------------------------------------------------


@get(Team, consistent=True, component="api", rate=Rate(0.5, peak=20))
def team(team_id: Uuid) -> None:
    """One team. [T1]"""


@query(Team, key="by_manager", component="api", rate=Rate(0.01), expect=2)
def teams_of_manager(manager_id: Uuid) -> None:
    """The teams that somebody manages. [T2]"""


@scan(Team, admin=True, component="api", rate=Rate(0.001), expect=20)
def all_teams() -> None:
    """Every team, closed ones too. [T3]"""


@batch(component="api", rate=Rate(0.1), expect=2)
def teams(team_ids: Iterable[Uuid]) -> list[Get[Team]]:
    """A user's own teams, or those they manage, by the ids on the user. [T4, T5]"""
    return [team(each) for each in team_ids]


# --- plans ---------------------------------------------------------------------------------------


@get(Plan, consistent=True, component="api", rate=Rate(0.5, peak=20))
def plan(plan_id: Uuid) -> None:
    """One plan; of a team in a season by its computed id. [P1, P6]"""


@query(Plan, key="by_team", component="api", rate=Rate(0.05), expect=4)
def plans_of_team(team_id: Uuid) -> None:
    """All plans of a team. [P2]"""


@query(Plan, key="by_status", component="reminders", rate=Rate(0.001), expect=20)
def plans_by_status(status: PlanStatus) -> None:
    """All active plans, completed ones, or others; for admins and workers. [P3, P4, P5]"""


@query(
    Plan,
    key="by_status",
    filter=attr(Plan.activation).exists(),
    component="activation-resumer",
    rate=Rate(0.01),
    expect=0,
)
def unfinished_activations(status: PlanStatus) -> None:
    """Plans that were left on their way: to being active, or with mails to queue. [P5]"""


@batch(component="api", rate=Rate(0.1), expect=1)
def plans(plan_ids: Iterable[Uuid]) -> list[Get[Plan]]:
    """The open plans of a team, by the ids on the team. [P7]"""
    return [plan(each) for each in plan_ids]


# --- assessments ---------------------------------------------------------------------------------


@get(Assessment, consistent=True, component="api", rate=Rate(0.1, peak=5), item_size=15_000)
def assessment(assessment_id: Uuid) -> None:
    """One assessment; somebody's own or the manager's by its computed id. [A1, A4]"""


class AssessmentLine(Projection, of=Assessment):
    """An assessment as lists have it."""

    assessment_id: Uuid
    plan_id: Uuid
    team_id: Uuid
    team_member_id: Uuid
    assessor_id: Uuid
    assessment_type: AssessmentType
    status: AssessmentStatus
    current_level: int | None = None
    answered: int
    total: int
    submitted_at: EpochMillis | None = None
    late: bool | None = None
    withdrawn_at: EpochMillis | None = None
    updated_at: EpochMillis


@query(Assessment, key="by_plan", into=AssessmentLine, component="api", rate=Rate(0.01), expect=2)
def assessments_of_member(plan_id: Uuid, team_member_id: Uuid) -> None:
    """Both assessments of a member in a plan. [A2]"""


@query(Assessment, key="by_member", into=AssessmentLine, component="api", rate=Rate(0.02), expect=8)
def assessments_of_user(team_member_id: Uuid) -> None:
    """All assessments of a user, in all plans. [A3]"""


@batch(component="report-builder", rate=Rate(0.01), expect=2, item_size=15_000)
def assessment_pair(plan_id: Uuid, team_member_id: Uuid) -> list[Get[Assessment]]:
    """A member's own assessment and the manager's. [A5]"""
    kinds: tuple[Literal["self", "manager"], ...] = ("self", "manager")
    return [assessment(ids.assessment_id(plan_id, team_member_id, kind)) for kind in kinds]


@query(Assessment, key="by_plan", into=AssessmentLine, component="api", rate=Rate(0.05), expect=20)
def board(plan_id: Uuid) -> None:
    """How far everybody in a plan is. [A6]"""


@batch(component="api", rate=Rate(0.05), expect=20, item_size=15_000)
def assessments(assessment_ids: Iterable[Uuid]) -> list[Get[Assessment]]:
    """Many assessments by their computed ids: somebody's tasks, or a heat map. [A7, A8]"""
    return [assessment(each) for each in assessment_ids]


# --- reports -------------------------------------------------------------------------------------


@get(Report, consistent=True, component="api", rate=Rate(0.05), item_size=8_000)
def report(report_id: Uuid) -> None:
    """One report; of a member in a plan by its computed id. [R1, R4]"""


class ReportLine(Projection, of=Report):
    """A report as lists have it."""

    report_id: Uuid
    plan_id: Uuid
    team_id: Uuid
    team_member_id: Uuid
    self_assessment_id: Uuid
    manager_assessment_id: Uuid
    season: str
    config_version: str
    final_level: int
    self_assessed_level: int
    category_levels: dict[str, CategoryLevel]
    summary: Summary
    status: ReportStatus
    generated_at: EpochMillis
    released_at: EpochMillis | None = None
    acknowledged_at: EpochMillis | None = None
    exported_at: EpochMillis | None = None
    open_actions: int = 0
    next_action_due: EpochMillis | None = None
    updated_at: EpochMillis


@query(Report, key="by_plan", into=ReportLine, component="api", rate=Rate(0.02), expect=10)
def reports_of_plan(plan_id: Uuid) -> None:
    """All reports of a plan. [R2]"""


@query(Report, key="by_member", into=ReportLine, component="api", rate=Rate(0.02), expect=4)
def reports_of_user(team_member_id: Uuid) -> None:
    """A user's reports over the years. [R3]"""


@query(
    Report,
    key="by_plan",
    into=ReportLine,
    filter=attr(Report.next_action_due) <= param("before"),
    component="reminders",
    rate=Rate(0.01),
    expect=1,
)
def due_actions(plan_id: Uuid, before: datetime) -> None:
    """Reports of a plan with an action that is due by then. [R5]"""


# --- ladders -------------------------------------------------------------------------------------


@get(ConfigVersion, consistent=True, component="api", rate=Rate(0.1, peak=5), item_size=60_000)
def config(config_id: Uuid) -> None:
    """One version of the ladder; by its number by its computed id. [C1, C5]"""


class ConfigLine(Projection, of=ConfigVersion):
    """A version as the index has it."""

    config_id: Uuid
    version: str
    created_by: Uuid
    created_at: EpochMillis


@find(
    ConfigVersion,
    key="active",
    into=ConfigLine,
    descending=True,
    component="api",
    rate=Rate(0.1, peak=5),
)
def active_config_line(is_active: Literal[1]) -> None:
    """The active version, as the index knows it; the latest if it should know two. [C2]"""


@scan(ConfigVersion, admin=True, component="api", rate=Rate(0.001), expect=5, item_size=60_000)
def all_configs() -> None:
    """Every version of the ladder, without the pointer beside them. [C3]"""


@get(ActiveConfig, consistent=True, component="api", rate=Rate(0.1, peak=5))
def active_config() -> None:
    """Which version is active. [C4]"""
