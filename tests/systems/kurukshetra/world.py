"""The demo in an engine, at the time of the demo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tablewright.client import Db, Embedded, RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.demo import demo
from tablewright.systems.kurukshetra.demo_items import NOW, TODAY
from tablewright.systems.kurukshetra.fields import SEATED


@contextmanager
def running(
    load: bool = True, hook: Callable[[RequestEvent], object] | None = None
) -> Iterator[Db]:
    clock = ManualClock(NOW.timestamp())
    with Engine.memory(clock=clock) as engine:
        db = Db(Embedded(engine), clock=clock, hook=hook)
        db.create_tables(m.model)
        if load:
            for item in demo().items:
                db.run(put(item))
        yield db


def seats_and_teams(db: Db, event_id: str) -> tuple[int, int]:
    """The capacity, and free seats with the teams that have one: always the same."""
    seats = db.require(m.seats(event_id))
    teams = [each for each in db.iterate(m.every_team()) if each.event_id == event_id]
    return seats.capacity, seats.free + sum(each.payment_status in SEATED for each in teams)


def counted(db: Db, event_id: str) -> dict[str, Any]:
    """The sums of all statistics of today."""
    sums: dict[str, Any] = {}
    for each in db.iterate(m.statistics(event_id, TODAY, TODAY)):
        for name, value in each.model_dump(exclude={"shard"}).items():
            if isinstance(value, int):
                sums[name] = sums.get(name, 0) + value
    return sums
