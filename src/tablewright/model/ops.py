"""Ops: inert requests. Making one does nothing; a ``Db`` or ``AsyncDb`` runs it.

An op says what is to be done in terms of the model (entities, keys, conditions), is equal to
another one that asks for the same, and can explain itself: ``op.explain()`` shows the request
that would be sent. :mod:`tablewright.model.requests` turns ops into requests.

Two type parameters matter to callers. ``Op[R]``: running it alone gives an ``R``.
``InTransaction[T]``: as a member of a transaction it gives a ``T``, which is less: DynamoDB
returns nothing for the writes of a transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, Self, TypeVar

from tablewright.model.definition import EntityDef
from tablewright.model.entity import Entity
from tablewright.model.errors import RequestError
from tablewright.model.expressions.conditions import Condition
from tablewright.model.keys import KeyCondition
from tablewright.model.table import Index, Table
from tablewright.values import Item

if TYPE_CHECKING:
    from tablewright.model.counter import Counter
    from tablewright.model.expressions.changes import Action
    from tablewright.model.views import View

R_co = TypeVar("R_co", covariant=True)
T_co = TypeVar("T_co", covariant=True)
E = TypeVar("E", bound=Entity)
T = TypeVar("T")
C = TypeVar("C", bound="Counter")

ADHOC = "adhoc"


class Reader(Protocol[T_co]):
    """What turns items into results: an entity, or a projection of one."""

    @property
    def name(self) -> str: ...

    @property
    def table(self) -> Table: ...

    def decode(self, item: Item) -> T_co: ...

    def owns(self, item: Item) -> bool: ...

    def expired(self, item: Item, now: float) -> bool: ...

    @property
    def projection(self) -> tuple[str, ...] | None:
        """The attributes to ask for; None asks for whole items."""
        ...


@dataclass(frozen=True)
class Op(Generic[R_co]):
    """An inert request that gives an ``R`` when it is run."""

    #: The pattern it comes from, or "adhoc".
    pattern: str = field(default=ADHOC, kw_only=True)
    #: The part of the system that asks; for permissions and metrics.
    component: str | None = field(default=None, kw_only=True)
    #: What the pattern was called with; None of an op that no pattern made.
    called_with: Mapping[str, object] | None = field(
        default=None, kw_only=True, compare=False, repr=False
    )

    def named(self, pattern: str, component: str | None) -> Self:
        """The same op, reporting as ``pattern``."""
        return replace(self, pattern=pattern, component=component)

    def explain(self) -> str:
        """The request that would be sent, as people read it."""
        from tablewright.model.explain import explain

        return explain(self)


@dataclass(frozen=True)
class PageOp(Op[Sequence[R_co]], Generic[R_co]):
    """A read of many results: ``db.run`` gives a page of them, ``db.iterate`` one by one."""


class InTransaction(Generic[T_co]):
    """What may be a member of a transaction, where it gives a ``T``."""


# --- reads -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Get(Op[T | None], InTransaction[T | None], Generic[T]):
    """One item by its primary key."""

    reader: Reader[T]
    key: Item
    consistent: bool = False


@dataclass(frozen=True)
class Selection:
    """What a query or scan reads: shared by pages, counts and collections."""

    table: Table
    index: Index | None
    #: None reads all of it: a scan.
    condition: KeyCondition | None
    forward: bool = True
    filter: Condition | None = None
    consistent: bool = False
    #: Attributes to ask for; None asks for all that the table or index holds.
    projection: tuple[str, ...] | None = None
    #: Only items of these entities are wanted; others are skipped.
    readers: tuple[Reader[Any], ...] = ()
    #: Items that have ended but are not yet deleted are results too.
    expired: bool = False
    #: Items that DynamoDB evaluates per request.
    page_size: int | None = None
    #: Ceilings; going past one is an error rather than a bill.
    max_pages: int | None = None
    max_units: float | None = None
    #: What a cursor is bound to, beside the pattern.
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Query(PageOp[T], Generic[T]):
    """The results of one partition or index, in order; a scan if the selection has no key."""

    selection: Selection
    #: Results per page unless the caller says otherwise.
    limit: int | None = None
    #: Read the whole entities from the table after an index gave their keys.
    hydrate: tuple[EntityDef[Any], ...] = ()


@dataclass(frozen=True)
class Find(Op[T | None], Generic[T]):
    """The first result of a query, or None."""

    selection: Selection
    hydrate: tuple[EntityDef[Any], ...] = ()

    def query(self) -> Query[T]:
        return Query(
            self.selection, 1, self.hydrate, pattern=self.pattern, component=self.component
        )


@dataclass(frozen=True)
class Count(Op[int]):
    """How many items there are; reads them all, returns none."""

    selection: Selection


@dataclass(frozen=True)
class Collect(Op[T], Generic[T]):
    """Several entities of one partition, as one dataclass."""

    view: View[T]
    selection: Selection
    #: At most so many items, from the side where the reading begins.
    limit: int | None = None


@dataclass(frozen=True)
class Total(Op[C], Generic[C]):
    """The sum over all shards of a counter."""

    counter: EntityDef[C]
    shards: tuple[Item, ...]
    identity: Mapping[str, object]
    consistent: bool = True


# --- writes ------------------------------------------------------------------------------------

PutMode = Literal["any", "new", "replace"]


@dataclass(frozen=True)
class Put(Op[E], InTransaction[E], Generic[E]):
    """Store an entity; gives it back as it was stored, with its new version.

    An entity with a :data:`Version` is created if its version is 0, and otherwise replaces exactly
    the version that was read. Without one, a put overwrites what is there, unless it is said to be
    ``new()`` or to ``replace()``.
    """

    entity: E
    mode: PutMode = "any"
    condition: Condition | None = None

    def new(self) -> Self:
        """Only if there is none yet, else :class:`AlreadyExists`."""
        return replace(self, mode="new")

    def replace(self) -> Self:
        """Only if there is one already, else :class:`NotFound`."""
        return replace(self, mode="replace")

    def when(self, condition: Condition) -> Self:
        """Only if the stored item meets the condition too."""
        return replace(self, condition=_both(self.condition, condition))


@dataclass(frozen=True)
class Update(Op[E], InTransaction[None], Generic[E]):
    """Change some fields of one entity; gives it back as it is then.

    The entity must be there (else :class:`NotFound`), unless the update is an ``upsert()``.
    """

    definition: EntityDef[E]
    key: Item
    #: The components of the key.
    identity: Mapping[str, object]
    actions: tuple[Action, ...] = ()
    condition: Condition | None = None
    #: The entity in hand, whose version is checked and whose fields complete index keys.
    entity: E | None = None
    #: Values the caller vouches for; the update only happens if they are right.
    known: Mapping[str, object] = field(default_factory=dict)
    create: bool = False
    #: What has ended but is still there is removed before it is created again.
    anew: bool = True
    version: int | None = None
    #: Run as a transaction of one, whose token makes a retry safe.
    once: bool = False
    #: Give the entity as it was before the update.
    before: bool = False

    def do(self, *actions: Action) -> Self:
        """What to change: ``attr(Order.status).set("paid")``, ``attr(Order.count).add(1)``."""
        return replace(self, actions=(*self.actions, *actions))

    def when(self, condition: Condition) -> Self:
        """Only if the stored item meets the condition, else :class:`ConditionFailed`."""
        return replace(self, condition=_both(self.condition, condition))

    def given(self, **fields: object) -> Self:
        """Current values of fields that an index key needs; checked as a condition."""
        unknown = fields.keys() - self.definition.fields.keys()
        if unknown:
            raise RequestError(f"{self.definition.name} has no field {', '.join(sorted(unknown))}")
        return replace(self, known={**self.known, **fields})

    def upsert(self, *, anew: bool = True) -> Self:
        """Create the entity if it is not there, with its key and what the actions set.

        What has ended but is still there is deleted first. Without ``anew``, for what cannot end
        as long as anybody updates it, the update is refused instead, and nobody has to be allowed
        to delete.
        """
        return replace(self, create=True, anew=anew)

    def at_version(self, version: int) -> Self:
        """Only if the stored version is this one, else :class:`VersionConflict`."""
        if self.definition.version is None:
            raise RequestError(f"{self.definition.name} has no Version")
        return replace(self, version=version)

    def returning_old(self) -> Self:
        """Give the entity as it was: what a one-time token held when it was redeemed."""
        return replace(self, before=True)

    def exactly_once(self) -> Self:
        """Safe to retry although it counts: at twice the write units."""
        return replace(self, once=True)


@dataclass(frozen=True)
class Delete(Op[E | None], InTransaction[None], Generic[E]):
    """Delete one entity; gives what was there, or None."""

    definition: EntityDef[E]
    key: Item
    identity: Mapping[str, object]
    condition: Condition | None = None
    entity: E | None = None
    must_exist: bool = False
    version: int | None = None

    def when(self, condition: Condition) -> Self:
        """Only if the stored item meets the condition, else :class:`ConditionFailed`."""
        return replace(self, condition=_both(self.condition, condition))

    def existing(self) -> Self:
        """Only if it is there, else :class:`NotFound`."""
        return replace(self, must_exist=True)

    def at_version(self, version: int) -> Self:
        """Only if the stored version is this one, else :class:`VersionConflict`."""
        if self.definition.version is None:
            raise RequestError(f"{self.definition.name} has no Version")
        return replace(self, version=version)


@dataclass(frozen=True)
class Check(InTransaction[None], Generic[E]):
    """A condition on an entity that the transaction does not write."""

    definition: EntityDef[E]
    key: Item
    identity: Mapping[str, object]
    condition: Condition | None = None
    exists: bool = True

    def when(self, condition: Condition) -> Self:
        """Only if the stored item meets the condition too."""
        return replace(self, condition=_both(self.condition, condition))

    def absent(self) -> Self:
        """The entity must not be there."""
        return replace(self, exists=False)


# --- several at once -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Transaction(Op[R_co], Generic[R_co]):
    """All of its members, or none: at most 100 items, all reads or all writes."""

    members: tuple[InTransaction[Any], ...]
    #: Repeating with the same token within ten minutes does nothing more; made up if absent.
    token: str | None = None

    def with_token(self, token: str) -> Self:
        """The same transaction under a token of the caller's own."""
        return replace(self, token=token)


@dataclass(frozen=True)
class Batch(Op[tuple[R_co, ...]], Generic[R_co]):
    """Many gets, or many puts and deletes, in as few requests as possible; not atomic."""

    members: tuple[Op[R_co], ...]


# --- making them -----------------------------------------------------------------------------


def together(
    op: Op[Any] | InTransaction[Any], *more: InTransaction[Any]
) -> Transaction[tuple[object, ...]]:
    """One transaction of a pattern's op and what joins it, reporting as the pattern.

    So an entry of an audit log is written with what it tells of, or not at all.
    """
    if isinstance(op, Transaction):
        return replace(op, members=(*op.members, *more))
    if not isinstance(op, InTransaction):
        raise RequestError(f"{op} cannot be part of a transaction")
    named = op if isinstance(op, Op) else Op[Any]()
    joined = Transaction[tuple[object, ...]]((op, *more))
    return joined.named(named.pattern, named.component)


def _both(first: Condition | None, second: Condition) -> Condition:
    return second if first is None else first & second
