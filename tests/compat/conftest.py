"""A server for the clients: a real process, shared; or one in this process, for tests that
interfere with the engine (faults, the clock)."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.server import ServerThread
from tablewright.testing import EngineProcess

REGION = "us-east-1"
ACCESS_KEY = "local"
SECRET_KEY = "local-secret"

_numbers = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """The URL of `tablewright engine --memory`, as a user starts it."""
    with EngineProcess() as process:
        yield process.url


@pytest.fixture
def name() -> str:
    """A table name that no other test uses: they share the server."""
    return f"compat-{os.getpid()}-{next(_numbers)}"


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment for child processes in which no configuration of the user's is found."""
    empty = tmp_path_factory.mktemp("aws") / "config"
    empty.write_text("")
    kept = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
    return {
        **kept,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_CONFIG_FILE": str(empty),
        "AWS_SHARED_CREDENTIALS_FILE": str(empty),
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }


def settings(url: str) -> dict[str, Any]:
    """What every boto3 client here is made with."""
    return {
        "endpoint_url": url,
        "region_name": REGION,
        "aws_access_key_id": ACCESS_KEY,
        "aws_secret_access_key": SECRET_KEY,
        "config": Config(
            retries={"total_max_attempts": 3, "mode": "standard"},
            connect_timeout=5,
            read_timeout=20,
            proxies={},
        ),
    }


@pytest.fixture(scope="session")
def client(endpoint: str) -> Any:
    return boto3.Session().client("dynamodb", **settings(endpoint))


@pytest.fixture(scope="session")
def streams(endpoint: str) -> Any:
    return boto3.Session().client("dynamodbstreams", **settings(endpoint))


@pytest.fixture(scope="session")
def resource(endpoint: str) -> Any:
    return boto3.Session().resource("dynamodb", **settings(endpoint))


@pytest.fixture
def make_table(client: Any, name: str) -> Iterator[Callable[..., str]]:
    """``make_table(pk="S", sk="N", **CreateTable)`` makes a table and returns its name."""
    made: list[str] = []

    def make(pk: str = "S", sk: str | None = None, **more: Any) -> str:
        keys = [("pk", "HASH", pk)] + ([("sk", "RANGE", sk)] if sk else [])
        definitions = more.pop("AttributeDefinitions", [])
        table = f"{name}-{len(made)}"
        client.create_table(
            TableName=table,
            KeySchema=[{"AttributeName": key, "KeyType": role} for key, role, _ in keys],
            AttributeDefinitions=[
                {"AttributeName": key, "AttributeType": kind} for key, _, kind in keys
            ]
            + definitions,
            **{"BillingMode": "PAY_PER_REQUEST", **more},
        )
        made.append(table)
        return table

    yield make
    for table in made:
        client.delete_table(TableName=table)


class Local:
    """An engine of this test's own, behind a port; the test may interfere with it."""

    def __init__(self, engine: Engine, clock: ManualClock, url: str) -> None:
        self.engine = engine
        self.clock = clock
        self.url = url

    def client(self, service: str = "dynamodb") -> Any:
        return boto3.Session().client(service, **settings(self.url))


@pytest.fixture
def local() -> Iterator[Local]:
    clock = ManualClock(1_800_000_000)
    with Engine.memory(clock=clock) as engine, ServerThread(engine) as server:
        yield Local(engine, clock, server.url)
