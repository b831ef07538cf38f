"""The model as a picture on a page: names lead to their pages, and say what the review found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from markupsafe import Markup

from tablewright.console.explorer.findings import Reviewed
from tablewright.console.explorer.layout import hues_of
from tablewright.console.explorer.stored import Side
from tablewright.document.leads import Leads
from tablewright.document.svg import svg_within
from tablewright.document.tree import tree_within
from tablewright.model.model import Model

PictureKind = Literal["keys", "relations"]
#: What can be drawn, and what it is called.
PICTURES: Mapping[str, str] = {"keys": "Keys and patterns", "relations": "Who belongs to whom"}
_DRAWN: Mapping[str, Callable[[Model, Leads], str]] = {
    "keys": svg_within,
    "relations": tree_within,
}


def picture_of(model: Model, reviewed: Reviewed, base: str, kind: PictureKind) -> Markup:
    """A drawing for a page below ``base``."""
    # All texts in it were escaped as they were drawn.
    return Markup(_DRAWN[kind](model, _leads(model, reviewed, base)))


def _leads(model: Model, reviewed: Reviewed, base: str) -> Leads:
    hues = {
        name: hue for table in model.tables.values() for name, hue in hues_of(Side(table)).items()
    }

    def sign(kind: str, name: str) -> str:
        found = len(reviewed.concerns(kind, name))
        return f"⚠ {found}" if found else ""

    return Leads(
        entity=lambda name: f"{base}/entities/{name}",
        pattern=lambda name: f"{base}/patterns/{name}",
        about_entity=lambda name: sign("entity", name),
        about_pattern=lambda name: sign("pattern", name),
        entity_style=lambda name: f"hue-{hues[name]}",
    )
