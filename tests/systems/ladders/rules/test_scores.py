"""Levels of competencies, of categories and of all."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.ladders.demo_items import CURRENT, assessment, ladder
from tablewright.systems.ladders.fields import Ladder
from tablewright.systems.ladders.rules import scores

levels = st.lists(st.integers(1, 10), min_size=1, max_size=12)
selections = st.dictionaries(
    st.sampled_from("ABCDEF"), st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 10))
)


@pytest.mark.parametrize(
    ("found", "level"),
    [
        ([], None),
        ([4], 4),
        ([2, 3], 2),
        ([3, 4], 4),
        ([2, 4], 3),
        ([1, 1, 1, 2], 1),
        ([1, 2, 2, 2], 2),
        ([1, 1, 1, 10], 3),
        ([10, 10], 10),
    ],
)
def test_level_is_the_mean_rounded_once(found: list[int], level: int | None) -> None:
    assert scores.nearest_level(scores.mean_level(found)) == level


def test_twelve_ones_and_four_twos_give_level_one() -> None:
    """However they are spread: two in each of two categories, or one in each of four."""
    two = {name: dict.fromkeys("abcd", 1) for name in "ABCD"}
    two["A"] |= {"a": 2, "b": 2}
    two["B"] |= {"a": 2, "b": 2}
    each = {name: {**dict.fromkeys("bcd", 1), "a": 2} for name in "ABCD"}
    for found in (two, each):
        assert scores.answered(found) == 16
        assert scores.overall_mean(found) == Fraction(20, 16)
        assert scores.calculated_level(found) == 1


@given(levels)
def test_level_is_never_further_from_the_mean_than_half(found: list[int]) -> None:
    level, mean = scores.nearest_level(scores.mean_level(found)), Fraction(sum(found), len(found))
    assert level is not None
    assert abs(level - mean) <= Fraction(1, 2)
    if abs(level - mean) == Fraction(1, 2):
        assert level % 2 == 0


@given(levels)
def test_rounding_favours_no_direction(found: list[int]) -> None:
    """Seen from the other end of a ladder of eleven steps, the same answers give the same level."""
    mirrored = [12 - each for each in found]
    level = scores.nearest_level(scores.mean_level(found))
    assert level is not None
    assert scores.nearest_level(scores.mean_level(mirrored)) == 12 - level


@given(levels, st.data())
def test_a_higher_level_never_lowers_it(found: list[int], data: st.DataObject) -> None:
    before = scores.nearest_level(scores.mean_level(found))
    at = data.draw(st.integers(0, len(found) - 1))
    found[at] += data.draw(st.integers(0, 5))
    after = scores.nearest_level(scores.mean_level(found))
    assert before is not None
    assert after is not None
    assert before <= after


@given(selections)
def test_only_categories_with_a_level_count(found: dict[str, dict[str, int]]) -> None:
    by_category = scores.category_levels(found)
    assert set(by_category) == {name for name, inside in found.items() if inside}
    empty = {**found, "empty": {}}
    assert scores.calculated_level(empty) == scores.calculated_level(found)
    assert scores.answered(found) == sum(len(inside) for inside in found.values())


def test_every_competency_counts_the_same_whatever_its_category() -> None:
    found = {"Craft": {"a": 5, "b": 5, "c": 5, "d": 5, "e": 5}, "Delivery": {"f": 2}}
    assert scores.category_levels(found) == {"Craft": 5, "Delivery": 2}
    assert scores.overall_mean(found) == Fraction(27, 6)
    assert scores.calculated_level(found) == 4


def test_level_that_the_manager_has_set_counts_instead() -> None:
    found = assessment(CURRENT, 4, "manager", "in_progress", 3)
    assert (scores.current_level(found), scores.is_overridden(found)) == (3, False)
    higher = found.model_copy(update={"overall_level": 4})
    assert (scores.current_level(higher), scores.is_overridden(higher)) == (4, True)
    same = found.model_copy(update={"overall_level": 3})
    assert not scores.is_overridden(same)
    empty = found.model_copy(update={"overall_level": 4, "selections": {}})
    assert scores.current_level(empty) is None


@pytest.mark.parametrize(("current", "goal"), [(1, 2), (6, 7), (7, 7)])
def test_the_goal_is_the_next_level_if_there_is_one(current: int, goal: int) -> None:
    assert scores.goal_level(current, 7) == goal


def test_what_a_ladder_asks_for() -> None:
    assert (scores.level_count(ladder()), scores.asked(ladder())) == (5, 4)
    assert (scores.level_count(Ladder(categories=[])), scores.asked(Ladder(categories=[]))) == (
        0,
        0,
    )
