"""An engine whose clock the test moves, with the tables in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.client.feed.shop import open_db

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.engine import Engine


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def engine(clock: ManualClock) -> Iterator[Engine]:
    with Engine.memory(clock=clock) as engine:
        yield engine


@pytest.fixture
def db(engine: Engine) -> Db:
    return open_db(engine)
