"""Hackathons, their rubrics, and what visitors see of them."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, Field

from tablewright.service.bodies import LINES, PLAIN, Seconds, shown
from tablewright.systems.vibejudge.bodies.common import DecimalIn, Line, NumberOut, UsdOut
from tablewright.systems.vibejudge.entities import ALL_AGENTS, HackathonStatus, PolicyMode
from tablewright.systems.vibejudge.rules import scoring
from tablewright.systems.vibejudge.rules.phases import takes_submissions
from tablewright.systems.vibejudge.table import Agent, Provider

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.entities import Hackathon, HackathonDetail, Rubric
    from tablewright.systems.vibejudge.reads import PublicHackathon
    from tablewright.systems.vibejudge.rules.templates import Template

_RUBRIC: Final[dict[str, Any]] = {
    "name": "All-round",
    "dimensions": [
        {"name": "code_quality", "weight": 0.25, "agent": "bug_hunter"},
        {"name": "architecture", "weight": 0.25, "agent": "performance"},
        {"name": "innovation", "weight": 0.3, "agent": "innovation"},
        {"name": "authenticity", "weight": 0.2, "agent": "ai_detection"},
    ],
}
_EXAMPLE: Final[dict[str, Any]] = {
    "name": "Winter Code Jam",
    "description": "Two days, one idea.",
    "start_date": "2026-12-04T17:00:00Z",
    "end_date": "2026-12-06T17:00:00Z",
    "visibility": "public",
    "rubric": _RUBRIC,
    "ai_policy_mode": "ai_assisted",
    "budget_limit_usd": 5,
}


def _distinct(agents: list[Agent]) -> list[Agent]:
    if len(set(agents)) < len(agents):
        raise ValueError("an agent is named twice")
    return agents


Weight: TypeAlias = Annotated[DecimalIn, Field(ge=0, le=1)]


class DimensionIn(BaseModel):
    """What counts, how much, and which agent looks at it."""

    model_config = shown(**_RUBRIC["dimensions"][0])

    name: Annotated[str, Field(min_length=1, max_length=50, pattern=PLAIN)]
    weight: Weight
    agent: Agent
    description: Annotated[str, Field(max_length=500, pattern=LINES)] = ""


class RubricIn(BaseModel):
    """One to ten dimensions, whose weights sum to 1."""

    model_config = shown(**_RUBRIC)

    name: Line
    version: Annotated[str, Field(min_length=1, max_length=20, pattern=PLAIN)] = "1.0"
    max_score: Literal[100] = 100
    dimensions: Annotated[list[DimensionIn], Field(min_length=1, max_length=10)]


class AgentModelIn(BaseModel):
    """Which model an agent asks."""

    model_config = shown(label="quick", model_id="amazon.nova-lite-v1:0")

    label: Line
    model_id: Annotated[str, Field(min_length=1, max_length=200, pattern=PLAIN)]


class PolicyIn(BaseModel):
    """What a custom policy says."""

    model_config = shown(authenticity_weight=0.1)

    authenticity_weight: Annotated[DecimalIn, Field(ge=0, le=0.5)]


class HackathonIn(BaseModel):
    """A hackathon as it should be. What is left out has its default."""

    model_config = shown(**_EXAMPLE)

    name: Line
    description: Annotated[str, Field(max_length=4000, pattern=LINES)] | None = None
    visibility: Literal["private", "public"] = Field(
        default="private", description="A public one is in the gallery, once it is activated."
    )
    start_date: Seconds | None = Field(default=None, description="Needed to activate it.")
    end_date: Seconds | None = Field(
        default=None, description="Until then teams hand in; then their commits are frozen."
    )
    rubric: RubricIn
    agents_enabled: Annotated[
        list[Agent], Field(min_length=1, max_length=4), AfterValidator(_distinct)
    ] = Field(default_factory=lambda: list(ALL_AGENTS))
    agent_provider: Provider = Field(
        default="static", description="`static` calls no model, and costs nothing."
    )
    agent_models: dict[Agent, AgentModelIn] = Field(default_factory=dict)
    ai_policy_mode: PolicyMode = Field(
        default="ai_assisted", description="How much authenticity weighs; `custom` says it."
    )
    ai_policy_config: PolicyIn | None = None
    budget_limit_usd: Annotated[DecimalIn, Field(ge=0, le=10_000, decimal_places=9)] = Decimal(5)
    human_weight: Weight = Field(
        default=Decimal("0.5"), description="How much judges weigh against agents."
    )
    min_reviews: int = Field(default=2, ge=1, le=100, description="From so many on, judges count.")

    def settings(self) -> dict[str, object]:
        """What the hackathon takes over."""
        return self.model_dump()


class ReleaseIn(BaseModel):
    """How results are released: nothing needs to be said."""

    model_config = shown(close_rounds=True, public_ranks=10)

    close_rounds: bool = Field(
        default=False, description="Close rounds that judges are still at; else they are refused."
    )
    public_ranks: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="The public sees so many ranks; null is all. Teams always see their own.",
    )


class RubricDimensionOut(BaseModel):
    """A dimension of a rubric."""

    name: str
    weight: NumberOut
    agent: Agent
    description: str


class RubricOut(BaseModel):
    """What counts in a hackathon, and how much."""

    name: str
    version: str
    max_score: int
    dimensions: list[RubricDimensionOut]


class TemplateOut(BaseModel):
    """A rubric to begin with."""

    id: str
    about: str
    ai_policy_mode: PolicyMode
    rubric: RubricOut


class AgentModelOut(BaseModel):
    """The model that an agent asks."""

    label: str
    model_id: str


class PolicyOut(BaseModel):
    """What the custom policy says."""

    authenticity_weight: NumberOut


class HackathonRow(BaseModel):
    """A hackathon in its organiser's list."""

    hack_id: str
    name: str
    status: HackathonStatus
    submission_count: int
    created_at: datetime
    updated_at: datetime


