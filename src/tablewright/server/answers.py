"""Answers as bytes: status line, AWS's headers, body.

:meth:`Answers.ok` is the hot path: one formatting operation on a head that is rebuilt once a
second, when the Date changes. Everything else goes through :meth:`Answers.render`.
"""

from __future__ import annotations

import secrets
import time
from email.utils import formatdate
from zlib import crc32

import orjson

from tablewright.engine.errors import AwsError
from tablewright.server import encodings
from tablewright.server.request import JSON_1_0, Request

_REASONS = {
    200: b"OK",
    400: b"Bad Request",
    403: b"Forbidden",
    404: b"Not Found",
    408: b"Request Timeout",
    413: b"Request Entity Too Large",
    417: b"Expectation Failed",
    431: b"Request Header Fields Too Large",
    500: b"Internal Server Error",
    503: b"Service Unavailable",
}
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#: Answers to cross-origin requests show scripts these headers.
_EXPOSED = b"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,x-amz-crc32,Date"

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Answers:
    """Builds every answer of one server."""

    def __init__(self, compress_bytes: int) -> None:
        self._compress_bytes = compress_bytes
        # An id is 14 random characters of this server, a counter of 12 digits, and 26 more
        # random ones: unique, 52 characters as on AWS, and a fraction of a microsecond.
        start = "".join(secrets.choice(_ALPHABET) for _ in range(14))
        end = "".join(secrets.choice(_ALPHABET) for _ in range(26))
        self._id_start = start.encode()
        self._id_end = end.encode()
        self._count = 0
        self._until = 0.0
        self._date = b""
        self._ok_head = b""
        self._ok_tail = self._id_end + b"\r\nx-amz-crc32: "

    def ok(self, request: Request, body: bytes) -> bytes:
        """A successful operation's answer."""
        headers = request.headers
        if (
            not request.keep_alive
            or b"origin" in headers
            or request.content_type is not JSON_1_0
            or (len(body) >= self._compress_bytes and b"accept-encoding" in headers)
        ):
            return self.render(request, 200, body, request.content_type)
        if time.monotonic() >= self._until:
            self._refresh()
        self._count += 1
        return b"%b%012d%b%d\r\nContent-Length: %d\r\n\r\n%b" % (
            self._ok_head,
            self._count,
            self._ok_tail,
            crc32(body),
            len(body),
            body,
        )

    def error(self, request: Request, error: AwsError) -> bytes:
        """An error the engine or the signature check raised."""
        return self.failure(request, error.status, orjson.dumps(error.body(), default=str))

    def failure(self, request: Request, status: int, body: bytes) -> bytes:
        """An error whose body is already JSON."""
        return self.render(request, status, body, request.content_type)

    def render(
        self,
        request: Request,
        status: int,
        body: bytes,
        content_type: bytes | None,
        extra: tuple[bytes, ...] = (),
    ) -> bytes:
        """An answer with everything `request` asked for: compression, CORS, closing."""
        lines = list(extra)
        if content_type is not None:
            lines.append(b"Content-Type: " + content_type)
        if b"origin" in request.headers:
            lines.append(b"Access-Control-Allow-Origin: *")
            lines.append(b"Access-Control-Expose-Headers: " + _EXPOSED)
        accept = request.headers.get(b"accept-encoding")
        if accept and len(body) >= self._compress_bytes:
            coding = encodings.choose(accept)
            if coding is not None:
                body = encodings.encode(body, coding)
                lines.append(b"Content-Encoding: " + coding)
        if request.method == b"HEAD":
            body = b""
        return self.plain(status, body, lines, request.keep_alive)

    def plain(self, status: int, body: bytes, lines: list[bytes], keep_alive: bool) -> bytes:
        """An answer with the given header lines and those every answer has."""
        if time.monotonic() >= self._until:
            self._refresh()
        self._count += 1
        return b"\r\n".join(
            [
                b"HTTP/1.1 %d %b" % (status, _REASONS[status]),
                b"Server: tablewright",
                self._date,
                b"Connection: keep-alive" if keep_alive else b"Connection: close",
                *lines,
                b"x-amzn-RequestId: %b%012d%b" % (self._id_start, self._count, self._id_end),
                # Of the bytes as sent: that is what SDKs check, before they inflate anything.
                b"x-amz-crc32: %d" % crc32(body),
                b"Content-Length: %d" % len(body),
                b"",
                body,
            ]
        )

    def _refresh(self) -> None:
        """Rebuild what holds the Date. Called at most once a second."""
        now = time.time()
        self._until = time.monotonic() + 1.0 - now % 1.0
        self._date = b"Date: " + formatdate(now, usegmt=True).encode()
        self._ok_head = b"\r\n".join(
            [
                b"HTTP/1.1 200 OK",
                b"Server: tablewright",
                self._date,
                b"Connection: keep-alive",
                b"Content-Type: " + JSON_1_0,
                b"x-amzn-RequestId: " + self._id_start,
            ]
        )
