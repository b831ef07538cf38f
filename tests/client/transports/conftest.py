"""Transports of every kind, closed at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest
from tests.client.transports.faulty import Caller

from tablewright.client.transports import Credentials

KINDS = ["threads", "asyncio", *(["uvloop"] if sys.platform != "win32" else [])]


@pytest.fixture(params=KINDS)
def call(request: pytest.FixtureRequest) -> Iterator[Callable[..., Caller]]:
    """Makes a caller for a URL; the test runs once for each kind of transport."""
    made: list[Caller] = []

    def make(url: str, **options: object) -> Caller:
        options = {"region": "us-east-1", "credentials": Credentials("AK", "SK"), **options}
        caller = Caller(request.param, url, **options)
        made.append(caller)
        return caller

    yield make
    for caller in made:
        caller.close()


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine is set up with makes no difference."""
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_PROFILE",
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_DYNAMODB",
        "AWS_CA_BUNDLE",
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
