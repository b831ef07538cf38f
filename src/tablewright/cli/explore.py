"""`tablewright explore`: its options, for cyclopts to read and to explain."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.cli.place_options import Place
from tablewright.cli.terminal import not_installed

_PLACE = Place()


def explore(
    model: str,
    *,
    memory: bool = False,
    place: Place = _PLACE,
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 0,
    open: bool = False,
    json: bool = False,
) -> None:
    """Look at a model in the browser: tables, items, access patterns, review, plan.

    Patterns run on practice tables: in memory, with the model's demo items. If a place is named,
    its tables can be read as well; nothing is ever written there. The link that is printed lets in
    whoever has it, from this machine only.

    Parameters
    ----------
    model
        A system's name, or package.module:name of your own model.
    memory
        Practice tables only, as if no place were named.
    port
        Port of 127.0.0.1 to listen on; 0 takes a free one.
    open
        Open the link in the browser.
    json
        Print one line of JSON at the start instead of text.
    """
    try:
        from tablewright.cli.explore_process import Options, run
    except ModuleNotFoundError as error:
        raise not_installed("The explorer needs", error) from None
    run(Options(model=model, memory=memory, place=place, port=port, open=open, json=json))
