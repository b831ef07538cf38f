"""Versions of the ladder."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import BaseModel, Field

from tablewright.service.bodies import shown
from tablewright.systems.ladders.bodies.common import VersionIn
from tablewright.systems.ladders.fields import Ladder

if TYPE_CHECKING:
    from tablewright.systems.ladders.entities import ConfigVersion
    from tablewright.systems.ladders.rules.ladder_diff import LadderDiff, Place
    from tablewright.systems.ladders.rules.ladder_text import Parsed
    from tablewright.systems.ladders.service.configs import Versions

_TEXT = "# Craft\n\n## Code\n\n1. Writes code that others can read.\n2. Shapes a whole service.\n"

#: How long it may be is told with its line, as all that is wrong with it.
Content: TypeAlias = Annotated[
    str, Field(description="The ladder in Markdown: # category, ## competency, 1. levels.")
]


class ConfigIn(BaseModel):
    """A new version of the ladder."""

    model_config = shown(version="1.1.0", content=_TEXT)

    version: VersionIn = Field(description="Three numbers; each version is there once.")
    content: Content


class CheckIn(BaseModel):
    """A text that may become a ladder."""

    model_config = shown(content=_TEXT)

    content: Content


# --- answers -------------------------------------------------------------------------------------


class LevelOut(BaseModel):
    """One level of a competency."""

    level: int
    description: str
    detail: str | None


class CompetencyOut(BaseModel):
    """What somebody does, level by level."""

    name: str
    levels: list[LevelOut]


class CategoryOut(BaseModel):
    """Competencies that belong together."""

    name: str
    competencies: list[CompetencyOut]


class LadderOut(BaseModel):
    """A ladder as it was read from its text."""

    level_names: list[str]
    categories: list[CategoryOut]


class ConfigRow(BaseModel):
    """A version in the list."""

    config_id: str
    version: str
    active: bool
    categories: int
    competencies: int
    created_by: str
    created_at: datetime


class ConfigsOut(BaseModel):
    """All versions, the highest first. Its ETag is what an activation is made with."""

    items: list[ConfigRow]
    active_config_id: str | None
    previous_config_id: str | None = Field(description="What a rollback activates.")


class ConfigOut(BaseModel):
    """A version of the ladder."""

    config_id: str
    version: str
    active: bool
    ladder: LadderOut
    created_by: str
    created_at: datetime
    updated_at: datetime


class LineOut(BaseModel):
    """One thing that is wrong with a text."""

    line: int = Field(description="Counted from 1.")
    code: str
    message: str


class CheckOut(BaseModel):
    """What a text says, or all that is wrong with it."""

    valid: bool
    errors: list[LineOut]
    notes: list[LineOut] = Field(description="Lines of a valid text that the ladder leaves out.")
    ladder: LadderOut | None


class PlaceOut(BaseModel):
    """A category, a competency or a level; names of levels have no category."""

    category: str | None
    competency: str | None
    level: int | None


class RewordedOut(BaseModel):
    """The same level in other words."""

    place: PlaceOut
    before: str
    after: str


class DiffOut(BaseModel):
    """What another version changes."""

    added: list[PlaceOut]
    removed: list[PlaceOut]
    reworded: list[RewordedOut]


def ladder_out(ladder: Ladder) -> LadderOut:
    return LadderOut.model_validate(ladder.model_dump())


def config_row(config: ConfigVersion) -> ConfigRow:
    inside = config.parsed_config.categories
    return ConfigRow(
        config_id=config.config_id,
        version=config.version,
        active=config.is_active is not None,
        categories=len(inside),
        competencies=sum(len(each.competencies) for each in inside),
        created_by=config.created_by,
        created_at=config.created_at,
    )


def configs_out(versions: Versions) -> ConfigsOut:
    pointer = versions.pointer
    return ConfigsOut(
        items=[config_row(each) for each in versions.configs],
        active_config_id=None if pointer is None else pointer.active_config_id,
        previous_config_id=None if pointer is None else pointer.previous_config_id,
    )


def config_out(config: ConfigVersion) -> ConfigOut:
    return ConfigOut(
        config_id=config.config_id,
        version=config.version,
        active=config.is_active is not None,
        ladder=ladder_out(config.parsed_config),
        created_by=config.created_by,
        created_at=config.created_at,
        updated_at=config.updated_at,
    )


def check_out(parsed: Parsed) -> CheckOut:
    return CheckOut(
        valid=parsed.ladder is not None,
        errors=[LineOut(**each._asdict()) for each in parsed.errors],
        notes=[LineOut(**each._asdict()) for each in parsed.notes],
        ladder=None if parsed.ladder is None else ladder_out(parsed.ladder),
    )


def diff_out(diff: LadderDiff) -> DiffOut:
    return DiffOut(
        added=[_place(each) for each in diff.added],
        removed=[_place(each) for each in diff.removed],
        reworded=[
            RewordedOut(place=_place(each.place), before=each.before, after=each.after)
            for each in diff.reworded
        ],
    )


def _place(place: Place) -> PlaceOut:
    return PlaceOut(**place._asdict())
