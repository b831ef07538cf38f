"""A listening server: its connections, their timeouts, its orderly end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, cast

from tablewright.server.alertness import Alertness
from tablewright.server.answers import Answers
from tablewright.server.completions import Completions
from tablewright.server.connection import Connection
from tablewright.server.dispatch import Dispatcher
from tablewright.server.limits import Limits
from tablewright.server.signature import Credentials
from tablewright.server.wire import EngineOf, Wire

_LISTEN_BACKLOG = 1024
#: With fewer clients than this, every answer is written at once.
FEW_CONNECTIONS = 4


class Server:
    """Serves an engine on the running event loop, between :meth:`start` and :meth:`stop`."""

    def __init__(
        self,
        engine: Wire | EngineOf,
        *,
        limits: Limits | None = None,
        credentials: Iterable[Credentials] = (),
        region: str = "us-east-1",
        browsers: bool = True,
    ) -> None:
        self.limits = limits or Limits()
        self.answers = Answers(self.limits.compress_bytes)
        self.dispatcher = Dispatcher(
            engine,
            self.answers,
            limits=self.limits,
            credentials=credentials,
            region=region,
            browsers=browsers,
        )
        self.completions: Completions
        self.alertness: Alertness
        self.port = 0
        self._loop: asyncio.AbstractEventLoop
        self._listener: asyncio.Server | None = None
        self._connections: set[Connection] = set()
        self._unflushed: list[Connection] = []
        self._empty = asyncio.Event()
        self._sweep: asyncio.TimerHandle | None = None

    async def start(self, host: str, port: int) -> None:
        """Listen; port 0 takes a free one. Raises OSError if the port is taken."""
        self._loop = asyncio.get_running_loop()
        self.completions = Completions(self._loop)
        self.alertness = Alertness(self._loop, self.limits.alert_seconds)
        # Not what it is said to be: the sockets of uvloop's servers are a list.
        listener: Any = await self._loop.create_server(
            lambda: cast(asyncio.Protocol, Connection(self)), host, port, backlog=_LISTEN_BACKLOG
        )
        self._listener = listener
        self.port = listener.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Accept no more, finish what is in flight, then close every connection."""
        if self._listener is not None:
            self._listener.close()
        for connection in tuple(self._connections):
            connection.stop()
        if self._connections:
            self._empty.clear()
            try:
                await asyncio.wait_for(self._empty.wait(), self.limits.stop_timeout)
            except TimeoutError:
                self.abort()
                await asyncio.sleep(0)
        if self._sweep is not None:
            self._sweep.cancel()

    def abort(self) -> None:
        """Drop every connection at once."""
        for connection in tuple(self._connections):
            connection.abort()

    # --- for the connections ---------------------------------------------------------

    def admit(self, connection: Connection) -> bool:
        """Count a new connection; False if there are too many."""
        admitted = len(self._connections) < self.limits.connections
        self._connections.add(connection)
        if self._sweep is None:
            self._sweep_later()
        return admitted

    def forget(self, connection: Connection) -> None:
        """A connection has ended."""
        self._connections.discard(connection)
        if not self._connections:
            self._empty.set()

    def flush_later(self, connection: Connection) -> bool:
        """Have the connection's answers written with those of others; False: write them now.

        With many clients, answers written in one go wake a client's process once, where answers
        written one by one would wake it for each.
        """
        if len(self._connections) < FEW_CONNECTIONS:
            return False
        if not self._unflushed:
            self._loop.call_soon(self._flush_all)
        self._unflushed.append(connection)
        return True

    def _flush_all(self) -> None:
        connections, self._unflushed = self._unflushed, []
        for connection in connections:
            connection.flush()

    # --- timeouts --------------------------------------------------------------------

    def _sweep_later(self) -> None:
        self._sweep = self._loop.call_later(self.limits.sweep_interval(), self._look_round)

    def _look_round(self) -> None:
        """End what has made no progress for too long. Sleeps while nobody is connected."""
        now = self._loop.time()
        for connection in tuple(self._connections):
            stamp = connection.stamp()
            if stamp != connection.stamp_seen:
                connection.stamp_seen, connection.stamp_since = stamp, now
            else:
                connection.expire(now - connection.stamp_since)
        self._sweep = None
        if self._connections:
            self._sweep_later()
