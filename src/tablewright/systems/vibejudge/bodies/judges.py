"""Judges, rounds, overrides and appeals, as organisers write and see them."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from tablewright.service.bodies import shown
from tablewright.systems.vibejudge.bodies.common import DecimalIn, Line, NumberOut, ScoreOut, spoken
from tablewright.systems.vibejudge.judging import Appeal, Judge, Override, Round

#: Judges of one hackathon, and submissions that one of them has to do with.
MOST_JUDGES: Final = 200
MOST_CONFLICTS: Final = 100
_SUB: Final = "01KAGM5W00000000000000000B"

ConflictsIn = Annotated[
    list[str],
    Field(
        max_length=MOST_CONFLICTS,
        description="Submissions that the judge has to do with, and never gets to judge.",
    ),
]
WeightIn = Annotated[
    DecimalIn,
    Field(
        ge=0,
        le=1,
        description="What the round counts beside others. One that weighs 0 is for practice.",
    ),
]
ReasonIn = Annotated[str, *spoken(10, 1000)]


# --- judges --------------------------------------------------------------------------------------


class JudgeIn(BaseModel):
    """Somebody who is to judge."""

    model_config = shown(name="Ada", conflicts=[_SUB])

    name: Line
    conflicts: ConflictsIn = Field(default_factory=list)


class JudgeChange(BaseModel):
    """What is left out stays."""

    model_config = shown(conflicts=[_SUB])

    name: Line | None = None
    conflicts: ConflictsIn | None = None
    state: Literal["removed"] | None = Field(
        default=None, description="No judge any more. What they said before counts."
    )


class DoneOut(BaseModel):
    """How far a judge is in a round."""

    round_number: int
    assigned: int = Field(description="What they have, without what they skipped.")
    done: int
    skipped: int


class JudgeOut(BaseModel):
    """A judge."""

    judge_id: str
    name: str
    state: Literal["invited", "active", "removed"]
    conflicts: list[str]
    created_at: datetime
    version: int


class JudgeProgressOut(JudgeOut):
    """A judge, and how far they are."""

    rounds: list[DoneOut]


class InvitedOut(BaseModel):
    """An invitation. Its token is shown once: send it to the judge."""

    judge: JudgeOut
    token: str = Field(description="For `POST /judging/accept`, once.")
    url: str = Field(description="The same as a link for a browser.")
    expires_at: datetime


def judge_out(judge: Judge) -> JudgeOut:
    return JudgeOut(
        judge_id=judge.judge_id,
        name=judge.name,
        state=judge.state,
        conflicts=sorted(judge.conflicts),
        created_at=judge.created_at,
        version=judge.version,
    )


# --- rounds --------------------------------------------------------------------------------------


class RoundIn(BaseModel):
    """A new round, in setup."""

    model_config = shown(method="rubric", weight=1)

    method: Literal["rubric", "pairwise"] = "rubric"
    weight: WeightIn = Decimal(1)


class RoundChange(BaseModel):
    """What is left out stays. The method is settled with the opening, the weight with the end."""

    model_config = shown(state="open")

    method: Literal["rubric", "pairwise"] | None = None
    weight: WeightIn | None = None
    state: Literal["open", "paused", "closed", "locked"] | None = Field(
        default=None, description="From setup to open, paused and open again, closed, locked."
    )


class RoundOut(BaseModel):
    """A round."""

    round_number: int
    method: Literal["rubric", "pairwise"]
    weight: NumberOut
    state: Literal["setup", "open", "paused", "closed", "locked"]
    created_at: datetime
    version: int


class WorkOut(BaseModel):
    """How far a judge is."""

    judge_id: str
    name: str
    state: Literal["invited", "active", "removed"]
    assigned: int
    done: int
    skipped: int


class CoverageOut(BaseModel):
    """How many judges look at a submission, and have."""

    sub_id: str
    team_name: str
    assigned: int
    done: int
    skipped: int


class RoundProgressOut(RoundOut):
    """A round, how far each judge is, and how often each submission was looked at."""

    judges: list[WorkOut]
    submissions: list[CoverageOut]


def round_out(round_: Round) -> RoundOut:
    return RoundOut(
        round_number=round_.round_number,
        method=round_.method,
        weight=round_.weight,
        state=round_.state,
        created_at=round_.created_at,
        version=round_.version,
    )


# --- overrides and appeals -----------------------------------------------------------------------


class OverrideIn(BaseModel):
    """The organiser's own score, and why."""

    model_config = shown(score=80, reason="Shown live, and it worked.")

    score: Annotated[DecimalIn, Field(ge=0, le=100, decimal_places=2)]
    reason: ReasonIn


class OverrideOut(BaseModel):
    """A decision of the organiser's."""

    override_id: str
    sub_id: str
    score: ScoreOut
    reason: str
    created_at: datetime
    revoked_at: datetime | None


def override_out(override: Override) -> OverrideOut:
    return OverrideOut(
        override_id=override.override_id,
        sub_id=override.sub_id,
        score=override.score,
        reason=override.reason,
        created_at=override.created_at,
        revoked_at=override.revoked_at,
    )


class AnswerIn(BaseModel):
    """What an organiser says to an appeal. It changes no score: an override does."""

    model_config = shown(state="upheld", answer="The tests count now; see the new score.")

    state: Literal["upheld", "rejected"]
    answer: Annotated[str, *spoken(1, 2000)]


class AppealOut(BaseModel):
    """What a team has said to its result, and the answer."""

    appeal_id: str
    sub_id: str
    text: str
    state: Literal["open", "upheld", "rejected"]
    answer: str | None
    created_at: datetime
    updated_at: datetime


def appeal_out(appeal: Appeal) -> AppealOut:
    return AppealOut(
        appeal_id=appeal.appeal_id,
        sub_id=appeal.sub_id,
        text=appeal.text,
        state=appeal.state,
        answer=appeal.answer,
        created_at=appeal.created_at,
        updated_at=appeal.updated_at,
    )
