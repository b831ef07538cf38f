"""Why something is not done to an assessment."""

from __future__ import annotations

from collections.abc import Iterable

from tablewright.service.problems import FieldError, Problem, conflict, forbidden
from tablewright.systems.ladders.rules.evidence import Missing

_LACKS = {"level": "needs a level", "evidence": "needs evidence for the level that is chosen"}


def locked(detail: str = "It is submitted. Ask your manager to reopen it.") -> Problem:
    return Problem(403, "ASSESSMENT_LOCKED", detail)


def withdrawn() -> Problem:
    return locked("It is of somebody who does not take part in the review any more.")


def not_submitted_yet() -> Problem:
    return forbidden("It can be read once it is submitted.")


def not_released() -> Problem:
    detail = "It can be read once the report is released."
    return Problem(403, "REPORT_NOT_RELEASED", detail)


def plan_not_active() -> Problem:
    return conflict("PLAN_NOT_ACTIVE", "The review is not under way: nothing changes in it.")


def bad_state(detail: str) -> Problem:
    return conflict("BAD_STATE", detail)


def already_acknowledged() -> Problem:
    detail = (
        "You have acknowledged this report already, and your first comment stays. The new comment "
        "was not saved: tell your manager directly."
    )
    return conflict("ALREADY_ACKNOWLEDGED", detail)


def too_large(most: int) -> Problem:
    detail = f"An assessment has at most {most // 1024} KB: shorten some of the texts."
    return Problem(413, "TOO_LARGE", detail)


def lacking(missing: Iterable[Missing], *, needs_reason: bool = False) -> Problem:
    """Say where something is still to be done: names of the ladder, no texts of people."""
    found = list(missing)
    errors = [FieldError(_place(each), _LACKS[each.what]) for each in found]
    if needs_reason:
        errors.append(FieldError("Overall level", "needs a reason why it differs from the answers"))
    count = len(errors)
    still = "1 answer is missing" if count == 1 else f"{count} answers are missing"
    detail = f"{still}; see errors." if errors else "Nothing is answered."
    extra = {"missing": [each._asdict() for each in found]}
    return Problem(422, "MISSING", detail, errors=errors, extra=extra)


def _place(missing: Missing) -> str:
    parts = (missing.category, missing.competency)
    return " / ".join(each for each in parts if each is not None)
