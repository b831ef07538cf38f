"""From a stream's records to changes: who owns an image, and what happens if nobody does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

import orjson

from tablewright.client.feed.change import Change, Kind
from tablewright.client.feed.entities import is_own
from tablewright.model.definition import EntityDef, definition, entity_of
from tablewright.model.entity import Entity
from tablewright.model.errors import DataError, RequestError, UnknownEntity
from tablewright.model.owners import owners_of
from tablewright.model.table import Table
from tablewright.model.unique import OWNER
from tablewright.values import Item

Record: TypeAlias = Mapping[str, Any]
#: What happens to items that the model does not know or cannot read: an error, nothing, or a
#: change with its raw images alone.
UnknownPolicy: TypeAlias = Literal["raise", "skip", "raw"]

_KINDS: dict[str, Kind] = {"INSERT": "insert", "MODIFY": "modify", "REMOVE": "remove"}
_SERVICE = "dynamodb.amazonaws.com"


@dataclass(frozen=True)
class Decoder:
    """Makes changes of the records of one table's stream."""

    table: Table
    #: Only changes of these are wanted; None wants all but the feed's own bookkeeping.
    entities: frozenset[EntityDef[Any]] | None = None
    unknown: UnknownPolicy = "raise"
    #: Whether the lock items of unique constraints are wanted, as raw images.
    locks: bool = False

    def read(self, text: bytes) -> Any:
        """What a record says about its change, where that comes as text: less if that will do."""
        return orjson.loads(text)

    def change(self, record: Record, shard: str = "") -> Change | None:
        """The change; None if it is not wanted. :class:`DataError` if it cannot be read."""
        body = record["dynamodb"]
        keys: Item = body["Keys"]
        old_image: Item | None = body.get("OldImage")
        new_image: Item | None = body.get("NewImage")
        old_owner, new_owner = self._owner(old_image), self._owner(new_image)
        owner = new_owner or old_owner
        shown = new_image or old_image
        if owner is None:
            if self._is_lock(keys, shown):
                if not self.locks:
                    return None
            elif shown is None:
                # Without images only the key can tell; several entities may have its form.
                candidates = self._candidates(keys)
                owner = candidates[0] if len(candidates) == 1 else None
                if not candidates and not self._accepts_unknown(record):
                    return None
            elif not self._accepts_unknown(record):
                return None
        if owner is not None and not self._wanted(old_owner, new_owner or owner):
            return None
        try:
            old = None if old_owner is None or old_image is None else old_owner.decode(old_image)
            new = None if new_owner is None or new_image is None else new_owner.decode(new_image)
        except DataError as error:
            if self.unknown == "raise":
                raise DataError(f"{_place(self.table, record)} cannot be read: {error}") from error
            if self.unknown == "skip":
                return None
            old = new = None
        identity = record.get("userIdentity") or {}
        return Change(
            kind=_KINDS[record["eventName"]],
            table=self.table,
            entity=owner,
            old=old,
            new=new,
            keys=keys,
            old_image=old_image,
            new_image=new_image,
            sequence=body["SequenceNumber"],
            shard=shard,
            event_id=record.get("eventID") or f"{shard}:{body['SequenceNumber']}",
            at=moment_of(record),
            # The API and the events of Lambda spell it differently.
            expired=(identity.get("PrincipalId") or identity.get("principalId")) == _SERVICE,
        )

    def _owner(self, image: Item | None) -> EntityDef[Any] | None:
        if image is None or (self.table.discriminator is None and self._is_lock(image, image)):
            return None
        return entity_of(self.table, image)

    def _wanted(self, old: EntityDef[Any] | None, new: EntityDef[Any]) -> bool:
        if self.entities is not None:
            return new in self.entities or old in self.entities
        # Where checkpoints are kept in the table itself, each commit is a change of it.
        return not is_own(new)

    def _candidates(self, keys: Item) -> list[EntityDef[Any]]:
        return [known for known in self.table.entities.values() if known.primary.matches(keys)]

    def _is_lock(self, keys: Item, image: Item | None) -> bool:
        locks = owners_of(self.table).locks
        if not locks:
            return False
        discriminator = self.table.discriminator
        if image is not None and discriminator is not None:
            return any(image.get(discriminator) == each.tag for each in locks)
        if image is not None:
            # A lock has its key, its owner and its end, and nothing else.
            own = {each.name for each in self.table.primary()} | {OWNER, self.table.ttl}
            if OWNER not in image or not image.keys() <= own:
                return False
        return any(each.key.matches(keys) for each in locks)

    def _accepts_unknown(self, record: Record) -> bool:
        if self.unknown == "raise":
            raise UnknownEntity(
                f"{_place(self.table, record)} is of no entity of the model: declare it, or give "
                'unknown="raw" or "skip"'
            )
        return self.unknown == "raw"


def decoder(
    table: Table,
    entities: Iterable[type[Entity]] | None = None,
    unknown: UnknownPolicy = "raise",
    locks: bool = False,
) -> Decoder:
    """What a feed of ``table`` delivers."""
    if entities is None:
        return Decoder(table, None, unknown, locks)
    wanted = frozenset(definition(each) for each in entities)
    for known in wanted:
        if known.table is not table:
            raise RequestError(
                f"{known.name} lives in table {known.table.name}: a feed of {table.name} has none"
            )
    return Decoder(table, wanted, unknown, locks)


def moment_of(record: Record) -> datetime:
    """When the change was written."""
    return datetime.fromtimestamp(float(record["dynamodb"]["ApproximateCreationDateTime"]), UTC)


def _place(table: Table, record: Record) -> str:
    body = record["dynamodb"]
    return f"change {body['SequenceNumber']} of table {table.name}, item {body['Keys']},"
