"""Answers: what is taken, and that it is shown as it was given."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.systems.kurukshetra.demo_items import NOW
from tablewright.systems.kurukshetra.events import Question
from tablewright.systems.kurukshetra.rules import answers


def question(kind: str, **more: Any) -> Question:
    values = {"event_id": "e", "number": 1, "question_id": "q", "label": "?", "kind": kind}
    return Question.model_validate({**values, "created_at": NOW, "updated_at": NOW, **more})


CHOICES = ["S", "M", "Extra large"]


@pytest.mark.parametrize(
    ("asked", "given", "kept", "shown"),
    [
        (question("text"), "  vegan \n", "vegan", "vegan"),
        (question("text"), "", "", ""),
        (question("bool"), True, "true", True),
        (question("bool"), "false", "false", False),
        (question("date"), "2026-12-05", "2026-12-05", "2026-12-05"),
        (question("choice", choices=CHOICES), "Extra large", "Extra large", "Extra large"),
        (question("multi", choices=CHOICES), ["M", "S"], "S\nM", ["S", "M"]),
        (question("multi", choices=CHOICES), "M", "M", ["M"]),
    ],
)
def test_an_answer_is_kept_as_a_text(
    asked: Question, given: answers.Given, kept: str, shown: answers.Given
) -> None:
    assert answers.parse(asked, given) == kept
    assert answers.shown(asked, kept) == shown


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (question("text"), True),
        (question("text"), ["a"]),
        (question("text"), "x" * 2001),
        (question("text"), "bell \x07"),
        (question("bool"), "perhaps"),
        (question("bool"), ["true"]),
        (question("date"), "5 December"),
        (question("date"), "2026-02-30"),
        (question("choice", choices=CHOICES), "L"),
        (question("choice", choices=CHOICES), True),
        (question("multi", choices=CHOICES), ["M", "L"]),
        (question("multi", choices=CHOICES), ["M", "M"]),
        (question("multi", choices=CHOICES), True),
    ],
)
def test_what_is_no_answer_is_refused(asked: Question, given: answers.Given) -> None:
    with pytest.raises(answers.BadAnswer):
        answers.parse(asked, given)


def test_an_answer_outlives_its_question() -> None:
    assert answers.shown(None, "true") == "true"
    assert answers.shown(question("bool"), "once a text") == "once a text"
