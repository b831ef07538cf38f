"""Carrying a migration out, step by step; one that was interrupted is planned anew and goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from tablewright.client import Db
from tablewright.client.attempts import Call, as_service_error, send
from tablewright.client.context import Context
from tablewright.client.setup import ask, until_active
from tablewright.client.steps import Flow
from tablewright.client.transports.wire import Failure
from tablewright.deploy.checkpoints import Checkpoint, Counts, purpose
from tablewright.deploy.drift import problem_of_items
from tablewright.deploy.filling import Filling
from tablewright.deploy.looking import glance
from tablewright.deploy.pace import Pace
from tablewright.deploy.problems import UNKNOWN, DeployError, Problem, problem_of
from tablewright.deploy.repairs import Repairs
from tablewright.deploy.setup import Tell, set_up
from tablewright.deploy.steps import Step
from tablewright.model.errors import ServiceError, TablewrightError
from tablewright.model.table import Table

Outcome: TypeAlias = Literal["done", "skipped", "failed", "would run"]

#: Building an index over a large table takes hours.
INDEX_PATIENCE = 24 * 3600.0
#: Operations on a table's ARN rather than its name.
_BY_ARN = frozenset({"TagResource"})


@dataclass
class Ran:
    """What became of one step."""

    step: Step
    outcome: Outcome
    counts: Counts | None = None
    problem: Problem | None = None

    @property
    def changed(self) -> bool:
        """Whether something is other than before, though the step may have failed."""
        return self.outcome == "done" or (self.counts is not None and self.counts.changed > 0)

    def as_json(self) -> dict[str, object]:
        told = {**self.step.as_json(), "outcome": self.outcome}
        if self.counts is not None:
            told["counts"] = vars(self.counts)
        if self.problem is not None:
            told["problem"] = self.problem.as_json()
        return told


@dataclass
class Runner:
    """How steps are run: where to, how fast, and what to remember."""

    db: Db
    tell: Tell = lambda text: None
    #: Read and write units that a backfill may use in a second.
    rate: float | None = None
    segments: int = 4
    #: Where the checkpoint of a table's backfill is kept, by the table's physical name.
    checkpoint: Callable[[str], Path | None] = lambda table: None
    #: Go on though some items cannot be read as their entity: they will not be in the index.
    skip_unreadable: bool = False
    #: Go on though some items are of types that the model does not have.
    skip_unknown: bool = False
    dry_run: bool = False
    progress: Callable[[Table, Counts, int], object] = field(
        default=lambda table, counts, total: None
    )
    #: The checkpoint of the last backfill.
    _kept: Checkpoint | None = field(default=None, init=False)

    def attempt(self, step: Step) -> Ran:
        """Do one step; what became of it, and what a backfill did before it failed."""
        self._kept = None
        try:
            return Ran(step, "done", self.run(step))
        except TablewrightError as error:
            counts = None if self._kept is None else self._kept.all_counts()
            return Ran(step, "failed", counts, problem_of(error))

    def run(self, step: Step) -> Counts | None:
        """Do one step; the counts of a backfill."""
        if step.kind == "backfill":
            return self.fill(step)
        if not self.dry_run:
            self.tell(f"{step.table.name}: {step.text}")
            self.db.drive(run_step(self.db.context, step, self.tell))
        return None

    def fill(self, step: Step) -> Counts:
        """Write the keys of the indexes into the items, or count the items that lack some."""
        context, table = self.db.context, step.table
        found = self.db.drive(glance(context, table))
        if found is None:
            raise ServiceError("ResourceNotFoundException", f"there is no table {table.name}")
        path = None if self.dry_run else self.checkpoint(context.physical(table.name))
        kept = Checkpoint(path, purpose(table, found.table_id, step.indexes), self.segments)
        kept.begin()
        self._kept = kept
        if kept.resumed and kept.counts.scanned:
            self.tell(f"{table.name}: going on after {kept.counts.scanned} items")
        filling = Filling(
            table,
            Repairs(table, step.indexes),
            kept,
            Pace(self.rate),
            self.dry_run,
            lambda counts: self.progress(table, counts, found.items),
        )
        counts = filling.run(self.db)
        if not self.dry_run:
            kept.finish()
            if counts.unreadable and not self.skip_unreadable:
                raise DeployError(_unreadable(table, counts))
            problem = self.drift_of(table, counts)
            if problem is not None:
                raise DeployError(problem)
        return counts

    def read_all(self, table: Table) -> Counts:
        """Read every item of a table, compare its keys with the model's, and write nothing."""
        kept = Checkpoint(None, "", self.segments)
        filling = Filling(table, Repairs(table, ()), kept, Pace(self.rate), dry_run=True)
        return filling.run(self.db)

    def drift_of(self, table: Table, counts: Counts) -> Problem | None:
        """The problem of items that the model does not find; None if it finds them all."""
        unknown = {} if self.skip_unknown else counts.unknown
        if not counts.moved and not unknown:
            return None
        indexes = [
            name for name in table.indexes if any(f" in {name} than" in t for t in counts.moved)
        ]
        return problem_of_items(table.name, counts.moved, unknown, indexes, counts.scanned)


def _unreadable(table: Table, counts: Counts) -> Problem:
    return Problem(
        UNKNOWN,
        f"{counts.unreadable} items of {table.name} cannot be read as their entity: "
        f"{counts.examples[0]['reason']}",
        {"examples": counts.examples},
        (
            "Correct these items, or the model, and run migrate again.",
            "Or leave them out of the index: --skip-unreadable.",
        ),
    )


def run_step(context: Context, step: Step, tell: Tell) -> Flow[None]:
    """Send what a step consists of, each when the table is settled, and wait for the last."""
    if step.kind == "create table":
        (made,) = yield from set_up(context, [step.table], tell=tell)
        if made.problem is not None:
            raise DeployError(made.problem)
        return
    for operation, body in step.requests:
        yield from _settled(context, step.table, tell)
        try:
            yield from _send(context, step.table, operation, body)
        except ServiceError as error:
            if not (yield from _is_done(context, step, error)):
                raise
    yield from _settled(context, step.table, tell)


def _settled(context: Context, table: Table, tell: Tell) -> Flow[None]:
    told: list[str] = []

    def status(table: Table, text: str) -> None:
        if text != "ACTIVE" and text not in told:
            told.append(text)
            tell(f"{table.name}: {text}")

    yield from until_active(context, [table], status, INDEX_PATIENCE)


def _send(context: Context, table: Table, operation: str, body: dict[str, Any]) -> Flow[None]:
    if operation not in _BY_ARN:
        yield from ask(context, table, operation, body)
        return
    try:
        yield from send(context, Call("setup", None, table.name), operation, dict(body))
    except Failure as failure:
        raise as_service_error(failure) from None


def _is_done(context: Context, step: Step, error: ServiceError) -> Flow[bool]:
    """Whether a refusal means that an attempt before had succeeded after all."""
    if step.kind not in ("create index", "drop index"):
        return False
    found = yield from glance(context, step.table)
    there = found is not None and step.indexes[0] in found.indexes
    return there if step.kind == "create index" else not there


def unfinished(ran: Sequence[Ran]) -> list[Ran]:
    return [each for each in ran if each.outcome in ("skipped", "failed")]
