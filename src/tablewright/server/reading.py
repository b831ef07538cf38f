"""Bytes to requests: the callbacks of httptools, and the caps on what a client may send.

A :class:`Reader` is fed what a connection receives. It hands over each request that is complete,
and refuses what isn't HTTP, what is too large and what goes on for too long. Whoever refuses
calls :meth:`Reader.stop`; from then on everything that arrives is ignored.
"""

from __future__ import annotations

from collections.abc import Callable

import httptools

from tablewright.server.limits import Limits
from tablewright.server.request import Request

#: The parts of a body are kept one by one up to this many, and in one buffer from there on.
_MAX_PARTS = 64
#: These make a request ask for another protocol, which we answer in HTTP/1.1 all the same.
_UPGRADE_HEADERS = frozenset({b"connection", b"upgrade", b"http2-settings"})


class Refused(Exception):
    """The connection cannot go on: the status and the JSON body to end it with."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


def bad_request(reason: str) -> Refused:
    """What arrived isn't a request."""
    body = b'{"__type":"com.amazon.coral.service#SerializationException","Message":"%b"}'
    return Refused(400, body % reason.replace("\\", "").replace('"', "'").encode())


def too_large(limit: int) -> Refused:
    body = b'{"__type":"com.amazon.coral.service#RequestEntityTooLarge","message":"%b"}'
    return Refused(413, body % b"Request size exceeded %d bytes" % limit)


class Reader:
    """Parses the requests of one connection."""

    def __init__(
        self,
        limits: Limits,
        take: Callable[[Request], None],
        refuse: Callable[[Refused], None],
        join_headers: bool,
    ) -> None:
        self._header_bytes = limits.header_bytes
        self._body_bytes = limits.body_bytes
        self._take = take
        self._refuse = refuse
        #: Whether a request has begun and is not complete.
        self.partial = False
        self._stopped = False
        self._join_headers = join_headers
        self._fields: dict[bytes, bytes] = {}
        self._head_size = 0  # of the request line and headers, or of the trailers
        self._url = b""
        self._headers: dict[bytes, bytes] | None = None
        self._body: list[bytes] = []
        self._buffer = bytearray()  # the start of a body that comes in many small parts
        self._body_size = 0
        self._fed = 0  # bytes of the read being parsed
        self._raw = 0  # bytes of this request, without those of the read that began it
        self._parser: httptools.HttpRequestParser | None = httptools.HttpRequestParser(self)

    def feed(self, data: bytes) -> None:
        """Parse what arrived; complete requests are handed over before this returns."""
        self._fed = len(data)
        if self.partial:
            self._raw += self._fed
        self._parse(data)

    def stop(self) -> None:
        """Take no more."""
        self._stopped = True
        self.partial = False

    def release(self) -> None:
        """Break the cycle between the parser and this object."""
        self.stop()
        self._parser = None

    def check_partial(self) -> bool:
        """Refuse a partial request that isn't worth waiting for.

        Return whether its client waits to be told to continue.
        """
        headers = self._headers
        if headers is None:
            if self._raw > self._header_bytes:
                self._refuse(bad_request("Request header section is too large"))
        # Chunk headers and trailers are not in the body; eight bytes for each of the body's
        # are more than any honest client needs.
        elif self._raw > self._header_bytes + 9 * self._body_size + self._fed:
            self._refuse(bad_request("Request chunks are too small"))
        elif int(headers.get(b"content-length", b"0")) > self._body_bytes:
            self._refuse(too_large(self._body_bytes))
        elif b"expect" in headers and not self._body_size:
            if headers.pop(b"expect").lower() == b"100-continue":
                return True
            body = b'{"__type":"com.amazon.coral.service#ExpectationFailed"}'
            self._refuse(Refused(417, body))
        return False

    # --- httptools calls these -------------------------------------------------------

    def on_url(self, url: bytes) -> None:
        self.partial = True
        self._url += url
        self._head_size += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        # Equal headers count as often as they are sent, so the size is added up here.
        self._head_size += len(name) + len(value) + 4
        if self._head_size > self._header_bytes:
            if not self._stopped:
                self._refuse(bad_request("Request header section is too large"))
            return
        name = name.lower()
        fields = self._fields
        if name not in fields:
            fields[name] = value
        elif name == b"host":
            self._refuse(bad_request("The Host header is sent more than once"))
        elif self._join_headers:
            # A signature covers all values, joined. Without one the first value counts.
            fields[name] += b"," + value

    def on_headers_complete(self) -> None:
        self._headers = self._fields
        self._fields = {}
        self._head_size = 0

    def on_body(self, data: bytes) -> None:
        self._body_size += len(data)
        if self._stopped:
            return
        if self._body_size > self._body_bytes:
            self._refuse(too_large(self._body_bytes))
        else:
            self._body.append(data)
            if len(self._body) > _MAX_PARTS:
                self._buffer += b"".join(self._body)
                self._body.clear()

    def on_message_complete(self) -> None:
        headers, parser = self._headers, self._parser
        if self._stopped or headers is None or parser is None:
            return
        if parser.should_upgrade():
            return  # the body isn't parsed yet: see _parse
        body = self._body
        if self._buffer:
            body.insert(0, bytes(self._buffer))
        request = Request(
            parser.get_method(),
            self._url,
            headers,
            body[0] if len(body) == 1 else b"".join(body),
            parser.should_keep_alive(),
        )
        self._reset()
        self._take(request)

    # --- inside ----------------------------------------------------------------------

    def _reset(self) -> None:
        if self._fields:
            self._fields = {}  # trailers must not become headers of the next request
        if self._buffer:
            self._buffer = bytearray()
        self._url = b""
        self._head_size = 0
        self._headers = None
        self._body = []
        self._body_size = 0
        self._raw = 0
        self.partial = False

    def _parse(self, data: bytes) -> None:
        """Feed the parser, and decline every wish for another protocol.

        The parser takes what follows such a request for the other protocol, so the body would be
        lost. Java's own HTTP client asks for HTTP/2 in this way on every plain connection. The
        parser is therefore fed the same head again without the wish, and then what followed the
        head, which is not copied: one read may hold thousands of such requests.
        """
        rest = memoryview(data)
        try:
            while not self._stopped and self._parser is not None:
                try:
                    self._parser.feed_data(rest)
                    return
                except httptools.HttpParserUpgrade as upgrade:
                    rest = rest[upgrade.args[0] :]
                    head = self._head_without_upgrade()
                    if head is not None:
                        self._parser.feed_data(head)
        except httptools.HttpParserCallbackError as error:
            # One of the methods above failed: ours to mend, not the client's.
            raise error.__context__ or error from None
        except httptools.HttpParserError as error:
            if not self._stopped:
                self._refuse(bad_request(str(error)))

    def _head_without_upgrade(self) -> bytes | None:
        """The head of the request that asks for another protocol, without that wish."""
        parser, headers = self._parser, self._headers
        if parser is None or headers is None or self._stopped:
            return None
        if parser.get_method() == b"CONNECT":
            self._refuse(bad_request("CONNECT is not supported"))
            return None
        lines = [parser.get_method() + b" " + self._url + b" HTTP/1.1"]
        lines += [n + b": " + v for n, v in headers.items() if n not in _UPGRADE_HEADERS]
        self._reset()
        return b"\r\n".join(lines) + b"\r\n\r\n"
