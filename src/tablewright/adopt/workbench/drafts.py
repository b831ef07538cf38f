"""Drafts: what a file of NoSQL Workbench says, before it is written as a model."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tablewright.values import Item

#: An attribute in the alias of a key, perhaps with a format; braces that are doubled are text.
SLOT = re.compile(r"(?<!\{)\{([^{}:]+)(?::([^{}]*))?\}(?!\})")


def plain(literal: str) -> str:
    """Literal text of an alias, in which a brace is written twice."""
    return literal.replace("{{", "{").replace("}}", "}")


@dataclass(frozen=True)
class Attribute:
    """An attribute with its type in DynamoDB."""

    name: str
    type: str = "S"


@dataclass
class FacetDraft:
    """One entity: its name, what its keys are made of, and its attributes."""

    name: str
    #: Templates of the partition and the sort key; None if they are the attributes themselves.
    pk: str | None = None
    sk: str | None = None
    #: What the file says about the keys, for people.
    said: str = ""
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(frozen=True)
class IndexDraft:
    name: str
    partition: tuple[Attribute, ...]
    sort: tuple[Attribute, ...]
    projection: str
    include: tuple[str, ...] = ()
    local: bool = False


@dataclass
class TableDraft:
    name: str
    pk: Attribute
    sk: Attribute | None
    indexes: list[IndexDraft]
    facets: list[FacetDraft]
    data: list[Item]
    discriminator: str | None = None
    units: tuple[int, int] | None = None


@dataclass(frozen=True)
class Draft:
    name: str
    tables: list[TableDraft]
