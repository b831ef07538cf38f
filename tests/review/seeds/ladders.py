"""OSEM Ladders: assessments on a career ladder, in six tables."""

from __future__ import annotations

from collections.abc import Iterator

from tests.review.seeds.parts import numbers, texts

from tablewright.review.design import (
    Attribute,
    Definition,
    Design,
    Entity,
    Figure,
    Index,
    Key,
    Pattern,
    Table,
    Unique,
)


def design() -> Design:
    return Design.of(
        "ladders",
        *TABLES,
        *_definitions(),
        *ENTITIES,
        *PEOPLE_READS,
        *ASSESSMENT_READS,
        *CONFIG_READS,
        *WRITES,
        *FIGURES,
        # "Audit fields: createdAt, updatedAt, createdBy (all tables)."
        common=("createdAt", "updatedAt", "createdBy"),
    )


TABLES = (
    Table("osem-{env}-Users", pk="userId", durable=True),
    Table(
        "osem-{env}-Teams",
        pk="teamId",
        indexes=(Index("managerId-index", pk="managerId"),),
        durable=True,
    ),
    Table(
        "osem-{env}-AssessmentPlans",
        pk="planId",
        indexes=(Index("teamId-index", pk="teamId"), Index("status-index", pk="status")),
        durable=True,
    ),
    Table(
        "osem-{env}-Assessments",
        pk="assessmentId",
        indexes=(
            Index("planId-teamMemberId-index", pk="planId", sk="teamMemberId"),
            Index("teamMemberId-index", pk="teamMemberId"),
        ),
        durable=True,
    ),
    Table(
        "osem-{env}-AssessmentReports",
        pk="reportId",
        indexes=(
            Index("planId-index", pk="planId"),
            Index("teamMemberId-index", pk="teamMemberId"),
        ),
        durable=True,
    ),
    Table(
        "osem-{env}-ConfigVersions",
        pk="configId",
        indexes=(Index("isActive-index", pk="isActive:N", sk="createdAt:N"),),
        durable=True,
    ),
)


def _definitions() -> Iterator[Definition]:
    """The bodies of CreateTable: the same keys as above, on demand, with two tags."""
    for table in TABLES:
        names = {each.name: each.type for each in table.partition}
        for index in table.indexes:
            names |= {each.name: each.type for each in (*index.partition, *index.sort)}
        body: dict[str, object] = {
            "TableName": table.name,
            "KeySchema": _schema(table),
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": kind} for name, kind in names.items()
            ],
            "BillingMode": "PAY_PER_REQUEST",
            "Tags": [
                {"Key": "Environment", "Value": "{env}"},
                {"Key": "Application", "Value": "osem-ladders"},
            ],
        }
        if table.indexes:
            body["GlobalSecondaryIndexes"] = [
                {
                    "IndexName": index.name,
                    "KeySchema": _schema(index),
                    "Projection": {"ProjectionType": "ALL"},
                }
                for index in table.indexes
            ]
        yield Definition(table.name, "DynamoDB Schema", body)


def _schema(owner: Table | Index) -> list[dict[str, str]]:
    return [
        *({"AttributeName": each.name, "KeyType": "HASH"} for each in owner.partition),
        *({"AttributeName": each.name, "KeyType": "RANGE"} for each in owner.sort),
    ]


# --- entities ------------------------------------------------------------------------------------


def _uuids(*names: str) -> tuple[Attribute, ...]:
    return texts(*names, format="uuid")


_STAMPS = numbers("createdAt", "updatedAt", format="epoch_millis")

_SELECTIONS = {
    "Technical Execution": {"Coding": 3, "System Design": 4},
    "Impact": {"Project Leadership": 3},
}
_FEEDBACK = {
    "Technical Execution": {
        "Coding": {
            "3": {
                "evidence": "Led migration to microservices architecture...",
                "nextLevelFeedback": "Demonstrate system design for distributed systems...",
            }
        },
        "System Design": {
            "4": {
                "evidence": "Designed scalable data pipeline...",
                "nextLevelFeedback": "Lead architectural discussions across teams...",
            }
        },
    }
}
_VARIANCE = {
    "Technical Execution": {
        "Coding": {"selfScore": 3, "managerScore": 4, "difference": 1},
        "System Design": {"selfScore": 4, "managerScore": 4, "difference": 0},
    }
}
_PARSED = {
    "categories": [
        {
            "name": "Technical Execution",
            "competencies": [
                {
                    "name": "Coding",
                    "levels": [
                        {"level": 1, "description": "..."},
                        {"level": 2, "description": "..."},
                    ],
                }
            ],
        }
    ]
}

