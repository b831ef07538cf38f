"""Several processes that record, as a program: started once, it forks for each of them.

``same URL ID PROCESSES REPORTS``: all send the same id; prints what each was told.
``killed URL COUNT``: a process sends COUNT new reports and is killed before or after its first
request to the store, then another one that is killed at the second, and so on until one lives to
the end. Each time, another process sends all of them again. Prints the ids and what was told then.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.systems.pricekeeper.access.support import keeping
from tests.systems.pricekeeper.recording.support import ORG, START, WEB, results, usage

from tablewright.client.transports import AsyncTransport
from tablewright.client.transports.wire import Request, Response
from tablewright.clock import ManualClock
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.testing.backends import Backend, at_endpoint

KILLED = -signal.SIGKILL


class Dying:
    """A connection whose process is killed at one of its requests, once the tables are there."""

    def __init__(self, inner: AsyncTransport, at: int, after: bool) -> None:
        self._inner = inner
        self._left = at
        self._after = after

    async def send(self, request: Request) -> Response:
        self._left -= request.operation not in ("CreateTable", "DescribeTable")
        if self._left == 0 and not self._after:
            os.kill(os.getpid(), signal.SIGKILL)
        response = await self._inner.send(request)
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return response

    async def close(self) -> None:
        await self._inner.close()


async def record_all(backend: Backend, batches: list[list[Usage]]) -> list[str]:
    """Send batches side by side, as a process of its own would."""
    async with keeping(backend, ManualClock(START)) as keeper:
        async with keeper.lifespan():
            account = await keeper.directory.account(ORG, WEB)
            sent = (keeper.recorder.record(account, batch) for batch in batches)
            return [each for told in await asyncio.gather(*sent) for each in results(told)]


def forked(backend: Backend, batches: list[list[Usage]]) -> Callable[[], tuple[int, Any]]:
    """Send batches from another process; calling the result waits for it."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        told = asyncio.run(record_all(backend, batches))
        os.write(theirs, json.dumps(told).encode())
        os._exit(0)
    os.close(theirs)

    def wait() -> tuple[int, Any]:
        with os.fdopen(ours, "rb") as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), json.loads(said) if said else None

    return wait


def same(url: str, request_id: str, processes: int, reports: int) -> None:
    sent = [[usage(request_id)] for _ in range(reports)]
    waits = [forked(opened(url), sent) for _ in range(processes)]
    for wait in waits:
        code, told = wait()
        assert code == 0
        print(json.dumps(Counter(told)))


def killed(url: str, count: int) -> None:
    for after in (False, True):
        at, code = 0, KILLED
        while code == KILLED:
            at += 1
            ids = [str(uuid.uuid4()) for _ in range(count)]
            code, told = forked(dying(url, at, after), batches_of(ids))()
            assert code in (0, KILLED), code
            again, repeated = forked(opened(url), batches_of(ids))()
            assert again == 0
            print(json.dumps({"ids": ids, "told": told, "repeated": repeated}))


def batches_of(ids: list[str]) -> list[list[Usage]]:
    """Two of them, the second with an id of the first."""
    half = len(ids) // 2
    return [[usage(each) for each in ids[:half]], [usage(each) for each in ids[half - 1 :]]]


def opened(url: str) -> Backend:
    with at_endpoint(url) as backend:
        return backend


def dying(url: str, at: int, after: bool) -> Backend:
    whole = opened(url)
    return Backend("dying", whole.transport, lambda: Dying(whole.async_transport(), at, after), url)


if __name__ == "__main__":
    mode, url, *rest = sys.argv[1:]
    if mode == "same":
        same(url, rest[0], int(rest[1]), int(rest[2]))
    else:
        killed(url, int(rest[0]))
