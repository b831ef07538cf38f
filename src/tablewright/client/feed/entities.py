"""What a feed keeps in a table: who consumes, how far it came, and which effects are done.

The entities are made for a table by :func:`feed_entities`, so that they live wherever the model
wants them, beside others: in a table whose partition key (and sort key, if it has one) is a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tablewright.model.definition import EntityDef
from tablewright.model.entity import Entity
from tablewright.model.errors import ModelError
from tablewright.model.keys import Key
from tablewright.model.table import Table
from tablewright.model.types import IsoMillis, Ttl


class Consumer(Entity):
    """One consumer of one table's changes, by its name."""

    consumer: str
    #: How often it was started; only the latest start may commit.
    generation: int = 0
    #: The stream it reads; None until its first start is complete.
    stream: str | None = None
    #: Every change up to this moment is handled.
    seen_at: IsoMillis | None = None


class Checkpoint(Entity):
    """How far a consumer has come in one shard."""

    consumer: str
    shard: str
    generation: int
    sequence: str | None = None
    since: IsoMillis | None = None
    done: bool = False


class Done(Entity):
    """The mark of an effect that was applied once and must not be again."""

    consumer: str
    event_id: str
    expires_at: Ttl


@dataclass(frozen=True)
class FeedEntities:
    """The entities of one table."""

    consumer: type[Consumer]
    checkpoint: type[Checkpoint]
    #: None if the table has no ``ttl``: marks would stay for ever.
    done: type[Done] | None


def feed_entities(table: Table) -> FeedEntities:
    """The feed's entities in ``table``; the same ones each time."""
    found = {name: known.cls for name, known in table.entities.items() if is_own(known)}
    if "FeedConsumer" in found:
        return FeedEntities(found["FeedConsumer"], found["FeedCheckpoint"], found.get("FeedDone"))
    for attribute in table.primary():
        if attribute.type != "S":
            raise ModelError(
                f"table {table.name} cannot hold checkpoints: {attribute.name} is of type "
                f"{attribute.type}, and their keys are texts"
            )

    class FeedConsumer(
        Consumer,
        table=table,
        keys={"primary": _key(table, ["FEED", "{consumer}"], ["CONSUMER"])},
        naming=_naming(table),
    ):
        pass

    class FeedCheckpoint(
        Checkpoint,
        table=table,
        keys={"primary": _key(table, ["FEED", "{consumer}"], ["SHARD", "{shard}"])},
        naming=_naming(table),
    ):
        pass

    if table.ttl is None:
        return FeedEntities(FeedConsumer, FeedCheckpoint, None)

    # Each mark in a partition of its own: a busy consumer must not make one hot.
    class FeedDone(
        Done,
        table=table,
        keys={"primary": _key(table, ["FEED", "{consumer}", "DONE", "{event_id}"], ["DONE"])},
        naming=_naming(table),
    ):
        pass

    return FeedEntities(FeedConsumer, FeedCheckpoint, FeedDone)


def is_own(known: EntityDef[Any]) -> bool:
    """Whether an entity is a feed's bookkeeping."""
    return issubclass(known.cls, Consumer | Checkpoint | Done)


def _key(table: Table, partition: list[str], sort: list[str]) -> Key:
    join = table.delimiter.join
    if table.sk is not None:
        return Key(join(partition), join(sort))
    return Key(join([*partition, *sort]))


def _naming(table: Table) -> Any:
    taken = {each.name for each in table.key_attributes()} | {table.discriminator}

    def name(field: str) -> str:
        if field == "expires_at" and table.ttl is not None:
            return table.ttl
        # No attribute of ours may get into somebody's index, or stand in a key's place.
        return f"feed_{field}" if field in taken or field == table.ttl else field

    return name
