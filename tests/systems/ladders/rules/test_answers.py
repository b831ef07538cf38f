"""Some answers put into an assessment."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.systems.ladders.demo_items import COMPETENCIES, ladder
from tablewright.systems.ladders.fields import Feedback, FeedbackMap, Selections
from tablewright.systems.ladders.rules.answers import Change, applied, faults

PLACES = [(category, name) for category, inside in COMPETENCIES.items() for name in inside]


@dataclass(frozen=True)
class Empty:
    """An assessment that nobody has begun."""

    selections: Selections = field(default_factory=lambda: {name: {} for name in COMPETENCIES})
    feedback: FeedbackMap = field(
        default_factory=lambda: {
            name: {each: {} for each in inside} for name, inside in COMPETENCIES.items()
        }
    )


changes = st.builds(
    lambda place, chooses, level, about, evidence: Change(
        place[0], place[1], chooses, level, about, evidence
    ),
    st.sampled_from(PLACES),
    st.booleans(),
    st.none() | st.integers(0, 7),
    st.none() | st.integers(0, 7),
    st.none() | st.sampled_from(["", "Did it."]),
)


@settings(max_examples=50)
@given(st.lists(changes, max_size=8))
def test_what_has_no_faults_is_applied_as_one_after_the_other(found: list[Change]) -> None:
    before = Empty()
    if faults(before, ladder(), found):
        return
    after = applied(before, found)
    step: Empty = before
    for each in found:
        one = applied(step, [each])
        step = Empty(one.selections, one.feedback)
    assert (after.selections, after.feedback) == (step.selections, step.feedback)
    # What is written gives the same maps, part by part.
    for (category, name), level in after.levels.items():
        assert after.selections[category].get(name) == level
    for (category, name, about), said in after.told.items():
        assert after.feedback[category][name][str(about)] == said
    assert before == Empty()


@settings(max_examples=50)
@given(st.lists(changes, max_size=4))
def test_levels_are_never_outside_of_the_ladder(found: list[Change]) -> None:
    wrong = [
        each
        for each in found
        if (each.chooses and each.level is not None and not 1 <= each.level <= 5)
        or (each.about is not None and not 1 <= each.about <= 5)
    ]
    told = faults(Empty(), ladder(), found)
    assert {found[each.place] for each in told} >= set(wrong)


def test_texts_are_about_the_level_that_is_chosen_then() -> None:
    place = ("Craft", "Coding")
    found = [
        Change(*place, True, 2, evidence="At two."),
        Change(*place, True, 3),
        Change(*place, next_level_feedback="Towards four."),
    ]
    assert faults(Empty(), ladder(), found) == []
    after = applied(Empty(), found)
    assert after.levels == {place: 3}
    assert after.told == {
        (*place, 2): Feedback(evidence="At two."),
        (*place, 3): Feedback(next_level_feedback="Towards four."),
    }


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (Change("Magic", "Coding", True, 1), "category"),
        (Change("Craft", "Magic", True, 1), "competency"),
        (Change("Craft", "Planning", True, 1), "competency"),
        (Change("Craft", "Coding", True, 6), "level"),
        (Change("Craft", "Coding", evidence="Of what?"), "about"),
        (Change("Craft", "Coding", True, None, evidence="Of what?"), "about"),
        (Change("Craft", "Coding", about=6, evidence="x"), "about"),
    ],
)
def test_faults(change: Change, field: str) -> None:
    (fault,) = faults(Empty(), ladder(), [change])
    assert (fault.place, fault.field) == (0, field)
