"""Rows that come in, and what becomes of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from pydantic import ValidationError

from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.bodies.submissions import SubmissionIn, reason_of
from tablewright.systems.vibejudge.rules.team_names import team_key
from tablewright.systems.vibejudge.service.submissions.addresses import Address


@dataclass(frozen=True)
class RowResult:
    """What became of one row: 201, 200, or why not."""

    index: int
    status: int
    #: The submission, or the one that is in its way.
    sub_id: str | None = None
    #: Shown once.
    result_token: str | None = field(default=None, repr=False)
    problem: Problem | None = None
    #: Of a file.
    line: int | None = None
    #: What the organiser or the team should check.
    note: str | None = None

    @classmethod
    def refused(cls, problem: Problem, sub_id: str | None = None, index: int = 0) -> RowResult:
        return cls(index, problem.status, sub_id, problem=problem)

    def at(self, index: int, line: int | None = None) -> RowResult:
        return replace(self, index=index, line=self.line if line is None else line)


@dataclass(frozen=True)
class NotedRow:
    """A row of a file of which something was left out."""

    body: SubmissionIn
    note: str


#: A row, or what is wrong with it already.
Given: TypeAlias = SubmissionIn | NotedRow | RowResult


def body_of(given: Given) -> SubmissionIn | None:
    """Return the submission that a row asks for; None if the row was refused already."""
    if isinstance(given, NotedRow):
        return given.body
    return given if isinstance(given, SubmissionIn) else None


@dataclass(frozen=True)
class Row:
    """A row that can be tried."""

    index: int
    body: SubmissionIn
    address: Address
    note: str | None = None

    @property
    def locks(self) -> set[tuple[str, str]]:
        """What no other submission may have."""
        own = {("repo", self.address.key), ("team", team_key(self.body.team_name))}
        if self.body.external_id is not None:
            own.add(("external", self.body.external_id))
        return own


def apart(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Rows that want nothing that another one has, and those that come after one that has it.

    One transaction cannot have the same lock twice, and what a later row is told depends on what
    became of the first.
    """
    taken: set[tuple[str, str]] = set()
    first: list[Row] = []
    later: list[Row] = []
    for row in rows:
        (later if row.locks & taken else first).append(row)
        taken |= row.locks
    return first, later


def read_row(sent: object) -> Given:
    """One row as it was sent."""
    try:
        return SubmissionIn.model_validate(sent)
    except ValidationError as error:
        return RowResult.refused(Problem(422, "INVALID", reason_of(error)))
