"""One client connection: bytes to requests, answers to bytes.

Theory of operation. httptools calls back while :meth:`Connection.data_received` feeds it. A
request that is complete is handled at once, inside that call, if nothing is ahead of it: its
answer goes to ``_out``, and all answers of one read leave in one write. No task is created and
the loop isn't visited again.

At most one request of a connection is with the engine at a time. If its future is not done yet
(a durable write), the connection *waits*; requests that arrive behind it queue in ``_backlog``,
and :meth:`completed` goes on with them. Pipelined requests therefore run and are answered in the
order sent, as HTTP demands of unsafe methods.

Reading stops while the backlog is not empty or the client does not take its answers. What may
pile up for one client is thus bounded: one read of complete requests, one request's body, and
the write buffer.

A connection ends in one of three ways: :meth:`_close` after the last answer, :meth:`_refuse`
(answer, then read and discard for a moment so that the client sees it), or ``abort``. From then
on it is *deaf*: whatever still arrives is ignored.

Timeouts need no timers: the server's sweep compares :meth:`stamp` with what it saw before.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import httptools

from tablewright.server.answers import CONTINUE
from tablewright.server.dispatch import log, too_large
from tablewright.server.request import Reply, Request

if TYPE_CHECKING:
    from tablewright.server.server import Server

#: Answers of one read are collected up to this size before they are written.
_COLLECT = 64 * 1024
#: These make a request ask for another protocol, which we answer in HTTP/1.1 all the same.
_UPGRADE_HEADERS = frozenset({b"connection", b"upgrade", b"http2-settings"})


class Connection(asyncio.Protocol):
    """The server's end of one socket."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._dispatcher = server.dispatcher
        self._header_bytes = server.limits.header_bytes
        self._body_bytes = server.limits.body_bytes
        self._transport: asyncio.Transport | None = None
        # The request being read.
        self._fields: dict[bytes, bytes] = {}
        self._url = b""
        self._headers: dict[bytes, bytes] | None = None
        self._body: list[bytes] = []
        self._body_size = 0
        self._reading = False
        self._owes_continue = False
        self._fed = 0  # bytes of the read being parsed
        self._raw = 0  # bytes of this request that came in earlier reads
        # What goes on.
        self._waiting: tuple[Request, Reply] | None = None
        self._backlog: deque[Request] = deque()
        self._refusal: bytes | None = None
        self._out: list[bytes] = []
        self._out_size = 0
        self._served = 0
        self._stuffed = False  # the client does not read; asyncio told us to stop writing
        self._quiet = False  # reading is paused
        self._ended = False  # the client sends no more
        self._stopping = False
        self._lingering = False
        self._deaf = False
        # Without signatures the first of equal headers counts, which dict.setdefault does
        # without a Python frame per header; a signature covers all of them, joined.
        self.on_header: Callable[[bytes, bytes], object] = self._fields.setdefault
        if server.dispatcher.verifier is not None:
            self.on_header = self._join_header
        self._parser: httptools.HttpRequestParser | None = httptools.HttpRequestParser(self)
        # For the server's sweep.
        self.stamp_seen: object = None
        self.stamp_since = 0.0

    # --- asyncio ---------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=self._server.limits.write_buffer_bytes)
        if not self._server.admit(self):
            body = b'{"__type":"com.amazon.coral.availability#ServiceUnavailableException"}'
            self._refuse(503, body)

    def connection_lost(self, exc: Exception | None) -> None:
        self._deaf = True
        self._transport = None
        self._parser = None  # breaks the cycle between the parser and this object
        self._backlog.clear()
        self._waiting = None
        self._server.forget(self)

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        self._fed = len(data)
        if self._reading:
            self._raw += self._fed
        self._feed(data)
        if self._out:
            self._flush()
        if self._reading and not self._deaf:
            self._look_at_part()
        if self._backlog or self._stuffed:
            self._regulate()

    def eof_received(self) -> bool:
        """The client sends no more; it may still be waiting for answers."""
        self._ended = True
        busy = self._waiting is not None or bool(self._backlog)
        return busy and not self._lingering

    def pause_writing(self) -> None:
        self._stuffed = True
        self._regulate()

    def resume_writing(self) -> None:
        self._stuffed = False
        self._advance()

    # --- httptools -------------------------------------------------------------------

    def on_url(self, url: bytes) -> None:
        self._reading = True
        self._url += url

    def _join_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        known = self._fields.get(name)
        self._fields[name] = value if known is None else known + b"," + value

    def on_headers_complete(self) -> None:
        fields = self._fields
        if self._fed + self._raw > self._header_bytes and self._oversized():
            return
        self._headers = {name.lower(): value for name, value in fields.items()}
        fields.clear()

    def on_body(self, data: bytes) -> None:
        self._body_size += len(data)
        if self._body_size > self._body_bytes:
            self._refuse(413, too_large(self._body_bytes))
        elif not self._deaf:
            self._body.append(data)

    def on_message_complete(self) -> None:
        headers, parser = self._headers, self._parser
        if self._deaf or headers is None or parser is None:
            return
        if parser.should_upgrade():
            return  # the body isn't parsed yet: see _feed
        body = self._body
        request = Request(
            parser.get_method(),
            self._url,
            headers,
            body[0] if len(body) == 1 else b"".join(body),
            parser.should_keep_alive(),
        )
        self._next_request()
        if self._waiting is not None or self._stuffed or self._backlog:
            self._backlog.append(request)
        else:
            self._handle(request)

    # --- reading ---------------------------------------------------------------------

    def _feed(self, data: bytes) -> None:
        assert self._parser is not None
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._go_on_without_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserCallbackError:
            log.exception("a connection failed unexpectedly")
            self._abort()
        except httptools.HttpParserError as error:
            self._bad_request(str(error))

    def _go_on_without_upgrade(self, rest: bytes) -> None:
        """Read the same request again without its wish for another protocol.

        The parser takes what follows an upgrade for the other protocol, so the body would be
        lost. Java's own HTTP client asks for HTTP/2 in this way on every plain connection.
        """
        parser, headers = self._parser, self._headers
        if parser is None or headers is None or self._deaf:
            return
        if parser.get_method() == b"CONNECT":
            self._bad_request("CONNECT is not supported")
            return
        lines = [parser.get_method() + b" " + self._url + b" HTTP/1.1"]
        lines += [n + b": " + v for n, v in headers.items() if n not in _UPGRADE_HEADERS]
        self._next_request()
        self._parser = httptools.HttpRequestParser(self)
        self._feed(b"\r\n".join(lines) + b"\r\n\r\n" + rest)

    def _next_request(self) -> None:
        if self._fields:
            self._fields.clear()  # trailers must not become headers of the next request
        self._url = b""
        self._headers = None
        self._body = []
        self._body_size = 0
        self._reading = False
        self._owes_continue = False
        self._raw = 0

    def _oversized(self) -> bool:
        """Whether the complete head is too large; if so the connection is refused."""
        size = len(self._url) + sum(len(n) + len(v) + 4 for n, v in self._fields.items())
        if size > self._header_bytes:
            self._bad_request("Request header section is too large")
        return size > self._header_bytes

    def _look_at_part(self) -> None:
        """A request that one read did not complete: is it worth waiting for the rest?"""
        headers = self._headers
        if headers is None:
            if self._raw > self._header_bytes:
                self._bad_request("Request header section is too large")
            return
        # Chunk headers and trailers are not in the body; eight bytes for each of the body's
        # are more than any honest client needs.
        if self._raw > self._header_bytes + 9 * self._body_size + self._fed:
            self._bad_request("Request chunks are too small")
            return
        if int(headers.get(b"content-length", b"0")) > self._body_bytes:
            self._refuse(413, too_large(self._body_bytes))
        elif b"expect" in headers and not self._body_size:
            self._expect(headers.pop(b"expect"))

    def _expect(self, value: bytes) -> None:
        if value.lower() != b"100-continue":
            self._refuse(417, b'{"__type":"com.amazon.coral.service#ExpectationFailed"}')
        elif self._waiting is not None or self._backlog:
            self._owes_continue = True  # answers ahead of it go first
        else:
            self._write(CONTINUE)

    # --- answering -------------------------------------------------------------------

    def _handle(self, request: Request) -> None:
        """Answer `request`, or start to wait for its answer."""
        if self._stopping:
            request.keep_alive = False
        reply = self._dispatcher.begin(request)
        if isinstance(reply, bytes):
            self._answer(request, reply)
        elif reply.done():
            self._answer(request, self._dispatcher.finish(request, reply))
        else:
            self._waiting = request, reply
            reply.add_done_callback(self._on_reply)

    def _on_reply(self, _reply: object) -> None:
        """In the committing thread."""
        self._server.completions.add(self)

    def completed(self) -> None:
        """Back on the loop: the awaited answer is there."""
        if self._waiting is None:
            return  # the client went away
        request, reply = self._waiting
        self._waiting = None
        if self._stopping:
            request.keep_alive = False
        self._answer(request, self._dispatcher.finish(request, reply))
        self._advance()

    def _answer(self, request: Request, answer: bytes | None) -> None:
        self._served += 1
        if answer is not None:
            self._out.append(answer)
            self._out_size += len(answer)
        if answer is None or not request.keep_alive:
            self._close()
        elif self._out_size > _COLLECT:
            self._flush()

    def _advance(self) -> None:
        """Go on with what waited its turn."""
        while self._backlog and self._waiting is None and not self._stuffed:
            self._handle(self._backlog.popleft())
        self._flush()
        if self._waiting is None and not self._backlog:
            if self._refusal is not None:
                self._linger(self._refusal)
            elif self._ended:
                self._close()
            elif self._owes_continue:
                self._owes_continue = False
                self._write(CONTINUE)
        self._regulate()

    def _flush(self) -> None:
        if self._out:
            data = self._out[0] if len(self._out) == 1 else b"".join(self._out)
            self._out.clear()
            self._out_size = 0
            self._write(data)

    def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    def _regulate(self) -> None:
        """Read if and only if there is room for what would be read."""
        full = bool(self._backlog) or self._stuffed
        if full == self._quiet or self._transport is None or self._transport.is_closing():
            return
        self._quiet = full
        if full:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    # --- ending ----------------------------------------------------------------------

    def _close(self) -> None:
        """Close after what is written; nothing more is read."""
        self._deaf = True
        self._backlog.clear()
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def _abort(self) -> None:
        self._deaf = True
        if self._transport is not None:
            self._transport.abort()

    def _bad_request(self, reason: str) -> None:
        body = b'{"__type":"com.amazon.coral.service#SerializationException","Message":"%b"}'
        self._refuse(400, body % reason.replace("\\", "").replace('"', "'").encode())

    def _refuse(self, status: int, body: bytes) -> None:
        """Answer and close, in this request's turn; further bytes are of no interest."""
        if self._deaf:
            return
        lines = [b"Content-Type: application/x-amz-json-1.0"]
        answer = self._server.answers.plain(status, body, lines, keep_alive=False)
        self._deaf = True
        self._reading = self._owes_continue = False
        if self._waiting is not None or self._backlog:
            self._refusal = answer
        else:
            self._linger(answer)

    def _linger(self, answer: bytes) -> None:
        """Closing with unread bytes would reset the connection and take the answer with it."""
        self._refusal = None
        self._lingering = True
        self._flush()
        self._write(answer)
        transport = self._transport
        if transport is None:
            return
        if self._ended or not transport.can_write_eof():
            transport.close()
        else:
            transport.write_eof()

    # --- for the server --------------------------------------------------------------

    def stop(self) -> None:
        """Close now if nothing is going on, else after the answer being made."""
        self._stopping = True
        if self._waiting is None and not self._backlog and not self._reading:
            self._close()

    def abort(self) -> None:
        self._abort()

    def stamp(self) -> object:
        """What changes whenever the connection makes progress."""
        unsent = self._transport.get_write_buffer_size() if self._transport is not None else 0
        return self._served, self._reading, self._waiting is None, self._deaf, unsent

    def expire(self, waited: float) -> None:
        """End the connection if `waited` seconds without progress are too many."""
        limits = self._server.limits
        unsent = self._transport.get_write_buffer_size() if self._transport is not None else 0
        if unsent:
            if waited > limits.write_timeout:
                self._abort()
        elif self._deaf:
            if waited > limits.linger_timeout:
                self._abort()
        elif self._waiting is not None or self._backlog:
            return  # the engine's turn: a durable write takes as long as the disk does
        elif self._reading:
            if waited > limits.request_timeout:
                self._refuse(408, b'{"__type":"com.amazon.coral.service#RequestTimeout"}')
        elif waited > limits.idle_timeout:
            self._close()
