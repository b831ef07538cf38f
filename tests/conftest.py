"""The backends, for every test that runs on a ``Db``."""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator, Iterator

import pytest
from tests.backends import EVERYWHERE, local_server, opened
from tests.certificates import read_once
from tests.compiled import kept, shared
from tests.sampling import unhurried

from tablewright.testing.backends import Backend

kept()
read_once()
unhurried()
# Who starts the tests in the background may have them ignore Ctrl-C; programs that they start and
# interrupt must not inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    shared(config)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests stay until the end: whoever looks for garbage need not look at them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session")
def dynamodb_local_url() -> Iterator[str]:
    """One DynamoDB Local for the whole run (one in each process of a parallel run)."""
    with local_server() as url:
        yield url


@pytest.fixture(params=EVERYWHERE)
def tablewright_backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    with opened(request.param, request) as backend:
        yield backend
