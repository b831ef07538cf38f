"""Removing the tables of a model: the last declared goes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tablewright.client.context import Context
from tablewright.client.setup import PATIENCE, ask
from tablewright.client.steps import Flow, Pause
from tablewright.deploy.looking import glance
from tablewright.deploy.problems import Problem, problem_of
from tablewright.deploy.setup import Tell
from tablewright.model.errors import ServiceError, Unavailable
from tablewright.model.table import Table

Outcome: TypeAlias = Literal["deleted", "absent", "failed", "would delete"]


@dataclass
class Removed:
    """What became of one table."""

    table: Table
    physical: str
    outcome: Outcome
    items: int = 0
    problem: Problem | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "table": self.table.name,
            "physical": self.physical,
            "outcome": self.outcome,
            "items": self.items,
            **({"problem": self.problem.as_json()} if self.problem else {}),
        }


def remove(
    context: Context,
    tables: Sequence[Table],
    *,
    tell: Tell = lambda text: None,
    dry_run: bool = False,
) -> Flow[list[Removed]]:
    """Delete what is there, and wait until all of it is gone.

    Deletion protection is switched off first: whoever calls this has asked for confirmation.
    """
    removed = []
    for table in reversed(tables):
        removed.append((yield from _begin(context, table, tell, dry_run)))
    if not dry_run:
        waiting = [each for each in removed if each.outcome == "deleted"]
        yield from _gone(context, waiting)
    return removed


def _begin(context: Context, table: Table, tell: Tell, dry_run: bool) -> Flow[Removed]:
    removed = Removed(table, context.physical(table.name), "absent")
    try:
        found = yield from glance(context, table)
        if found is None:
            return removed
        removed.outcome, removed.items = "would delete", found.items
        if dry_run:
            return removed
        tell(f"{removed.physical}: deleting")
        if found.protected:
            yield from ask(context, table, "UpdateTable", {"DeletionProtectionEnabled": False})
        if found.status != "DELETING":
            yield from ask(context, table, "DeleteTable", {})
        removed.outcome = "deleted"
    except ServiceError as error:
        removed.outcome, removed.problem = "failed", problem_of(error)
    return removed


def _gone(context: Context, waiting: list[Removed]) -> Flow[None]:
    waited, wait = 0.0, 0.05
    while waiting:
        left = []
        for each in waiting:
            if (yield from glance(context, each.table)) is not None:
                left.append(each)
        waiting = left
        if waiting and waited >= PATIENCE:
            for each in waiting:
                late = Unavailable(f"{each.physical} is still there after {PATIENCE:.0f} s")
                each.outcome, each.problem = "failed", problem_of(late)
            return
        if waiting:
            yield Pause(wait)
            waited, wait = waited + wait, min(2 * wait, 2.0)
