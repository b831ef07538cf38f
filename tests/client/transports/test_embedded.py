"""The engine in process: answers, errors, and an event loop that is never blocked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.client.transports import (
    AsyncEmbedded,
    Embedded,
    Failure,
    Request,
    Response,
    Unreachable,
)
from tablewright.engine import Engine
from tablewright.engine.errors import AwsError
from tablewright.engine.pending import Pending
from tablewright.engine.realism import Fault, Realism

Send = Callable[..., Response]
KEY = {"pk": {"S": "a"}}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.memory() as opened:
        opened.call(
            "CreateTable",
            {
                "TableName": "Things",
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            },
        )
        yield opened


@pytest.fixture(params=["sync", "async"])
def send(request: pytest.FixtureRequest, engine: Engine) -> Send:
    def send_(operation: str, **body: Any) -> Response:
        wanted = Request(operation, {"TableName": "Things", **body})
        if request.param == "sync":
            return Embedded(engine).send(wanted)
        return asyncio.run(AsyncEmbedded(engine).send(wanted))

    return send_


def test_requests(send: Send) -> None:
    assert send("PutItem", Item={**KEY, "n": {"N": "1"}}).body == {}
    got = send("GetItem", Key=KEY)
    assert got == Response({"Item": {**KEY, "n": {"N": "1"}}}, 0, 0)


def test_errors_are_failures(send: Send) -> None:
    send("PutItem", Item=KEY)
    with pytest.raises(Failure) as caught:
        send(
            "PutItem",
            Item=KEY,
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    failure = caught.value
    assert (failure.code, failure.status) == ("ConditionalCheckFailedException", 400)
    assert failure.message == "The conditional request failed"
    assert failure.body["Item"] == KEY
    with pytest.raises(Failure) as caught:
        send("NoSuchThing")
    assert caught.value.code == "UnknownOperationException"


def test_injected_faults(send: Send, engine: Engine) -> None:
    engine.realism = Realism(faults=(Fault(operations=("GetItem",), error="InternalServerError"),))
    with pytest.raises(Failure) as caught:
        send("GetItem", Key=KEY)
    assert caught.value.status == 500
    engine.realism = Realism(faults=(Fault(operations=("PutItem",), drop=True, after=True),))
    with pytest.raises(Unreachable) as lost:
        send("PutItem", Item=KEY)
    assert lost.value.sent
    assert send("GetItem", Key=KEY).body == {"Item": KEY}


def test_a_closed_engine(send: Send, engine: Engine) -> None:
    engine.close()
    with pytest.raises(Unreachable) as caught:
        send("GetItem", Key=KEY)
    assert not caught.value.sent


def test_nothing_stored_is_shared(send: Send) -> None:
    item: dict[str, Any] = {**KEY, "tags": {"L": [{"S": "x"}]}, "m": {"M": {"k": {"N": "1"}}}}
    expected: dict[str, Any] = {**KEY, "tags": {"L": [{"S": "x"}]}, "m": {"M": {"k": {"N": "1"}}}}
    send("PutItem", Item=item)
    item["tags"]["L"].append({"S": "y"})
    first = send("GetItem", Key=KEY).body["Item"]
    assert first == expected
    first["m"]["M"]["k"]["N"] = "2"
    value = {"L": [{"S": "z"}]}
    new = send(
        "UpdateItem",
        Key=KEY,
        UpdateExpression="SET tags = :t",
        ExpressionAttributeValues={":t": value},
        ReturnValues="ALL_NEW",
    ).body["Attributes"]
    new["tags"]["L"].clear()
    new["m"]["M"].clear()
    assert send("GetItem", Key=KEY).body["Item"] == {**expected, "tags": {"L": [{"S": "z"}]}}
    described = send("DescribeTable").body
    described["Table"]["KeySchema"].clear()
    described["Table"]["AttributeDefinitions"].clear()
    assert send("DescribeTable").body["Table"]["KeySchema"]
    assert send("GetItem", Key=KEY).body["Item"]


def test_what_is_no_answer_stays_what_it_is() -> None:
    class Broken:
        def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            raise ZeroDivisionError("a bug")

        def submit(
            self,
            operation: str,
            request: dict[str, Any],
            *,
            owned: bool = False,
            read: object = None,
        ) -> Pending[dict[str, Any]]:
            return Pending.failed(ZeroDivisionError("a bug"))

    with pytest.raises(ZeroDivisionError):
        Embedded(Broken()).send(Request("GetItem", {}))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(AsyncEmbedded(Broken()).send(Request("GetItem", {})))


class Slow:
    """An engine whose writes are committed when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[Pending[dict[str, Any]]] = []

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError("this would block")

    def submit(
        self, operation: str, request: dict[str, Any], *, owned: bool = False, read: object = None
    ) -> Pending[dict[str, Any]]:
        if operation == "GetItem":
            return Pending.of({"read": True})
        self.waiting.append(Pending())
        return self.waiting[-1]

    def commit(self) -> None:
        for position, pending in enumerate(self.waiting):
            if position == 1:
                pending.set_exception(AwsError("ThrottlingException", "slow down"))
            else:
                pending.set_result({"position": position})


def test_the_loop_goes_on_while_writes_wait() -> None:
    slow = Slow()

    async def main() -> None:
        transport = AsyncEmbedded(slow)
        cancelled = asyncio.create_task(transport.send(Request("PutItem", {})))
        writes = [asyncio.create_task(transport.send(Request("PutItem", {}))) for _ in range(50)]
        await asyncio.sleep(0.01)
        cancelled.cancel()
        assert (await transport.send(Request("GetItem", {}))).body == {"read": True}
        assert not any(write.done() for write in writes)
        threading.Thread(target=slow.commit).start()
        results = await asyncio.wait_for(asyncio.gather(*writes, return_exceptions=True), 10)
        assert isinstance(results[0], Failure)
        done = [each.body["position"] for each in results if isinstance(each, Response)]
        assert done == list(range(2, 51))
        with pytest.raises(asyncio.CancelledError):
            await cancelled

    asyncio.run(main())


def test_a_loop_that_is_gone_harms_nobody() -> None:
    slow = Slow()
    transport = AsyncEmbedded(slow)

    async def leave() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(transport.send(Request("PutItem", {})), 0.01)

    asyncio.run(leave())
    slow.commit()


def test_durable_writes_of_many_coroutines(tmp_path: Path) -> None:
    with Engine(tmp_path) as engine:
        Embedded(engine).send(
            Request(
                "CreateTable",
                {
                    "TableName": "Things",
                    "BillingMode": "PAY_PER_REQUEST",
                    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                },
            )
        )
        transport = AsyncEmbedded(engine)

        async def main() -> None:
            puts = [
                Request("PutItem", {"TableName": "Things", "Item": {"pk": {"S": str(n)}}})
                for n in range(200)
            ]
            await asyncio.gather(*map(transport.send, puts))

        for _ in range(2):  # each run brings a loop of its own
            asyncio.run(main())
        counted = Embedded(engine).send(Request("Scan", {"TableName": "Things", "Select": "COUNT"}))
        assert counted.body["Count"] == 200
