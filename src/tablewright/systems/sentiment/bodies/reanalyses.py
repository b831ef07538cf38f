"""Comparisons of models."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from tablewright.service.bodies import Millis
from tablewright.systems.sentiment.bodies.models import VersionText
from tablewright.systems.sentiment.bodies.moments import Moment
from tablewright.systems.sentiment.config import Job, JobState
from tablewright.systems.sentiment.rules.ids import shown_id

_EXAMPLE: Final[dict[str, Any]] = {
    "model_version": "v1.2.0+finbert",
    "since": "2026-11-13T00:00:00Z",
    "until": "2026-11-20T00:00:00Z",
}
_NUMBER = PlainSerializer(float, return_type=float, when_used="json")
Share = Annotated[Decimal, _NUMBER]


class ReanalysisIn(BaseModel):
    """Which model to compare with the active one, over which time."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_extra={"examples": [_EXAMPLE]}
    )

    model_version: VersionText
    since: Millis = Field(description="At most 30 days ago.")
    until: Millis = Field(description="What lies in the future is now.")


class ComparisonOut(BaseModel):
    """How the two agree, as far as the job has come."""

    agreement: Share = Field(description="The share of articles with the same label.")
    kappa: Share = Field(description="Cohen's: agreement beyond chance, at most 1.")
    matrix: dict[str, dict[str, int]] = Field(description="Old label to new label to articles.")
    overrides: int = Field(description="Articles that people have given a label.")
    accuracy_on_overrides: Share | None = Field(
        description="How often the new model says the same."
    )
    old_accuracy_on_overrides: Share | None = Field(description="How often the old one did.")
    changed: int
    changed_ids: list[str] = Field(description="The first of those whose label changes.")


class ReanalysisOut(BaseModel):
    """A comparison of a model with the one that was active, and its promotion."""

    job_id: str
    state: JobState
    model_version: str
    old_version: str
    since: Moment
    until: Moment
    cursor: Moment | None = Field(description="How far it has come.")
    done: int
    skipped: int = Field(description="Articles that could not be judged or changed.")
    flipped_at: Moment | None = Field(description="When the model became the active one.")
    report: ComparisonOut | None


def job_out(job: Job) -> ReanalysisOut:
    report = None
    if job.report is not None:
        fields = job.report.model_dump(include=set(ComparisonOut.model_fields))
        fields["changed_ids"] = [shown_id(each) for each in job.report.changed_ids]
        report = ComparisonOut(**fields)
    own = job.model_dump(include=set(ReanalysisOut.model_fields) - {"report"})
    return ReanalysisOut(**own, report=report)
