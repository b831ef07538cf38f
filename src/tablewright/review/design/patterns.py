"""Access patterns: reads and writes, alone and together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias


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
    #: The key of the one item in a sample call: tells the members of a transaction apart.
    called_key: Mapping[str, str] = field(default_factory=dict)
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
    #: A put that may replace an item which is there.
    whole: bool = False
    #: What it puts is the item that its caller has in hand, not one that it composes.
    in_hand: bool = False
    #: What is written was computed from what was read before (and may have changed since).
    after_read: bool = False
    #: Attributes that it has to keep unique: ("email",).
    unique: Sequence[str] = ()
    #: A read of the same name was made before, to see whether the value is free.
    checked_by: str | None = None
    #: Nothing states ``checked_by`` or ``after_read``: they follow from the other patterns.
    deduced: bool = False
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
