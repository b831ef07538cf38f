"""HTTP itself: framing, order, caps, closing. Whatever the client does, others are unharmed."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sampling import many
from tests.server.standin import Client, StandIn, request

from tablewright.server import Limits, ServerThread
from tablewright.server.server import FEW_CONNECTIONS

MIB = 1024 * 1024


def chunked(*chunks: bytes, trailers: bytes = b"") -> bytes:
    parts = [b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks]
    return b"".join(parts) + b"0\r\n" + trailers + b"\r\n"


def chunked_request(*chunks: bytes, trailers: bytes = b"", **headers: str) -> bytes:
    head = request(body=b"", length=False, transfer_encoding="chunked", **headers)
    return head + chunked(*chunks, trailers=trailers)


# --- order -----------------------------------------------------------------------------


def test_pipelined_requests_are_answered_in_order(client: Client) -> None:
    client.send(b"".join(request(body=b"[%d]" % n) for n in range(200)))
    assert [client.read().body for _ in range(200)] == [b"[%d]" % n for n in range(200)]


def test_requests_behind_a_write_wait_for_it(client: Client, engine: StandIn) -> None:
    client.send(request(body=b"[1]") + request("PutItem") + request(body=b"[2]"))
    assert client.read().body == b"[1]"
    engine.wait_for(1)
    # What was sent after a write must not run before it is done.
    time.sleep(0.05)
    assert [name for name, _ in engine.calls] == ["GetItem", "PutItem"]
    engine.commit(b'"written"')
    assert client.read().body == b'"written"'
    assert client.read().body == b"[2]"


def test_several_pipelined_writes(client: Client, engine: StandIn) -> None:
    client.send(b"".join(request("PutItem", b"[%d]" % n) for n in range(5)) + request(body=b"[9]"))
    for n in range(5):
        engine.wait_for(1)
        assert engine.calls[-1] == ("PutItem", b"[%d]" % n)
        engine.commit(b"[%d]" % n)
        assert client.read().body == b"[%d]" % n
    assert client.read().body == b"[9]"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cuts=st.lists(st.integers(1, 2000), max_size=12), data=st.data())
def test_any_split_of_the_bytes_gives_the_same_answers(
    server: ServerThread, cuts: list[int], data: st.DataObject
) -> None:
    stream = (
        request(body=b"[1]")
        + chunked_request(b"[", b"2", b"]")
        + request(body=b"{", x_amz_target=None)
        + request(None, b"", method="GET")
        + request(body=b"[%b]" % (b"1," * 100 + b"3"))
    )
    places = sorted({cut % len(stream) for cut in cuts})
    with Client(server.port) as client:
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        start = 0
        for place in [*places, len(stream)]:
            client.send(stream[start:place])
            start = place
            if data.draw(st.booleans()):
                time.sleep(0.001)
        answers = [client.read().checked() for _ in range(5)]
    assert [answer.status for answer in answers] == [200, 200, 400, 200, 200]
    assert answers[1].body == b"[2]"
    assert answers[4].body.endswith(b",3]")


def test_byte_by_byte(client: Client) -> None:
    client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in request(body=b'{"a":1}'):
        client.send(bytes([byte]))
    assert client.read().body == b'{"a":1}'


# --- keeping and closing ---------------------------------------------------------------


def test_keep_alive_is_the_default_of_1_1_only(server: ServerThread) -> None:
    with Client(server.port) as client:
        assert client.ask(request()).headers["connection"] == "keep-alive"
        assert client.ask(request(connection="close")).headers["connection"] == "close"
        assert client.at_end()
    with Client(server.port) as client:
        assert client.ask(request(version="1.0", connection="keep-alive")).status == 200
        assert client.ask(request(version="1.0")).headers["connection"] == "close"
        assert client.at_end()


def test_nothing_after_a_close_is_handled(client: Client, engine: StandIn) -> None:
    client.send(request(body=b"[1]", connection="close") + request(body=b"[2]"))
    assert client.read().body == b"[1]"
    assert client.at_end()
    assert len(engine.calls) == 1


def test_the_last_answer_arrives_whole_whatever_is_sent_behind_it(server: ServerThread) -> None:
    body = b'"' + b"x" * 3_000_000 + b'"'
    with Client(server.port, receive_buffer=4096) as client:
        # So much that the server cannot have read it when it has said its last word.
        behind = threading.Thread(
            target=lambda: client.send(request(body=body, connection="close") + b"y" * 3_000_000),
        )
        behind.start()
        assert client.read().checked().body == body
        behind.join()


def test_nothing_is_refused_behind_a_close(client: Client, engine: StandIn) -> None:
    client.send(request("PutItem", connection="close") + b"not HTTP\r\n\r\n")
    engine.wait_for(1)
    time.sleep(0.05)  # the rest has been read and refused, but that isn't its turn
    engine.commit()
    assert client.read().checked().status == 200
    assert client.at_end()


def test_a_half_closed_client_gets_its_answers(client: Client, engine: StandIn) -> None:
    client.send(request("PutItem") + request(body=b"[2]"))
    client.socket.shutdown(socket.SHUT_WR)
    engine.wait_for(1)
    time.sleep(0.05)
    engine.commit(b"[1]")
    assert [client.read().body, client.read().body] == [b"[1]", b"[2]"]
    assert client.at_end()


def test_a_half_closed_client_without_a_request_is_closed(client: Client) -> None:
    client.send(request()[:40])
    client.socket.shutdown(socket.SHUT_WR)
    assert client.at_end()


# --- bodies ----------------------------------------------------------------------------


def test_chunked_bodies(client: Client) -> None:
    assert client.ask(chunked_request(b'{"a"', b":", b"1}")).body == b'{"a":1}'
    assert client.ask(request(body=b"[2]")).body == b"[2]"


def test_trailers_are_not_headers(client: Client, engine: StandIn) -> None:
    sneaky = b"X-Amz-Target: DynamoDB_20120810.DeleteTable\r\n"
    body = chunked(b"{}", trailers=sneaky)
    head = request(None, b"", length=False, transfer_encoding="chunked")
    assert client.ask(head + body).type == "UnknownOperationException"
    assert client.ask(request(body=b"[2]")).body == b"[2]"
    assert [name for name, _ in engine.calls] == ["GetItem"]


def test_expect_100_continue(client: Client) -> None:
    data = request(body=b'{"a":1}', expect="100-continue")
    head, body = data[:-7], data[-7:]
    client.send(head)
    assert client.read().status == 100
    client.send(body)
    assert client.read().body == b'{"a":1}'


def test_a_client_that_does_not_wait_for_continue_is_not_told_to(client: Client) -> None:
    assert client.ask(request(body=b"[1]", expect="100-continue")).body == b"[1]"


def test_continue_comes_after_the_answers_before_it(client: Client, engine: StandIn) -> None:
    data = request(body=b"[2]", expect="100-continue")
    client.send(request("PutItem") + data[:-3])
    engine.wait_for(1)
    engine.commit(b"[1]")
    assert client.read().body == b"[1]"
    assert client.read().status == 100
    client.send(data[-3:])
    assert client.read().body == b"[2]"


def test_order_holds_where_answers_are_kept_back(server: ServerThread) -> None:
    """With many clients, answers are written together; what follows them still follows."""
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(server.port)) for _ in range(FEW_CONNECTIONS + 2)]
        for client in clients:
            assert client.ask(request(body=b"[0]")).body == b"[0]"
        data = request(body=b"[2]", expect="100-continue")
        for client in clients:
            client.send(request(body=b"[1]") + data[:-3])
        for client in clients:
            assert client.read().body == b"[1]"
            assert client.read().status == 100
            client.send(data[-3:])
        for client in clients:
            assert client.read().body == b"[2]"


def test_a_half_closed_client_gets_the_answer_that_was_kept_back(server: ServerThread) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(server.port)) for _ in range(FEW_CONNECTIONS + 2)]
        for client in clients:
            assert client.ask(request(body=b"[0]")).body == b"[0]"
        for client in clients:
            client.send(request(body=b"[1]"))
            client.socket.shutdown(socket.SHUT_WR)
        for client in clients:
            assert client.read().body == b"[1]"
            assert client.at_end()


def test_unknown_expectations_are_refused(client: Client) -> None:
    client.send(request(body=b"[1]", expect="a-miracle")[:-3])
    assert client.read().status == 417
    assert client.at_end()


def test_an_upgrade_is_declined_and_the_request_answered(client: Client) -> None:
    data = request(
        body=b"[1]", connection="Upgrade, HTTP2-Settings", upgrade="h2c", http2_settings="AAMAAA"
    )
    client.send(data + request(body=b"[2]"))
    assert client.read().body == b"[1]"
    assert client.read().body == b"[2]"
    client.send(data[:-1])
    time.sleep(0.02)
    client.send(data[-1:])
    assert client.read().body == b"[1]"


def test_pipelined_upgrades_take_linear_time(server: ServerThread) -> None:
    count = 20_000
    upgrade = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"
    with Client(server.port) as client:
        started = time.monotonic()
        sender = threading.Thread(target=client.send, args=(upgrade * count,))
        sender.start()
        statuses = {client.read().status for _ in range(count)}
        sender.join()
        assert statuses == {200}
        # Parsed again with copies, they took three seconds.
        assert time.monotonic() - started < 2.5


def test_pipelined_upgrades_keep_their_bodies(client: Client) -> None:
    requests = [
        request(body=b"[%d]" % n, connection="Upgrade", upgrade="h2c") for n in range(3_000)
    ]
    sender = threading.Thread(target=client.send, args=(b"".join(requests),))
    sender.start()
    assert [client.read().body for _ in requests] == [b"[%d]" % n for n in range(3_000)]
    sender.join()


def test_a_body_in_tiny_chunks_arrives_whole(client: Client) -> None:
    body = b"[" + b"1," * 20_000 + b"1]"
    client.send(chunked_request(*(body[n : n + 3] for n in range(0, len(body), 3))))
    assert client.read().body == body
    # Nothing of it is left for the next request.
    assert client.ask(request(body=b"[2]")).body == b"[2]"


def test_connect_is_refused(client: Client) -> None:
    client.send(b"CONNECT example.com:80 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert client.read().status == 400


# --- caps ------------------------------------------------------------------------------


def test_a_body_at_the_cap_is_accepted_and_one_above_it_not(server: ServerThread) -> None:
    with Client(server.port) as client:
        body = b"1" * (16 * MIB)
        assert client.ask(request(body=body)).body == body
        client.send(request(body=body + b"1"))
        answer = client.read().checked()
        assert (answer.status, answer.type) == (413, "RequestEntityTooLarge")
        assert client.at_end()


@pytest.mark.parametrize("mib", [17, 40])
def test_a_large_body_in_chunks_is_refused_cleanly(server: ServerThread, mib: int) -> None:
    with Client(server.port) as client:
        client.send(chunked_request(*([b" " * MIB] * mib)))
        assert client.read().status == 413
        assert client.at_end()


def test_a_large_body_is_refused_before_it_is_sent(client: Client) -> None:
    client.send(request(body=b"", content_length=str(17 * MIB), expect="100-continue"))
    assert client.read().status == 413


@pytest.mark.parametrize(
    "oversized",
    [
        request(header1="x" * 8192, header2="y" * 8192),
        request(path="/" + "x" * 17000),
        request(**{f"h{n}": "x" * 90 for n in range(200)}),
        request(x_same="1" + "\r\nX-Same: 1" * 16_000),
        request(body=b"[1]" + b" " * 90_000, x_same="1" + "\r\nX-Same: 1" * 2_000),
    ],
)
def test_huge_heads(client: Client, oversized: bytes) -> None:
    client.send(oversized)
    answer = client.read().checked()
    assert (answer.status, answer.type) == (400, "SerializationException")
    assert client.at_end()


def test_a_second_host_header_is_refused(client: Client, engine: StandIn) -> None:
    client.send(request(host="localhost\r\nhost: elsewhere"))
    answer = client.read().checked()
    assert (answer.status, answer.type) == (400, "SerializationException")
    assert b"Host" in answer.body
    assert client.at_end()
    assert engine.calls == []


def test_a_head_just_below_the_cap_is_fine(client: Client) -> None:
    data = request(header1="x" * 15_000)
    # Together with others in one read it is larger than the cap, but only together.
    client.send(data * 5)
    assert [client.read().status for _ in range(5)] == [200] * 5


@pytest.mark.parametrize("piece", [b"x" * 4096, b"a: b\r\n" * 700, b"a" * 4000 + b": b\r\n"])
def test_an_endless_head_is_cut_off(client: Client, piece: bytes) -> None:
    client.send(b"POST / HTTP/1.1\r\nHost: x\r\nEndless: ")
    with pytest.raises((ConnectionError, TimeoutError)):  # noqa: PT012
        for _ in range(5000):
            client.send(piece)
        assert client.read().status == 400
        raise ConnectionResetError


def test_endless_trailers_are_cut_off(server: ServerThread) -> None:
    with Client(server.port) as client:
        head = request(body=b"", length=False, transfer_encoding="chunked")
        client.send(head + b"2\r\n{}\r\n0\r\nendless: ")
        for _ in range(100):
            client.send(b"x" * 4096)
        assert client.read().status == 400


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02\x03\r\n\r\n",
        b"GET\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: abc\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\nbad header\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_not_http_is_refused(client: Client, data: bytes) -> None:
    client.send(data)
    answer = client.read().checked()
    assert (answer.status, answer.type) == (400, "SerializationException")
    assert client.at_end()


def test_a_refusal_comes_after_the_answers_before_it(client: Client, engine: StandIn) -> None:
    client.send(request("PutItem") + request(body=b"[2]") + b"garbage\r\n\r\n" + request())
    engine.wait_for(1)
    engine.commit(b"[1]")
    assert [client.read().body, client.read().body] == [b"[1]", b"[2]"]
    assert client.read().status == 400
    assert client.at_end()


@settings(
    max_examples=many(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.builds(
            lambda at, junk: request()[:at] + junk + request()[at:],
            st.integers(0, len(request())),
            st.binary(min_size=1, max_size=20),
        ),
    )
)
def test_random_bytes_never_break_the_server(server: ServerThread, junk: bytes) -> None:
    with Client(server.port) as client:
        client.send(junk)
        client.socket.shutdown(socket.SHUT_WR)
        try:
            while True:
                assert client.read().checked().status in (200, 400, 404)
        except (EOFError, ConnectionResetError):
            pass
    with Client(server.port) as other:
        assert other.ask(request()).status == 200


# --- many clients, bad clients ---------------------------------------------------------


def test_many_connections_at_once(server: ServerThread) -> None:
    def work(number: int) -> list[bytes]:
        with Client(server.port) as client:
            return [client.ask(request(body=b"[%d,%d]" % (number, n))).body for n in range(50)]

    with ThreadPoolExecutor(32) as pool:
        for number, bodies in enumerate(pool.map(work, range(64))):
            assert bodies == [b"[%d,%d]" % (number, n) for n in range(50)]


def test_connections_beyond_the_cap_are_told_so() -> None:
    with (
        ServerThread(StandIn(), limits=Limits(connections=2)) as server,
        Client(server.port) as one,
        Client(server.port) as two,
    ):
        assert one.ask(request()).status == 200
        assert two.ask(request()).status == 200
        with Client(server.port) as three:
            assert three.read().status == 503
            assert three.at_end()
        assert one.ask(request()).status == 200


def test_a_client_that_leaves_in_the_middle_of_anything(
    server: ServerThread, engine: StandIn
) -> None:
    for data in (request()[:30], request()[:-1], request("PutItem"), request("PutItem") * 3):
        client = Client(server.port)
        client.send(data)
        # A reset, not an orderly end.
        client.socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00"
        )
        if b"PutItem" in data:
            engine.wait_for(1)
        client.socket.close()
    time.sleep(0.05)
    engine.commit()
    with Client(server.port) as client:
        assert client.ask(request()).status == 200


def test_a_client_that_leaves_in_the_middle_of_its_answer() -> None:
    large = b"1" * (8 * MIB)
    with ServerThread(StandIn(lambda *_: large)) as server:
        for _ in range(5):
            client = Client(server.port, receive_buffer=4096)
            client.send(request() * 3)
            client.socket.recv(1000)
            client.socket.close()
        with Client(server.port) as client:
            assert client.ask(request()).body == large


def test_a_client_that_does_not_read_is_not_served_on() -> None:
    calls = 0

    def large(operation: str, body: bytes) -> bytes:
        nonlocal calls
        calls += 1
        return b"%07d" % calls + b"x" * 200_000

    limits = Limits(write_buffer_bytes=400_000)
    with (
        ServerThread(StandIn(large), limits=limits) as server,
        Client(server.port, receive_buffer=4096) as client,
    ):
        client.send(request() * 150)
        time.sleep(0.3)
        # 150 answers would be 30 MB; a few fit into the buffers.
        assert 0 < calls < 60
        stalled_at = calls
        with Client(server.port) as other:
            assert other.ask(request()).status == 200
        numbers = [int(client.read().body[:7]) for _ in range(150)]
        assert len(numbers) == 150
        assert numbers == sorted(numbers)
        assert calls == 151 > stalled_at
