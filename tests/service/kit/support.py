"""What the tests of the kit share: a kit table on any backend, and processes of their own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeVar

from tablewright.client import AsyncDb, Retries
from tablewright.clock import Clock
from tablewright.service.kit import kit
from tablewright.service.metrics import Metrics
from tablewright.testing import Backend

R = TypeVar("R")

#: Quick, so that what is retried does not hold up the tests.
QUICK = Retries(attempts=6, budget=5.0, base=0.001, cap=0.005)
PATIENCE_SECS = 20.0


def in_kit(
    backend: Backend,
    work: Callable[[AsyncDb], Awaitable[R]],
    *,
    clock: Clock | None = None,
    retries: Retries = QUICK,
) -> R:
    """What ``work`` gives, with a kit table that is there."""

    async def main() -> R:
        settings: dict[str, Any] = {"retries": retries, "cursor_key": "key of the tests"}
        async with backend.async_db(clock=clock, **settings) as db:
            await db.create_tables(kit)
            return await work(db)

    return asyncio.run(main())


def runtime_on(db: AsyncDb, clock: Clock, **more: Any) -> Any:
    """As much of a runtime as workers ask for."""
    metrics = Metrics(process=False)
    return SimpleNamespace(db=db, clock=clock, system="tests", metrics=metrics, **more)


async def until(condition: Callable[[], object], secs: float = PATIENCE_SECS) -> None:
    """Wait for something that happens in this loop."""
    ends = time.monotonic() + secs
    while not condition():
        assert time.monotonic() < ends, "it did not happen in time"
        await asyncio.sleep(0.005)


@dataclass
class Child:
    """A program of the tests, in a process of its own; it says and hears lines."""

    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        return self.process.pid

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        """The next line that it prints."""
        assert self.process.stdout is not None
        timer = threading.Timer(PATIENCE_SECS, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        assert line, f"the process ended with {self.process.poll()}"
        return line.strip()

    def wait(self) -> int:
        return self.process.wait(PATIENCE_SECS)


@contextmanager
def child(module: str, *arguments: str) -> Iterator[Child]:
    """``python -m module arguments``; killed at the end if it still runs."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Child(process)
        finally:
            process.kill()
