"""What judges are shown, and what they say."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from tablewright.service.bodies import LINES, shown
from tablewright.systems.vibejudge.bodies.common import DecimalIn, NumberOut, ScoreOut, spoken
from tablewright.systems.vibejudge.entities import Dimension, Submission
from tablewright.systems.vibejudge.judging import Comparison, HumanScore

_ONE: Final = "01KAGM5W00000000000000000B"
_OTHER: Final = "01KAGM5W00000000000000000C"

RoundIn = Annotated[int, Field(ge=1, le=99)]
SubIn = Annotated[str, Field(min_length=1, max_length=50)]


# --- beginning -----------------------------------------------------------------------------------


class AcceptIn(BaseModel):
    """An invitation."""

    model_config = shown(token="kT3n0f2m2XfS5y8aUq7V1cLr9wZ4bDhJ6eGiNpQsRtY")

    token: Annotated[str, Field(min_length=1, max_length=200)]


class AcceptedOut(BaseModel):
    """A judge may begin. The key is shown once."""

    hack_id: str
    judge_id: str
    name: str
    api_key: str


# --- the next one --------------------------------------------------------------------------------


class SeenOut(BaseModel):
    """A submission as judges see it: without what anybody else says of it."""

    sub_id: str
    team_name: str
    repo_url: str
    commit_sha: str | None = Field(description="The commit that counts, once it is frozen.")


class CriterionOut(BaseModel):
    """What a judge gives 0 to 10 for."""

    name: str
    weight: NumberOut
    description: str


class NextOut(BaseModel):
    """What a judge looks at next: one submission, two of them, or nothing any more."""

    hackathon: str
    round_number: int | None = Field(description="null if no round is open, or all is done.")
    method: Literal["rubric", "pairwise"] | None
    submission: SeenOut | None
    pair: list[SeenOut] | None
    dimensions: list[CriterionOut] = Field(description="Of the rubric; for pairs, to think of.")
    assigned: int
    done: int


def seen_out(submission: Submission) -> SeenOut:
    return SeenOut(
        sub_id=submission.sub_id,
        team_name=submission.team_name,
        repo_url=submission.repo_url,
        commit_sha=submission.frozen_sha,
    )


def criterion_out(dimension: Dimension) -> CriterionOut:
    return CriterionOut(
        name=dimension.name, weight=dimension.weight, description=dimension.description
    )


# --- deciding ------------------------------------------------------------------------------------


class ScoreIn(BaseModel):
    """What a judge gives a submission. Later scores replace earlier ones, while a round is open."""

    model_config = shown(
        round_number=1,
        sub_id=_ONE,
        scores={"Code Quality": 7.5, "Innovation": 8, "Architecture": None},
        comment="A pleasure to read.",
    )

    round_number: RoundIn
    sub_id: SubIn
    scores: dict[str, Annotated[DecimalIn, Field(ge=0, le=10, decimal_places=2)] | None] = Field(
        max_length=10,
        description="0 to 10 for every dimension of the rubric; null does not apply.",
    )
    comment: str | None = Field(
        default=None,
        max_length=2000,
        pattern=LINES,
        description="The team sees it once results are released, without your name.",
    )


class ComparisonIn(BaseModel):
    """Which of two a judge prefers."""

    model_config = shown(round_number=2, winner=_ONE, loser=_OTHER)

    round_number: RoundIn
    winner: SubIn
    loser: SubIn


class SkipIn(BaseModel):
    """What a judge cannot judge. Somebody else gets it."""

    model_config = shown(round_number=1, sub_id=_ONE, reason="I know the team.", conflict=True)

    round_number: RoundIn
    sub_id: SubIn
    reason: Annotated[str, *spoken(1, 500)]
    conflict: bool = Field(
        default=False, description="You have to do with it: you are not asked about it again."
    )


class ScoreGivenOut(BaseModel):
    """What the caller gave."""

    round_number: int
    sub_id: str
    scores: dict[str, ScoreOut | None]
    comment: str | None
    created_at: datetime


class ComparisonOut(BaseModel):
    """What the caller preferred."""

    round_number: int
    winner: str
    loser: str
    created_at: datetime


class SkippedOut(BaseModel):
    """What the caller does not judge."""

    round_number: int
    sub_id: str
    state: Literal["skipped"] = "skipped"


def score_out(score: HumanScore) -> ScoreGivenOut:
    return ScoreGivenOut(
        round_number=score.round_number,
        sub_id=score.sub_id,
        scores=score.scores,
        comment=score.comment,
        created_at=score.created_at,
    )


def comparison_out(comparison: Comparison) -> ComparisonOut:
    first, second = comparison.first_id, comparison.second_id
    return ComparisonOut(
        round_number=comparison.round_number,
        winner=comparison.winner,
        loser=second if comparison.winner == first else first,
        created_at=comparison.created_at,
    )
