"""A stand-in engine and a raw HTTP client, for tests of the wire alone."""

from __future__ import annotations

import socket
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

import orjson

from tablewright.engine.pending import Pending

Behaviour = Callable[[str, bytes], bytes]

AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=AKID/20250101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=abc"
)


class StandIn:
    """Reads answer at once with an echo; PutItem waits until the test calls `commit`."""

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        self.calls: list[tuple[str, bytes]] = []
        self.waiting: list[Pending[bytes]] = []
        self.arrived = threading.Semaphore(0)
        self.closed = False
        self._behaviour = behaviour or (lambda operation, body: body)

    def submit_json(self, operation: str, body: bytes) -> Pending[bytes]:
        self.calls.append((operation, body))
        if operation == "PutItem":
            pending: Pending[bytes] = Pending()
            self.waiting.append(pending)
            self.arrived.release()
            return pending
        try:
            return Pending.of(self._behaviour(operation, body))
        except Exception as error:
            return Pending.failed(error)

    def wait_for(self, count: int) -> None:
        """Until so many more writes have arrived."""
        for _ in range(count):
            assert self.arrived.acquire(timeout=10), "a write did not arrive"

    def commit(self, answer: bytes = b"{}") -> int:
        """Complete all waiting writes from this thread, as a committing thread does."""
        batch, self.waiting = self.waiting, []
        for pending in batch:
            pending.set_result(answer)
        return len(batch)

    def close(self) -> None:
        self.closed = True


@dataclass
class Response:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, object]:
        parsed = orjson.loads(self.body)
        assert isinstance(parsed, dict)
        return parsed

    @property
    def type(self) -> str:
        """The error's type, without its namespace."""
        return str(self.json()["__type"]).rpartition("#")[2]

    def checked(self) -> Response:
        """Itself, after checking what every answer must have."""
        assert self.headers["x-amz-crc32"] == str(zlib.crc32(self.body))
        request_id = self.headers["x-amzn-requestid"]
        assert len(request_id) == 52
        assert request_id.isalnum()
        assert request_id.upper() == request_id
        assert self.headers["date"].endswith(" GMT")
        assert self.headers["server"]
        return self


def request(
    operation: str | None = "GetItem",
    body: bytes = b"{}",
    method: str = "POST",
    path: str = "/",
    version: str = "1.1",
    length: bool = True,
    **headers: str | None,
) -> bytes:
    """A request's bytes. Keywords replace headers (x_amz_date=...); None leaves one out."""
    fields: dict[str, str | None] = {
        "Host": "localhost",
        "X-Amz-Date": "20250101T000000Z",
        "Content-Type": "application/x-amz-json-1.0",
        "Authorization": AUTHORIZATION,
        "X-Amz-Target": f"DynamoDB_20120810.{operation}" if operation else None,
    }
    if length:
        fields["Content-Length"] = str(len(body))
    names = {name.lower(): name for name in fields}
    for key, value in headers.items():
        name = key.replace("_", "-")
        fields[names.get(name.lower(), name)] = value
    lines = [f"{method} {path} HTTP/{version}"]
    lines += [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


class Client:
    """A socket that reads whole responses."""

    def __init__(self, port: int, receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(10)
        self.socket.connect(("127.0.0.1", port))
        self._buffer = b""

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self) -> Response:
        head = self._until(b"\r\n\r\n")
        status_line, *lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        status = int(status_line.split()[1])
        body = b"" if status == 100 else self._exactly(int(headers["content-length"]))
        return Response(status, headers, body)

    def ask(self, data: bytes) -> Response:
        self.send(data)
        return self.read().checked()

    def at_end(self) -> bool:
        """Whether the server has closed the connection, with nothing left to read."""
        try:
            return not self._buffer and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def _more(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise EOFError(f"closed after {self._buffer!r}")
        self._buffer += data

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            self._more()
        found, _, self._buffer = self._buffer.partition(mark)
        return found

    def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._more()
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found
