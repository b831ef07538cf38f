"""The use cases of one process, and what they share: caches, lanes, the writer's slot.

Each subject is a class that keeps the :class:`Keeper` and finds the others through it when it is
called; making them does no I/O. ``open`` and ``close`` are the process's start and end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tablewright.service.runtime import Runtime
from tablewright.systems.pricekeeper.service.aggregates import Aggregates
from tablewright.systems.pricekeeper.service.alerts import Alerts
from tablewright.systems.pricekeeper.service.corrections import Corrections
from tablewright.systems.pricekeeper.service.credentials import Credentials
from tablewright.systems.pricekeeper.service.directory import Directory
from tablewright.systems.pricekeeper.service.labels import Labels
from tablewright.systems.pricekeeper.service.ledger import LedgerBook
from tablewright.systems.pricekeeper.service.orgs import Orgs
from tablewright.systems.pricekeeper.service.overrides import Overrides
from tablewright.systems.pricekeeper.service.prices import Prices
from tablewright.systems.pricekeeper.service.recording import Recorder
from tablewright.systems.pricekeeper.service.reservations import Reservations
from tablewright.systems.pricekeeper.service.selection import Selector
from tablewright.systems.pricekeeper.service.tokens import Tokens
from tablewright.systems.pricekeeper.service.totals import Totals


class Keeper:
    """Everything pricekeeper can do, in one process."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.db = runtime.db
        self.clock = runtime.clock
        self.directory = Directory(self)
        self.orgs = Orgs(self)
        self.labels = Labels(self)
        self.prices = Prices(self)
        self.credentials = Credentials(self)
        self.tokens = Tokens(self)
        runtime.auth.is_client_token = self.tokens.is_client
        self.totals = Totals(self)
        self.recorder = Recorder(self)
        self.selector = Selector(self)
        self.reservations = Reservations(self)
        self.alerts = Alerts(self)
        self.aggregates = Aggregates(self)
        self.overrides = Overrides(self)
        self.corrections = Corrections(self)
        self.ledger = LedgerBook(self)

    def now(self) -> int:
        """Seconds since the epoch."""
        return self.runtime.now()

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Hold a writer's slot, and send what was accepted before the process ends."""
        await self.prices.open()
        await self.recorder.open()
        try:
            yield
        finally:
            await self.recorder.close()
