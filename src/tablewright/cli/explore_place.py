"""The tables that `tablewright explore` reads, where somebody has named a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from tablewright.cli.place_options import Place
from tablewright.cli.run_file import announced, answering
from tablewright.cli.terminal import Failure
from tablewright.cli.up_place import DEFAULT_REGION, FolderTaken, opened
from tablewright.cli.up_place import Place as Database
from tablewright.cli.up_tables import setup_command
from tablewright.client import AsyncEmbedded, Db, Embedded
from tablewright.clock import SystemClock
from tablewright.deploy.problems import PERMISSIONS
from tablewright.deploy.setup import Made, set_up
from tablewright.engine import Engine
from tablewright.model.errors import TablewrightError
from tablewright.model.model import Model


@dataclass(frozen=True)
class Live:
    """What is there to be read."""

    database: Database
    #: What is amiss with the tables, for people; "" nothing.
    remark: str = ""


def named(place: Place) -> bool:
    """Whether somebody has said where the tables are."""
    return place.aws or place.endpoint is not None or place.data is not None


def check(place: Place, *, memory: bool) -> None:
    """That one place is named at most."""
    given = {
        "--memory": memory,
        "--data": place.data is not None,
        "--endpoint": place.endpoint is not None,
        "--aws": place.aws,
    }
    several = [name for name, is_given in given.items() if is_given]
    if len(several) > 1:
        raise Failure(f"{' and '.join(several)} exclude each other.", "Leave one of them out.")
    if place.data is not None and not (place.data / "engine").exists():
        raise Failure(
            f"There is no database in {place.data}.",
            "Without --data, the model is explored on practice tables alone.",
        )


@contextmanager
def live_tables(place: Place, model: str, tables: Model, url: str) -> Iterator[Live]:
    """The database with the model's tables; a failure if there is none of them."""
    with _database(place, url) as database:
        db = Db(database.sync_transport, names=place.of(model).naming)
        try:
            found = db.drive(set_up(db.context, list(tables.tables.values()), dry_run=True))
        except TablewrightError as error:
            raise Failure(f"The database cannot be used: {error}") from None
        yield Live(database, _remark(found, model, place))


@contextmanager
def no_tables() -> Iterator[Live]:
    """Practice alone; behind it is an empty database that nobody is let see."""
    with Engine.memory(clock=SystemClock()) as engine:
        yield Live(Database(AsyncEmbedded(engine), Embedded(engine), "", ""))


@contextmanager
def _database(place: Place, url: str) -> Iterator[Database]:
    """The one that is named; that of a folder in use is asked where its owner answers."""
    if place.data is None:
        with opened(
            None,
            embedded=False,
            endpoint=place.endpoint,
            region=place.region,
            profile=place.profile,
        ) as database:
            yield database
        return
    with ExitStack() as stack:
        region = place.region or DEFAULT_REGION
        try:
            database = stack.enter_context(opened(place.data, embedded=True, region=region))
            stack.enter_context(announced(place.data, wire=database.wire, console=url))
        except FolderTaken:
            there = answering(place.data)
            if there is None:
                raise
            joined = opened(None, embedded=False, endpoint=there, region=region)
            database = stack.enter_context(joined)
        yield database


def _remark(found: Sequence[Made], model: str, place: Place) -> str:
    missing = [each.physical for each in found if each.outcome == "would create"]
    if missing and len(missing) == len(found):
        raise Failure(
            f"None of the model's tables is there: {', '.join(missing)}.",
            f"This makes them: {setup_command(model, place)}",
        )
    failed = [each for each in found if each.outcome == "failed" and each.problem]
    for each in failed:
        if each.problem and each.problem.code != PERMISSIONS:
            raise Failure(f"{each.physical} cannot be used: {each.problem.message}")
    remarks = {
        "not there": missing,
        "not as the model says": [each.physical for each in found if each.outcome == "mismatch"],
        "may not be described, so not compared": [each.physical for each in failed],
    }
    return "; ".join(f"{what}: {', '.join(names)}" for what, names in remarks.items() if names)
