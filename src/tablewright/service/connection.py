"""One connection: uvicorn's, with limits on the head of a request, and refusals as documents.

Without them whoever sends half a head keeps a connection for ever, and whoever sends an endless one
fills the memory. Bodies have limits of their own, in :mod:`tablewright.service.middleware`.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tablewright.service.problems import MEDIA_TYPE, Problem, encode

#: From the first byte of a head, or from the beginning of the connection, to its last byte.
HEAD_SECS = 20.0
#: Cookies and tokens are the longest things in there.
MOST_HEAD_BYTES = 65_536


class Connection(HttpToolsProtocol):
    """What uvicorn makes for each connection."""

    _timer: asyncio.TimerHandle | None = None
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_here()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._timer is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self._refuse(_long_head())

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect_head()

    def on_headers_complete(self) -> None:
        self._head_is_here()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(Problem(400, "MALFORMED", "This is not a request in HTTP."))

    def _expect_head(self) -> None:
        if self._timer is None:
            self._head_bytes = 0
            self._timer = self.loop.call_later(HEAD_SECS, self.transport.close)

    def _head_is_here(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, problem: Problem) -> None:
        """Answer below everything else, and hang up."""
        self._head_is_here()
        if self.transport.is_closing():
            return
        body = encode(problem)
        phrase = HTTPStatus(problem.status).phrase
        head = (
            f"HTTP/1.1 {problem.status} {phrase}\r\ncontent-type: {MEDIA_TYPE}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


def _long_head() -> Problem:
    detail = f"The head of a request may have {MOST_HEAD_BYTES} bytes at most."
    return Problem(431, "HEAD_TOO_LARGE", detail)
