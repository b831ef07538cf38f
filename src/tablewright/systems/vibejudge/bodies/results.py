"""What a team sees of its own submission, and says to it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from tablewright.service.bodies import shown
from tablewright.systems.vibejudge.bodies.common import ScoreOut, spoken
from tablewright.systems.vibejudge.bodies.scorecards import (
    AgentOut,
    DimensionOut,
    HighlightOut,
    scorecard_out,
)
from tablewright.systems.vibejudge.entities import SubmissionStatus
from tablewright.systems.vibejudge.judging import Appeal
from tablewright.systems.vibejudge.service.results import Card
from tablewright.systems.vibejudge.table import Recommendation


class AppealIn(BaseModel):
    """What a team has to say to its result."""

    model_config = shown(text="The tests are in another folder: see e2e/.")

    text: Annotated[str, *spoken(10, 2000)]


class TeamAppealOut(BaseModel):
    """What the team has said, and the answer."""

    text: str
    state: Literal["open", "upheld", "rejected"]
    answer: str | None
    created_at: datetime


class ResultOut(BaseModel):
    """The card of a team."""

    hackathon: str
    team_name: str
    repo_url: str
    status: SubmissionStatus
    disqualified_reason: str | None
    rank: int | None = Field(description="Equal scores share one; null is in no ranking.")
    score: ScoreOut | None = Field(description="What the rank goes by.")
    overall_score: ScoreOut | None = Field(description="What agents say.")
    human_score: ScoreOut | None = Field(description="What judges say, as far as it counts.")
    overridden: bool = Field(description="The organiser has decided the score.")
    override_reason: str | None
    partial: bool
    confidence: ScoreOut | None
    recommendation: Recommendation | None
    commit_sha: str | None
    dimensions: list[DimensionOut]
    strengths: list[str] = Field(description="Names of sub-scores.")
    weaknesses: list[str] = Field(description="Names of sub-scores.")
    strength_notes: list[HighlightOut] = Field(description="The same as sentences.")
    weakness_notes: list[HighlightOut] = Field(description="The same as sentences.")
    agents: list[AgentOut]
    comments: list[str] = Field(description="Of judges, without their names.")
    released_at: datetime
    appeal: TeamAppealOut | None
    appeal_until: datetime | None = Field(description="null if none can be made any more.")


def team_appeal_out(appeal: Appeal) -> TeamAppealOut:
    return TeamAppealOut(
        text=appeal.text, state=appeal.state, answer=appeal.answer, created_at=appeal.created_at
    )


def result_out(card: Card) -> ResultOut:
    """What the team may know: neither flags, which are for people to look into, nor costs."""
    submission = card.submission
    scored = None if card.scorecard is None else scorecard_out(card.scorecard)
    assert card.hackathon.released_at is not None  # else there is no card
    return ResultOut(
        hackathon=card.hackathon.name,
        team_name=submission.team_name,
        repo_url=submission.repo_url,
        status=submission.status,
        disqualified_reason=submission.disqualified_reason,
        rank=card.rank,
        score=submission.rank_score,
        overall_score=submission.overall_score,
        human_score=submission.human_score if submission.human_share is not None else None,
        overridden=card.override is not None,
        override_reason=None if card.override is None else card.override.reason,
        partial=submission.partial,
        confidence=submission.confidence,
        recommendation=submission.recommendation,
        commit_sha=None if scored is None else scored.commit_sha,
        dimensions=[] if scored is None else scored.dimensions,
        strengths=[] if scored is None else scored.strengths,
        weaknesses=[] if scored is None else scored.weaknesses,
        strength_notes=[] if scored is None else scored.strength_notes,
        weakness_notes=[] if scored is None else scored.weakness_notes,
        agents=[] if scored is None else scored.agents,
        comments=list(card.comments),
        released_at=card.hackathon.released_at,
        appeal=None if card.appeal is None else team_appeal_out(card.appeal),
        appeal_until=card.appeal_until,
    )
