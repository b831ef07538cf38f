"""How two models agree."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.sentiment.config import MAX_CHANGED_IDS
from tablewright.systems.sentiment.rules.comparison import LABELS, Tallies, agreement, kappa, total
from tablewright.systems.sentiment.shapes import Sentiment

LABEL = st.sampled_from(LABELS)
PAIRS = st.lists(st.tuples(LABEL, LABEL, st.none() | LABEL), max_size=60)


def tallied(pairs: list[tuple[Sentiment, Sentiment, Sentiment | None]]) -> Tallies:
    tallies = Tallies()
    for number, (old, new, verdict) in enumerate(pairs):
        tallies.add(f"file#{number}", old, new, verdict)
    return tallies


def test_kappa_as_in_a_textbook() -> None:
    """50 applications, two readers: 20 both yes, 15 both no, 5 and 10 differ. Kappa is 0.4."""
    matrix = {
        "positive": {"positive": 20, "negative": 5},
        "negative": {"positive": 10, "negative": 15},
    }
    assert agreement(matrix) == Fraction(7, 10)
    assert kappa(matrix) == Fraction(2, 5)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ({}, 1),
        ({"neutral": {"neutral": 7}}, 1),
        ({"positive": {"positive": 3}, "negative": {"negative": 4}}, 1),
        ({"positive": {"negative": 5}, "negative": {"positive": 5}}, -1),
        ({"neutral": {"positive": 7}}, 0),
    ],
)
def test_kappa_at_the_ends(matrix: dict[str, dict[str, int]], expected: int) -> None:
    assert kappa(matrix) == expected


@given(PAIRS)
def test_properties(pairs: list[tuple[Sentiment, Sentiment, Sentiment | None]]) -> None:
    report = tallied(pairs).report()
    same = sum(old == new for old, new, _ in pairs)
    assert total(report.matrix) == len(pairs)
    assert report.changed == len(report.changed_ids) == len(pairs) - same
    assert 0 <= report.agreement <= 1
    assert -1 <= report.kappa <= report.agreement or report.kappa == 1 == report.agreement
    assert (report.kappa == 1) == (same == len(pairs))
    said = [(new, verdict) for _, new, verdict in pairs if verdict is not None]
    assert report.overrides == len(said)
    if said:
        right = sum(new == verdict for new, verdict in said)
        assert report.accuracy_on_overrides is not None
        assert abs(report.accuracy_on_overrides - Decimal(right) / len(said)) < Decimal("0.0001")
    else:
        assert report.accuracy_on_overrides is None


@given(PAIRS)
def test_kappa_does_not_ask_who_is_who(
    pairs: list[tuple[Sentiment, Sentiment, Sentiment | None]],
) -> None:
    turned = [(new, old, verdict) for old, new, verdict in pairs]
    assert kappa(tallied(pairs).matrix) == kappa(tallied(turned).matrix)


@given(PAIRS, st.integers(0, 60))
def test_a_comparison_that_goes_on(
    pairs: list[tuple[Sentiment, Sentiment, Sentiment | None]], cut: int
) -> None:
    """From a report that was kept, it comes to the same."""
    first = tallied(pairs[:cut])
    later = Tallies.of(first.report())
    for number, (old, new, verdict) in enumerate(pairs[cut:], start=len(pairs[:cut])):
        later.add(f"file#{number}", old, new, verdict)
    assert later.report() == tallied(pairs).report()


def test_only_some_are_named() -> None:
    report = tallied([("neutral", "positive", None)] * (MAX_CHANGED_IDS + 5)).report()
    assert (report.changed, len(report.changed_ids)) == (MAX_CHANGED_IDS + 5, MAX_CHANGED_IDS)
