"""Several processes that spend and aggregate, as a program that forks for each of them.

``stopped URL CLOCK``: a process takes the aggregator's lease and is stopped (SIGSTOP) before the
first total is written. A second one finds the lease taken. Once it has ended and more was spent, a
third one makes the totals. Then the first goes on. Prints how it went for each, in this order.
``cross URL COUNT MICROS``: COUNT processes spend, and then all select at once.
``burst URL COUNT FACTOR MICROS EVERY``: COUNT processes spend MICROS every EVERY seconds with the
label that they are told, until none of them is told ``premium``. Their clocks go FACTOR times as
fast as ours. ``reserved`` instead of ``burst``: each call is reserved before. Prints what each
was told.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from tests.systems.pricekeeper.spending.support import (
    ORG,
    START,
    account_of,
    keeping,
    select,
    spend,
    used,
)

from tablewright.client.transports import AsyncTransport
from tablewright.client.transports.wire import Request, Response
from tablewright.clock import Clock, FileClock, ManualClock
from tablewright.service.problems import Problem
from tablewright.service.workers import Leases
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.totals.aggregating import Superseded
from tablewright.systems.pricekeeper.shapes import slot_of
from tablewright.systems.pricekeeper.workers.aggregator import Aggregator
from tablewright.testing.backends import Backend, at_endpoint

LEASE_SECS = 30


class QuickClock:
    """Time that goes faster; all processes that are given the same start agree on it."""

    def __init__(self, began: float, factor: float) -> None:
        self._began = began
        self._factor = factor

    def now(self) -> float:
        return START + (time.time() - self._began) * self._factor


class Stopping:
    """A connection that stops its process before the first total is written."""

    def __init__(self, inner: AsyncTransport) -> None:
        self._inner = inner
        self._stopped = False

    async def send(self, request: Request) -> Response:
        table = request.body.get("TableName")
        if (request.operation, table) == ("PutItem", "DailyTotal") and not self._stopped:
            self._stopped = True
            os.kill(os.getpid(), signal.SIGSTOP)
        return await self._inner.send(request)

    async def close(self) -> None:
        await self._inner.close()


# --- aggregating ---------------------------------------------------------------------------------


def stopped(url: str, path: str) -> None:
    whole, clock = opened(url), FileClock(path)
    stopping = Backend("stopping", whole.transport, lambda: Stopping(whole.async_transport()), url)
    first, told = aggregating(stopping, clock)
    _, status = os.waitpid(first, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    finished(*aggregating(whole, clock))
    clock.advance(LEASE_SECS + 1)
    asyncio.run(spend_once(whole, clock))
    finished(*aggregating(whole, clock))
    os.kill(first, signal.SIGCONT)
    finished(first, told)


def aggregating(backend: Backend, clock: Clock) -> tuple[int, int]:
    return forked(lambda: aggregate_once(backend, clock))


async def aggregate_once(backend: Backend, clock: Clock) -> dict[str, object]:
    async with keeping(backend, clock) as (keeper,):
        leases = Leases(keeper.db, clock)
        held = await leases.acquire(f"aggregator/{slot_of(ORG):02d}", LEASE_SECS)
        if held is None:
            return {"fence": None}
        try:
            await Aggregator(keeper).run(held)
        except Superseded:
            return {"fence": held.fence, "ended": "refused"}
        return {"fence": held.fence, "ended": "done"}


async def spend_once(backend: Backend, clock: Clock) -> None:
    async with keeping(backend, clock) as (keeper,):
        await spend(keeper, "premium", 5)


# --- spending ------------------------------------------------------------------------------------


def cross(url: str, count: int, micros: int) -> None:
    async def go(keeper: Keeper, ready: Callable[[], Awaitable[None]]) -> dict[str, int]:
        await spend(keeper, "premium", micros)
        await ready()
        found = await select(keeper, force=True)
        return {str(found.choice.recommended): 1}

    many(url, count, ManualClock(START + 2), go)


def burst(url: str, count: int, factor: float, micros: int, every: float, reserved: bool) -> None:
    clock = QuickClock(time.time(), factor)

    async def go(keeper: Keeper, ready: Callable[[], Awaitable[None]]) -> dict[str, int]:
        await account_of(keeper)
        await ready()
        call = _reserved_call if reserved else _call
        told: Counter[str] = Counter()
        label: str | None = "premium"
        due = clock.now()
        while label == "premium":
            label = await call(keeper, micros)
            told[str(label)] += 1
            due += every
            await asyncio.sleep(max(due - clock.now(), 0) / factor)
        return told

    many(url, count, clock, go)


async def _call(keeper: Keeper, micros: int) -> str | None:
    """Call the label that the last answer named, and go by the next answer."""
    account = await account_of(keeper)
    usage = used("premium", micros, keeper.clock.now())
    (outcome,) = await keeper.recorder.record(account, [usage])
    assert outcome.result == "recorded", outcome.problem
    return (await keeper.selector.guidance(account)).recommended_label


async def _reserved_call(keeper: Keeper, micros: int) -> str | None:
    account = await account_of(keeper)
    try:
        made = await keeper.reservations.reserve(account, "premium", micros)
    except Problem as problem:
        if problem.status != 409:
            raise
        return None
    usage = used("premium", micros, keeper.clock.now())
    object.__setattr__(usage, "reservation_id", made.reservation_id)
    (outcome,) = await keeper.recorder.record(account, [usage])
    assert outcome.result == "recorded", outcome.problem
    return "premium"


# --- processes -----------------------------------------------------------------------------------

Work = Callable[[Keeper, Callable[[], Awaitable[None]]], Awaitable[dict[str, int]]]


def many(url: str, count: int, clock: Clock, work: Work) -> None:
    """The work in so many processes, which begin together once all are ready."""
    ready, starting = os.pipe(), os.pipe()

    async def begin() -> None:
        os.write(ready[1], b".")
        await asyncio.to_thread(os.read, starting[0], 1)

    async def go() -> dict[str, int]:
        async with keeping(opened(url), clock) as (keeper,):
            return await work(keeper, begin)

    children = [forked(go) for _ in range(count)]
    for _ in range(count):
        os.read(ready[0], 1)
    os.write(starting[1], b"." * count)
    for child in children:
        finished(*child)


def forked(work: Callable[[], Coroutine[Any, Any, object]]) -> tuple[int, int]:
    """A process that does the work, and a pipe with what came of it."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child:
        os.close(theirs)
        return child, ours
    told = asyncio.run(work())
    os.write(theirs, json.dumps(told).encode())
    os._exit(0)


def finished(child: int, pipe: int) -> None:
    """Wait for a process, and print what it has told."""
    with os.fdopen(pipe, "rb") as told:
        print(told.read().decode(), flush=True)
    _, status = os.waitpid(child, 0)
    assert status == 0, status


def opened(url: str) -> Backend:
    with at_endpoint(url) as backend:
        return backend


if __name__ == "__main__":
    mode, url, *rest = sys.argv[1:]
    if mode == "stopped":
        stopped(url, rest[0])
    elif mode == "cross":
        cross(url, int(rest[0]), int(rest[1]))
    else:
        count, factor, micros, every = rest
        burst(url, int(count), float(factor), int(micros), float(every), mode == "reserved")