class HackathonOut(BaseModel):
    """A hackathon. Its ETag is what a change is made with."""

    hack_id: str
    org_id: str
    name: str
    description: str | None
    status: HackathonStatus
    visibility: Literal["private", "public"]
    start_date: datetime | None
    end_date: datetime | None
    rubric: RubricOut
    effective_weights: dict[str, NumberOut] = Field(
        description="By dimension: what the policy makes of the rubric's weights."
    )
    agents_enabled: list[Agent]
    agent_provider: Provider
    agent_models: dict[Agent, AgentModelOut]
    ai_policy_mode: PolicyMode
    ai_policy_config: PolicyOut | None
    submission_count: int
    budget_limit_usd: UsdOut
    human_weight: NumberOut
    min_reviews: int
    active_job_id: str | None
    released_at: datetime | None
    public_ranks: int | None = Field(description="How many ranks the public sees; null is all.")
    created_at: datetime
    updated_at: datetime


class PublicRow(BaseModel):
    """A hackathon in the gallery."""

    hack_id: str
    name: str
    status: HackathonStatus
    start_date: datetime
    end_date: datetime | None


class PublicOut(BaseModel):
    """A hackathon, as everybody may see it: also how it is judged."""

    hack_id: str
    name: str
    description: str | None
    status: HackathonStatus
    start_date: datetime | None
    end_date: datetime | None
    open: bool = Field(description="Whether submissions are taken now.")
    submission_count: int
    rubric: RubricOut
    effective_weights: dict[str, NumberOut]
    ai_policy_mode: PolicyMode
    agent_provider: Provider
    released: bool


def effective_weights(hackathon: HackathonDetail) -> dict[str, Decimal]:
    """What each dimension weighs under the policy, with four decimals."""
    config = hackathon.ai_policy_config
    found = scoring.effective_weights(
        hackathon.rubric.dimensions,
        hackathon.ai_policy_mode,
        None if config is None else config.authenticity_weight,
    )
    return {name: round(scoring.to_nine(each), 4) for name, each in found.items()}


def rubric_out(rubric: Rubric) -> RubricOut:
    return RubricOut.model_validate(rubric.model_dump())


def template_out(template: Template) -> TemplateOut:
    return TemplateOut(
        id=template.id,
        about=template.about,
        ai_policy_mode=template.ai_policy_mode,
        rubric=rubric_out(template.rubric),
    )


def row_out(row: Hackathon) -> HackathonRow:
    return HackathonRow.model_validate(row.model_dump(include=set(HackathonRow.model_fields)))


def hackathon_out(hackathon: HackathonDetail) -> HackathonOut:
    shown_fields = hackathon.model_dump(include=set(HackathonOut.model_fields))
    return HackathonOut.model_validate(
        {**shown_fields, "effective_weights": effective_weights(hackathon)}
    )


def public_row(row: PublicHackathon) -> PublicRow:
    return PublicRow.model_validate(row.model_dump(include=set(PublicRow.model_fields)))


def public_out(hackathon: HackathonDetail, now: datetime) -> PublicOut:
    shown_fields = hackathon.model_dump(include=set(PublicOut.model_fields))
    return PublicOut.model_validate(
        {
            **shown_fields,
            "open": takes_submissions(hackathon, now),
            "effective_weights": effective_weights(hackathon),
            "released": hackathon.released_at is not None,
        }
    )
