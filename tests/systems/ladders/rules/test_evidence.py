"""What an assessment lacks before it can be submitted."""

from __future__ import annotations

import pytest

from tablewright.systems.ladders.demo_items import CURRENT, assessment, ladder
from tablewright.systems.ladders.entities import Assessment
from tablewright.systems.ladders.fields import Feedback
from tablewright.systems.ladders.rules.evidence import Missing, missing

SAID = Feedback(evidence="Ran the migration.")


def answers(**levels: int) -> Assessment:
    """With evidence for what has a level."""
    made = assessment(CURRENT, 4, "self", "in_progress")
    for category, inside in made.feedback.items():
        for competency in inside:
            if competency.lower() in levels:
                level = levels[competency.lower()]
                made.selections[category][competency] = level
                made.feedback[category][competency] = {str(level): SAID}
    return made


FULL = {"coding": 2, "design": 3, "planning": 1, "ownership": 5}


@pytest.mark.parametrize(
    "text", ["", "  ", "\u200b", "\u2060\ufeff", "\u00ad \u200d", "\u3164", "\n"]
)
def test_evidence_that_nobody_can_see_is_missing(text: str) -> None:
    found = answers(**FULL)
    found.feedback["Craft"]["Coding"] = {"2": Feedback(evidence=text)}
    assert missing(found, ladder(), True) == (Missing("Craft", "Coding", "evidence"),)


@pytest.mark.parametrize("require_all", [True, False])
def test_nothing_is_missing(require_all: bool) -> None:
    assert missing(answers(**FULL), ladder(), require_all) == ()


def test_everything_is_missing() -> None:
    assert missing(answers(), ladder(), True) == (
        Missing("Craft", "Coding", "level"),
        Missing("Craft", "Design", "level"),
        Missing("Delivery", "Planning", "level"),
        Missing("Delivery", "Ownership", "level"),
    )
    assert missing(answers(), ladder(), False) == (
        Missing("Craft", None, "level"),
        Missing("Delivery", None, "level"),
    )


def test_one_of_each_category_is_enough_unless_all_are_required() -> None:
    some = answers(design=3, planning=1)
    assert missing(some, ladder(), False) == ()
    assert missing(some, ladder(), True) == (
        Missing("Craft", "Coding", "level"),
        Missing("Delivery", "Ownership", "level"),
    )


@pytest.mark.parametrize("said", [{}, {"2": Feedback(evidence=" \n\t")}, {"3": SAID}])
def test_evidence_is_that_of_the_chosen_level(said: dict[str, Feedback]) -> None:
    some = answers(**FULL)
    some.feedback["Craft"]["Coding"] = said
    assert missing(some, ladder(), True) == (Missing("Craft", "Coding", "evidence"),)
    assert missing(some, ladder(), False) == ()


def test_a_level_without_evidence_is_what_to_go_on_with() -> None:
    some = answers(planning=2)
    some.selections["Craft"]["Design"] = 4
    assert missing(some, ladder(), False) == (Missing("Craft", "Design", "evidence"),)


def test_maps_that_are_not_there_are_empty() -> None:
    some = answers(**FULL)
    del some.feedback["Craft"], some.selections["Delivery"]
    assert [each.what for each in missing(some, ladder(), True)] == [
        "evidence",
        "evidence",
        "level",
        "level",
    ]
