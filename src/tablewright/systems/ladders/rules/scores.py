"""From the levels of competencies to that of a category, and to one for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Protocol

from tablewright.systems.ladders.fields import Ladder


def mean_level(levels: Iterable[int]) -> Fraction | None:
    """Return the exact mean of some levels; None of none."""
    given = list(levels)
    return Fraction(sum(given), len(given)) if given else None


def nearest_level(mean: Fraction | None) -> int | None:
    """Round a mean to a level, once: exactly half goes to the even level.

    So neither direction is favoured. Rounding halves up at several steps made overall levels too
    high.
    """
    return None if mean is None else round(mean)


def category_levels(selections: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return the level of each category that has one: the mean of its competencies."""
    found = (
        (name, nearest_level(mean_level(inside.values()))) for name, inside in selections.items()
    )
    return {name: level for name, level in found if level is not None}


def overall_mean(selections: Mapping[str, Mapping[str, int]]) -> Fraction | None:
    """Return the mean of all competencies that have a level; each counts the same."""
    return mean_level(level for inside in selections.values() for level in inside.values())


def calculated_level(selections: Mapping[str, Mapping[str, int]]) -> int | None:
    """Return the overall level that the answers give."""
    return nearest_level(overall_mean(selections))


class Overall(Protocol):
    """The part of an assessment that its overall level rests on."""

    @property
    def selections(self) -> Mapping[str, Mapping[str, int]]: ...

    @property
    def overall_level(self) -> int | None: ...


def current_level(assessment: Overall) -> int | None:
    """Return the overall level: what the manager has set instead, or what the answers give."""
    calculated = calculated_level(assessment.selections)
    return calculated if calculated is None else assessment.overall_level or calculated


def is_overridden(assessment: Overall) -> bool:
    """Tell whether the manager has set another level than the answers give."""
    calculated = calculated_level(assessment.selections)
    return calculated is not None and current_level(assessment) != calculated


def goal_level(current: int, levels: int) -> int:
    """The next one, if nobody says otherwise."""
    return min(current + 1, levels)


def level_count(ladder: Ladder) -> int:
    """How many levels there are; all competencies have the same."""
    inside = (each for category in ladder.categories for each in category.competencies)
    return max((len(each.levels) for each in inside), default=0)


def answered(selections: Mapping[str, Mapping[str, int]]) -> int:
    """How many competencies have a level."""
    return sum(map(len, selections.values()))


def asked(ladder: Ladder) -> int:
    """How many competencies there are."""
    return sum(len(each.competencies) for each in ladder.categories)
