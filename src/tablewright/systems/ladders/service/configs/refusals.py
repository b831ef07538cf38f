"""Why something is not done with a ladder."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.service.problems import FieldError, Problem, conflict
from tablewright.systems.ladders.rules.ladder_text import LineError


def faulty(errors: Sequence[LineError]) -> Problem:
    """All that is wrong with a text, by line."""
    some = [FieldError(f"body.content:{each.line}", each.message) for each in errors]
    detail = f"The ladder has {len(errors)} faults; see lines. Nothing was stored."
    lines = [each._asdict() for each in errors]
    return Problem(422, "INVALID_LADDER", detail, errors=some, extra={"lines": lines})


def version_exists() -> Problem:
    detail = "There is a ladder of this version, and versions do not change. Take another number."
    return conflict("VERSION_EXISTS", detail)


def config_conflict() -> Problem:
    detail = "Somebody has just activated another version. Look which one, and try again."
    return conflict("CONFIG_CONFLICT", detail)


def no_previous() -> Problem:
    return conflict("NO_PREVIOUS_CONFIG", "There was no other version before the active one.")
