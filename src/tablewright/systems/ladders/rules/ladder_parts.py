"""A ladder while it is being read: with the lines that its parts stand on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tablewright.systems.ladders.fields import Category, Competency, Ladder, LadderLevel
from tablewright.systems.ladders.rules.ladder_lines import Line


@dataclass
class Step:
    """A level, or the name of one."""

    number: int
    line: int
    said: str
    rest: list[Line] = field(default_factory=list)

    def add(self, lines: Sequence[Line]) -> None:
        """More to the detail, with an empty line in between."""
        if self.rest and self.rest[-1].text.strip(" "):
            self.rest.append(Line(lines[0].number, ""))
        self.rest += lines

    @property
    def detail(self) -> list[Line]:
        """Without empty lines around; a line of spaces is empty."""
        bare = [Line(each.number, each.text if each.text.strip(" ") else "") for each in self.rest]
        full = [at for at, each in enumerate(bare) if each.text]
        return bare[full[0] : full[-1] + 1] if full else []


@dataclass
class Steps:
    """Numbered items that belong together: of a competency, or the names of the levels."""

    line: int
    name: str = ""
    steps: list[Step] = field(default_factory=list)
    #: The number of the last one, or of what was meant as it.
    last: int = 0
    #: Whether all numbers are in order, so that they can be counted.
    sound: bool = True


@dataclass
class Group:
    """A category; one without a heading of its own holds orphans."""

    line: int
    name: str
    orphans: bool = False
    competencies: list[Steps] = field(default_factory=list)


def ladder_of(names: Steps, groups: Iterable[Group]) -> Ladder:
    """The ladder that it has become, if there is no error in it."""
    return Ladder(
        level_names=[each.said for each in names.steps],
        categories=[_category(each) for each in groups],
    )


def _category(group: Group) -> Category:
    found = [Competency(name=each.name, levels=_levels(each.steps)) for each in group.competencies]
    return Category(name=group.name, competencies=found)


def _levels(steps: Sequence[Step]) -> list[LadderLevel]:
    return [
        LadderLevel(
            level=each.number,
            description=each.said,
            detail="\n".join(line.text for line in each.detail) or None,
        )
        for each in steps
    ]
