"""`tablewright tables ...`: the tables of a model, deployed, compared, migrated, removed.

Here are the commands, for cyclopts to read and to explain; their work is imported when it is done.
"""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from tablewright.cli.place_options import Place
from tablewright.cli.table_options import Choices, Output

app = App(
    name="tables",
    help="Create, compare, migrate and delete the tables of a model.",
    exit_on_error=False,  # a wrong call exits with 1; 2 is a part that failed
)

_PLACE = Place()
_OUTPUT = Output()


def _example(words: str) -> str:
    return f"Example: tablewright tables {words}"


@app.command(help_epilogue=_example("setup shop.model:model --data tablewright-data"))
def setup(
    model: str, *, dry_run: bool = False, place: Place = _PLACE, output: Output = _OUTPUT
) -> None:
    """Create the tables that are not there, wait for them, set what they need.

    Nothing that is there is altered. It is safe to run again, after a crash too.

    Parameters
    ----------
    model
        A system's name, or package.module:name of your own model.
    dry_run
        Only say what would be created.
    """
    from tablewright.cli.deploying import set_up_tables

    set_up_tables(model, place, output, dry_run=dry_run)


@app.command(
    name="verify", help_epilogue=_example("verify ladders --aws --region eu-west-1 --env prod")
)
def verify_command(
    model: str, *, sample: int = 100, place: Place = _PLACE, output: Output = _OUTPUT
) -> None:
    """Compare what is deployed with the model; exits with 1 if it differs.

    Parameters
    ----------
    model
        A system's name, or package.module:name of your own model.
    sample
        Items of each table whose keys are compared with the model's; 0 reads none.
    """
    from tablewright.cli.deploying import verify_tables

    verify_tables(model, place, output, sample=sample)


@app.command(help_epilogue=_example("diff shop.model:model --endpoint http://127.0.0.1:8000"))
def diff(model: str, *, sample: int = 100, place: Place = _PLACE, output: Output = _OUTPUT) -> None:
    """Show how what is deployed would change to be what the model says.

    Parameters
    ----------
    model
        A system's name, or package.module:name of your own model.
    sample
        Items of each table whose keys are compared with the model's; 0 reads none.
    """
    from tablewright.cli.deploying import diff_tables

    diff_tables(model, place, output, sample=sample)


@app.command(help_epilogue=_example("migrate shop.model:model --aws --env prod --dry-run"))
def migrate(
    model: str,
    *,
    choices: Choices = Choices(),  # noqa: B008 - frozen
    place: Place = _PLACE,
    output: Output = _OUTPUT,
) -> None:
    """Bring what is deployed to what the model says, in ordered steps.

    Settings first; then the keys of new indexes are written into the items, the indexes are
    created one by one, and what loses something comes last.

    Parameters
    ----------
    model
        A system's name, or package.module:name of your own model.
    """
    from tablewright.cli.migrating import migrate_tables

    migrate_tables(model, place, output, choices)


@app.command(name="list", help_epilogue=_example("list ladders --aws --env prod"))
def list_command(model: str, *, place: Place = _PLACE, output: Output = _OUTPUT) -> None:
    """Show the deployed tables of a model: status, items, bytes, indexes.

    Parameters
    ----------
    model
        A system's name, or package.module:name of your own model.
    """
    from tablewright.cli.deploying import list_tables

    list_tables(model, place, output)


@app.command(help_epilogue=_example("delete shop.model:model --data tablewright-data --yes"))
def delete(
    model: str,
    *,
    yes: bool = False,
    confirm: Annotated[str, Parameter(name="--confirm")] = "",
    dry_run: bool = False,
    place: Place = _PLACE,
    output: Output = _OUTPUT,
) -> None:
    """Delete the tables of a model with everything in them.

    Parameters
    ----------
    model
        A system's name, or package.module:name of your own model.
    yes
        Do not ask.
    confirm
        The name that is asked for, for production and for tables with deletion protection.
    dry_run
        Only say what would be deleted.
    """
    from tablewright.cli.deploying import delete_tables

    delete_tables(model, place, output, yes=yes, confirm=confirm, dry_run=dry_run)
