"""What `tablewright up` does: open the database, make the tables, put the systems together, serve.

Here, and only here, a service meets the engine. Whoever wants to join while this runs (another
command, another process) finds the engine behind a port of this machine: ``DATA/run.json`` says
which.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tablewright.cli.database import DEFAULT_DATA
from tablewright.cli.first_start import FirstStart
from tablewright.cli.run_file import announced
from tablewright.cli.terminal import Failure
from tablewright.cli.up_place import Place, empty_database, opened
from tablewright.cli.up_welcome import Welcome
from tablewright.client import Db
from tablewright.console.front import Console
from tablewright.deploy.naming import Naming
from tablewright.deploy.problems import PERMISSIONS
from tablewright.deploy.setup import Made, set_up
from tablewright.model.errors import TablewrightError
from tablewright.service import logs
from tablewright.service.app import Application, assemble
from tablewright.service.auth import require_local_or_issuer
from tablewright.service.key_files import KeyFileError
from tablewright.service.kit import kit_model
from tablewright.service.process import Shared, naming, runtime_of, shared_of
from tablewright.service.runtime import Runtime
from tablewright.service.serving import StartFailed, listen
from tablewright.service.serving import run as serve
from tablewright.service.settings import Settings, SettingsError, is_loopback, load
from tablewright.service.system import Parts, System
from tablewright.systems import available
from tablewright.systems import load as load_system

_log = logging.getLogger(__name__)

Systems = dict[System, tuple[Runtime, Parts]]


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of `tablewright up`; :mod:`tablewright.cli.up` explains them."""

    systems: tuple[str, ...] = ()
    host: str | None = None
    port: int | None = None
    data: Path | None = None
    memory: bool = False
    endpoint: str | None = None
    aws: bool = False
    region: str | None = None
    profile: str | None = None
    prefix: str | None = None
    env: str | None = None
    demo: bool = False
    config: Path | None = None
    json: bool = False

    @property
    def embedded(self) -> bool:
        return not self.aws and self.endpoint is None


def run(options: Options) -> None:
    """Everything, until a signal comes."""
    _check(options)
    names = _names(options.systems)
    try:
        settings = settings_of(options)
        require_local_or_issuer(settings)
        _check_keys(options, settings)
        logs.configure(settings)
        with ExitStack() as stack:
            _serve(stack, options, settings, names)
    except (SettingsError, KeyFileError) as error:
        raise Failure(str(error)) from None
    except StartFailed as error:
        raise _not_started(error) from None


def _serve(stack: ExitStack, options: Options, settings: Settings, names: Sequence[str]) -> None:
    # The port first: a second start of the same thing ends here, and has touched nothing.
    listener, settings = listen(settings)
    stack.callback(listener.close)
    place = stack.enter_context(_place(options, settings))
    app, welcome = _build(options, settings, names, place)
    if place.wire:
        found = announced(settings.data, wire=place.wire, console=settings.url)
        stack.enter_context(found)
    serve(app, settings, lambda _: welcome.say(json=options.json), listener=listener)


def _check(options: Options) -> None:
    """That one place is named at most."""
    given = {
        "--memory": options.memory,
        "--endpoint": options.endpoint is not None,
        "--aws": options.aws,
    }
    several = [name for name, is_given in given.items() if is_given]
    if len(several) > 1:
        raise Failure(f"{' and '.join(several)} exclude each other.", "Leave one of them out.")
    if options.memory and options.data is not None:
        raise Failure("--memory and --data exclude each other.", "Leave one of them out.")


def _check_keys(options: Options, settings: Settings) -> None:
    """That keys last as long as the database: what is stored in it was hashed with them."""
    given = any(name.startswith("TABLEWRIGHT_KEY_") for name in os.environ)
    if not options.embedded and settings.data is None and not given:
        raise Failure(
            "The database will outlive this process, and the keys would not: secrets that were "
            "made with them could not be checked any more.",
            "Give --data DIR, where keys are kept, or the keys themselves as TABLEWRIGHT_KEY_...",
        )


