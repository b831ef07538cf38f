"""`tablewright demo`: the tables of a model with its demo items in them, in one command."""

from __future__ import annotations

from pathlib import Path

from tablewright.cli.engine_options import DEFAULT_DATA
from tablewright.cli.place_options import Place
from tablewright.cli.table_options import Output


def demo(
    model: str,
    *,
    data: Path | None = None,
    endpoint: str | None = None,
    output: Output = Output(),  # noqa: B008 - frozen
) -> None:
    """Create the tables of a model and put its demo items into them.

    Items that are there are left alone, so it can be run again.

    Parameters
    ----------
    model
        A system's name, or package.module:name of your own model.
    data
        The folder of the embedded database; ./tablewright-data if nothing is said.
    endpoint
        The URL of a database that runs already.
    """
    folder = DEFAULT_DATA if data is None and endpoint is None else data
    from tablewright.cli.demo_items import load

    load(model, Place(endpoint=endpoint, data=folder), output)
