"""What the scores of a hackathon look like together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from tablewright.systems.vibejudge.analysis import SubmissionSummary
from tablewright.systems.vibejudge.entities import Submission, SubmissionStatus
from tablewright.systems.vibejudge.rules.scoring import rounded
from tablewright.systems.vibejudge.table import Agent, Recommendation

K = TypeVar("K", bound=str)

#: Of the distribution: ten bars of ten points.
BARS = 10
_WIDTH = 100 // BARS


@dataclass(frozen=True, slots=True)
class Spread:
    """Some scores: how many, and where they lie."""

    count: int
    mean: Decimal
    median: Decimal
    lowest: Decimal
    highest: Decimal


@dataclass(frozen=True, slots=True)
class Bar:
    """Scores from one number up to, and without, another; the last one has its end as well."""

    least: int
    below: int
    count: int


@dataclass(frozen=True, slots=True)
class Figures:
    submissions: int
    by_status: Mapping[SubmissionStatus, int]
    disqualified: int
    #: Those that have a rank: what follows is about them.
    ranked: int
    partial: int
    scores: Spread | None
    distribution: tuple[Bar, ...]
    recommendations: Mapping[Recommendation, int]
    #: 0 to 10, by name.
    dimensions: Mapping[str, Spread]
    #: 0 to 100.
    agents: Mapping[Agent, Spread]
    #: Submissions with a flag of that kind.
    flags: Mapping[str, int]
    #: Submissions with any.
    flagged: int


def figures(submissions: Sequence[Submission], summaries: Iterable[SubmissionSummary]) -> Figures:
    ranked = [each for each in submissions if each.rank_score is not None]
    ids = {each.sub_id for each in ranked}
    cards = [each for each in summaries if each.sub_id in ids]
    points = [each.rank_score for each in ranked if each.rank_score is not None]
    return Figures(
        submissions=len(submissions),
        by_status=Counter(each.status for each in submissions),
        disqualified=sum(each.disqualified_reason is not None for each in submissions),
        ranked=len(ranked),
        partial=sum(each.partial for each in ranked),
        scores=spread(points),
        distribution=distribution(points),
        recommendations=Counter(each.recommendation for each in ranked if each.recommendation),
        dimensions=_spreads(
            (name, score.raw) for card in cards for name, score in card.weighted_scores.items()
        ),
        agents=_spreads(pair for card in cards for pair in card.agent_scores.items()),
        flags=Counter(kind for card in cards for kind in _kinds(card)),
        flagged=sum(bool(card.flags) for card in cards),
    )


def spread(scores: Sequence[Decimal]) -> Spread | None:
    """None of none."""
    if not scores:
        return None
    ordered = sorted(scores)
    exact = [Fraction(each) for each in ordered]
    middle = len(exact) // 2
    median = exact[middle] if len(exact) % 2 else (exact[middle - 1] + exact[middle]) / 2
    return Spread(
        count=len(exact),
        mean=rounded(sum(exact, Fraction(0)) / len(exact)),
        median=rounded(median),
        lowest=ordered[0],
        highest=ordered[-1],
    )


def distribution(scores: Iterable[Decimal]) -> tuple[Bar, ...]:
    counts = Counter(min(int(each) // _WIDTH, BARS - 1) for each in scores)
    return tuple(Bar(at * _WIDTH, (at + 1) * _WIDTH, counts[at]) for at in range(BARS))


def _spreads(pairs: Iterable[tuple[K, Decimal]]) -> dict[K, Spread]:
    found: dict[K, list[Decimal]] = {}
    for name, score in pairs:
        found.setdefault(name, []).append(score)
    return {name: made for name, scores in found.items() if (made := spread(scores)) is not None}


def _kinds(card: SubmissionSummary) -> set[str]:
    return {each.partition(":")[0] for each in card.flags}
