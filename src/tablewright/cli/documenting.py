"""What `tablewright document` writes, before it is written."""

from __future__ import annotations

from pathlib import Path

from tablewright.cli.document import Format
from tablewright.cli.models import Named, find_model
from tablewright.cli.terminal import Failure
from tablewright.document import document as whole
from tablewright.document import mermaid, svg
from tablewright.document.capacity import capacity_section
from tablewright.document.writes import MOMENT
from tablewright.model.errors import TablewrightError
from tablewright.plan.plan import make_plan
from tablewright.plan.pricing import load_prices
from tablewright.plan.report import data_of

#: Whose prices stand in the document.
_REGION = "us-east-1"


def files_of(model: str, format: Format, out: Path | None) -> dict[Path, str]:
    """The files of the model that ``model`` names; a :class:`Failure` if it has none."""
    try:
        return rendered(find_model(model), format, out)
    except TablewrightError as error:
        raise Failure(str(error)) from None


def rendered(named: Named, format: Format, out: Path | None) -> dict[Path, str]:
    """What belongs into which file; without ``out`` there is one text, under any name."""
    place = out or Path("-")
    if format == "svg":
        return {place: svg(named.model)}
    if format == "mermaid":
        return {place: mermaid(named.model) + "\n"}
    picture = None if out is None else out.with_suffix(".svg")
    text = whole(
        named.model,
        named.items,
        named.calls,
        capacity=_capacity(named),
        picture="" if picture is None else picture.name,
    )
    files = {place: text}
    if picture is not None:
        files[picture] = svg(named.model)
    return files


def _capacity(named: Named) -> str:
    """What the model consumes and costs, at the prices of one region; needs sample calls."""
    if not named.calls:
        return ""
    made = make_plan(named.model, named.items, named.calls, load_prices(_REGION), now=MOMENT)
    return capacity_section(data_of(made))
