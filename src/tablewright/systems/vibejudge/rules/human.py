"""What judges' scores come to, and how they are blended with the agents'.

Everything is exact until it is rounded, half up, to two decimals; square roots are cut at the
twelfth decimal. So the same scores give the same results in every process, whatever order they are
read in.

A judge who is harsh and one who is lenient, but who order and space submissions alike, say the
same. A judge's scores are therefore mapped to the mean and the spread of all scores of the round,
if there are enough of them to know the judge by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isqrt

from tablewright.systems.vibejudge.rules.scoring import rounded

#: With fewer scores, nobody knows whether a judge is harsh or the submissions are weak.
KNOWN_BY = 3
_DIGITS = 10**12
_LEAST, _MOST = Fraction(0), Fraction(100)


@dataclass(frozen=True, slots=True)
class Given:
    """What one judge gives one submission: 0 to 100."""

    judge_id: str
    sub_id: str
    points: Fraction


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a round says of a submission, and by how many judges."""

    points: Fraction
    reviews: int


@dataclass(frozen=True, slots=True)
class Human:
    """What all rounds that are over say of a submission."""

    score: Decimal
    reviews: int


# --- one judge -----------------------------------------------------------------------------------


def points_of(
    scores: Mapping[str, Decimal | None], weights: Mapping[str, Fraction]
) -> Fraction | None:
    """Scores of 0 to 10 by dimension, weighted: 0 to 100. None if none that weighs was given."""
    given = [
        (weights[name], Fraction(score))
        for name, score in scores.items()
        if score is not None and name in weights
    ]
    whole = sum((weight for weight, _ in given), Fraction(0))
    if not whole:
        return None
    return 10 * sum((weight * score for weight, score in given), Fraction(0)) / whole


# --- one round -----------------------------------------------------------------------------------


def rubric_round(given: Iterable[Given]) -> dict[str, Reviewed]:
    """The mean of what judges gave each submission, each judge's scores being mapped before."""
    found: dict[str, list[Fraction]] = {}
    for each in mapped(given):
        found.setdefault(each.sub_id, []).append(each.points)
    return {sub_id: Reviewed(_mean(points), len(points)) for sub_id, points in found.items()}


def mapped(given: Iterable[Given]) -> list[Given]:
    """Scores with each judge's mean and spread made those of all; few scores stay as they are."""
    pool = sorted(given, key=lambda each: (each.judge_id, each.sub_id))
    own: dict[str, list[Fraction]] = {}
    for each in pool:
        own.setdefault(each.judge_id, []).append(each.points)
    everyone = _Spread.of([each.points for each in pool])
    known = {judge: _Spread.of(points) for judge, points in own.items() if len(points) >= KNOWN_BY}
    return [_mapped(each, known.get(each.judge_id), everyone) for each in pool]


@dataclass(frozen=True, slots=True)
class _Spread:
    mean: Fraction
    variance: Fraction

    @classmethod
    def of(cls, points: Sequence[Fraction]) -> _Spread:
        mean = _mean(points) if points else Fraction(0)
        return cls(mean, _mean([(each - mean) ** 2 for each in points]) if points else Fraction(0))


def _mapped(given: Given, judge: _Spread | None, pool: _Spread) -> Given:
    if judge is None:
        return given
    away = given.points - judge.mean
    # One root of the whole quotient: judges who agree get the same to the last digit.
    square = away**2 * pool.variance / judge.variance if judge.variance else Fraction(0)
    moved = pool.mean + (_root(square) if away > 0 else -_root(square))
    return Given(given.judge_id, given.sub_id, min(_MOST, max(_LEAST, moved)))


def _root(square: Fraction) -> Fraction:
    return Fraction(isqrt(square.numerator * _DIGITS**2 // square.denominator), _DIGITS)


def _mean(points: Sequence[Fraction]) -> Fraction:
    return sum(points, Fraction(0)) / len(points)


# --- all rounds, and the agents ------------------------------------------------------------------


def combined(rounds: Iterable[tuple[Decimal, Reviewed | None]]) -> Human | None:
    """Rounds by their weights: the weighted mean of those that looked at the submission.

    A round that weighs nothing is for practice: neither its scores nor its reviews count.
    """
    counted = [(Fraction(w), each) for w, each in rounds if w and each is not None]
    if not counted:
        return None
    whole = sum((weight for weight, _ in counted), Fraction(0))
    total = sum((weight * each.points for weight, each in counted), Fraction(0))
    return Human(rounded(total / whole), sum(each.reviews for _, each in counted))


def human_share(human: Human | None, weight: Decimal, min_reviews: int) -> Decimal | None:
    """How much the judges' score counts: the hackathon's ``human_weight``, once enough of them
    have looked; None before that."""
    return weight if human is not None and human.reviews >= min_reviews else None


def blended(ai: Decimal | None, human: Decimal | None, share: Decimal | None) -> Decimal | None:
    """Blend the scores: (1-b) x AI + b x human; None where the agents' score alone counts.

    A repository that could not be analysed has the judges' score, once enough of them have looked.
    """
    if human is None or share is None:
        return None
    if ai is None:
        return human
    part = Fraction(share)
    return rounded((1 - part) * Fraction(ai) + part * Fraction(human))
