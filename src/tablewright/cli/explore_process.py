"""What `tablewright explore` does: find the model, open what is to be read, serve its pages.

Nothing is kept and nothing is made: keys last as long as the process, sessions are not stored, and
the tables of a place are only read.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import webbrowser
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

from tablewright import __version__
from tablewright.cli.explore_place import Live, check, live_tables, named, no_tables
from tablewright.cli.models import Named, find_model, find_object
from tablewright.cli.place_options import Place
from tablewright.cli.review import facts_of, suppressions_of
from tablewright.cli.terminal import NO_ASSETS, styled
from tablewright.cli.up_place import empty_database
from tablewright.cli.up_process import not_started, say_stopping
from tablewright.cli.up_welcome import table_of
from tablewright.client import AsyncDb
from tablewright.client.transports import AsyncTransport
from tablewright.clock import SystemClock, UlidSource
from tablewright.console.entrance import link
from tablewright.console.formats import counted
from tablewright.console.model_front import ModelConsole, Subject, path_name
from tablewright.deploy.naming import Naming
from tablewright.model.demo import Demo
from tablewright.service import logs
from tablewright.service.app import assemble
from tablewright.service.auth import Auth, Identity
from tablewright.service.events import Events
from tablewright.service.keys import Keys
from tablewright.service.limits import RateLimits
from tablewright.service.metrics import Metrics
from tablewright.service.runtime import Runtime
from tablewright.service.serving import StartFailed, listen
from tablewright.service.serving import run as serve
from tablewright.service.settings import Settings
from tablewright.service.system import NoOptions
from tablewright.systems import NAMES


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of `tablewright explore`; :mod:`tablewright.cli.explore` explains them."""

    model: str
    memory: bool = False
    place: Place = Place()  # noqa: RUF009 - frozen
    port: int = 0
    open: bool = False
    json: bool = False

    @property
    def live(self) -> bool:
        return named(self.place)


def run(options: Options) -> None:
    """Everything, until a signal comes."""
    check(options.place, memory=options.memory)
    subject = subject_of(options.model)
    settings = settings_of(options)
    logs.configure(settings)
    try:
        with ExitStack() as stack:
            _serve(stack, options, subject, settings)
    except StartFailed as error:
        raise not_started(error) from None


def settings_of(options: Options) -> Settings:
    """This machine only, whatever the environment says; items are shown if a place was named."""
    return Settings(
        local=True,
        port=options.port,
        explore_data=options.live,
        log_level="warning",
    )


def _serve(stack: ExitStack, options: Options, subject: Subject, settings: Settings) -> None:
    listener, settings = listen(settings)
    stack.callback(listener.close)
    live = stack.enter_context(_live(options, subject, settings))
    key = secrets.token_urlsafe(32)
    runtime = runtime_of(subject, live.database.transport, settings, _names(options))
    front = ModelConsole(subject, runtime, key, empty=empty_database)
    app = assemble({}, settings=settings, metrics=runtime.metrics, front=front)
    welcome = Welcome(options, subject, link(settings.url, key), live, front.assets_missing)
    stopping = None if options.json else say_stopping
    serve(app, settings, lambda _: welcome.say(), listener=listener, on_stop=stopping)


def _live(options: Options, subject: Subject, settings: Settings) -> AbstractContextManager[Live]:
    if not options.live:
        return no_tables()
    return live_tables(options.place, options.model, subject.model, settings.url)


def _names(options: Options) -> Naming:
    return options.place.of(options.model).naming


# --- the model -----------------------------------------------------------------------------


def subject_of(text: str) -> Subject:
    """The model that ``text`` names, with its demo and what its author has accepted."""
    module, _ = find_object(text)
    found = find_model(text)
    return Subject(
        model=found.model,
        about=_about(module),
        demo=_demo(found),
        accepted=tuple(suppressions_of(module)),
        facts=tuple(facts_of(module)),
        has_kit=text in NAMES,
    )


def _about(module: str) -> str:
    return (sys.modules[module].__doc__ or "").strip().partition("\n")[0]


def _demo(found: Named) -> Demo | None:
    if not found.items and not found.calls:
        return None
    return Demo(found.items, found.calls, now=found.now)


# --- the process ---------------------------------------------------------------------------


def runtime_of(
    subject: Subject, transport: AsyncTransport, settings: Settings, names: Naming
) -> Runtime:
    """What the pages run on. Nobody has a role in it, and nothing of it is stored."""
    clock, keys, metrics = SystemClock(), Keys(None, {}), Metrics()
    name = path_name(subject.model.name)
    logical = {names(table): table for table in subject.model.tables}
    db = AsyncDb(
        transport,
        names=names,
        clock=clock,
        hook=metrics.db_hook(name, logical, clock),
        cursor_key=keys.secret("cursors"),
    )
    limits = RateLimits(clock)
    return Runtime(
        system=name,
        db=db,
        clock=clock,
        ids=UlidSource(clock),
        settings=settings,
        own=NoOptions(),
        keys=keys,
        auth=Auth(name, Identity(settings, keys, clock), limits=limits),
        limits=limits,
        events=Events(db, clock),
        metrics=metrics,
    )


# --- what is said --------------------------------------------------------------------------


@dataclass(frozen=True)
class Welcome:
    """Where to go."""

    options: Options
    subject: Subject
    link: str
    live: Live
    assets_missing: bool

    def say(self) -> None:
        print(self.json() if self.options.json else self.text(), flush=True)
        if self.options.open:
            webbrowser.open(self.link)

    def json(self) -> str:
        line = {
            "link": self.link,
            "pid": os.getpid(),
            "version": __version__,
            "model": self.options.model,
            "live": self.live.database.where or None,
            "remark": self.live.remark,
        }
        return json.dumps(line)

    def text(self) -> str:
        head = f"Exploring {styled(self.subject.model.name, 'bold', sys.stdout)}: open this link"
        parts = [head, "  " + styled(self.link, "cyan", sys.stdout), table_of(self._facts())]
        if self.assets_missing:
            parts.append(styled(NO_ASSETS, "yellow", sys.stdout))
        last = "It lets in whoever has it, from this machine only. Ctrl-C stops it."
        return "\n\n".join([*parts, styled(last, "dim", sys.stdout)])

    def _facts(self) -> dict[str, str]:
        facts = {"model": self._counts(), "practice": self._practice()}
        if self.options.live:
            facts["live"] = f"{self.live.database.where}, for reading"
        else:
            facts["live"] = "none: name a place to read its tables (--data, --endpoint, --aws)"
        return {**facts, "but": self.live.remark} if self.live.remark else facts

    def _counts(self) -> str:
        model = self.subject.model
        return ", ".join(
            (
                counted(len(model.tables), "table"),
                counted(len(model.entities), "entity", "entities"),
                counted(len(model.patterns), "access pattern"),
            )
        )

    def _practice(self) -> str:
        items = len(self.subject.demo.items) if self.subject.demo else 0
        if not items:
            return "in memory, empty: a function demo() beside the model would fill it"
        return f"in memory, with {counted(items, 'demo item')}"
