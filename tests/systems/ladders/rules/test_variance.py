"""Two assessments side by side."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.ladders.fields import CategoryLevel, Summary, Unmatched, Variance
from tablewright.systems.ladders.rules import scores
from tablewright.systems.ladders.rules.variance import compared, verdict

sides = st.dictionaries(
    st.sampled_from(("Craft", "Delivery", "Influence")),
    st.dictionaries(st.sampled_from(("a", "b", "c")), st.integers(1, 10)),
)
thresholds = st.integers(1, 9)


def test_scenario_12_what_a_report_compares() -> None:
    """2,3 gives 3; flags at 2; unmatched listed."""
    own = {"Craft": {"Code": 2, "Testing": 3, "Design": 2}, "Delivery": {"Planning": 2}}
    manager = {"Craft": {"Code": 2, "Testing": 4}, "Delivery": {"Planning": 4, "Ownership": 3}}
    found = compared(own, manager, 2)
    assert found.variance == {
        "Craft": {
            "Code": Variance(self_score=2, manager_score=2, difference=0),
            "Testing": Variance(self_score=3, manager_score=4, difference=1),
        },
        "Delivery": {"Planning": Variance(self_score=2, manager_score=4, difference=2)},
    }
    assert found.unmatched == [
        Unmatched(category="Craft", competency="Design", side="self", score=2),
        Unmatched(category="Delivery", competency="Ownership", side="manager", score=3),
    ]
    assert found.summary == Summary(matched=3, flagged=1, mean=Decimal(1), mean_absolute=Decimal(1))
    assert found.category_levels == {
        "Craft": CategoryLevel(own=2, manager=3),
        "Delivery": CategoryLevel(own=2, manager=4),
    }
    # Half a level goes to the even one: neither side is favoured.
    assert scores.calculated_level({"Craft": {"Code": 2}, "Delivery": {"Planning": 3}}) == 2
    assert scores.calculated_level({"Craft": {"Code": 4}, "Delivery": {"Planning": 3}}) == 4


@pytest.mark.parametrize(
    ("difference", "threshold", "said"),
    [
        (0, 1, "agree"),
        (1, 1, "flag"),
        (-1, 2, "mention"),
        (2, 2, "flag"),
        (-2, 2, "flag"),
        (8, 9, "mention"),
        (-9, 9, "flag"),
    ],
)
def test_what_a_difference_means(difference: int, threshold: int, said: str) -> None:
    assert verdict(difference, threshold) == said


def test_means_have_a_sign_and_none() -> None:
    own = {"Craft": {"a": 1, "b": 4, "c": 2}}
    manager = {"Craft": {"a": 3, "b": 1, "c": 2}}
    summary = compared(own, manager, 3).summary
    assert (summary.mean, summary.mean_absolute) == (Decimal("-0.33"), Decimal("1.67"))
    assert (summary.matched, summary.flagged) == (3, 1)


def test_nothing_in_common() -> None:
    found = compared({"Craft": {"a": 1}, "Delivery": {}}, {"Craft": {}, "Delivery": {}}, 2)
    assert found.variance == {}
    assert found.summary == Summary()
    assert found.category_levels == {
        "Craft": CategoryLevel(own=1),
        "Delivery": CategoryLevel(),
    }


def _places(found: dict[str, dict[str, int]]) -> set[tuple[str, str]]:
    return {(category, each) for category, inside in found.items() for each in inside}


@given(sides, sides, thresholds)
def test_every_level_is_compared_or_unmatched(own, manager, threshold: int) -> None:
    found = compared(own, manager, threshold)
    both = _places(own) & _places(manager)
    assert {(c, k) for c, inside in found.variance.items() for k in inside} == both
    one_sided = {(each.category, each.competency) for each in found.unmatched}
    assert one_sided == _places(own) ^ _places(manager)
    assert found.summary.matched == len(both)
    assert found.summary.flagged <= found.summary.matched
    assert abs(found.summary.mean) <= found.summary.mean_absolute


@given(sides, sides, thresholds)
def test_from_the_other_side_it_is_the_same_with_another_sign(own, manager, threshold) -> None:
    there, back = compared(own, manager, threshold), compared(manager, own, threshold)
    assert there.summary.mean == -back.summary.mean
    assert there.summary.mean_absolute == back.summary.mean_absolute
    assert there.summary.flagged == back.summary.flagged
    assert len(there.unmatched) == len(back.unmatched)


@given(sides, sides)
def test_a_higher_threshold_never_flags_more(own, manager) -> None:
    flagged = [compared(own, manager, each).summary.flagged for each in range(1, 10)]
    assert flagged == sorted(flagged, reverse=True)
