"""The items of the demo: a company with three teams in the middle of its autumn review."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TypeVar

from tablewright.model import Entity
from tablewright.systems.ladders import ids
from tablewright.systems.ladders.entities import (
    ActiveConfig,
    Assessment,
    ConfigVersion,
    EmailLock,
    Plan,
    Record,
    Report,
    SubjectLink,
    Team,
    User,
)
from tablewright.systems.ladders.fields import (
    Activation,
    AssessmentStatus,
    AssessmentType,
    Category,
    CategoryLevel,
    Competency,
    Feedback,
    GrowthAction,
    Ladder,
    LadderLevel,
    PlanStatus,
    ReportStatus,
    Revisions,
    RoleName,
    Summary,
    Variance,
)
from tablewright.systems.ladders.reminding import Reminded

R = TypeVar("R", bound=Record)

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)
FOUNDED = datetime(2026, 9, 1, 8, tzinfo=UTC)
ISSUER = "https://id.example.com"

#: What the ladder asks for.
COMPETENCIES = {
    "Craft": ("Coding", "Design"),
    "Delivery": ("Planning", "Ownership"),
}
LEVELS = ("Begins", "Does it with help", "Does it alone", "Helps others", "Sets the standard")


def uuid(kind: int, number: int) -> str:
    """An id that is the same every time: 1 a user, 2 a team, 3 an action."""
    return f"{kind:08x}-0000-4000-8000-{number:012x}"


def stored(record: R, revision: int = 1) -> R:
    """An item as it is after it was written so often."""
    return record.model_copy(update={"revision": revision})


# --- people --------------------------------------------------------------------------------------

ADMIN, MANAGER, SECOND_MANAGER = 1, 2, 3
_NAMES = ("Ines", "Omar", "Judith", "Kofi", "Lina", "Mateo", "Nora", "Pavel", "Qi", "Ruth")


def user(
    number: int,
    *roles: RoleName,
    teams: tuple[int, ...] = (),
    managed: tuple[int, ...] = (),
    active: bool = True,
) -> User:
    name = _NAMES[number % len(_NAMES)]
    return User(
        user_id=uuid(1, number),
        email=f"{name.lower()}.{number}@example.com",
        name=f"{name} Example",
        roles=set(roles),
        team_ids={uuid(2, each) for each in teams},
        managed_team_ids={uuid(2, each) for each in managed},
        subject_hashes={ids.subject_hash(ISSUER, uuid(1, number))},
        is_active=active,
        created_by=uuid(1, ADMIN),
        created_at=FOUNDED,
        updated_at=FOUNDED,
    )


def known(who: User) -> Iterator[Entity]:
    """A user with the lock and the link."""
    assert who.email is not None
    yield who
    yield EmailLock(
        email=who.email,
        owner_id=who.user_id,
        created_by=who.created_by,
        created_at=who.created_at,
        updated_at=who.created_at,
    )
    for each in who.subject_hashes:
        yield SubjectLink(
            subject_hash=each,
            owner_id=who.user_id,
            created_by=who.created_by,
            created_at=who.created_at,
            updated_at=who.created_at,
        )


def team(number: int, manager: int | None, *members: int, open_plans: bool = False) -> Team:
    found = {ids.plan_id(uuid(2, number), "2026-H2")} if open_plans else set()
    return Team(
        team_id=uuid(2, number),
        team_name=("Platform", "Payments", "Mobile", "Data")[number % 4],
        description="Builds what others build on.",
        manager_id=None if manager is None else uuid(1, manager),
        member_ids={uuid(1, each) for each in members},
        open_plan_ids=found,
        created_by=uuid(1, ADMIN),
        created_at=FOUNDED,
        updated_at=FOUNDED,
    )


# --- reviews -------------------------------------------------------------------------------------


def ladder() -> Ladder:
    steps = [
        LadderLevel(level=number, description=text, detail=f"{text}, as the team agreed on it.")
        for number, text in enumerate(LEVELS, 1)
    ]
    found = [
        Category(name=name, competencies=[Competency(name=each, levels=steps) for each in inside])
        for name, inside in COMPETENCIES.items()
    ]
    return Ladder(level_names=list(LEVELS), categories=found)


def config(version: str, active: bool = False) -> ConfigVersion:
    lines = [f"# {name}" for name in COMPETENCIES]
    return ConfigVersion(
        version=version,
        config_content="\n\n".join(lines) + "\n",
        parsed_config=ladder(),
        is_active=1 if active else None,
        created_by=uuid(1, ADMIN),
        created_at=FOUNDED + timedelta(days=int(version[0])),
        updated_at=FOUNDED + timedelta(days=int(version[0])),
    )


def pointer(version: str, before: str | None) -> ActiveConfig:
    return ActiveConfig(
        active_config_id=ids.config_id(version),
        previous_config_id=None if before is None else ids.config_id(before),
        version=version,
        created_by=uuid(1, ADMIN),
        created_at=FOUNDED,
        updated_at=FOUNDED,
    )


def plan(
    of: int, season: str, status: PlanStatus, *roster: int, activation: Activation | None = None
) -> Plan:
    return Plan(
        team_id=uuid(2, of),
        season=season,
        plan_name=f"Review {season}",
        start_date=datetime(2026, 10, 1, tzinfo=UTC),
        end_date=datetime(2026, 11, 30, tzinfo=UTC),
        status=status,
        config_id=ids.config_id("1.0.0"),
        config_version="1.0.0",
        member_ids={uuid(1, each) for each in roster},
        activation=activation,
        created_by=uuid(1, MANAGER),
        created_at=FOUNDED,
        updated_at=FOUNDED,
    )


def assessment(
    of: Plan, member: int, kind: AssessmentType, status: AssessmentStatus, level: int = 0
) -> Assessment:
    """With the maps of the ladder, and the same level everywhere if there is one."""
    said = Feedback(evidence="Led the move to the new pipeline.", next_level_feedback="Teach it.")
    submitted = status == "submitted"
    return Assessment(
        plan_id=of.plan_id,
        team_member_id=uuid(1, member),
        assessment_type=kind,
        team_id=of.team_id,
        assessor_id=uuid(1, member if kind == "self" else MANAGER),
        selections={
            category: dict.fromkeys(inside, level) if level else {}
            for category, inside in COMPETENCIES.items()
        },
        feedback={
            category: {each: {str(level): said} if level else {} for each in inside}
            for category, inside in COMPETENCIES.items()
        },
        current_level=level if submitted else None,
        answered=4 if level else 0,
        total=4,
        status=status,
        submitted_at=NOW - timedelta(days=1) if submitted else None,
        created_by=uuid(1, MANAGER),
        created_at=FOUNDED,
        updated_at=FOUNDED,
    )


def report(of: Plan, member: int, status: ReportStatus = "generated") -> Report:
    score = Variance(self_score=3, manager_score=4, difference=1)
    return Report(
        plan_id=of.plan_id,
        team_member_id=uuid(1, member),
        team_id=of.team_id,
        season=of.season,
        config_version=of.config_version,
        self_assessment_id=ids.assessment_id(of.plan_id, uuid(1, member), "self"),
        manager_assessment_id=ids.assessment_id(of.plan_id, uuid(1, member), "manager"),
        source_revisions=Revisions(own=1, manager=1),
        final_level=4,
        self_assessed_level=3,
        category_levels={name: CategoryLevel(own=3, manager=4) for name in COMPETENCIES},
        variance={
            category: dict.fromkeys(inside, score) for category, inside in COMPETENCIES.items()
        },
        summary=Summary(matched=4, flagged=0, mean=Decimal(1), mean_absolute=Decimal(1)),
        flag_threshold=2,
        goal_level=5,
        way_forward="Lead the design of the next service.",
        status=status,
        generated_at=NOW - timedelta(hours=12),
        released_at=NOW - timedelta(hours=6) if status == "released" else None,
        created_by=uuid(1, MANAGER),
        created_at=NOW - timedelta(hours=12),
        updated_at=NOW - timedelta(hours=12),
    )


def action(days: int) -> GrowthAction:
    return GrowthAction(title="Run the design review", due_at=NOW + timedelta(days=days))


def with_action(of: Report, days: int) -> Report:
    made = action(days)
    return of.model_copy(
        update={
            "actions": {uuid(3, 1): made},
            "open_actions": 1,
            "next_action_due": made.due_at,
        }
    )


#: The team that is being reviewed, and its plan.
CURRENT = plan(0, "2026-H2", "active", 4, 5, 6)


def reminded() -> Reminded:
    """The manager has asked one of them."""
    return Reminded(
        about_plan_id=CURRENT.plan_id,
        kind="asked",
        day=NOW.date(),
        user_ids={uuid(1, 6)},
        created_by=uuid(1, MANAGER),
        created_at=NOW,
        updated_at=NOW,
    )


def items() -> tuple[Entity, ...]:
    half_way = Activation(by=uuid(1, MANAGER), at=NOW - timedelta(hours=1))
    return (
        *known(user(ADMIN, "admin")),
        *known(user(MANAGER, "manager", managed=(0, 1))),
        *known(user(SECOND_MANAGER, "manager")),
        *(each for number in (4, 5, 6) for each in known(user(number, teams=(0,)))),
        *(each for number in (7, 8) for each in known(user(number, teams=(1,)))),
        *known(user(9)),
        *known(user(10, active=False)),
        team(0, MANAGER, 4, 5, 6, open_plans=True),
        team(1, MANAGER, 7, 8, open_plans=True),
        team(2, None),
        config("1.0.0", active=True),
        config("2.0.0"),
        pointer("1.0.0", None),
        CURRENT,
        reminded(),
        plan(0, "2026-H1", "completed", 4, 5),
        plan(0, "2027-H1", "draft"),
        plan(1, "2026-H1", "completed", 7, 8),
        plan(1, "2026-H2", "draft", 7, 8, activation=half_way),
        plan(1, "2027-H1", "draft"),
        assessment(CURRENT, 4, "self", "submitted", 3),
        assessment(CURRENT, 4, "manager", "submitted", 4),
        assessment(CURRENT, 5, "self", "in_progress", 3),
        assessment(CURRENT, 5, "manager", "not_started"),
        assessment(CURRENT, 6, "self", "not_started"),
        assessment(CURRENT, 6, "manager", "in_progress", 2),
        with_action(report(plan(0, "2026-H1", "completed", 4, 5), 4, "released"), 5),
        report(plan(0, "2026-H1", "completed", 4, 5), 5, "generated"),
    )
