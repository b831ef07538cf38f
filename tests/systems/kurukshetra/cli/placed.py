"""`tablewright kurukshetra ...` in this process, on one data folder."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tests.cli.pricekeeping import Said
from tests.cli.pricekeeping import Typed as Typing

from tablewright.client import AsyncEmbedded
from tablewright.engine import Engine
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.system import system

T = TypeVar("T")


class Placed(Typing):
    def __call__(self, *words: str) -> Said:
        return self.bare("kurukshetra", *words, "--data", str(self.folder))

    def festival(self, work: Callable[[Festival], Awaitable[T]]) -> T:
        """The same data without the command."""

        async def done() -> T:
            with Engine(self.folder) as engine:
                transport = AsyncEmbedded(engine)
                try:
                    runtime = runtime_of(system, transport, Settings(data=self.folder), environ={})
                    return await work(Festival(runtime))
                finally:
                    await transport.close()

        return asyncio.run(done())
