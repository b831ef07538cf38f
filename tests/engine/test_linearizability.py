"""Single-item operations under concurrency behave as if done one after another."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.linearizable import Operation, is_linearizable
from tests.engine.samples import simple_table, strings
from tests.engine.wire import Refused, Wire

from tablewright.engine import AwsError, Engine
from tablewright.testing import EngineProcess

CLIENTS, KEYS, ROUNDS = 6, 4, 60


def act(call: Callable[..., Any], kind: str, key: str, value: str, expected: str) -> Operation:
    """Do one operation and say what happened when."""
    called = time.monotonic()
    result: Any = None
    if kind == "read":
        answer = call("GetItem", TableName="Simple", Key=strings(pk=key), ConsistentRead=True)
        result = answer["Item"]["v"]["S"] if "Item" in answer else None
    elif kind == "write":
        call("PutItem", TableName="Simple", Item=strings(pk=key, v=value))
    else:
        try:
            call(
                "UpdateItem",
                TableName="Simple",
                Key=strings(pk=key),
                UpdateExpression="SET v = :new",
                ConditionExpression="v = :old",
                ExpressionAttributeValues={":new": {"S": value}, ":old": {"S": expected}},
            )
            result = True
        except (AwsError, Refused) as error:
            if error.code != "ConditionalCheckFailedException":
                raise
            result = False
    return Operation(kind, called, time.monotonic(), value, expected, result)


def run_clients(connect: Callable[[], Callable[..., Any]]) -> dict[str, list[Operation]]:
    histories: dict[str, list[Operation]] = {f"k{n}": [] for n in range(KEYS)}
    failures: list[BaseException] = []

    def client(number: int) -> None:
        chance = random.Random(number)
        call = connect()
        last: dict[str, str] = {}
        try:
            for n in range(ROUNDS):
                key = f"k{chance.randrange(KEYS)}"
                kind = chance.choice(("read", "write", "swap"))
                operation = act(call, kind, key, f"{number}-{n}", last.get(key, "none"))
                histories[key].append(operation)
                if kind == "read" and operation.result is not None:
                    last[key] = str(operation.result)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=client, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    return histories


def check(histories: dict[str, list[Operation]]) -> None:
    swaps = [op for history in histories.values() for op in history if op.kind == "swap"]
    assert any(op.result for op in swaps), "the test saw no successful conditional write"
    for key, history in histories.items():
        assert is_linearizable(history), key


@pytest.mark.parametrize("durability", ["full", "relaxed"])
def test_threads_in_one_process(tmp_path: Path, durability: Any) -> None:
    with Engine(tmp_path / "data", durability=durability) as engine:
        engine.call("CreateTable", simple_table())
        check(run_clients(lambda: lambda operation, **request: engine.call(operation, request)))


def test_threads_in_memory(engine: Engine) -> None:
    engine.call("CreateTable", simple_table())
    check(run_clients(lambda: lambda operation, **request: engine.call(operation, request)))


def test_clients_over_http(tmp_path: Path) -> None:
    with EngineProcess(tmp_path / "data") as server:
        Wire(server.url).call("CreateTable", **simple_table())
        check(run_clients(lambda: Wire(server.url).call))


def test_the_checker_notices_a_stale_read() -> None:
    history = [
        Operation("write", 0, 1, "a"),
        Operation("write", 2, 3, "b"),
        Operation("read", 4, 5, result="a"),
    ]
    assert not is_linearizable(history)
    overlapping = [*history[:2], Operation("read", 2.5, 5, result="a")]
    assert is_linearizable(overlapping)


def test_the_checker_notices_a_lost_update() -> None:
    history = [
        Operation("write", 0, 1, "a"),
        Operation("swap", 2, 4, "b", "a", True),
        Operation("swap", 2, 4, "c", "a", True),
    ]
    assert not is_linearizable(history)
