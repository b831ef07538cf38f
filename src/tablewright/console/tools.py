"""What the console's pages about one system share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cached_property

from fastapi import Request

from tablewright.console.explorer import Explorer
from tablewright.console.frame import TOOLS
from tablewright.service.auth import Principal
from tablewright.service.pages import Pages
from tablewright.service.runtime import Runtime
from tablewright.service.system import System


@dataclass(frozen=True, eq=False)
class Tools:
    """A system under the console's tools; whoever has a role in it may use them."""

    system: System
    runtime: Runtime
    pages: Pages

    @property
    def base(self) -> str:
        return f"{TOOLS}/{self.system.name}"

    @cached_property
    def explorer(self) -> Explorer:
        return Explorer.of(self.system)

    async def admit(self, request: Request) -> Principal:
        """Raises the problem 401 or 403."""
        return await self.runtime.auth.permitted(request)

    async def explored(self) -> Explorer:
        """The explorer with its views made; the first time takes a while, beside the loop."""
        return await asyncio.to_thread(self._explore)

    def _explore(self) -> Explorer:
        explorer = self.explorer
        _ = explorer.tables, explorer.patterns
        return explorer
