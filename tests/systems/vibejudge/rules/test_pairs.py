"""Comparisons: strengths that add up, nobody boundless, and pairs that everybody gets to see."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tablewright.systems.vibejudge.rules.pairs import (
    SHOWN,
    Board,
    Pair,
    Win,
    chances,
    next_pair,
    pairwise_points,
)

WINS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")).filter(lambda w: w[0] != w[1]),
    max_size=30,
)


def test_one_win_against_one_loss() -> None:
    """By hand: u = 1/t, and t/(t+u) + 2t/(t+1) = 2 wins, which is t³ - t² - 2 = 0."""
    found = pairwise_points((), [("a", "b")])
    assert found["a"] + found["b"] == 100
    t = found["a"] / (100 - found["a"])
    assert abs(t**3 - t**2 - 2) < Fraction(1, 10**6)


def test_nobody_compared_is_in_the_middle() -> None:
    assert pairwise_points(["x", "y"], [])["x"] == 50


def test_who_always_wins_stays_below_a_hundred() -> None:
    found = pairwise_points((), [("a", "b")] * 200)
    assert 50 < found["a"] < 100


@settings(max_examples=25, deadline=None)
@given(WINS)
def test_neither_names_nor_order_matter(wins: list[Win]) -> None:
    other_names = dict(zip("abcdef", "fdbeca", strict=True))
    renamed = [(other_names[winner], other_names[loser]) for winner, loser in wins]
    found = chances("abcdef", wins)
    again = chances("abcdef", Random(3).sample(renamed, len(renamed)))
    assert {other_names[each]: chance for each, chance in found.items()} == again


@settings(max_examples=25, deadline=None)
@example([(f"{at:02d}", f"{at + 1:02d}") for at in range(30)] * 10)
@given(WINS)
def test_strengths_are_the_likeliest(wins: list[Win]) -> None:
    """Where the likelihood is greatest, each wins exactly as often as its strength expects."""
    found = chances("abcdef", wins)
    strengths = {each: chance / (1 - chance) for each, chance in found.items()}
    for each, own in strengths.items():
        met = [
            loser if winner == each else winner for winner, loser in wins if each in (winner, loser)
        ]
        expected = sum(own / (own + strengths[other]) for other in met) + 2 * own / (own + 1)
        won = sum(1 for winner, _ in wins if winner == each) + 1
        assert abs(expected - won) < 1e-6


def test_the_next_pair_was_seen_least_and_is_closest_then() -> None:
    board = Board(views={"a": 1}, chances={"b": 0.9, "c": 0.2, "d": 0.3})
    assert next_pair(board, "abcd", ()) == ("c", "d")
    assert next_pair(board, "abcd", [("c", "d")]) == ("b", "d")
    assert next_pair(board, "a", ()) is None


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 9), st.randoms(use_true_random=False))
def test_a_judge_sees_everything_often_enough_and_then_is_done(size: int, random: Random) -> None:
    own = "abcdefghi"[:size]
    compared: list[Pair] = []
    while pair := next_pair(Board.of([_said(each, random) for each in compared]), own, compared):
        assert pair not in compared
        compared.append(pair)
    seen = Counter(each for pair in compared for each in pair)
    assert all(seen[each] >= min(SHOWN, size - 1) for each in own)
    assert len(compared) <= len(list(combinations(own, 2)))
    assert max(seen.values()) - min(seen.values()) <= 2


def _said(pair: Pair, random: Random) -> Win:
    return pair if random.random() < 0.5 else (pair[1], pair[0])
