"""The tables that `tablewright up` works on: made in its own engine, expected everywhere else.

In somebody's account nothing is made by the way: tables cost money there, and a wrong prefix would
make all of them anew. `tablewright tables setup` makes them, and the refusal says how.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from tablewright.cli.place_options import Place as Where
from tablewright.cli.terminal import Failure
from tablewright.cli.up_place import Place
from tablewright.client import Db
from tablewright.client.setup import ask
from tablewright.deploy.naming import Naming
from tablewright.deploy.problems import PERMISSIONS
from tablewright.deploy.setup import Made, set_up
from tablewright.model.errors import TablewrightError
from tablewright.model.table import Table
from tablewright.service.kit import kit_model
from tablewright.service.process import Shared, naming
from tablewright.service.system import System

_log = logging.getLogger(__name__)


def set_up_tables(system: System, place: Place, shared: Shared) -> bool:
    """Make the tables that are not there; True if none was."""
    db, tables = _db(system, place, shared), _tables(system, shared)
    return all(each.outcome == "created" for each in _checked(system, _looked(db, tables, True)))


def expect_tables(systems: Sequence[System], place: Place, shared: Shared, where: Where) -> None:
    """Make nothing: a failure that says what does, if tables are missing."""
    found = {each.name: _missing(each, place, shared) for each in systems}
    lacking = {system: names for system, names in found.items() if names}
    if lacking:
        tables = ", ".join(name for names in lacking.values() for name in names)
        commands = [setup_command(system, where) for system in lacking]
        hint = "\n         ".join(["This makes them:", *commands])
        raise Failure(f"These tables are not there: {tables}.", hint)


def _missing(system: System, place: Place, shared: Shared) -> list[str]:
    looked = _looked(_db(system, place, shared), _tables(system, shared), False)
    made = _checked(system, looked)
    return [each.physical for each in made if each.outcome == "would create"]


def are_empty(system: System, place: Place, shared: Shared) -> bool:
    """Whether nothing has ever been written to the system's tables, as far as one may look."""
    db = _db(system, place, shared)
    try:
        return not any(
            db.drive(ask(db.context, each, "Scan", {"Limit": 1, "Select": "COUNT"})).body["Count"]
            for each in _tables(system, shared)
        )
    except TablewrightError:
        return False


def setup_command(model: str, where: Where) -> str:
    """What to type to make a model's tables at that place."""
    return where.command("setup", model)


def _db(system: System, place: Place, shared: Shared) -> Db:
    return Db(place.sync_transport, names=naming(system.name, shared.names))


def _tables(system: System, shared: Shared) -> list[Table]:
    own = Naming(shared.settings.table_prefix, shared.settings.table_env)
    return [*own.tables(system.model), *own.tables(kit_model)]


def _looked(db: Db, tables: Sequence[Table], make: bool) -> list[Made]:
    try:
        made: list[Made] = db.drive(set_up(db.context, tables, dry_run=not make))
    except TablewrightError as error:
        raise Failure(f"The database cannot be used: {error}") from None
    return made


def _checked(system: System, made: Sequence[Made]) -> Sequence[Made]:
    wrong = [each for each in made if not each.ok]
    if wrong and all(each.problem and each.problem.code == PERMISSIONS for each in wrong):
        # A service uses tables; it need not be allowed to describe or to make them.
        _log.warning("the tables of %s were not checked: %s", system.name, wrong[0].problem)
    elif wrong:
        raise _differs(system, wrong)
    return made


def _differs(system: System, wrong: Sequence[Made]) -> Failure:
    texts = [
        f"{each.physical}: {each.problem.message if each.problem else each.text}" for each in wrong
    ]
    return Failure(
        f"The tables of {system.name} cannot be used.\n       " + "\n       ".join(texts),
        f"tablewright tables verify {system.name} says more; tables migrate changes them.",
    )
