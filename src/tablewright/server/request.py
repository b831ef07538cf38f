"""One HTTP request, complete, and what answers are made of if nothing else is asked for."""

from __future__ import annotations

JSON_1_0 = b"application/x-amz-json-1.0"


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
