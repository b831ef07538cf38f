"""What `tablewright demo` does: make the tables, and put the demo items that are not there."""

from __future__ import annotations

from tablewright.cli.answers import FAILED, Result, Session, answer
from tablewright.cli.models import Named, find_model
from tablewright.cli.place_options import Place
from tablewright.cli.table_lines import made_lines
from tablewright.cli.table_options import Output
from tablewright.cli.terminal import Failure
from tablewright.deploy.problems import SCHEMA, Problem
from tablewright.deploy.setup import Made, set_up
from tablewright.model import put
from tablewright.model.errors import AlreadyExists, UniqueViolation


def load(model: str, place: Place, output: Output) -> None:
    """Make the tables and their items."""
    answer("demo", place, output, lambda session: _load(session, model), create=True)


def _load(session: Session, text: str) -> Result:
    named = find_model(text)
    if not named.items:
        raise Failure(
            f"{text} has no demo items.",
            "Give its module a function demo() that returns a tablewright.model.demo.Demo.",
        )
    made = _set_up(session, named)
    lines = [line for each in made for line in made_lines(each, 0)]
    data = {"tables": [each.as_json() for each in made]}
    wrong = [each for each in made if not each.ok]
    if wrong:
        names = ", ".join(each.physical for each in wrong)
        problem = wrong[0].problem or Problem(SCHEMA, f"these tables differ: {names}")
        return Result(data, lines, FAILED, problem)
    written = _put(session, named)
    there = len(named.items) - written
    lines.append(f"{written} items written, {there} were there already ({session.opened.where})")
    return Result({**data, "written": written, "there": there}, lines)


def _set_up(session: Session, named: Named) -> list[Made]:
    tables = list(named.model.tables.values())
    made: list[Made] = session.db.drive(set_up(session.db.context, tables, tell=session.tell))
    return made


def _put(session: Session, named: Named) -> int:
    written = 0
    for number, item in enumerate(named.items, 1):
        session.tick(f"{number} of {len(named.items)} items")
        try:
            session.db.run(put(item).new())
        except (AlreadyExists, UniqueViolation):
            continue
        written += 1
    return written
