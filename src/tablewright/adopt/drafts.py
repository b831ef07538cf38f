"""Drafts: what was found out about tables, before it is written as a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tablewright.adopt.layout import quoted
from tablewright.deploy.state import TableState
from tablewright.values import Item


@dataclass(frozen=True)
class Slot:
    """The place of an attribute's value in a key."""

    attribute: str
    #: A width, such as ``08d``; "" is the value as it is stored.
    spec: str = ""


@dataclass(frozen=True)
class Template:
    """What one key attribute is made of: literal text and slots."""

    pieces: tuple[str | Slot, ...]

    @property
    def slots(self) -> tuple[str, ...]:
        """The attributes in order, once each."""
        found = (piece.attribute for piece in self.pieces if isinstance(piece, Slot))
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Kind:
    """What an attribute holds."""

    #: The type as it is written in Python: ``Ulid``, ``set[str]``.
    annotation: str
    #: Whether a value of it can stand in a key.
    in_keys: bool = True
    #: The members of an enumeration.
    members: tuple[str, ...] = ()

    @property
    def is_time(self) -> bool:
        return self.annotation in ("datetime", "IsoSeconds", "IsoMillis", "date")


@dataclass(frozen=True)
class FieldDraft:
    """A field, and the attribute that holds it."""

    name: str
    attribute: str
    kind: Kind
    #: Absent from some of the samples.
    optional: bool = False
    personal: bool = False
    #: Of a key that is a field itself: the regular expression of its texts.
    shape: str = ""

    @property
    def annotation(self) -> str:
        """The type as it is written in Python, without None."""
        if self.kind.members:
            return f"Literal[{', '.join(map(quoted, self.kind.members))}]"
        return self.kind.annotation


@dataclass(frozen=True)
class Known:
    """What a file says about an entity, beside the items that it shows of it."""

    #: "" if nobody has given it one.
    name: str = ""
    #: Templates of the table's own key attributes, with which the items agree.
    templates: Mapping[str, Template] = field(default_factory=dict)
    #: Attributes that it may have; the type of those that no item has.
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    #: What is written about its keys, for people.
    keys: str = ""


@dataclass(frozen=True)
class EntityDraft:
    """An entity."""

    #: The name of the class.
    name: str
    #: The value of the discriminator.
    type: str
    fields: tuple[FieldDraft, ...]
    #: Templates of the key attributes; one that is not here is a field itself.
    templates: Mapping[str, Template]
    #: The indexes that it is in, each with the values with which it is.
    indexes: Mapping[str, tuple[str, tuple[str, ...]] | None]
    #: The literal text with which all values of a key attribute begin.
    beginnings: Mapping[str, str]
    items: Sequence[Item] = ()
    #: Attributes that are not declared, since no type gives them back exactly.
    undeclared: tuple[str, ...] = ()
    #: What a file says about its keys, where templates do not say it.
    said: str = ""

    def field(self, attribute: str) -> FieldDraft:
        return next(each for each in self.fields if each.attribute == attribute)

    def slots(self, key: str) -> tuple[str, ...]:
        """The attributes that a key attribute is made of; it may be one itself."""
        template = self.templates.get(key)
        return (key,) if template is None else template.slots

    def text(self, key: str) -> str:
        """The template of a key attribute as it is written, with the names of fields in it."""
        template = self.templates.get(key, Template((Slot(key),)))
        return "".join(
            piece.replace("{", "{{").replace("}", "}}")
            if isinstance(piece, str)
            else f"{{{self.field(piece.attribute).name}{piece.spec and f':{piece.spec}'}}}"
            for piece in template.pieces
        )


@dataclass(frozen=True)
class Stray:
    """An item that no entity reads, or not exactly; the reason is for people."""

    item: Item
    reason: str


@dataclass(frozen=True)
class TableDraft:
    """A table, and who lives in it."""

    state: TableState
    delimiter: str
    discriminator: str | None
    entities: tuple[EntityDraft, ...]
    #: Items that belong to no entity.
    strays: tuple[Stray, ...] = ()
    #: What a file says that stands in no entity, for people.
    said: tuple[str, ...] = ()


@dataclass
class Concessions:
    """What had to be given up so that items are read back exactly, by entity."""

    #: Key attributes that are fields themselves.
    plain: dict[str, set[str]] = field(default_factory=dict)
    #: Attributes that are left as they are.
    undeclared: dict[str, set[str]] = field(default_factory=dict)
