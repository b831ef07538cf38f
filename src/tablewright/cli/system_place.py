"""The place that a system's command works on: its settings, keys and database.

The embedded engine of a data folder is opened; if a running process owns the folder, it is asked
instead, and ``DATA/run.json`` says where. Keys are those of the same folder, so that a secret made
here is good there. With ``--endpoint`` or ``--aws`` a folder is only where the keys are.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tablewright.cli.engine_options import DEFAULT_DATA
from tablewright.cli.place_options import Place
from tablewright.cli.run_file import answering
from tablewright.cli.terminal import Failure
from tablewright.client import AsyncEmbedded, AsyncHttpTransport
from tablewright.client.transports import AsyncTransport
from tablewright.client.transports.site import Site
from tablewright.engine import Engine, FolderError
from tablewright.engine.storage.folder import FolderInUse
from tablewright.service.commands import Deployment, Needs
from tablewright.service.settings import Settings, load
from tablewright.systems import available

#: Where a command looks if nobody says where.
USUAL = (DEFAULT_DATA, Path("data"))
_REGION = "us-east-1"
#: How long to wait for a folder that another process has, and does not share.
PATIENCE_SECS = 5.0


@dataclass(frozen=True)
class Spot:
    """A place that is open."""

    transport: AsyncTransport
    settings: Settings
    #: For people.
    where: str
    #: Whether another process runs there.
    joined: bool = False


def deployment(place: Place, config: Path | None) -> Deployment:
    """What is said about a place that is not opened."""
    loaded = load(Settings, "service", file=config, sections=available())
    return Deployment(
        place.region or _REGION,
        place.prefix or loaded.table_prefix,
        place.env or loaded.table_env,
    )


@asynccontextmanager
async def opened(
    place: Place, config: Path | None, needs: Needs, variables: Mapping[str, str]
) -> AsyncIterator[Spot]:
    """Open the place that was named, or the usual one; ``variables`` are those of the system."""
    if place.aws and place.endpoint is not None:
        raise Failure("--aws and --endpoint exclude each other.", "Leave one of them out.")
    loaded = load(Settings, "service", file=config, sections=available(), variables=variables)
    if place.aws or place.endpoint is not None:
        settings = _settings(loaded, place, place.data or loaded.data)
        async with _at_site(place.endpoint, place.region, place.profile) as (transport, url):
            yield Spot(transport, settings, url)
        return
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(_folder(place.data, loaded.data, needs))
        settings = _settings(loaded, place, folder)
        yield await stack.enter_async_context(_in_folder(folder, place.region, settings))


def _settings(loaded: Settings, place: Place, data: Path | None) -> Settings:
    """As a process of this machine has them: nobody can connect to a command."""
    given = {
        "data": data,
        "table_prefix": place.prefix or loaded.table_prefix,
        "table_env": place.env or loaded.table_env,
        "local": True,
        "host": "127.0.0.1",
    }
    return loaded.model_copy(update=given)


@contextmanager
def _folder(named: Path | None, configured: Path | None, needs: Needs) -> Iterator[Path]:
    """The data folder: the one that is named, else a scratch one, else what is found."""
    if named is None and needs is Needs.SCRATCH:
        with tempfile.TemporaryDirectory(prefix="tablewright-") as scratch:
            yield Path(scratch)
        return
    folder = named or configured or _found()
    if needs is Needs.NOTHING:
        yield folder or DEFAULT_DATA
        return
    if folder is None:
        usual = " nor ".join(f"./{each}" for each in USUAL)
        raise Failure(
            f"It is not said where to work, and there is neither {usual} here.",
            "Give --data DIR, --endpoint URL or --aws; tablewright up makes a place.",
        )
    if not _has_engine(folder):
        hint = f"tablewright up --data {folder} makes one, with all tables."
        raise Failure(f"There is no database in {folder}.", hint)
    yield folder


def _found() -> Path | None:
    return next((each for each in USUAL if _has_engine(each)), None)


def _has_engine(folder: Path) -> bool:
    return (folder / "engine").exists()


@asynccontextmanager
async def _in_folder(folder: Path, region: str | None, settings: Settings) -> AsyncIterator[Spot]:
    found = await _engine_or_url(folder, region or _REGION)
    if isinstance(found, str):
        async with _at_site(found, region or _REGION, None) as (transport, _):
            where = f"{folder}, by the process that runs it"
            yield Spot(transport, settings, where, joined=True)
        return
    with found:
        embedded = AsyncEmbedded(found)
        try:
            yield Spot(embedded, settings, str(folder))
        finally:
            await embedded.close()


async def _engine_or_url(folder: Path, region: str) -> Engine | str:
    """The engine of the folder, or where the process answers that has it.

    Another command may be at work there, or a service may just start: both take a moment.
    """
    until = time.monotonic() + PATIENCE_SECS
    while True:
        try:
            return Engine(folder, region=region)
        except FolderInUse as error:
            if (url := answering(folder)) is not None:
                return url
            if time.monotonic() >= until:
                hint = "Stop it, or give its URL with --endpoint."
                raise Failure(str(error), hint) from None
        except FolderError as error:
            raise Failure(str(error)) from None
        await asyncio.sleep(0.1)


@asynccontextmanager
async def _at_site(
    endpoint: str | None, region: str | None, profile: str | None
) -> AsyncIterator[tuple[AsyncTransport, str]]:
    site = Site(endpoint, region, profile=profile)
    transport = AsyncHttpTransport(site=site)
    try:
        yield transport, site.main.endpoint.url
    finally:
        await transport.close()
