"""Asking addresses that people name: which are refused, and what is bounded."""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tablewright.service.outbound import (
    Outbound,
    OutboundError,
    UnsafeAddress,
    addresses,
    exchange,
    is_public,
    retry_after,
)

Answer = tuple[int, dict[str, str], bytes]


class Asked:
    """What a server was asked, and what it says."""

    def __init__(self, answering: Callable[[str], Answer]) -> None:
        self.answering = answering
        self.paths: list[str] = []
        self.hosts: list[str] = []
        self.bodies: list[bytes] = []


@contextmanager
def server(asked: Asked, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked.paths.append(self.path)
            asked.hosts.append(self.headers["Host"])
            asked.bodies.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            status, headers, body = asked.answering(self.path)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.daemon_threads = True
    if tls is not None:
        made.socket = tls.wrap_socket(made.socket, server_side=True)
    thread = threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield made.server_port
    finally:
        made.shutdown()
        made.server_close()
        thread.join()


def resolving(*answers: Sequence[str]) -> Callable[[str, int], object]:
    """A resolver that says something else each time; the last answer stays."""
    left = list(answers)

    async def resolve(host: str, port: int) -> Sequence[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve


# --- addresses -----------------------------------------------------------------------------------

NOT_PUBLIC = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "2002:7f00:1::",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_what_only_we_can_reach_is_not_public(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111"])
def test_what_all_can_reach_is_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    "url",
    [
        "http://news.example/feed",
        "ftp://news.example/feed",
        "file:///etc/passwd",
        "//news.example/feed",
        "https://",
        "https:///feed",
        "https://user:secret@news.example/",
        "https://user@news.example/",
        "https://news.example:99999/",
        "https://news.example/\r\nHost: other",
        "https://news.example/a b",
        "https://[::1/feed",
        "https://localhost/",
        "https://sub.localhost/",
        "https://127.0.0.1/",
        "https://[::1]/",
        f"https://news.example/{'x' * 2048}",
    ],
)
def test_addresses_of_another_form_are_refused(url: str) -> None:
    outbound = Outbound(resolver=resolving(["1.1.1.1"]))  # type: ignore[arg-type]
    with pytest.raises(UnsafeAddress):
        asyncio.run(outbound.check(url))


@pytest.mark.parametrize(
    "url",
    [
        "https://169.254.169.254/latest/meta-data/",
        "https://2852039166/",
        "https://0x7f.1/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://10.0.0.8:8443/",
        "https://[::ffff:10.0.0.8]/",
        "https://[fd00::1]/",
    ],
)
def test_numbers_are_looked_up_like_names(url: str) -> None:
    """With the machine's own resolver, which knows all ways to write a number."""
    with pytest.raises(UnsafeAddress):
        asyncio.run(Outbound().check(url))


def test_one_private_address_among_public_ones_is_enough() -> None:
    outbound = Outbound(resolver=resolving(["1.1.1.1", "10.0.0.1"]))  # type: ignore[arg-type]
    with pytest.raises(UnsafeAddress, match="not public"):
        asyncio.run(outbound.check("https://news.example/"))


def test_a_host_that_nobody_knows_now_is_looked_for_later() -> None:
    async def nobody(host: str, port: int) -> Sequence[str]:
        raise OSError("no such host")

    outbound = Outbound(resolver=nobody)
    asyncio.run(outbound.check("https://news.example/"))
    with pytest.raises(OutboundError) as caught:
        asyncio.run(outbound.get("https://news.example/"))
    assert caught.value.code == "UNREACHABLE"


def test_this_machine_is_for_those_who_ask_for_it() -> None:
    asked = Asked(lambda path: (200, {}, b"here"))
    with server(asked) as port:
        url = f"http://127.0.0.1:{port}/"
        with pytest.raises(UnsafeAddress):
            asyncio.run(Outbound().get(url))
        assert asyncio.run(Outbound(allow_local=True).get(url)).body == b"here"
    # That opens nothing else.
    for other in ("http://10.0.0.1/", "https://10.0.0.1/", "http://news.example/"):
        with pytest.raises(UnsafeAddress):
            asyncio.run(Outbound(allow_local=True).check(other))


# --- the connection ------------------------------------------------------------------------------


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """The certificate of feeds.example, which is trusted; its server is on this machine."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "feeds.example")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("feeds.example")]), False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "server.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    trusted = ssl.create_default_context(cafile=str(file))
    monkeypatch.setattr(exchange, "_trusted", lambda: trusted)
    monkeypatch.setattr(addresses, "is_public", lambda ip: str(ip) == "127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


def test_the_connection_goes_to_the_address_that_was_checked(tls: ssl.SSLContext) -> None:
    """A name that leads elsewhere the second time leads nowhere: it is not looked up again."""
    asked = Asked(lambda path: (200, {}, b"feed"))
    resolver = resolving(["127.0.0.1"], ["169.254.169.254"])
    with server(asked, tls) as port:
        outbound = Outbound(resolver=resolver)  # type: ignore[arg-type]
        answer = asyncio.run(outbound.get(f"https://feeds.example:{port}/a?b=c#d"))
        assert answer.body == b"feed"
        assert (asked.paths, asked.hosts) == (["/a?b=c"], [f"feeds.example:{port}"])
        with pytest.raises(UnsafeAddress):
            asyncio.run(outbound.get(f"https://feeds.example:{port}/"))


def test_the_certificate_has_to_be_that_of_the_name(tls: ssl.SSLContext) -> None:
    asked = Asked(lambda path: (200, {}, b"feed"))
    with server(asked, tls) as port:
        outbound = Outbound(resolver=resolving(["127.0.0.1"]))  # type: ignore[arg-type]
        with pytest.raises(OutboundError) as caught:
            asyncio.run(outbound.get(f"https://other.example:{port}/"))
    assert caught.value.code == "UNREACHABLE"
    assert asked.paths == []


def test_every_redirect_is_checked_like_the_first_address(tls: ssl.SSLContext) -> None:
    targets = {
        "/http": "http://feeds.example/",
        "/metadata": "https://169.254.169.254/",
        "/home": "http://127.0.0.1:1/",
        "/file": "file:///etc/passwd",
    }
    asked = Asked(lambda path: (302, {"Location": targets[path]}, b""))

    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"] if host == "feeds.example" else [host]

    with server(asked, tls) as port:
        # Also where this machine is allowed: somebody out there must not send us home.
        for outbound in (Outbound(resolver=resolve), Outbound(resolver=resolve, allow_local=True)):
            for path in targets:
                with pytest.raises(UnsafeAddress):
                    asyncio.run(outbound.get(f"https://feeds.example:{port}{path}"))
    assert asked.paths == [*targets, *targets]


# --- bounds --------------------------------------------------------------------------------------


def fetched(answering: Callable[[str], Answer], path: str = "/0", **bounds: float) -> bytes:
    with server(Asked(answering)) as port:
        outbound = Outbound(allow_local=True, **bounds)  # type: ignore[arg-type]
        return asyncio.run(outbound.get(f"http://127.0.0.1:{port}{path}")).body


def redirecting(times: int) -> Callable[[str], Answer]:
    def answer(path: str) -> Answer:
        number = int(path[1:])
        if number == times:
            return 200, {}, b"arrived"
        return 302, {"Location": f"/{number + 1}"}, b""

    return answer


def test_three_redirects_are_followed() -> None:
    assert fetched(redirecting(3)) == b"arrived"


def test_four_redirects_are_too_many() -> None:
    with pytest.raises(OutboundError) as caught:
        fetched(redirecting(4))
    assert caught.value.code == "TOO_MANY_REDIRECTS"


def test_a_body_is_unpacked() -> None:
    body = b"<rss/>" * 1000
    packed = gzip.compress(body)
    assert fetched(lambda _: (200, {"Content-Encoding": "gzip"}, packed)) == body


@pytest.mark.parametrize("packed", [False, True])
def test_a_body_is_bounded_once_unpacked(packed: bool) -> None:
    """Some kilobytes of packed zeros are megabytes; it is not unpacked to find that out."""
    body = bytes(6 * 1024 * 1024) if not packed else gzip.compress(bytes(60 * 1024 * 1024), 9)
    headers = {"Content-Encoding": "gzip"} if packed else {}
    with pytest.raises(OutboundError) as caught:
        fetched(lambda _: (200, headers, body))
    assert caught.value.code == "TOO_LARGE"


def test_the_largest_body_is_as_large_as_is_allowed() -> None:
    assert len(fetched(lambda _: (200, {}, bytes(1000)), most_bytes=1000)) == 1000
    with pytest.raises(OutboundError):
        fetched(lambda _: (200, {}, bytes(1001)), most_bytes=1000)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [("br", b"x"), ("gzip", b"not packed"), ("gzip", gzip.compress(b"x" * 9999)[:-20])],
    ids=["unknown", "plain", "cut"],
)
def test_what_cannot_be_unpacked_is_no_answer(encoding: str, body: bytes) -> None:
    with pytest.raises(OutboundError) as caught:
        fetched(lambda _: (200, {"Content-Encoding": encoding}, body))
    assert caught.value.code == "BAD_ANSWER"


def test_all_of_it_has_one_time_limit() -> None:
    """A redirect that comes slowly, again and again, does not begin a new one."""

    def slowly(path: str) -> Answer:
        time.sleep(0.2)
        return redirecting(3)(path)

    began = time.perf_counter()
    with pytest.raises(OutboundError) as caught:
        fetched(slowly, timeout=0.5)
    assert caught.value.code == "TIMEOUT"
    assert time.perf_counter() - began < 3


def test_what_is_posted_is_not_posted_elsewhere() -> None:
    asked = Asked(lambda path: (307, {"Location": "/elsewhere"}, b""))
    with server(asked) as port:
        url = f"http://127.0.0.1:{port}/hook"
        answer = asyncio.run(Outbound(allow_local=True).post(url, b"{}", {"X-Signed": "yes"}))
    assert (answer.status, asked.paths, asked.bodies) == (307, ["/hook"], [b"{}"])


def test_retry_after_is_a_number_or_a_date() -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
    assert retry_after("120", noon) == 120
    assert retry_after("Fri, 20 Nov 2026 12:01:00 GMT", noon) == 60
    assert retry_after("Fri, 20 Nov 2026 11:00:00 GMT", noon) == 0
    assert retry_after("soon", noon) is None
    assert retry_after(None, noon) is None
