"""Submissions as they are handed in and shown."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from tablewright.service.bodies import shown
from tablewright.systems.vibejudge.bodies.common import NumberOut, ScoreOut, UsdOut, spoken
from tablewright.systems.vibejudge.entities import RepoMeta, Submission, SubmissionStatus
from tablewright.systems.vibejudge.rules.team_names import (
    LONGEST_NAME,
    clean_team_name,
    has_short_key,
    is_team_name,
)
from tablewright.systems.vibejudge.table import Recommendation

#: Of one request.
MOST_ROWS: Final = 500

_EXAMPLE: Final[dict[str, Any]] = {
    "team_name": "Night Owls",
    "repo_url": "https://github.com/night-owls/lantern",
}


def _clean_name(given: object) -> object:
    return clean_team_name(given) if isinstance(given, str) else given


def _check_name(name: str) -> str:
    if not is_team_name(name):
        raise ValueError("must have at least one letter or digit")
    if not has_short_key(name):
        raise ValueError("is too long, because it has signs that stand for many letters")
    return name


TeamIn = Annotated[
    str,
    BeforeValidator(_clean_name),
    Field(
        min_length=1,
        max_length=LONGEST_NAME,
        description="Up to 50 characters, with at least one letter or digit. Two teams of a "
        "hackathon cannot have the same name.",
    ),
    AfterValidator(_check_name),
]
RepoIn = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        description="The address of a repository at github.com, gitlab.com, bitbucket.org or "
        "codeberg.org, in any form: `github.com/a/b`, `git@github.com:a/b.git`, or a branch.",
    ),
]


class PublicSubmissionIn(BaseModel):
    """A repository, as a team hands it in."""

    model_config = shown(**_EXAMPLE)

    team_name: TeamIn
    repo_url: RepoIn


class SubmissionIn(PublicSubmissionIn):
    """A repository, as an organiser hands it in for a team."""

    model_config = shown(**_EXAMPLE, external_id="entry-17")

    external_id: str | None = Field(
        default=None,
        pattern=r"^[!-~]{1,64}$",
        description="What another system calls it. Sent again it is the same submission, and may "
        "have another repository as long as it is pending.",
    )


class SubmissionsIn(BaseModel):
    """Rows, each of which is looked at by itself."""

    model_config = shown(submissions=[_EXAMPLE])

    submissions: list[SubmissionIn] = Field(min_length=1, max_length=MOST_ROWS)


class RowProblem(BaseModel):
    """Why a row became no submission."""

    model_config = ConfigDict(frozen=True)

    code: str = Field(examples=["DUPLICATE_REPO"])
    detail: str


class RowOut(BaseModel):
    """What became of one row."""

    model_config = ConfigDict(frozen=True)

    index: int = Field(ge=0, description="Its place among the rows, from 0.")
    line: int | None = Field(default=None, description="Where it begins in the file.")
    status: int = Field(description="201 if it is new, 200 if it was there.", examples=[201])
    sub_id: str | None = Field(default=None, description="It, or the one that is in its way.")
    result_token: str | None = Field(
        default=None, description="For the team, to see its result. It is shown once."
    )
    problem: RowProblem | None = None
    note: str | None = Field(
        default=None, description="What to check: a second repository, or one that is not there."
    )


class RowsOut(BaseModel):
    """What became of each row, in their order."""

    model_config = ConfigDict(frozen=True)

    created: int = Field(ge=0)
    unchanged: int = Field(ge=0, description="That were there.")
    refused: int = Field(ge=0)
    results: list[RowOut]


class ImportOut(RowsOut):
    """Rows that are being handed in."""

    import_id: str
    state: Literal["running", "done", "failed"]
    total: int = Field(ge=1)
    done: int = Field(ge=0)


class SubmittedOut(BaseModel):
    """What a team gets for what it handed in."""

    model_config = ConfigDict(frozen=True)

    sub_id: str
    hack_id: str
    result_token: str = Field(description="Keep it: it shows your result. It is shown once.")
    warning: str | None = Field(
        default=None, description="The repository could not be read; the submission is stored."
    )


class TokenOut(BaseModel):
    """A new token for a team; the one before is void."""

    model_config = ConfigDict(frozen=True)

    result_token: str


class SubmissionPatch(BaseModel):
    """Correct a submission, or disqualify or reinstate it."""

    model_config = shown(repo_url="https://github.com/night-owls/lantern")

    team_name: TeamIn | None = None
    repo_url: RepoIn | None = Field(
        default=None, description="Another repository. Scores of the earlier one are removed."
    )
    disqualified: bool | None = None
    reason: Annotated[str, *spoken(1, 1000)] | None = Field(
        default=None, description="Why it is disqualified; the team reads it."
    )

    @model_validator(mode="after")
    def _says_one_thing(self) -> SubmissionPatch:
        corrects = self.team_name is not None or self.repo_url is not None
        if corrects == (self.disqualified is not None):
            raise ValueError("give team_name or repo_url, or disqualified alone")
        if self.disqualified and self.reason is None:
            raise ValueError("disqualifying needs a reason: the team reads it")
        return self


class SubmissionOut(BaseModel):
    """A submission as its organiser sees it."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    sub_id: str
    hack_id: str
    team_name: str
    repo_url: str
    repo_owner: str
    repo_name: str
    default_branch: str
    external_id: str | None
    corrected_at: datetime | None
    status: SubmissionStatus
    error_message: str | None
    frozen_sha: str | None
    disqualified_reason: str | None
    overall_score: ScoreOut | None
    final_score: ScoreOut | None
    confidence: NumberOut | None
    partial: bool
    recommendation: Recommendation | None
    run_id: str | None
    total_cost_usd: UsdOut | None
    total_tokens: int | None
    analysis_duration_ms: int | None
    repo_meta: RepoMeta | None
    created_at: datetime
    updated_at: datetime


def submission_out(submission: Submission) -> SubmissionOut:
    return SubmissionOut.model_validate(submission)


class UnfrozenOut(BaseModel):
    """A submission whose commit could not be pinned."""

    model_config = ConfigDict(frozen=True)

    sub_id: str
    team_name: str
    code: str = Field(examples=["REPO_NOT_FOUND"])
    reason: str


class FrozenOut(BaseModel):
    """Which commits are pinned."""

    model_config = ConfigDict(frozen=True)

    frozen: int = Field(ge=0, description="Pinned just now.")
    before: int = Field(ge=0, description="Pinned earlier.")
    left: int = Field(ge=0, description="To be tried again by and by.")
    unfrozen: list[UnfrozenOut]


#: What the framework says, as people would.
_WORDS: Final = {
    "missing": "is missing",
    "string_too_short": "is missing",
    "string_pattern_mismatch": "has characters that cannot be in it",
}
_LABELS: Final = {"team_name": "Team", "repo_url": "Repository", "external_id": "External id"}


def reason_of(error: ValidationError) -> str:
    """What is wrong with a row, without what was sent."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    first = found[0]
    place = ".".join(map(str, first["loc"]))[:100]
    place = _LABELS.get(place, place)
    message = _WORDS.get(first["type"], first["msg"].removeprefix("Value error, ")[:200])
    return f"{place}: {message}" if place else message
