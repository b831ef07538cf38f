"""Where a command works (AWS, an endpoint, the engine of a data folder), and under which names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tablewright.cli.models import own_names
from tablewright.cli.terminal import Failure
from tablewright.client import Db, Embedded, HttpTransport
from tablewright.client.transports.site import Site
from tablewright.deploy.naming import Naming

_WHERE = "Give --data DIR, --endpoint URL or --aws."


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Place:
    """The options that say where."""

    endpoint: str | None = None
    "The database at this URL: tablewright engine, DynamoDB Local, any that speaks DynamoDB."
    data: Path | None = None
    "The embedded database in this folder."
    aws: bool = False
    "DynamoDB on AWS."
    region: str | None = None
    "The region; otherwise AWS_REGION, or what the profile says."
    profile: str | None = None
    "A profile of the AWS configuration."
    prefix: str = ""
    "Stands before all table names: --prefix osem --env prod makes osem-prod-Users."
    env: Annotated[str, Parameter(name="--env")] = ""
    "The environment, part of all table names; prod asks for recovery and deletion protection."
    own: Annotated[Mapping[str, str], Parameter(parse=False)] = field(default_factory=dict)

    @property
    def naming(self) -> Naming:
        return Naming(self.prefix, self.env, self.own)

    def of(self, model: str) -> Place:
        """The same place, with the names that the tables of this model have there."""
        return replace(self, own=own_names(model))


@dataclass(frozen=True)
class Opened:
    """A database that commands can work on."""

    db: Db
    region: str
    #: For people.
    where: str


@contextmanager
def opened(place: Place, *, create: bool = False, scratch: bool = False) -> Iterator[Opened]:
    """Open the place that was named.

    ``create`` makes a data folder that is not there; ``scratch`` opens an empty database instead,
    for a command that only looks at what it would do.
    """
    given = [each for each in (place.endpoint, place.data, place.aws or None) if each is not None]
    if len(given) != 1:
        what = "It is not said where." if not given else "These exclude each other."
        raise Failure(what, _WHERE)
    if place.data is None:
        with _at_site(place) as found:
            yield found
        return
    if not (place.data / "engine").exists() and not create:
        if not scratch:
            raise Failure(f"There is no database in {place.data}.", "tables setup makes one.")
        with _in_folder(place, None) as found:
            yield found
        return
    with _in_folder(place, place.data) as found:
        yield found


@contextmanager
def _at_site(place: Place) -> Iterator[Opened]:
    site = Site(place.endpoint, place.region, profile=place.profile)
    transport = HttpTransport(site=site)
    try:
        db = Db(transport, names=place.naming)
        yield Opened(db, site.region, site.main.endpoint.url)
    finally:
        transport.close()


@contextmanager
def _in_folder(place: Place, folder: Path | None) -> Iterator[Opened]:
    from tablewright.engine import Engine, FolderError
    from tablewright.engine.storage.folder import FolderInUse

    region = place.region or "us-east-1"
    try:
        engine = Engine.memory(region=region) if folder is None else Engine(folder, region=region)
    except FolderInUse as error:
        url = None if folder is None else _serving(folder)
        if url is None:
            raise Failure(str(error), "Stop it, or give its URL with --endpoint.") from None
        there = replace(place, data=None, endpoint=url, region=region)
        with _at_site(there) as found:
            yield found
        return
    except FolderError as error:
        raise Failure(str(error)) from None
    with engine:
        yield Opened(Db(Embedded(engine), names=place.naming), region, str(place.data))


def _serving(folder: Path) -> str | None:
    """Where the process that owns the folder answers, if it says so."""
    try:
        url = json.loads((folder / "run.json").read_text()).get("url")
    except (OSError, ValueError, AttributeError):
        return None
    return url if isinstance(url, str) else None
