"""The use cases of one process, and what they share.

Each subject is a class that keeps the :class:`Newsroom` and finds the others through it when it is
called; making them does no I/O. ``open`` and ``close`` are the process's start and end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from tablewright.service.runtime import Runtime
from tablewright.systems.sentiment.options import Options
from tablewright.systems.sentiment.service.alerts import Alerts
from tablewright.systems.sentiment.service.analyst import Analyst
from tablewright.systems.sentiment.service.articles import Articles
from tablewright.systems.sentiment.service.books import Books
from tablewright.systems.sentiment.service.counts import Counts
from tablewright.systems.sentiment.service.exports import Exports
from tablewright.systems.sentiment.service.intake import Intake
from tablewright.systems.sentiment.service.jobs import Jobs
from tablewright.systems.sentiment.service.live import Live
from tablewright.systems.sentiment.service.models import Models
from tablewright.systems.sentiment.service.overrides import Overrides
from tablewright.systems.sentiment.service.queue import Queue
from tablewright.systems.sentiment.service.setup import Setup
from tablewright.systems.sentiment.service.sources import Sources
from tablewright.systems.sentiment.service.watches import Watches


class Newsroom:
    """Everything sentiment can do, in one process."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.db = runtime.db
        self.options = runtime.options(Options)
        self.setup = Setup(self)
        self.watches = Watches(self)
        self.intake = Intake(self)
        self.sources = Sources(self)
        self.models = Models(self)
        self.analyst = Analyst(self)
        self.queue = Queue(self)
        self.jobs = Jobs(self)
        self.counts = Counts(self)
        self.articles = Articles(self)
        self.overrides = Overrides(self)
        self.exports = Exports(self)
        self.books = Books(self)
        self.alerts = Alerts(self)
        self.live = Live(self)

    def now(self) -> datetime:
        """The moment, in milliseconds, which is as fine as a timestamp is kept."""
        millis = int(self.runtime.clock.now() * 1000)
        seconds, rest = divmod(millis, 1000)
        return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest * 1000)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """The first settings, if there are none."""
        await self.setup.open()
        await self.alerts.open()
        try:
            yield
        finally:
            await self.alerts.close()
            await self.sources.close()
