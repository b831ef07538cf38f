"""Transports to an engine in the same process: no sockets, no JSON, no signatures.

The engine is known here by its shape alone, never imported: the data layer and the database meet
on the wire format. Nothing is copied on the way. The engine keeps items as JSON text of its own and
copies what it keeps of a table's definition, so neither a request nor a response is ever part of
what is stored. A response may hold parts of its request, though: ``UnprocessedItems``, and the
values of an update that returns ``ALL_NEW``.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from tablewright.client.transports.wire import Failure, Read, Request, Response, Unreachable

#: Errors of an engine that are not answers, by the name of their class, with whether the request
#: may have been carried out: a fault that tests inject, and a closed engine.
_NO_ANSWER = {"DropConnection": True, "EngineClosed": False}
#: Reads that take long. Those who read one page after the other let others have a turn.
_LONG = frozenset({"GetRecords"})


class Pending(Protocol):
    """A result that may still be on its way."""

    def done(self) -> bool: ...

    def result(self) -> dict[str, Any]: ...

    def add_done_callback(self, callback: Callable[[Any], object], /) -> None: ...


class Engine(Protocol):
    """What is needed of an engine."""

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]: ...

    def submit(
        self,
        operation: str,
        request: dict[str, Any],
        /,
        *,
        owned: bool = ...,
        read: Read | None = ...,
    ) -> Pending: ...

    def prepare(self, operation: str, request: dict[str, Any], /) -> Callable[[], Pending]: ...


class Embedded:
    """Requests to an engine in this process. The engine stays the caller's to close."""

    def __init__(self, engine: Engine) -> None:
        self._call = engine.call

    def send(self, request: Request) -> Response:
        """The answer to one request."""
        try:
            return Response(self._call(request.operation, request.body), 0, 0)
        except Exception as error:
            translated = _translated(error)
            if translated is None:
                raise
            raise translated from error

    def close(self) -> None:
        """Nothing to give back."""


class AsyncEmbedded:
    """The same for coroutines: a read is answered at once, a write is awaited."""

    def __init__(self, engine: Engine) -> None:
        self._submit = engine.submit
        self._engine = engine
        self._finished: dict[asyncio.AbstractEventLoop, _Finished] = {}

    def prepare(self, request: Request) -> Request:
        """Have the engine look at a request that will be sent soon."""
        submit = self._engine.prepare(request.operation, request.body)
        return _Prepared(request.operation, request.body, submit=submit)

    async def send(self, request: Request) -> Response:
        """The answer to one request."""
        try:
            if isinstance(request, _Prepared):
                pending = request.submit()
            else:
                pending = self._submit(
                    request.operation, request.body, owned=True, read=request.read
                )
            if not pending.done():
                await self._arrival(pending)
            elif request.operation in _LONG:
                await asyncio.sleep(0)
            return Response(pending.result(), 0, 0)
        except Exception as error:
            translated = _translated(error)
            if translated is None:
                raise
            raise translated from error

    async def close(self) -> None:
        """Nothing to give back."""

    def _arrival(self, pending: Pending) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        finished = self._finished.get(loop)
        if finished is None:
            # Each asyncio.run() brings a new loop; those that are over are not kept.
            kept = {other: each for other, each in self._finished.items() if not other.is_closed()}
            finished = _Finished(loop)
            self._finished = {**kept, loop: finished}
        arrival: asyncio.Future[None] = loop.create_future()
        pending.add_done_callback(lambda _: finished.add(arrival))
        return arrival


@dataclass(frozen=True, slots=True)
class _Prepared(Request):
    """A request that the engine has looked at already."""

    submit: Callable[[], Pending] = field(kw_only=True)


class _Finished:
    """Futures whose outcome is there, from the engine's committing thread to one loop.

    A group commit finishes many writes at once; all of them wake the loop together, once.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._arrivals: deque[asyncio.Future[None]] = deque()
        self._scheduled = False

    def add(self, arrival: asyncio.Future[None]) -> None:
        """Wake whoever awaits ``arrival``. Safe in any thread."""
        # Append first, look second; `_drain` does it the other way round. So whatever it leaves
        # finds the flag down, and wakes the loop again.
        self._arrivals.append(arrival)
        if not self._scheduled:
            self._scheduled = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._drain)

    def _drain(self) -> None:
        self._scheduled = False
        while self._arrivals:
            arrival = self._arrivals.popleft()
            if not arrival.done():  # whoever waited may have been cancelled
                arrival.set_result(None)


def _translated(error: Exception) -> Failure | Unreachable | None:
    """An engine's error as every transport reports it; None if it is no answer at all."""
    ambiguous = _NO_ANSWER.get(type(error).__name__)
    if ambiguous is not None:
        return Unreachable(str(error), sent=ambiguous)
    code = getattr(error, "code", None)
    message = getattr(error, "message", None)
    extra = getattr(error, "extra", None)
    status = getattr(error, "status", None)
    if (
        isinstance(code, str)
        and isinstance(message, str)
        and isinstance(extra, dict)
        and isinstance(status, int)
    ):
        return Failure(code, message, status, {"message": message, **extra})
    return None
