"""Answers to the questions of an event: what is taken, and how it is kept.

Every answer is kept as a text: ``true`` or ``false``, a date as ``2026-12-05``, several choices as
one line each.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final, TypeAlias

from tablewright.service.problems import FieldError
from tablewright.systems.kurukshetra.events import Question

#: As programs give and get it.
Given: TypeAlias = str | bool | list[str]

MOST_CHARS: Final = 2000
_STEERING: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class BadAnswer(ValueError):
    """Not an answer to the question, for a reason that may be shown."""


def parse(question: Question, given: Given) -> str:
    """The answer as it is kept; "" is none."""
    if question.kind == "bool":
        return _yes_or_no(given)
    if question.kind == "multi":
        return _several(question, given)
    if not isinstance(given, str):
        raise BadAnswer("is a text")
    text = unicodedata.normalize("NFC", given).strip()
    if question.kind == "date":
        return _day(text)
    if question.kind == "choice":
        return _one(question, text)
    return _text(text)


def shown(question: Question | None, text: str) -> Given:
    """The answer as programs get it; the question may be another by now, or gone."""
    if question is None or not text:
        return text
    if question.kind == "bool" and text in ("true", "false"):
        return text == "true"
    return text.split("\n") if question.kind == "multi" else text


def parse_all(
    questions: Iterable[Question], given: Mapping[str, Given]
) -> tuple[dict[str, str], list[FieldError]]:
    """All answers by their questions, and what is wrong with others."""
    answers: dict[str, str] = {}
    errors: list[FieldError] = []
    asked = {each.question_id: each for each in questions}
    for name, question in asked.items():
        try:
            text = parse(question, given.get(name, ""))
            if question.required and not text:
                raise BadAnswer("must be answered")
            if text:
                answers[name] = text
        except BadAnswer as error:
            errors.append(FieldError(f"body.answers.{name}", str(error)))
    unknown = len(set(given) - set(asked))
    if unknown:
        errors.append(FieldError("body.answers", f"{unknown} of them answer no question"))
    return answers, errors


def _yes_or_no(given: Given) -> str:
    if given == "":
        return ""
    if given in (True, "true"):
        return "true"
    if given in (False, "false"):
        return "false"
    raise BadAnswer("is true or false")


def _several(question: Question, given: Given) -> str:
    if given == "":
        return ""
    # Forms send one choice as a text.
    chosen = [given] if isinstance(given, str) else given
    if not isinstance(chosen, list):
        raise BadAnswer("is a list of choices")
    if len(set(chosen)) < len(chosen):
        raise BadAnswer("has a choice twice")
    for each in chosen:
        _one(question, each)
    return _text("\n".join(each for each in question.choices if each in chosen))


def _one(question: Question, text: str) -> str:
    if text and text not in question.choices:
        raise BadAnswer("is none of the choices")
    return text


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise BadAnswer("is a date, such as 2026-12-05") from None


def _text(text: str) -> str:
    if len(text) > MOST_CHARS:
        raise BadAnswer(f"has at most {MOST_CHARS} characters")
    if _STEERING.search(text):
        raise BadAnswer("has signs that cannot be shown")
    return text
