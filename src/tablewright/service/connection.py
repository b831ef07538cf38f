"""One connection: uvicorn's, with limits on the head of a request, and refusals as documents.

Without them whoever sends half a head keeps a connection for ever, and whoever sends an endless one
fills the memory. Bodies have limits of their own, in :mod:`tablewright.service.middleware`. Whoever
stops reading a stream, which has no end, is cut off.
"""

from __future__ import annotations

import asyncio
import logging
from http import HTTPStatus
from itertools import chain

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tablewright.service.exchange import new_id
from tablewright.service.headers import common
from tablewright.service.problems import MEDIA_TYPE, Problem, encode
from tablewright.service.streaming import WATCH

#: From the first byte of a head, or from the beginning of the connection, to its last byte.
HEAD_SECS = 20.0
#: Cookies and tokens are the longest things in there.
MOST_HEAD_BYTES = 65_536
#: How long a reader of a stream may take nothing of what waits for it.
STALLED_SECS = 30.0
#: What stands around the name and the value of a header.
_AROUND_HEADER = len(": \r\n")

_log = logging.getLogger(__name__)


class Connection(HttpToolsProtocol):
    """What uvicorn makes for each connection."""

    _timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    #: A head has no more bytes than these; what stood before it may be among them.
    _received = 0
    _watched = False
    _stalling: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_here()
        self._is_taken()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        under_way = self._timer
        self._received += len(data)
        super().data_received(data)
        if self._timer is None:
            self._received = 0
        elif self._timer is under_way:
            # All of it belongs to one head, whose end is not here yet.
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self._refuse(_long_head())

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"][WATCH] = self._watch
        self._expect_head()

    def on_headers_complete(self) -> None:
        self._head_is_here()
        if self._received > MOST_HEAD_BYTES and self._head_size() > MOST_HEAD_BYTES:
            self._refuse(_long_head())
            raise _HeadTooLongError  # so that the parser stops: nothing that follows counts
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(Problem(400, "MALFORMED", "This is not a request in HTTP."))

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._watched:
            self._wait_for_reader()

    def resume_writing(self) -> None:
        self._is_taken()
        super().resume_writing()

    def _watch(self) -> None:
        self._watched = True
        if self.flow.write_paused and self._stalling is None:
            self._wait_for_reader()

    def _wait_for_reader(self) -> None:
        """Nothing is added to what waits to be sent, until most of it is gone."""
        waiting = self.transport.get_write_buffer_size()
        self._stalling = self.loop.call_later(STALLED_SECS, self._look_at_reader, waiting)

    def _look_at_reader(self, waiting: int) -> None:
        if self.transport.get_write_buffer_size() < waiting:
            self._wait_for_reader()  # slow, but there
        else:
            self.transport.abort()  # to close it would wait for the reader, too

    def _is_taken(self) -> None:
        if self._stalling is not None:
            self._stalling.cancel()
            self._stalling = None

    def _expect_head(self) -> None:
        if self._timer is None:
            self._head_bytes = 0
            self._timer = self.loop.call_later(HEAD_SECS, self.transport.close)

    def _head_is_here(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _head_size(self) -> int:
        texts = sum(map(len, chain.from_iterable(self.headers)))
        return len(self.url) + texts + _AROUND_HEADER * len(self.headers)

    def _refuse(self, problem: Problem) -> None:
        """Answer below everything else, and hang up."""
        self._head_is_here()
        if self.transport.is_closing():
            return
        id = new_id()
        _log.info("refused", extra={"request_id": id, "code": problem.code})
        body = encode(problem, id)
        headers = {
            **common(),
            "content-type": MEDIA_TYPE,
            "content-length": str(len(body)),
            "connection": "close",
            "x-request-id": id,
        }
        lines = [f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + body)
        self.transport.close()


class _HeadTooLongError(Exception):
    """Ends the reading of a head that has been refused."""


def _long_head() -> Problem:
    detail = f"The head of a request may have {MOST_HEAD_BYTES} bytes at most."
    return Problem(431, "HEAD_TOO_LARGE", detail)
