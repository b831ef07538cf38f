"""`tablewright ladders ...` in this process, on one data folder."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tests.cli.pricekeeping import Said
from tests.cli.pricekeeping import Typed as Typing
from tests.systems.ladders.support import system

from tablewright.client import AsyncEmbedded
from tablewright.engine import Engine
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.ladders.service.company import Company

T = TypeVar("T")
OUTSIDE = ("AWS_", "TABLEWRIGHT_", "LADDERS_")


class Placed(Typing):
    def __call__(self, *words: str) -> Said:
        return self.bare("ladders", *words, "--data", str(self.folder))

    def company(self, work: Callable[[Company], Awaitable[T]]) -> T:
        """The same data without the command."""

        async def done() -> T:
            with Engine(self.folder) as engine:
                transport = AsyncEmbedded(engine)
                try:
                    runtime = runtime_of(system, transport, Settings(data=self.folder), environ={})
                    return await work(Company(runtime))
                finally:
                    await transport.close()

        return asyncio.run(done())
