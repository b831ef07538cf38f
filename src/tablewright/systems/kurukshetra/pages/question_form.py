"""The form of an event's questions: rows that come, go and move, and the body that they make.

A question keeps its id, which answers hang on; a new one gets its id from its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from tablewright.service.forms import Typed, built
from tablewright.service.problems import FieldError
from tablewright.systems.kurukshetra.bodies.organising import MOST_QUESTIONS, QuestionsIn
from tablewright.systems.kurukshetra.events import Question
from tablewright.systems.kurukshetra.fields import slug_of

ROWS: Final = "questions"
MOST: Final = MOST_QUESTIONS
KINDS: Final = (
    ("text", "Text"),
    ("choice", "One of several"),
    ("multi", "Some of several"),
    ("bool", "Yes or no"),
    ("date", "A day"),
)
_PARTS: Final = ("question_id", "label", "kind", "choices", "required", "pii")
_WITH_CHOICES: Final = ("choice", "multi")

Row: TypeAlias = dict[str, str]


def values_of(questions: Sequence[Question]) -> dict[str, str]:
    """Questions as their form shows them."""
    return _numbered([_row(each) for each in questions])


def _row(question: Question) -> Row:
    return {
        "question_id": question.question_id,
        "label": question.label,
        "kind": question.kind,
        "choices": "\n".join(question.choices),
        "required": "1" if question.required else "",
        "pii": "1" if question.pii else "",
    }


def numbers(values: Mapping[str, object]) -> list[int]:
    """The rows that a form has."""
    return [at for at in range(MOST) if _place(at, "label") in values]


def acted(values: Typed) -> dict[str, str]:
    """What a button asks for: ``add``, or ``remove``, ``up`` and ``down`` with a row."""
    rows = _rows(values)
    act, _, number = values.get("act", "").partition(".")
    at = int(number) if number.isdigit() else -1
    if act == "add" and len(rows) < MOST:
        rows.append({"kind": "text"})
    elif 0 <= at < len(rows):
        _moved(rows, act, at)
    return _numbered(rows)


def _moved(rows: list[Row], act: str, at: int) -> None:
    if act == "remove":
        del rows[at]
    elif act == "up" and at:
        rows[at - 1], rows[at] = rows[at], rows[at - 1]
    elif act == "down" and at + 1 < len(rows):
        rows[at + 1], rows[at] = rows[at], rows[at + 1]


def read_questions(values: Typed) -> QuestionsIn:
    """The body that a form makes, or a problem at its fields."""
    rows = _rows(values)
    taken = {row["question_id"] for row in rows if row["question_id"]}
    said, errors = [], []
    for at, row in enumerate(rows):
        choices = [each.strip() for each in row["choices"].splitlines() if each.strip()]
        chosen = row["kind"] in _WITH_CHOICES
        errors += _wrong(at, choices) if chosen else []
        said.append(
            {
                "question_id": row["question_id"] or _new_id(row["label"], at, taken),
                "label": row["label"],
                "kind": row["kind"],
                "choices": choices if chosen else [],
                "required": row["required"] == "1",
                "pii": row["pii"] == "1",
            }
        )
    return built(QuestionsIn, {ROWS: said}, errors)


def _wrong(at: int, choices: list[str]) -> list[FieldError]:
    if not choices:
        return [FieldError(f"body.{_place(at, 'choices')}", "One choice in each line.")]
    if len(set(choices)) < len(choices):
        return [FieldError(f"body.{_place(at, 'choices')}", "One of them is there twice.")]
    return []


def _new_id(label: str, at: int, taken: set[str]) -> str:
    """An id that no other question has."""
    base = (slug_of(label) or f"question-{at + 1}")[:40].strip("-")
    found = next(
        each for each in (base, *(f"{base}-{more}" for more in range(2, 99))) if each not in taken
    )
    taken.add(found)
    return found


def _rows(values: Typed) -> list[Row]:
    return [{part: values.get(_place(at, part), "") for part in _PARTS} for at in numbers(values)]


def _numbered(rows: Sequence[Row]) -> dict[str, str]:
    return {_place(at, part): row.get(part, "") for at, row in enumerate(rows) for part in _PARTS}


def _place(at: int, part: str) -> str:
    return f"{ROWS}.{at}.{part}"
