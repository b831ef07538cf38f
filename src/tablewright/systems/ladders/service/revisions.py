"""Changes are made to what their author has seen: a revision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem


def revision_conflict() -> Problem:
    detail = "Somebody has changed it since you read it. Read it again and repeat your change."
    return Problem(412, "REVISION_CONFLICT", detail)


def check_seen(said: Precondition, revision: int) -> None:
    """A problem 428 if nothing is said of what was seen, 412 if it was something else."""
    with _named():
        said.check(revision)


def check_if_given(said: Precondition, revision: int) -> None:
    """A problem 412 if something else was seen."""
    with _named():
        said.check_if_given(revision)


@contextmanager
def _named() -> Iterator[None]:
    """All that is stale has one name here."""
    try:
        yield
    except Problem as problem:
        raise (revision_conflict() if problem.code == "STALE_VERSION" else problem) from None
