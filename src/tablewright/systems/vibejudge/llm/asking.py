"""One question to a model: money first, three further tries, and every call accounted for.

A try that certainly was not billed (throttled, an error of theirs) costs nothing and leaves the
money set aside for the next one. A try of which nobody knows (no answer in time, the connection
lost) is charged as estimated, as the sweeper would, and the next one is another call.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias

from tablewright.clock import Clock, SystemClock
from tablewright.systems.vibejudge.llm.calls import ModelCaller, Reply, Request
from tablewright.systems.vibejudge.llm.failures import (
    CallFailed,
    Faulty,
    Lost,
    NotBilled,
    Throttled,
)
from tablewright.systems.vibejudge.llm.ports import (
    Budget,
    CallCost,
    CallId,
    Priced,
    Reserved,
)
from tablewright.systems.vibejudge.rules.estimates import Estimate, estimate

Sleep: TypeAlias = Callable[[float], Awaitable[None]]

#: After the first try.
RETRIES = 3
#: Seconds: the longest pause before the first retry, which doubles, and before any.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0


@dataclass(frozen=True)
class Pauses:
    """How long to wait before another try; who waits alike comes back alike, so it is drawn."""

    sleep: Sleep = asyncio.sleep
    random: random.Random = field(default_factory=random.Random)

    async def before(self, retry: int, failure: CallFailed) -> None:
        """Before the first, second, ... retry: what the other side asks for, else ever longer."""
        longest: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (retry - 1))
        drawn = longest * (0.5 + self.random.random() / 2)
        asked = failure.seconds if isinstance(failure, Throttled) else None
        await self.sleep(min(LONGEST_PAUSE, max(asked or 0.0, drawn)))


class Conversation:
    """The calls of one agent in one attempt, in their order, and what each has cost."""

    def __init__(
        self,
        first: CallId,
        priced: Priced,
        caller: ModelCaller,
        budget: Budget,
        clock: Clock | None = None,
        pauses: Pauses | None = None,
    ) -> None:
        self._next = first
        self._priced = priced
        self._caller = caller
        self._budget = budget
        self._clock = clock or SystemClock()
        self._pauses = pauses or Pauses()
        self.costs: list[CallCost] = []
        #: Milliseconds that the model took, over all calls.
        self.latency_ms = 0

    async def ask(self, request: Request) -> Reply:
        """The reply, at the fourth try at the latest; else the last failure.

        ``BudgetRefused`` passes through: what went out before it is accounted for.
        """
        most = gate(request, self._priced)
        call: _Call | None = None
        last: CallFailed
        retry = 0
        while True:
            if call is None:
                call = await self._opened(most)
            try:
                return await self._answered(call, request)
            except Lost as failure:
                await self._close(call, call.unknown())
                call, last = None, failure
            except (Throttled, Faulty) as failure:
                last = failure
            except NotBilled:
                await self._close(call, call.nothing())
                raise
            retry += 1
            if retry > RETRIES:
                if call is not None:
                    await self._close(call, call.nothing())
                raise last
            await self._pauses.before(retry, last)

    async def _opened(self, most: Estimate) -> _Call:
        id = self._next
        worst = self._priced.unknown(id, most, 0, self._now())
        reserved = await self._budget.reserve(worst)
        self._next = id.next()
        # Said before it is so: whoever dies in between has paid too much rather than nothing.
        await reserved.started()
        return _Call(id, reserved, self._priced, most, self._now(), time.perf_counter())

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.now(), UTC)

    async def _answered(self, call: _Call, request: Request) -> Reply:
        reply = await self._caller.call(request)
        await self._close(call, call.told(reply))
        return reply

    async def _close(self, call: _Call, cost: CallCost) -> None:
        self.costs.append(cost)
        self.latency_ms += cost.latency_ms
        await call.reserved.settle(cost)


@dataclass(frozen=True)
class _Call:
    """A call that went out."""

    id: CallId
    reserved: Reserved
    priced: Priced
    most: Estimate
    at: datetime
    began: float

    def told(self, reply: Reply) -> CallCost:
        if reply.usage is None:
            return self.priced.unknown(self.id, self.most, reply.latency_ms, self.at)
        return self.priced.told(self.id, reply.usage, reply.latency_ms, self.at)

    def unknown(self) -> CallCost:
        return self.priced.unknown(self.id, self.most, self._elapsed(), self.at)

    def nothing(self) -> CallCost:
        return self.priced.nothing(self.id, self._elapsed(), self.at)

    def _elapsed(self) -> int:
        return round((time.perf_counter() - self.began) * 1000)


def gate(request: Request, priced: Priced) -> Estimate:
    """What is set aside for a request, and what an estimate of it says."""
    return estimate(request.size(), request.max_tokens, priced.rate)
