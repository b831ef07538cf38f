"""`tablewright review`: what cannot work in a model, what will hurt, and what is missing."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tablewright.cli.models import Named, find_model, find_object
from tablewright.cli.place_options import Place
from tablewright.cli.terminal import Failure, styled

if TYPE_CHECKING:
    from tablewright.deploy.reviewing import Seen
    from tablewright.review import Design, Report, Suppression
    from tablewright.review.beside import Fact

_NOWHERE = Place()
FailOn = Literal["error", "warning", "note", "never"]


def review(
    model: str | None = None,
    /,
    *,
    json: bool = False,
    sarif: bool = False,
    fail_on: FailOn = "error",
    rules: bool = False,
    explain: str | None = None,
    sample: int = 100,
    place: Place = _NOWHERE,
) -> None:
    """Review a model: keys, indexes, patterns, writes, samples, heat, capacity, security.

    With --data, --endpoint or --aws it reads the deployed tables too: how they are defined, and
    some of their items, which costs read units. It changes nothing.

    Exits with 0 if nothing grave was found, 1 if something was, 2 if the command failed.

    Parameters
    ----------
    model
        A system's name, or package.module:name of your own model, or of a Design.
    json
        Print the report as JSON.
    sarif
        Print the report as SARIF 2.1.0, for code-scanning tools.
    fail_on
        The least grave finding that makes the exit code 1.
    rules
        List all rules instead.
    explain
        Print the page about one rule, such as K01, instead.
    sample
        How many items to read of each deployed table, at most; 0 reads none.
    """
    if explain is not None:
        print(_page(explain))
        return
    if rules:
        _list_rules(json)
        return
    if model is None:
        raise Failure(
            "which model? Give a system's name or package.module:name",
            "`tablewright review --rules` lists what is looked for",
        )
    report, source, seen = _review(model, place, sample)
    _print(report, source, seen, json, sarif)
    if fail_on != "never" and report.fails(fail_on):
        sys.exit(1)


def _review(text: str, place: Place, sample: int) -> tuple[Report, str | None, list[Seen]]:
    module, found = find_object(text)
    from tablewright.model.demo import Demo
    from tablewright.review import Design
    from tablewright.review import review as run
    from tablewright.review.from_model import design_of

    if isinstance(found, Design):
        if place != _NOWHERE:
            raise Failure(f"{text!r} is a Design, which nobody deploys", "Give a model instead.")
        return run(found), _file(module), []
    named = find_model(text)
    accepted, facts = suppressions_of(module), facts_of(module)
    design = design_of(named.model, Demo(named.items, named.calls), accepted, facts)
    if place == _NOWHERE:
        return run(design), _file(module), []
    design, seen = _deployed(design, named, place, sample)
    return run(design), _file(module), seen


def _deployed(design: Design, named: Named, place: Place, sample: int) -> tuple[Design, list[Seen]]:
    """The design with what is deployed at the place."""
    from tablewright.cli.place import opened
    from tablewright.deploy.problems import problem_of
    from tablewright.deploy.reviewing import see, with_deployed
    from tablewright.model.errors import TablewrightError

    if sample < 0:
        raise Failure(f"--sample {sample} is no number of items", "0 reads none.")
    tables = place.naming.tables(named.model)
    try:
        with opened(place) as found:
            seen: list[Seen] = found.db.drive(see(found.db.context, tables, sample))
    except TablewrightError as error:
        problem = problem_of(error)
        raise Failure(problem.message, "\n       ".join(problem.remediation)) from None
    _tell(seen, found.where)
    return with_deployed(design, named.model, seen), seen


def _tell(seen: list[Seen], where: str) -> None:
    """What was read, on standard error: it is no part of the report, and may have a price."""
    items, units = sum(len(each.items) for each in seen), sum(each.read_units for each in seen)
    told = f"read {items} items ({units:g} read units) of {len(seen)} tables at {where}"
    print(styled(told, "dim", sys.stderr), file=sys.stderr)


def suppressions_of(module: str) -> Sequence[Suppression]:
    """What the model's author has accepted."""
    from tablewright.review.beside import NoSuppressions, suppressions_beside

    try:
        return suppressions_beside(module)
    except NoSuppressions as error:
        raise Failure(str(error), error.hint) from None


def facts_of(module: str) -> Sequence[Fact]:
    """What the model's author states beside the model."""
    from tablewright.review.beside import NoSuppressions, facts_beside

    try:
        return facts_beside(module)
    except NoSuppressions as error:
        raise Failure(str(error), error.hint) from None


def _file(module: str) -> str | None:
    path = inspect.getsourcefile(sys.modules[module])
    if path is None:
        return None
    try:
        return Path(path).relative_to(os.getcwd()).as_posix()
    except ValueError:
        return Path(path).as_uri()


def _print(report: Report, source: str | None, seen: list[Seen], json: bool, sarif: bool) -> None:
    if sarif or json:
        import orjson

        from tablewright.review.machine import as_json, as_sarif

        body = as_sarif(report, source) if sarif else as_json(report)
        if seen and not sarif:
            body["deployed"] = [each.as_json() for each in seen]
        print(orjson.dumps(body, option=orjson.OPT_INDENT_2).decode())
        return
    from tablewright.review.text import render

    print(render(report, lambda text, style: styled(text, style, sys.stdout)))


def _page(code: str) -> str:
    from tablewright.review import all_rules
    from tablewright.review.pages import page

    found = next((rule for rule in all_rules() if rule.code == code.upper()), None)
    if found is None:
        raise Failure(f"there is no rule {code}", "`tablewright review --rules` lists them all")
    return page(found)


def _list_rules(json: bool) -> None:
    from tablewright.review import all_rules

    if json:
        import orjson

        listed = [
            {"code": r.code, "family": r.family, "severity": r.severity, "title": r.title}
            for r in all_rules()
        ]
        print(orjson.dumps(listed, option=orjson.OPT_INDENT_2).decode())
        return
    family = ""
    for rule in all_rules():
        if rule.family != family:
            family = rule.family
            print(styled(family.capitalize(), "bold", sys.stdout))
        print(f"  {rule.code}  {rule.severity:<8} {rule.title}")
