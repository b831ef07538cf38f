"""The demo in an engine, under the names of an environment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tablewright.client import Db, Embedded, RequestEvent
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.demo import demo
from tablewright.systems.ladders.environments import Environment

TEST = Environment("test")


@contextmanager
def running(hook: Callable[[RequestEvent], object] | None = None) -> Iterator[Db]:
    with Engine.memory() as engine:
        db = Db(Embedded(engine), names=TEST.physical, hook=hook)
        db.create_tables(m.model)
        assert engine.call("ListTables", {})["TableNames"] == sorted(
            f"osem-test-{name}" for name in m.model.tables
        )
        for item in demo().items:
            db.run(put(item))
        yield db
