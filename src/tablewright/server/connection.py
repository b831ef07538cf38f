"""One client connection: requests in, answers out, in order.

Theory of operation. A request that is complete is handled at once, inside
:meth:`Connection.data_received`, if nothing is ahead of it: its answer goes to ``_out``, and all
answers of one read leave in one write. No task is created and the loop isn't visited again.

At most one request of a connection is with the engine at a time. If its future is not done yet
(a durable write), the connection *waits*; requests that arrive behind it queue in ``_backlog``,
and :meth:`completed` goes on with them. Pipelined requests therefore run and are answered in the
order sent, as HTTP demands of unsafe methods.

Reading stops while the backlog is not empty or the client does not take its answers. What may
pile up for one client is thus bounded: one read of complete requests, one request's body, and
the write buffer.

A connection ends in one of three ways: :meth:`_hang_up` after the last answer or a refusal (then
read and discard for a moment, so that the client sees it), :meth:`_close`, or :meth:`abort`. From
then on it is *deaf*: whatever still arrives is ignored.

Timeouts need no timers: the server's sweep compares :meth:`stamp` with what it saw before.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, cast

from tablewright.server.answers import CONTINUE
from tablewright.server.dispatch import log
from tablewright.server.reading import Reader, Refused
from tablewright.server.request import Request
from tablewright.server.wire import Reply

if TYPE_CHECKING:
    from tablewright.server.server import Server

#: Answers of one read are collected up to this size before they are written.
_COLLECT = 64 * 1024
_JSON = [b"Content-Type: application/x-amz-json-1.0"]
_TOO_MANY = Refused(503, b'{"__type":"com.amazon.coral.availability#ServiceUnavailableException"}')
_TOO_SLOW = Refused(408, b'{"__type":"com.amazon.coral.service#RequestTimeout"}')


class Connection:
    """The server's end of one socket: a protocol of asyncio's.

    It does not inherit from :class:`asyncio.Protocol`, which adds nothing, because a class with a
    base that is not compiled is not quite compiled itself.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._dispatcher = server.dispatcher
        self._transport: asyncio.Transport | None = None
        self._reader = Reader(
            server.limits,
            take=self._take,
            refuse=self._refuse,
            join_headers=server.dispatcher.verifier is not None,
        )
        self._waiting: tuple[Request, Reply] | None = None
        self._backlog: deque[Request] = deque()
        self._refusal: bytes | None = None  # to be sent when its turn comes
        self._out: list[bytes] = []
        self._out_size = 0
        self._served = 0
        self._owes_continue = False
        self._stuffed = False  # the client does not read; asyncio told us to stop writing
        self._quiet = False  # reading is paused
        self._ended = False  # the client sends no more
        self._stopping = False
        self._deaf = False
        # For the server's sweep.
        self.stamp_seen: object = None
        self.stamp_since = 0.0

    # --- asyncio ---------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=self._server.limits.write_buffer_bytes)
        if not self._server.admit(self):
            self._refuse(_TOO_MANY)

    def connection_lost(self, exc: Exception | None) -> None:
        self._deaf = True
        self._transport = None
        self._reader.release()
        self._backlog.clear()
        self._waiting = None
        self._server.forget(self)

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        reader = self._reader
        try:
            reader.feed(data)
            self._flush_soon()
            if reader.partial and reader.check_partial():
                self._continue()
        except Exception:
            log.exception("a connection failed unexpectedly")
            self.abort()
        if self._backlog or self._stuffed:
            self._regulate()
        if self._waiting is None:
            self._server.alertness.touch()
        else:  # the committing thread needs the interpreter
            self._server.alertness.rest()

    def eof_received(self) -> bool:
        """The client sends no more; it may still be waiting for answers."""
        self._ended = True
        self.flush()  # asyncio closes the connection unless something is still to come
        return self._waiting is not None or bool(self._backlog)

    def pause_writing(self) -> None:
        self._stuffed = True
        self._regulate()

    def resume_writing(self) -> None:
        self._stuffed = False
        self._advance()

    # --- answering -------------------------------------------------------------------

    def _take(self, request: Request) -> None:
        """A complete request: its turn is now, or after those before it."""
        if self._waiting is not None or self._stuffed or self._backlog:
            self._backlog.append(request)
        else:
            self._handle(request)

    def _handle(self, request: Request) -> None:
        """Answer `request`, or start to wait for its answer."""
        if self._stopping:
            request.keep_alive = False
        reply = self._dispatcher.begin(request)
        if isinstance(reply, bytes):
            self._answer(request, reply)
        elif reply.done():
            self._finish(request, reply)
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
        try:
            self._finish(request, reply)
            self._advance()
            self._server.alertness.touch()
        except Exception:
            log.exception("a connection failed unexpectedly")
            self.abort()

    def _finish(self, request: Request, reply: Reply) -> None:
        self._answer(request, self._dispatcher.finish(request, reply))

    def _answer(self, request: Request, answer: bytes | None) -> None:
        self._served += 1
        if answer is not None:
            self._out.append(answer)
            self._out_size += len(answer)
        if answer is None or self._stopping:
            self._close()
        elif not request.keep_alive:
            self._hang_up()
        elif self._out_size > _COLLECT:
            self.flush()

    def _advance(self) -> None:
        """Go on with what waited its turn."""
        while self._backlog and self._waiting is None and not self._stuffed:
            self._handle(self._backlog.popleft())
        self._flush_soon()
        if self._waiting is None and not self._backlog:
            if self._refusal is not None:
                self._linger(self._refusal)
            elif self._ended:
                self._close()
            elif self._owes_continue:
                self._continue()
        self._regulate()

    def _continue(self) -> None:
        """Tell the client to send its body, but not before it has the answers ahead of that."""
        self._owes_continue = self._waiting is not None or bool(self._backlog)
        if not self._owes_continue:
            self._out.append(CONTINUE)
            self.flush()

    def _flush_soon(self) -> None:
        if self._out and not self._server.flush_later(self):
            self.flush()

    def flush(self) -> None:
        """Write all answers that have been kept back."""
        out = self._out
        if out:
            data = out[0] if len(out) == 1 else b"".join(out)
            out.clear()
            self._out_size = 0
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

    def _turn_deaf(self) -> None:
        self._deaf = True
        self._owes_continue = False
        self._reader.stop()

    def _close(self) -> None:
        """Close after what is written; nothing more is read."""
        self._turn_deaf()
        self._backlog.clear()
        self.flush()
        if self._transport is not None:
            self._transport.close()

    def _refuse(self, refused: Refused) -> None:
        """Answer and close, in this request's turn; further bytes are of no interest."""
        if self._deaf:
            return
        self._turn_deaf()
        answers = self._server.answers
        answer = answers.plain(refused.status, refused.body, _JSON, keep_alive=False)
        if self._waiting is not None or self._backlog:
            self._refusal = answer
        else:
            self._linger(answer)

    def _linger(self, answer: bytes) -> None:
        """Give the last answer, and end."""
        self._out.append(answer)
        self._hang_up()

    def _hang_up(self) -> None:
        """Say no more, but let the client finish: whatever it still sends is thrown away.

        Closing with unread bytes would reset the connection and take the answer with it.
        """
        self._turn_deaf()
        self._backlog.clear()
        self._refusal = None
        self.flush()
        self._regulate()
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
        if self._waiting is None and not self._backlog and not self._reader.partial:
            self._close()

    def abort(self) -> None:
        """Drop the connection and whatever it was about."""
        self._turn_deaf()
        if self._transport is not None:
            self._transport.abort()

    def stamp(self) -> object:
        """What changes whenever the connection makes progress."""
        waiting = self._waiting is not None
        return self._served, self._reader.partial, waiting, self._deaf, self._unsent()

    def _unsent(self) -> int:
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def expire(self, waited: float) -> None:
        """End the connection if `waited` seconds without progress are too many."""
        limits = self._server.limits
        if self._unsent():
            if waited > limits.write_timeout:
                self.abort()
        elif self._waiting is not None or self._backlog:
            return  # the engine's turn: a durable write takes as long as the disk does
        elif self._deaf:
            if waited > limits.linger_timeout:
                self.abort()
        elif self._reader.partial:
            if waited > limits.request_timeout:
                self._refuse(_TOO_SLOW)
        elif waited > limits.idle_timeout:
            self._close()
