"""A server that misbehaves as it is told, and callers for either kind of transport."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import zlib
from collections.abc import Callable
from types import TracebackType
from typing import Any

from tablewright.client.transports import AsyncHttpTransport, HttpTransport, Request, Response

#: What becomes of one request: bytes to answer with, or something done with the socket. The
#: connection is closed after it if it returns False.
Behaviour = Callable[[socket.socket, bytes], bool | None]


def answer(
    body: bytes = b"{}", status: str = "200 OK", *lines: str, crc: int | None = None
) -> bytes:
    """A response as DynamoDB sends it."""
    checksum = zlib.crc32(body) if crc is None else crc
    head = [
        f"HTTP/1.1 {status}",
        f"Content-Length: {len(body)}",
        f"x-amz-crc32: {checksum}",
        *lines,
        "",
        "",
    ]
    return "\r\n".join(head).encode() + body


def says(data: bytes, keep: bool = True) -> Behaviour:
    def behave(connection: socket.socket, request: bytes) -> bool:
        connection.sendall(data)
        return keep

    return behave


class FaultyServer:
    """Handles requests in turn with the given behaviours, the last of them for ever."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self._behaviours = list(behaviours)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.requests: list[bytes] = []
        self.connections: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> FaultyServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Closing alone does not end a thread that waits in accept().
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.hang_up()

    def hang_up(self) -> None:
        """Close every connection there is."""
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            while (request := read_request(connection)) is not None:
                self.requests.append(request)
                rest = self._behaviours
                behave = rest.pop(0) if len(rest) > 1 else rest[0]
                if behave(connection, request) is False:
                    return


def read_request(connection: socket.socket) -> bytes | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


class Caller:
    """Either transport, called from a test without coroutines."""

    def __init__(self, kind: str, *arguments: Any, **options: Any) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        if kind == "threads":
            self.transport: Any = HttpTransport(*arguments, **options)
            return
        self.transport = AsyncHttpTransport(*arguments, **options)
        if kind == "uvloop":
            import uvloop

            self._loop = uvloop.new_event_loop()
        else:
            self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def send(self, operation: str = "GetItem", **body: object) -> Response:
        sent = self.transport.send(Request(operation, body))
        response: Response = sent if self._loop is None else self.run(sent)
        return response

    def run(self, coroutine: Any) -> Any:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    def close(self) -> None:
        if self._loop is None:
            self.transport.close()
            return
        self.run(self.transport.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
