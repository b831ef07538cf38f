"""A transport that remembers what went over it: every request of one run, with its answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import orjson

from tablewright.client.events import Consumed, consumed_units
from tablewright.client.transports import AsyncTransport, Failure, Request, Response, Unreachable
from tablewright.console.explorer.statements import is_select
from tablewright.model.errors import RequestError
from tablewright.values import Item

#: What changes nothing. A SELECT counts as a query.
READS = frozenset({"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"})
#: Where answers have items.
_LISTS = ("Items",)
_ONES = ("Item", "Attributes")


@dataclass(frozen=True)
class Exchange:
    """One attempt of a request, and what came of it."""

    operation: str
    #: The bodies, as they were then: an engine in this process may go on to use them.
    request: bytes
    response: bytes
    seconds: float
    consumed: tuple[Consumed, ...] = ()
    #: The service's code, or that it could not be reached; "" if it answered.
    error: str = ""

    @property
    def items(self) -> Sequence[Item]:
        """The items in the answer, as they are stored."""
        return items_in(orjson.loads(self.response))


@dataclass(eq=False)
class Recording:
    """Carries requests by another transport, and keeps them. It closes nothing."""

    inner: AsyncTransport
    #: Nothing but reads gets through.
    reads_only: bool = False
    #: Told the bytes of every request that may write.
    wrote: Callable[[int], None] = lambda size: None
    exchanges: list[Exchange] = field(default_factory=list)

    async def send(self, request: Request) -> Response:
        if self.reads_only and _metered_as(request) not in READS:
            raise RequestError(f"{request.operation} would write, and here is only reading")
        sent = orjson.dumps(request.body)
        if _metered_as(request) not in READS:
            self.wrote(len(sent))
        started = time.perf_counter()
        try:
            # Without the reader of those who need only parts: whoever looks on sees everything.
            response = await self.inner.send(Request(request.operation, request.body))
        except Failure as failure:
            self._keep(request, sent, started, failure.body, failure.code)
            raise
        except Unreachable as error:
            self._keep(request, sent, started, {"message": error.message}, "Unreachable")
            raise
        self._keep(request, sent, started, response.body)
        # An engine in this process answers reads at once: others have a turn between the pages.
        await asyncio.sleep(0)
        return response

    async def close(self) -> None:
        """What carries the requests is not ours."""

    def _keep(
        self,
        request: Request,
        sent: bytes,
        started: float,
        answer: dict[str, object],
        error: str = "",
    ) -> None:
        self.exchanges.append(
            Exchange(
                request.operation,
                sent,
                orjson.dumps(answer, default=str),
                time.perf_counter() - started,
                consumed_units(_metered_as(request), answer),
                error,
            )
        )


def _metered_as(request: Request) -> str:
    """A SELECT uses read units, as a query does; other statements use write units."""
    if request.operation != "ExecuteStatement":
        return request.operation
    return "Query" if is_select(str(request.body.get("Statement", ""))) else request.operation


def items_in(answer: object) -> list[Item]:
    """The items of an answer, wherever its operation puts them."""
    if not isinstance(answer, dict):
        return []
    found = [item for name in _LISTS for item in answer.get(name) or ()]
    found += [answer[name] for name in _ONES if answer.get(name)]
    responses = answer.get("Responses") or ()
    if isinstance(responses, dict):
        return found + [item for each in responses.values() for item in each]
    return found + [each["Item"] for each in responses if each.get("Item")]
