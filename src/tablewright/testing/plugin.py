"""The pytest plugin: an isolated DynamoDB for each test, in whatever form the test wants it.

Ask for as many of these in one test as you like; they are all the same, empty engine:

* ``tablewright_engine``: the engine itself; ``engine.call("PutItem", {...})``
* ``tablewright_client``, ``tablewright_resource``, ``tablewright_streams``: boto3's, in process
* ``tablewright_patched``: every DynamoDB client that the code under test makes goes to the engine
* ``tablewright_url``: the engine behind a port, for everything else
* ``tablewright_db``, ``tablewright_async_db``: a ``Db`` and an ``AsyncDb`` on it, for what is
  declared with :mod:`tablewright.model`. They stand on ``tablewright_backend``; override that to
  run the same tests somewhere else (see :mod:`tablewright.testing.backends`).
* ``tablewright_clock``: a clock that stands still until the test moves it, and that the engine of
  this test then goes by

This module is imported by every pytest run of an environment that has tablewright installed, so
everything that takes time to import is imported by the fixture that needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tablewright.client import AsyncDb, Db
    from tablewright.clock import ManualClock
    from tablewright.engine import Engine
    from tablewright.testing.backends import Backend


@pytest.fixture
def tablewright_clock() -> ManualClock:
    """A clock that the test moves: ``tablewright_clock.advance(seconds)``."""
    from tablewright.clock import ManualClock

    return ManualClock()


@pytest.fixture
def tablewright_engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An empty engine in memory, on ``tablewright_clock`` if the test asks for that too."""
    from tablewright.engine import Engine

    with Engine.memory(clock=_clock_of(request)) as engine:
        yield engine


@pytest.fixture
def tablewright_url(tablewright_engine: Engine) -> Iterator[str]:
    """The URL at which the engine speaks DynamoDB's wire protocol."""
    from tablewright.server import ServerThread

    with ServerThread(tablewright_engine) as server:
        yield server.url


@pytest.fixture
def tablewright_backend(tablewright_engine: Engine) -> Iterator[Backend]:
    """Where ``tablewright_db`` runs: the engine in process, unless a project overrides it."""
    from tablewright.testing.backends import in_process

    with in_process(tablewright_engine) as backend:
        yield backend


@pytest.fixture
def tablewright_db(request: pytest.FixtureRequest, tablewright_backend: Backend) -> Db:
    """A ``Db``, on ``tablewright_clock`` if the test asks for that too."""
    return tablewright_backend.db(clock=_clock_of(request))


@pytest.fixture
def tablewright_async_db(request: pytest.FixtureRequest, tablewright_backend: Backend) -> AsyncDb:
    """The same for coroutines. Close it in the loop that used it: ``async with``."""
    return tablewright_backend.async_db(clock=_clock_of(request))


def _clock_of(request: pytest.FixtureRequest) -> ManualClock | None:
    if "tablewright_clock" not in request.fixturenames:
        return None
    clock: ManualClock = request.getfixturevalue("tablewright_clock")
    return clock


@pytest.fixture
def tablewright_client(tablewright_engine: Engine) -> Any:
    """A boto3 ``dynamodb`` client of the engine, in process."""
    sdk = _sdk("tablewright_client")
    return sdk.connect(tablewright_engine, sdk.new_client(tablewright_engine))


@pytest.fixture
def tablewright_streams(tablewright_engine: Engine) -> Any:
    """A boto3 ``dynamodbstreams`` client of the engine, in process."""
    sdk = _sdk("tablewright_streams")
    client = sdk.new_client(tablewright_engine, "dynamodbstreams")
    return sdk.connect(tablewright_engine, client)


@pytest.fixture
def tablewright_resource(tablewright_engine: Engine) -> Any:
    """A boto3 ``dynamodb`` resource of the engine, in process."""
    sdk = _sdk("tablewright_resource")
    return sdk.connect(tablewright_engine, sdk.new_resource(tablewright_engine))


@pytest.fixture
def tablewright_patched(tablewright_engine: Engine) -> Iterator[Engine]:
    """Sends every DynamoDB client that is made during the test to the engine."""
    with _sdk("tablewright_patched").patched(tablewright_engine) as engine:
        yield engine


def _sdk(fixture: str) -> Any:
    """The module that joins boto3 and the engine; fails the test if boto3 is not installed."""
    from tablewright.testing import sdk

    try:
        import boto3  # noqa: F401
    except ImportError:
        pytest.fail(
            f"The fixture {fixture} needs boto3, which is not installed (pip install boto3). "
            "tablewright_engine and tablewright_url work without it.",
            pytrace=False,
        )
    return sdk
