"""Figures become labels and scores, within their bounds whatever comes in."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.analysers.verdicts import (
    NOTHING,
    is_nothing,
    of_compound,
    of_three,
    of_two,
    places,
)
from tablewright.systems.sentiment.samples import NOW

SHARES = st.floats(0, 1)
PLACE = Decimal("0.0001")


def said(label: str, score: str, polarity: str) -> tuple[str, Decimal, Decimal]:
    return label, Decimal(score), Decimal(polarity)


def figures(verdict: Verdict) -> tuple[str, Decimal, Decimal]:
    return verdict.label, verdict.score, verdict.polarity


def check(verdict: Verdict) -> None:
    """What may be stored: bounds and places; the entity itself refuses all else."""
    verdict.analysis("v1.0.0", NOW)
    assert 0 <= verdict.score <= 1
    assert -1 <= verdict.polarity <= 1
    for figure in (verdict.score, verdict.polarity):
        assert figure == figure.quantize(PLACE)
        assert not (figure == 0 and figure.is_signed())


@pytest.mark.parametrize(
    ("compound", "expected"),
    [
        (0.05, said("positive", "0.525", "0.05")),
        (0.0499, said("neutral", "0.501", "0.0499")),
        (0.0, said("neutral", "1", "0")),
        (-0.0, said("neutral", "1", "0")),
        (-0.0499, said("neutral", "0.501", "-0.0499")),
        (-0.05, said("negative", "0.525", "-0.05")),
        (1.0, said("positive", "1", "1")),
        (-0.8402, said("negative", "0.9201", "-0.8402")),
        # 0.56175 and 0.56185: half to even.
        (0.1235, said("positive", "0.5618", "0.1235")),
        (0.1237, said("positive", "0.5618", "0.1237")),
    ],
)
def test_a_compound_has_a_label_and_a_score(
    compound: float, expected: tuple[str, Decimal, Decimal]
) -> None:
    assert figures(of_compound(compound)) == expected


@given(st.floats(-1, 1))
def test_any_compound_gives_a_verdict(compound: float) -> None:
    verdict = of_compound(compound)
    check(verdict)
    polarity = places(compound)
    assert verdict.polarity == polarity
    assert (verdict.label == "neutral") == (abs(polarity) < Decimal("0.05"))
    assert (verdict.label == "positive") == (polarity >= Decimal("0.05"))
    assert verdict.score >= Decimal("0.5")


@given(SHARES)
def test_any_two_probabilities_give_a_verdict(positive: float) -> None:
    negative = 1 - positive
    verdict = of_two(negative, positive)
    check(verdict)
    top = places(max(negative, positive))
    assert (verdict.label == "neutral") == (top < Decimal("0.6"))
    if verdict.label == "neutral":
        assert verdict.score == 1 - abs(verdict.polarity)
    else:
        assert verdict.score == top
        assert (verdict.label == "positive") == (positive > negative)


@pytest.mark.parametrize(
    ("negative", "expected"),
    [
        (0.1, said("positive", "0.9", "0.8")),
        (0.4, said("positive", "0.6", "0.2")),
        (0.4001, said("neutral", "0.8002", "0.1998")),
        (0.5, said("neutral", "1", "0")),
        (0.6, said("negative", "0.6", "-0.2")),
    ],
)
def test_a_model_of_two_classes_is_neutral_where_it_is_not_sure(
    negative: float, expected: tuple[str, Decimal, Decimal]
) -> None:
    assert figures(of_two(negative, 1 - negative)) == expected


@given(SHARES, SHARES, SHARES)
def test_any_three_probabilities_give_a_verdict(one: float, two: float, three: float) -> None:
    whole = (one + two + three) or 1.0
    if one + two + three < 1e-9:
        one, two, three, whole = 1.0, 1.0, 1.0, 3.0
    negative, neutral, positive = one / whole, two / whole, three / whole
    verdict = of_three(negative, neutral, positive)
    check(verdict)
    chances = {"negative": negative, "neutral": neutral, "positive": positive}
    assert verdict.score == places(chances[verdict.label])
    if places(negative) != places(positive):  # as they are kept; of equal ones neither wins
        assert chances[verdict.label] >= max(chances.values()) - 0.0001


@pytest.mark.parametrize(
    ("chances", "expected"),
    [
        ((0.2, 0.3, 0.5), said("positive", "0.5", "0.3")),
        ((0.5, 0.3, 0.2), said("negative", "0.5", "-0.3")),
        ((0.3, 0.4, 0.3), said("neutral", "0.4", "0")),
        ((0.4, 0.4, 0.2), said("neutral", "0.4", "-0.2")),
        ((0.45, 0.1, 0.45), said("neutral", "0.1", "0")),
    ],
)
def test_of_three_classes_the_likeliest_wins_and_of_equal_ones_neutral(
    chances: tuple[float, float, float], expected: tuple[str, Decimal, Decimal]
) -> None:
    assert figures(of_three(*chances)) == expected


@pytest.mark.parametrize("text", ["", " ", ". ", "\n\t", "...", "\u3000. \u00a0"])
def test_nothing_is_neutral(text: str) -> None:
    assert is_nothing(text)
    assert figures(NOTHING) == said("neutral", "0.5", "0")


@pytest.mark.parametrize("text", ["a", "!", ":)", "0.5", "😀"])
def test_little_is_not_nothing(text: str) -> None:
    assert not is_nothing(text)
