"""`tablewright import`: a model of tables that exist already."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.cli.place_options import Place
from tablewright.cli.terminal import Failure, styled

if TYPE_CHECKING:
    from tablewright.adopt import Proposal, Sampled
    from tablewright.review import Report

_NOWHERE = Place()
#: Items of a table that are read at most, whoever asks.
_MOST = 10_000


@dataclass(frozen=True)
class Read:
    """What was read: tables, and where they are."""

    name: str
    tables: list[Sampled]
    #: Whether they are deployed; a file is not.
    deployed: bool


def import_(
    source: str | None = None,
    /,
    *,
    table: tuple[str, ...] = (),
    samples: Annotated[int, Parameter(validator=Number(gte=0, lte=_MOST))] = 500,
    out: Path = Path("model.py"),
    stdout: bool = False,
    force: bool = False,
    json: bool = False,
    place: Place = _NOWHERE,
) -> None:
    """Propose a model of tables that exist already: entities, keys, patterns.

    Reads the definitions of tables and some of their items, which costs read units, and writes a
    Python module that reads these items and gives them back exactly. What it does not is listed.
    Nothing in the database is changed. Then the model is reviewed.

    Parameters
    ----------
    source
        A file of NoSQL Workbench; without it, --table names tables of a database.
    table
        A table to read; repeatable.
    samples
        How many items to read of each table, at most; 0 reads none.
    out
        The module to write.
    stdout
        Print the module instead, and everything else on standard error.
    force
        Write over a file that is there.
    json
        Print what was found, and the review, as JSON.
    """
    file = None if stdout else out
    if file is not None and file.exists() and not force:
        raise Failure(f"{out} is there already", "Give another --out, or --force to write over it.")
    read = _read(source, table, samples, place)
    proposal = _proposed(read)
    if file is not None:
        from tablewright.cli.files import write_text

        write_text(file, proposal.source)
    elif not json:
        sys.stdout.write(proposal.source)
    _print(proposal, _reviewed(proposal, read.deployed), file, json, place)


# --- reading -------------------------------------------------------------------------------------


def _read(source: str | None, tables: tuple[str, ...], samples: int, place: Place) -> Read:
    anywhere = any((place.endpoint, place.data, place.aws))
    if source is not None:
        if tables or anywhere:
            raise Failure(
                "a file and a database are given; one of them has to go",
                "Leave the file out, or --table and the place.",
            )
        return _from_file(Path(source))
    if not anywhere:
        raise Failure(
            "it is not said what to read",
            "Give a file of NoSQL Workbench, or --table NAME and where: --data DIR, "
            "--endpoint URL or --aws.",
        )
    return _from_database(tables, samples, place)


def _from_file(path: Path) -> Read:
    from tablewright.adopt import read_workbench
    from tablewright.cli.files import read_text
    from tablewright.model.errors import ModelError

    try:
        name, tables = read_workbench(read_text(path))
    except ModelError as error:
        raise Failure(f"{path}: {error}", "NoSQL Workbench exports models as JSON.") from None
    return Read(name, tables, deployed=False)


def _from_database(names: tuple[str, ...], samples: int, place: Place) -> Read:
    from tablewright.adopt import sample_tables, table_names
    from tablewright.cli.place import opened
    from tablewright.deploy.problems import problem_of
    from tablewright.model.errors import TablewrightError

    try:
        with opened(place) as found:
            if not names:
                there: list[str] = found.db.drive(table_names(found.db.context))
                raise Failure(f"which tables of {found.where}?", _choice(there))
            flow = sample_tables(found.db.context, names, samples)
            tables: list[Sampled] = found.db.drive(flow)
    except TablewrightError as error:
        problem = problem_of(error)
        raise Failure(problem.message, "\n       ".join(problem.remediation)) from None
    _tell(tables, found.where)
    return Read(names[0] if len(names) == 1 else "adopted", tables, deployed=True)


def _choice(there: list[str]) -> str:
    if not there:
        return "There are none. Check --region, --profile or the folder."
    listed = ", ".join(there[:20]) + (", ..." if len(there) > 20 else "")
    return f"Give --table NAME, once for each. There are: {listed}"


def _tell(tables: list[Sampled], where: str) -> None:
    """What was read, on standard error: it may have a price."""
    items, units = sum(len(each.items) for each in tables), sum(each.read_units for each in tables)
    text = f"read {items} items ({units:g} read units) of {len(tables)} tables at {where}"
    print(styled(text, "dim", sys.stderr), file=sys.stderr)


# --- proposing -----------------------------------------------------------------------------------


def _proposed(read: Read) -> Proposal:
    from tablewright.adopt import propose
    from tablewright.model.errors import ModelError

    try:
        return propose(read.name, read.tables)
    except ModelError as error:
        raise Failure(f"no model can be made of these tables: {error}") from None


def _reviewed(proposal: Proposal, deployed: bool) -> Report:
    from tablewright.deploy.reviewing import Seen, with_deployed
    from tablewright.review import review
    from tablewright.review.from_model import design_of

    design = design_of(proposal.model)
    if deployed:
        seen = [
            Seen(proposal.model.tables[each.state.name], each.state, each.items, each.read_units)
            for each in (adopted.sampled for adopted in proposal.tables)
        ]
        design = with_deployed(design, proposal.model, seen)
    return review(design)


def _print(proposal: Proposal, report: Report, out: Path | None, json: bool, place: Place) -> None:
    from tablewright.cli.import_lines import as_json, lines, next_steps

    if json:
        import orjson

        from tablewright.review.machine import as_json as report_json

        body: dict[str, Any] = {**as_json(proposal, out), "review": report_json(report)}
        print(orjson.dumps(body, option=orjson.OPT_INDENT_2).decode())
        return
    from tablewright.review.text import render

    # With the module itself on standard output, everything else stands beside it.
    stream = sys.stdout if out is not None else sys.stderr
    for line in lines(proposal, out):
        print(line, file=stream)
    print(f"\n{render(report, lambda text, style: styled(text, style, stream))}", file=stream)
    for line in next_steps(out, place):
        print(line, file=stream)