def _names(given: Sequence[str]) -> Sequence[str]:
    """The systems to run, each once."""
    known = available()
    for name in given:
        if name not in known:
            raise Failure(f"There is no system {name!r} to run.", f"There is: {', '.join(known)}.")
    return tuple(dict.fromkeys(given)) or known


def settings_of(options: Options) -> Settings:
    """File and environment, and the options above both."""
    loaded = load(Settings, "service", file=options.config, sections=available())
    folder = options.data or loaded.data
    if options.embedded and not options.memory:
        folder = folder or DEFAULT_DATA
    host = options.host or loaded.host
    given = {
        "host": host,
        "port": loaded.port if options.port is None else options.port,
        "data": None if options.memory else folder,
        "table_prefix": loaded.table_prefix if options.prefix is None else options.prefix,
        "table_env": loaded.table_env if options.env is None else options.env,
        # Nobody proves anything to the local issuer: it is for this machine and its own data.
        "local": loaded.local and options.embedded and is_loopback(host),
    }
    try:
        return Settings.model_validate({**dict(loaded), **given})
    except ValueError as error:
        raise SettingsError(str(error)) from None


@contextmanager
def _place(options: Options, settings: Settings) -> Iterator[Place]:
    with opened(
        None if options.memory else settings.data,
        embedded=options.embedded,
        endpoint=options.endpoint,
        region=options.region,
        profile=options.profile,
    ) as place:
        yield place


def _build(
    options: Options, settings: Settings, names: Sequence[str], place: Place
) -> tuple[Application, Welcome]:
    shared = shared_of(settings, file=options.config)
    systems: Systems = {}
    first = FirstStart(settings.data, wanted=options.demo)
    for name in names:
        system = load_system(name)
        fresh = set_up_tables(system, place, shared)
        first.found(name, fresh=fresh)
        runtime = runtime_of(system, place.transport, settings, shared=shared)
        systems[system] = (runtime, system.build(runtime))
    welcome = Welcome(settings, place, {each.name: each.title for each in systems})

    async def begin() -> None:
        for system, (runtime, parts) in systems.items():
            welcome.admin_key = await runtime.auth.first_key()
            await first.fill(system.name, parts.demo)

    front = Console(systems, settings, empty=empty_database)
    welcome.assets_missing = front.assets_missing
    app = assemble(systems, settings=settings, metrics=shared.metrics, front=front, opened=[begin])
    return app, welcome


def set_up_tables(system: System, place: Place, shared: Shared) -> bool:
    """Make the tables that are not there; True if none was."""
    own = Naming(shared.settings.table_prefix, shared.settings.table_env)
    tables = [*own.tables(system.model), *own.tables(kit_model)]
    db = Db(place.sync_transport, names=naming(system.name, shared.names))
    try:
        made = db.drive(set_up(db.context, tables))
    except TablewrightError as error:
        raise Failure(f"The database cannot be used: {error}") from None
    wrong = [each for each in made if not each.ok]
    if wrong and all(each.problem and each.problem.code == PERMISSIONS for each in wrong):
        # A service uses tables; it need not be allowed to describe or to make them.
        _log.warning("the tables of %s were not checked: %s", system.name, wrong[0].problem)
        return False
    if wrong:
        raise _differs(system, wrong)
    return all(each.outcome == "created" for each in made)


def _differs(system: System, wrong: Sequence[Made]) -> Failure:
    texts = [
        f"{each.physical}: {each.problem.message if each.problem else each.text}" for each in wrong
    ]
    return Failure(
        f"The tables of {system.name} cannot be used.\n       " + "\n       ".join(texts),
        f"tablewright tables verify {system.name} says more; tables migrate changes them.",
    )


def _not_started(error: StartFailed) -> Failure:
    text = str(error)
    hint = ""
    if "in use" in text:
        hint = "Stop that program, or choose another port with --port (0 takes any free one)."
    return Failure(text[:1].upper() + text[1:] + ".", hint)
