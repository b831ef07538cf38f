"""What the console's pages about one system share."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from fastapi import Request

from tablewright.console.explorer.practice import Practice
from tablewright.console.explorer.views import Explorer
from tablewright.console.frame import TOOLS
from tablewright.model.table import Table
from tablewright.service.auth import Principal
from tablewright.service.kit import kit
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.service.runtime import Runtime
from tablewright.service.system import System


@dataclass(frozen=True, eq=False)
class Tools:
    """A system under the console's tools; whoever has a role in it may use them."""

    system: System
    runtime: Runtime
    pages: Pages
    #: None: this process has no database to practise on.
    practice: Practice | None = None
    #: Of a model that ships with no system; else what lies beside the system's model.
    own_explorer: Explorer | None = None
    #: Beside the model's tables there is one that all systems have.
    has_kit: bool = True
    #: Who reads what is stored is noted in the system's audit log.
    audited: bool = True

    @property
    def base(self) -> str:
        return f"{TOOLS}/{self.system.name}"

    @cached_property
    def explorer(self) -> Explorer:
        return self.own_explorer or Explorer.of(self.system)

    @property
    def live_tables(self) -> Mapping[str, Table]:
        """What can be looked at where the model is deployed."""
        tables = self.system.model.tables
        return {**tables, kit.name: kit} if self.has_kit else tables

    async def admit(self, request: Request) -> Principal:
        """Raises the problem 401 or 403."""
        return await self.runtime.auth.permitted(request)

    async def admit_to_data(self, request: Request) -> Principal:
        """For what is really stored: admins, and only where the settings let them."""
        settings = self.runtime.settings
        if not (settings.local if settings.explore_data is None else settings.explore_data):
            raise Problem(
                403,
                "DATA_NOT_SHOWN",
                "Stored items are not shown here. Whoever runs this process can allow it: "
                "explore_data = true.",
            )
        return await self.runtime.auth.permitted(request, "admin")

    async def may_see_data(self, request: Request) -> bool:
        """Whether :meth:`admit_to_data` lets the caller in."""
        try:
            await self.admit_to_data(request)
        except Problem as problem:
            if problem.status == 403:
                return False
            raise
        return True

    async def explored(self) -> Explorer:
        """The explorer with its views made; the first time takes a while, beside the loop."""
        return await asyncio.to_thread(self._explore)

    def _explore(self) -> Explorer:
        explorer = self.explorer
        _ = explorer.tables, explorer.patterns, explorer.reviewed
        return explorer
