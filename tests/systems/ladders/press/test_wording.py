"""Sentences about numbers, and what is flagged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.systems.ladders.press.samples import ASHA, competency

from tablewright.systems.ladders.press.printed import PrintedCategory, PrintedSummary
from tablewright.systems.ladders.press.wording import said


def told(**changes: Any) -> dict[str, Any]:
    return said(replace(ASHA, **changes))


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        (PrintedSummary(4, 2, 0.5, 1.5), "4 competencies were rated by both sides; 2 differ by"),
        (PrintedSummary(1, 1, 2, 2), "1 competency was rated by both sides; 1 differs by"),
        (PrintedSummary(4, 0, 0, 0.5), "none differ by two levels or more"),
        (PrintedSummary(4, 0, 0.04, 0.5), "level with the self-assessment"),
        (PrintedSummary(4, 0, 0.5, 0.5), "0.5 levels above the self-assessment"),
        (PrintedSummary(4, 0, -1.25, 1.5), "1.2 levels below the self-assessment"),
        (PrintedSummary(0, 0, 0, 0), "nothing to compare"),
    ],
)
def test_the_summary(summary: PrintedSummary, words: str) -> None:
    assert words in told(summary=summary)["sentence"]


@pytest.mark.parametrize(
    ("own", "manager", "threshold", "kind", "verdict"),
    [
        (3, 3, 1, "agree", "Agree"),
        (3, 4, 2, "mention", "+1"),
        (3, 4, 1, "flag", "+1"),
        (5, 3, 2, "flag", "\u22122"),
        (3, None, 2, "single", "Self only"),
        (None, 3, 2, "single", "Manager only"),
        (None, None, 2, "none", "Not rated"),
    ],
)
def test_a_difference_is_named(
    own: int | None, manager: int | None, threshold: int, kind: str, verdict: str
) -> None:
    category = PrintedCategory("Craft", (competency("Design", own, manager),))
    report = told(categories=(category,), flag_threshold=threshold)
    (found,) = report["categories"][0]["competencies"]
    assert (found["kind"], found["verdict"]) == (kind, verdict)
    assert len(report["flagged"]) == (kind == "flag")
    assert len(report["unmatched"]) == (kind == "single")


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (6, "One level up"),
        (7, "Two levels up"),
        (5, "The final level itself"),
        (4, "One level below"),
    ],
)
def test_the_goal(goal: int, words: str) -> None:
    assert told(goal_level=goal)["goal"]["way"].startswith(words)


def test_a_level_without_a_name_has_none() -> None:
    assert told(level_names=("One",))["goal"]["name"] == ""
    assert told()["goal"]["name"] == "Principal"
