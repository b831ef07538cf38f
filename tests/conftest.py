"""The backends, for every test that runs on a ``Db``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.backends import EVERYWHERE, local_server, opened
from tests.compiled import kept, shared
from tests.sampling import unhurried

from tablewright.testing.backends import Backend

kept()
unhurried()


def pytest_configure(config: pytest.Config) -> None:
    shared(config)


@pytest.fixture(scope="session")
def dynamodb_local_url() -> Iterator[str]:
    """One DynamoDB Local for the whole run (one in each process of a parallel run)."""
    with local_server() as url:
        yield url


@pytest.fixture(params=EVERYWHERE)
def tablewright_backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    with opened(request.param, request) as backend:
        yield backend