USER = Entity(
    "User",
    "osem-{env}-Users",
    keys=(Key("{userId}"),),
    attributes=(
        *_uuids("userId"),
        *texts("email", format="email", personal=True),
        *texts("name", personal=True),
        # ['admin', 'manager', 'team_member']: required, whoever has none of them.
        Attribute("roles", "SS", max_items=3, may_be_empty=True),
        *_STAMPS,
    ),
    unique=(Unique("email"),),
    expected=100,
)

TEAM = Entity(
    "Team",
    "osem-{env}-Teams",
    keys=(Key("{teamId}"), Key("{managerId}", on="managerId-index")),
    attributes=(
        *_uuids("teamId"),
        *texts("teamName"),
        *texts("description", required=False),
        # Required; a team whose manager left has none.
        Attribute("managerId", format="uuid", refers="User.userId", mutable=True, nullable=True),
        # Required; a new team has no members yet.
        Attribute("memberIds", "SS", may_be_empty=True, refers="User.userId"),
        *texts("createdBy"),
        *_STAMPS,
        Attribute("isActive", "BOOL"),
    ),
    expected=20,
)

PLAN = Entity(
    "AssessmentPlan",
    "osem-{env}-AssessmentPlans",
    keys=(
        Key("{planId}"),
        Key("{teamId}", on="teamId-index"),
        Key("{status}", on="status-index"),
    ),
    attributes=(
        *_uuids("planId"),
        Attribute("teamId", format="uuid", refers="Team.teamId"),
        *texts("planName"),
        *texts("description", required=False),
        *texts("season", examples=("2025-Q1", "H1-2025")),
        *numbers("startDate", "endDate", format="epoch_millis"),
        Attribute("status", values=("draft", "active", "completed", "archived"), mutable=True),
        # "Reference to career ladder config version."
        Attribute("configVersion", refers="ConfigVersion.version"),
        *texts("createdBy"),
        *_STAMPS,
    ),
    expected=40,
)

ASSESSMENT = Entity(
    "Assessment",
    "osem-{env}-Assessments",
    keys=(
        Key("{assessmentId}"),
        Key("{planId}", "{teamMemberId}", on="planId-teamMemberId-index"),
        Key("{teamMemberId}", on="teamMemberId-index"),
    ),
    attributes=(
        *_uuids("assessmentId"),
        Attribute("planId", format="uuid", refers="AssessmentPlan.planId"),
        Attribute("teamId", format="uuid", refers="Team.teamId"),
        Attribute("teamMemberId", format="uuid", refers="User.userId"),
        Attribute("assessmentType", values=("self", "manager")),
        *texts("assessorId"),
        # { category: { competency: level }}
        Attribute("selections", "M", depth=2, may_be_empty=True, examples=(_SELECTIONS,)),
        # { category: { competency: { level: { evidence, nextLevelFeedback } } } }
        Attribute("feedback", "M", depth=4, may_be_empty=True, examples=(_FEEDBACK,)),
        # "Yes: Overall career level", from 'not_started' on.
        Attribute("currentLevel", "N"),
        *texts("wayForward", required=False),
        Attribute("status", values=("not_started", "in_progress", "submitted"), mutable=True),
        # "Only if submitted."
        Attribute("submittedAt", "N", required=False, required_when={"status": "submitted"}),
        *_STAMPS,
    ),
    # One self and one manager assessment of each member and plan.
    unique=(Unique(("planId", "teamMemberId", "assessmentType")),),
    expected=16_000,
)

REPORT = Entity(
    "AssessmentReport",
    "osem-{env}-AssessmentReports",
    keys=(
        Key("{reportId}"),
        Key("{planId}", on="planId-index"),
        Key("{teamMemberId}", on="teamMemberId-index"),
    ),
    attributes=(
        *_uuids("reportId"),
        Attribute("planId", format="uuid", refers="AssessmentPlan.planId"),
        Attribute("teamMemberId", format="uuid", refers="User.userId"),
        Attribute("selfAssessmentId", format="uuid", refers="Assessment.assessmentId"),
        Attribute("managerAssessmentId", format="uuid", refers="Assessment.assessmentId"),
        *numbers("finalLevel", "selfAssessedLevel"),
        Attribute("variance", "M", depth=3, examples=(_VARIANCE,)),
        *numbers("generatedAt", format="epoch_millis"),
        *numbers("exportedAt", required=False, format="epoch_millis"),
    ),
    expected=8_000,
)

CONFIG = Entity(
    "ConfigVersion",
    "osem-{env}-ConfigVersions",
    keys=(Key("{configId}"), Key("{isActive}", "{createdAt}", on="isActive-index")),
    attributes=(
        *_uuids("configId"),
        *texts("version", examples=("1.0.0",)),
        # "Full Markdown content", and "cached parsed structure" of the same; no limit is given.
        *texts("configContent", free_text=True),
        Attribute("parsedConfig", "M", examples=(_PARSED,)),
        *texts("createdBy"),
        *numbers("createdAt", format="epoch_millis"),
        # A Boolean among the attributes; "Number: 0 or 1" in the index.
        Attribute("isActive", "BOOL", types_elsewhere=("N",), mutable=True),
    ),
    expected=5,
)

