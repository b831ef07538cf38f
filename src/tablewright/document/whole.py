"""The whole document: an overview, and the sections in the order in which people ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.document.entities import (
    entities_of,
    entities_section,
    indexes_section,
    lifecycle_section,
    uniqueness_section,
)
from tablewright.document.markdown import anchor, block, code, codes, paragraphs, table
from tablewright.document.mermaid import mermaid
from tablewright.document.patterns import components_text, patterns_section
from tablewright.document.samples import samples_section
from tablewright.document.tables import tables_section
from tablewright.document.writes import writes_section
from tablewright.model.entity import Entity
from tablewright.model.model import Model
from tablewright.model.ops import Op

#: More entities than this are no diagram that anybody reads.
MOST_IN_DIAGRAM = 40


def document(
    model: Model,
    items: Sequence[Entity] = (),
    calls: Mapping[str, Op[Any]] | None = None,
    *,
    capacity: str = "",
    picture: str = "",
) -> str:
    """The document as Markdown.

    ``items`` and ``calls`` are the model's demo. ``capacity`` is a section of its own, in Markdown;
    ``picture`` is the address of the drawing that :func:`tablewright.document.svg` makes.
    """
    sections = [
        _diagrams(model, picture),
        tables_section(model),
        entities_section(model),
        indexes_section(model),
        patterns_section(model),
        writes_section(model, calls or {}),
        uniqueness_section(model),
        lifecycle_section(model),
        capacity,
        samples_section(items),
    ]
    present = [section for section in sections if section]
    return paragraphs(_overview(model), _contents(present), *present) + "\n"


def _overview(model: Model) -> str:
    rows = [
        (
            code(each.name),
            codes(attribute.name for attribute in each.primary()),
            codes(each.indexes),
            codes(entity.cls.__name__ for entity in entities_of(model, each)),
        )
        for each in model.tables.values()
    ]
    size = (
        f"{_counted(len(model.tables), 'table')}, {_counted(len(model.entities), 'entity')}, "
        f"{_counted(len(model.patterns), 'access pattern')}."
    )
    used = components_text(model.patterns.values())
    return paragraphs(
        f"# The data model of {model.name}",
        "Generated from the model by `tablewright document`: change the model, and "
        "this text follows.",
        size + (f" Components: {used}." if used else ""),
        table(("Table", "Key", "Indexes", "Entities"), rows),
    )


def _counted(count: int, what: str) -> str:
    if count == 1:
        return f"1 {what}"
    return f"{count} {what[:-1]}ies" if what.endswith("y") else f"{count} {what}s"


def _contents(sections: Sequence[str]) -> str:
    headings = [section.partition("\n")[0].removeprefix("## ") for section in sections]
    links = (f"[{heading}](#{anchor(heading)})" for heading in headings)
    return f"Contents: {' · '.join(links)}"


def _diagrams(model: Model, picture: str) -> str:
    if not model.entities:
        return ""
    parts = ["## Diagrams"]
    if picture:
        parts.append(f"![Entities, keys, indexes and patterns of {model.name}]({picture})")
    if len(model.entities) <= MOST_IN_DIAGRAM:
        parts.append(block(mermaid(model), "mermaid"))
    return paragraphs(*parts) if len(parts) > 1 else ""
