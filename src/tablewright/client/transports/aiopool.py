"""The connections of one event loop.

There are never more than a limit; who comes later waits for the next that is free. Answers are
awaited without a timer each: one :meth:`AsyncPool._look_round` ends all that is overdue.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque

from tablewright.client.transports.aioconnection import AsyncConnection
from tablewright.client.transports.endpoints import Endpoint
from tablewright.client.transports.reading import Answer
from tablewright.client.transports.tls import Tls
from tablewright.client.transports.tunnel import check, is_whole, request_for
from tablewright.client.transports.wire import Unreachable


class AsyncPool:
    """Connections to one endpoint on one loop, never more than ``limit``."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        endpoint: Endpoint,
        tls: Tls,
        *,
        connect_timeout: float,
        read_timeout: float,
        limit: int,
    ) -> None:
        self._loop = loop
        self._endpoint = endpoint
        self._tls = tls
        self._connect_timeout = connect_timeout
        self._read_timeout = read_timeout
        self._room = limit
        self._idle: list[AsyncConnection] = []
        self._busy: set[AsyncConnection] = set()
        # Whoever waits gets a connection, or None: the room to open one.
        self._queue: deque[asyncio.Future[AsyncConnection | None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    async def ask(self, message: bytes) -> Answer:
        """The answer to one request; raises :class:`Unreachable`."""
        connection = self._take_idle() or await self._take()
        self._busy.add(connection)
        if self._timer is None:
            self._look_later()
        try:
            return await connection.ask(message, self._loop.time() + self._read_timeout)
        finally:
            self._busy.discard(connection)
            self._give_back(connection)  # which closes it, unless its answer has been read

    def close(self) -> None:
        """Close what is idle now; what is in use is closed when it comes back."""
        self._closed = True
        while self._idle:
            self._idle.pop().abort()
            self._room += 1
        if self._timer is not None and not self._busy:
            self._timer.cancel()

    # --- taking and giving back ------------------------------------------------------

    def _take_idle(self) -> AsyncConnection | None:
        now = self._loop.time()
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_stale(now):
                return connection
            connection.abort()
            self._room += 1
        return None

    async def _take(self) -> AsyncConnection:
        if self._room > 0:
            self._room -= 1
        else:
            given = await self._turn()
            if given is not None and given.reusable:
                return given
        try:
            return await self._connect()
        except BaseException:
            self._make_room()
            raise

    async def _turn(self) -> AsyncConnection | None:
        """Wait until somebody has no more use for a connection."""
        turn: asyncio.Future[AsyncConnection | None] = self._loop.create_future()
        self._queue.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it came too late: pass it on
                given = turn.result()
                if given is None:
                    self._make_room()
                else:
                    self._give_back(given)
            raise

    def _give_back(self, connection: AsyncConnection) -> None:
        if not connection.reusable or self._closed:
            connection.abort()
            self._make_room()
            return
        turn = self._next()
        if turn is not None:
            turn.set_result(connection)
            return
        connection.idle_since = self._loop.time()
        self._idle.append(connection)

    def _make_room(self) -> None:
        turn = self._next()
        if turn is not None:
            turn.set_result(None)
        else:
            self._room += 1

    def _next(self) -> asyncio.Future[AsyncConnection | None] | None:
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                return turn
        return None

    # --- connecting ------------------------------------------------------------------

    async def _connect(self) -> AsyncConnection:
        try:
            async with asyncio.timeout(self._connect_timeout):
                return await self._open()
        except (OSError, TimeoutError) as error:
            reason = str(error) or "timed out"
            raise Unreachable(
                f"no connection to {self._endpoint.url}: {reason}", sent=False
            ) from error

    async def _open(self) -> AsyncConnection:
        endpoint = self._endpoint
        context = None
        if endpoint.secure:
            # Reading all the certificates takes long enough to notice.
            context = await self._loop.run_in_executor(None, self._tls.context)
        name = endpoint.host if endpoint.secure else None
        if endpoint.proxy is not None and endpoint.secure:
            _, connection = await self._loop.create_connection(
                self._new, ssl=context, server_hostname=name, sock=await self._tunnel()
            )
            return connection
        there = endpoint.proxy or endpoint
        _, connection = await self._loop.create_connection(
            self._new, there.host, there.port, ssl=context, server_hostname=name
        )
        return connection

    def _new(self) -> AsyncConnection:
        return AsyncConnection(self._loop, self._endpoint)

    async def _tunnel(self) -> socket.socket:
        """A socket on which the proxy passes everything on to the endpoint."""
        loop, proxy = self._loop, self._endpoint.proxy
        assert proxy is not None
        found = await loop.getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        plain = socket.socket(family, kind, protocol)
        try:
            plain.setblocking(False)
            await loop.sock_connect(plain, address)
            await loop.sock_sendall(plain, request_for(self._endpoint))
            head = b""
            while not is_whole(head):
                byte = await loop.sock_recv(plain, 1)  # what follows the head belongs to TLS
                if not byte:
                    break
                head += byte
            check(head)
        except BaseException:
            plain.close()
            raise
        return plain

    # --- timeouts --------------------------------------------------------------------

    def _look_later(self) -> None:
        self._timer = self._loop.call_later(min(self._read_timeout / 4, 1.0), self._look_round)

    def _look_round(self) -> None:
        """End what is overdue. Sleeps while nothing is asked."""
        self._timer = None
        now = self._loop.time()
        for connection in tuple(self._busy):
            if now >= connection.due:
                connection.give_up()
        if self._busy:
            self._look_later()
