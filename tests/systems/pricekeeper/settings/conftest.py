"""One system for the tests of a module, since making all its routes takes a while.

Each test begins at the samples' moment, without organisations and without an audit log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from tests.systems.pricekeeper.settings.support import START, Api, opened

from tablewright.clock import ManualClock
from tablewright.engine import Engine

Test = Callable[[Api], Coroutine[Any, Any, None]]
Run = Callable[[Test], None]


class Shared:
    """The system of a module, and the loop that it lives in."""

    def __init__(self, engine: Engine, clock: ManualClock, options: dict[str, object]) -> None:
        self.engine = engine
        self.clock = clock
        self._options = options
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()

    def open(self) -> None:
        entering = self._stack.enter_async_context(opened(self.engine, self.clock, **self._options))
        self._api = self._runner.run(entering)

    def run(self, test: Test) -> None:
        self._runner.run(test(self._api))

    def clean(self) -> None:
        self.clock.set(START)
        for table in ("Config", "PricingCache", "pricekeeper-kit"):
            for item in self.engine.call("Scan", {"TableName": table})["Items"]:
                if not _is_kept(item):
                    key = {name: item[name] for name in ("PK", "SK")}
                    self.engine.call("DeleteItem", {"TableName": table, "Key": key})

    def close(self) -> None:
        self._runner.run(self._stack.aclose())
        self._runner.close()


def _is_kept(item: dict[str, Any]) -> bool:
    """What the system began with: keys, the labels of all tests, and the bundled prices."""
    bundled = item.get("source") == {"S": "BUNDLED"}
    return bundled or item["PK"]["S"] in ("APIKEYS", "GLOBAL#LABEL")


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest) -> Iterator[Shared]:
    """``OPTIONS`` of the module are the system's own settings."""
    clock = ManualClock(START)
    options = getattr(request.module, "OPTIONS", {})
    with Engine.memory(clock=clock) as engine:
        system = Shared(engine, clock, options)
        system.open()
        yield system
        system.close()


@pytest.fixture
def run(shared: Shared) -> Run:
    """``run(test)``: a coroutine that is given the API."""
    shared.clean()
    return shared.run


@pytest.fixture
def clock(shared: Shared) -> ManualClock:
    """The system's clock, to be moved."""
    return shared.clock


@pytest.fixture
def engine(shared: Shared) -> Engine:
    """The database, to make it fail."""
    return shared.engine
