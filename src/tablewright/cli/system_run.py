"""Running one command of a system: open its place, call it, show the answer.

Exit codes: 0 all is well, 1 the command did its work and found something amiss, 2 it could not.
"""

from __future__ import annotations

import asyncio
import getpass
import inspect
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson

from tablewright.cli.place_options import Place
from tablewright.cli.system_failures import told
from tablewright.cli.system_place import Spot, deployment, opened
from tablewright.cli.terminal import Failure, coloured, styled
from tablewright.deploy.naming import Naming
from tablewright.deploy.setup import set_up
from tablewright.server.running import new_loop
from tablewright.service.auth import Principal
from tablewright.service.commands import Afterwards, Answer, Desk, Line, Needs, needs_of
from tablewright.service.kit import kit_model
from tablewright.service.problems import Problem, document
from tablewright.service.process import runtime_of
from tablewright.service.runtime import Runtime
from tablewright.service.system import System
from tablewright.systems import load

_CLEAR = "\r\x1b[K"


@dataclass(frozen=True)
class Call:
    """A command as it was typed."""

    system: str
    command: Callable[..., Awaitable[Answer]]
    args: tuple[Any, ...]
    named: Mapping[str, Any]
    place: Place
    config: Path | None
    json: bool


def run(call: Call) -> None:
    """Run it, and say what came of it; exits with 1 if that is not well."""
    terminal = Terminal(call.json)
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            answer, data = runner.run(_answer(call, terminal))
    except Failure as failure:
        terminal.clear()
        if call.json:
            _print_json(_document(failure))
        raise
    terminal.show(answer)
    if not answer.ok:
        sys.exit(1)
    if answer.then is not None and not call.json:
        _run_system(call, answer.then, data)


def _run_system(call: Call, then: Afterwards, data: Path | None) -> None:
    """As `tablewright up` does, where the command has worked."""
    from tablewright.cli.up_process import Options
    from tablewright.cli.up_process import run as up

    place = call.place
    with then.around as variables:
        os.environ.update(variables)
        up(
            Options(
                systems=(call.system,),
                port=then.port,
                data=data,
                endpoint=place.endpoint,
                aws=place.aws,
                region=place.region,
                profile=place.profile,
                prefix=place.prefix or None,
                env=place.env or None,
                config=call.config,
            )
        )


async def _answer(call: Call, terminal: Terminal) -> tuple[Answer, Path | None]:
    """The answer, and the data folder of the place."""
    with told(call.system, "the place"):
        if needs_of(call.command) is Needs.NOWHERE:
            desk = terminal.desk(call.system)
            where = deployment(call.place, call.config)
            return await _called(call, {"desk": desk, "deployment": where}), None
        system, needs = load(call.system), needs_of(call.command)
        async with opened(call.place, call.config, needs, system.variables) as spot:
            with told(call.system, spot.where):
                runtime = runtime_of(system, spot.transport, spot.settings, file=call.config)
                async with _ready(system, runtime, needs):
                    given = _given(call, runtime, terminal, spot)
                    return await _called(call, given), spot.settings.data


@asynccontextmanager
async def _ready(system: System, runtime: Runtime, needs: Needs) -> AsyncIterator[None]:
    """With its tables, if the command wants them made."""
    try:
        if needs is not Needs.PLACE:
            await _make_tables(system, runtime)
        yield
    finally:
        await runtime.auth.identity.close()


async def _make_tables(system: System, runtime: Runtime) -> None:
    settings = runtime.settings
    own = Naming(settings.table_prefix, settings.table_env)
    tables = [*own.tables(system.model), *own.tables(kit_model)]
    made = await runtime.db.drive(set_up(runtime.db.context, tables))
    wrong = [each.physical for each in made if not each.ok]
    if wrong:
        raise Failure(
            f"These tables cannot be used as they are: {', '.join(wrong)}.",
            f"tablewright tables verify {system.name} says more; tables migrate changes them.",
        )


def _given(call: Call, runtime: Runtime, terminal: Terminal, spot: Spot) -> dict[str, object]:
    own = import_module(f"tablewright.systems.{call.system}.cli")
    desk = terminal.desk(call.system, joined=spot.joined)
    return {"runtime": runtime, **own.given(runtime), "desk": desk}


async def _called(call: Call, given: Mapping[str, object]) -> Answer:
    """The command with what it is given, by name, and what was typed."""
    names = [
        name
        for name, parameter in inspect.signature(call.command).parameters.items()
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY
    ]
    return await call.command(*(given[name] for name in names), *call.args, **call.named)


class Terminal:
    """Where the command was typed."""

    def __init__(self, json: bool) -> None:
        self._json = json
        #: Whether a line is there that may be written over.
        self._open_line = False

    def desk(self, system: str, *, joined: bool = False) -> Desk:
        return Desk(
            by=_typist(system),
            tick=self.tick,
            stdin=sys.stdin.buffer,
            stdout=sys.stdout.buffer,
            json=self._json,
            joined=joined,
            say=self.say,
        )

    def tick(self, text: str) -> None:
        """Progress: one line, on standard error, where somebody can see it."""
        if not self._json and coloured(sys.stderr):
            print(f"{_CLEAR}{text}", end="", file=sys.stderr, flush=True)
            self._open_line = True

    def say(self, text: str) -> None:
        """A line on standard error, which stays: also for programs, and where nobody looks."""
        self.clear()
        print(text, file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._open_line:
            print(_CLEAR, end="", file=sys.stderr, flush=True)
            self._open_line = False

    def show(self, answer: Answer) -> None:
        self.clear()
        if self._json:
            _print_json(answer.data)
            return
        for line in answer.lines:
            print(_shown(line))


def _shown(line: Line) -> str:
    return line if isinstance(line, str) else styled(line.text, line.style, sys.stdout)


def _typist(system: str) -> Principal:
    """Whoever may read the folder, or has keys of the account, may do everything."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in some containers
        name = "unknown"
    grants = frozenset({f"{system}:admin"})
    return Principal(f"cli:{name}", name, "system", frozenset({"admin"}), grants=grants)


def _print_json(data: object) -> None:
    text = orjson.dumps(data, default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)
    sys.stdout.write(text.decode() + "\n")


def _document(failure: Failure) -> dict[str, object]:
    """A failure for programs: the problem document, where there is one."""
    cause = failure.__cause__
    if isinstance(cause, Problem):
        return document(cause)
    return {"code": "FAILED", "detail": str(failure), "hint": failure.hint}
