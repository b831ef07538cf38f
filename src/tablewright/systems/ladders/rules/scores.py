"""From the levels of competencies to that of a category, and to one for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tablewright.systems.ladders.fields import Ladder


def median(levels: Iterable[int]) -> int | None:
    """The one in the middle; between two, half a level counts as a whole. None of none."""
    found = sorted(levels)
    if not found:
        return None
    low, high = found[(len(found) - 1) // 2], found[len(found) // 2]
    # floor((low + high) / 2 + 0.5), in whole numbers.
    return (low + high + 1) // 2


def category_levels(selections: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """The level of each category that has one."""
    found = ((name, median(inside.values())) for name, inside in selections.items())
    return {name: level for name, level in found if level is not None}


def current_level(selections: Mapping[str, Mapping[str, int]]) -> int | None:
    """The level of all; a category without one does not count."""
    return median(category_levels(selections).values())


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
