"""`tablewright <system> tables ...`: the commands about tables, for a system whose tables have
names of their own in an account.

They are those of `tablewright tables`, with the model and the prefix bound, and on AWS unless
something else is said. Whoever deletes has to say that they mean it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, NoReturn

from cyclopts import App, Parameter

from tablewright.cli import tables as generic
from tablewright.cli.place_options import Place
from tablewright.cli.table_options import Output
from tablewright.service.commands import Tables
from tablewright.systems import NAMES

_OUTPUT = Output()


def _checked(kind: object, name: str | None) -> None:
    if name is not None and re.fullmatch(r"[a-z0-9-]{1,20}", name) is None:
        raise ValueError("small letters, digits and - make an environment, at most 20 of them")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Account:
    """The options that say where."""

    env: Annotated[str | None, Parameter(name="--env", validator=_checked)] = None
    "The environment, part of all table names; prod has recovery and deletion protection."
    region: str | None = None
    "The region; otherwise AWS_REGION, or what the profile says."
    endpoint: str | None = None
    "A database that is not on AWS: tablewright engine, DynamoDB Local, any that speaks DynamoDB."
    data: Path | None = None
    "The embedded database in this folder."
    profile: str | None = None
    "A profile of the AWS configuration."
    prefix: str | None = None
    "Stands before the environment in all table names."


_ACCOUNT = Account()


def __getattr__(name: str) -> App:
    """``tablewright.cli.system_tables:ladders`` is the app of that system."""
    if name not in NAMES:
        raise AttributeError(name)
    return tables_app(name)


@cache
def tables_app(system: str) -> App:
    """The four commands, for one system."""
    own: Tables = import_module(f"tablewright.systems.{system}.cli").tables
    bound = Bound(system, own)
    app = App(
        name="tables",
        help=f"The tables {bound.place(_ACCOUNT).naming('...')} of an account.",
        exit_on_error=False,  # a wrong call exits with 1; 2 is a part that failed
    )
    app.command(bound.setup, help_epilogue=bound.example("setup --env prod --region eu-west-1"))
    app.command(bound.verify, help_epilogue=bound.example("verify --env prod --json"))
    app.command(bound.list, help_epilogue=bound.example("list --env dev"))
    label = f"{own.prefix}-prod"
    app.command(
        bound.delete, help_epilogue=bound.example(f"delete --env prod --yes --confirm {label}")
    )
    return app


class Bound:
    """The commands about tables of one system."""

    def __init__(self, system: str, own: Tables) -> None:
        self._system = system
        self._own = own

    def example(self, words: str) -> str:
        return f"Example: tablewright {self._system} tables {words}"

    def place(self, account: Account) -> Place:
        """AWS, unless another database is named."""
        return Place(
            endpoint=account.endpoint,
            data=account.data,
            aws=account.endpoint is None and account.data is None,
            region=account.region,
            profile=account.profile,
            prefix=self._own.prefix if account.prefix is None else account.prefix,
            env=self._own.env if account.env is None else account.env,
        )

    def setup(
        self, *, dry_run: bool = False, account: Account = _ACCOUNT, output: Output = _OUTPUT
    ) -> None:
        """Create the tables that are not there, wait for them, set what they need.

        Nothing that is there is altered. It is safe to run again, after a crash too.

        Parameters
        ----------
        dry_run
            Only say what would be created.
        """
        place = self.place(account)
        generic.setup(self._system, dry_run=dry_run, place=place, output=output)

    def verify(self, *, account: Account = _ACCOUNT, output: Output = _OUTPUT) -> None:
        """Compare what is deployed with the model; exits with 1 if it differs.

        Keys and types, indexes and what they hold, billing, streams, tags; in production also
        point-in-time recovery and deletion protection.
        """
        generic.verify_command(self._system, place=self.place(account), output=output)

    def list(self, *, account: Account = _ACCOUNT, output: Output = _OUTPUT) -> None:
        """Show the deployed tables: status, items, bytes, indexes."""
        generic.list_command(self._system, place=self.place(account), output=output)

    def delete(
        self,
        *,
        yes: bool = False,
        confirm: Annotated[str, Parameter(name="--confirm")] = "",
        dry_run: bool = False,
        account: Account = _ACCOUNT,
        output: Output = _OUTPUT,
    ) -> None:
        """Delete the tables with everything in them.

        Parameters
        ----------
        yes
            Say that you mean it.
        confirm
            The prefix and the environment, for production and for tables with deletion protection.
        dry_run
            Only say what would be deleted.
        """
        place = self.place(account)
        if not (yes or dry_run):
            _refuse(place, output)
        generic.delete(
            self._system, yes=yes, confirm=confirm, dry_run=dry_run, place=place, output=output
        )


def _refuse(place: Place, output: Output) -> None:
    """Say that nothing was deleted, and exit."""
    from tablewright.cli.answers import Session, answer
    from tablewright.deploy.problems import UNKNOWN, DeployError, Problem

    label = f"{place.prefix.rstrip('-')}-{place.env}"
    sure = f"--yes --confirm {label}" if place.naming.production else "--yes"
    steps = ("See what would go: --dry-run.", f"Say that you mean it: {sure}.")
    problem = Problem(UNKNOWN, "nothing was deleted: it was not confirmed", {}, steps)

    def refused(session: Session) -> NoReturn:
        raise DeployError(problem)

    answer("tables delete", place, output, refused)
