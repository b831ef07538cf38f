"""A ``Db`` with the tables of :mod:`tests.client.world`, on each backend."""

from __future__ import annotations

import pytest
from tests.client import world

from tablewright.client import Db, Retries
from tablewright.clock import ManualClock
from tablewright.testing import Backend

#: Quick, so that what is retried does not hold up the tests.
QUICK = Retries(attempts=6, budget=5.0, base=0.001, cap=0.005)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_800_000_000)


@pytest.fixture
def db(tablewright_backend: Backend, clock: ManualClock) -> Db:
    made = tablewright_backend.db(clock=clock, retries=QUICK, cursor_key="key of the tests")
    made.create_tables(world.app)
    return made
