"""What the fields of the entities are, and the maps inside them."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator

from tablewright.model import Attribute, EpochMillis, Field, Personal, Uuid

MAX_CONFIG_BYTES = 150 * 1024
#: Of any item with texts of people; the store takes 400 KB.
MAX_ITEM_BYTES = 350 * 1024
_VERSION = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$"
_VERSION_CHARS = 40
_SEASON = r"^[0-9]{4}(-(Q[1-4]|H[12]))?$"


def camel(name: str) -> str:
    """``team_member_id`` is stored as ``teamMemberId``."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def normalised_season(text: object) -> object:
    """``H1-2025`` is ``2025-H1``."""
    found = re.fullmatch(r"([QH][1-4])-([0-9]{4})", text) if isinstance(text, str) else None
    return text if found is None else f"{found[2]}-{found[1]}"


def is_version(text: str) -> bool:
    """Whether a text is the number of a version, such as ``1.1.0``."""
    return len(text) <= _VERSION_CHARS and re.fullmatch(_VERSION, text) is not None


def is_season(text: str) -> bool:
    """Whether a text is a season, such as ``2026-H2``."""
    return re.fullmatch(_SEASON, text) is not None


def _within(text: str) -> str:
    if len(text.encode()) > MAX_CONFIG_BYTES:
        raise ValueError(f"a ladder has at most {MAX_CONFIG_BYTES} bytes")
    return text


RoleName: TypeAlias = Literal["admin", "manager", "team_member"]
PlanStatus: TypeAlias = Literal["draft", "active", "completed", "archived"]
AssessmentType: TypeAlias = Literal["self", "manager"]
AssessmentStatus: TypeAlias = Literal["not_started", "in_progress", "submitted"]
ReportStatus: TypeAlias = Literal["generated", "released", "acknowledged", "stale"]
ActionStatus: TypeAlias = Literal["open", "done", "dropped"]
#: Of the end of a review, of one that has passed, of a growth action; or because somebody asks.
#: ``opened`` says that a review has begun.
ReminderKind: TypeAlias = Literal["review_due", "review_late", "action_due", "asked", "opened"]

Email: TypeAlias = Annotated[
    str, Personal(), Field(pattern=r"^[^A-Z\s@]+@[^A-Z\s@]+$", max_length=254)
]
SubjectHash: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
#: ``2025``, ``2025-Q1`` or ``2025-H1``.
Season: TypeAlias = Annotated[str, BeforeValidator(normalised_season), Field(pattern=_SEASON)]
ConfigVersionText: TypeAlias = Annotated[str, Field(pattern=_VERSION, max_length=_VERSION_CHARS)]
ConfigContent: TypeAlias = Annotated[str, AfterValidator(_within)]
#: A step of the ladder; it has at most ten.
Level: TypeAlias = Annotated[int, Field(ge=1, le=10)]
#: Of a category or competency, as the ladder names it.
Heading: TypeAlias = Annotated[str, Field(min_length=1, max_length=80)]
ShortText: TypeAlias = Annotated[str, Personal(), Field(max_length=4000)]

# --- plans ---------------------------------------------------------------------------------------


class Activation(BaseModel):
    """A plan that is on its way to being active: who began, and when."""

    by: Uuid
    at: EpochMillis


# --- assessments ---------------------------------------------------------------------------------


class Feedback(BaseModel):
    """What is said about one level of one competency."""

    evidence: ShortText = ""
    next_level_feedback: Annotated[ShortText, Attribute("nextLevelFeedback")] = ""


class Reopening(BaseModel):
    by: Uuid
    at: EpochMillis
    reason: str = Field(min_length=5, max_length=500)


Selections: TypeAlias = dict[Heading, dict[Heading, Level]]
#: By category, competency and level, which is a text there.
FeedbackMap: TypeAlias = dict[Heading, dict[Heading, dict[str, Feedback]]]

# --- reports -------------------------------------------------------------------------------------


class Revisions(BaseModel):
    """The assessments that a report was made from."""

    own: Annotated[int, Attribute("self")]
    manager: int


class CategoryLevel(BaseModel):
    own: Annotated[Level | None, Attribute("self")] = None
    manager: Level | None = None


class Variance(BaseModel):
    self_score: Annotated[Level, Attribute("selfScore")]
    manager_score: Annotated[Level, Attribute("managerScore")]
    #: The manager's less one's own.
    difference: int


class Unmatched(BaseModel):
    """A score that only one side gave."""

    category: Heading
    competency: Heading
    side: AssessmentType
    score: Level


class Summary(BaseModel):
    matched: int = 0
    flagged: int = 0
    mean: Decimal = Decimal(0)
    mean_absolute: Annotated[Decimal, Attribute("meanAbsolute")] = Decimal(0)


class GrowthAction(BaseModel):
    title: Annotated[str, Personal(), Field(min_length=1, max_length=200)]
    due_at: Annotated[EpochMillis, Attribute("dueAt")]
    status: ActionStatus = "open"
    note: Annotated[str, Personal(), Field(max_length=1000)] = ""


# --- ladders -------------------------------------------------------------------------------------


class LadderLevel(BaseModel):
    level: Level
    description: str
    detail: str | None = None


class Competency(BaseModel):
    name: Heading
    levels: list[LadderLevel] = Field(max_length=10)


class Category(BaseModel):
    name: Heading
    competencies: list[Competency] = Field(max_length=12)


class Ladder(BaseModel):
    """A ladder as it was read from its text."""

    level_names: Annotated[list[str], Attribute("levelNames")] = Field(default_factory=list)
    categories: list[Category] = Field(max_length=12)
