"""TLS: certificates are verified, with and without a proxy in between."""

from __future__ import annotations

import contextlib
import datetime as dt
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.client.transports.faulty import Caller, answer, read_request

from tablewright.client.transports import Unreachable

Call = Callable[..., Caller]


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    try:
        alternative: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        alternative = x509.DNSName(name)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file, key_file = folder / f"{name}.pem", folder / f"{name}.key"
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return file, key_file


class SecureServer:
    """Answers every request with an object, over TLS."""

    def __init__(self, file: Path, key_file: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(file, key_file)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.handshakes = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                plain, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        with contextlib.suppress(OSError), plain:
            with self._context.wrap_socket(plain, server_side=True) as connection:
                self.handshakes += 1
                while read_request(connection) is not None:
                    connection.sendall(answer(b'{"a":"' + b"x" * 100_000 + b'"}'))


@pytest.fixture
def localhost(tmp_path: Path) -> tuple[Path, Path]:
    return certificate(tmp_path, "localhost")


@pytest.fixture
def secure(localhost: tuple[Path, Path]) -> Iterator[SecureServer]:
    server = SecureServer(*localhost)
    yield server
    server.listener.close()


def test_a_certificate_that_is_trusted(
    secure: SecureServer, localhost: tuple[Path, Path], call: Call
) -> None:
    caller = call(f"https://localhost:{secure.port}", ca_bundle=localhost[0])
    for _ in range(3):
        assert len(caller.send().body["a"]) == 100_000
    assert secure.handshakes == 1


def test_the_bundle_of_the_environment(
    secure: SecureServer,
    localhost: tuple[Path, Path],
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(localhost[0]))
    assert call(f"https://localhost:{secure.port}").send().body


def test_a_certificate_that_is_not_trusted(secure: SecureServer, call: Call) -> None:
    with pytest.raises(Unreachable) as caught:
        call(f"https://localhost:{secure.port}").send()
    assert not caught.value.sent
    assert "certificate" in caught.value.message.lower()


def test_a_certificate_of_another(
    secure: SecureServer, localhost: tuple[Path, Path], call: Call
) -> None:
    with pytest.raises(Unreachable) as caught:
        call(f"https://127.0.0.1:{secure.port}", ca_bundle=localhost[0]).send()
    assert not caught.value.sent


class ProxyServer:
    """Passes bytes on, wherever it is asked to: always to the one port given."""

    def __init__(self, port: int, agree: bool = True) -> None:
        self._port = port
        self._agree = agree
        self.asked: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://me:secret@127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                asked = read_request(near) or b""
                self.asked.append(asked)
                if not self._agree:
                    near.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
                    near.close()
                    continue
                near.sendall(b"HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n")
                far = socket.create_connection(("127.0.0.1", self._port))
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)


def test_through_a_proxy(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    files = certificate(tmp_path, "db.example")
    secure = SecureServer(*files)
    proxy = ProxyServer(secure.port)
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    caller = call("https://db.example", ca_bundle=files[0])
    for _ in range(2):
        assert caller.send().body
    (asked,) = proxy.asked
    lines = asked.split(b"\r\n")
    assert lines[0] == b"CONNECT db.example:443 HTTP/1.1"
    assert b"Proxy-Authorization: Basic bWU6c2VjcmV0" in lines
    proxy.listener.close()
    secure.listener.close()


def test_a_proxy_that_refuses(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = ProxyServer(0, agree=False)
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    with pytest.raises(Unreachable, match="407") as caught:
        call("https://db.example").send()
    assert not caught.value.sent
    proxy.listener.close()
