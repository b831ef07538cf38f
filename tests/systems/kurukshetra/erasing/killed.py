"""Processes that erase somebody and are killed, as a program: started once, it forks for each.

``URL DATA`` with lines ``participant step when`` on standard input: a process erases the
participant and is killed at its ``step``-th write, ``before`` or ``after`` that is done. Then
another process goes on with what was begun. Prints how many it has brought to their end.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from tests.systems.kurukshetra.support import ORGANIZER, START, caller, festival_on

from tablewright.client.transports import AsyncTransport
from tablewright.client.transports.wire import Request, Response
from tablewright.clock import ManualClock
from tablewright.testing.backends import Backend, at_endpoint

_WRITES = {"TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem"}


class Dying:
    """A connection whose process is killed at one of its writes."""

    def __init__(self, inner: AsyncTransport, step: int, after: bool) -> None:
        self._inner = inner
        self._left = step
        self._after = after

    async def send(self, request: Request) -> Response:
        self._left -= request.operation in _WRITES
        last = self._left == 0
        if last and not self._after:
            os.kill(os.getpid(), signal.SIGKILL)
        response = await self._inner.send(request)
        if last:
            os.kill(os.getpid(), signal.SIGKILL)
        return response

    async def close(self) -> None:
        await self._inner.close()


def opened(url: str) -> Backend:
    with at_endpoint(url) as backend:
        return backend


def dying(url: str, step: int, after: bool) -> Backend:
    whole = opened(url)
    transport = whole.async_transport
    return Backend("dying", whole.transport, lambda: Dying(transport(), step, after), url)


async def erase(backend: Backend, data: Path, participant_id: str) -> None:
    async with festival_on(backend, ManualClock(START), data=data) as festival:
        await festival.erasing.erase(await caller(festival, ORGANIZER), participant_id)


async def go_on(backend: Backend, data: Path) -> int:
    async with festival_on(backend, ManualClock(START), data=data) as festival:
        return await festival.erasing.work()


def forked(work: Callable[[], object]) -> int:
    """Do something in another process, and wait for its end."""
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(url: str, data: Path, deaths: list[str]) -> int:
    ended = 0
    for line in deaths:
        participant_id, step, when = line.split()
        backend = dying(url, int(step), when == "after")
        code = forked(lambda: asyncio.run(erase(backend, data, participant_id)))  # noqa: B023
        assert code == -signal.SIGKILL, (line, code)
        ended += asyncio.run(go_on(opened(url), data))
    return ended


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]), sys.stdin.read().splitlines())))
