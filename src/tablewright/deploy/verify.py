"""Comparing everything that is deployed with the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tablewright.client.context import Context
from tablewright.client.steps import Flow
from tablewright.deploy.differences import Difference, differences, mismatches
from tablewright.deploy.looking import look
from tablewright.deploy.problems import Problem, problem_of
from tablewright.deploy.state import TableState, declared
from tablewright.deploy.words import unified
from tablewright.model.errors import ServiceError, TablewrightError
from tablewright.model.table import Table


@dataclass(frozen=True)
class Report:
    """One table, compared."""

    declared: TableState
    deployed: TableState | None
    differences: list[Difference] = field(default_factory=list)
    #: Why it could not be looked at.
    problem: Problem | None = None

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def ok(self) -> bool:
        return self.problem is None and not mismatches(self.differences)

    @property
    def status(self) -> str:
        return "missing" if self.deployed is None else self.deployed.status

    def unified(self) -> list[str]:
        return unified(self.declared, self.deployed)

    def as_json(self) -> dict[str, object]:
        return {
            "table": self.name,
            "physical": self.declared.physical,
            "ok": self.ok,
            "status": "unknown" if self.problem else self.status,
            "differences": [each.as_json() for each in self.differences],
            "unchecked": sorted(self.deployed.unseen) if self.deployed else [],
            **({"problem": self.problem.as_json()} if self.problem else {}),
        }


def verify(context: Context, tables: Sequence[Table]) -> Flow[list[Report]]:
    """A report for each table, in their order.

    Raises what the first request already meets: nobody answers, or there are no credentials. If
    that comes later, it is the problem of every table that is left.
    """
    reports: list[Report] = []
    for number, table in enumerate(tables):
        try:
            reports.append((yield from verify_one(context, table)))
        except TablewrightError as error:
            if number == 0:
                raise
            for left in tables[number:]:
                wanted = declared(left, context.physical(left.name))
                reports.append(Report(wanted, None, [], problem_of(error)))
            break
    return reports


def verify_one(context: Context, table: Table) -> Flow[Report]:
    wanted = declared(table, context.physical(table.name))
    try:
        found = yield from look(context, table)
    except ServiceError as error:
        return Report(wanted, None, [], problem_of(error))
    return Report(wanted, found, differences(wanted, found))
