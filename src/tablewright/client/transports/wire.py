"""What every transport carries: one request to the service, and what comes of it.

A transport makes one attempt. It answers with a :class:`Response`, or raises :class:`Failure` (the
service said no) or :class:`Unreachable` (nobody said anything that can be trusted). Whether to try
again is not its business: the client's flow decides that from what was raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

#: Operations of DynamoDB Streams, which is a service of its own with a host of its own.
STREAM_OPERATIONS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
#: Makes something of JSON text.
Read: TypeAlias = Callable[[bytes], Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One call of the service."""

    #: Such as ``GetItem``.
    operation: str
    #: In DynamoDB's own JSON shape.
    body: dict[str, object]
    #: Reads what is stored as JSON text, for who need not know all of it. It spares transports that
    #: see such text some work; others read everything.
    read: Read | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to a call that succeeded."""

    body: dict[str, Any]
    #: Bytes of the request's body, and of the response's; 0 in process.
    sent: int
    received: int


class Failure(Exception):
    """An answer that is an error."""

    def __init__(
        self,
        code: str,
        message: str,
        status: int = 400,
        body: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
        corrected: bool = False,
    ) -> None:
        super().__init__(f"{code}: {message}")
        #: AWS's name of the error, without the namespace: ``ConditionalCheckFailedException``.
        #: What comes from a gateway rather than from the service is named after its HTTP status.
        self.code = code
        self.message = message
        #: The HTTP status. From 500 on, a write may have happened nevertheless.
        self.status = status
        #: The whole answer: ``CancellationReasons``, ``Item`` and the like.
        self.body: dict[str, Any] = dict(body or {})
        #: Seconds to wait, where the service asked for it.
        self.retry_after = retry_after
        #: The cause was on our side and has been put right (our clock was wrong): nothing was
        #: done, and the next attempt will not fail for the same reason.
        self.corrected = corrected


class Unreachable(Exception):
    """No answer, or none that can be trusted."""

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.message = message
        #: True if the request may have reached the service, so that a write may have happened;
        #: False if it surely has not.
        self.sent = sent


class Transport(Protocol):
    """Carries requests; may be used by several threads at once."""

    def send(self, request: Request) -> Response:
        """Make one attempt; raises :class:`Failure` or :class:`Unreachable`."""
        ...

    def close(self) -> None:
        """Give back what it holds. Does nothing the second time."""
        ...


@runtime_checkable
class Preparing(Protocol):
    """A transport on which part of a request can be done before it is sent."""

    def prepare(self, request: Request) -> Request:
        """The same request, to be sent instead."""
        ...


class AsyncTransport(Protocol):
    """Carries requests without blocking the event loop."""

    async def send(self, request: Request) -> Response:
        """Make one attempt; raises :class:`Failure` or :class:`Unreachable`."""
        ...

    async def close(self) -> None:
        """Give back what it holds. Does nothing the second time."""
        ...
