"""The `tablewright` command: finds the sub-command, runs it, reports its failure.

A command is a function in a module of this package, named in :data:`COMMANDS`; its module is
imported only when the command is called, so that none pays for another's imports. A command that
cannot do its work raises :class:`~tablewright.cli.terminal.Failure`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from tablewright import __version__
from tablewright.cli import first_page
from tablewright.cli.help_pages import FlowingHelp
from tablewright.cli.shortcut import options_of
from tablewright.cli.terminal import Failure, report
from tablewright.systems import NAMES

if TYPE_CHECKING:
    from cyclopts import App

ABOUT = "DynamoDB data models that run, and the embedded database they run on."


class Command(NamedTuple):
    """A command, as much of it as is needed before its module is."""

    name: str
    #: `module:function`.
    place: str
    help: str
    #: A command line to copy; none for a group of commands, which have their own.
    example: str = ""


def _systems() -> Iterator[Command]:
    """The systems that have commands; of each, only the first line of its package is read."""
    for name in NAMES:
        package = f"tablewright.systems.{name}"
        if find_spec(f"{package}.cli") is not None:
            about = import_module(package).__doc__ or name
            yield Command(name, f"tablewright.cli.system_app:{name}", about.partition("\n")[0])


COMMANDS = [
    Command(
        name="up",
        place="tablewright.cli.up:up",
        help="Run systems with their REST APIs, workers and web console.",
        example="tablewright up --demo, or one system on AWS: tablewright up pricekeeper --aws",
    ),
    Command(
        name="engine",
        place="tablewright.cli.engine:app",
        help="Run the database behind a port, for every AWS SDK and the AWS CLI.",
    ),
    Command(
        name="review",
        place="tablewright.cli.review:review",
        help="Review a model: what cannot work, what will hurt, what is missing.",
        example="tablewright review pricekeeper --fail-on warning, or with what is deployed: "
        "tablewright review pricekeeper --aws --env prod --sample 100",
    ),
    Command(
        name="explore",
        place="tablewright.cli.explore:explore",
        help="Look at a model in the browser: tables, items, access patterns, review, plan.",
        example="tablewright explore shop.model:model, or with live tables to read: "
        "tablewright explore ladders --data data",
    ),
    Command(
        name="tables",
        place="tablewright.cli.tables:app",
        help="Create, compare, migrate and delete the tables of a model.",
    ),
    Command(
        name="demo",
        place="tablewright.cli.demo_data:demo",
        help="Create the tables of a model with its demo items in them.",
        example="tablewright demo ladders",
    ),
    Command(
        name="template",
        place="tablewright.cli.template:template",
        help="Write a model as CloudFormation, SAM, Terraform, IAM policies or NoSQL Workbench.",
        example="tablewright template vibejudge --format terraform --env prod --out tables.tf",
    ),
    Command(
        name="document",
        place="tablewright.cli.document:document",
        help="Write the document of a model: tables, entities, patterns, samples, diagrams.",
        example="tablewright document vibejudge --out docs/systems/vibejudge.md",
    ),
    Command(
        name="plan",
        place="tablewright.cli.plan:plan",
        help="Say what a model will use and cost, and which of its keys would get too hot.",
        example="tablewright plan pricekeeper --region eu-west-1",
    ),
    Command(
        name="import",
        place="tablewright.cli.import_:import_",
        help="Propose a model of tables that exist already, or of a NoSQL Workbench file.",
        example="tablewright import --table prod-users --aws --region eu-west-1 --out users.py",
    ),
    Command(
        name="new",
        place="tablewright.cli.new:new",
        help="Make a project of your own: model, tests, review, template.",
        example="tablewright new shop",
    ),
    *_systems(),
]


def build() -> App:
    """The command tree."""
    from cyclopts import App, Parameter

    app = App(
        name="tablewright",
        help=ABOUT,
        version=__version__,
        # An option that is off by default needs no second one to turn it off.
        default_parameter=Parameter(negative=(), show_default=_worth_showing),
        help_format="plaintext",
        help_formatter=FlowingHelp(),
    )
    for command in COMMANDS:
        # A group of commands is an App, which has its own settings and examples.
        epilogue = {"help_epilogue": f"Example: {command.example}"} if command.example else {}
        app.command(command.place, name=command.name, help=command.help, **epilogue)
    return app


def _worth_showing(default: object) -> str | None:
    return str(default) if default not in (False, (), None, "") else None


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exits with 2 if that fails, for whatever reason."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if first_page.wanted(words):
            first_page.show(ABOUT, {command.name: command.help for command in COMMANDS})
        elif (options := options_of(words)) is not None:
            from tablewright.cli.database import run as run_database

            run_database(options)
        else:
            build()(words)
    except Failure as failure:
        report(failure)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Who reads has seen enough, as `head` has; the last flush would complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Exception as error:
        if not _is_usage(error):
            raise
        # To `tables`, 2 is a part that failed; to a system, 1 is something that is amiss.
        sys.exit(2 if words[0] in NAMES and "tables" not in words[1:2] else 1)


def _is_usage(error: Exception) -> bool:
    """Whether a group with exit codes of its own (``exit_on_error=False``) was called wrongly."""
    from cyclopts import CycloptsError

    return isinstance(error, CycloptsError)
