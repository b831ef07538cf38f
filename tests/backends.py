"""The databases that tests of models and systems run on.

Every test that asks for ``tablewright_backend``, ``tablewright_db`` or ``tablewright_async_db``
runs on the engine in process; `make test-all` runs it on the engine over HTTP and on AWS's own
DynamoDB Local too (the marker ``peer``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from benchmarks.engine.servers import Server, Unavailable, dynamodb_local

from tablewright.engine import Engine
from tablewright.testing.backends import Backend, at_endpoint, in_process, new_prefix, over_http

ENGINE, HTTP, LOCAL = "engine", "http", "local"

EVERYWHERE = [
    ENGINE,
    pytest.param(HTTP, marks=pytest.mark.peer),
    pytest.param(LOCAL, marks=[pytest.mark.peer, pytest.mark.java]),
]

#: For the few tests that run everywhere at once.
SMOKE = [ENGINE, HTTP, pytest.param(LOCAL, marks=pytest.mark.java)]


@contextmanager
def local_server() -> Iterator[str]:
    """The URL of a DynamoDB Local of our own; skips with the reason if it cannot be had."""
    server = Server("DynamoDB Local", dynamodb_local)
    try:
        server.__enter__()
    except Unavailable as reason:
        pytest.skip(f"DynamoDB Local: {reason}")
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.__exit__()


@contextmanager
def opened(name: str, request: pytest.FixtureRequest) -> Iterator[Backend]:
    """The backend called ``name``, empty."""
    if name == LOCAL:
        url: str = request.getfixturevalue("dynamodb_local_url")
        with at_endpoint(url, name=LOCAL, prefix=new_prefix()) as backend:
            yield backend
        return
    engine: Engine = request.getfixturevalue("tablewright_engine")
    with (in_process if name == ENGINE else over_http)(engine) as backend:
        yield backend
