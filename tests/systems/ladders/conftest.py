"""The time, and the engine in process for tests that look into it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.systems.ladders.support import START

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.testing.backends import Backend, in_process


@pytest.fixture
def clock(tablewright_clock: ManualClock) -> ManualClock:
    tablewright_clock.set(START)
    return tablewright_clock


@pytest.fixture
def engine_backend(tablewright_engine: Engine) -> Iterator[Backend]:
    with in_process(tablewright_engine) as backend:
        yield backend
