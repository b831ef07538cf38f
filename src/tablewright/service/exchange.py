"""One request and its answer, from the first byte to the last: :class:`Exchanges` goes around all.

It gives the request an id, measures it, answers what nobody caught with a problem document, and
tells observers (the log, the metrics) how it went. All other middleware is inside, except for the
headers that every answer has.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable, MutableMapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from tablewright.service.problems import MEDIA_TYPE, Problem, encode
from tablewright.service.routes import template_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_log = logging.getLogger(__name__)

#: The request that this task works for; "" outside of requests.
request_id: ContextVar[str] = ContextVar("tablewright_request_id", default="")

_KEY = "tablewright.exchange"
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class Exchange:
    """What is known of a request and its answer."""

    __slots__ = ("fault", "finished", "id", "method", "seconds", "started", "status", "template")

    def __init__(self, id: str, method: str) -> None:
        self.id = id
        self.method = method
        self.started = time.perf_counter()
        #: 0 until the answer begins.
        self.status = 0
        self.finished = False
        self.seconds = 0.0
        self.template = ""
        #: What was raised and is in the log already.
        self.fault: BaseException | None = None


Observer = Callable[[Exchange], None]


class Exchanges:
    """The outermost layer but one."""

    def __init__(
        self,
        app: ASGIApp,
        begins: Sequence[Callable[[], None]] = (),
        ends: Sequence[Observer] = (),
    ) -> None:
        self.app = app
        self.begins = tuple(begins)
        self.ends = tuple(ends)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = Exchange(_id_of(scope), scope["method"])
        scope[_KEY] = exchange
        request_id.set(exchange.id)
        own_header = (b"x-request-id", exchange.id.encode())

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                message["headers"] = [*message.get("headers", ()), own_header]
            elif message["type"] == "http.response.body":
                exchange.finished = not message.get("more_body", False)
            await send(message)

        for begin in self.begins:
            begin()
        try:
            await self.app(scope, receive, told)
        except Exception as error:
            log_fault(scope, error)
            if exchange.status == 0:
                await send_problem(told, _internal(), exchange.id)
            elif not exchange.finished:
                # Half an answer must not look like a whole one: the server cuts the connection.
                raise Interrupted from None
        finally:
            exchange.seconds = time.perf_counter() - exchange.started
            exchange.template = template_of(scope)
            for end in self.ends:
                end(exchange)


class Interrupted(Exception):
    """An answer broke off after it had begun; what did it is in the log."""


def request_id_of(scope: MutableMapping[str, Any]) -> str:
    """The id of the request; "" if nobody gave it one."""
    exchange = scope.get(_KEY)
    return exchange.id if isinstance(exchange, Exchange) else ""


def log_fault(scope: MutableMapping[str, Any], error: BaseException) -> None:
    """Log what nobody expected, with its trace, once."""
    exchange = scope.get(_KEY)
    if isinstance(exchange, Exchange):
        if exchange.fault is error:
            return
        exchange.fault = error
    _log.error("a request failed unexpectedly", exc_info=error)


async def send_problem(send: Send, problem: Problem, id: str = "") -> None:
    """Answer with a problem document, below the framework."""
    body = encode(problem, id)
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", b"%d" % len(body)),
        *((name.lower().encode(), value.encode()) for name, value in problem.headers.items()),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _internal() -> Problem:
    from tablewright.service.handlers import internal

    return internal()


def _id_of(scope: Scope) -> str:
    """What the caller calls the request, if that can stand in a log; else a new name."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _ID.fullmatch(value):
            return str(value, "ascii")
    return new_id()


def new_id() -> str:
    """A name for a request that has none."""
    return secrets.token_hex(8)
