"""A ``Db`` on each backend, and the raw requests that change things behind the model's back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.backends import local_server

from tablewright.client import Db
from tablewright.client.transports import Request
from tablewright.testing import Backend

Send = Callable[..., dict[str, Any]]


@pytest.fixture
def db(tablewright_backend: Backend) -> Db:
    return tablewright_backend.db()


@pytest.fixture
def send(tablewright_backend: Backend) -> Send:
    """Send one request as it is; ``table`` is the logical name."""
    transport = tablewright_backend.transport()

    def raw(operation: str, table: str | None = None, **body: Any) -> dict[str, Any]:
        if table is not None:
            body["TableName"] = tablewright_backend.physical(table)
        return transport.send(Request(operation, body)).body

    return raw


@pytest.fixture(scope="module")
def dynamodb_local_url() -> Iterator[str]:
    """A DynamoDB Local of each module's own: one that has migrated much stops finishing indexes."""
    with local_server() as url:
        yield url
