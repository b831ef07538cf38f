"""Growth actions, history and heat maps, as programs send and get them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import BaseModel, Field

from tablewright.service.bodies import Millis, line, shown
from tablewright.systems.ladders.bodies.common import lines
from tablewright.systems.ladders.fields import ActionStatus, AssessmentStatus, AssessmentType
from tablewright.systems.ladders.rules.scores import level_count

if TYPE_CHECKING:
    from tablewright.systems.ladders.fields import CategoryLevel, GrowthAction
    from tablewright.systems.ladders.service.growth import HeatMap, Stand

TitleIn: TypeAlias = Annotated[str, *line(1, 200)]
NoteIn: TypeAlias = Annotated[str, *lines(1000)]


class ActionIn(BaseModel):
    """A growth action."""

    model_config = shown(title="Run the design review", due_at="2026-12-04T17:00:00Z")

    title: TitleIn
    due_at: Millis
    note: NoteIn = ""


class ActionChange(BaseModel):
    """What is left out stays."""

    model_config = shown(status="done")

    title: TitleIn | None = None
    due_at: Millis | None = None
    status: ActionStatus | None = None
    note: NoteIn | None = None


# --- what is answered ----------------------------------------------------------------------------


class ActionOut(BaseModel):
    """A growth action."""

    action_id: str
    title: str
    due_at: datetime
    status: ActionStatus
    note: str


class CategoryLevelOut(BaseModel):
    """A category, as both sides see it."""

    own: int | None
    manager: int | None


class HistoryOut(BaseModel):
    """Where somebody stood in a season."""

    report_id: str
    plan_id: str
    team_id: str
    season: str
    config_version: str
    final_level: int
    self_assessed_level: int
    category_levels: dict[str, CategoryLevelOut]
    change: int | None = Field(
        description="Of the final level since the season before; null if on another ladder."
    )
    levels: int = Field(description="How many levels the ladder has.")
    new_ladder: bool = Field(description="Whether the season before was on another ladder.")


class HeatCategoryOut(BaseModel):
    """A category, and what it has."""

    name: str
    competencies: list[str]


class HeatRowOut(BaseModel):
    """A member; without levels if they are not there for you to see yet."""

    team_member_id: str
    name: str
    status: AssessmentStatus
    levels: dict[str, dict[str, int]] = Field(description="By category and competency.")
    current_level: int | None


class HeatMapOut(BaseModel):
    """Members by competencies."""

    plan_id: str
    season: str
    config_version: str
    source: AssessmentType
    levels: int = Field(description="How many there are.")
    categories: list[HeatCategoryOut]
    rows: list[HeatRowOut]


def action_out(action_id: str, action: GrowthAction) -> ActionOut:
    return ActionOut(
        action_id=action_id,
        title=action.title,
        due_at=action.due_at,
        status=action.status,
        note=action.note,
    )


def history_out(stand: Stand) -> HistoryOut:
    own = {name: getattr(stand, name) for name in HistoryOut.model_fields}
    return HistoryOut(**{**own, "category_levels": category_levels_out(stand.category_levels)})


def heatmap_out(found: HeatMap) -> HeatMapOut:
    return HeatMapOut(
        plan_id=found.plan.plan_id,
        season=found.plan.season,
        config_version=found.plan.config_version,
        source=found.source,
        levels=level_count(found.ladder),
        categories=[
            HeatCategoryOut(name=each.name, competencies=[one.name for one in each.competencies])
            for each in found.ladder.categories
        ],
        rows=[
            HeatRowOut(
                team_member_id=row.member_id,
                name=row.name,
                status=row.status,
                levels={name: dict(inside) for name, inside in row.levels.items()},
                current_level=row.current_level,
            )
            for row in found.rows
        ],
    )


def category_levels_out(levels: Mapping[str, CategoryLevel]) -> dict[str, CategoryLevelOut]:
    return {
        name: CategoryLevelOut(own=each.own, manager=each.manager) for name, each in levels.items()
    }
