"""The `tablewright` command: finds the sub-command, runs it, reports its failure.

A command is a function in a module of this package, named in :data:`COMMANDS`; its module is
imported only when the command is called, so that none pays for another's imports. A command that
cannot do its work raises :class:`~tablewright.cli.terminal.Failure`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cyclopts import App

from tablewright import __version__
from tablewright.cli.terminal import Failure, report

#: Each command's name, and where its function is.
COMMANDS = {
    "engine": "tablewright.cli.engine:engine",
}


def build() -> App:
    """The command tree."""
    app = App(
        name="tablewright",
        help="DynamoDB data models that run, and the embedded database they run on.",
        version=__version__,
    )
    for name, place in COMMANDS.items():
        app.command(place, name=name)
    return app


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status: 0, or 1 for bad usage, 2 for a failure."""
    try:
        build()(arguments)
    except Failure as failure:
        report(failure)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
