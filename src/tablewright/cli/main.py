"""The `tablewright` command: finds the sub-command, runs it, reports its failure.

A command is a function in a module of this package, named in :data:`COMMANDS`; its module is
imported only when the command is called, so that none pays for another's imports. A command that
cannot do its work raises :class:`~tablewright.cli.terminal.Failure`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tablewright import __version__
from tablewright.cli.shortcut import options_of
from tablewright.cli.terminal import Failure, report

if TYPE_CHECKING:
    from cyclopts import App


class Command(NamedTuple):
    """A command, as much of it as is needed before its module is."""

    name: str
    #: `module:function`.
    place: str
    help: str
    #: A command line to copy.
    example: str


COMMANDS = [
    Command(
        name="engine",
        place="tablewright.cli.engine:engine",
        help="Run the database behind a port, for every AWS SDK and the AWS CLI.",
        example="tablewright engine --demo --port 8000",
    ),
]


def build() -> App:
    """The command tree."""
    from cyclopts import App, Parameter

    app = App(
        name="tablewright",
        help="DynamoDB data models that run, and the embedded database they run on.",
        version=__version__,
        # An option that is off by default needs no second one to turn it off.
        default_parameter=Parameter(negative=(), show_default=_worth_showing),
    )
    for command in COMMANDS:
        app.command(
            command.place,
            name=command.name,
            help=command.help,
            help_epilogue=f"Example: {command.example}",
        )
    return app


def _worth_showing(default: object) -> str | None:
    return str(default) if default not in (False, (), None) else None


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exits with 2 if that fails, for whatever reason."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        options = options_of(words)
        if options is None:
            build()(words)
        else:
            from tablewright.cli.database import run as run_database

            run_database(options)
    except Failure as failure:
        report(failure)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
