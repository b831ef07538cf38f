"""VADER as a model says what the package says."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timing import at_most
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from tablewright.systems.sentiment.analysers import vader
from tablewright.systems.sentiment.analysers.vader import Vader
from tablewright.systems.sentiment.analysers.verdicts import NOTHING, is_nothing

PACKAGE = SentimentIntensityAnalyzer()
HEADLINES = [
    "Chip maker posts record profit as demand surges",
    "Wildfires destroy hundreds of homes; three people killed",
    "Parliament to vote on the energy bill on Tuesday",
    "A GREAT day for science!!! Vaccine cuts deaths by half",
    "Not bad at all, but the grid is still a horrible mess :(",
    "Regulator fines bank over data leak. It isn't the first time, says the minister.",
]


@pytest.mark.parametrize("text", HEADLINES)
def test_it_agrees_with_the_package(text: str) -> None:
    (verdict,) = Vader().judge([text])
    assert float(verdict.polarity) == PACKAGE.polarity_scores(text)["compound"]


@given(
    st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from(["great", "BAD", "not", "very", "but", "least", "no", "!", "😀"])
        ).map(" ".join),
    )
)
def test_it_has_a_verdict_on_any_text(text: str) -> None:
    (verdict,) = Vader().judge([text])
    if is_nothing(text):
        assert verdict == NOTHING
        return
    compound = PACKAGE.polarity_scores(text)["compound"]
    assert verdict.polarity == Decimal(str(compound)).quantize(Decimal("0.0001"))
    expected = "positive" if compound >= 0.05 else "negative" if compound <= -0.05 else "neutral"
    assert verdict.label == expected


def test_verdicts_are_in_the_order_of_the_texts() -> None:
    together = Vader().judge([*HEADLINES, ""])
    assert together == [Vader().judge([text])[0] for text in [*HEADLINES, ""]]
    assert together[-1] == NOTHING


def test_its_version_is_that_of_the_package() -> None:
    assert Vader().version == vader.version() == "v3.3.2+vader"
    assert all(each.is_file() for each in vader.files())


def test_a_thousand_headlines_take_less_than_a_second() -> None:
    texts = (HEADLINES * 200)[:1000]
    Vader().judge(texts[:10])
    with at_most(1):
        Vader().judge(texts)
