"""Drafts: what a file of NoSQL Workbench says, before it is written as a model."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from pydantic import BaseModel

from tablewright.values import Item

#: An attribute in the alias of a key, perhaps with a format.
SLOT = re.compile(r"\{([^{}:]+)(?::([^{}]*))?\}")
#: Python's words, and what a class of fields has itself.
_TAKEN = frozenset(keyword.kwlist) | frozenset(dir(BaseModel)) | {"_origin"}


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


def identifier(text: str, taken: Iterable[str] = ()) -> str:
    """A name that Python and Pydantic accept for a field or a function."""
    # Python reads names in this form, and takes fewer letters for one than `\w` does.
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(each if f"a{each}".isidentifier() else " " for each in plain)
    name = re.sub(r"\W+", "_", plain).strip("_") or "field"
    if name[0].isdigit():
        name = f"n{name}"
    if name in _TAKEN or name.startswith("model_"):
        name = f"{name}_"
    used = set(taken)
    free, number = name, 2
    while free in used:
        free, number = f"{name}_{number}", number + 1
    return free


def class_name(text: str, taken: Iterable[str] = ()) -> str:
    """A name for a class: ``order items`` is ``OrderItems``."""
    words = re.findall(r"[A-Za-z0-9]+", text)
    name = "".join(word[0].upper() + word[1:] for word in words) or "Thing"
    return identifier(name if not name[0].isdigit() else f"The{name}", taken)


def snake(text: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    return identifier(re.sub(r"[^a-z0-9]+", "_", words.lower()))
