"""Tables and indexes as they are declared: names, key attributes, and the settings of the service.

A table has a logical name; the client maps it to the physical one. Entities join a table as their
classes are created (:mod:`tablewright.model.entity`), so that the table knows who lives in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tablewright.model.errors import ModelError

if TYPE_CHECKING:
    from tablewright.model.definition import EntityDef
    from tablewright.model.owners import Owners

KeyType: TypeAlias = Literal["S", "N", "B"]
StreamView: TypeAlias = Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]
TableClass: TypeAlias = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]

MAX_KEY_PARTS = 4
_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}").fullmatch


@dataclass(frozen=True)
class KeyAttribute:
    """One attribute of a key schema, with its type."""

    name: str
    type: KeyType = "S"


def Number(name: str) -> KeyAttribute:
    """A key attribute that holds a number."""
    return KeyAttribute(name, "N")


def Binary(name: str) -> KeyAttribute:
    """A key attribute that holds bytes."""
    return KeyAttribute(name, "B")


KeyAttributes: TypeAlias = str | KeyAttribute | Sequence[str | KeyAttribute]


@dataclass(frozen=True)
class OnDemand:
    """Pay per request, with optional ceilings."""

    max_read_units: int | None = None
    max_write_units: int | None = None


@dataclass(frozen=True)
class Provisioned:
    """Read and write units bought per second."""

    read_units: int
    write_units: int


Billing: TypeAlias = OnDemand | Provisioned


@dataclass(frozen=True)
class Index:
    """A secondary index; ``local=True`` shares the table's partition key.

    ``include`` names the attributes that the index holds beside the keys; ``keys_only=True`` holds
    none; neither holds everything. A key may be made of up to four attributes on each side.
    """

    name: str
    pk: KeyAttributes | None = None
    sk: KeyAttributes | None = None
    local: bool = False
    include: tuple[str, ...] | None = None
    keys_only: bool = False
    billing: Billing | None = None

    partition: tuple[KeyAttribute, ...] = field(init=False)
    sort: tuple[KeyAttribute, ...] = field(init=False)

    def __post_init__(self) -> None:
        _check_name(self.name, "an index")
        if self.include is not None and self.keys_only:
            raise ModelError(f"index {self.name}: give include= or keys_only=, not both")
        if self.include is not None:
            object.__setattr__(self, "include", tuple(self.include))
        # A list would make the index unhashable.
        for name in ("pk", "sk"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, str | KeyAttribute):
                object.__setattr__(self, name, tuple(given))
        object.__setattr__(self, "partition", _attributes(self.pk))
        object.__setattr__(self, "sort", _attributes(self.sk))
        if self.local and self.pk is not None:
            raise ModelError(f"index {self.name}: a local index has the table's pk; leave pk out")
        if not self.local and not self.partition:
            raise ModelError(f"index {self.name}: pk is missing")
        if self.local and len(self.sort) != 1:
            raise ModelError(f"index {self.name}: a local index needs exactly one sk attribute")
        for side in (self.partition, self.sort):
            if len(side) > MAX_KEY_PARTS:
                raise ModelError(
                    f"index {self.name}: a key has at most {MAX_KEY_PARTS} attributes on each side"
                )

    @property
    def projection(self) -> Literal["ALL", "KEYS_ONLY", "INCLUDE"]:
        """What of an item is in the index."""
        if self.keys_only:
            return "KEYS_ONLY"
        return "ALL" if self.include is None else "INCLUDE"


class Table:
    """One table. ``table.indexes["GSI1"]`` and ``table.entities["Order"]`` look up its parts.

    ``discriminator`` names the attribute that tells entities apart; without one, an item's owner is
    found by its key. ``delimiter`` stands between the components of a key; no value in a key can
    forge one.
    """

    def __init__(
        self,
        name: str,
        *,
        pk: str | KeyAttribute,
        sk: str | KeyAttribute | None = None,
        indexes: Sequence[Index] = (),
        discriminator: str | None = "entity_type",
        delimiter: str = "#",
        ttl: str | None = None,
        billing: Billing | None = None,
        stream: StreamView | None = None,
        pitr: bool | int = False,
        tags: Mapping[str, str] | None = None,
        table_class: TableClass = "STANDARD",
        deletion_protection: bool = False,
    ) -> None:
        _check_name(name, "a table")
        self.name = name
        self.pk = _attribute(pk)
        self.sk = None if sk is None else _attribute(sk)
        self.indexes: dict[str, Index] = {}
        self.discriminator = discriminator
        self.delimiter = delimiter
        self.ttl = ttl
        self.billing: Billing = billing or OnDemand()
        self.stream = stream
        #: True is the service's own 35 days; a number is the days to go back.
        self.pitr = pitr
        self.tags = dict(tags or {})
        self.table_class: TableClass = table_class
        self.deletion_protection = deletion_protection
        #: By discriminator value, in the order of declaration.
        self.entities: dict[str, EntityDef[Any]] = {}
        #: Who tells whose an item is; made when it is first asked for.
        self.owners: Owners | None = None
        if len(delimiter) != 1 or not "!" <= delimiter <= "}" or delimiter.isalnum():
            raise ModelError(f"table {name}: the delimiter is one ASCII sign, not {delimiter!r}")
        for index in indexes:
            self._join(index)

    def _join(self, index: Index) -> None:
        if index.name in self.indexes:
            raise ModelError(f"table {self.name}: two indexes are called {index.name}")
        if index.local:
            if self.sk is None:
                raise ModelError(
                    f"table {self.name}: local index {index.name} needs a table with a sort key"
                )
            object.__setattr__(index, "partition", (self.pk,))
        self.indexes[index.name] = index
        self._check_types()

    def _check_types(self) -> None:
        types: dict[str, KeyType] = {}
        for attribute in self.key_attributes():
            if types.setdefault(attribute.name, attribute.type) != attribute.type:
                raise ModelError(
                    f"table {self.name}: key attribute {attribute.name} is declared with two types"
                )

    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """Every attribute that the table or one of its indexes has as a key, once each."""
        found = dict.fromkeys(self.primary())
        for index in self.indexes.values():
            found.update(dict.fromkeys((*index.partition, *index.sort)))
        return tuple(found)

    def primary(self) -> tuple[KeyAttribute, ...]:
        """The attributes of the primary key."""
        return (self.pk,) if self.sk is None else (self.pk, self.sk)

    def __repr__(self) -> str:
        return f"Table({self.name!r})"


def _check_name(name: str, what: str) -> None:
    if _NAME(name) is None:
        raise ModelError(
            f"{name!r} cannot be the name of {what}: 3 to 255 letters, digits, '_', '-' and '.'"
        )


def _attribute(given: str | KeyAttribute) -> KeyAttribute:
    return KeyAttribute(given) if isinstance(given, str) else given


def _attributes(given: KeyAttributes | None) -> tuple[KeyAttribute, ...]:
    if given is None:
        return ()
    if isinstance(given, str | KeyAttribute):
        return (_attribute(given),)
    return tuple(_attribute(each) for each in given)
