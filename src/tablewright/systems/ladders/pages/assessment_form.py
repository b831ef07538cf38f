"""What is typed into an assessment, read into changes.

A form has one category, or the outlook. A competency is sent if its evidence is: then only what
differs from what is stored becomes a change. The texts belong to the level that is chosen. Who goes
to a level that nothing was said about takes the texts along; who goes to one with texts of its own
finds those.
"""

from __future__ import annotations

from typing import Any

from tablewright.service.forms import Typed, built
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.ladders.bodies.assessments import ChangeIn, SaveIn
from tablewright.systems.ladders.fields import Feedback
from tablewright.systems.ladders.pages.assessment_parts import Asked, Sheet
from tablewright.systems.ladders.pages.form_fields import FormField

_LABELS = {"level": "level", "evidence": "evidence", "next": "next step"}
_TEXTS = {"evidence": "evidence", "next": "next_level_feedback"}


def seen(values: Typed) -> Precondition:
    """The revision that was in the form."""
    return Precondition(if_match=f'"{values.get("revision", "")}"')


def read_answers(sheet: Sheet, step: int, values: Typed) -> SaveIn:
    """What is to be changed; a problem names the fields of the form."""
    found: dict[str, Any] = {}
    if 1 <= step < sheet.outlook_step:
        asked = sheet.asked(sheet.ladder.categories[step - 1])
        changes = (_change(each, values) for each in asked if f"{each.key}.evidence" in values)
        found["changes"] = [each for each in changes if each is not None]
    else:
        found |= _outlook(sheet, values)
    return built(SaveIn, found)


def _change(asked: Asked, values: Typed) -> ChangeIn | None:
    level = _level(f"{asked.key}.level", values)
    found: dict[str, Any] = {} if level == asked.level else {"level": level}
    if level is not None:
        found |= _texts(asked, level, values)
    if not found:
        return None
    named = {"category": asked.category, "competency": asked.name, **found}
    try:
        return built(ChangeIn, named)
    except Problem as problem:
        raise invalid(*(_at(asked.key, each) for each in problem.errors)) from None


def _texts(asked: Asked, level: int, values: Typed) -> dict[str, str]:
    """What differs from what is said about this level."""
    typed = {name: _even(values.get(f"{asked.key}.{name}", "")) for name in _TEXTS}
    there = asked.said.get(str(level), Feedback())
    before = asked.feedback
    moved = level != asked.level and bool(there.evidence or there.next_level_feedback)
    found = {}
    for name, stored in _TEXTS.items():
        untouched = moved and typed[name] == getattr(before, stored)
        if not untouched and typed[name] != getattr(there, stored):
            found[stored] = typed[name]
    return found


def _outlook(sheet: Sheet, values: Typed) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "goal_level" in values:
        goal = _level("goal_level", values)
        if goal != sheet.assessment.goal_level:
            found["goal_level"] = goal
    if "overall_level" in values:
        overall = _level("overall_level", values)
        if overall != sheet.assessment.overall_level:
            found["overall_level"] = overall
    if "overall_reason" in values:
        reason = _even(values["overall_reason"])
        if reason != (sheet.assessment.overall_reason or ""):
            found["overall_reason"] = reason
    if "way_forward" in values:
        text = _even(values["way_forward"])
        if text != (sheet.assessment.way_forward or ""):
            found["way_forward"] = text
    return found


def _level(name: str, values: Typed) -> int | None:
    """Empty is none."""
    text = values.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 3):
        raise invalid(FieldError(f"body.{name}", "Choose one of the levels."))
    return int(text)


def _even(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def answer_fields(sheet: Sheet, step: int) -> dict[str, FormField]:
    """Return the fields of a step, each with the name of its competency."""
    if not 1 <= step < sheet.outlook_step:
        return {}
    return {
        f"body.{asked.key}.{name}": FormField(f"{asked.name}, {label}")
        for asked in sheet.asked(sheet.ladder.categories[step - 1])
        for name, label in _LABELS.items()
    }


def _at(key: str, error: FieldError) -> FieldError:
    """At the field of this competency."""
    name = error.field.rpartition(".")[2]
    return FieldError(
        f"body.{key}.{'next' if name == 'next_level_feedback' else name}", error.message
    )


def at_fields(problem: Problem, body: SaveIn, sheet: Sheet, step: int) -> Problem:
    """What the ladder refuses, at the fields that it was typed into: ``changes.0.level``."""
    if not problem.errors or step >= sheet.outlook_step:
        return problem
    keys = {each.name: each.key for each in sheet.asked(sheet.ladder.categories[step - 1])}
    found = []
    for error in problem.errors:
        parts = error.field.split(".")
        if parts[:2] == ["body", "changes"] and len(parts) > 2 and parts[2].isdigit():
            error = _at(keys[body.changes[int(parts[2])].competency], error)
        found.append(error)
    return Problem(problem.status, problem.code, problem.detail, errors=found)
