"""Which words a verdict comes from."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.sentiment.analysers.analyser import Analyser, Verdict
from tablewright.systems.sentiment.analysers.explaining import Term, explain
from tablewright.systems.sentiment.analysers.linear import Linear
from tablewright.systems.sentiment.analysers.vader import Vader


class Counting:
    """A tenth for each ``up``, minus a tenth for each ``down``: every word adds what it adds."""

    version = "v1.0.0+counting"

    def judge(self, texts: Sequence[str]) -> list[Verdict]:
        return [Verdict("neutral", Decimal("0.5"), self._sum(text)) for text in texts]

    def _sum(self, text: str) -> Decimal:
        return Decimal(text.count("up") - text.count("down")) / 10


def test_each_word_weighs_what_it_adds() -> None:
    text = "Prices up, demand (down) and up!"
    assert explain(Counting(), text) == [
        Term("up", Decimal("0.1"), 7, 9),
        Term("down", Decimal("-0.1"), 19, 23),
        Term("up", Decimal("0.1"), 29, 31),
    ]


def test_where_words_only_add_up_their_weights_are_the_polarity() -> None:
    text = "up down up up sideways down up"
    (verdict,) = Counting().judge([text])
    assert sum(term.weight for term in explain(Counting(), text)) == verdict.polarity


def test_ten_are_enough_and_the_heaviest_come_first() -> None:
    text = "a terrible tragedy " + "good " * 12
    terms = explain(Vader(), text)
    assert len(terms) == 10
    weights = [abs(term.weight) for term in terms]
    assert weights == sorted(weights, reverse=True)
    assert len(explain(Vader(), text, top=3)) == 3


def test_negations_and_smileys_weigh_too() -> None:
    found = {term.word: term.weight for term in explain(Vader(), "It is not a good idea :(")}
    assert found["not"] < 0
    assert found[":("] < 0
    assert "It" not in found


@pytest.mark.parametrize("text", ["", ". ", "The committee meets on Tuesday"])
def test_what_weighs_nothing_is_not_told(text: str) -> None:
    assert explain(Vader(), text) == []


@pytest.mark.parametrize("analyser", [Vader(), Linear()])
@given(text=st.text(st.sampled_from("good bad not. “very”!’s\u00a0— :)\n"), max_size=80))
def test_terms_stand_where_they_say(analyser: Analyser, text: str) -> None:
    (whole,) = analyser.judge([text])
    for term in explain(analyser, text):
        assert text[term.start : term.end] == term.word != ""
        (without,) = analyser.judge([text[: term.start] + text[term.end :]])
        assert term.weight == whole.polarity - without.polarity != 0
