"""What `tablewright tables migrate` does: plan, ask, run, verify."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tablewright.cli.answers import FAILED, OK, PARTIAL, Result, Session, answer
from tablewright.cli.models import find_deployed
from tablewright.cli.place_options import Place
from tablewright.cli.table_lines import difference_lines
from tablewright.cli.table_options import Choices, Output
from tablewright.deploy.checkpoints import Counts
from tablewright.deploy.differences import mismatches
from tablewright.deploy.drift import Drifted, sample_items, sampled_problem
from tablewright.deploy.looking import glance, look
from tablewright.deploy.planning import ALL, Migration, plan
from tablewright.deploy.problems import (
    PERMISSIONS,
    SCHEMA,
    UNKNOWN,
    DeployError,
    Problem,
    problem_of,
)
from tablewright.deploy.running import Ran, Runner, unfinished
from tablewright.deploy.steps import Step
from tablewright.deploy.verify import Report, verify
from tablewright.model.errors import TablewrightError
from tablewright.model.table import Table

#: Items of a table that a migration reads to the last one, without being asked to.
SMALL = 1_000_000
#: Items that are read of a larger one.
SAMPLE = 200


def migrate_tables(model: str, place: Place, output: Output, choices: Choices) -> None:
    """Bring the tables to what the model says."""
    place = place.of(model)

    def work(session: Session) -> Result:
        return _migrate(session, place.naming.tables(find_deployed(model).model), choices)

    dry = choices.dry_run
    answer("tables migrate", place, output, work, create=not dry, scratch=dry)


def _migrate(session: Session, tables: list[Table], choices: Choices) -> Result:
    """Plan all tables, ask, run the steps in order, and compare again."""
    _check_indexes(tables, choices.backfill)
    migration = _plan(session, tables, choices)
    _check_items(session, tables, migration, choices)
    if choices.dry_run:
        return _dry_run(session, migration, choices)
    if migration.steps:
        _confirm(session, migration, choices)
    ran = _run(session, migration, choices)
    try:
        reports: list[Report] = session.db.drive(verify(session.db.context, tables))
    except TablewrightError as error:
        if not any(each.changed for each in ran):
            raise
        return _unseen(migration, ran, problem_of(error))
    return _result(migration, ran, reports)


def _check_indexes(tables: list[Table], asked: tuple[str, ...]) -> None:
    known = {name for table in tables for name in table.indexes}
    wrong = set(asked) - known - {ALL}
    if wrong:
        names = ", ".join(sorted(known)) or "none"
        text = f"--backfill {', '.join(sorted(wrong))}: there is no such index"
        raise DeployError(Problem(UNKNOWN, text, {}, (f"The indexes are: {names}.",)))


def _check_items(
    session: Session, tables: list[Table], migration: Migration, choices: Choices
) -> None:
    """Refuse to go on over items that the model would leave behind.

    A backfill reads every item anyway. Other tables are read whole unless they are large or nothing
    is to be changed; then a sample has to do.
    """
    context, runner = session.db.context, _runner(session, choices)
    for table in tables:
        state = session.db.drive(glance(context, table))
        if state is None or state.status in ("CREATING", "DELETING"):
            continue
        filled = [
            name
            for step in migration.steps
            if step.kind == "backfill" and step.table is table
            for name in step.indexes
        ]
        small = state.items <= SMALL and not choices.dry_run
        try:
            if not filled and (choices.check_items or small):
                problem = runner.drift_of(table, runner.read_all(table))
            else:
                found: Drifted = session.db.drive(sample_items(context, table, SAMPLE))
                left = found.without(filled)
                problem = sampled_problem(left, skip_unknown=choices.skip_unknown)
        except TablewrightError as error:
            denied = problem_of(error)
            if denied.code != PERMISSIONS or choices.check_items:
                raise
            # Settings can be changed by a role that may not read items.
            session.tell(f"{table.name}: its items were not compared: {denied.message}")
            continue
        if problem is not None:
            raise DeployError(problem)


def _plan(session: Session, tables: list[Table], choices: Choices) -> Migration:
    context = session.db.context
    whole = Migration()
    for table in tables:
        found = session.db.drive(look(context, table))
        physical = context.physical(table.name)
        part = plan(table, physical, found, rebuild=choices.rebuild, backfill=choices.backfill)
        whole.steps.extend(part.steps)
        whole.refused.extend(part.refused)
    # What loses something waits until everything else is done, on all tables.
    last = [step for step in whole.steps if step.loses and not _is_rebuilt(step, whole)]
    first = [step for step in whole.steps if step not in last]
    return Migration([*first, *last], whole.refused)


def _is_rebuilt(step: Step, migration: Migration) -> bool:
    """Whether an index is dropped only to be created again."""
    return step.kind == "drop index" and any(
        each.kind == "create index" and each.table is step.table and each.indexes == step.indexes
        for each in migration.steps
    )


def _confirm(session: Session, migration: Migration, choices: Choices) -> None:
    lines = step_lines(migration)
    if choices.yes:
        return
    for line in lines:
        session.tell(line)
    if session.confirm(f"Run {len(migration.steps)} steps?"):
        return
    raise DeployError(
        Problem(
            UNKNOWN,
            f"nothing was changed: {len(migration.steps)} steps were not confirmed",
            migration.as_json(),
            ("See what would be done: --dry-run.", "Say that you mean it: --yes."),
        )
    )


def _runner(session: Session, choices: Choices) -> Runner:
    def checkpoint(physical: str) -> Path:
        return choices.checkpoint or Path(f"tablewright-migrate-{physical}.json")

    def progress(table: Table, counts: Counts, total: int) -> None:
        share = f" of about {total}" if total else ""
        session.tick(f"{table.name}: {counts.scanned}{share} items, {counts.changed} written")

    return Runner(
        session.db,
        session.tell,
        choices.rate,
        choices.segments,
        checkpoint,
        choices.skip_unreadable,
        choices.skip_unknown,
        choices.dry_run,
        progress,
    )


def _run(session: Session, migration: Migration, choices: Choices) -> list[Ran]:
    """Run the steps; after one that failed, the later ones of its table are left out."""
    runner = _runner(session, choices)
    ran: list[Ran] = []
    broken: set[str] = set()
    for step in migration.steps:
        if step.table.name in broken or (step.loses and not _agreed(session, step, choices)):
            ran.append(Ran(step, "skipped"))
            continue
        ran.append(runner.attempt(step))
        if ran[-1].outcome == "failed":
            broken.add(step.table.name)
    return ran


def _agreed(session: Session, step: Step, choices: Choices) -> bool:
    if choices.keep:
        return False
    if choices.yes:
        return True
    return session.confirm(f"{step.table.name}: {step.text}? It loses {step.loses}.")


def _dry_run(session: Session, migration: Migration, choices: Choices) -> Result:
    runner = _runner(session, choices)
    would: list[Ran] = []
    problems: list[Problem] = []
    for step in migration.steps:
        counts = runner.run(step)
        would.append(Ran(step, "would run", counts))
        problem = None if counts is None else runner.drift_of(step.table, counts)
        problems += [] if problem is None else [problem]
    lines = step_lines(migration, would, session.output.verbose)
    data = {"steps": [each.as_json() for each in would], **_refused(migration)}
    if problems:
        return Result(data, lines, FAILED, problems[0])
    return _with_refusals(migration, Result(data, lines or ["nothing to do"]))


def _refused(migration: Migration) -> dict[str, Any]:
    return {"refused": [step.as_json() for step in migration.refused]}


def _with_refusals(migration: Migration, result: Result) -> Result:
    """The result, unless something was refused: that is its problem then."""
    if result.problem is not None or not migration.refused:
        return result
    advice = tuple(dict.fromkeys(step.advice for step in migration.refused))
    text = "; ".join(f"{step.table.name}: cannot {step.text}" for step in migration.refused)
    code = PARTIAL if migration.steps else FAILED
    return Result(result.data, result.lines, code, Problem(SCHEMA, text, {}, advice))


def _unseen(migration: Migration, ran: list[Ran], problem: Problem) -> Result:
    """Something was done, and nobody could look at it afterwards."""
    data = {"steps": [each.as_json() for each in ran], **_refused(migration)}
    failed = [each.problem for each in ran if each.outcome == "failed"]
    return Result(data, step_lines(migration, ran), PARTIAL, failed[0] if failed else problem)


def _result(migration: Migration, ran: list[Ran], reports: list[Report]) -> Result:
    lines = step_lines(migration, ran) or ["nothing to do"]
    left = [each for report in reports for each in mismatches(report.differences)]
    data = {
        "steps": [each.as_json() for each in ran],
        **_refused(migration),
        "differences": [each.as_json() for each in left],
    }
    failed = [each for each in ran if each.outcome == "failed"]
    done = any(each.changed for each in ran)
    if failed:
        return Result(data, lines, PARTIAL if done else FAILED, failed[0].problem)
    if migration.refused:
        return _with_refusals(migration, Result(data, lines))
    if unfinished(ran):
        return Result(data, [*lines, "left out: what loses something"], PARTIAL)
    if left:
        text = "the steps are done, but the tables still differ from the model"
        lines = [*lines, *difference_lines(left)]
        return Result(data, lines, PARTIAL if done else FAILED, Problem(SCHEMA, text))
    return Result(data, lines, OK)


def step_lines(
    migration: Migration, ran: list[Ran] | None = None, verbose: bool = False
) -> list[str]:
    """The steps, numbered, with what became of each."""
    lines = []
    outcomes: Sequence[Ran | None] = ran or [None] * len(migration.steps)
    for number, (step, done) in enumerate(zip(migration.steps, outcomes, strict=True), 1):
        word = "" if done is None else f" [{done.outcome}]"
        lines.append(f"{number}. {step.table.name}: {step.text}{word}")
        if done is not None and done.counts is not None:
            lines.append(f"   {counts_text(done)}")
        if step.loses:
            lines.append(f"   loses {step.loses}")
        if step.advice and (done is None or done.outcome != "done"):
            lines.append(f"   {step.advice}")
        if verbose:
            lines += [f"   {name} {body}" for name, body in step.requests]
    lines += [f"refused: {step.table.name}: {step.text}" for step in migration.refused]
    return lines


def counts_text(ran: Ran) -> str:
    counts = ran.counts
    assert counts is not None
    verb = "would be written" if ran.outcome == "would run" else "written"
    parts = [
        f"{counts.scanned} items, {counts.changed} {verb}",
        f"{counts.others} of no entity" if counts.others else "",
        f"{sum(counts.moved.values())} under other keys" if counts.moved else "",
        f"{counts.unreadable} unreadable" if counts.unreadable else "",
        f"{counts.read_units:.0f} read and {counts.write_units:.0f} write units",
    ]
    return ", ".join(part for part in parts if part)
