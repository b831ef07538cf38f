"""Host, size, time and headers of every request, behind a real port."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import httpx2
import pytest
from tests.service.shelf import system
from tests.service.support import Running, running
from tests.service.test_problems import NOTES, check

from tablewright.engine import Engine
from tablewright.service import logs
from tablewright.service.app import surrounded
from tablewright.service.headers import common
from tablewright.service.metrics import Metrics
from tablewright.service.middleware import HeadRequests
from tablewright.service.settings import Issuer, Settings
from tablewright.testing import Backend, in_process

MOST = 2000
TIMEOUT = 0.4


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        running(
            system,
            backend,
            request_max_bytes=MOST,
            request_timeout_secs=TIMEOUT,
            hosts=["keep.example.org"],
            workers=False,
        ) as found,
    ):
        yield found


@pytest.fixture
def client(service: Running) -> Iterator[httpx2.Client]:
    with service.client() as made:
        yield made


# --- who we are asked as -------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:1", "127.0.0.1:99", "[::1]:80", "keep.example.org", "LOCALHOST"],
)
def test_names_that_are_ours(client: httpx2.Client, host: str) -> None:
    assert client.get("/health/live", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "10.0.0.1",
        "",
        "[",
        ":",
    ],
)
def test_names_that_are_not(client: httpx2.Client, host: str) -> None:
    check(client.get("/health/live", headers={"Host": host}), 421, "WRONG_HOST")


def test_process_that_is_not_local_answers_under_its_own_address_and_health_under_any(
    memory: Backend,
) -> None:
    issuer = Issuer(url="https://id.example.org", audience="shelf")
    base = "https://shelf.example.org"
    with (
        running(
            system, memory, workers=False, local=False, base_url=base, issuer=issuer
        ) as service,
        service.client() as client,
    ):
        known, other = {"Host": "shelf.example.org"}, {"Host": "evil.example"}
        assert client.get("/health/live", headers=known).status_code == 200
        assert client.get("/health/live", headers=other).status_code == 200
        assert client.get(NOTES, headers=known).status_code == 200
        check(client.get(NOTES, headers=other), 421, "WRONG_HOST")


def test_a_request_without_a_host(service: Running) -> None:
    answer = raw(service, b"GET /health/live HTTP/1.0\r\n\r\n")
    assert b" 421 " in answer.split(b"\r\n")[0]


def raw(service: Running, text: bytes) -> bytes:
    with socket.create_connection(_place(service), timeout=5) as opened:
        parts = []
        with suppress(ConnectionError):  # it may hang up before it has read everything
            opened.sendall(text)
            while part := opened.recv(65536):
                parts.append(part)
        return b"".join(parts)


def _place(service: Running) -> tuple[str, int]:
    parts = httpx2.URL(service.url)
    assert parts.port is not None
    return parts.host, parts.port


# --- how much is sent ----------------------------------------------------------------------


def test_a_body_that_says_it_is_too_large(client: httpx2.Client) -> None:
    check(client.post(NOTES, content=b"x" * (MOST + 1)), 413, "TOO_LARGE")


@pytest.mark.parametrize("path", [NOTES, "/shelf/api/v1/forms", "/nope"])
def test_a_body_that_becomes_too_large(client: httpx2.Client, path: str) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(50):
            yield b"x" * 100

    kind = "application/x-www-form-urlencoded" if path.endswith("forms") else "application/json"
    answer = client.post(path, content=chunks(), headers={"content-type": kind})
    if path == "/nope":
        # Nobody reads it, so nobody counts it.
        check(answer, 404, "NOT_FOUND")
    else:
        check(answer, 413, "TOO_LARGE")
    assert client.get("/health/live").status_code == 200


def test_bodies_that_fit(client: httpx2.Client) -> None:
    body = b'{"note_id": "a", "text": "' + b"x" * 900 + b'"}'
    headers = {"content-type": "application/json"}
    assert client.post(NOTES, content=body, headers=headers).status_code == 201
    streamed = iter([body[:10].replace(b'"a', b'"b'), body[10:].replace(b'"a"', b'"b"')])
    answer = client.post(NOTES, content=streamed, headers=headers)
    assert answer.status_code == 201, answer.text


def test_a_length_that_is_no_number(service: Running) -> None:
    head = b"POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" % NOTES.encode()
    answer = raw(service, head + b"Content-Length: 1x\r\n\r\n{}")
    assert b" 400 " in answer.split(b"\r\n")[0]


# --- how long it takes ---------------------------------------------------------------------


def test_no_answer_in_time(client: httpx2.Client) -> None:
    started = time.perf_counter()
    check(client.get("/shelf/odd/sleep?secs=20"), 504, "TIMED_OUT")
    assert time.perf_counter() - started < 10
    assert client.get("/shelf/odd/sleep?secs=0").status_code == 200


def test_an_answer_that_has_begun_may_go_on(client: httpx2.Client) -> None:
    answer = client.get(f"/shelf/odd/stream?lines=4&secs={TIMEOUT / 2}")
    assert answer.text.split() == ["0", "1", "2", "3"]


# --- how many there are --------------------------------------------------------------------


def test_too_many_at_once(memory: Backend) -> None:
    with running(system, memory, max_requests=2, workers=False) as service:
        with service.client() as client, ThreadPoolExecutor(3) as pool:
            slow = [pool.submit(client.get, "/shelf/odd/sleep?secs=1") for _ in range(2)]
            time.sleep(0.4)
            refused = client.get("/shelf/api/v1/greeting")
            check(refused, 503, "BUSY")
            assert refused.headers["retry-after"] == "1"
            assert client.get("/health/live").status_code == 200
            assert [each.result().status_code for each in slow] == [200, 200]
            # What is being told already does not count.
            path = "/shelf/odd/stream?lines=5&secs=0.2"
            telling = [pool.submit(client.get, path) for _ in range(2)]
            time.sleep(0.3)
            assert client.get("/shelf/api/v1/greeting").status_code == 200
            assert [len(each.result().text.split()) for each in telling] == [5, 5]


# --- what a head may be --------------------------------------------------------------------


def test_half_a_head_is_not_waited_for(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.service.connection.HEAD_SECS", 0.3)
    for sent in (b"", b"GET /health HTTP/1.1\r\nHost: loc"):
        started = time.perf_counter()
        assert raw(service, sent) == b""
        assert time.perf_counter() - started < 4
    # Nor is the next one of a connection.
    answer = raw(service, b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea")
    assert answer.count(b"HTTP/1.1 200") == 1


@pytest.mark.parametrize(
    "head",
    [b"X-Long: " + b"x" * 200_000, b"\r\n".join(b"X-%d: x" % n for n in range(20_000))],
    ids=["one", "many"],
)
def test_an_endless_head(service: Running, head: bytes) -> None:
    answer = raw(service, b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + head)
    assert answer == b"" or b" 431 " in answer.split(b"\r\n")[0]


def head_of(size: int) -> bytes:
    """A whole head of that many bytes."""
    begin = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: "
    return begin + b"x" * (size - len(begin) - 4) + b"\r\n\r\n"


@pytest.mark.parametrize(("size", "status"), [(65_000, 200), (66_000, 431), (100_000, 431)])
def test_a_whole_head_that_is_too_long(service: Running, size: int, status: int) -> None:
    answer = raw(service, head_of(size))
    assert b" %d " % status in answer.split(b"\r\n")[0]


def test_the_next_head_of_a_connection_that_is_too_long(service: Running) -> None:
    first = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(_place(service), timeout=5) as opened:
        opened.sendall(first)
        assert b" 200 " in opened.recv(65536).split(b"\r\n")[0]
        opened.sendall(head_of(70_000))
        assert b" 431 " in opened.recv(65536).split(b"\r\n")[0]


def test_a_body_before_a_head_does_not_make_it_longer(memory: Backend) -> None:
    body = b"name=" + b"a" * 100_000
    post = b"POST /shelf/api/v1/forms HTTP/1.1\r\nHost: localhost\r\n"
    post += b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n"
    with running(system, memory, workers=False) as service:
        with socket.create_connection(_place(service), timeout=5) as opened:
            opened.sendall(post % len(body) + body + b"GET /health/live HTTP/1.1\r\nHost: loc")
            assert b" 204 " in opened.recv(65536).split(b"\r\n")[0]
            opened.sendall(b"alhost\r\nConnection: close\r\n\r\n")
            assert b" 200 " in opened.recv(65536).split(b"\r\n")[0]


@pytest.mark.parametrize(
    ("sent", "code"), [(b"GARBAGE\r\n\r\n", "MALFORMED"), (head_of(70_000), "HEAD_TOO_LARGE")]
)
def test_refusals_of_a_head_are_answers_like_others(
    service: Running, sent: bytes, code: str
) -> None:
    head, _, body = raw(service, sent).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")[1:]
    headers = {name: value for name, _, value in (line.partition(": ") for line in lines)}
    document = json.loads(body)
    assert document["code"] == code
    assert headers["x-request-id"] == document["request_id"] != ""
    assert headers["content-type"] == "application/problem+json"
    assert int(headers["content-length"]) == len(body)
    assert headers["connection"] == "close"
    assert common().items() <= headers.items()


def test_what_is_not_http(service: Running) -> None:
    answer = raw(service, b"HELO example.org\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b" 400 " in head.split(b"\r\n")[0]
    assert json.loads(body)["code"] == "MALFORMED"


# --- what every answer says ------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/health", "/nope", "/shelf/odd/raise/fault", "/shelf/docs"])
def test_headers(client: httpx2.Client, path: str) -> None:
    headers = client.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in policy["script-src"] + policy["style-src"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert headers["cache-control"] == "no-store"
    assert "strict-transport-security" not in headers
    assert "server" not in headers


def test_an_answer_may_have_headers_of_its_own(client: httpx2.Client) -> None:
    headers = client.get("/shelf/odd/kept").headers
    assert headers.get_list("cache-control") == ["max-age=60"]


def test_https_is_for_good(memory: Backend) -> None:
    secure = "https://keep.example.org"
    with running(system, memory, base_url=secure, workers=False) as service:
        with service.client(headers={"Host": "keep.example.org"}) as client:
            assert "max-age=31536000" in client.get("/health").headers["strict-transport-security"]


@pytest.mark.parametrize(
    ("given", "kept"), [("abc-1.2_3", True), ("a b", False), ("x" * 65, False), ("<b>", False)]
)
def test_a_request_keeps_the_name_that_its_caller_gave_it(
    client: httpx2.Client, given: str, kept: bool
) -> None:
    answer = client.get("/nope", headers={"X-Request-ID": given})
    assert (answer.headers["x-request-id"] == given) is kept
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


def test_requests_have_different_names(client: httpx2.Client) -> None:
    names = {client.get("/health/live").headers["x-request-id"] for _ in range(20)}
    assert len(names) == 20


# --- what it costs ---------------------------------------------------------------------------


@pytest.fixture
def _logging_for_real() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    with open("/dev/null", "w") as nowhere:
        logs.configure(Settings(log_format="json"), nowhere)
        yield
    root.handlers[:], root.level = before


@pytest.mark.usefixtures("_logging_for_real")
def test_all_of_it_costs_little() -> None:
    """The whole stack, access log and metrics included. The bound is for busy machines."""
    assert asyncio.run(_microseconds()) < 120


async def _microseconds() -> float:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    async def nothing(*_: Any) -> Any:
        return None

    stack = surrounded(app, Settings(), Metrics())
    headers = [(b"host", b"127.0.0.1"), (b"accept", b"*/*"), (b"authorization", b"Bearer x")]
    best = float("inf")
    for _ in range(20):
        started = time.thread_time()  # of the processor: others may be busy too
        for _ in range(100):
            scope = {"type": "http", "method": "GET", "path": "/x", "headers": headers}
            await stack(scope, nothing, nothing)
        best = min(best, (time.thread_time() - started) / 100)
    return best * 1e6


# --- HEAD --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/health/live", NOTES, "/nope", "/shelf/openapi.json"])
def test_head_answers_as_get_does_without_the_body(client: httpx2.Client, path: str) -> None:
    full, head = client.get(path), client.head(path)
    assert head.status_code == full.status_code
    assert head.headers.get("content-type") == full.headers.get("content-type")
    assert head.headers.get("content-length") == full.headers.get("content-length")
    assert head.content == b""
    assert client.get(path).status_code == full.status_code, "the connection can go on"


def test_head_of_an_endless_answer_ends() -> None:
    asyncio.run(head_of_an_endless_answer())


async def head_of_an_endless_answer() -> None:
    stopped = asyncio.Event()

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        assert scope["method"] == "GET"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            while True:
                await send({"type": "http.response.body", "body": b"x", "more_body": True})
                await asyncio.sleep(0.01)
        finally:
            stopped.set()

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "HEAD"}
    await asyncio.wait_for(HeadRequests(endless)(scope, None, send), 5)  # type: ignore[arg-type]
    assert stopped.is_set()
    assert scope["method"] == "HEAD"
    assert [message.get("body", b"") for message in sent] == [b"", b""]
