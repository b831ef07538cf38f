"""Faults as clients of the server meet them."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from tests.engine.samples import simple_table, strings

from tablewright.engine import Engine, Fault, Realism
from tablewright.server import ServerThread

SIGNED = (
    "AWS4-HMAC-SHA256 Credential=local/20250101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=0"
)


@pytest.fixture
def served() -> Iterator[tuple[Engine, int]]:
    with Engine.memory() as engine:
        engine.call("CreateTable", simple_table())
        with ServerThread(engine) as server:
            yield engine, server.port


def ask(port: int, operation: str, request: dict[str, Any]) -> tuple[int, Any]:
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Date": "20250101T000000Z",
        "Authorization": SIGNED,
    }
    try:
        connection.request("POST", "/", orjson.dumps(request), headers)
        response = connection.getresponse()
        return response.status, orjson.loads(response.read())
    finally:
        connection.close()


PUT = {"TableName": "Simple", "Item": strings(pk="a")}
GET = {"TableName": "Simple", "Key": strings(pk="a")}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("InternalServerError", 500),
        ("ServiceUnavailableException", 503),
        ("ProvisionedThroughputExceededException", 400),
    ],
)
def test_an_error_has_its_status_and_type(
    served: tuple[Engine, int], code: str, expected: int
) -> None:
    engine, port = served
    engine.realism = Realism(faults=(Fault("PutItem", error=code),))
    status, body = ask(port, "PutItem", PUT)
    assert status == expected
    assert body["__type"].endswith(f"#{code}")


@pytest.mark.parametrize("after", [False, True])
def test_a_dropped_connection_has_no_answer(served: tuple[Engine, int], after: bool) -> None:
    engine, port = served
    engine.realism = Realism(faults=(Fault("PutItem", drop=True, after=after),))
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        ask(port, "PutItem", PUT)
    _, body = ask(port, "GetItem", GET)
    assert ("Item" in body) is after


def test_a_slow_request_holds_up_nobody_else(served: tuple[Engine, int]) -> None:
    engine, port = served
    engine.realism = Realism(faults=(Fault("PutItem", latency=2.0),))
    answers: list[tuple[int, Any]] = []
    slow = threading.Thread(target=lambda: answers.append(ask(port, "PutItem", PUT)))
    start = time.monotonic()
    slow.start()
    for _ in range(20):
        assert ask(port, "GetItem", GET) == (200, {})
    assert answers == []
    slow.join()
    assert time.monotonic() - start >= 2.0
    assert answers == [(200, {})]
