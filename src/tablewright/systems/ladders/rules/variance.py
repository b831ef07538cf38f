"""Two assessments of one person side by side: where they agree, and what is worth discussing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from tablewright.systems.ladders.fields import (
    AssessmentType,
    CategoryLevel,
    Summary,
    Unmatched,
    Variance,
)
from tablewright.systems.ladders.rules import scores

Verdict: TypeAlias = Literal["agree", "mention", "flag"]
#: By category and competency.
Levels: TypeAlias = Mapping[str, Mapping[str, int]]

_HUNDREDTH: Final = Decimal("0.01")


@dataclass(frozen=True)
class Comparison:
    """What a report says of two assessments."""

    variance: dict[str, dict[str, Variance]]
    #: By category and competency.
    unmatched: list[Unmatched]
    summary: Summary
    category_levels: dict[str, CategoryLevel]


def verdict(difference: int, threshold: int) -> Verdict:
    """How much a difference matters."""
    if difference == 0:
        return "agree"
    return "flag" if abs(difference) >= threshold else "mention"


def compared(own: Levels, manager: Levels, threshold: int) -> Comparison:
    """Both sides' selections; what only one side gave a level is not compared."""
    variance = _variance(own, manager)
    differences = [each.difference for inside in variance.values() for each in inside.values()]
    unmatched = [*_only(own, manager, "self"), *_only(manager, own, "manager")]
    return Comparison(
        variance,
        sorted(unmatched, key=lambda each: (each.category, each.competency)),
        summary_of(differences, threshold),
        _category_levels(own, manager),
    )


def summary_of(differences: Sequence[int], threshold: int) -> Summary:
    """The means are those of what was compared, to the hundredth."""
    if not differences:
        return Summary()
    count = len(differences)
    return Summary(
        matched=count,
        flagged=sum(verdict(each, threshold) == "flag" for each in differences),
        mean=(Decimal(sum(differences)) / count).quantize(_HUNDREDTH),
        mean_absolute=(Decimal(sum(map(abs, differences))) / count).quantize(_HUNDREDTH),
    )


def _variance(own: Levels, manager: Levels) -> dict[str, dict[str, Variance]]:
    """Of the categories in which both sides have something."""
    found = {
        category: {
            competency: _between(level, manager[category][competency])
            for competency, level in inside.items()
            if competency in manager.get(category, {})
        }
        for category, inside in own.items()
    }
    return {category: inside for category, inside in found.items() if inside}


def _between(own: int, manager: int) -> Variance:
    return Variance(self_score=own, manager_score=manager, difference=manager - own)


def _only(these: Levels, others: Levels, side: AssessmentType) -> Iterator[Unmatched]:
    for category, inside in these.items():
        for competency, level in inside.items():
            if competency not in others.get(category, {}):
                yield Unmatched(category=category, competency=competency, side=side, score=level)


def _category_levels(own: Levels, manager: Levels) -> dict[str, CategoryLevel]:
    """Of every category, those without a level too."""
    mine, theirs = scores.category_levels(own), scores.category_levels(manager)
    return {
        name: CategoryLevel(own=mine.get(name), manager=theirs.get(name))
        for name in {**own, **manager}
    }
