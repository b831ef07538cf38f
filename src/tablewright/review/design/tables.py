"""Tables, indexes and their keys, as a document says them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Names: TypeAlias = str | tuple[str, ...]
Projection: TypeAlias = Literal["ALL", "KEYS_ONLY"] | tuple[str, ...]


@dataclass(frozen=True)
class KeyAttribute:
    """One attribute of a key schema."""

    name: str
    type: str = "S"


def key_attributes(names: Names | None) -> tuple[KeyAttribute, ...]:
    """``"score:N"`` is a number; without a type it is a text."""
    if names is None:
        return ()
    listed = (names,) if isinstance(names, str) else names
    return tuple(KeyAttribute(*each.split(":", 1)) for each in listed)


@dataclass(frozen=True)
class Index:
    """A secondary index: ``Index("GSI1", pk="GSI1PK", sk="GSI1SK")``; ``"score:N"`` has a type."""

    name: str
    pk: Names | None = None
    sk: Names | None = None
    #: "ALL", "KEYS_ONLY", or the attributes that it includes.
    projection: Projection = "ALL"
    local: bool = False
    #: Provisioned units, if it has any of its own.
    read_units: float | None = None
    write_units: float | None = None

    @property
    def partition(self) -> tuple[KeyAttribute, ...]:
        return key_attributes(self.pk)

    @property
    def sort(self) -> tuple[KeyAttribute, ...]:
        return key_attributes(self.sk)


@dataclass(frozen=True)
class Table:
    """A table with its settings: ``Table("Orders", pk="PK", sk="SK", indexes=(...))``."""

    name: str
    pk: Names | None = "PK"
    sk: Names | None = None
    indexes: Sequence[Index] = ()
    #: The attribute that the service deletes by; None is a table without time to live.
    ttl: str | None = None
    billing: Literal["on-demand", "provisioned"] = "on-demand"
    read_units: float | None = None
    write_units: float | None = None
    #: The highest that autoscaling may go to, for the table and for each of its indexes.
    max_read_units: float | None = None
    max_write_units: float | None = None
    #: The document wants to stay within the free tier.
    free_tier: bool = False
    #: True is 35 days; a number is the days; None says nothing.
    pitr: bool | int | None = None
    deletion_protection: bool | None = None
    #: Whether losing it would hurt; None says nothing.
    durable: bool | None = None
    discriminator: str | None = None
    delimiter: str = "#"
    stream: str | None = None
    table_class: str = "STANDARD"

    @property
    def partition(self) -> tuple[KeyAttribute, ...]:
        return key_attributes(self.pk)

    @property
    def sort(self) -> tuple[KeyAttribute, ...]:
        return key_attributes(self.sk)

    def index(self, name: str | None) -> Index | None:
        return next((each for each in self.indexes if each.name == name), None)

    def sides(self) -> Iterator[tuple[str | None, Table | Index]]:
        """The table itself, named None, and its indexes: whatever has a key schema."""
        yield None, self
        yield from ((each.name, each) for each in self.indexes)


@dataclass(frozen=True)
class Definition:
    """A table as one place of the document defines it: the body of CreateTable, or parts of it.

    Several of one table are compared. ``source`` says where it stands: "section 10, template".
    """

    table: str
    source: str
    body: Mapping[str, Any]
