"""Engines and small tables for the conformance tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine

Call = Callable[..., dict[str, Any]]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_800_000_000)


@pytest.fixture
def engine(clock: ManualClock) -> Iterator[Engine]:
    """An empty engine in memory, on a clock the test moves."""
    with Engine.memory(clock=clock) as engine:
        yield engine


@pytest.fixture
def disk_engine(tmp_path: Path, clock: ManualClock) -> Iterator[Engine]:
    """An empty engine in a folder, as durable as by default."""
    with Engine(tmp_path / "data", clock=clock) as engine:
        yield engine


@pytest.fixture
def call(engine: Engine) -> Call:
    """``call("PutItem", TableName=..., ...)`` on the engine."""
    return lambda operation, **request: engine.call(operation, request)


@pytest.fixture
def refused(engine: Engine) -> Callable[..., AwsError]:
    """``refused("PutItem", ...)`` returns the error; fails if the request was accepted."""

    def run(operation: str, **request: Any) -> AwsError:
        with pytest.raises(AwsError) as caught:
            engine.call(operation, request)
        return caught.value

    return run
