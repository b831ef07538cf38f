"""Plans, their people, and how far they are."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field

from tablewright.service.bodies import Millis, line, shown
from tablewright.systems.ladders.bodies.common import Id, Reason, VersionIn, lines
from tablewright.systems.ladders.entities import MAX_MEMBERS
from tablewright.systems.ladders.fields import (
    AssessmentStatus,
    PlanStatus,
    Season,
    is_season,
    normalised_season,
)

if TYPE_CHECKING:
    from tablewright.systems.ladders.entities import Plan
    from tablewright.systems.ladders.reads import AssessmentLine
    from tablewright.systems.ladders.service.boards import Board, BoardRow
    from tablewright.systems.ladders.service.plans import Draft, PlanEdit
    from tablewright.systems.ladders.service.reminders import Reminding

_EXAMPLE: Final[dict[str, Any]] = {
    "plan_name": "Autumn review",
    "start_date": "2026-10-01T00:00:00Z",
    "end_date": "2026-11-30T17:00:00Z",
}


def _check_season(text: object) -> object:
    season = normalised_season(text)
    if not isinstance(season, str):
        return text
    if not is_season(season) or not 2000 <= int(season[:4]) <= 2100:
        raise ValueError("use a year from 2000 to 2100, such as 2026, 2026-H2 or 2026-Q4")
    return text


#: Of a plan that somebody drafts.
SeasonIn: TypeAlias = Annotated[Season, BeforeValidator(_check_season)]
PlanName: TypeAlias = Annotated[str, *line(2, 100)]
Description: TypeAlias = Annotated[str, *lines(2000)]
Threshold: TypeAlias = Annotated[int, Field(ge=1, le=9)]


class PlanIn(BaseModel):
    """A review that is to be."""

    model_config = shown(season="2026-H2", **_EXAMPLE)

    season: SeasonIn = Field(description="`2026`, `2026-Q4` or `2026-H2`; it does not change.")
    plan_name: PlanName
    description: Description | None = None
    start_date: Millis
    end_date: Millis
    config_version: VersionIn | None = Field(
        default=None, description="Of the ladder; the active one, if none is named."
    )
    flag_threshold: Threshold = Field(
        default=2, description="A difference of so many levels is worth discussing."
    )
    require_all: bool = Field(
        default=True, description="Every competency is answered; else one in each category."
    )

    def draft(self) -> Draft:
        from tablewright.systems.ladders.service.plans import Draft

        return Draft(**self.model_dump())


class PlanChange(BaseModel):
    """A plan as it is to be. Once it is under way: name, description, and a later end."""

    model_config = shown(description=None, **_EXAMPLE)

    plan_name: PlanName
    description: Description | None = None
    end_date: Millis
    start_date: Millis | None = Field(default=None, description="Absent: as it was.")
    config_version: VersionIn | None = Field(default=None, description="As above.")
    flag_threshold: Threshold | None = Field(default=None, description="As above.")
    require_all: bool | None = Field(default=None, description="As above.")

    def edit(self) -> PlanEdit:
        from tablewright.systems.ladders.service.plans import PlanEdit

        return PlanEdit(**self.model_dump())


class ActivateIn(BaseModel):
    """Whether a review may begin although it has ended by its dates."""

    model_config = shown(after_end=True)

    after_end: bool = Field(
        default=False, description="Activate although the last day is over: everybody is late."
    )


class CompleteIn(BaseModel):
    """How a review ends."""

    model_config = shown(force=True)

    force: bool = Field(default=False, description="Even if assessments are open.")


class ReopenPlanIn(BaseModel):
    """Why a review goes on."""

    model_config = shown(reason="It was completed a week too early.")

    reason: Reason = Field(description="The audit log keeps it as it is: name nobody.")


class EnrolIn(BaseModel):
    """Who takes part, too."""

    model_config = shown(user_id="4b1c2f0e-6d1a-4a55-9f0e-2f1d4f5c8a10")

    user_id: Id


class RemindIn(BaseModel):
    """Who is reminded; absent: all who have something open."""

    model_config = shown(user_ids=["4b1c2f0e-6d1a-4a55-9f0e-2f1d4f5c8a10"])

    user_ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_MEMBERS + 1)] | None = None


# --- answers -------------------------------------------------------------------------------------


class PlanOut(BaseModel):
    """A plan. Its ETag is what a change is made with."""

    plan_id: str
    team_id: str
    season: str
    plan_name: str
    description: str | None
    start_date: datetime
    end_date: datetime
    status: PlanStatus
    config_id: str
    config_version: str
    flag_threshold: int
    require_all: bool
    activating: bool = Field(description="It is on its way to being active.")
    member_ids: list[str] = Field(description="Who takes part; nobody in a draft.")
    revision: int
    created_by: str
    created_at: datetime
    updated_at: datetime


class SideOut(BaseModel):
    """How far one of the two assessments is."""

    assessment_id: str
    status: AssessmentStatus
    answered: int
    total: int
    submitted_at: datetime | None
    late: bool
    updated_at: datetime


class BoardRowOut(BaseModel):
    """One member."""

    user_id: str
    name: str
    self: SideOut | None
    manager: SideOut | None


class ProgressOut(BaseModel):
    """All who take part, in numbers."""

    members: int
    not_started: int = Field(description="Of assessments: two for each member.")
    in_progress: int
    submitted: int
    late: int
    done: int = Field(description="Members of whom both are submitted.")


class BoardOut(BaseModel):
    """How far a review has come."""

    plan: PlanOut
    progress: ProgressOut
    items: list[BoardRowOut]
    next_cursor: str | None = Field(
        default=None, description="Give it as `cursor` for what follows; null at the end."
    )


class RemindedOut(BaseModel):
    """What came of asking."""

    reminded: int = Field(description="Told now; nobody is asked twice on one day.")
    open: int = Field(description="Those who have something open.")


def plan_out(plan: Plan) -> PlanOut:
    said = plan.model_dump(include=set(PlanOut.model_fields) - {"member_ids"})
    roster = [] if plan.status == "draft" else sorted(plan.member_ids)
    activating = plan.status == "draft" and plan.activation is not None
    return PlanOut.model_validate({**said, "member_ids": roster, "activating": activating})


def board_out(board: Board) -> BoardOut:
    return BoardOut(
        plan=plan_out(board.plan),
        progress=ProgressOut.model_validate(vars(board.progress)),
        items=[_row(each) for each in board.rows],
        next_cursor=board.cursor,
    )


def _row(row: BoardRow) -> BoardRowOut:
    sides = {"self": _side(row.own), "manager": _side(row.manager)}
    return BoardRowOut.model_validate({"user_id": row.user_id, "name": row.name, **sides})


def _side(line: AssessmentLine | None) -> SideOut | None:
    if line is None:
        return None
    said = line.model_dump(include=set(SideOut.model_fields) - {"late"})
    return SideOut.model_validate({**said, "late": bool(line.late)})


def reminded_out(reminding: Reminding) -> RemindedOut:
    return RemindedOut(reminded=reminding.told, open=reminding.open)
