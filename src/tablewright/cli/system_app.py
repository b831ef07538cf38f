"""`tablewright <system> ...`: the commands of a system, with the options that say where.

A system's own package ``cli`` has the commands (:mod:`tablewright.service.commands`); here they get
what is the same for all of them. Nothing of a system but these few modules is imported before a
command is called: help is quick.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Group, Parameter

from tablewright.cli.place_options import Place
from tablewright.cli.system_sessions import sessions_app
from tablewright.cli.terminal import not_installed
from tablewright.service.commands import Answer, Needs, Tables, needs_of
from tablewright.systems import NAMES

Command = Callable[..., Awaitable[Answer]]
_WHERE = Group("Where and how", sort_key=10)
_TABLES = "Create, compare, show and delete the tables, under the names they have in an account."


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Output:
    """The options that are the same for all commands, beside the place."""

    config: Path | None = None
    "A TOML file with settings, as for tablewright up. Variables TABLEWRIGHT_... win over it."
    json: bool = False
    "Print one JSON document instead of text."


def __getattr__(name: str) -> App:
    """``tablewright.cli.system_app:pricekeeper`` is the app of that system."""
    if name not in NAMES:
        raise AttributeError(name)
    return system_app(name)


@cache
def system_app(name: str) -> App:
    """The commands of a system, as they are typed."""
    own = import_module(f"tablewright.systems.{name}.cli")
    app: App = own.app
    app.command(sessions_app(name))
    _bridge(app, name)
    deployed = getattr(own, "tables", None)
    if isinstance(deployed, Tables):
        app.command(f"tablewright.cli.system_tables:{name}", name="tables", help=_TABLES)
    # What is typed wrongly is a failure; only what was found out can be "not ok".
    app.exit_on_error = False
    return app


def _bridge(app: App, system: str) -> None:
    """Let every command below take the options of all, and be run."""
    if app.default_command is not None:
        app.default_command = bridged(system, app.default_command)
    for name in app:
        if not name.startswith("-"):
            _bridge(app[name], system)


def bridged(system: str, command: Command) -> Callable[..., None]:
    """A plain function that takes what is typed, runs the command and shows its answer."""
    typed = _typed(command)
    place = inspect.Parameter("place", _KEYWORD, default=Place(), annotation=_apart(Place))
    output = inspect.Parameter("output", _KEYWORD, default=Output(), annotation=_apart(Output))

    def typed_call(*args: Any, **named: Any) -> None:
        try:
            from tablewright.cli.system_run import Call, run
        except ModuleNotFoundError as error:
            raise not_installed("The systems need", error) from None
        # Options of which nobody has typed any are not passed.
        where, how = named.pop("place", Place()), named.pop("output", Output())
        run(Call(system, command, args, named, where, how.config, how.json))

    # A command that is told of no place is typed without one.
    parameters = [*typed.values(), *([place] if _has_place(command) else []), output]
    typed_call.__name__, typed_call.__doc__ = command.__name__, command.__doc__
    typed_call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    typed_call.__annotations__ = {each.name: each.annotation for each in parameters}
    return typed_call


def _has_place(command: Command) -> bool:
    told = inspect.signature(command).parameters
    return needs_of(command) is not Needs.NOWHERE or "deployment" in told


_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def _apart(options: type) -> Any:
    """Options that help shows below those of the command itself."""
    return Annotated[options, Parameter(name="*", group=_WHERE)]


def _typed(command: Command) -> Mapping[str, inspect.Parameter]:
    """The parameters that are typed: all but those before the slash, which are given.

    The types of the given ones need not even be imported, so each is looked up by itself.
    """
    names = inspect.unwrap(command).__globals__
    return {
        name: parameter.replace(annotation=_evaluated(parameter.annotation, names))
        for name, parameter in inspect.signature(command).parameters.items()
        if parameter.kind is not inspect.Parameter.POSITIONAL_ONLY
    }


def _evaluated(annotation: Any, names: dict[str, Any]) -> Any:
    return eval(annotation, names) if isinstance(annotation, str) else annotation
