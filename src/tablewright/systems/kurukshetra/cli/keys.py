"""``keys ...``: what personal data is sealed with."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App

from tablewright.service.commands import Answer, Desk, Line, columns
from tablewright.service.wording import several
from tablewright.systems.kurukshetra.cli.given import Festival
from tablewright.systems.kurukshetra.cli.words import Flag, example

app = App(name="keys", help="Keys of personal data: shown, and made new.")


@app.command(help_epilogue=example("keys show --count"))
async def show(
    festival: Festival, desk: Desk, /, *, count: Annotated[bool, Flag] = False
) -> Answer:
    """Show the keys that personal data is sealed with, the newest first. Never the keys themselves.

    Parameters
    ----------
    count
        Count how much lies under each. The whole table is read, which on AWS is paid for.
    """
    from tablewright.systems.kurukshetra.privacy.opening import FIELDS

    ring = [each.kid for each in festival.keys.ring(FIELDS)]
    under: dict[str, int] = {}
    if count:
        desk.tick("reading everything that is sealed")
        under = await festival.resealing.under()
    rows = [
        (kid, "seals" if number == 0 else "opens", f"{under.get(kid, 0):,}" if count else "-")
        for number, kid in enumerate(ring)
    ]
    data = [
        {"kid": kid, "current": number == 0, "texts": under.get(kid, 0) if count else None}
        for number, kid in enumerate(ring)
    ]
    return Answer(columns(("key", "does", "texts"), rows, {"texts"}), data)


@app.command(help_epilogue=example("keys rotate"))
async def rotate(
    festival: Festival, desk: Desk, /, *, reseal: Annotated[bool, Flag] = False
) -> Answer:
    """Add a key, which seals from now on. Those before still open what lies under them.

    Where kurukshetra runs, a worker seals everything again under the new key.

    Parameters
    ----------
    reseal
        Seal everything again here and now. The whole table is read, and written.
    """
    kid = await festival.resealing.rotate(desk.by)
    lines: list[Line] = [f"{kid} seals from now on."]
    data: dict[str, object] = {"kid": kid, "resealed": None}
    if reseal:
        desk.tick("sealing everything again")
        done = await festival.resealing.run()
        lines.append(f"{several(done.resealed, 'item')} of {done.looked_at:,} sealed again.")
        data["resealed"] = done.resealed
    return Answer(lines, data)
