"""Levels of competencies, of categories and of all."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.ladders.demo_items import ladder
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
        ([2, 3], 3),
        ([2, 4], 3),
        ([1, 4], 3),
        ([5, 1, 2], 2),
        ([1, 2, 3, 10], 3),
        ([1, 1, 1, 10], 1),
        ([10, 10], 10),
    ],
)
def test_the_one_in_the_middle(found: list[int], level: int | None) -> None:
    assert scores.median(found) == level


@given(levels)
def test_the_median_is_what_the_rule_says(found: list[int]) -> None:
    ordered = sorted(found)
    count = len(ordered)
    pair = (ordered[(count - 1) // 2], ordered[count // 2])
    assert scores.median(found) == math.floor(Fraction(sum(pair), 2) + Fraction(1, 2))


@given(levels, st.randoms())
def test_the_order_does_not_matter_and_half_are_on_each_side(found: list[int], random) -> None:
    level = scores.median(found)
    assert level is not None
    assert min(found) <= level <= max(found)
    assert 2 * sum(each <= level for each in found) >= len(found)
    random.shuffle(found)
    assert scores.median(found) == level


@given(levels, st.data())
def test_a_higher_level_never_lowers_it(found: list[int], data: st.DataObject) -> None:
    before = scores.median(found)
    at = data.draw(st.integers(0, len(found) - 1))
    found[at] += data.draw(st.integers(0, 5))
    after = scores.median(found)
    assert before is not None
    assert after is not None
    assert before <= after


@given(selections)
def test_only_categories_with_a_level_count(found: dict[str, dict[str, int]]) -> None:
    by_category = scores.category_levels(found)
    assert set(by_category) == {name for name, inside in found.items() if inside}
    assert scores.current_level(found) == scores.median(by_category.values())
    assert scores.current_level({**found, "empty": {}}) == scores.current_level(found)
    assert scores.answered(found) == sum(len(inside) for inside in found.values())


def test_the_level_of_all_is_that_of_the_categories_not_of_all_competencies() -> None:
    found = {"Craft": {"a": 5, "b": 5, "c": 5, "d": 5, "e": 5}, "Delivery": {"f": 2}}
    assert scores.category_levels(found) == {"Craft": 5, "Delivery": 2}
    assert scores.current_level(found) == 4


@pytest.mark.parametrize(("current", "goal"), [(1, 2), (6, 7), (7, 7)])
def test_the_goal_is_the_next_level_if_there_is_one(current: int, goal: int) -> None:
    assert scores.goal_level(current, 7) == goal


def test_what_a_ladder_asks_for() -> None:
    assert (scores.level_count(ladder()), scores.asked(ladder())) == (5, 4)
    assert (scores.level_count(Ladder(categories=[])), scores.asked(Ladder(categories=[]))) == (
        0,
        0,
    )
