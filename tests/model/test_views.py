"""Collections, projections, counters and constraints as declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from tests.client import shapes, world
from tests.client.world import Board, Doc, Task

from tablewright.model import (
    Counter,
    Entity,
    Index,
    Key,
    Projection,
    Shard,
    Table,
    collect,
    definition,
)
from tablewright.model.errors import DataError, ModelError, UnknownEntity


def of_list(list_id: str) -> None:
    """Stub."""


class NoDataclass:
    board: Board


@dataclass
class NoEntities:
    board: Board
    size: int


@dataclass
class TwoTables:
    board: Board
    user: shapes.User


@dataclass
class Apart:
    board: Board
    doc: Doc


@dataclass
class OneTask:
    task: Task


@pytest.mark.parametrize(
    ("view", "text"),
    [
        (NoDataclass, "is a dataclass whose fields are entities"),
        (NoEntities, r"NoEntities\.size"),
        (TwoTables, "live in one table"),
        (Apart, "Board and Doc do not"),
    ],
)
def test_views_that_cannot_be(view: type[Any], text: str) -> None:
    with pytest.raises(ModelError, match=text):
        collect(view)(of_list)


def test_a_bucket_for_one_takes_one() -> None:
    op: Any = collect(OneTask)(of_list)("L")
    known = definition(Task)
    items = [known.encode(world.new_task(number)) for number in range(2)]
    assert op.view.fold(items[:1], 0.0) == OneTask(world.new_task(0))
    with pytest.raises(UnknownEntity, match=r"holds 2; annotate it as tuple"):
        op.view.fold(items, 0.0)


# --- projections ----------------------------------------------------------------------------------


def test_projections_that_cannot_be() -> None:
    with pytest.raises(ModelError, match="Board has no such field"):

        class Strange(Projection, of=Board):
            color: str

    with pytest.raises(ModelError, match="stored as N, but as S in Board"):

        class Numbered(Projection, of=Board):
            title: int

    with pytest.raises(ModelError, match="not an entity"):

        class OfNothing(Projection, of=NoDataclass):  # type: ignore[arg-type]
            title: str


def test_what_an_index_cannot_give_is_said_when_it_is_read() -> None:
    from tablewright.model.projection import projection

    reader = projection(world.Title)
    with pytest.raises(DataError, match="title"):
        reader.decode({"entity_type": {"S": "Board"}, "PK": {"S": "LIST#L"}, "SK": {"S": "BOARD"}})


# --- counters -------------------------------------------------------------------------------------

table = Table("Counters", pk="PK", indexes=[Index("Idx", pk="IPK")])


def test_counters_that_cannot_be() -> None:
    with pytest.raises(ModelError, match="needs a field `shard: Shard"):

        class Shardless(Counter, table=table, keys={"primary": Key("A#{id}")}):
            id: str
            hits: int = 0

    with pytest.raises(ModelError, match="part of the primary key"):

        class Beside(Counter, table=table, keys={"primary": Key("B#{id}")}):
            id: str
            shard: Shard = 0
            hits: int = 0

    with pytest.raises(ModelError, match="number to count"):

        class Nothing(Counter, table=table, keys={"primary": Key("C#{id}#{shard}")}):
            id: str
            shard: Shard = 0

    with pytest.raises(ModelError, match="at least one shard"):

        class None_(Counter, table=table, keys={"primary": Key("D#{id}#{shard}")}, shards=0):
            id: str
            shard: Shard = 0
            hits: int = 0


def test_a_counter_is_an_entity() -> None:
    assert issubclass(world.Hits, Entity)
    assert world.Hits.__shards__ == 4
    assert world.Hits.__identity__ == ("page",)
