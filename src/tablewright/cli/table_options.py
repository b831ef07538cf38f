"""The options of commands about tables; what they cost to know is next to nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Output:
    """The options that say how to answer."""

    json: bool = False
    "Print one JSON document instead of text."
    quiet: bool = False
    "Print nothing but failures."
    verbose: bool = False
    "Print more: requests, and every table that is as it should be."


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Choices:
    """The options of `tables migrate`."""

    dry_run: bool = False
    "Show the steps, and count the items that would be written; change nothing."
    yes: bool = False
    "Do not ask."
    keep: bool = False
    "Leave out what loses something, such as dropping an index."
    rebuild: bool = False
    "Drop and create an index that differs, under its name: queries on it fail meanwhile."
    backfill: tuple[str, ...] = ()
    "Look through the items for this index too, though it is there; all for every index."
    rate: Annotated[float | None, Parameter(validator=Number(gt=0))] = None
    "Capacity units per second that a backfill may use; without it, as fast as it goes."
    segments: Annotated[int, Parameter(validator=Number(gte=1, lte=64))] = 4
    "Parts of the table that a backfill works on at the same time."
    checkpoint: Path | None = None
    "The file that remembers how far it came; ./tablewright-migrate-TABLE.json without it."
    skip_unreadable: bool = False
    "Create an index though some items cannot be read, and will not be in it."
    skip_unknown: bool = False
    "Go on though some items are of types that the model does not have; they stay as they are."
    check_items: bool = False
    "Compare the keys of every item with the model's, however large the table is."
