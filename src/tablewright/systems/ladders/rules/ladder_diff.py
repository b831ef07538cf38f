"""What another version of a ladder changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tablewright.systems.ladders.fields import Category, Competency, Ladder, LadderLevel


class Place(NamedTuple):
    """A part of a ladder: a category, a competency or a level, or a level's name.

    Names of levels have no category.
    """

    category: str | None
    competency: str | None = None
    level: int | None = None


class Rewording(NamedTuple):
    """The same level in other words."""

    place: Place
    before: str
    after: str


@dataclass(frozen=True)
class LadderDiff:
    """By the order of the new ladder; what is gone, by that of the old one.

    A category or competency that comes or goes is told once, not level by level. One that is
    called otherwise is another one: answers go by its name.
    """

    added: tuple[Place, ...] = ()
    removed: tuple[Place, ...] = ()
    reworded: tuple[Rewording, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.reworded)


def diff(old: Ladder, new: Ladder) -> LadderDiff:
    """What one has to know who goes on from the old one to the new one."""
    before, after = _texts(old), _texts(new)
    reworded = (
        Rewording(place, before[place], text)
        for place, text in after.items()
        if place in before and before[place] != text
    )
    return LadderDiff(tuple(_alone(after, before)), tuple(_alone(before, after)), tuple(reworded))


def _alone(these: Mapping[Place, str], others: Mapping[Place, str]) -> Iterator[Place]:
    """The outermost parts that the others have not."""
    for place in these:
        if place not in others and (_around(place) is None or _around(place) in others):
            yield place


def _around(place: Place) -> Place | None:
    if place.category is None or place.competency is None:
        return None
    return Place(place.category, None if place.level is None else place.competency)


def _texts(ladder: Ladder) -> dict[Place, str]:
    """All parts, each with its own words."""
    names = enumerate(ladder.level_names, 1)
    found = {Place(None, None, number): name for number, name in names}
    for category in ladder.categories:
        found |= _of_category(category)
    return found


def _of_category(category: Category) -> dict[Place, str]:
    found = {Place(category.name): ""}
    for competency in category.competencies:
        found |= _of_competency(category.name, competency)
    return found


def _of_competency(category: str, competency: Competency) -> dict[Place, str]:
    levels = {
        Place(category, competency.name, each.level): _said(each) for each in competency.levels
    }
    return {Place(category, competency.name): "", **levels}


def _said(level: LadderLevel) -> str:
    return level.description if level.detail is None else f"{level.description}\n\n{level.detail}"
