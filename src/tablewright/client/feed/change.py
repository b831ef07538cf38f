"""What a feed delivers: one change of one item, with its images as entities."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from tablewright.model.definition import EntityDef
from tablewright.model.entity import Entity
from tablewright.model.table import Table
from tablewright.values import Item

E = TypeVar("E", bound=Entity)

Kind: TypeAlias = Literal["insert", "modify", "remove"]


@dataclass(frozen=True)
class Change:
    """One change of one item.

    ``old`` and ``new`` are None where there was no item, and where the stream does not hold the
    image (see :class:`Table`, ``stream``). They are typed by ``of``::

        if (order := change.of(Order)) is not None:
            print(order.old, order.new)
    """

    kind: Kind
    table: Table = field(repr=False)
    #: Of the new image, else of the old one; None for what the model does not know.
    entity: EntityDef[Any] | None
    old: Any
    new: Any
    #: The primary key as it is stored, and the images as they came.
    keys: Item
    old_image: Item | None = field(repr=False)
    new_image: Item | None = field(repr=False)
    #: Grows within a shard; all changes of one item are in one shard, or its successors.
    sequence: str
    shard: str
    #: The same whenever this change is delivered, and unlike that of any other.
    event_id: str
    #: When it was written, to the second.
    at: datetime
    #: True if the item was deleted by the service because its time to live was over.
    expired: bool = False

    def of(self, entity: type[E]) -> TypedChange[E] | None:
        """The same for one entity, with types; None if this is a change of another one."""
        old = self.old if isinstance(self.old, entity) else None
        new = self.new if isinstance(self.new, entity) else None
        if old is None and new is None and not self._is_of(entity):
            return None
        kind = self.kind
        # Another entity under the same key: for this one, the item came or went.
        if new is None and self.new_image is not None and old is not None:
            kind = "remove"
        elif old is None and self.old_image is not None and new is not None:
            kind = "insert"
        return TypedChange(kind, old, new, self)

    def _is_of(self, entity: type[Entity]) -> bool:
        return self.entity is not None and issubclass(self.entity.cls, entity)

    def __str__(self) -> str:
        what = "an unknown item" if self.entity is None else self.entity.name
        key = ", ".join(str(*value.values()) for value in self.keys.values())
        return f"change {self.sequence} ({self.kind} of {what} {key} of table {self.table.name})"


@dataclass(frozen=True)
class TypedChange(Generic[E]):
    """A change of one entity."""

    kind: Kind
    old: E | None
    new: E | None
    change: Change = field(repr=False)