ENTITIES = (USER, TEAM, PLAN, ASSESSMENT, REPORT, CONFIG)

# --- patterns ------------------------------------------------------------------------------------

PEOPLE_READS = (
    Pattern("get_user", "get", "User", key={"userId": "{userId}"}),
    Pattern("list_users", "scan", "User", admin=True, paged=True),
    Pattern("get_team", "get", "Team", key={"teamId": "{teamId}"}),
    Pattern(
        "teams_of_manager",
        "query",
        "Team",
        index="managerId-index",
        key={"managerId": "{managerId}"},
        # Who manages a team may read its assessments.
        fresh=True,
    ),
    Pattern(
        "list_teams",
        "scan",
        "Team",
        filter="isActive = :true",
        values={":true": {"BOOL": True}},
        # "Paginated": a page at a time, of a size that is not said.
        limit=100,
        admin=True,
    ),
    # A member's start page; the roster is a set on the team.
    Pattern("teams_of_member", "query", "Team", by=("memberIds",), wish=True),
)

ASSESSMENT_READS = (
    Pattern("get_plan", "get", "AssessmentPlan", key={"planId": "{planId}"}),
    Pattern(
        "plans_of_team",
        "query",
        "AssessmentPlan",
        index="teamId-index",
        key={"teamId": "{teamId}"},
        order="startDate",
    ),
    *(
        Pattern(
            f"{status}_plans",
            "query",
            "AssessmentPlan",
            index="status-index",
            key={"status": status},
        )
        for status in ("active", "completed")
    ),
    Pattern("get_assessment", "get", "Assessment", key={"assessmentId": "{assessmentId}"}),
    Pattern(
        "assessments_of_plan_member",
        "query",
        "Assessment",
        index="planId-teamMemberId-index",
        key={"planId": "{planId}", "teamMemberId": "{teamMemberId}"},
        # Both have to be submitted before a report is made.
        fresh=True,
    ),
    Pattern(
        "assessments_of_user",
        "query",
        "Assessment",
        index="teamMemberId-index",
        key={"teamMemberId": "{teamMemberId}"},
        reads=("assessmentId", "planId", "assessmentType", "status", "currentLevel"),
    ),
    Pattern("get_report", "get", "AssessmentReport", key={"reportId": "{reportId}"}),
    Pattern(
        "reports_of_plan",
        "query",
        "AssessmentReport",
        index="planId-index",
        key={"planId": "{planId}"},
        reads=("reportId", "teamMemberId", "finalLevel", "selfAssessedLevel"),
    ),
    Pattern(
        "reports_of_user",
        "query",
        "AssessmentReport",
        index="teamMemberId-index",
        key={"teamMemberId": "{teamMemberId}"},
        # "Career progression", "historical progression".
        order="generatedAt",
        reads=("reportId", "planId", "finalLevel", "generatedAt"),
    ),
)

CONFIG_READS = (
    Pattern("get_config", "get", "ConfigVersion", key={"configId": "{configId}"}),
    Pattern(
        "active_config",
        "query",
        "ConfigVersion",
        index="isActive-index",
        key={"isActive": "1"},
        options={"SortKeyCondition": "desc", "Limit": 1},
        limit=1,
        # "Only one active config at a time": what plans are made with.
        fresh=True,
    ),
    Pattern("list_configs", "scan", "ConfigVersion", order="createdAt", admin=True),
)

#: The document has no writes; the states and sets of its attributes imply these.
WRITES = (
    Pattern("create_user", "put", "User", wish=True),
    Pattern("create_team", "put", "Team", wish=True),
    Pattern("create_plan", "put", "AssessmentPlan", wish=True),
    Pattern("create_assessment", "put", "Assessment", wish=True),
    Pattern(
        "save_assessment",
        "update",
        "Assessment",
        sets=("selections", "feedback", "currentLevel", "wayForward", "status", "updatedAt"),
        existing=True,
        after_read=True,
        wish=True,
    ),
    Pattern("create_report", "put", "AssessmentReport", after_read=True, wish=True),
    Pattern("create_config", "put", "ConfigVersion", wish=True),
)

FIGURES = (
    Figure("plans a year", 40, formula="4 * 10"),
    # "~400 rows/plan (10 teams * 10 members * 2 assessments) = ~16,000 rows/year".
    Figure("assessments of a plan", 400, formula="10 * 10 * 2"),
    Figure("assessments a year", 16_000, formula="400 * 40"),
    # "~200 rows/plan (10 teams * 10 members) = ~8,000 rows/year".
    Figure("reports of a plan", 200, formula="10 * 10"),
    Figure("reports a year", 8_000, formula="200 * 40"),
)
