"""Random and malformed requests, in process: an answer or AWS's own error, and sound tables."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fuzz.requests import NAMES, Requests, definitions
from tests.fuzz.verify import check_error, known_errors, verify

from tablewright.engine import AwsError, Engine

SILENT = ("TagResource", "UntagResource")
#: Seconds of processor time that no request may need, however odd it is.
TOO_LONG = 3.0
#: Seconds after which one test makes no more requests, on whatever machine.
BOX = 240.0
#: After so many requests the tables are checked, and made again if requests removed them.
ROUND = 1000


def ensure_tables(engine: Engine) -> None:
    for definition in definitions():
        if engine.catalog.find(definition["TableName"]) is None:
            engine.call("CreateTable", definition)
            enable = {"Enabled": True, "AttributeName": "due"}
            if definition["TableName"] in ("Simple", "Composite"):
                engine.call(
                    "UpdateTimeToLive",
                    {
                        "TableName": definition["TableName"],
                        "TimeToLiveSpecification": enable,
                    },
                )


def ask(
    engine: Engine, requests: Requests, operation: str, body: bytes, known: frozenset[str]
) -> str:
    """Make one request; the code of the error it was answered with, or "ok"."""
    started = time.thread_time()
    try:
        answer = engine.submit_json(operation, body).result(timeout=60)
        if not (operation in SILENT and answer == b""):
            decoded = json.loads(answer)
            assert isinstance(decoded, dict)
            requests.learn(decoded)
        outcome = "ok"
    except AwsError as error:
        check_error(error, known)
        outcome = error.code
    assert time.thread_time() - started < TOO_LONG, "it took too long"
    return outcome


def fuzz(engine: Engine, seed: int, count: int) -> Counter[str]:
    """Make ``count`` requests and check the tables now and then; what the answers were."""
    known = known_errors()
    requests = Requests(seed)
    outcomes: Counter[str] = Counter()
    until = time.monotonic() + BOX
    for number in range(count):
        if number % ROUND == 0:
            if time.monotonic() > until:
                break
            ensure_tables(engine)
        operation, body = requests.next()
        try:
            outcomes[ask(engine, requests, operation, body, known)] += 1
        except Exception as error:
            shown = body if len(body) < 4000 else body[:4000] + b"..."
            pytest.fail(f"request {number} of seed {seed}: {operation} {shown!r}\n{error!r}")
        if number % ROUND == ROUND - 1:
            verify(engine)
    verify(engine)
    return outcomes


def check_variety(outcomes: Counter[str]) -> None:
    """That the requests are neither all fine nor all refused at the door."""
    count = sum(outcomes.values())
    assert count >= ROUND
    assert outcomes["ok"] > count * 0.15, outcomes
    assert outcomes["ValidationException"] > count * 0.1, outcomes
    assert outcomes["SerializationException"] > count * 0.03, outcomes
    assert outcomes["ConditionalCheckFailedException"] > count * 0.005, outcomes


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing may go wrong behind the scenes either."""
    yield
    assert [
        record.getMessage() for record in caplog.get_records("call") if record.levelname == "ERROR"
    ] == []


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_some_requests(seed: int) -> None:
    with Engine.memory() as engine:
        check_variety(fuzz(engine, seed, 1000))


def test_a_folder_stands_it_and_opens_again(tmp_path: Path) -> None:
    with Engine(tmp_path / "data", durability="relaxed") as engine:
        fuzz(engine, 11, 500)
        items = verify(engine)
        names = engine.call("ListTables", {})
    with Engine(tmp_path / "data") as engine:
        assert verify(engine) == items
        assert engine.call("ListTables", {}) == names
        ensure_tables(engine)
        assert set(NAMES) <= set(engine.call("ListTables", {})["TableNames"])


@pytest.mark.parametrize(
    ("seed", "groups"), [(51, 25), pytest.param(52, 250, marks=pytest.mark.slow)]
)
def test_requests_that_are_committed_together(tmp_path: Path, seed: int, groups: int) -> None:
    known, requests = known_errors(), Requests(seed)
    with Engine(tmp_path / "data") as engine:
        ensure_tables(engine)
        for _ in range(groups):
            group = [requests.next() for _ in range(20)]
            answers = [engine.submit_json(operation, body) for operation, body in group]
            for answer, (operation, body) in zip(answers, group, strict=True):
                error = answer.exception(timeout=60)
                if error is not None:
                    assert isinstance(error, AwsError), (operation, body, error)
                    check_error(error, known)
        verify(engine)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 108))
def test_many_requests(seed: int) -> None:
    with Engine.memory() as engine:
        check_variety(fuzz(engine, seed, 10_000))


@pytest.mark.slow
def test_fresh_requests(fuzz_seed: int) -> None:
    """One round of `make fuzz`."""
    with Engine.memory() as engine:
        fuzz(engine, fuzz_seed, 2000)


@pytest.mark.slow
def test_fresh_requests_to_a_folder(tmp_path: Path, fuzz_seed: int) -> None:
    """The same, and what was written is there when the folder is opened again."""
    with Engine(tmp_path / "data", durability="relaxed") as engine:
        fuzz(engine, fuzz_seed, 1000)
        items = verify(engine)
    with Engine(tmp_path / "data") as engine:
        assert verify(engine) == items
