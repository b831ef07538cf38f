"""Both transports over HTTP: against the server, and against servers that misbehave."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from tests.client.transports.faulty import Caller, FaultyServer, answer, says

from tablewright.client.transports import (
    AsyncHttpTransport,
    Credentials,
    Failure,
    HttpTransport,
    Request,
    Unreachable,
)
from tablewright.client.transports import connection as connections
from tablewright.client.transports.site import Site
from tablewright.engine import Engine
from tablewright.model.errors import RequestError
from tablewright.server import Credentials as Known
from tablewright.server import Limits, ServerThread

Call = Callable[..., Caller]
KEY = {"pk": {"S": "a"}}
TABLE = {
    "TableName": "Things",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
}


@pytest.fixture
def server() -> Iterator[ServerThread]:
    with Engine.memory() as engine, ServerThread(engine) as running:
        engine.call("CreateTable", TABLE)
        yield running


# --- the real thing ----------------------------------------------------------------------


def test_items_and_errors(server: ServerThread, call: Call) -> None:
    caller = call(server.url)
    item = {
        **KEY,
        "text": {"S": 'ünïcödé \U0001f600 \x00"\\'},
        "n": {"N": "12345678901234567890.5"},
    }
    assert caller.send("PutItem", TableName="Things", Item=item).body == {}
    got = caller.send("GetItem", TableName="Things", Key=KEY)
    assert got.body == {"Item": item}
    assert got.sent == len(b'{"TableName":"Things","Key":{"pk":{"S":"a"}}}')
    assert got.received > 60
    with pytest.raises(Failure) as caught:
        caller.send(
            "DeleteItem",
            TableName="Things",
            Key=KEY,
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.code == "ConditionalCheckFailedException"
    assert caught.value.message == "The conditional request failed"
    assert caught.value.body["Item"] == item


def test_streams(server: ServerThread, call: Call) -> None:
    caller = call(server.url)
    (stream,) = caller.send("ListStreams", TableName="Things").body["Streams"]
    assert caller.send("DescribeStream", StreamArn=stream["StreamArn"]).body["StreamDescription"]


def test_large_bodies_both_ways(server: ServerThread, call: Call) -> None:
    caller = call(server.url)
    for n in range(3):
        item = {"pk": {"S": str(n)}, "data": {"S": "x" * 390_000}}
        caller.send("PutItem", TableName="Things", Item=item)
    found = caller.send("Scan", TableName="Things")
    assert found.body["Count"] == 3
    assert found.received > 1_100_000


def test_many_at_once(server: ServerThread) -> None:
    transport = HttpTransport(server.url)
    failures: list[BaseException] = []

    def work(n: int) -> None:
        try:
            for k in range(50):
                key = {"pk": {"S": f"{n}-{k}"}}
                transport.send(Request("PutItem", {"TableName": "Things", "Item": key}))
                got = transport.send(Request("GetItem", {"TableName": "Things", "Key": key}))
                assert got.body == {"Item": key}
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    transport.close()
    assert not failures


def test_many_coroutines_share_few_connections(server: ServerThread) -> None:
    async def main() -> None:
        async with AsyncHttpTransport(server.url, limit=5) as transport:

            async def work(n: int) -> None:
                key = {"pk": {"S": str(n)}}
                await transport.send(Request("PutItem", {"TableName": "Things", "Item": key}))
                got = await transport.send(Request("GetItem", {"TableName": "Things", "Key": key}))
                assert got.body == {"Item": key}

            tasks = [asyncio.create_task(work(n)) for n in range(200)]
            await asyncio.sleep(0.005)
            for task in tasks[::7]:  # at every stage of their lives
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for task in tasks:
                assert task.cancelled() or task.exception() is None
            assert len(server.server._connections) <= 5
            # None of the five places was lost on the way.
            await asyncio.wait_for(asyncio.gather(*map(work, range(20))), 10)

    asyncio.run(main())


def test_a_transport_outlives_its_loops(server: ServerThread) -> None:
    transport = AsyncHttpTransport(server.url)
    request = Request("ListTables", {})
    for _ in range(3):
        assert asyncio.run(transport.send(request)).body == {"TableNames": ["Things"]}
    assert len(transport._pools) == 1
    asyncio.run(transport.close())


def test_the_clock_is_corrected(call: Call) -> None:
    known = Known("AK", "SK")
    with Engine.memory() as engine, ServerThread(engine, credentials=[known]) as server:
        site = Site(server.url, credentials=Credentials("AK", "SK"), now=lambda: time.time() - 7200)
        caller = call(server.url, site=site)
        with pytest.raises(Failure) as caught:
            caller.send("ListTables")
        assert caught.value.code == "InvalidSignatureException"
        assert caught.value.corrected
        assert caller.send("ListTables").body == {"TableNames": []}


def test_expired_tokens_are_asked_for_again(call: Call) -> None:
    class Renewed:
        forgotten = 0

        def current(self) -> Credentials | None:
            return None

        def fetch(self) -> Credentials:
            return Credentials("AK", "SK", f"T{self.forgotten}")

        def forget(self) -> None:
            self.forgotten += 1

    expired = answer(b'{"__type":"x#ExpiredTokenException","message":"old"}', "400 Bad Request")
    with FaultyServer(says(expired), says(answer())) as faulty:
        caller = call(faulty.url, credentials=Renewed())
        with pytest.raises(Failure, match="ExpiredTokenException"):
            caller.send()
        caller.send()
        assert b"Token: T0\r\n" in faulty.requests[0]
        assert b"Token: T1\r\n" in faulty.requests[1]


# --- connections -------------------------------------------------------------------------


def test_connections_are_kept(call: Call) -> None:
    with FaultyServer(says(answer())) as faulty:
        caller = call(faulty.url)
        for _ in range(5):
            assert caller.send().body == {}
        assert len(faulty.connections) == 1


def test_a_connection_that_is_to_be_closed_is_not_used_again(call: Call) -> None:
    with FaultyServer(says(answer(b"{}", "200 OK", "Connection: close"))) as faulty:
        caller = call(faulty.url)
        for _ in range(3):
            caller.send()
        assert len(faulty.connections) == 3


def test_an_idle_connection_that_was_closed_is_replaced(call: Call) -> None:
    with FaultyServer(says(answer())) as faulty:
        caller = call(faulty.url)
        for _ in range(3):
            caller.send()
            faulty.hang_up()
            time.sleep(0.05)
        assert len(faulty.connections) == 3
        assert len(faulty.requests) == 3


def test_a_loop_that_was_busy_looks_before_it_sends() -> None:
    """asyncio has had no turn to notice that the peer is gone."""

    async def main(faulty: FaultyServer) -> None:
        async with AsyncHttpTransport(faulty.url) as transport:
            await transport.send(Request("GetItem", {}))
            faulty.hang_up()
            time.sleep(0.7)
            await transport.send(Request("GetItem", {}))

    with FaultyServer(says(answer())) as faulty:
        asyncio.run(main(faulty))
        assert len(faulty.connections) == 2


def test_a_connection_that_speaks_unasked_is_dropped(call: Call) -> None:
    with FaultyServer(says(answer() + answer(b'{"a":"of nobody"}')), says(answer())) as faulty:
        caller = call(faulty.url)
        assert caller.send().body == {}
        assert caller.send().body == {}
        assert len(faulty.connections) == 2


def test_a_connection_that_speaks_later_is_dropped(call: Call) -> None:
    def chatty(connection: socket.socket, request: bytes) -> None:
        connection.sendall(answer())
        time.sleep(0.05)
        connection.sendall(answer(b'{"a":"of nobody"}'))

    with FaultyServer(chatty, says(answer())) as faulty:
        caller = call(faulty.url)
        caller.send()
        time.sleep(0.15)
        assert caller.send().body == {}
        assert len(faulty.connections) == 2


def test_an_old_connection_is_not_used_again(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_SECONDS", 0.6)
    monkeypatch.setattr("tablewright.client.transports.aioconnection.IDLE_SECONDS", 0.6)
    with FaultyServer(says(answer())) as faulty:
        caller = call(faulty.url)
        caller.send()
        time.sleep(0.7)
        caller.send()
        assert len(faulty.connections) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_opens_its_own() -> None:
    with FaultyServer(says(answer())) as faulty, HttpTransport(faulty.url) as transport:
        transport.send(Request("GetItem", {}))
        child = os.fork()
        if child == 0:
            try:
                transport.send(Request("GetItem", {}))
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        transport.send(Request("GetItem", {}))
        assert len(faulty.connections) == 2


def test_closed_transports_refuse(call: Call) -> None:
    with FaultyServer(says(answer())) as faulty:
        caller = call(faulty.url)
        caller.send()
        transport = caller.transport
        closed = transport.close()
        if closed is not None:
            caller.run(closed)
        with pytest.raises(RequestError, match="closed"):
            caller.send()


# --- no answer ---------------------------------------------------------------------------


def lost(caller: Caller) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        caller.send("PutItem")
    return caught.value


def test_nobody_listens(call: Call) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = lost(call(f"http://127.0.0.1:{port}"))
    assert not error.sent
    assert f"http://127.0.0.1:{port}" in error.message


def test_an_unknown_name(call: Call) -> None:
    assert not lost(call("http://nosuch.invalid")).sent


def test_connecting_takes_too_long(call: Call) -> None:
    with socket.socket() as full:  # bound, with nobody to accept
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        fill = [socket.socket() for _ in range(4)]
        for each in fill:
            each.setblocking(False)
            each.connect_ex(address)
        started = time.monotonic()
        error = lost(call(f"http://127.0.0.1:{address[1]}", connect_timeout=0.3))
        assert not error.sent
        assert 0.2 < time.monotonic() - started < 5
        for each in fill:
            each.close()


def drop(connection: socket.socket, request: bytes) -> bool:
    return False


def reset(connection: socket.socket, request: bytes) -> bool:
    import struct

    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


WHOLE = answer(b'{"Item":{"pk":{"S":"a"}}}')


@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(drop, id="closed"),
        pytest.param(reset, id="reset"),
        pytest.param(says(WHOLE[:10], keep=False), id="part of the status line"),
        pytest.param(says(WHOLE[:40], keep=False), id="part of the headers"),
        pytest.param(says(WHOLE.partition(b"{")[0], keep=False), id="no body"),
        pytest.param(says(WHOLE[:-5], keep=False), id="half a body"),
        pytest.param(says(b"\0\1\2\3 garbage \r\n\r\n", keep=True), id="garbage"),
        pytest.param(says(answer(b"{}", crc=7)), id="wrong checksum"),
        pytest.param(
            says(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", keep=False),
            id="chunks without an end",
        ),
    ],
)
def test_an_answer_that_fails_is_ambiguous(behaviour: object, call: Call) -> None:
    with FaultyServer(says(answer()), behaviour, says(answer())) as faulty:  # type: ignore[arg-type]
        fresh = call(faulty.url)
        fresh.send()
        # On a connection that has worked before: the request may have been carried out.
        assert lost(fresh).sent
        assert len(faulty.requests) == 2  # and was not sent again behind the caller's back
        assert fresh.send().body == {}
    with FaultyServer(behaviour) as faulty:  # type: ignore[arg-type]
        assert lost(call(faulty.url)).sent


def silent(connection: socket.socket, request: bytes) -> None:
    time.sleep(1.5)


def dripping(connection: socket.socket, request: bytes) -> None:
    for byte in WHOLE:
        connection.sendall(bytes([byte]))
        time.sleep(0.1)


def stalling(connection: socket.socket, request: bytes) -> None:
    time.sleep(0.35)
    connection.sendall(WHOLE[:20])
    time.sleep(2)


@pytest.mark.parametrize("behaviour", [silent, dripping, stalling])
def test_an_answer_that_takes_too_long(behaviour: object, call: Call) -> None:
    with FaultyServer(behaviour, says(answer())) as faulty:  # type: ignore[arg-type]
        caller = call(faulty.url, read_timeout=0.4)
        started = time.monotonic()
        error = lost(caller)
        assert error.sent
        assert "timed out" in error.message
        assert 0.3 < time.monotonic() - started < 0.7
        # The late answer is not taken for the next one's.
        assert caller.send().body == {}


def test_a_cancelled_request_does_not_leave_its_answer_behind() -> None:
    def late(connection: socket.socket, request: bytes) -> None:
        time.sleep(0.3)
        connection.sendall(answer(b'{"late":true}'))

    async def main(faulty: FaultyServer) -> None:
        async with AsyncHttpTransport(faulty.url, limit=1) as transport:
            await transport.send(Request("GetItem", {}))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(transport.send(Request("GetItem", {})), 0.1)
            assert (await transport.send(Request("GetItem", {}))).body == {}

    with FaultyServer(says(answer()), late, says(answer())) as faulty:
        asyncio.run(main(faulty))


@pytest.mark.parametrize("ending", ["cancelled", "lost"])
def test_a_connection_handed_over_in_vain(ending: str) -> None:
    """The only connection is given to one who is cancelled, or is lost, in the same moment."""

    async def main(faulty: FaultyServer) -> None:
        async with AsyncHttpTransport(faulty.url, limit=1) as transport:
            await transport.send(Request("GetItem", {}))
            (pool,) = transport._pools.values()
            (connection,) = pool._idle

            async def first() -> None:
                await transport.send(Request("GetItem", {}))
                if ending == "cancelled":
                    second.cancel()
                else:
                    connection.abort()
                    connection.connection_lost(None)

            leading = asyncio.create_task(first())
            second = asyncio.create_task(transport.send(Request("GetItem", {})))
            await leading
            if ending == "cancelled":
                with pytest.raises(asyncio.CancelledError):
                    await second
            else:
                assert (await second).body == {}
            await asyncio.wait_for(transport.send(Request("GetItem", {})), 5)

    with FaultyServer(says(answer())) as faulty:
        asyncio.run(main(faulty))
        assert len(faulty.connections) == (1 if ending == "cancelled" else 2)


# --- strange but fine --------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n',
        b"HTTP/1.1 100 Continue\r\n\r\n" + answer(b'{"a":1}'),
        answer(b'{"a":1}', "200 OK", "X-Long: " + "x" * 60_000),
    ],
)
def test_other_forms_of_answers(data: bytes, call: Call) -> None:
    with FaultyServer(says(data)) as faulty:
        caller = call(faulty.url)
        for _ in range(3):
            assert caller.send().body == {"a": 1}
        assert len(faulty.connections) == 1


def test_an_answer_byte_by_byte(call: Call) -> None:
    def slowly(connection: socket.socket, request: bytes) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in WHOLE:
            connection.sendall(bytes([byte]))

    with FaultyServer(slowly) as faulty:
        caller = call(faulty.url)
        for _ in range(2):
            assert caller.send().body == {"Item": KEY}


def test_a_page_of_a_gateway(call: Call) -> None:
    page = (
        b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<html>upstream is gone</html>"
    )
    with FaultyServer(says(page, keep=False), says(answer())) as faulty:
        caller = call(faulty.url)
        with pytest.raises(Failure) as caught:
            caller.send()
        assert (caught.value.code, caught.value.status) == ("ServiceUnavailable", 502)
        assert "upstream is gone" in caught.value.message
        assert caller.send().body == {}


def test_a_server_that_stops(call: Call) -> None:
    with Engine.memory() as engine:
        running = ServerThread(engine, limits=Limits()).start()
        port = running.port
        caller = call(running.url)
        caller.send("ListTables")
        running.stop()
        time.sleep(0.05)
        assert not lost(caller).sent
        with ServerThread(engine, port=port):
            assert caller.send("ListTables").body == {"TableNames": []}
