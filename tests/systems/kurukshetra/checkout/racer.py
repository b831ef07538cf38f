"""Processes that check out, as a program: started once, it forks for each of them.

``race URL GATEWAY PROCESSES CLIENTS`` with the ids of teams on standard input: the processes share
the teams out, and each has so many clients at once. Prints what each team was told.

``killed URL GATEWAY`` with ids: at each of them a process is killed at another point between the
hold of its seat and the note of its order; then another process starts the checkout again. Prints
what that one was told.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from tests.systems.kurukshetra.checkout.support import checkout
from tests.systems.kurukshetra.support import EVENT, START, festival_on

from tablewright.client.transports import AsyncTransport
from tablewright.client.transports.wire import Request, Response
from tablewright.clock import ManualClock
from tablewright.service.gathering import at_most
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.gateway import Order, Razorpay
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend, at_endpoint

KILLED = -signal.SIGKILL
Told = dict[str, str]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


# --- what a process does -------------------------------------------------------------------------


async def check_out_all(backend: Backend, gateway: str, teams: list[str], clients: int) -> Told:
    async with festival_on(backend, ManualClock(START), sandbox_url=gateway) as festival:
        told: Told = {}

        async def one(team_id: str) -> None:
            told[team_id] = await answer(festival, team_id)

        await at_most(clients, [one(each) for each in teams])
        return told


async def answer(festival: Festival, team_id: str) -> str:
    team = await festival.db.require(m.team(EVENT, team_id))
    try:
        return str((await checkout(festival, team)).order_id)
    except Problem as problem:
        return problem.code


# --- where it is killed --------------------------------------------------------------------------


class Dying:
    """A connection whose process is killed at its second transaction: the first is the hold."""

    def __init__(self, inner: AsyncTransport, after: bool) -> None:
        self._inner = inner
        self._left = 2
        self._after = after

    async def send(self, request: Request) -> Response:
        self._left -= request.operation == "TransactWriteItems"
        if self._left == 0 and not self._after:
            die()
        response = await self._inner.send(request)
        if self._left == 0:
            die()
        return response

    async def close(self) -> None:
        await self._inner.close()


def at_store(url: str, after: bool) -> Backend:
    whole = opened(url)
    return Backend("dying", whole.transport, lambda: Dying(whole.async_transport(), after), url)


def at_gateway(after: bool) -> None:
    """From here on, in this process."""
    created: Callable[..., Awaitable[Order]] = Razorpay.create_order

    async def dying(self: Razorpay, *given: Any, **named: Any) -> Order:
        if not after:
            die()
        order = await created(self, *given, **named)
        die()
        return order

    Razorpay.create_order = dying  # type: ignore[method-assign]


# --- processes -----------------------------------------------------------------------------------


def forked(work: Callable[[], Told]) -> Callable[[], tuple[int, Told]]:
    """Do something in another process; calling the result waits for it."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        os.write(theirs, json.dumps(work()).encode())
        os._exit(0)
    os.close(theirs)

    def wait() -> tuple[int, Told]:
        with os.fdopen(ours, "rb") as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), json.loads(said) if said else {}

    return wait


def opened(url: str) -> Backend:
    with at_endpoint(url) as backend:
        return backend


def race(url: str, gateway: str, teams: list[str], processes: int, clients: int) -> Told:
    def work(share: list[str]) -> Callable[[], Told]:
        return lambda: asyncio.run(check_out_all(opened(url), gateway, share, clients))

    told: Told = {}
    for wait in [forked(work(teams[each::processes])) for each in range(processes)]:
        code, said = wait()
        assert code == 0
        told |= said
    return told


def killed(url: str, gateway: str, teams: list[str]) -> Told:
    def started(backend: Backend, team: str) -> Told:
        return asyncio.run(check_out_all(backend, gateway, [team], 1))

    def before_order() -> Told:
        at_gateway(after=False)
        return started(opened(url), teams[0])

    def after_order() -> Told:
        at_gateway(after=True)
        return started(opened(url), teams[1])

    deaths: list[Callable[[], Told]] = [
        before_order,
        after_order,
        lambda: started(at_store(url, after=False), teams[2]),
        lambda: started(at_store(url, after=True), teams[3]),
    ]
    told: Told = {}
    for team, death in zip(teams, deaths, strict=True):
        code, _ = forked(death)()
        assert code == KILLED, (team, code)
        again, said = forked(lambda team=team: started(opened(url), team))()  # type: ignore[misc]
        assert again == 0
        told |= said
    return told


if __name__ == "__main__":
    mode, url, gateway, *rest = sys.argv[1:]
    teams = sys.stdin.read().split()
    if mode == "race":
        print(json.dumps(race(url, gateway, teams, int(rest[0]), int(rest[1]))))
    else:
        print(json.dumps(killed(url, gateway, teams)))
