"""A design as the rules read it: plain, permissive declarations that check nothing.

A typed model cannot be wrong in many of the ways that documents are: it refuses an empty key or
two ADD clauses when it is declared. A review has to be able to say so of a design that nobody has
built yet. These classes hold anything: what a document says, word by word, mistakes included.
:func:`tablewright.review.from_model.design_of` makes the same from a typed model.

Everything has a default that means "nothing is said about it", so a declaration names only what is
known. ``Design.of("shop", Table(...), Entity(...), Pattern(...), ...)`` sorts the parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Names: TypeAlias = str | tuple[str, ...]
Projection: TypeAlias = Literal["ALL", "KEYS_ONLY"] | tuple[str, ...]


# --- tables --------------------------------------------------------------------------------------


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


# --- entities ------------------------------------------------------------------------------------


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


# --- patterns ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Begins:
    """``begins_with(SK, "HACK#")``."""

    text: str


@dataclass(frozen=True)
class Between:
    """A range of sort keys; a bound that is None is open."""

    low: str | None = None
    high: str | None = None


KeyTerm: TypeAlias = str | Begins | Between
Kind: TypeAlias = Literal[
    "get",
    "query",
    "scan",
    "count",
    "batch_get",
    "put",
    "update",
    "delete",
    "check",
    "transaction",
    "batch_write",
]
READS = frozenset({"get", "query", "scan", "count", "batch_get"})


@dataclass(frozen=True)
class Pattern:
    """One access pattern, or one member of a transaction or batch (then it needs no name)."""

    name: str
    kind: Kind
    #: What it reads or writes.
    entity: str | None = None
    #: Further entities that it reads with the same key.
    also: Sequence[str] = ()
    #: Where a document names a table that the entity is not in.
    table: str | None = None
    index: str | None = None
    #: The key condition by attribute: {"PK": "ORG#{org_id}", "SK": Begins("HACK#")}.
    key: Mapping[str, KeyTerm] = field(default_factory=dict)
    #: What the caller knows, where the document gives no key: ("order_id",).
    by: Sequence[str] = ()
    #: Expressions as the document writes them, with their placeholders.
    key_condition: str | None = None
    filter: str | None = None
    projection: str | None = None
    update: str | None = None
    condition: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    #: Wire values or only types: {":n": {"N": "1"}} or {":n": "N"}.
    values: Mapping[str, object] = field(default_factory=dict)
    #: Other parameters of the request, as the document names them: {"SortKeyCondition": "desc"}.
    options: Mapping[str, object] = field(default_factory=dict)

    # Reads.
    #: The attributes that its caller needs; None is nothing said, "*" is whole items.
    reads: Sequence[str] | Literal["*"] | None = None
    #: Whole entities are read from the table after the index gave their keys.
    hydrate: bool = False
    consistent: bool = False
    #: Its result must show what was written just before, or decides something.
    fresh: bool = False
    #: Follows pages to the end, or gives a cursor; False: takes the first page for everything;
    #: None says nothing.
    paged: bool | None = None
    #: The attribute that its results are to be ordered by.
    order: str | None = None
    descending: bool = False
    limit: int | None = None
    #: The share of what is read that the filter keeps.
    filter_keeps: float | None = None
    #: Expired items are left out; None says nothing.
    drops_expired: bool | None = None
    #: Components of its key that are the present time or day: ("day",).
    now: Sequence[str] = ()
    #: Of batches: what was not processed is asked for again.
    retries_unprocessed: bool | None = None

    # Writes.
    #: The attributes it writes, where no update expression says so.
    sets: Sequence[str] = ()
    #: There must be none before: creating.
    new: bool = False
    #: There must be one before.
    existing: bool = False
    #: What is written was computed from what was read before (and may have changed since).
    after_read: bool = False
    #: Attributes that it has to keep unique: ("email",).
    unique: Sequence[str] = ()
    #: A read of the same name was made before, to see whether the value is free.
    checked_by: str | None = None
    #: It may be sent again, and must count once.
    idempotent: bool = False
    #: Old values of these attributes must stay known.
    preserves: Sequence[str] = ()
    #: Members of a transaction or batch. ``many``: how many of the kind; ``varies``: the fields
    #: that differ among them. A single write that is repeated in a loop has both, too.
    members: Sequence[Pattern] = ()
    many: float | None = None
    varies: Sequence[str] = ()
    #: It is called atomic.
    atomic: bool = False

    # Load.
    rate: float | None = None
    peak: float | None = None
    #: Results, or items written.
    expect: float | None = None
    item_size: int | None = None
    #: The share of the calls that go to the hottest key; 1 is a single key for all.
    hottest: float | None = None
    #: Seconds between its runs, for scheduled ones.
    every: float | None = None
    #: Read or write units that the document says one call takes.
    stated_units: float | None = None
    component: str | None = None
    #: Not for users: exports, repairs.
    admin: bool = False
    #: It happens only in this mode: {"quota_scope": "APP"}.
    only_if: Mapping[str, str] = field(default_factory=dict)
    doc: str = ""
    #: Its expressions are not known: a typed write without a sample call.
    opaque: bool = False
    #: The document only wishes for it; nothing says how.
    wish: bool = False

    @property
    def reading(self) -> bool:
        return self.kind in READS


@dataclass(frozen=True)
class Flow:
    """Steps that one use needs: the patterns it runs, the entities it has to know."""

    name: str
    steps: Sequence[str] = ()
    needs: Sequence[str] = ()
    #: How many operations the document counts.
    stated_operations: float | None = None


# --- what else a document says -------------------------------------------------------------------


@dataclass(frozen=True)
class Limit:
    """A rule of the business that has to hold whoever writes: ``Limit("max_teams", "Team")``."""

    name: str
    entity: str
    #: Patterns whose conditions make sure of it.
    enforced_by: Sequence[str] = ()


@dataclass(frozen=True)
class Sample:
    """An item that the document shows: plain JSON, wire JSON, or the text of either.

    Items of a deployed table name it in ``deployed``. Their values belong to somebody: findings
    show only what they look like.
    """

    #: "" is an item that no entity owns.
    entity: str
    item: Mapping[str, Any] | str
    #: What the deployed table is called; "" is an item of the document.
    deployed: str = ""
    #: The design's table, where no entity says so.
    table: str = ""


@dataclass(frozen=True)
class Figure:
    """A number that the document states: its own arithmetic, or a limit of the service.

    ``formula`` is how it says it came about: "10 * 10 * 2". Names of limits are in
    :mod:`tablewright.review.limits`; the same name twice with different values is a finding.
    """

    name: str
    value: float
    formula: str = ""
    #: For costs: the units that it pays for, "read" or "write".
    units: float | None = None
    kind: str = ""


@dataclass(frozen=True)
class Permission:
    """What a component may do: ``Permission("worker", ("PutItem",), ("table/Orders",))``."""

    component: str
    actions: Sequence[str]
    #: ARNs, or their ends: "table/Orders", "table/Orders/index/*". Empty: the document names none.
    resources: Sequence[str] = ()


@dataclass(frozen=True)
class Alarm:
    """An alarm as the document defines it, in CloudWatch's words."""

    name: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Suppression:
    """A finding that is known and accepted: by code and place (``*`` for any part), with a reason.

    It stays visible in every report, with its reason.
    """

    code: str
    place: str = "*"
    reason: str = ""


