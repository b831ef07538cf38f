"""A database that holds the demo; the time, and the engine in process for tests that count."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tablewright.client import Db, Embedded
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.systems.vibejudge.demo import demo
from tablewright.systems.vibejudge.demo_hackathons import NOW
from tablewright.systems.vibejudge.model import model
from tablewright.systems.vibejudge.repos.heads import Head
from tablewright.systems.vibejudge.service.submissions import reachability
from tablewright.testing.backends import Backend, in_process


def loaded(engine: Engine) -> Db:
    db = Db(Embedded(engine))
    db.create_tables(model)
    for item in demo().items:
        db.run(put(item))
    return db


@pytest.fixture
def db(tablewright_engine: Engine) -> Db:
    return loaded(tablewright_engine)


@pytest.fixture
def clock(tablewright_clock: ManualClock) -> ManualClock:
    tablewright_clock.set(NOW.timestamp())
    return tablewright_clock


@pytest.fixture
def engine_backend(tablewright_engine: Engine) -> Iterator[Backend]:
    with in_process(tablewright_engine) as backend:
        yield backend


@pytest.fixture(autouse=True)
def reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every repository that is handed in is there; no test asks a host."""
    monkeypatch.setattr(reachability, "head_of", lambda *_: Head("0" * 40, "main"))
