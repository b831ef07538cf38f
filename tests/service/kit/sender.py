"""A dispatcher that is killed: ``python -m tests.service.kit.sender URL FILE SENDS``.

It sends what waits to a file, one line for each message, and after so many sends ends itself with
SIGKILL: after sending, before that is written down. 0 never ends it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from tablewright.client import AsyncDb, AsyncHttpTransport
from tablewright.clock import SystemClock
from tablewright.service.kit.outbox.dispatch import Dispatcher
from tablewright.service.kit.outbox.messages import Message
from tablewright.service.workers import Leases, run_once


class Killer:
    name = "killer"

    def __init__(self, file: Path, sends: int) -> None:
        self._file = file
        self._left = sends

    def takes(self, message: Message) -> bool:
        return True

    async def send(self, message: Message) -> None:
        with self._file.open("a") as lines:
            lines.write(f"{message.subject} {message.body['number']}\n")
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    async def close(self) -> None:
        return


async def main() -> None:
    url, file, sends = sys.argv[1:]
    async with AsyncDb(AsyncHttpTransport(url)) as db:
        sink = Killer(Path(file), int(sends))
        worker = Dispatcher(db, SystemClock(), "tests", [sink]).worker()
        leases = Leases(db, SystemClock())
        left = set(worker.partitions)
        while left:  # the one before may have died with its leases
            some = replace(worker, partitions=tuple(sorted(left)), lease_secs=0.3)
            left -= set(await run_once(some, leases))
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    asyncio.run(main())
