"""Removing the tables of a model: the last declared goes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tablewright.client.context import Context
from tablewright.client.setup import PATIENCE, ask
from tablewright.client.steps import Flow, Pause
from tablewright.deploy.looking import glance
from tablewright.deploy.problems import Problem, problem_of
from tablewright.deploy.setup import Tell
from tablewright.model.errors import ServiceError, TablewrightError, Unavailable
from tablewright.model.table import Table

Outcome: TypeAlias = Literal["deleted", "absent", "failed", "would delete"]


@dataclass
class Removed:
    """What became of one table."""

    table: Table
    physical: str
    outcome: Outcome
    items: int = 0
    #: Whether its deletion was accepted, whatever came then.
    begun: bool = False
    problem: Problem | None = None

    def as_json(self) -> dict[str, object]:
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
    ordered = list(reversed(tables))
    removed = [Removed(table, context.physical(table.name), "absent") for table in ordered]
    for number, each in enumerate(removed):
        try:
            yield from _begin(context, each, tell, dry_run)
        except TablewrightError as error:
            if number == 0:
                raise  # there is nothing else to tell of
            _fail_all(removed[number:], error)
            break
    if not dry_run:
        waiting = [each for each in removed if each.outcome == "deleted"]
        yield from _gone(context, waiting)
    return removed


def _begin(context: Context, removed: Removed, tell: Tell, dry_run: bool) -> Flow[None]:
    table = removed.table
    try:
        found = yield from glance(context, table)
        if found is None:
            return
        removed.outcome, removed.items = "would delete", found.items
        if dry_run:
            return
        tell(f"{removed.physical}: deleting")
        if found.protected:
            yield from ask(context, table, "UpdateTable", {"DeletionProtectionEnabled": False})
        if found.status != "DELETING":
            yield from ask(context, table, "DeleteTable", {})
        removed.outcome, removed.begun = "deleted", True
    except ServiceError as error:
        _fail_all([removed], error)


def _fail_all(removed: Sequence[Removed], error: TablewrightError) -> None:
    for each in removed:
        each.outcome, each.problem = "failed", problem_of(error)


def _gone(context: Context, waiting: list[Removed]) -> Flow[None]:
    waited, wait = 0.0, 0.05
    while waiting:
        left: list[Removed] = []
        for number, each in enumerate(waiting):
            try:
                found = yield from glance(context, each.table)
            except TablewrightError as error:
                _fail_all([*left, *waiting[number:]], error)
                return
            if found is not None:
                left.append(each)
        waiting = left
        if waiting and waited >= PATIENCE:
            for each in waiting:
                late = Unavailable(f"{each.physical} is still there after {PATIENCE:.0f} s")
                _fail_all([each], late)
            return
        if waiting:
            yield Pause(wait)
            waited, wait = waited + wait, min(2 * wait, 2.0)
