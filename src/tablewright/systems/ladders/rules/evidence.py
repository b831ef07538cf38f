"""What an assessment still lacks before it can be submitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, Protocol, TypeAlias

from tablewright.service.names import is_blank
from tablewright.systems.ladders.fields import Category, Feedback, Ladder
from tablewright.systems.ladders.rules import scores

What: TypeAlias = Literal["level", "evidence"]


class Answers(Protocol):
    """The part of an assessment that is looked at."""

    @property
    def selections(self) -> Mapping[str, Mapping[str, int]]: ...

    @property
    def feedback(self) -> Mapping[str, Mapping[str, Mapping[str, Feedback]]]: ...


class Missing(NamedTuple):
    """What is to be done where; without a competency, in any one of the category."""

    category: str
    competency: str | None
    what: What


def missing(answers: Answers, ladder: Ladder, require_all: bool) -> tuple[Missing, ...]:
    """By the order of the ladder; nothing if it can be submitted.

    Every competency needs a level and evidence for that very level, or, without ``require_all``,
    one of each category does.
    """
    within = _everywhere if require_all else _somewhere
    return tuple(each for category in ladder.categories for each in within(answers, category))


def _everywhere(answers: Answers, category: Category) -> Iterator[Missing]:
    for each in category.competencies:
        what = _lacks(answers, category.name, each.name)
        if what is not None:
            yield Missing(category.name, each.name, what)


def _somewhere(answers: Answers, category: Category) -> Iterator[Missing]:
    lacks = {each.name: _lacks(answers, category.name, each.name) for each in category.competencies}
    if None in lacks.values():
        return
    begun = [name for name, what in lacks.items() if what == "evidence"]
    if begun:
        yield Missing(category.name, begun[0], "evidence")
    else:
        yield Missing(category.name, None, "level")


def _lacks(answers: Answers, category: str, competency: str) -> What | None:
    level = answers.selections.get(category, {}).get(competency)
    if level is None:
        return "level"
    said = answers.feedback.get(category, {}).get(competency, {}).get(str(level))
    return "evidence" if said is None or is_blank(said.evidence) else None


class WithReason(scores.Overall, Protocol):
    """The part of an assessment that an override is read from."""

    @property
    def overall_reason(self) -> str | None: ...


def needs_reason(assessment: WithReason) -> bool:
    """Tell whether another overall level was set without a reason that can be read."""
    return scores.is_overridden(assessment) and is_blank(assessment.overall_reason or "")
