"""Changes are made to what their author has seen."""

from __future__ import annotations

from tablewright.service.preconditions import Precondition, stale_as
from tablewright.service.problems import Problem, stale

_CODE = "VERSION_CONFLICT"


def outdated_change() -> Problem:
    return stale(_CODE)


def check_seen(said: Precondition, version: int) -> None:
    """A problem 428 if nothing is said of what was seen, 412 if it was something else."""
    with stale_as(_CODE):
        said.check(version)


def check_new(said: Precondition) -> None:
    """A problem 412 if its author has seen it: somebody has taken it away since."""
    with stale_as(_CODE):
        said.check_absent()
