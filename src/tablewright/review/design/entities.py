"""Entities: attributes, keys, uniqueness, and how long they are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tablewright.review.design.tables import Names


@dataclass(frozen=True)
class Attribute:
    """An attribute of an entity. ``type`` is the stored one: S, N, B, BOOL, SS, NS, BS, L, M."""

    name: str
    type: str = "S"
    required: bool = True
    #: "ulid", "uuid", "iso", "iso_seconds", "iso_millis", "iso_micros", "date", "day" (20260131),
    #: "epoch_seconds", "epoch_millis", "email", "phone" (E.164), "https", "slug".
    format: str | None = None
    #: A regular expression that every value has to match.
    pattern: str | None = None
    #: Characters of a text; None is any number of them.
    max_length: int | None = None
    #: Members of a set, list or map; None is any number of them.
    max_items: int | None = None
    #: Bytes of one member, on average.
    item_bytes: int | None = None
    #: Bytes of the whole value at its largest, where that is known better than by the above.
    max_bytes: int | None = None
    #: It need not be given, because it has a default, which is stored.
    default: bool = False
    #: All values it can have.
    values: Sequence[object] = ()
    #: How many different values there are, where they are not listed.
    distinct: float | None = None
    #: It may be stored as NULL.
    nullable: bool = False
    #: A required set or text that may well be empty.
    may_be_empty: bool = False
    #: It grows with use, and nothing bounds it. (Members that are added one by one.)
    grows: bool = False
    #: Whether it changes after the item was created; None says nothing.
    mutable: bool | None = None
    #: People write it: anything may stand in it, delimiters included. None: judged by the rest.
    free_text: bool | None = None
    personal: bool = False
    #: A credential; how it is stored.
    secret: Literal["", "clear", "hash", "encrypted"] = ""
    #: What a program gives to the SDK: "float", where that matters.
    python: str = ""
    #: Types that other places of the document give it.
    types_elsewhere: Sequence[str] = ()
    #: It is copied from there: "Hackathon.name".
    copy_of: str | None = None
    #: The copy keeps the value of the day it was made, whatever becomes of the original.
    snapshot: bool = False
    #: Nothing states ``secret`` or ``copy_of``: they follow from the name.
    deduced: bool = False
    #: It identifies another entity by this attribute: "ConfigVersion.version".
    refers: str | None = None
    #: It counts the items of that entity: "Submission".
    counts: str | None = None
    #: Required only in these states: {"status": "analyzed"}.
    required_when: Mapping[str, object] = field(default_factory=dict)
    #: What makes sure of that; "" is nothing.
    enforced_by: str = ""
    #: Values that the document shows.
    examples: Sequence[object] = ()
    #: For nested maps: how deep below the attribute updates reach. {"a": {"b": 1}} is 2.
    depth: int = 1
    #: The maps on the way exist from the item's creation on.
    parents_created: bool = False


@dataclass(frozen=True)
class Key:
    """Templates of a key: ``Key("ORG#{org_id}", "PROFILE")``; ``on`` names the index it is for.

    ``sk=None`` on a table or index with a sort key is an item that lacks it. For keys of several
    attributes give tuples. ``{score:07.2f}`` is a component with a fixed width.
    """

    pk: Names | None = None
    sk: Names | None = None
    on: str | None = None
    name: str = ""
    #: Values are escaped and padded as the typed layer does it; False: they are pasted in.
    escaped: bool = False
    #: The entity is in the index only for these values: {"status": ("open",)}.
    when: Mapping[str, object] = field(default_factory=dict)
    #: What components look like in the key, as regular expressions, where that is known.
    shapes: Mapping[str, str] = field(default_factory=dict)
    #: Components whose order in the key is known not to be the order of their values.
    unordered: Sequence[str] = ()

    @property
    def partition(self) -> tuple[str, ...]:
        return () if self.pk is None else (self.pk,) if isinstance(self.pk, str) else self.pk

    @property
    def sort(self) -> tuple[str, ...]:
        return () if self.sk is None else (self.sk,) if isinstance(self.sk, str) else self.sk

    @property
    def templates(self) -> tuple[str, ...]:
        return (*self.partition, *self.sort)

    @property
    def label(self) -> str:
        return self.name or self.on or "primary"


@dataclass(frozen=True)
class Unique:
    """No two entities may have the same values of these fields.

    ``lock`` is the key of the item that makes sure of it: "EMAIL#{email}"; None is nothing.
    """

    fields: Names
    lock: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.fields,) if isinstance(self.fields, str) else self.fields


@dataclass(frozen=True)
class Retention:
    """What is promised about the end of an item: ``Retention(days=30, after="completed_at")``."""

    days: float
    after: str = ""
    #: The attribute that the end is really computed from, if the document shows how.
    computed_from: str = ""


@dataclass(frozen=True)
class Entity:
    """One kind of item: ``Entity("Order", "Orders", keys=(Key(...),), attributes=(...))``."""

    name: str
    table: str
    keys: Sequence[Key] = ()
    attributes: Sequence[Attribute] = ()
    unique: Sequence[Unique] = ()
    #: The attribute for optimistic locking.
    version: str | None = None
    #: It is said to have optimistic locking, whatever its attributes are.
    versioned: bool = False
    #: The attribute that holds its end.
    ttl: str | None = None
    retention: Retention | None = None
    #: What tells one from another in the world: ("event_id",) although the key is "CONFIG".
    identity: Sequence[str] = ()
    #: Past items must never be overwritten: ledgers, billing records.
    append_only: bool = False
    #: How many there are, and how many under one partition key of the table.
    expected: float | None = None
    per_partition: float | None = None
    #: Equations that hold for every item: "total_tokens == input_tokens + output_tokens". Also
    #: with seconds(x), day(x), size(x), attribute names, and components of the key by their names.
    relations: Sequence[str] = ()
    #: The attributes are not all declared.
    open: bool = False
    #: Bytes of one item, where that is known better than by the attributes.
    item_size: int | None = None

    def attribute(self, name: str) -> Attribute | None:
        return next((each for each in self.attributes if each.name == name), None)

    @property
    def primary(self) -> Key | None:
        return next((each for each in self.keys if each.on is None), None)

    def key_on(self, index: str | None) -> Key | None:
        return next((each for each in self.keys if each.on == index), None)
