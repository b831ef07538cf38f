"""The model of our own: what ships is what its card tells of."""

from __future__ import annotations

import re
import subprocess
import sys
from decimal import Decimal
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.sentiment.models.test_vader import HEADLINES
from tests.timing import at_most

from tablewright.systems.sentiment.analysers.linear import (
    CARD,
    FIGURES,
    VERSION,
    WEIGHTS,
    Linear,
    Weights,
    bundled_weights,
    read_weights,
    stem,
    terms,
)
from tablewright.systems.sentiment.analysers.loading import bundled
from tablewright.systems.sentiment.analysers.verdicts import NOTHING, is_nothing

ZERO = (0.0, 0.0, 0.0)


def test_the_card_tells_of_the_file_that_ships() -> None:
    """If this fails, it is another model: give it another version, and the card its figures."""
    card = CARD.read_text("utf-8")
    assert VERSION in card.splitlines()[0]
    assert sha256(WEIGHTS.read_bytes()).hexdigest() in card
    assert next(each.checksum for each in bundled() if each.kind == "linear") in card
    assert f"{len(bundled_weights().terms):,} terms" in card


def test_the_figures_of_the_card_belong_together() -> None:
    """Accuracy, precision and recall follow from the counts of the same card."""
    card = CARD.read_text("utf-8")
    for name in ("linear", "VADER"):
        told = re.search(rf"^\| {name} \| ([0-9.]+) \|", card, re.MULTILINE)
        table = re.search(rf"^\| truth, by {name} .*\n.*\n((?:\|.*\n)+)", card, re.MULTILINE)
        assert told is not None
        assert table is not None
        rows = [line.split("|")[2:7] for line in table[1].splitlines()]
        counts = [[int(cell) for cell in row[:3]] for row in rows]
        whole = sum(map(sum, counts))
        assert f"{sum(counts[at][at] for at in range(3)) / whole:.3f}" == told[1]
        for at, row in enumerate(rows):
            right = counts[at][at]
            assert float(row[3]) == pytest.approx(
                right / sum(each[at] for each in counts), abs=5e-4
            )
            assert float(row[4]) == pytest.approx(right / sum(counts[at]), abs=5e-4)


def test_the_file_is_small_and_read_once() -> None:
    assert WEIGHTS.stat().st_size < 1_000_000
    assert bundled_weights() is bundled_weights()
    assert len(bundled_weights().figures) == len(FIGURES)


@given(st.text(max_size=300))
def test_it_has_a_verdict_on_any_text(text: str) -> None:
    (verdict,) = Linear().judge([text])
    if is_nothing(text):
        assert verdict == NOTHING
        return
    chances = Linear().chances(text)
    assert sum(chances) == pytest.approx(1)
    assert -1 <= verdict.polarity <= 1
    assert abs(verdict.polarity - Decimal(chances[2] - chances[0])) <= Decimal("0.0002")
    assert verdict.score <= 1


@pytest.mark.parametrize(
    "names", [("Trump", "Obama", "Clinton", "Merkel"), ("she", "he"), ("Muslims", "Christians")]
)
def test_no_name_and_no_group_has_a_weight(names: tuple[str, ...]) -> None:
    texts = [f"{name} met the committee on Tuesday" for name in names]
    assert len({Linear().chances(text) for text in texts}) == 1


def test_words_count_as_they_were_learnt() -> None:
    weights = Weights({"fine*": (0.0, 0.0, 2.0), "grim": (3.0, 0.0, 0.0)}, [ZERO] * 7, ZERO)
    model = Linear(weights)
    fines, grim, both, none = model.judge(["The Fines", "a grim day", "grim fines", "a day"])
    assert (fines.label, grim.label, both.label, none.label) == (
        "positive",
        "negative",
        "negative",
        "neutral",
    )
    assert grim.polarity < both.polarity < none.polarity == 0


def test_the_file_says_steps_and_their_size() -> None:
    text = '{"scale": 0.5, "figures": [[1, 2, 3]], "bias": [0.1, 0.2, 0.3]}\nfire\t4\t-2\t0\n'
    weights = read_weights(text)
    assert weights.terms == {"fire": (2.0, -1.0, 0.0)}
    assert weights.figures == [(1, 2, 3)]
    assert weights.bias == (0.1, 0.2, 0.3)


def test_stems_of_the_same_word_are_the_same() -> None:
    assert {stem(word) for word in ("attack", "attacks", "attacked", "attacking")} == {"attack*"}
    assert terms(["is"]) == {"is", "is*"}


def test_the_same_text_has_the_same_verdict_in_every_process() -> None:
    """The order of a set of words differs between processes; sums may not."""
    program = (
        "from tablewright.systems.sentiment.analysers.linear import Linear\n"
        f"print([Linear().chances(text) for text in {HEADLINES!r}])"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert found == {f"{[Linear().chances(text) for text in HEADLINES]}\n"}


def test_a_thousand_headlines_take_less_than_a_second() -> None:
    texts = (HEADLINES * 200)[:1000]
    Linear().judge(texts[:10])
    with at_most(1):
        Linear().judge(texts)
