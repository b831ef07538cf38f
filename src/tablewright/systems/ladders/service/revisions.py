"""Changes are made to what their author has seen: a revision."""

from __future__ import annotations

from tablewright.service.preconditions import Precondition, stale_as
from tablewright.service.problems import Problem, stale

_CODE = "REVISION_CONFLICT"


def revision_conflict() -> Problem:
    return stale(_CODE)


def check_seen(said: Precondition, revision: int) -> None:
    """A problem 428 if nothing is said of what was seen, 412 if it was something else."""
    with stale_as(_CODE):
        said.check(revision)


def check_if_given(said: Precondition, revision: int) -> None:
    """A problem 412 if something else was seen."""
    with stale_as(_CODE):
        said.check_if_given(revision)
