"""What the pages of an assessment show of it: its steps, and its answers beside the ladder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tablewright.service.names import is_blank
from tablewright.systems.ladders.entities import Assessment
from tablewright.systems.ladders.fields import Category, Competency, Feedback, Ladder, LadderLevel
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.rules import scores
from tablewright.systems.ladders.rules.evidence import Missing, missing, needs_reason

_NOTHING: Final = Feedback()


@dataclass(frozen=True)
class Step:
    """A page of the form, in the order in which they are gone through."""

    number: int
    title: str
    path: str
    current: bool = False
    #: Of a category: how many competencies are answered whole, of how many.
    done: int = 0
    of: int = 0

    @property
    def complete(self) -> bool:
        return 0 < self.of == self.done


@dataclass(frozen=True)
class Asked:
    """A competency, and what is said about it."""

    #: Its fields are called ``c0.level`` and so on.
    key: str
    category: str
    competency: Competency
    level: int | None
    said: Mapping[str, Feedback]

    @property
    def name(self) -> str:
        return self.competency.name

    @property
    def levels(self) -> list[LadderLevel]:
        return self.competency.levels

    @property
    def columns(self) -> int:
        """Levels beside each other, where there is room; more than seven stand in two rows."""
        count = len(self.levels)
        return count if count <= 7 else (count + 1) // 2

    @property
    def chosen(self) -> LadderLevel | None:
        return next((each for each in self.levels if each.level == self.level), None)

    @property
    def feedback(self) -> Feedback:
        """What is said about the level that is chosen."""
        return self.said.get(str(self.level), _NOTHING)

    @property
    def answered(self) -> bool:
        return self.level is not None and not is_blank(self.feedback.evidence)

    @property
    def kept(self) -> dict[str, dict[str, str]]:
        """All texts by level, for who changes their mind."""
        return {
            level: {"evidence": each.evidence, "next": each.next_level_feedback}
            for level, each in self.said.items()
        }


@dataclass(frozen=True)
class Sheet:
    """An assessment beside its ladder."""

    assessment: Assessment
    ladder: Ladder
    require_all: bool = True

    @property
    def levels(self) -> list[tuple[int, str]]:
        """Every level, and what it is called."""
        count = scores.level_count(self.ladder)
        return [(each, self.level_name(each)) for each in range(1, count + 1)]

    @property
    def levels_named(self) -> list[tuple[int, str]]:
        """To choose from: ``3 · Senior Engineer``."""
        if not self.ladder.level_names:
            return self.levels
        return [(number, f"{number} · {name}") for number, name in self.levels]

    def level_name(self, level: int | None) -> str:
        return level_name(self.ladder, level)

    @property
    def categories(self) -> list[tuple[str, list[Asked]]]:
        return [(each.name, self.asked(each)) for each in self.ladder.categories]

    def asked(self, category: Category) -> list[Asked]:
        chosen = self.assessment.selections.get(category.name, {})
        said = self.assessment.feedback.get(category.name, {})
        return [
            Asked(f"c{place}", category.name, each, chosen.get(each.name), said.get(each.name, {}))
            for place, each in enumerate(category.competencies)
        ]

    # --- the way through it ----------------------------------------------------------------------

    @property
    def outlook_step(self) -> int:
        return len(self.ladder.categories) + 1

    @property
    def last_step(self) -> int:
        """Where it is submitted."""
        return len(self.ladder.categories) + 2

    def steps(self, current: int) -> list[Step]:
        found = [*self._category_steps(), *self._closing_steps()]
        here = self.assessment.assessment_id
        return [
            Step(number, title, paths.assessment_path(here, number), number == current, done, of)
            for number, (title, done, of) in enumerate(found, 1)
        ]

    def _category_steps(self) -> Iterator[tuple[str, int, int]]:
        for name, asked in self.categories:
            yield name, sum(each.answered for each in asked), len(asked)

    def _closing_steps(self) -> Iterator[tuple[str, int, int]]:
        looked = self.assessment.way_forward or self.assessment.goal_level
        yield "Outlook", int(bool(looked)), 1
        yield "Submit", 0, 0

    def first_open(self) -> int:
        """Where its author goes on."""
        lacking = {each.category for each in self.missing}
        names = [each.name for each in self.ladder.categories]
        return next((at for at, name in enumerate(names, 1) if name in lacking), self.outlook_step)

    @property
    def missing(self) -> tuple[Missing, ...]:
        return missing(self.assessment, self.ladder, self.require_all)

    def place_of(self, lack: Missing) -> str:
        """Where in the form something is missing."""
        for number, category in enumerate(self.ladder.categories, 1):
            if category.name == lack.category:
                names = [each.name for each in category.competencies]
                at = names.index(lack.competency) if lack.competency in names else 0
                return f"{paths.assessment_path(self.assessment.assessment_id, number)}#c{at}"
        return paths.assessment_path(self.assessment.assessment_id)

    # --- what comes of it ------------------------------------------------------------------------

    @property
    def current_level(self) -> int | None:
        return scores.current_level(self.assessment)

    @property
    def calculated_level(self) -> int | None:
        """What the answers give, whatever the manager has set."""
        return scores.calculated_level(self.assessment.selections)

    @property
    def mean(self) -> float | None:
        """The mean of all answers, which the calculated level is rounded from."""
        mean = scores.overall_mean(self.assessment.selections)
        return None if mean is None else float(mean)

    @property
    def is_overridden(self) -> bool:
        return scores.is_overridden(self.assessment)

    @property
    def needs_reason(self) -> bool:
        return needs_reason(self.assessment)

    @property
    def category_levels(self) -> dict[str, int]:
        return scores.category_levels(self.assessment.selections)


def level_name(ladder: Ladder, level: int | None) -> str:
    """What a level is called; without a name, its number."""
    if level is None:
        return "no level"
    named = 0 < level <= len(ladder.level_names)
    return ladder.level_names[level - 1] if named else f"Level {level}"
