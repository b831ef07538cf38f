"""Connections for threads: plain sockets, kept alive in a pool.

Theory of operation. A request is sent whole and its answer read whole before the connection goes
back to the pool, so a pooled connection has nothing to say. If it is readable all the same, the
peer has closed it (or is out of step), and it is thrown away *before* anything is sent: that is
how idle connections usually end, and it is never ambiguous. What remains:

- sending fails: the request was not complete, so the service cannot have done it; on a connection
  from the pool, it is sent again on a new one;
- reading fails: the service may have done it. That is for the caller to judge.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections import deque

from tablewright.client.transports.endpoints import Endpoint
from tablewright.client.transports.reading import Answer, Garbled, Reader
from tablewright.client.transports.tls import Tls
from tablewright.client.transports.tunnel import check, is_whole, request_for
from tablewright.client.transports.wire import Unreachable

#: Firewalls forget idle connections without a word, some after a minute.
IDLE_SECONDS = 50.0
_FIRST_READ = 64 * 1024
_NEXT_READ = 512 * 1024


class NotSent(Exception):
    """The request could not be handed over; the service has not got it."""


class Connection:
    """A socket to an endpoint."""

    def __init__(
        self, endpoint: Endpoint, tls: Tls, connect_timeout: float, read_timeout: float
    ) -> None:
        self._read_timeout = read_timeout
        self._socket = _connected(endpoint, tls, connect_timeout)
        self._socket.settimeout(read_timeout)
        self._reader = Reader()
        self._readable = Readable(self._socket.fileno())
        self.idle_since = 0.0

    @property
    def reusable(self) -> bool:
        """Whether it may carry another request after the answer just read."""
        return self._reader.reusable

    def is_stale(self) -> bool:
        """Whether the peer has closed it while nobody looked."""
        return time.monotonic() - self.idle_since > IDLE_SECONDS or self._readable()

    def ask(self, message: bytes) -> Answer:
        """Send one request and read its answer; raises NotSent, OSError, or Garbled."""
        due = time.monotonic() + self._read_timeout
        try:
            self._socket.sendall(message)
        except OSError as error:
            raise NotSent(str(error) or type(error).__name__) from error
        reader = self._reader
        reader.begin()
        data = self._socket.recv(_FIRST_READ)
        answer = reader.feed(data) if data else reader.end()
        return answer or self._rest(due)

    def close(self) -> None:
        self._socket.close()

    def _rest(self, due: float) -> Answer:
        """The answer whose first bytes have arrived. However slow, it has to be there when due."""
        answer = None
        while answer is None:
            left = due - time.monotonic()
            if left <= 0:
                raise TimeoutError("timed out in the middle of the answer")
            self._socket.settimeout(left)
            data = self._socket.recv(_NEXT_READ)
            answer = self._reader.feed(data) if data else self._reader.end()
        self._socket.settimeout(self._read_timeout)
        return answer


class Pool:
    """Connections to one endpoint, for any number of threads."""

    def __init__(
        self,
        endpoint: Endpoint,
        tls: Tls,
        *,
        connect_timeout: float,
        read_timeout: float,
        keep: int,
    ) -> None:
        self._endpoint = endpoint
        self._tls = tls
        self._connect_timeout = connect_timeout
        self._read_timeout = read_timeout
        self._keep = keep
        # The last one used is the next: those that are not needed grow old and go.
        self._idle: deque[Connection] = deque()
        self._process = os.getpid()
        self._closed = False

    def ask(self, message: bytes) -> Answer:
        """The answer to one request; raises :class:`Unreachable`."""
        connection = self._take()
        if connection is not None:
            try:
                return self._ask(connection, message)
            except NotSent:
                pass  # closed by the peer just now: it is worth a new connection
        try:
            connection = Connection(
                self._endpoint, self._tls, self._connect_timeout, self._read_timeout
            )
        except OSError as error:
            raise Unreachable(
                f"no connection to {self._endpoint.url}: {error}", sent=False
            ) from error
        try:
            return self._ask(connection, message)
        except NotSent as error:
            raise Unreachable(
                f"{self._endpoint.url} took no request: {error}", sent=False
            ) from error

    def close(self) -> None:
        """Close what is idle now; what is in use is closed when it comes back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def _ask(self, connection: Connection, message: bytes) -> Answer:
        try:
            answer = connection.ask(message)
        except (OSError, Garbled) as error:
            connection.close()
            text = str(error) or type(error).__name__
            raise Unreachable(f"no answer from {self._endpoint.url}: {text}", sent=True) from error
        except BaseException:  # NotSent, or an interrupt: an answer may come that nobody reads
            connection.close()
            raise
        self._give_back(connection)
        return answer

    def _take(self) -> Connection | None:
        if self._process != os.getpid():
            # A forked child shares its parent's sockets; it must not speak on them.
            self._idle = deque()
            self._process = os.getpid()
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if not connection.is_stale():
                return connection
            connection.close()

    def _give_back(self, connection: Connection) -> None:
        if not connection.reusable or self._closed or len(self._idle) >= self._keep:
            connection.close()
            return
        connection.idle_since = time.monotonic()
        self._idle.append(connection)


class Readable:
    """Whether a socket has something to read, asked at the cost of one system call."""

    __slots__ = ("_number", "_poll")

    def __init__(self, number: int) -> None:
        self._number = number
        self._poll: select.poll | None = None
        if hasattr(select, "poll"):  # not on Windows
            self._poll = select.poll()
            self._poll.register(number, select.POLLIN)

    def __call__(self) -> bool:
        if self._poll is not None:
            return bool(self._poll.poll(0))
        return bool(select.select([self._number], [], [], 0)[0])


def _connected(endpoint: Endpoint, tls: Tls, timeout: float) -> socket.socket:
    """A socket that is connected, through the proxy if there is one, with TLS if it is to be."""
    proxy = endpoint.proxy
    address = (endpoint.host, endpoint.port) if proxy is None else (proxy.host, proxy.port)
    plain = socket.create_connection(address, timeout)
    try:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if not endpoint.secure:
            return plain
        if proxy is not None:
            _tunnel(plain, endpoint)
        return tls.context().wrap_socket(plain, server_hostname=endpoint.host)
    except BaseException:
        plain.close()
        raise


def _tunnel(plain: socket.socket, endpoint: Endpoint) -> None:
    """Have the proxy at the other end pass everything on to the endpoint."""
    plain.sendall(request_for(endpoint))
    head = b""
    while not is_whole(head):
        byte = plain.recv(1)  # and no more: what follows the head belongs to TLS
        if not byte:
            break
        head += byte
    check(head)
