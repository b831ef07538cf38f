"""Creating the tables of a model. What is there is compared, completed, and never altered.

Completing: time to live and recovery cannot be part of CreateTable, so a set-up that was
interrupted leaves a table without them. Where they are off, they are switched on; where they are
set to something else, that is a mismatch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tablewright.client.context import Context
from tablewright.client.setup import (
    PATIENCE,
    create_table,
    enable_pitr,
    enable_ttl,
    until_active,
)
from tablewright.client.steps import Flow, Pause
from tablewright.deploy.differences import Difference, differences, mismatches
from tablewright.deploy.looking import glance, look
from tablewright.deploy.problems import Problem, problem_of
from tablewright.deploy.state import TableState, declared
from tablewright.model.errors import ServiceError, TablewrightError
from tablewright.model.table import Table

Outcome: TypeAlias = Literal["created", "exists", "mismatch", "failed", "would create"]
Tell: TypeAlias = Callable[[str], object]

#: What set-up puts right itself, as differences name it.
_COMPLETED = frozenset({"ttl", "point-in-time recovery"})
_TEXTS = {
    "created": "created",
    "exists": "already exists (schema verified)",
    "mismatch": "already exists, but differs from the model",
    "failed": "failed",
    "would create": "would be created",
}


@dataclass
class Made:
    """What became of one table."""

    table: Table
    physical: str
    outcome: Outcome
    #: Whether it was made by this set-up, whatever came then.
    created: bool = False
    #: Settings that an earlier set-up had left out.
    completed: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    problem: Problem | None = None
    #: Settings that this database does not know of.
    unchecked: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.outcome not in ("mismatch", "failed")

    @property
    def text(self) -> str:
        if self.outcome == "failed" and self.created:
            return "created, then failed"
        done = f"; switched on: {', '.join(self.completed)}" if self.completed else ""
        return _TEXTS[self.outcome] + done

    def as_json(self) -> dict[str, object]:
        return {
            "table": self.table.name,
            "physical": self.physical,
            "outcome": self.outcome,
            "message": self.text,
            "completed": self.completed,
            "unchecked": self.unchecked,
            "differences": [each.as_json() for each in self.differences],
            **({"problem": self.problem.as_json()} if self.problem else {}),
        }


def set_up(
    context: Context,
    tables: Sequence[Table],
    *,
    tell: Tell = lambda text: None,
    dry_run: bool = False,
    patience: float = PATIENCE,
) -> Flow[list[Made]]:
    """Create what is missing in order, wait for all together, then set what is left.

    Raises what the first request already meets: nobody answers, or there are no credentials. If
    that comes later, it is the problem of every table that is left.
    """
    made = [Made(table, context.physical(table.name), "exists") for table in tables]
    for number, each in enumerate(made):
        try:
            yield from _begin(context, each, tell, dry_run)
        except TablewrightError as error:
            if number == 0:
                raise
            _fail_all(made[number:], error)
            break
    if dry_run:
        return made
    waiting = [each.table for each in made if each.ok]
    try:
        yield from until_active(context, waiting, _teller(tell), patience)
    except TablewrightError as error:
        yield from _give_up(context, made, error)
    for each in made:
        if each.ok:
            yield from _finish(context, each, tell)
    return made


def _begin(context: Context, made: Made, tell: Tell, dry_run: bool) -> Flow[None]:
    table = made.table
    try:
        found = yield from glance(context, table)
        if found is None and dry_run:
            made.outcome = "would create"
        elif found is None:
            tell(f"{made.physical}: creating")
            if (yield from _create(context, table, tell)):
                made.outcome, made.created = "created", True
        elif dry_run:
            _judge(made, (yield from look(context, table)), _COMPLETED)
        else:
            _check_schema(made, found)
    except ServiceError as error:
        _fail(made, error)


def _create(context: Context, table: Table, tell: Tell) -> Flow[bool]:
    """Create the table; too many at the same time is a reason to wait, not to fail."""
    waited = 0.0
    while True:
        try:
            return (yield from create_table(context, table))
        except ServiceError as error:
            busy = error.aws_code == "LimitExceededException" and "simult" in error.message
            if not busy or waited >= PATIENCE:
                raise
        tell(f"{table.name}: waiting for other tables to be finished")
        yield Pause(5.0)
        waited += 5.0


def _check_schema(made: Made, found: TableState) -> None:
    """Nothing at all is done to a table with other keys or indexes."""
    if found.status in ("CREATING", "UPDATING"):
        return
    wanted = declared(made.table, made.physical)
    schema = [
        each
        for each in differences(wanted, found)
        if each.place in ("table", "key") or each.place.startswith("index ")
    ]
    _take(made, mismatches(schema))


def _finish(context: Context, made: Made, tell: Tell) -> Flow[None]:
    try:
        if (yield from enable_ttl(context, made.table)):
            tell(f"{made.physical}: time to live on {made.table.ttl}")
            made.completed.append("time to live")
        if (yield from enable_pitr(context, made.table)):
            tell(f"{made.physical}: point-in-time recovery")
            made.completed.append("point-in-time recovery")
        _judge(made, (yield from look(context, made.table)))
    except TablewrightError as error:
        _fail(made, error)
    if made.outcome == "created":
        made.completed.clear()


def _judge(made: Made, found: TableState | None, missing: frozenset[str] = frozenset()) -> None:
    """Compare; of what is ``missing`` only, nothing is said."""
    wanted = declared(made.table, made.physical)
    if found is not None:
        made.unchecked = sorted(_asked(wanted) & found.unseen)
    made.differences = [
        each
        for each in differences(wanted, found)
        if not (each.place in missing and each.kind == "missing")
    ]
    _take(made, mismatches(made.differences))


def _asked(wanted: TableState) -> set[str]:
    asked = {"ttl": wanted.ttl, "pitr": wanted.pitr, "tags": wanted.tags}
    return {name for name, value in asked.items() if value}


def _take(made: Made, left: list[Difference]) -> None:
    if left:
        made.outcome = "mismatch"
        made.differences = made.differences or left


def _fail(made: Made, error: TablewrightError) -> None:
    made.outcome, made.problem = "failed", problem_of(error)


def _fail_all(made: Sequence[Made], error: TablewrightError) -> None:
    for each in made:
        _fail(each, error)


def _give_up(context: Context, made: list[Made], error: TablewrightError) -> Flow[None]:
    """Say of each table whether it was ready when patience ended."""
    waiting = [each for each in made if each.ok]
    for number, each in enumerate(waiting):
        try:
            found = yield from glance(context, each.table)
        except TablewrightError as lost:
            _fail_all(waiting[number:], lost)
            return
        if found is None or found.status != "ACTIVE":
            _fail(each, error)


def _teller(tell: Tell) -> Callable[[Table, str], None]:
    told: dict[str, str] = {}

    def status(table: Table, text: str) -> None:
        if told.get(table.name) != text:
            told[table.name] = text
            tell(f"{table.name}: {text}")

    return status
