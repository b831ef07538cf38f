"""The use cases of one process, and what they share.

Each subject is a class that keeps the :class:`Courtroom` and finds the others through it when it is
called; making them does no I/O. ``open`` and ``close`` are the process's start and end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime

from tablewright.client import AsyncDb
from tablewright.service.runtime import Runtime
from tablewright.systems.vibejudge.options import Options
from tablewright.systems.vibejudge.service.access import access_of
from tablewright.systems.vibejudge.service.analyst import Analyst
from tablewright.systems.vibejudge.service.auditing import Auditing
from tablewright.systems.vibejudge.service.blobs import Blobs
from tablewright.systems.vibejudge.service.budgets import Budgets
from tablewright.systems.vibejudge.service.erasing import Erasing
from tablewright.systems.vibejudge.service.exports import Exports
from tablewright.systems.vibejudge.service.freezing import Freezing
from tablewright.systems.vibejudge.service.hackathons import Hackathons
from tablewright.systems.vibejudge.service.jobs import Jobs
from tablewright.systems.vibejudge.service.judging import Judging
from tablewright.systems.vibejudge.service.messages import Messages
from tablewright.systems.vibejudge.service.models import Models
from tablewright.systems.vibejudge.service.organizers import Organizers
from tablewright.systems.vibejudge.service.pricekeeper import Pricekeeper
from tablewright.systems.vibejudge.service.releases import Releases
from tablewright.systems.vibejudge.service.results import Results
from tablewright.systems.vibejudge.service.scorecards import Scorecards
from tablewright.systems.vibejudge.service.standings import Standings
from tablewright.systems.vibejudge.service.submissions import Submissions
from tablewright.systems.vibejudge.service.watching import Watching
from tablewright.systems.vibejudge.service.workflows import Workflows

#: How much longer than a request that somebody waits for: a minute and a half.
_PATIENCE = 6


class Courtroom:
    """Everything vibejudge can do, in one process."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.db = runtime.db
        self.options = runtime.options(Options)
        #: Which repositories may be read.
        self.access = access_of(runtime.settings, self.options)
        self.organizers = Organizers(self)
        self.hackathons = Hackathons(self)
        self.submissions = Submissions(self)
        self.freezing = Freezing(self)
        self.exports = Exports(self)
        self.jobs = Jobs(self)
        self.analyst = Analyst(self)
        self.budgets = Budgets(self)
        self.models = Models(self)
        self.pricekeeper = Pricekeeper(self)
        self.blobs = Blobs(self)
        self.scorecards = Scorecards(self)
        self.standings = Standings(self)
        self.judging = Judging(self)
        self.releases = Releases(self)
        self.results = Results(self)
        self.erasing = Erasing(self)
        self.auditing = Auditing(self)
        self.messages = Messages(self)
        self.watching = Watching(self)
        self.workflows = Workflows(self)

    def now(self) -> datetime:
        """The moment, in whole seconds, which is as fine as a time is kept."""
        return datetime.fromtimestamp(int(self.runtime.clock.now()), UTC)

    @property
    def patient(self) -> AsyncDb:
        """The store, for work beside requests: where units are few, it waits until there are some.

        Otherwise a repository would be analysed again since its result was refused for a moment.
        """
        view, usual = copy(self.db), self.db.context.retries
        longer = replace(
            usual, attempts=usual.attempts * 4 * _PATIENCE, budget=usual.budget * _PATIENCE
        )
        view.context = replace(self.db.context, retries=longer)
        return view

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        await self.models.open()
        await self.blobs.open()
        try:
            yield
        finally:
            await self.jobs.close()
            await self.analyst.close()
            await self.submissions.close()
            await self.budgets.close()
            await self.models.close()
            await self.pricekeeper.close()
            await self.blobs.close()
