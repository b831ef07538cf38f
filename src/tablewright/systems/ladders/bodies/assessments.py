"""Assessments, as programs send and get them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, TypeAlias

from pydantic import BaseModel, Field, model_validator

from tablewright.service.bodies import shown
from tablewright.systems.ladders.bodies.common import Reason, lines
from tablewright.systems.ladders.fields import AssessmentStatus, AssessmentType
from tablewright.systems.ladders.rules.answers import Change

if TYPE_CHECKING:
    from tablewright.systems.ladders.entities import Assessment
    from tablewright.systems.ladders.service.assessments import FoundAssessment, ListedAssessment

#: Of one request.
MOST_CHANGES: Final = 32

# Which names and levels there are is looked at by the ladder, which says what is wrong.
NameIn: TypeAlias = Annotated[str, Field(min_length=1, max_length=80)]
LevelIn: TypeAlias = Annotated[int, Field(ge=1, le=10)]
TextIn: TypeAlias = Annotated[str, *lines(4000)]


class ChangeIn(BaseModel):
    """What is said about one competency. What is left out stays."""

    model_config = shown(
        category="Craft", competency="Coding", level=3, evidence="Led the move to the new pipeline."
    )

    category: NameIn
    competency: NameIn
    level: LevelIn | None = Field(default=None, description="null takes the level back.")
    about: LevelIn | None = Field(
        default=None,
        description="The level that the texts are about; without it, the one that is chosen.",
    )
    evidence: TextIn | None = None
    next_level_feedback: TextIn | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        told = self.evidence is not None or self.next_level_feedback is not None
        if not told and "level" not in self.model_fields_set:
            raise ValueError("needs a level, evidence or a next step")
        return self

    def change(self) -> Change:
        return Change(
            self.category,
            self.competency,
            "level" in self.model_fields_set,
            self.level,
            self.about,
            self.evidence,
            self.next_level_feedback,
        )


class SaveIn(BaseModel):
    """Some answers. What is left out stays."""

    model_config = shown(
        changes=[{"category": "Craft", "competency": "Coding", "level": 3}],
        goal_level=4,
        way_forward="Lead the design of the next service.",
    )

    changes: list[ChangeIn] = Field(default_factory=list, max_length=MOST_CHANGES)
    goal_level: LevelIn | None = None
    way_forward: Annotated[str, *lines(8000)] | None = None
    overall_level: LevelIn | None = Field(
        default=None,
        description="Of a manager's assessment: the overall level, where it is to differ from what "
        "the answers give. null takes it back.",
    )
    overall_reason: Annotated[str, *lines(2000)] | None = Field(
        default=None, description="Why it differs; needed to submit. The report shows it."
    )

    @property
    def is_empty(self) -> bool:
        """Nothing is to be changed."""
        return not self.changes and self.model_fields_set <= {"changes"}

    def answers(self) -> tuple[Change, ...]:
        return tuple(each.change() for each in self.changes)


class ReopenIn(BaseModel):
    """Why somebody is to go on with it."""

    model_config = shown(reason="A project was forgotten.")

    reason: Reason


# --- what is answered ----------------------------------------------------------------------------


class FeedbackOut(BaseModel):
    """What is said about one level."""

    evidence: str
    next_level_feedback: str


class ReopeningOut(BaseModel):
    """When somebody went on with it, and why."""

    by: str
    at: datetime
    reason: str


class AssessmentLineOut(BaseModel):
    """An assessment as lists have it."""

    assessment_id: str
    plan_id: str
    plan_name: str
    season: str
    team_id: str
    team_member_id: str
    assessor_id: str
    assessment_type: AssessmentType
    status: AssessmentStatus
    current_level: int | None = Field(description="null until it is there for you to see.")
    answered: int
    total: int
    submitted_at: datetime | None
    late: bool
    withdrawn_at: datetime | None
    updated_at: datetime


class AssessmentOut(BaseModel):
    """An assessment."""

    assessment_id: str
    plan_id: str
    team_id: str
    team_member_id: str
    assessor_id: str
    assessment_type: AssessmentType
    selections: dict[str, dict[str, int]] = Field(description="By category and competency.")
    feedback: dict[str, dict[str, dict[str, FeedbackOut]]] = Field(
        description="By category, competency and level."
    )
    current_level: int | None
    goal_level: int | None
    way_forward: str | None
    overall_level: int | None = Field(
        description="Set by the manager in place of the level that the answers give."
    )
    overall_reason: str | None
    answered: int
    total: int
    status: AssessmentStatus
    submitted_at: datetime | None
    late: bool
    withdrawn_at: datetime | None
    reopens: list[ReopeningOut]
    created_at: datetime
    updated_at: datetime
    revision: int


class AssessmentPageOut(AssessmentOut):
    """An assessment, and what the caller may do with it now."""

    config_id: str
    config_version: str
    season: str
    plan_name: str
    ends_at: datetime
    writable: bool = Field(description="Whether the caller can save and submit it now.")


def assessment_out(assessment: Assessment) -> AssessmentOut:
    return AssessmentOut(**_assessment(assessment))


def assessment_page_out(found: FoundAssessment) -> AssessmentPageOut:
    return AssessmentPageOut(
        **_assessment(found.assessment),
        config_id=found.plan.config_id,
        config_version=found.plan.config_version,
        season=found.plan.season,
        plan_name=found.plan.plan_name,
        ends_at=found.plan.end_date,
        writable=found.writable,
    )


def assessment_line_out(listed: ListedAssessment) -> AssessmentLineOut:
    line, plan = listed.line, listed.plan
    own = {name: getattr(line, name) for name in type(line).model_fields if name != "late"}
    return AssessmentLineOut(
        **own, late=bool(line.late), plan_name=plan.plan_name, season=plan.season
    )


def _assessment(assessment: Assessment) -> dict[str, Any]:
    made = assessment.model_dump(include=set(AssessmentOut.model_fields))
    return {**made, "late": bool(assessment.late), "reopens": made["reopens"] or []}
