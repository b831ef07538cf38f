"""A connection for coroutines: an asyncio protocol.

The same rules as for threads (see ``connection``): a connection in the pool that has something to
say has been closed by the peer. asyncio notices that by itself, unless the loop was busy in the
meantime; so one that has rested for a while is looked at before it is used.
"""

from __future__ import annotations

import asyncio
import socket
from typing import cast

from tablewright.client.transports.connection import IDLE_SECONDS, Readable
from tablewright.client.transports.endpoints import Endpoint
from tablewright.client.transports.reading import Answer, Garbled, Reader
from tablewright.client.transports.wire import Unreachable

#: A connection that has rested longer is looked at before it is used.
_REST_SECONDS = 0.5


class AsyncConnection(asyncio.Protocol):
    """One socket on one loop; carries one request at a time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, endpoint: Endpoint) -> None:
        self._loop = loop
        self._url = endpoint.url
        self._reader = Reader()
        self._transport: asyncio.Transport | None = None
        self._readable: Readable | None = None
        self._awaited: asyncio.Future[Answer] | None = None
        self.idle_since = 0.0
        #: When the answer has to be there.
        self.due = 0.0

    # --- asyncio ---------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        number = transport.get_extra_info("socket")
        if number is not None:
            number.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            self._readable = Readable(number.fileno())

    def data_received(self, data: bytes) -> None:
        awaited = self._awaited
        if awaited is None:  # nobody asked: the peer is out of step
            self.abort()
            return
        try:
            answer = self._reader.feed(data)
        except Garbled as error:
            self._fail(str(error))
            self.abort()
            return
        if answer is not None:
            self._awaited = None
            if not awaited.done():
                awaited.set_result(answer)

    def eof_received(self) -> None:
        awaited, self._awaited = self._awaited, None
        if awaited is not None and not awaited.done():
            try:
                awaited.set_result(self._reader.end())
            except Garbled as error:
                awaited.set_exception(self._unreachable(str(error)))

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._reader.reusable = False
        self._fail(str(exc) if exc else "the connection was closed without an answer")

    # --- for the pool ----------------------------------------------------------------

    @property
    def reusable(self) -> bool:
        """Whether it may carry another request after the answer just read."""
        return self._reader.reusable and self._transport is not None

    def is_stale(self, now: float) -> bool:
        """Whether the peer has closed it while nobody looked."""
        if self._transport is None or self._transport.is_closing():
            return True
        rested = now - self.idle_since
        if rested < _REST_SECONDS:
            return False
        return rested > IDLE_SECONDS or (self._readable is not None and self._readable())

    def ask(self, message: bytes, due: float) -> asyncio.Future[Answer]:
        """Send one request; the future of its answer."""
        if self._transport is None:  # closed by the peer before it was of any use
            raise Unreachable(f"{self._url} took no request", sent=False)
        self._reader.begin()
        self.due = due
        awaited = self._awaited = self._loop.create_future()
        self._transport.write(message)
        return awaited

    def give_up(self) -> None:
        """The answer is overdue."""
        self._fail("timed out")
        self.abort()

    def abort(self) -> None:
        self._reader.reusable = False
        if self._transport is not None:
            self._transport.abort()

    def _fail(self, reason: str) -> None:
        awaited, self._awaited = self._awaited, None
        if awaited is not None and not awaited.done():
            awaited.set_exception(self._unreachable(reason))

    def _unreachable(self, reason: str) -> Unreachable:
        return Unreachable(f"no answer from {self._url}: {reason}", sent=True)
