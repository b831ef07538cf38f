"""A server in front of a stand-in engine, and a client connected to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.server.standin import Client, StandIn

from tablewright.server import ServerThread


@pytest.fixture
def engine() -> StandIn:
    return StandIn()


@pytest.fixture
def server(engine: StandIn) -> Iterator[ServerThread]:
    with ServerThread(engine) as running:
        yield running


@pytest.fixture
def client(server: ServerThread) -> Iterator[Client]:
    with Client(server.port) as connected:
        yield connected
