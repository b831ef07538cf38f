"""Clients that are slow: idle, dribbling, not reading."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from tests.server.standin import Client, StandIn, request

from tablewright.server import Limits, ServerThread

LIMITS = Limits(
    idle_timeout=0.3,
    request_timeout=0.3,
    write_timeout=0.3,
    linger_timeout=0.3,
    write_buffer_bytes=100_000,
)


@pytest.fixture
def engine() -> StandIn:
    return StandIn()


@pytest.fixture
def server(engine: StandIn) -> Iterator[ServerThread]:
    with ServerThread(engine, limits=LIMITS) as running:
        yield running


def test_an_idle_connection_is_closed(client: Client) -> None:
    started = time.monotonic()
    assert client.at_end()
    assert 0.25 < time.monotonic() - started < 8


def test_a_used_connection_is_closed_only_when_it_idles(engine: StandIn) -> None:
    with (
        ServerThread(engine, limits=Limits(idle_timeout=0.8)) as server,
        Client(server.port) as client,
    ):
        for _ in range(12):
            assert client.ask(request()).status == 200
            time.sleep(0.1)
        assert client.at_end()


def test_a_dribbling_request_is_cut_off(client: Client) -> None:
    started = time.monotonic()
    try:
        for byte in request():
            client.send(bytes([byte]))
            time.sleep(0.03)
    except ConnectionError:
        pass
    else:
        pytest.fail("the server took a request that dribbled for seconds")
    assert time.monotonic() - started < 5


def test_a_stalled_body_is_told_why(client: Client) -> None:
    client.send(request(body=b"[1,2,3]")[:-2])
    answer = client.read()
    assert (answer.status, answer.type) == (408, "RequestTimeout")
    assert client.at_end()


def test_a_waiting_write_is_not_an_idle_connection(client: Client, engine: StandIn) -> None:
    client.send(request("PutItem"))
    engine.wait_for(1)
    time.sleep(0.8)
    engine.commit(b"[1]")
    assert client.read().body == b"[1]"


def test_a_client_that_never_reads_is_dropped() -> None:
    engine = StandIn(lambda *_: b"x" * 8_000_000)
    with (
        ServerThread(engine, limits=LIMITS) as server,
        Client(server.port, receive_buffer=4096) as client,
    ):
        client.send(request() * 5)
        time.sleep(1.2)
        with pytest.raises((EOFError, ConnectionResetError)):  # noqa: PT012
            for _ in range(5):
                client.read()


def test_after_a_refusal_the_server_listens_only_for_a_moment(client: Client) -> None:
    client.send(b"garbage\r\n\r\n")
    assert client.read().status == 400
    with pytest.raises(ConnectionError):  # noqa: PT012
        for _ in range(100):
            client.send(b"more garbage\r\n")
            time.sleep(0.03)
