"""From bytes to answers: an HTTP/1.1 response, however it is cut into pieces."""

from __future__ import annotations

from dataclasses import dataclass

import httptools


class Garbled(Exception):
    """What arrived is not HTTP, or ends too early."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete HTTP response."""

    status: int
    #: By name in lower case.
    headers: dict[bytes, bytes]
    #: As sent: perhaps still compressed.
    body: bytes


class Reader:
    """Reads the answers of one connection, one after the other; the callbacks are httptools'."""

    __slots__ = ("_headers", "_headers_over", "_parser", "_parts", "answer", "reusable")

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._headers: dict[bytes, bytes] = {}
        self._headers_over = False
        self._parts: list[bytes] = []
        #: The answer, once it is complete.
        self.answer: Answer | None = None
        #: Whether the connection may carry another request after the answer.
        self.reusable = False

    def begin(self) -> None:
        """Get ready for the next answer."""
        self.answer = None
        self.reusable = False  # until it has been read
        self._headers = {}
        self._headers_over = False
        self._parts = []

    def feed(self, data: bytes) -> Answer | None:
        """Take what has arrived; the answer if that completes it. Raises :class:`Garbled`."""
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.reusable = False
            if self.answer is None:
                raise Garbled(f"the answer is not HTTP: {error}") from None
        return self.answer

    def end(self) -> Answer:
        """The peer has closed: the answer, if that was its end. Raises :class:`Garbled`."""
        self.reusable = False
        headers = self._headers
        framed = b"content-length" in headers or b"transfer-encoding" in headers
        if not self._headers_over:
            raise Garbled("the connection was closed without an answer")
        if framed:
            raise Garbled("the connection was closed in the middle of the answer")
        self._finish()
        assert self.answer is not None
        return self.answer

    # --- httptools -------------------------------------------------------------------

    def on_message_begin(self) -> None:
        if self.answer is not None:  # nobody asked for a second one: the stream is out of step
            self.reusable = False
            self._headers = {}  # those of the first are its own

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        self._headers_over = True

    def on_body(self, data: bytes) -> None:
        self._parts.append(data)

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() < 200:  # an interim answer; the real one follows
            self.begin()
        elif self.answer is None:
            self.reusable = self._parser.should_keep_alive()
            self._finish()

    def _finish(self) -> None:
        parts = self._parts
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        self.answer = Answer(self._parser.get_status_code(), self._headers, body)
