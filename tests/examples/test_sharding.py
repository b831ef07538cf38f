from __future__ import annotations

from datetime import date
from itertools import islice

from examples.sharded_counter import page_views, viewed
from examples.sharded_partition import SHARDS, Event, events_of_shard, latest_events

from examples import sharded_counter, sharded_partition
from tablewright.client import Db, RequestEvent
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.testing.backends import Backend

TODAY = date(2026, 1, 1)


def test_a_counter_is_the_sum_of_its_shards(tablewright_db: Db, inside: Engine) -> None:
    db = tablewright_db
    db.create_tables(sharded_counter.site)
    for number in range(50):
        db.run(viewed("home", str(number), seconds=number))
    home = db.run(page_views("home"))
    assert (home.page, home.views, home.seconds) == ("home", 50, 1225)
    assert db.run(page_views("away")).views == 0
    items = inside.call("Scan", {"TableName": "Site"})["Items"]
    assert len({item["PK"]["S"] for item in items}) == 8


def test_a_day_is_the_merge_of_its_shards(tablewright_db: Db) -> None:
    db = tablewright_db
    db.create_tables(sharded_partition.log)
    events = [db.run(put(Event(day=TODAY, text=str(number)))) for number in range(200)]
    db.run(put(Event(day=date(2026, 1, 2), text="another day")))
    assert list(latest_events(db, TODAY)) == events[::-1]
    sizes = [len(db.run(events_of_shard(TODAY, shard))) for shard in range(SHARDS)]
    assert sum(sizes) == len(events)
    assert min(sizes) > len(events) / SHARDS / 2


def test_the_first_few_cost_little(tablewright_backend: Backend) -> None:
    requests: list[RequestEvent] = []
    db = tablewright_backend.db(hook=requests.append)
    db.create_tables(sharded_partition.log)
    for number in range(200):
        db.run(put(Event(day=TODAY, text=str(number))))
    requests.clear()
    assert [event.text for event in islice(latest_events(db, TODAY), 3)] == ["199", "198", "197"]
    assert len(requests) == SHARDS
