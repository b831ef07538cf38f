"""What `tablewright up` does: open the database, make the tables, put the systems together, serve.

Here, and only here, a service meets the engine. Whoever wants to join while this runs (another
command, another process) finds the engine behind a port of this machine: ``DATA/run.json`` says
which.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tablewright.cli.engine_options import DEFAULT_DATA
from tablewright.cli.first_start import FirstStart
from tablewright.cli.place_options import Place as Where
from tablewright.cli.run_file import announced, owner_of
from tablewright.cli.terminal import Failure
from tablewright.cli.up_place import FolderTaken, Place, empty_database, opened
from tablewright.cli.up_tables import are_empty, expect_tables, set_up_tables
from tablewright.cli.up_welcome import Welcome
from tablewright.console.front import Console
from tablewright.service import logs
from tablewright.service.app import Application, assemble
from tablewright.service.auth import require_local_or_issuer
from tablewright.service.key_files import KeyFileError
from tablewright.service.keys import COMMON, Keys, variable_of
from tablewright.service.process import Shared, runtime_of, shared_of
from tablewright.service.runtime import Runtime
from tablewright.service.serving import StartFailed, listen
from tablewright.service.serving import run as serve
from tablewright.service.settings import Settings, SettingsError, is_loopback, load
from tablewright.service.system import Parts, System
from tablewright.systems import available
from tablewright.systems import load as load_system

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

    @property
    def on_this_machine(self) -> bool:
        """Whether the database is embedded, or answers at a loopback address."""
        if self.embedded:
            return True
        host = urlsplit(self.endpoint or "").hostname or ""
        return not self.aws and is_loopback(host)


def run(options: Options) -> None:
    """Everything, until a signal comes."""
    _check(options)
    names = _names(options.systems)
    try:
        settings = settings_of(options)
        require_local_or_issuer(settings)
        _check_keys(options, settings, names)
        logs.configure(settings)
        _run(options, settings, names)
    except (SettingsError, KeyFileError) as error:
        raise Failure(str(error)) from None


def _run(options: Options, settings: Settings, names: Sequence[str]) -> None:
    try:
        with ExitStack() as stack:
            _serve(stack, options, settings, names)
    except FolderTaken as taken:
        raise _running(settings.data) or taken from None
    except StartFailed as error:
        # What has the port may be an earlier start of the same.
        earlier = _running(settings.data) if options.embedded and "in use" in str(error) else None
        raise earlier or not_started(error) from None


def _serve(stack: ExitStack, options: Options, settings: Settings, names: Sequence[str]) -> None:
    # The port first: a second start of the same thing ends here, and has touched nothing.
    listener, settings = listen(settings)
    stack.callback(listener.close)
    place = stack.enter_context(_place(options, settings))
    app, welcome = _build(options, settings, names, place)
    if place.wire:
        found = announced(settings.data, wire=place.wire, console=settings.url)
        stack.enter_context(found)
    serve(
        app,
        settings,
        lambda _: welcome.say(json=options.json),
        listener=listener,
        on_stop=None if options.json else say_stopping,
    )


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


def _check_keys(options: Options, settings: Settings, names: Sequence[str]) -> None:
    """That keys last as long as the database: what is stored in it was hashed with them."""
    if options.embedded or settings.data is not None:
        return
    given = Keys(None)
    wanted = [*COMMON, *(key for name in names for key in load_system(name).keys)]
    missing = [variable_of(key) for key in wanted if not given.lasts(key)]
    if missing:
        raise Failure(
            "The database will outlive this process, and the keys would not: secrets that were "
            "made with them could not be checked any more.",
            "Give --data DIR, where keys are kept, or the keys themselves. Missing: "
            f"{', '.join(missing)}.",
        )


def _names(given: Sequence[str]) -> Sequence[str]:
    """The systems to run, each once."""
    known = available()
    for name in given:
        if name not in known:
            raise Failure(f"There is no system {name!r} to run.", f"There is: {', '.join(known)}.")
    return tuple(dict.fromkeys(given)) or known


def _variables(given: Sequence[str]) -> dict[str, str]:
    """Names for settings of the process that the systems to run bring along."""
    found: dict[str, str] = {}
    for name in _names(given):
        found |= load_system(name).variables
    return found


def settings_of(options: Options) -> Settings:
    """File and environment, and the options above both."""
    loaded = load(
        Settings,
        "service",
        file=options.config,
        sections=available(),
        variables=_variables(options.systems),
    )
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
        # Nobody proves anything to the local issuer: it is for this machine and data on it.
        "local": loaded.local and options.on_this_machine and is_loopback(host),
    }
    if given["local"] and "log_level" not in loaded.model_fields_set and sys.stderr.isatty():
        # Somebody looks at the terminal: what they were told about where to go stays in sight.
        given["log_level"] = "warning"
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
    loaded = [load_system(name) for name in names]
    fresh = _fresh(options, loaded, place, shared)
    for system in loaded:
        first.found(system.name, fresh=system.name in fresh)
        runtime = runtime_of(system, place.transport, settings, shared=shared)
        systems[system] = (runtime, system.build(runtime))
    welcome = Welcome(settings, place, {each.name: each.title for each in systems})

    async def begin() -> None:
        for system, (runtime, parts) in systems.items():
            welcome.admin_key = await runtime.auth.first_key()
            if parts.demo is not None and first.wants(system.name) and not options.json:
                print(f"Filling {system.title} with demo data ...", flush=True)
            await first.fill(system.name, parts.demo)

    front = Console(systems, settings, empty=empty_database)
    welcome.assets_missing = front.assets_missing
    app = assemble(systems, settings=settings, metrics=shared.metrics, front=front, opened=[begin])
    return app, welcome


def _fresh(
    options: Options, systems: Sequence[System], place: Place, shared: Shared
) -> frozenset[str]:
    """See to the tables; the systems whose tables are new, and may be filled with a demo."""
    if options.embedded:
        new = [each for each in systems if set_up_tables(each, place, shared)]
    else:
        expect_tables(systems, place, shared, _where(options, shared.settings))
        new = [each for each in systems if options.demo and are_empty(each, place, shared)]
    return frozenset(each.name for each in new)


def _where(options: Options, settings: Settings) -> Where:
    return Where(
        endpoint=options.endpoint,
        aws=options.aws,
        region=options.region,
        profile=options.profile,
        prefix=settings.table_prefix,
        env=settings.table_env,
    )


def not_started(error: StartFailed) -> Failure:
    """Why it did not start, and what to do."""
    text = str(error)
    hint = ""
    if "in use" in text:
        hint = "Stop that program, or choose another port with --port (0 takes any free one)."
    return Failure(text[:1].upper() + text[1:] + ".", hint)


def say_stopping() -> None:
    """For who has pressed Ctrl-C: it was heard."""
    print("\nStopping; Ctrl-C again does not wait.", flush=True)


def _running(folder: Path | None) -> Failure | None:
    """That the folder has its process already, where that answers: a second start of the same."""
    owner = None if folder is None else owner_of(folder)
    if owner is None or not owner.answers:
        return None
    return Failure(
        f"{folder} is in use: Tablewright is running at {owner.console} (process {owner.pid}).",
        "Open that address, or stop it there with Ctrl-C. Another one beside it needs a folder and "
        "a port of its own: --data DIR --port 0.",
    )
