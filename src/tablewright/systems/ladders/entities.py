"""Six tables: users, teams, plans, assessments, reports, ladders.

The names are logical; ``environments`` has those of an account. Attributes have the seed's names,
in camel case. An index has the attributes of fields as its keys: what is absent is not in it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from tablewright.model import (
    Entity,
    EpochMillis,
    Field,
    Index,
    Key,
    Number,
    Personal,
    Table,
    Uuid,
    Version,
)
from tablewright.systems.ladders import ids
from tablewright.systems.ladders.fields import (
    Activation,
    AssessmentStatus,
    AssessmentType,
    CategoryLevel,
    ConfigContent,
    ConfigVersionText,
    Email,
    FeedbackMap,
    GrowthAction,
    Heading,
    Ladder,
    Level,
    PlanStatus,
    Reopening,
    ReportStatus,
    Revisions,
    RoleName,
    Season,
    Selections,
    SubjectHash,
    Summary,
    Unmatched,
    Variance,
    camel,
)

#: Deploying puts in the environment that it is for.
TAGS = {"Environment": "dev", "Application": "osem-ladders"}

MAX_TEAMS_OF_USER = 20
MAX_MEMBERS = 200
MAX_MANAGED_TEAMS = 100
MAX_OPEN_PLANS = 20
#: Sign-ins of one user, each with another issuer.
MAX_SUBJECTS = 10


class Record(Entity):
    """What every item has: who made it, when, and how often it was written."""

    created_by: Uuid
    created_at: EpochMillis
    updated_at: EpochMillis
    revision: Version = 0


# --- users ---------------------------------------------------------------------------------------

user_table = Table("Users", pk="userId", discriminator="entity", tags=TAGS)


class User(Record, table=user_table, naming=camel, keys={"primary": Key("{user_id}")}):
    """Nobody has a role beyond team member without being given one."""

    user_id: Uuid
    #: None once erased.
    email: Email | None = None
    name: Annotated[str, Personal(), Field(min_length=1, max_length=100)]
    roles: set[RoleName] = Field(default_factory=set)
    team_ids: set[Uuid] = Field(default_factory=set, max_length=MAX_TEAMS_OF_USER)
    managed_team_ids: set[Uuid] = Field(default_factory=set, max_length=MAX_MANAGED_TEAMS)
    #: The sign-ins that lead here, so that erasure finds them.
    subject_hashes: set[SubjectHash] = Field(default_factory=set, max_length=MAX_SUBJECTS)
    is_active: bool = True


class EmailLock(Record, table=user_table, naming=camel, keys={"primary": Key("EMAIL#{email}")}):
    """An address belongs to one user."""

    email: Email
    owner_id: Uuid


class SubjectLink(
    Record, table=user_table, naming=camel, keys={"primary": Key("SUB#{subject_hash}")}
):
    """Whose sign-in it is."""

    subject_hash: SubjectHash
    owner_id: Uuid


# --- teams ---------------------------------------------------------------------------------------

team_table = Table(
    "Teams",
    pk="teamId",
    discriminator="entity",
    indexes=[Index("managerId-index", pk="managerId")],
    tags=TAGS,
)


class Team(
    Record,
    table=team_table,
    naming=camel,
    keys={
        "primary": Key("{team_id}"),
        "by_manager": Key("{manager_id}", on="managerId-index"),
    },
):
    team_id: Uuid
    team_name: str = Field(min_length=2, max_length=100)
    description: str | None = Field(default=None, max_length=1000)
    manager_id: Uuid | None = None
    #: The manager is not among them.
    member_ids: set[Uuid] = Field(default_factory=set, max_length=MAX_MEMBERS)
    open_plan_ids: set[Uuid] = Field(default_factory=set, max_length=MAX_OPEN_PLANS)
    is_active: bool = True


# --- plans ---------------------------------------------------------------------------------------

plan_table = Table(
    "AssessmentPlans",
    pk="planId",
    discriminator="entity",
    indexes=[Index("teamId-index", pk="teamId"), Index("status-index", pk="status")],
    tags=TAGS,
)


def _plan_id(data: dict[str, Any]) -> str:
    return ids.plan_id(data["team_id"], data["season"])


class Plan(
    Record,
    table=plan_table,
    naming=camel,
    keys={
        "primary": Key("{plan_id}"),
        "by_team": Key("{team_id}", on="teamId-index"),
        "by_status": Key("{status}", on="status-index"),
    },
):
    """A review of one team in one season."""

    team_id: Uuid
    season: Season
    plan_id: Uuid = Field(default_factory=_plan_id)
    plan_name: str = Field(min_length=2, max_length=100)
    description: str | None = Field(default=None, max_length=2000)
    start_date: EpochMillis
    end_date: EpochMillis
    status: PlanStatus = "draft"
    config_id: Uuid
    config_version: ConfigVersionText
    #: The roster, from activation on.
    member_ids: set[Uuid] = Field(default_factory=set, max_length=MAX_MEMBERS)
    #: A difference of so many levels is worth discussing.
    flag_threshold: int = Field(default=2, ge=1, le=9)
    require_all: bool = True
    activation: Activation | None = None


# --- assessments ---------------------------------------------------------------------------------

#: What a list of assessments shows.
ASSESSMENT_LINE = (
    "teamId",
    "assessorId",
    "assessmentType",
    "status",
    "currentLevel",
    "answered",
    "total",
    "submittedAt",
    "late",
    "withdrawnAt",
    "updatedAt",
)

assessment_table = Table(
    "Assessments",
    pk="assessmentId",
    discriminator="entity",
    indexes=[
        Index("planId-teamMemberId-index", pk="planId", sk="teamMemberId", include=ASSESSMENT_LINE),
        Index("teamMemberId-index", pk="teamMemberId", include=("planId", *ASSESSMENT_LINE)),
    ],
    stream="NEW_AND_OLD_IMAGES",
    tags=TAGS,
)


def _assessment_id(data: dict[str, Any]) -> str:
    return ids.assessment_id(data["plan_id"], data["team_member_id"], data["assessment_type"])


class Assessment(
    Record,
    table=assessment_table,
    naming=camel,
    keys={
        "primary": Key("{assessment_id}"),
        "by_plan": Key("{plan_id}", "{team_member_id}", on="planId-teamMemberId-index"),
        "by_member": Key("{team_member_id}", on="teamMemberId-index"),
    },
):
    """One member, seen by themselves or by the manager."""

    plan_id: Uuid
    team_member_id: Uuid
    assessment_type: AssessmentType
    assessment_id: Uuid = Field(default_factory=_assessment_id)
    team_id: Uuid
    #: Who saved it last; a manager's successor goes on with the draft.
    assessor_id: Uuid
    #: The maps of all categories, and in ``feedback`` of all competencies, are there from the
    #: beginning, since a change inside a map needs it.
    selections: Selections = Field(default_factory=dict)
    feedback: FeedbackMap = Field(default_factory=dict)
    current_level: Level | None = None
    goal_level: Level | None = None
    way_forward: Annotated[str, Personal()] | None = Field(default=None, max_length=8000)
    #: Of a manager's assessment: another overall level than the answers give, and why.
    overall_level: Level | None = None
    overall_reason: Annotated[str, Personal()] | None = Field(default=None, max_length=2000)
    answered: int = Field(default=0, ge=0)
    total: int = Field(ge=0)
    status: AssessmentStatus = "not_started"
    submitted_at: EpochMillis | None = None
    late: bool | None = None
    withdrawn_at: EpochMillis | None = None
    reopens: list[Reopening] | None = Field(default=None, max_length=20)


# --- reports -------------------------------------------------------------------------------------

#: What a list of reports shows.
REPORT_LINE = (
    "selfAssessmentId",
    "managerAssessmentId",
    "season",
    "configVersion",
    "finalLevel",
    "selfAssessedLevel",
    "categoryLevels",
    "summary",
    "status",
    "generatedAt",
    "releasedAt",
    "acknowledgedAt",
    "exportedAt",
    "openActions",
    "nextActionDue",
    "updatedAt",
)

report_table = Table(
    "AssessmentReports",
    pk="reportId",
    discriminator="entity",
    indexes=[
        Index("planId-index", pk="planId", include=("teamId", "teamMemberId", *REPORT_LINE)),
        Index("teamMemberId-index", pk="teamMemberId", include=("teamId", "planId", *REPORT_LINE)),
    ],
    tags=TAGS,
)


def _report_id(data: dict[str, Any]) -> str:
    return ids.report_id(data["plan_id"], data["team_member_id"])


VarianceMap: TypeAlias = dict[Heading, dict[Heading, Variance]]


class Report(
    Record,
    table=report_table,
    naming=camel,
    keys={
        "primary": Key("{report_id}"),
        "by_plan": Key("{plan_id}", on="planId-index"),
        "by_member": Key("{team_member_id}", on="teamMemberId-index"),
    },
):
    """Both assessments of a member side by side, and what follows from them."""

    plan_id: Uuid
    team_member_id: Uuid
    report_id: Uuid = Field(default_factory=_report_id)
    team_id: Uuid
    season: Season
    config_version: ConfigVersionText
    self_assessment_id: Uuid
    manager_assessment_id: Uuid
    source_revisions: Revisions
    #: The manager's.
    final_level: Level
    #: What the manager's answers give, where the manager has set another level; and why.
    calculated_level: Level | None = None
    override_reason: Annotated[str, Personal()] | None = Field(default=None, max_length=2000)
    self_assessed_level: Level
    category_levels: dict[Heading, CategoryLevel]
    variance: VarianceMap
    unmatched: list[Unmatched] = Field(default_factory=list)
    summary: Summary
    flag_threshold: int = Field(ge=1, le=9)
    goal_level: Level
    way_forward: Annotated[str, Personal()] | None = Field(default=None, max_length=8000)
    status: ReportStatus = "generated"
    generated_at: EpochMillis
    released_at: EpochMillis | None = None
    acknowledged_at: EpochMillis | None = None
    ack_comment: Annotated[str, Personal()] | None = Field(default=None, max_length=2000)
    exported_at: EpochMillis | None = None
    #: By id; they stay when the report is made anew.
    actions: dict[str, GrowthAction] = Field(default_factory=dict, max_length=20)
    open_actions: int = Field(default=0, ge=0)
    next_action_due: EpochMillis | None = None


# --- ladders -------------------------------------------------------------------------------------

config_table = Table(
    "ConfigVersions",
    pk="configId",
    discriminator="entity",
    indexes=[
        Index(
            "isActive-index",
            pk=Number("isActive"),
            sk=Number("createdAt"),
            include=("version", "createdBy"),
        )
    ],
    tags=TAGS,
)


def _config_id(data: dict[str, Any]) -> str:
    return ids.config_id(data["version"])


class ConfigVersion(
    Record,
    table=config_table,
    naming=camel,
    keys={
        "primary": Key("{config_id}"),
        "active": Key("{is_active}", "{created_at}", on="isActive-index"),
    },
):
    """One version of the ladder, as text and as it was read."""

    version: ConfigVersionText
    config_id: Uuid = Field(default_factory=_config_id)
    config_content: ConfigContent
    parsed_config: Ladder
    #: A number, since BOOL cannot be a key; absent in all versions but one.
    is_active: Literal[1] | None = None


class ActiveConfig(Record, table=config_table, naming=camel, keys={"primary": Key("ACTIVE")}):
    """Which version is active: what a consistent read of it goes by."""

    active_config_id: Uuid
    previous_config_id: Uuid | None = None
    version: ConfigVersionText
