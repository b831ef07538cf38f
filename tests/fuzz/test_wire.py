"""Random bytes and broken HTTP through real sockets: whole answers, and a server that stays."""

from __future__ import annotations

import json
import random
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Keys
from tests.fuzz.test_requests import BOX, ensure_tables
from tests.fuzz.verify import verify
from tests.fuzz.wire import Wire, answers, check, exchange

from tablewright.engine import Engine
from tablewright.server import Credentials, ServerThread
from tablewright.testing import EngineProcess

_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def fuzz(port: int, seed: int, count: int) -> Counter[str]:
    """Open ``count`` connections and send something on each; what the answers were."""
    wire = Wire(seed)
    outcomes: Counter[str] = Counter()
    until = time.monotonic() + BOX
    for number in range(count):
        if time.monotonic() > until:
            break
        outcomes["connections"] += 1
        data = wire.next()
        try:
            received = answers(exchange(port, data, wire.random))
            outcomes.update(check(answer) for answer in received)
            outcomes["silence"] += not received
        except Exception as error:
            shown = data if len(data) < 6000 else data[:6000] + b"..."
            pytest.fail(f"connection {number} of seed {seed}: {shown!r}\n{error!r}")
    return outcomes


def check_variety(outcomes: Counter[str]) -> None:
    count = outcomes["connections"]
    assert count >= 500
    assert outcomes["200"] > count * 0.05, outcomes
    assert outcomes["400"] > count * 0.3, outcomes
    assert outcomes["404"] > 0, outcomes
    # Nothing is said only to those who have not finished a request.
    assert outcomes["silence"] < count * 0.25, outcomes


def healthy(url: str) -> bool:
    with _open(url + "/healthz", timeout=10) as answer:
        return bool(json.loads(answer.read())["status"] == "ok")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(tmp_path / "data") as engine:
        ensure_tables(engine)
        yield engine


def run(engine: Engine, seed: int, count: int, caplog: pytest.LogCaptureFixture) -> None:
    with ServerThread(engine) as server:
        check_variety(fuzz(server.port, seed, count))
        assert healthy(server.url)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
    verify(engine)


def test_some_connections(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    run(engine, 1, 700, caplog)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 204))
def test_many_connections(engine: Engine, caplog: pytest.LogCaptureFixture, seed: int) -> None:
    run(engine, seed, 4000, caplog)


@pytest.mark.slow
def test_fresh_connections(
    engine: Engine, caplog: pytest.LogCaptureFixture, fuzz_seed: int
) -> None:
    """One round of `make fuzz`."""
    run(engine, fuzz_seed, 700, caplog)


@pytest.mark.parametrize(
    ("seed", "count"), [(21, 200), pytest.param(22, 2000, marks=pytest.mark.slow)]
)
def test_the_command_stays_alive_and_its_data_is_sound(
    tmp_path: Path, seed: int, count: int
) -> None:
    with Engine(tmp_path / "data") as engine:
        ensure_tables(engine)
    with EngineProcess(data=tmp_path / "data") as process:
        port = int(process.url.rpartition(":")[2])
        fuzz(port, seed, count)
        assert process.running
        assert healthy(process.url)
        client = boto3.client(
            "dynamodb",
            endpoint_url=process.url,
            region_name="us-east-1",
            aws_access_key_id="a",
            aws_secret_access_key="b",
        )
        tables = client.list_tables()["TableNames"]
        assert process.stop() == 0
    with Engine(tmp_path / "data") as engine:
        verify(engine)
        assert engine.call("ListTables", {})["TableNames"] == tables


# --- signatures ----------------------------------------------------------------------------


def signed(url: str, body: bytes, operation: str) -> bytes:
    """A request signed as botocore signs it."""
    request = AWSRequest(
        "POST",
        url + "/",
        data=body,
        headers={
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "Host": url.partition("//")[2],
            "Content-Length": str(len(body)),
        },
    )
    SigV4Auth(Keys("AKIDFUZZ", "secret"), "dynamodb", "us-east-1").add_auth(request)
    lines = [f"{name}: {value}" for name, value in request.headers.items()]
    return ("POST / HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def test_only_an_unharmed_signature_is_accepted(caplog: pytest.LogCaptureFixture) -> None:
    source = random.Random(31)
    body = b'{"TableName": "Simple", "Key": {"pk": {"S": "a"}}}'
    with Engine.memory() as engine:
        ensure_tables(engine)
        keys = [Credentials("AKIDFUZZ", "secret")]
        with ServerThread(engine, credentials=keys) as server:
            request = signed(server.url, body, "GetItem")
            (answer,) = answers(exchange(server.port, request, source))
            assert answer.status == 200
            for _ in range(300):
                at = source.randrange(len(request))
                harmed = bytearray(request)
                harmed[at] ^= 1 << source.randrange(8)
                for answer in answers(exchange(server.port, bytes(harmed), source)):
                    check(answer)
                    assert answer.status != 200 or _same(request, harmed), bytes(harmed)
            fuzz(server.port, 32, 150)
            assert healthy(server.url)
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def _same(request: bytes, harmed: bytearray) -> bool:
    """Whether only something was changed that the signature does not cover."""
    at = next(place for place, byte in enumerate(request) if harmed[place] != byte)
    start = request.rfind(b"\n", 0, at) + 1
    line = request[start : request.find(b"\n", at)].lower()
    if line.startswith((b"content-length", b"post / http")):
        return True
    # The case of a header's name.
    return at < start + line.find(b":") and harmed.lower() == request.lower()
