"""Write sharding for a partition: today's events, too many for one partition key.

Everything that happens today would go to one partition, which takes a thousand write units a
second. Four shards take four thousand. Whoever reads asks all of them and merges the answers
(scatter and gather).
"""

from collections.abc import Iterator
from datetime import date
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Field,
    Key,
    Rate,
    Table,
    Ulid,
    new_ulid,
    put,
    query,
    shard_of,
)

SHARDS = 4

log = Table("EventLog", pk="PK", sk="SK")


def _shard(fields: dict[str, Any]) -> int:
    return shard_of(fields["event_id"], SHARDS)


class Event(
    Entity,
    table=log,
    keys={"primary": Key("EVENTS#{day}#{shard:02d}", "{event_id}")},
):
    day: date
    event_id: Ulid = Field(default_factory=new_ulid)
    shard: int = Field(default_factory=_shard, ge=0, lt=SHARDS)
    text: str


@query(Event, descending=True, page_size=25, rate=Rate(20))
def events_of_shard(day: date, shard: int) -> None:
    """One day's events in one shard, the latest first."""


def latest_events(db: Db, day: date) -> Iterator[Event]:
    """One day's events of all shards, the latest first; reads 25 of each at a time."""
    shards = [db.iterate(events_of_shard(day, shard)) for shard in range(SHARDS)]
    return merge(*shards, key=attrgetter("event_id"), reverse=True)


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(log)
        today = date(2026, 3, 2)
        for number in range(1, 41):
            db.run(put(Event(day=today, text=f"event {number}")))

        sizes = [len(db.run(events_of_shard(today, shard))) for shard in range(SHARDS)]
        print("every shard has some:", all(sizes))
        latest = islice(latest_events(db, today), 3)
        print("latest:", ", ".join(event.text for event in latest))


if __name__ == "__main__":
    main()
