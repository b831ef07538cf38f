"""Time that passes when everybody waits: an hour of waiting takes as long as the work in it.

An event loop whose clock stands still while there is something to do, and jumps to the next timer
when there is not. Everything in the process that asks for the time gets this one, so that leases,
pauses and the units of the engine agree with each other.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar
from unittest import mock

from tablewright.client import AsyncEmbedded
from tablewright.client.transports.wire import Request, Response
from tablewright.engine import Engine

R = TypeVar("R")
#: What a request takes, there and back.
REQUEST_SECS = 0.005


class SimulatedTime:
    """The moment, for those who ask for the time of day."""

    def __init__(self) -> None:
        self._began = time.time()
        self.passed = 0.0
        #: Requests that the engine is at work on, in threads of its own: time waits for them.
        self.under_way = 0

    def now(self) -> float:
        return self._began + self.passed

    def monotonic(self) -> float:
        return self.passed


class _Selector(selectors.BaseSelector):
    """Waits for what really happens only as long as something is under way."""

    def __init__(self, moment: SimulatedTime) -> None:
        self._real = selectors.DefaultSelector()
        self._moment = moment

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or (timeout > 0 and self._moment.under_way):
            return self._real.select(None)
        events = self._real.select(0)
        if not events and timeout > 0:
            self._moment.passed += timeout
        return events

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def close(self) -> None:
        self._real.close()

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()


class Distant(AsyncEmbedded):
    """An engine that is a few milliseconds away."""

    def __init__(self, engine: Engine, moment: SimulatedTime) -> None:
        super().__init__(engine)
        self._moment = moment

    async def send(self, request: Request) -> Response:
        await asyncio.sleep(REQUEST_SECS)
        self._moment.under_way += 1
        try:
            return await super().send(request)
        finally:
            self._moment.under_way -= 1


def run(work: Callable[[SimulatedTime], Coroutine[Any, Any, R]]) -> R:
    """What it gives, in time of its own."""
    moment = SimulatedTime()
    loop = asyncio.SelectorEventLoop(_Selector(moment))
    # The loop asks for the time in the same way as everybody else.
    with (
        mock.patch.object(time, "monotonic", moment.monotonic),
        asyncio.Runner(loop_factory=lambda: loop) as runner,
    ):
        return runner.run(work(moment))
