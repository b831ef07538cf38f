"""A process that works until it is killed: ``URL CLOCK TRANSACTIONS WORKER...``.

It is killed in the middle of its work, with the answer to one of its transactions; never, if their
number is 0.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.systems.sentiment.analysis.support import Model, use
from tests.systems.sentiment.support import VADER, newsroom_on

from tablewright.client.transports import AsyncTransport
from tablewright.client.transports.wire import Request, Response
from tablewright.clock import FileClock
from tablewright.service.workers import runner
from tablewright.systems.sentiment import workers
from tablewright.systems.sentiment.samples import FINBERT
from tablewright.testing.backends import at_endpoint

_MODULE = "tests.systems.sentiment.analysis.processes"
_PATIENCE_SECS = 60


def started(url: str, clock: Path, transactions: int, *names: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", _MODULE, url, str(clock), str(transactions), *names]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


def killed_at_work(url: str, clock: Path, transactions: int, *names: str) -> None:
    """Workers that are killed after so many transactions."""
    process = started(url, clock, transactions, *names)
    _, said = process.communicate(timeout=_PATIENCE_SECS)
    assert process.returncode == -signal.SIGKILL, said.decode()


@contextmanager
def working(url: str, clock: Path, *names: str) -> Iterator[None]:
    """Workers at work for the length of the block."""
    process = started(url, clock, 0, *names)
    try:
        yield
    finally:
        process.kill()
        _, said = process.communicate(timeout=_PATIENCE_SECS)
    assert b"Traceback" not in said, said.decode()


class Dying:
    """A connection whose process is killed with the answer to one of its transactions."""

    def __init__(self, inner: AsyncTransport, at: int) -> None:
        self._inner = inner
        self._left = at

    async def send(self, request: Request) -> Response:
        response = await self._inner.send(request)
        self._left -= request.operation == "TransactWriteItems"
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return response

    async def close(self) -> None:
        await self._inner.close()


async def work(url: str, clock: FileClock, transactions: int, *names: str) -> None:
    with at_endpoint(url) as whole:
        # Settings and topics are there; below zero, it never dies.
        at = transactions or -1
        backend = replace(whole, async_transport=lambda: Dying(whole.async_transport(), at))
        async with newsroom_on(backend, clock, promote_slack_secs=0) as newsroom:
            use(newsroom, Model(VADER), Model(FINBERT, turned=True), by_settings=True)
            mine = [each for each in workers.workers(newsroom) if each.name in names]
            assert len(mine) == len(names)
            async with runner(newsroom.runtime, mine):
                await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], FileClock(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]))
