"""Where a command works (AWS, an endpoint, the engine of a data folder), and under which names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tablewright.cli.place_options import Place
from tablewright.cli.run_file import answering
from tablewright.cli.terminal import Failure
from tablewright.client import Db, Embedded, HttpTransport
from tablewright.client.transports.site import Site

_WHERE = "Give --data DIR, --endpoint URL or --aws."


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
        url = None if folder is None else answering(folder)
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
