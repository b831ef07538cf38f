"""What stands in a printed report: plain values, already decided and allowed to be seen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeAlias

Status: TypeAlias = Literal["generated", "released", "acknowledged", "stale"]
ActionStatus: TypeAlias = Literal["open", "done", "dropped"]


@dataclass(frozen=True, slots=True)
class PrintedRating:
    """What one side says of a competency."""

    level: int | None = None
    #: What the ladder says of that level.
    description: str = ""
    evidence: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class PrintedCompetency:
    name: str
    own: PrintedRating = PrintedRating()
    manager: PrintedRating = PrintedRating()

    @property
    def difference(self) -> int | None:
        """The manager's level less one's own; None unless both gave one."""
        if self.own.level is None or self.manager.level is None:
            return None
        return self.manager.level - self.own.level


@dataclass(frozen=True, slots=True)
class PrintedCategory:
    name: str
    competencies: tuple[PrintedCompetency, ...]
    own_level: int | None = None
    manager_level: int | None = None


@dataclass(frozen=True, slots=True)
class PrintedSummary:
    matched: int
    flagged: int
    #: Of the differences, in levels: with their sign, and without.
    mean: float
    mean_absolute: float


@dataclass(frozen=True, slots=True)
class PrintedAction:
    title: str
    due: date
    status: ActionStatus = "open"
    note: str = ""


@dataclass(frozen=True, slots=True)
class PrintedReport:
    """Levels go from 1 to ``levels``; ``level_names`` has a name for each of them, or none."""

    name: str
    team: str
    plan: str
    season: str
    ladder_version: str
    generated: datetime
    levels: int
    own_level: int
    final_level: int
    goal_level: int
    flag_threshold: int
    summary: PrintedSummary
    categories: tuple[PrintedCategory, ...]
    manager: str = ""
    level_names: tuple[str, ...] = ()
    status: Status = "released"
    way_forward: str = ""
    actions: tuple[PrintedAction, ...] = ()
    released: date | None = None
    acknowledged: date | None = None
    comment: str = ""
    #: What the manager's ratings give, where the manager has set another level; and why.
    calculated_level: int | None = None
    override_reason: str = ""
