"""What every request passes before it reaches a route: host, number, size and time. Plain ASGI.

The order, from the outside: headers, :class:`~tablewright.service.exchange.Exchanges`,
:class:`Hosts`, :class:`Crowd`, :class:`BodyLimit`, :class:`TimeLimit`, :class:`HeadRequests`, then
the app.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from tablewright.service.exchange import request_id_of, send_problem
from tablewright.service.problems import Problem
from tablewright.service.settings import is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

T = TypeVar("T")

#: A part of a path that may be anything: {tag}, as it is once it is escaped.
_SHAPE = re.compile(r"\\\{[^/]*?\\\}")


class HeadRequests:
    """Answers HEAD wherever GET is answered: the same status and headers, without the body.

    The body of an answer may be an endless stream of events, so the app is stopped once the body
    begins.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        answered = asyncio.Event()

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
            elif not answered.is_set():
                answered.set()
                await send({"type": "http.response.body", "body": b""})

        # A copy: the server looks at the method to leave the body out.
        inner = {**scope, "method": "GET"}
        answer = asyncio.ensure_future(self.app(inner, receive, send_head))
        begun = asyncio.ensure_future(answered.wait())
        try:
            await asyncio.wait({answer, begun}, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                answer.result()
        finally:
            scope.update({name: value for name, value in inner.items() if name != "method"})
            begun.cancel()
            answer.cancel()
            await asyncio.gather(answer, begun, return_exceptions=True)


class Hosts:
    """Answers only under names that are ours.

    A page of another site can point a name of its own at this machine and then speak to a service
    that listens on loopback (DNS rebinding). It cannot choose what stands in ``Host``.
    """

    def __init__(
        self, app: ASGIApp, names: Iterable[str], *, loopback: bool, free: Collection[str] = ()
    ) -> None:
        """``free`` are paths, with all below them, that are answered under any name."""
        self.app = app
        self.free = tuple(free)
        self.names = frozenset(name.strip("[]").lower() for name in names)
        self.loopback = loopback
        self._known: set[bytes] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = next((value for name, value in scope["headers"] if name == b"host"), b"")
            if given not in self._known and not self._learn(given) and not self._is_free(scope):
                await send_problem(send, _wrong_host(), request_id_of(scope))
                return
        await self.app(scope, receive, send)

    def _is_free(self, scope: Scope) -> bool:
        path = scope["path"]
        return any(path == each or path.startswith(f"{each}/") for each in self.free)

    def _learn(self, given: bytes) -> bool:
        name = _host_name(given.decode("latin-1"))
        if name not in self.names and not (self.loopback and is_loopback(name)):
            return False
        # Ports make many of them; the few that matter come first.
        if len(self._known) < 100:
            self._known.add(given)
        return True


def _host_name(text: str) -> str:
    """``[::1]:8080`` is ``::1``."""
    if text.startswith("["):
        return text[1:].split("]", 1)[0].lower()
    return text.rsplit(":", 1)[0].rstrip(".").lower() if ":" in text else text.rstrip(".").lower()


def _wrong_host() -> Problem:
    detail = "The service does not answer under this name; see `hosts` in its settings."
    return Problem(421, "WRONG_HOST", detail)


class Crowd:
    """Refuses requests while too many wait for their answers: late ones help nobody.

    An answer that has begun does not count any more: streams of events stay open for long, and have
    a limit of their own.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self.most = most
        self.waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.waiting >= self.most and not scope["path"].startswith("/health"):
            await send_problem(send, _too_many(), request_id_of(scope))
            return
        waits = True
        self.waiting += 1

        async def begun(message: Message) -> None:
            nonlocal waits
            if waits:
                waits = False
                self.waiting -= 1
            await send(message)

        try:
            await self.app(scope, receive, begun)
        finally:
            if waits:
                self.waiting -= 1


def _too_many() -> Problem:
    detail = "There are too many requests at once. Nothing was done; try again."
    return Problem(503, "BUSY", detail, headers={"Retry-After": "1"})


class ByPath(Generic[T]):
    """What some paths have; ``{}`` in one, with or without a name, is any one part of it."""

    def __init__(self, given: Mapping[str, T]) -> None:
        self._whole = {path: value for path, value in given.items() if "{" not in path}
        self._shaped = [
            (re.compile(_SHAPE.sub("[^/]+", re.escape(path))), value)
            for path, value in given.items()
            if "{" in path
        ]

    def of(self, path: str, usual: T) -> T:
        if path in self._whole:
            return self._whole[path]
        return next((value for shape, value in self._shaped if shape.fullmatch(path)), usual)


class BodyLimit:
    """Refuses bodies that are too large: at once if they say so, else when they have become so.

    ``larger`` has the paths that take more.
    """

    def __init__(self, app: ASGIApp, most: int, larger: Mapping[str, int] | None = None) -> None:
        self.app = app
        self.most = most
        self.larger = ByPath(larger or {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (declared := _declared(scope)) == 0:
            await self.app(scope, receive, send)
            return
        most = self.larger.of(scope["path"], self.most)
        if declared is not None and declared > most:
            await send_problem(send, _too_large(most), request_id_of(scope))
        elif declared is not None:
            # The server sees to it that no more comes than was said.
            await self.app(scope, receive, send)
        else:
            await self._count(scope, receive, send, most)

    async def _count(self, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        size = 0
        exceeded = started = False

        async def counted() -> Message:
            nonlocal size, exceeded
            message = await receive()
            if message["type"] == "http.request":
                size += len(message.get("body", b""))
                if size > most:
                    exceeded = True
                    # A problem, so that nobody takes it for a fault of ours and logs it.
                    raise _too_large(most)
            return message

        async def checked(message: Message) -> None:
            # What the app makes of a body that broke off is not the answer.
            nonlocal started
            if started or not exceeded:
                started = True
                await send(message)

        try:
            await self.app(scope, counted, checked)
        except Exception:
            if started or not exceeded:
                raise
        if exceeded and not started:
            await send_problem(send, _too_large(most), request_id_of(scope))


def _declared(scope: Scope) -> int | None:
    """The length of the body; None if only its end will tell."""
    length: int | None = 0
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else None
        if name == b"transfer-encoding":
            length = None
    return length


def _too_large(most: int) -> Problem:
    return Problem(413, "TOO_LARGE", f"The body may have {most} bytes at most.")


class TimeLimit:
    """Ends requests that have no answer in time. An answer that has begun may go on.

    ``longer`` has the paths that take more time.
    """

    def __init__(
        self, app: ASGIApp, seconds: float, longer: Mapping[str, float] | None = None
    ) -> None:
        self.app = app
        self.seconds = seconds
        self.longer = ByPath(longer or {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def begun(message: Message) -> None:
            if limit.when() is not None:
                limit.reschedule(None)
            await send(message)

        seconds = self.longer.of(scope["path"], self.seconds)
        try:
            async with asyncio.timeout(seconds) as limit:
                await self.app(scope, receive, begun)
        except TimeoutError:
            if not limit.expired():
                raise
            await send_problem(send, _too_late(seconds), request_id_of(scope))


def _too_late(seconds: float) -> Problem:
    detail = (
        f"There was no answer within {seconds:g} seconds. What was asked for may have happened: "
        "look before you repeat it."
    )
    return Problem(504, "TIMED_OUT", detail)
