"""What `tablewright tables` does to the tables of a model: create, compare, list, delete."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tablewright.cli.answers import FAILED, OK, PARTIAL, Result, Session, answer
from tablewright.cli.models import Named, find_deployed
from tablewright.cli.place_options import Place
from tablewright.cli.table_lines import (
    diff_lines,
    difference_lines,
    list_lines,
    made_lines,
    made_summary,
    report_lines,
    report_summary,
)
from tablewright.cli.table_options import Output
from tablewright.deploy.drift import Drifted, item_differences, sample_items
from tablewright.deploy.looking import glance
from tablewright.deploy.naming import Naming
from tablewright.deploy.problems import (
    NOT_FOUND,
    PERMISSIONS,
    SCHEMA,
    UNKNOWN,
    DeployError,
    Problem,
    problem_of,
)
from tablewright.deploy.removal import Removed, remove
from tablewright.deploy.setup import Made, set_up
from tablewright.deploy.state import TableState
from tablewright.deploy.verify import Report, verify
from tablewright.model.errors import TablewrightError
from tablewright.model.table import Table

# --- creating ------------------------------------------------------------------------------


def set_up_tables(model: str, place: Place, output: Output, *, dry_run: bool) -> None:
    """Create what is not there."""
    place = place.of(model)

    def work(session: Session) -> Result:
        tables = place.naming.tables(find_deployed(model).model)
        flow = set_up(session.db.context, tables, tell=session.tell, dry_run=dry_run)
        made: list[Made] = session.db.drive(flow)
        return _made_result(made, place)

    answer("tables setup", place, output, work, create=not dry_run, scratch=dry_run, model=model)


def _made_result(made: list[Made], place: Place) -> Result:
    failed = [each for each in made if each.outcome == "failed"]
    rows = [{**each.as_json(), "part": _part(each.table.name, place)} for each in made]
    data = {"tables": rows}
    lines = [line for each in made for line in made_lines(each, _width(made))]
    lines.append(made_summary(made))
    if failed:
        assert failed[0].problem is not None
        nothing = len(failed) == len(made) and not any(each.created for each in made)
        return Result(data, lines, FAILED if nothing else PARTIAL, failed[0].problem)
    different = [each.physical for each in made if each.outcome == "mismatch"]
    if different:
        text = f"these tables differ from the model: {', '.join(different)}"
        return Result(data, lines, FAILED, Problem(SCHEMA, text))
    return Result(data, lines)


def _part(table: str, place: Place) -> str:
    """Whether it is a table of the model, or the one that all systems have beside it."""
    return "kit" if table in place.own else "model"


def _width(made: list[Made] | list[Removed]) -> int:
    return max((len(each.physical) for each in made), default=0)


# --- comparing -----------------------------------------------------------------------------


def verify_tables(model: str, place: Place, output: Output, *, sample: int) -> None:
    """Say of every table whether it is as the model says."""
    place = place.of(model)

    def work(session: Session) -> Result:
        reports = _reports(session, place, find_deployed(model), sample)
        lines = [line for each in reports for line in report_lines(each, output.verbose)]
        lines.append(report_summary(reports))
        rows = [{**each.as_json(), "part": _part(each.name, place)} for each in reports]
        data = {"tables": rows}
        return _compared(reports, data, lines)

    answer("tables verify", place, output, work, model=model)


def diff_tables(model: str, place: Place, output: Output, *, sample: int) -> None:
    """Say how the tables would have to change."""
    place = place.of(model)

    def work(session: Session) -> Result:
        reports = _reports(session, place, find_deployed(model), sample)
        changes = [
            {"table": each.name, **change.as_json()}
            for each in reports
            for change in each.differences
        ]
        data = {"changes": changes, "diff": [line for each in reports for line in each.unified()]}
        drifted = [d for each in reports for d in each.differences if d.of_items]
        lines = diff_lines(reports) + difference_lines(drifted) or ["no differences"]
        return _compared(reports, data, lines)

    answer("tables diff", place, output, work, model=model)


def _reports(session: Session, place: Place, named: Named, sample: int) -> list[Report]:
    """Compare the settings of the tables, and the keys of some of their items."""
    if sample < 0:
        text = f"--sample {sample} is no number of items"
        raise DeployError(Problem(UNKNOWN, text, {}, ("0 reads no items.",)))
    tables = place.naming.tables(named.model)
    reports: list[Report] = session.db.drive(verify(session.db.context, tables))
    if not sample or any(each.problem is not None for each in reports):
        return reports
    return [
        _with_items(session, table, each, sample)
        for table, each in zip(tables, reports, strict=True)
    ]


def _with_items(session: Session, table: Table, report: Report, sample: int) -> Report:
    if report.deployed is None or report.deployed.status != "ACTIVE":
        return report
    try:
        found: Drifted = session.db.drive(sample_items(session.db.context, table, sample))
    except TablewrightError as error:
        problem = problem_of(error)
        # Settings can be compared by a role that may not read items.
        return report if problem.code == PERMISSIONS else replace(report, problem=problem)
    return replace(report, differences=[*report.differences, *item_differences(found)])


def _compared(reports: list[Report], data: dict[str, Any], lines: list[str]) -> Result:
    unknown = [each for each in reports if each.problem is not None]
    wrong = [each for each in reports if not each.ok]
    if unknown:
        code = FAILED if len(unknown) == len(reports) else PARTIAL
        return Result(data, lines, code, unknown[0].problem)
    if not wrong:
        return Result(data, lines, OK)
    names = ", ".join(each.declared.physical for each in wrong)
    if all(each.deployed is None for each in wrong):
        return Result(data, lines, FAILED, Problem(NOT_FOUND, f"not deployed: {names}"))
    text = f"these tables differ from the model: {names}"
    return Result(data, lines, FAILED, Problem(SCHEMA, text, {}, _remedies(wrong)))


def _remedies(reports: list[Report]) -> tuple[str, ...]:
    found = [
        each.remedy for report in reports for each in report.differences if each.severity != "info"
    ]
    return (*dict.fromkeys(found), "Or change the model to what is deployed.")


# --- listing -------------------------------------------------------------------------------


def list_tables(model: str, place: Place, output: Output) -> None:
    """Say what is deployed, and how much is in it."""
    place = place.of(model)

    def work(session: Session) -> Result:
        context = session.db.context
        rows = []
        for table in find_deployed(model).model.tables.values():
            state = session.db.drive(glance(context, table))
            row = _row(context.physical(table.name), state)
            rows.append({**row, "part": _part(table.name, place)})
        return Result({"tables": rows}, list_lines(rows))

    answer("tables list", place, output, work)


def _row(physical: str, state: TableState | None) -> dict[str, object]:
    if state is None:
        return {"physical": physical, "status": "missing"}
    indexes = [
        {"index": each.name, "status": each.status, "items": each.items, "bytes": each.size}
        for each in state.indexes.values()
    ]
    return {
        "table": state.name,
        "physical": physical,
        "status": state.status,
        "items": state.items,
        "bytes": state.size,
        "protected": state.protected,
        "indexes": indexes,
    }


# --- deleting ------------------------------------------------------------------------------


def delete_tables(
    model: str, place: Place, output: Output, *, yes: bool, confirm: str, dry_run: bool
) -> None:
    """Delete them all, if whoever asks means it."""
    place = place.of(model)

    def work(session: Session) -> Result:
        named = find_deployed(model)
        tables = list(named.model.tables.values())
        if not dry_run:
            _confirm(session, place.naming, named, yes, confirm)
        flow = remove(session.db.context, tables, tell=session.tell, dry_run=dry_run)
        removed: list[Removed] = session.db.drive(flow)
        return _removed_result(removed)

    answer("tables delete", place, output, work)


def _removed_result(removed: list[Removed]) -> Result:
    failed = [each for each in removed if each.outcome == "failed"]
    width = _width(removed)
    lines = [f"{each.physical:{width}}  {each.outcome}, {each.items} items" for each in removed]
    data = {"tables": [each.as_json() for each in removed]}
    if not failed:
        return Result(data, lines)
    nothing = len(failed) == len(removed) and not any(each.begun for each in removed)
    return Result(data, lines, FAILED if nothing else PARTIAL, failed[0].problem)


def _confirm(session: Session, naming: Naming, named: Named, yes: bool, confirm: str) -> None:
    """Raise unless whoever asks has said that they mean it."""
    label = naming.label(named.model)
    context = session.db.context
    states = [session.db.drive(glance(context, each)) for each in named.model.tables.values()]
    there = [each for each in states if each is not None]
    careful = naming.production or any(each.protected for each in there)
    if confirm == label or (yes and not careful) or not there:
        return
    items = sum(each.items for each in there)
    question = f"Delete {len(there)} tables with about {items} items for ever?"
    word = label if careful else "y"
    if not confirm and session.confirm(question, word):
        return
    option = f"--confirm {label}" if careful else "--yes"
    raise DeployError(
        Problem(
            UNKNOWN,
            f"nothing was deleted: {len(there)} tables were not confirmed",
            {"tables": [each.physical for each in there]},
            ("See what would go: --dry-run.", f"Say that you mean it: {option}."),
        )
    )
