"""Changes are made to what their author has seen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem


def outdated_change() -> Problem:
    detail = "Somebody has changed it since you read it. Read it again and repeat your change."
    return Problem(412, "VERSION_CONFLICT", detail)


def check_seen(said: Precondition, version: int) -> None:
    """A problem 428 if nothing is said of what was seen, 412 if it was something else."""
    with _named():
        said.check(version)


def check_new(said: Precondition) -> None:
    """A problem 412 if its author has seen it: somebody has taken it away since."""
    with _named():
        said.check_absent()


@contextmanager
def _named() -> Iterator[None]:
    """All that is stale has one name here."""
    try:
        yield
    except Problem as problem:
        raise (outdated_change() if problem.code == "STALE_VERSION" else problem) from None
