"""``export``: the ledger, or the totals of days, for spreadsheets."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

from cyclopts import Parameter

from tablewright.service.commands import Answer, Desk
from tablewright.service.problems import FieldError, invalid
from tablewright.service.typed import number
from tablewright.systems.pricekeeper.cli import reading
from tablewright.systems.pricekeeper.cli.finding import app_of, org_of
from tablewright.systems.pricekeeper.cli.given import Keeper


async def export(
    keeper: Keeper,
    desk: Desk,
    /,
    org: str,
    app: str | None = None,
    *,
    kind: Literal["totals", "ledger"] = "totals",
    first: Annotated[str | None, Parameter(name="--from")] = None,
    last: Annotated[str | None, Parameter(name="--to")] = None,
    out: Path | None = None,
) -> Answer:
    """Write the totals of days by label, or every row of the ledger, as CSV.

    Parameters
    ----------
    org
        The id or the name of the organisation.
    app
        The id of one of its apps; else all of them.
    kind
        What to write.
    first
        The first day, such as 2026-11-01; of totals, 35 days ago if nothing is said.
    last
        The last day; today if nothing is said.
    out
        A file to write; it is there when it is complete. Else standard output.
    """
    from tablewright.systems.pricekeeper.service.ledger.scanning import Days

    if out is None and desk.json:
        raise invalid(FieldError("--out", "is needed with --json: the CSV cannot go there, too"))
    owner = await org_of(keeper, org)
    found = await app_of(keeper, owner, app)
    app_id = None if found is None else found.app_id
    days = Days(*reading.days(first, last))
    if kind == "ledger":
        pieces = keeper.ledger.export_ledger(owner.org_id, app_id, days)
    else:
        span = days.closed(keeper.aggregates.today(owner))
        pieces = keeper.ledger.export_totals(owner.org_id, app_id, *span)
    if out is None:
        await _write(pieces, desk.stdout)
        return Answer()
    rows = await _to_file(pieces, out)
    return Answer([f"{number(rows)} rows in {out}"], {"rows": rows, "file": str(out)})


async def _to_file(pieces: AsyncIterator[bytes], out: Path) -> int:
    """All of it or nothing; gives the number of rows below the head."""
    fresh = out.with_name(f"{out.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as file:
            rows = await _write(pieces, file)
        fresh.replace(out)
    finally:
        fresh.unlink(missing_ok=True)
    return rows - 1


async def _write(pieces: AsyncIterator[bytes], file: BinaryIO) -> int:
    rows = 0
    async for piece in pieces:
        file.write(piece)
        rows += piece.count(b"\n")
    file.flush()
    return rows
