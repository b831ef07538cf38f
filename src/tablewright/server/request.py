"""One HTTP request, complete, and the few constants about it that several modules share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

JSON_1_0 = b"application/x-amz-json-1.0"


class Reply(Protocol):
    """What is used of an engine's future (a ``concurrent.futures.Future[bytes]``)."""

    def done(self) -> bool: ...

    def result(self) -> bytes: ...

    def add_done_callback(self, fn: Callable[[Any], object], /) -> None: ...


@runtime_checkable
class Wire(Protocol):
    """What is used of an engine: JSON in, a future of JSON out."""

    def submit_json(self, operation: str, body: bytes, /) -> Reply: ...


#: Finds the engine of an access key and region, where their data is kept apart.
EngineOf = Callable[[str, str], Wire]


class Request:
    """A request as parsed. Header names are in lower case."""

    __slots__ = ("body", "content_type", "headers", "keep_alive", "method", "url")

    def __init__(
        self, method: bytes, url: bytes, headers: dict[bytes, bytes], body: bytes, keep_alive: bool
    ) -> None:
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.keep_alive = keep_alive
        #: The content type of the answer; the dispatcher sets it from the request's own.
        self.content_type = JSON_1_0