Part: TypeAlias = (
    Table
    | Definition
    | Entity
    | Pattern
    | Flow
    | Limit
    | Sample
    | Figure
    | Permission
    | Alarm
    | Suppression
)


@dataclass(frozen=True)
class Design:
    """Everything that is said about one system."""

    name: str
    tables: Sequence[Table] = ()
    definitions: Sequence[Definition] = ()
    entities: Sequence[Entity] = ()
    patterns: Sequence[Pattern] = ()
    flows: Sequence[Flow] = ()
    limits: Sequence[Limit] = ()
    samples: Sequence[Sample] = ()
    figures: Sequence[Figure] = ()
    permissions: Sequence[Permission] = ()
    alarms: Sequence[Alarm] = ()
    suppressions: Sequence[Suppression] = ()
    #: Attributes that every entity is said to have.
    common: Sequence[str] = ()
    #: Every name in an expression is a placeholder, as the typed layer does it.
    aliased: bool = False
    #: Who writes an entity is known: the design has its write patterns, or says there are none.
    writes_declared: bool = True

    @classmethod
    def of(cls, name: str, *parts: Part, **rest: Any) -> Design:
        """A design of these parts, each put where it belongs."""
        sorted_parts: dict[str, list[Part]] = {}
        for part in parts:
            sorted_parts.setdefault(_PLACES[type(part)], []).append(part)
        given: dict[str, Any] = {**sorted_parts, **rest}
        return cls(name, **given)

    def table(self, name: str | None) -> Table | None:
        return next((each for each in self.tables if each.name == name), None)

    def entity(self, name: str | None) -> Entity | None:
        return next((each for each in self.entities if each.name == name), None)

    def entities_of(self, table: str) -> Iterator[Entity]:
        return (each for each in self.entities if each.table == table)

    def table_of(self, pattern: Pattern) -> Table | None:
        """The table that a pattern is about: the one it names, or its entity's."""
        if pattern.table is not None:
            return self.table(pattern.table)
        entity = self.entity(pattern.entity)
        return None if entity is None else self.table(entity.table)

    def samples_of(self, entity: str) -> Iterable[Sample]:
        return (each for each in self.samples if each.entity == entity)


_PLACES: dict[type, str] = {
    Table: "tables",
    Definition: "definitions",
    Entity: "entities",
    Pattern: "patterns",
    Flow: "flows",
    Limit: "limits",
    Sample: "samples",
    Figure: "figures",
    Permission: "permissions",
    Alarm: "alarms",
    Suppression: "suppressions",
}
