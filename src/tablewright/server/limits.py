"""Caps and timeouts of the server, in one frozen value that callers can replace."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True)
class Limits:
    """What one server accepts and how long it waits. Sizes in bytes, times in seconds."""

    #: Request line and headers together; AWS stops at 16 KB.
    header_bytes: int = 16 * KIB
    #: A request's body as sent, and the same after inflating a compressed one.
    body_bytes: int = 16 * MIB
    #: Answers at least this large are compressed for clients that accept it, as AWS does.
    compress_bytes: int = 4 * KIB
    #: A client that does not read stops being served when this much waits for it.
    write_buffer_bytes: int = MIB
    #: Open connections; a further one is answered 503 and closed.
    connections: int = 4096
    #: An open connection without a request.
    idle_timeout: float = 120.0
    #: From a request's first byte to its last.
    request_timeout: float = 30.0
    #: A client that takes none of its answer for so long is dropped.
    write_timeout: float = 30.0
    #: After a refusal: how long further bytes are read and thrown away, so that the client
    #: gets to see the answer instead of a reset connection.
    linger_timeout: float = 2.0
    #: How long the server stays awake after a request, polling; 0 lets it sleep at once.
    alert_seconds: float = 0.0001
    #: How long a stop waits for requests in flight.
    stop_timeout: float = 10.0

    def sweep_interval(self) -> float:
        """How often connections are checked for having waited too long."""
        shortest = min(
            self.idle_timeout, self.request_timeout, self.write_timeout, self.linger_timeout
        )
        return min(1.0, max(0.02, shortest / 4))
